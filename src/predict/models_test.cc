// Model files: trees of XGBoost and signatures of SavedModels, sound, damaged and hostile.
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "predict/load_engine.h"
#include "predict/tensorflow/saved_model.h"
#include "predict/xgboost/forest.h"

namespace fireweed::predict {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// x0 < 0.5 (missing: right) ? leaf 1 : (x1 < 2 (missing: left) ? leaf 2 : leaf 4). Nodes 3 and 4 are written in an order of
// their own.
constexpr const char kTree[] =
    R"({"base_weights":[0,0,0,0,0],"default_left":[0,0,1,0,0],"left_children":[1,-1,4,-1,-1],
        "right_children":[2,-1,3,-1,-1],"split_conditions":[5E-1,1E0,2E0,4E0,2E0],"split_indices":[0,0,1,0,0],
        "split_type":[0,0,0,0,0],"tree_param":{"num_nodes":"5","num_feature":"2","size_leaf_vector":"1"}})";

std::string ModelText(std::string_view objective, std::string_view base, int classes,
                      const std::vector<int>& groups, std::string_view version = "[2,1,0]") {
  std::string trees, info;
  for (int group : groups) {
    trees += (trees.empty() ? "" : ",") + std::string(kTree);
    info += (info.empty() ? "" : ",") + std::to_string(group);
  }
  return fmt::format(
      R"({{"learner":{{"feature_names":["a","b"],"gradient_booster":{{"name":"gbtree","model":{{"trees":[{}],
         "tree_info":[{}]}}}},"learner_model_param":{{"base_score":"{}","num_class":"{}","num_feature":"2"}},
         "objective":{{"name":"{}"}}}},"version":{}}})",
      trees, info, base, classes, objective, version);
}

std::vector<float> Predicted(const Forest& forest, std::vector<float> rows) {
  int64_t count = static_cast<int64_t>(rows.size()) / forest.features();
  std::vector<float> out(static_cast<size_t>(count * forest.outputs()));
  forest.Predict(rows.data(), count, out.data());
  return out;
}

TEST(Forest, WalksTreesAndMissingValues) {
  ModelValue model = ReadJsonModel(ModelText("reg:squarederror", "1E1", 0, {0, 0}));
  ASSERT_EQ(Forest::Obstacle(model), std::nullopt);
  Forest forest(model);
  EXPECT_EQ(forest.features(), 2);
  std::vector<float> rows{0, 9, 0.5f, 1.9f, 0.5f, 2, NAN, NAN, 1, NAN};
  EXPECT_THAT(Predicted(forest, rows), ElementsAre(12, 14, 18, 14, 14));
}

TEST(Forest, ManyRowsAreOneRowManyTimes) {
  std::vector<int> groups(19);
  for (int i = 0; i < 19; ++i) groups[static_cast<size_t>(i)] = i % 3;
  Forest forest(ReadJsonModel(ModelText("multi:softprob", "[1E-1,2E-1,3E-1]", 3, groups)));
  std::vector<float> rows = forest.Probes(37);
  std::vector<float> together = Predicted(forest, rows), alone;
  for (size_t row = 0; row < 37; ++row) {
    for (float value : Predicted(forest, {rows[2 * row], rows[2 * row + 1]}))
      alone.push_back(value);
  }
  EXPECT_EQ(together, alone);
  EXPECT_NEAR(together[0] + together[1] + together[2], 1, 1e-6);
}

TEST(Forest, Objectives) {
  auto one = [](std::string_view objective, std::string_view base, int classes) {
    Forest forest(ReadJsonModel(ModelText(objective, base, classes, {0})));
    return Predicted(forest, {0, 0})[0];
  };
  EXPECT_FLOAT_EQ(one("binary:logistic", "5E-1", 0), 1 / (1 + std::exp(-1.0f)));
  EXPECT_FLOAT_EQ(one("binary:logitraw", "5E-1", 0), 1.5f);
  EXPECT_FLOAT_EQ(one("count:poisson", "1E0", 0), std::exp(1.0f));
  EXPECT_FLOAT_EQ(one("binary:hinge", "5E-1", 0), 1);
  EXPECT_FLOAT_EQ(one("multi:softmax", "5E-1", 3), 0);
}

TEST(Forest, SaysWhatItCannotCompute) {
  auto obstacle = [](std::string text, std::string_view from, std::string_view to) {
    size_t at = text.find(from);
    if (at != std::string::npos) text.replace(at, from.size(), to);
    return Forest::Obstacle(ReadJsonModel(text)).value_or("");
  };
  std::string text = ModelText("reg:squarederror", "0", 0, {0});
  EXPECT_EQ(obstacle(text, "", ""), "");
  EXPECT_THAT(obstacle(text, "gbtree", "dart"), HasSubstr("dart"));
  EXPECT_THAT(obstacle(text, "reg:squarederror", "survival:cox"), HasSubstr("survival:cox"));
  EXPECT_THAT(obstacle(text, R"("split_type":[0,0)", R"("split_type":[1,0)"),
              HasSubstr("categories"));
  EXPECT_THAT(obstacle(text, R"("size_leaf_vector":"1")", R"("size_leaf_vector":"3")"),
              HasSubstr("vectors"));
}

TEST(Forest, DamagedModelsAreRefused) {
  auto replaced = [](std::string_view from, std::string_view to) {
    std::string text = ModelText("reg:squarederror", "0", 0, {0});
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  for (const std::string& text :
       {replaced(R"("left_children":[1,-1,4,-1,-1])", R"("left_children":[1,-1,0,-1,-1])"),
        replaced(R"("left_children":[1,-1,4,-1,-1])", R"("left_children":[1,-1,9,-1,-1])"),
        replaced(R"("left_children":[1,-1,4,-1,-1])", R"("left_children":[1,2,2,2,2])"),
        replaced(R"("left_children":[1,-1,4,-1,-1])", R"("left_children":[1])"),
        replaced(R"("split_indices":[0,0,1,0,0])", R"("split_indices":[0,0,2,0,0])"),
        replaced(R"("tree_info":[0])", R"("tree_info":[1])"),
        replaced(R"("num_nodes":"5")", R"("num_nodes":"999999999999")"),
        replaced(R"("num_class":"0","num_feature":"2")",
                 R"("num_class":"0","num_feature":"-2")")}) {
    EXPECT_THROW(Forest(ReadJsonModel(text)), Failure) << text;
  }
  std::string whole = ModelText("reg:squarederror", "0", 0, {0});
  for (size_t size = 0; size + 1 < whole.size(); size += 7) {
    EXPECT_THROW(Forest(ReadJsonModel(whole.substr(0, size))), Failure) << size;
  }
}

// The same document as UBJSON, from a value.
void WriteUbj(std::string& out, const ModelValue& value) {
  auto length = [&out](size_t size) {
    out += 'L';
    for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>(size >> shift & 0xff);
  };
  auto real = [&out](double number) {
    float narrow = static_cast<float>(number);
    uint32_t bits;
    memcpy(&bits, &narrow, 4);
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(bits >> shift & 0xff);
  };
  switch (value.kind) {
    case ModelValue::Kind::kNull: out += 'Z'; break;
    case ModelValue::Kind::kNumber: out += 'd', real(value.number); break;
    case ModelValue::Kind::kText: out += 'S', length(value.text.size()), out += value.text; break;
    case ModelValue::Kind::kNumbers:
      out += "[$d#", length(value.numbers.size());
      for (double number : value.numbers) real(number);
      break;
    case ModelValue::Kind::kList:
      out += '[';
      for (const ModelValue& element : value.list) WriteUbj(out, element);
      out += ']';
      break;
    case ModelValue::Kind::kObject:
      out += '{';
      for (const auto& [name, member] : value.members) {
        length(name.size()), out += name;
        WriteUbj(out, member);
      }
      out += '}';
  }
}

TEST(UbjModel, IsTheSameModel) {
  ModelValue json = ReadJsonModel(ModelText("reg:squarederror", "1E1", 0, {0, 0}));
  std::string bytes;
  WriteUbj(bytes, json);
  Forest forest(ReadUbjModel(bytes));
  EXPECT_THAT(Predicted(forest, {0, 9, 0.5f, 2}), ElementsAre(12, 18));
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(ReadUbjModel(std::string_view(bytes).substr(0, size)), Failure) << size;
  }
  EXPECT_THROW(ReadUbjModel("{" + std::string(500, '[')), Failure);
  EXPECT_THROW(ReadUbjModel(std::string("{U\x01"
                                        "a[$d#L\x7f\xff\xff\xff\xff\xff\xff\xff",
                                        17)),
               Failure);
}

struct ModelDirectory {
  std::string path = (std::filesystem::temp_directory_path() / "fireweed-model-XXXXXX").string();
  ModelDirectory() {
    if (mkdtemp(path.data()) == nullptr) Abort("no temporary directory");
  }
  ~ModelDirectory() { std::filesystem::remove_all(path); }
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(path + "/" + name, std::ios::binary) << text;
  }
  std::string LoadError(const EngineSettings& settings = {}) {
    SystemClock clock;
    try {
      LoadEngine(path, settings, clock);
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.error().message.find('\n'), std::string::npos);
      return failure.error().message;
    }
    return "";
  }
};

TEST(LoadEngine, SaysWhatIsWrong) {
  ModelDirectory directory;
  EXPECT_THAT(directory.LoadError(), HasSubstr("found nothing"));
  directory.Write("readme.txt", "x");
  EXPECT_THAT(directory.LoadError(), HasSubstr("found readme.txt"));
  directory.Write("model.bst", "");
  EXPECT_THAT(directory.LoadError(), HasSubstr("model.bst is empty"));
  directory.Write("model.bst", "binf....");
  EXPECT_THAT(directory.LoadError(), HasSubstr("old binary form"));
  directory.Write("model.bst", ModelText("reg:squarederror", "0", 0, {0}, "[99,0,0]"));
  EXPECT_THAT(directory.LoadError(), HasSubstr("written by XGBoost 99.0.0"));
  directory.Write("model.bst", ModelText("survival:cox", "0", 0, {0}));
  EXPECT_THAT(directory.LoadError(), HasSubstr("needs the XGBoost library (its objective is"));
  directory.Write("model.bst", ModelText("reg:squarederror", "0", 0, {0}));
  EXPECT_EQ(directory.LoadError(), "");
  EngineSettings settings;
  settings.xgboost.library = directory.path + "/none.so";
  EXPECT_THAT(directory.LoadError(settings), HasSubstr("cannot be loaded"));
  settings.framework = Framework::kTensorflow;
  EXPECT_THAT(directory.LoadError(settings), HasSubstr("looked for saved_model.pb"));
}

// Protocol-buffer text, by hand.
std::string Field(int number, std::string_view bytes) {
  std::string out(1, static_cast<char>(number << 3 | 2));
  size_t size = bytes.size();
  for (; size >= 0x80; size >>= 7) out += static_cast<char>(size | 0x80);
  out += static_cast<char>(size);
  return out.append(bytes);
}
std::string Number(int field, uint64_t value) {
  std::string out(1, static_cast<char>(field << 3));
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}
std::string TensorInfo(std::string_view name, int type, const std::vector<int64_t>& shape) {
  std::string dims;
  for (int64_t size : shape) dims += Field(2, Number(1, static_cast<uint64_t>(size)));
  return Field(1, name) + Number(2, static_cast<uint64_t>(type)) + Field(3, dims);
}
std::string MapEntry(int field, std::string_view key, std::string_view value) {
  return Field(field, Field(1, key) + Field(2, value));
}
std::string SignatureDef(int type) {
  return MapEntry(1, "x", TensorInfo("in/x:0", type, {-1, 4})) +
         MapEntry(2, "y", TensorInfo("out:2", 1, {-1})) + Field(3, "tensorflow/serving/predict");
}

TEST(SavedModel, SignaturesAreRead) {
  std::string graph = Field(1, Field(4, "serve")) + MapEntry(5, "predict", SignatureDef(9)) +
                      MapEntry(5, "__saved_model_init_op", "") +
                      MapEntry(5, "half", SignatureDef(19));
  SavedModel model = ReadSavedModel(Number(1, 1) + Field(2, graph));
  ASSERT_EQ(model.signatures.size(), 1u);
  const SavedSignature& saved = model.signatures[0];
  EXPECT_EQ(saved.signature.name, "predict");
  EXPECT_EQ(saved.signature.inputs[0].type, DataType::kInt64);
  EXPECT_THAT(saved.signature.inputs[0].shape, ElementsAre(-1, 4));
  EXPECT_EQ(saved.inputs[0].operation, "in/x");
  EXPECT_EQ(saved.outputs[0].index, 2);
  EXPECT_THAT(model.passed_over, ElementsAre(HasSubstr("half: 'x' has TensorFlow type 19")));
  std::string more = graph + MapEntry(5, "serving_default", SignatureDef(1));
  EXPECT_EQ(ReadSavedModel(Field(2, more)).signatures[0].signature.name, "serving_default");
}

TEST(SavedModel, BadOnesAreRefused) {
  EXPECT_THROW(ReadSavedModel("not a model at all"), Failure);
  EXPECT_THROW(ReadSavedModel(""), Failure);
  EXPECT_THROW(ReadSavedModel(Field(2, Field(1, Field(4, "train")))), Failure);
  EXPECT_THROW(ReadSavedModel(Field(2, Field(1, Field(4, "serve")))), Failure);
  std::string whole = Field(2, Field(1, Field(4, "serve")) + MapEntry(5, "a", SignatureDef(1)));
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(ReadSavedModel(std::string_view(whole).substr(0, size)), Failure) << size;
  }
}

}  // namespace
}  // namespace fireweed::predict
