#include <gtest/gtest.h>

#include "describe/json_codec.h"
#include "describe/plain_decode.h"
#include "describe/random_value.h"

namespace fireweed {

enum class Colour { kRed, kGreen };
template <>
inline constexpr std::string_view kTypeName<Colour> = "Colour";
template <>
inline constexpr std::array kEnumNames<Colour>{std::string_view("RED"), std::string_view("GREEN")};

struct Leaf {
  std::string key;
  std::optional<int64_t> size;
};
template <>
inline constexpr std::string_view kTypeName<Leaf> = "Leaf";
template <>
inline constexpr auto kFields<Leaf> = [](auto...) {
  return Fields{F("key", &Leaf::key), F("size", &Leaf::size)};
};

struct Tree {
  std::string name;
  int64_t generation = 1;
  int32_t count = 0;
  double ratio = 0;
  bool open = false;
  Colour colour = Colour::kRed;
  Bytes fingerprint;
  Time created{};
  Json extra;
  std::string secret;
  std::vector<Leaf> leaves;
  std::map<std::string, std::string> labels;
  std::optional<Leaf> best;
  Leaf nested;
  std::vector<Tree> children;
};
template <>
inline constexpr std::string_view kTypeName<Tree> = "Tree";
template <>
inline constexpr auto kFields<Tree> = [](auto...) {
  return Fields{F("name", &Tree::name, kRequired | kImmutable),
                F("generation", &Tree::generation, kOutput),
                F("count", &Tree::count),
                F("ratio", &Tree::ratio),
                F("open", &Tree::open),
                F("colour", &Tree::colour),
                F("fingerprint", &Tree::fingerprint),
                F("created", &Tree::created, kOutput),
                F("extra", &Tree::extra),
                F("secret", &Tree::secret, kStored),
                F("leaves", &Tree::leaves),
                F("labels", &Tree::labels),
                F("best", &Tree::best),
                F("nested", &Tree::nested),
                F("children", &Tree::children)};
};

namespace {

std::string Message(const std::function<void()>& body) {
  try {
    body();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.error().code, Code::kInvalid);
    return failure.error().message;
  }
  return "no failure";
}

const DecodeRules kClient{.from_client = true};

TEST(Describe, RandomValuesRoundTrip) {
  SeededRandom random(11);
  for (int i = 0; i < 300; ++i) {
    Tree tree = RandomValue<Tree>(random);
    std::string text = EncodeJson(tree);
    Tree back = DecodeJson<Tree>(text);
    EXPECT_TRUE(SameValue(tree, back)) << text;
    EXPECT_EQ(EncodeJson(back), text);
  }
}

// What the reader of everything makes of a text: only it looks for unknown fields.
std::string ByTheWholeReader(const std::string& text) {
  try {
    return EncodeJson(DecodeJson<Tree>(text, {.unknown = UnknownFields::kRefuse}));
  } catch (const Failure& failure) {
    return failure.error().message;
  }
}

TEST(Describe, ThePlainReaderKnowsWhatWeWrite) {
  for (
      const char* text :
      {R"({"name":"a\"\\\n\t/","generation":"-5","count":-3,"ratio":-1.5e-7,"open":true,"colour":"GREEN"})",
       R"({"open":false,"name":"order is free","unknown":{"a":[1,"x",null,{"b":[]}]},"count":7})",
       R"({"extra":{"a":[1,2.5,{}],"b":"c"},"leaves":[{"key":"k","size":"1"},{}],"labels":{"a":"b","c":null}})",
       R"( { "best" : null , "nested" : { "size" : 5 } , "children" : [ { "name" : "c" } ] } )",
       "{}"}) {
    Tree tree;
    EXPECT_TRUE(DecodePlain(TypeOf<Tree>(), &tree, text)) << text;
    std::string known = text;
    if (size_t at = known.find(R"("unknown")"); at != known.npos)
      known.erase(at, known.find("\"count") - at);
    EXPECT_EQ(EncodeJson(tree), ByTheWholeReader(known)) << text;
  }
  for (const char* text :
       {"", "[]", "nul", "{", R"({"name":"a",})", R"({"count":05})", R"({"count":5.0})",
        R"({"ratio":.5})", R"({"ratio":5.})", R"({"ratio":"NaN"})", R"({"name":"\u00e9"})",
        "{\"name\":\"\xc3\xa9\"}", R"({"extra":{"a": 1}})", R"({"x":1e})", R"({"leaves":[null]})",
        R"({"open":"true"})", R"({"colour":1})", R"({"colour":"BLUE"})", R"({} {})"}) {
    Tree tree;
    EXPECT_FALSE(DecodePlain(TypeOf<Tree>(), &tree, text)) << text;
  }
}

// Free-form values are kept as they are written by the one reader and put in order by the other.
void ForgetFreeForm(Tree& tree) {
  tree.extra = {};
  for (Tree& child : tree.children) ForgetFreeForm(child);
}

TEST(Describe, BothReadersAgreeOnEveryText) {
  constexpr std::string_view kDamage = "\"{}[]:,0159.e-\\ truefalsn";
  SeededRandom random(12);
  int alike = 0;
  for (int i = 0; i < 3000; ++i) {
    Tree tree = RandomValue<Tree>(random);
    ForgetFreeForm(tree);
    std::string text = EncodeJson(tree);
    for (uint64_t changes = random.Below(3); changes > 0; --changes) {
      text[random.Below(text.size())] = kDamage[random.Below(kDamage.size())];
    }
    std::string whole = ByTheWholeReader(text);
    bool unknown = whole.find("Cannot find field") != whole.npos;
    if (unknown) continue;
    try {
      EXPECT_EQ(EncodeJson(DecodeJson<Tree>(text)), whole) << text;
      ++alike;
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.error().message, whole) << text;
    }
  }
  EXPECT_GT(alike, 100);
}

TEST(Describe, WireFormsAreGoogles) {
  Tree tree;
  tree.name = "t";
  tree.generation = 1234567890123456789;
  tree.created = *ParseTime("2026-11-15T07:00:00.123456Z");
  tree.secret = "never shown";
  EXPECT_EQ(EncodeJson(tree, Audience::kWire),
            R"({"name":"t","generation":"1234567890123456789","count":0,"ratio":0,"open":false,)"
            R"("colour":"RED","created":"2026-11-15T07:00:00.123Z"})");
}

TEST(Describe, EmptyThingsAreAbsent) {
  Tree tree =
      DecodeJson<Tree>(R"({"name":"t","nested":{},"leaves":[],"labels":{},"best":{"key":"k"}})");
  std::string text = EncodeJson(tree);
  EXPECT_EQ(text.find("nested"), std::string::npos);
  EXPECT_EQ(text.find("leaves"), std::string::npos);
  EXPECT_NE(text.find(R"("best":{"key":"k"})"), std::string::npos);
}

TEST(Describe, AcceptsBothSpellingsOfNumbers) {
  EXPECT_EQ(DecodeJson<Tree>(R"({"generation":5,"count":"7"})").generation, 5);
  EXPECT_EQ(DecodeJson<Tree>(R"({"generation":"5","count":7.0})").count, 7);
}

TEST(Describe, ErrorsNameThePath) {
  auto decode = [](const char* text) { return Message([&] { DecodeJson<Tree>(text, kClient); }); };
  EXPECT_EQ(decode(R"({"name":"t","leaves":[{"key":"a"},{"key":5}]})"),
            "Invalid value at 'leaves[1].key' (TYPE_STRING), 5");
  EXPECT_EQ(decode(R"({"name":"t","best":{"key":"a","size":"ten"}})"),
            "Invalid value at 'best.size' (TYPE_INT64), \"ten\"");
  EXPECT_EQ(decode(R"({"name":"t","colour":"BLUE"})"),
            "Invalid value at 'colour' (TYPE_ENUM), \"BLUE\"");
  EXPECT_EQ(decode(R"({"name":"t","labels":{"a":1}})"),
            "Invalid value at 'labels.a' (TYPE_STRING), 1");
  EXPECT_EQ(decode(R"({"leaves":[]})"), "Required field 'name' is missing.");
  EXPECT_EQ(decode(R"([])"), "Invalid value at 'body' (TYPE_MESSAGE), []");
  EXPECT_NE(decode(R"({"name")").find("Invalid JSON payload"), std::string::npos);
  EXPECT_EQ(decode(R"({"name":"t","count":2147483648})"),
            "Invalid value at 'count' (TYPE_INT32), 2147483648");
}

TEST(Describe, WrongTypesAtEveryFieldAreRefused) {
  const Type& type = TypeOf<Tree>();
  for (const Field& field : type.fields) {
    if (field.type->kind == Kind::kJson) continue;
    bool wants_object = field.type->kind == Kind::kStruct || field.type->kind == Kind::kMap ||
                        field.type->kind == Kind::kOptional;
    std::string wrong = wants_object ? "[1]" : "{\"x\":1}";
    std::string text = "{\"" + std::string(field.name) + "\":" + wrong + "}";
    EXPECT_THROW(DecodeJson<Tree>(text), Failure) << text;
  }
}

TEST(Describe, DeepNestingIsRefusedNotCrashed) {
  std::string deep(100'000, '[');
  EXPECT_THROW(DecodeJson<Tree>(deep), Failure);
  std::string closed = std::string(500, '[') + std::string(500, ']');
  EXPECT_EQ(Message([&] { DecodeJson<Tree>("{\"extra\":" + closed + "}"); }),
            "JSON is nested too deeply.");
}

TEST(Describe, UnknownFieldsByRule) {
  EXPECT_NO_THROW(DecodeJson<Tree>(R"({"no":1})"));
  EXPECT_EQ(Message([] {
              DecodeJson<Tree>(R"({"best":{"no":1}})",
                               DecodeRules{.unknown = UnknownFields::kRefuse});
            }),
            "Invalid JSON payload received. Unknown name \"best.no\": Cannot find field.");
}

TEST(Patch, MergesMapsAndRestoresDefaults) {
  Tree tree = DecodeJson<Tree>(
      R"({"name":"t","count":3,"labels":{"a":"1","b":"2"},"best":{"key":"k","size":"1"},"leaves":[{"key":"x"}]})");
  PatchJson(
      tree,
      R"({"labels":{"a":null,"c":"3"},"count":null,"best":{"size":"2"},"leaves":[],"generation":"9"})");
  EXPECT_EQ(tree.labels, (std::map<std::string, std::string>{{"b", "2"}, {"c", "3"}}));
  EXPECT_EQ(tree.count, 0);
  EXPECT_EQ(tree.best->key, "k");
  EXPECT_EQ(tree.best->size, 2);
  EXPECT_TRUE(tree.leaves.empty());
  EXPECT_EQ(tree.generation, 1) << "output fields are not the client's";
}

TEST(Patch, ImmutableFieldsAndFailuresLeaveTheValueAlone) {
  Tree tree = DecodeJson<Tree>(R"({"name":"t","count":3})");
  EXPECT_EQ(Message([&] { PatchJson(tree, R"({"count":4,"name":"u"})"); }),
            "Field 'name' cannot be changed.");
  EXPECT_EQ(tree.name, "t");
  EXPECT_EQ(tree.count, 3);
  EXPECT_NO_THROW(PatchJson(tree, R"({"name":"t","count":5})"));
  EXPECT_EQ(tree.count, 5);
}

TEST(Patch, ApplyingItTwiceChangesNothingMore) {
  SeededRandom random(5);
  for (int i = 0; i < 200; ++i) {
    Tree tree = RandomValue<Tree>(random), other = RandomValue<Tree>(random);
    other.name = tree.name;
    other.children.clear();  // their names may be empty, and a name is required
    std::string patch = EncodeJson(other);
    PatchJson(tree, patch);
    Tree once = tree;
    PatchJson(tree, patch);
    EXPECT_TRUE(SameValue(once, tree));
  }
}

TEST(Patch, MaskedTouchesOnlyWhatIsNamed) {
  Tree tree = DecodeJson<Tree>(R"({"name":"t","count":3,"labels":{"a":"1"}})");
  PatchValueMasked(TypeOf<Tree>(), &tree, R"({"count":9,"ratio":2})", "count,labels");
  EXPECT_EQ(tree.count, 9);
  EXPECT_EQ(tree.ratio, 0);
  EXPECT_TRUE(tree.labels.empty());
  EXPECT_THROW(PatchValueMasked(TypeOf<Tree>(), &tree, "{}", "nothing"), Failure);
}

TEST(Update, ReplacesWhatIsTheClients) {
  Tree tree = DecodeJson<Tree>(R"({"name":"t","count":3,"generation":"7","labels":{"a":"1"}})");
  UpdateJson(tree, R"({"ratio":2.5})");
  EXPECT_EQ(tree.name, "t");
  EXPECT_EQ(tree.generation, 7);
  EXPECT_EQ(tree.count, 0);
  EXPECT_EQ(tree.ratio, 2.5);
  EXPECT_TRUE(tree.labels.empty());
  EXPECT_THROW(UpdateJson(tree, R"({"name":"u"})"), Failure);
}

std::string Masked(const Tree& tree, const char* mask_text) {
  FieldMask mask = FieldMask::Parse(mask_text);
  JsonWriter out;
  EncodeValue(TypeOf<Tree>(), &tree, out, Audience::kWire, &mask);
  return out.Take();
}

TEST(FieldMask, Selects) {
  Tree tree = DecodeJson<Tree>(
      R"({"name":"t","leaves":[{"key":"a","size":"1"},{"key":"b"}],"labels":{"x":"1","y":"2"}})");
  EXPECT_EQ(Masked(tree, "name"), R"({"name":"t"})");
  EXPECT_EQ(Masked(tree, "leaves(size),name"), R"({"name":"t","leaves":[{"size":"1"},{}]})");
  EXPECT_EQ(Masked(tree, "leaves/key"), R"({"leaves":[{"key":"a"},{"key":"b"}]})");
  EXPECT_EQ(Masked(tree, "labels/x"), R"({"labels":{"x":"1"}})");
  EXPECT_EQ(Masked(tree, "unheardOf"), "{}");
  EXPECT_EQ(Masked(tree, "*"), EncodeJson(tree, Audience::kWire));
  EXPECT_EQ(Masked(tree, "leaves(*)"), Masked(tree, "leaves"));
}

TEST(FieldMask, RefusesNonsense) {
  for (const char* bad : {"a(", "a)", "(a)", "a,,b", "a//b", "a/", ",", "a(b))", "a b"}) {
    EXPECT_THROW(FieldMask::Parse(bad), Failure) << bad;
  }
  EXPECT_THROW(FieldMask::Parse(std::string(1000, '(')), Failure);
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "a(";
  EXPECT_THROW(FieldMask::Parse(deep), Failure);
}

TEST(Parameters, ParseAsClientsWriteThem) {
  bool flag = false;
  ParseParameter(TypeOf<bool>(), &flag, "versions", "True");
  EXPECT_TRUE(flag);
  std::optional<int64_t> number;
  ParseParameter(TypeOf<std::optional<int64_t>>(), &number, "ifGenerationMatch", "0");
  EXPECT_EQ(number, 0);
  EXPECT_EQ(Message([&] { ParseParameter(TypeOf<int32_t>(), &flag, "maxResults", "many"); }),
            "Invalid value at 'maxResults' (TYPE_INT32), \"many\"");
}

TEST(Yaml, BecomesJsonAndKeepsStrings) {
  Tree tree = DecodeJson<Tree>(
      YamlToJson("name: 0123\ncount: 4\nopen: yes\nopen: true\nleaves:\n- key: a\n  size: 5\n"),
      DecodeRules{.unknown = UnknownFields::kRefuse, .lenient_scalars = true});
  EXPECT_EQ(tree.name, "0123");
  EXPECT_EQ(tree.count, 4);
  EXPECT_TRUE(tree.open);
  EXPECT_EQ(tree.leaves.at(0).size, 5);
  EXPECT_NE(Message([] { YamlToJson("a: [1"); }).find("YAML, line"), std::string::npos);
}

TEST(JsonWriter, RepairsBrokenUtf8) {
  JsonWriter out;
  out.String("a\xFF\x62\xC3");
  EXPECT_EQ(out.text(),
            "\"a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace fireweed
