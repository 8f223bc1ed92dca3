// Requests to tensors and tensors to replies: what is taken, what is refused, and in which words.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "predict/reply_writer.h"
#include "predict/request_reader.h"
#include "predict/serve_paths.h"

namespace fireweed::predict {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TensorSpec Spec(std::string name, DataType type, std::vector<int64_t> shape) {
  TensorSpec spec;
  spec.name = std::move(name);
  spec.type = type;
  spec.shape = std::move(shape);
  return spec;
}

Signature Row(int64_t features, std::vector<std::string> names = {}) {
  Signature signature;
  signature.name = "serving_default";
  signature.inputs.push_back(Spec("input", DataType::kFloat, {-1, features}));
  signature.inputs[0].null_is_missing = true;
  signature.inputs[0].features = std::move(names);
  signature.outputs.push_back(Spec("predictions", DataType::kFloat, {-1}));
  signature.bare_output = true;
  return signature;
}

Signature Mixed() {
  Signature signature;
  signature.name = "predict";
  signature.inputs = {Spec("age", DataType::kInt64, {-1}),
                      Spec("image", DataType::kUint8, {-1, 2, 2}),
                      Spec("job", DataType::kString, {-1}), Spec("rich", DataType::kBool, {-1, 1})};
  return signature;
}

Signature One(DataType type, std::vector<int64_t> shape) {
  Signature signature;
  signature.name = "one";
  signature.inputs = {Spec("x", type, std::move(shape))};
  return signature;
}

std::vector<float> Floats(const Tensor& tensor) {
  std::vector<float> values;
  for (int64_t i = 0; i < tensor.elements(); ++i) values.push_back(tensor.At<float>(i));
  return values;
}

TEST(RequestReader, RowsOfNumbers) {
  RequestReader reader;
  std::vector<Signature> signatures{Row(3)};
  PredictRequest request =
      reader.ReadPredict(R"({"instances": [[1, 2.5, -3e2], [0, null, 16777217]]})", signatures);
  EXPECT_EQ(request.inputs.rows, 2);
  EXPECT_THAT(request.inputs.tensors[0].shape, ElementsAre(2, 3));
  std::vector<float> values = Floats(request.inputs.tensors[0]);
  EXPECT_TRUE(std::isnan(values[4]));
  values[4] = 0;
  EXPECT_THAT(values, ElementsAre(1, 2.5f, -300, 0, 0, 16777216));
  EXPECT_FALSE(request.columns);
}

TEST(RequestReader, RowsByFeatureName) {
  RequestReader reader;
  std::vector<Signature> signatures{Row(3, {"a", "b", "c"})};
  PredictRequest request = reader.ReadPredict(
      R"({"instances": [{"a":1,"b":2,"c":3}, {"c":6,"a":4,"b":null}, [7,8,9], {"input":[1,1,1]}]})",
      signatures);
  std::vector<float> values = Floats(request.inputs.tensors[0]);
  EXPECT_TRUE(std::isnan(values[4]));
  values[4] = 5;
  EXPECT_THAT(values, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 1, 1));
}

TEST(RequestReader, NamedInputsOfManyTypes) {
  RequestReader reader;
  std::vector<Signature> signatures{Row(2), Mixed()};
  PredictRequest request = reader.ReadPredict(
      R"({"instances": [{"rich": true, "job": "c\u00e4r", "image": [[1,2],[3,255]], "age": -7},
                        {"age": 9007199254740993, "image": [[0,0],[0,0]], "job": {"b64": "AAH/"}, "rich": false}],
          "signature_name": "predict"})",
      signatures);
  ASSERT_EQ(request.signature, &signatures[1]);
  EXPECT_EQ(request.inputs.tensors[0].At<int64_t>(1), 9007199254740993);
  EXPECT_THAT(request.inputs.tensors[1].shape, ElementsAre(2, 2, 2));
  EXPECT_EQ(request.inputs.tensors[1].At<uint8_t>(3), 255);
  EXPECT_THAT(request.inputs.tensors[2].texts,
              ElementsAre("c\xc3\xa4r", std::string("\0\x01\xff", 3)));
  EXPECT_THAT(request.inputs.tensors[3].shape, ElementsAre(2, 1));
}

TEST(RequestReader, Columns) {
  RequestReader reader;
  std::vector<Signature> signatures{One(DataType::kDouble, {-1, 2})};
  for (const char* body : {R"({"inputs": [[1,2],[3,4],[5,6]]})",
                           R"({"inputs": {"x": [[1,2],[3,4],[5,6]]}, "signature_name": ""})"}) {
    PredictRequest request = reader.ReadPredict(body, signatures);
    EXPECT_TRUE(request.columns);
    EXPECT_EQ(request.inputs.rows, 3);
    EXPECT_EQ(request.inputs.tensors[0].At<double>(5), 6);
  }
}

TEST(RequestReader, JsonInstancesAndParameters) {
  RequestReader reader;
  std::vector<Signature> signatures{One(DataType::kJson, {-1})};
  PredictRequest request = reader.ReadPredict(
      R"({"probabilities": true, "instances": [ {"a": [1, 2]} , "t\"x", 5 , [ ], null], "k": {"z": 1}})",
      signatures);
  EXPECT_THAT(request.inputs.tensors[0].texts,
              ElementsAre("{\"a\": [1, 2]}", "\"t\\\"x\"", "5", "[ ]", "null"));
  EXPECT_EQ(request.inputs.parameters, R"({"probabilities":true,"k":{"z": 1}})");
}

// scikit-learn and XGBoost know no signatures; clients name one all the same.
TEST(RequestReader, AnySignatureOfAModelWithoutThem) {
  RequestReader reader;
  std::vector<Signature> signatures{Row(1)};
  signatures[0].unnamed = true;
  const char* body = R"({"signature_name": "predict", "instances": [[1]]})";
  EXPECT_EQ(reader.ReadPredict(body, signatures).signature, &signatures[0]);
}

TEST(RequestReader, DepthOfJsonInstances) {
  RequestReader reader;
  std::vector<Signature> signatures{One(DataType::kJson, {-1})};
  auto nested = [](size_t depth) {
    return R"({"instances": ["[[[", )" + std::string(depth, '[') + std::string(depth, ']') + "]}";
  };
  EXPECT_EQ(reader.ReadPredict(nested(256), signatures).inputs.rows, 2);
  try {
    reader.ReadPredict(nested(257), signatures);
    FAIL() << "was taken";
  } catch (const Failure& failure) {
    EXPECT_THAT(failure.error().message, HasSubstr("instance 1: is nested too deeply"));
  }
}

struct Bad {
  const char* name;
  std::string body;
  const char* says;
  Code code = Code::kInvalid;
};

class BadPredict : public ::testing::TestWithParam<Bad> {};

TEST_P(BadPredict, IsRefused) {
  RequestReader reader(4);
  std::vector<Signature> signatures{Row(3, {"a", "b", "c"}), Mixed(), One(DataType::kInt8, {-1})};
  try {
    reader.ReadPredict(GetParam().body, signatures);
    FAIL() << "was taken";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.error().code, GetParam().code);
    EXPECT_THAT(failure.error().message, HasSubstr(GetParam().says));
  }
  // The reader is as good as new.
  EXPECT_EQ(reader.ReadPredict(R"({"instances":[[1,2,3]]})", signatures).inputs.rows, 1);
}

std::string Instances(std::string_view list) { return "{\"instances\":" + std::string(list) + "}"; }

INSTANTIATE_TEST_SUITE_P(
    Requests, BadPredict,
    ::testing::Values(
        Bad{"Empty", "", "JSON"}, Bad{"Garbage", "hello", "JSON"},
        Bad{"Array", "[1]", "must be a JSON object"}, Bad{"NoInstances", "{}", "no \"instances\""},
        Bad{"Cut", R"({"instances":[[1,2,3])", "JSON"},
        Bad{"CutInRow", R"({"instances":[[1,2)", "JSON"},
        Bad{"After", R"({"instances":[[1,2,3]]} x)", "JSON"},
        Bad{"Twice", R"({"instances":[[1,2,3]],"inputs":[[1,2,3]]})", "once"},
        Bad{"NotAList", Instances("7"), "must be an array"},
        Bad{"NoRows", Instances("[]"), "is empty"},
        Bad{"Short", Instances("[[1,2,3],[1,2]]"), "instance 1: input 'input': an array has 2"},
        Bad{"ShortFirst", Instances("[[1,2]]"),
            "instance 0: input 'input': has shape [2], the model takes [3]"},
        Bad{"Long", Instances("[[1,2,3,4]]"), "has shape [4], the model takes [3]"},
        Bad{"Deep", Instances("[[[1,2,3]]]"), "has shape [1,3]"},
        Bad{"DeepLater", Instances("[[1,2,3],[[1],2,3]]"), "instance 1"},
        Bad{"Scalar", Instances("[1]"), "instance 0"},
        Bad{"VeryDeep", Instances(std::string(200'000, '[')), "instance 0"},
        Bad{"Text", Instances(R"([[1,2,3],[1,"x",3]])"), "instance 1: input 'input': a string"},
        Bad{"NaN", Instances("[[1,NaN,3]]"), "instance 0"},
        Bad{"Infinity", Instances("[[1,2,3],[1,1e39,3]]"),
            "instance 1: input 'input': a number is too large"},
        Bad{"Absurd", Instances("[[1,1e999,3]]"), "instance 0"},
        Bad{"True", Instances("[[true,1,1]]"), "a boolean stands where a number"},
        Bad{"NoFeature", Instances(R"([{"a":1,"b":2}])"), "instance 0: has no feature 'c'"},
        Bad{"OtherFeature", Instances(R"([{"a":1,"b":2,"d":2}])"), "no feature 'd'"},
        Bad{"FeatureTwice", Instances(R"([{"a":1,"a":2,"b":2}])"), "'a' is given twice"},
        Bad{"MoreThanInput", Instances(R"([{"input":[1,2,3],"a":2}])"), "holds more than"},
        Bad{"EmptyObject", Instances("[{}]"), "instance 0: has no feature 'a'"},
        Bad{"EmptyBesideValue", R"({"inputs":[[],82]})", "a value stands where others have arrays"},
        Bad{"TooMany", Instances("[[1,2,3],[1,2,3],[1,2,3],[1,2,3],[1,2,3]]"), "more than 4",
            Code::kTooLarge},
        Bad{"Signature", R"({"signature_name":"nope","instances":[[1,2,3]]})",
            "no signature 'nope'; it has serving_default, predict, one"},
        Bad{"Missing", R"({"signature_name":"predict","instances":[{"age":1}]})",
            "instance 0: has no input 'image'"},
        Bad{"Unknown", R"({"signature_name":"predict","instances":[{"ages":1}]})",
            "the model has no input 'ages'"},
        Bad{"NotNamed", R"({"signature_name":"predict","instances":[1]})",
            "must be an object with the inputs age, image"},
        Bad{"Fraction", R"({"signature_name":"one","instances":[1.5]})",
            "instance 0: input 'x': a number does not fit DT_INT8"},
        Bad{"Range", R"({"signature_name":"one","instances":[1,128]})", "instance 1"},
        Bad{"Null", R"({"signature_name":"one","instances":[null]})",
            "null stands where a whole number"},
        Bad{"ColumnShape", R"({"inputs":[[1,2]]})", "has shape [1,2], the model takes [-1,3]"},
        Bad{"ColumnText", R"({"inputs":[[1,2,3],[1,"x",3]]})", "instance 1: input 'input': a str"},
        Bad{"ColumnShort", R"({"inputs":[[1,2,3],[4,5,6],[1]]})", "instance 2: input 'input': an"}),
    [](const auto& info) { return info.param.name; });

TEST(RequestReader, Infer) {
  RequestReader reader;
  std::vector<Signature> signatures{Row(2)};
  InferRequest request = reader.ReadInfer(
      R"({"id":"7","inputs":[{"name":"any","shape":[2,2],"datatype":"FP64","data":[1,2,null,4]}],
          "outputs":[{"name":"predictions"}]})",
      signatures);
  EXPECT_EQ(request.id, "7");
  EXPECT_EQ(request.inputs.rows, 2);
  EXPECT_EQ(request.inputs.tensors[0].At<float>(3), 4);
  EXPECT_THAT(request.outputs, ElementsAre("predictions"));
  for (const char* bad :
       {R"({"inputs":[{"name":"x","shape":[2,2],"data":[1,2,3]}]})",
        R"({"inputs":[{"name":"x","shape":[-1,2],"data":[1,2]}]})",
        R"({"inputs":[{"name":"x","shape":[9223372036854775807,9223372036854775807],"data":[]}]})",
        R"({"inputs":[{"name":"x","shape":[1,3],"data":[1,2,3]}]})", R"({"inputs":[]})", "{}"}) {
    EXPECT_THROW(reader.ReadInfer(bad, signatures), Failure) << bad;
  }
  for (const char* data : {R"([1,2,3,"x"])", R"([[1,2],[3,true]])", "[1,2,3,NaN]", "[1,2,3,{}]"}) {
    std::string bad = R"({"inputs":[{"name":"x","shape":[2,2],"data":)" + std::string(data) + "}]}";
    try {
      reader.ReadInfer(bad, signatures);
      ADD_FAILURE() << bad;
    } catch (const Failure& failure) {
      EXPECT_THAT(failure.error().message, HasSubstr("instance 1: input 'input'")) << bad;
    }
  }
}

TEST(RequestReader, InferForJsonModels) {
  RequestReader reader;
  std::vector<Signature> signatures{One(DataType::kJson, {-1})};
  InferRequest request = reader.ReadInfer(
      R"({"inputs":[{"name":"x","shape":[2,2],"datatype":"FP32","data":[[1,2],["a",4]]}]})",
      signatures);
  EXPECT_THAT(request.inputs.tensors[0].texts, ElementsAre("[1,2]", "[\"a\",4]"));
}

Tensor FloatTensor(std::vector<int64_t> shape, const std::vector<float>& values) {
  Tensor tensor{DataType::kFloat, std::move(shape), {}, {}};
  for (float value : values) tensor.Push(value);
  return tensor;
}

TEST(ReplyWriter, FloatsComeBackBitForBit) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Outputs outputs{FloatTensor({5}, {0.1f, 1, 1e-45f, 3.4028235e38f, nan})};
  EXPECT_EQ(PredictionsJson(Row(1), outputs, 5, false),
            R"({"predictions":[0.1,1.0,1e-45,3.4028235e+38,null]})");
}

TEST(ReplyWriter, NamedOutputs) {
  Signature signature = Row(1);
  signature.bare_output = false;
  EXPECT_EQ(PredictionsJson(signature, {FloatTensor({2, 2}, {1, 2, 3, 4})}, 2, false),
            R"({"predictions":[{"predictions":[1.0,2.0]},{"predictions":[3.0,4.0]}]})");
  EXPECT_EQ(PredictionsJson(signature, {FloatTensor({1}, {1})}, 1, true),
            R"({"predictions":[1.0]})");
  signature.outputs.push_back(Spec("raw_bytes", DataType::kString, {-1}));
  Tensor bytes{DataType::kString, {1}, {}, {"\xff\x01"}};
  EXPECT_EQ(PredictionsJson(signature, {FloatTensor({1}, {1}), bytes}, 1, true),
            R"({"predictions":[{"predictions":1.0,"raw_bytes":{"b64":"/wE="}}]})");
  EXPECT_EQ(ColumnsJson(signature, {FloatTensor({1}, {1}), bytes}),
            R"({"outputs":{"predictions":[1.0],"raw_bytes":[{"b64":"/wE="}]}})");
  EXPECT_THROW(PredictionsJson(Row(1), {FloatTensor({}, {1})}, 2, false), Failure);
}

TEST(ReplyWriter, Infer) {
  std::vector<std::string> all;
  InferReply reply{"m", "2", "x", &all};
  EXPECT_EQ(InferJson(reply, Row(1), {FloatTensor({2}, {1, 2.5})}),
            R"({"model_name":"m","model_version":"2","id":"x","outputs":[{"name":"predictions",)"
            R"("shape":[2],"datatype":"FP32","data":[1.0,2.5]}]})");
}

TEST(ServePaths, EachMeansOneCall) {
  EXPECT_EQ(ParseServePath("/v1/predict").call, ServeCall::kPredict);
  ServePath path = ParseServePath("/v1/models/m/versions/v:predict");
  EXPECT_EQ(path.call, ServeCall::kServingPredict);
  EXPECT_EQ(path.model, "m");
  EXPECT_EQ(path.version, "v");
  EXPECT_TRUE(path.post);
  EXPECT_EQ(ParseServePath("/v1/models/m").call, ServeCall::kServingStatus);
  EXPECT_EQ(ParseServePath("/v1/models/m/metadata").call, ServeCall::kServingMetadata);
  EXPECT_EQ(ParseServePath("/v2/models/m/infer").call, ServeCall::kInfer);
  EXPECT_EQ(ParseServePath("/v2/models/m/versions/1/ready").call, ServeCall::kKserveReady);
  EXPECT_EQ(ParseServePath("/v2/health/ready").call, ServeCall::kReady);
  for (const char* no : {"/", "", "/v1/models/", "/v1/models/m:explain", "/v1/models/m/infer",
                         "/v2/models//infer", "/v3/models/m"}) {
    EXPECT_EQ(ParseServePath(no).call, ServeCall::kUnknown) << no;
  }
}

}  // namespace
}  // namespace fireweed::predict
