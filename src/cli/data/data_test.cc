#include <algorithm>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "cli/data/data_sets.h"

namespace fireweed::cli {
namespace {

std::map<std::string, std::string> Made(void (*make)(uint64_t, const EmitFile&), uint64_t seed) {
  std::map<std::string, std::string> files;
  make(seed, [&](const std::string& name, const std::string& contents) { files[name] = contents; });
  return files;
}

std::vector<std::vector<std::string>> Rows(const std::string& text, char separator) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    rows.emplace_back();
    for (std::string word; std::getline(words, word, separator);) rows.back().push_back(word);
  }
  return rows;
}

TEST(DataSetsTest, TheSameSeedGivesTheSameBytes) {
  for (const DataSet& set : DataSets()) {
    if (set.name == "cifar10") continue;  // large: looked at below
    EXPECT_EQ(Made(set.make, 7), Made(set.make, 7)) << set.name;
    EXPECT_NE(Made(set.make, 7), Made(set.make, 8)) << set.name;
    for (std::string_view file : set.files)
      EXPECT_TRUE(Made(set.make, 7).count(std::string(file))) << file;
  }
}

TEST(DataSetsTest, CensusHasTheColumnsAndSharesOfTheOriginal) {
  auto files = Made(&MakeCensus, 1);
  auto rows = Rows(files["adult.data"], ',');
  ASSERT_EQ(rows.size(), 32562u) << "the last line is empty";
  rows.pop_back();
  int more = 0, unknown = 0;
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 15u);
    more += row[14] == " >50K";
    unknown += std::count(row.begin(), row.end(), " ?") > 0;
  }
  EXPECT_NEAR(more / 32561.0, 0.2408, 0.03);
  EXPECT_NEAR(unknown / 32561.0, 0.074, 0.02);
  EXPECT_TRUE(files["adult.test"].starts_with("|1x3 Cross validator\n"));
  EXPECT_EQ(Rows(files["adult.test"], ',')[1][14].back(), '.');
}

TEST(DataSetsTest, IrisIsLearntByTheNearestMean) {
  auto files = Made(&MakeIris, 1);
  auto train = Rows(files["iris_training.csv"], ','), test = Rows(files["iris_test.csv"], ',');
  ASSERT_EQ(train.size(), 121u);
  ASSERT_EQ(test.size(), 31u);
  double mean[3][4] = {}, count[3] = {};
  for (size_t i = 1; i < train.size(); ++i) {
    size_t kind = std::stoul(train[i][4]);
    ++count[kind];
    for (size_t j = 0; j < 4; ++j) mean[kind][j] += std::stod(train[i][j]);
  }
  train.insert(train.end(), test.begin() + 1, test.end());
  int right = 0;
  for (size_t i = 1; i < train.size(); ++i) {
    double distance[3] = {};
    for (size_t kind = 0; kind < 3; ++kind) {
      for (size_t j = 0; j < 4; ++j) {
        double gap = std::stod(train[i][j]) - mean[kind][j] / count[kind];
        distance[kind] += gap * gap;
      }
    }
    right += std::min_element(distance, distance + 3) - distance == std::stol(train[i][4]);
  }
  EXPECT_NEAR(right, 139, 9) << "of 150; the original's figure is 139";
}

TEST(DataSetsTest, TaxiTipsAreOfThoseWhoPayByCard) {
  auto rows = Rows(Made(&MakeTaxi, 1)["train.csv"], ',');
  ASSERT_EQ(rows.size(), 10001u);
  int good = 0;
  for (size_t i = 1; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].size(), 18u) << i;
    bool well = std::stod(rows[i][17]) > 0.2 * std::stod(rows[i][1]);
    if (well) {
      EXPECT_EQ(rows[i][13], "Credit Card");
    }
    good += well;
  }
  EXPECT_NEAR(good / 10000.0, 0.2249, 0.03);
}

TEST(DataSetsTest, PicturesHaveTheLayoutOfTheOriginal) {
  struct Enough {};
  auto look = [](const std::string& name, const std::string& contents) {
    EXPECT_EQ(name, "data_batch_1.bin");
    ASSERT_EQ(contents.size(), 10000u * 3073);
    for (size_t at = 0; at < contents.size(); at += 3073) ASSERT_LT(contents[at], 10);
    throw Enough{};  // the other files are like the first
  };
  EXPECT_THROW(MakeCifar10(1, look), Enough);
}

}  // namespace
}  // namespace fireweed::cli
