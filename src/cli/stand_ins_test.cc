#include "cli/stand_ins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/error.h"

namespace fireweed::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> Words(const std::string& line) {
  std::vector<std::string> words;
  for (size_t at = 0; at < line.size();) {
    size_t end = std::min(line.find(' ', at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

TEST(StandIns, GcloudLinesBecomeOurs) {
  const std::pair<const char*, const char*> kLines[] = {
      {"compute instances list", "compute instances list"},
      {"beta compute instances list", "compute instances list"},
      {"--quiet compute instances delete a", "compute instances delete a"},
      {"--project p compute ssh a -- ls -l", "compute instances ssh a --project p -- ls -l"},
      {"--format=json --verbosity debug projects list", "projects list --format=json"},
      {"iam service-accounts create robot", "service-accounts create robot"},
      {"iam service-accounts keys create k.json --iam-account r@p",
       "service-accounts create-key k.json --iam-account r@p"},
      {"config set compute/zone us-east1-b", "config set compute/zone us-east1-b"},
      {"--help", "--help"},
  };
  for (const auto& [theirs, ours] : kLines) {
    EXPECT_EQ(WordsOfGcloud(Words(theirs)), Words(ours)) << theirs;
  }
}

TEST(StandIns, GsutilLinesBecomeOurs) {
  const std::pair<const char*, const char*> kLines[] = {
      {"mb gs://b", "storage buckets create gs://b"},
      {"mb -l us-central1 -b on gs://b",
       "storage buckets create -l us-central1 --uniform-bucket-level-access gs://b"},
      {"-m cp -r d gs://b", "storage cp -r d gs://b"},
      {"-q -m -o GSUtil:x=1 rm -r gs://b", "storage rm -q -r gs://b"},
      {"-q ls gs://b", "storage ls gs://b"},
      {"rb gs://b", "storage buckets delete gs://b"},
      {"iam get gs://b", "storage buckets get-iam-policy gs://b --format=json"},
      {"iam ch user:a@b.org:objectViewer gs://b",
       "storage buckets add-iam-policy-binding gs://b --member user:a@b.org --role "
       "roles/storage.objectViewer"},
      {"version -l", "version"},
  };
  for (const auto& [theirs, ours] : kLines) {
    EXPECT_EQ(WordsOfGsutil(Words(theirs)), Words(ours)) << theirs;
  }
  for (const char* refused : {"acl get gs://b", "iam ch -d x gs://b", "iam"}) {
    try {
      WordsOfGsutil(Words(refused));
      FAIL() << refused;
    } catch (const Failure& failure) {
      EXPECT_THAT(failure.error().message, HasSubstr("pip install gsutil")) << refused;
    }
  }
}

TEST(StandIns, OnlyMissingProgramsAndDatalabAreOffered) {
  EXPECT_THAT(WantedStandIns("/nowhere"), ElementsAre("datalab", "fireweed", "gcloud", "gsutil"));
}

TEST(StandIns, ScriptsQuoteWhatTheyName) {
  std::string script = StandInScript("datalab", "/opt/it's/fireweed", "/a b");
  EXPECT_THAT(
      script,
      HasSubstr("exec env FIREWEED_STATE='/a b' '/opt/it'\\''s/fireweed' datalab \"$@\"\n"));
}

}  // namespace
}  // namespace fireweed::cli
