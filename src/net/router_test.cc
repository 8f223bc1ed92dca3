#include "net/router.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "net/errors.h"

namespace fireweed {

struct Pet {
  std::string name;
  int64_t generation = 0;
};
struct GetPet {
  std::string pet;
  std::optional<int64_t> generation;
  std::vector<std::string> tag;
};
struct ListPets {
  std::string owner;
};
struct PutPet {
  std::string pet;
  Pet body;
};
template <>
inline constexpr std::string_view kTypeName<Pet> = "Pet";
template <>
inline constexpr auto kFields<Pet> = [](auto...) {
  return Fields{F("name", &Pet::name), F("generation", &Pet::generation)};
};
template <>
inline constexpr auto kFields<GetPet> = [](auto...) {
  return Fields{F("pet", &GetPet::pet, kPath), F("generation", &GetPet::generation, kQuery),
                F("tag", &GetPet::tag, kQuery)};
};
template <>
inline constexpr auto kFields<ListPets> =
    [](auto...) { return Fields{F("owner", &ListPets::owner, kQuery | kRequired)}; };
template <>
inline constexpr auto kFields<PutPet> = [](auto...) {
  return Fields{F("pet", &PutPet::pet, kPath), F("body", &PutPet::body, kBody)};
};

namespace net {
namespace {

using api::Verb;

constexpr std::string_view kPetHosts[] = {"pets.googleapis.com"};
constexpr std::string_view kXmlHosts[] = {"*.xml.googleapis.com", "xml.googleapis.com"};
constexpr api::Service kPets{.name = "pets", .version = "v1", .title = "Pets", .hosts = kPetHosts};
constexpr api::Service kXml{
    .name = "xml", .version = "v1", .title = "Xml", .hosts = kXmlHosts, .xml_errors = true};
constexpr api::Method<GetPet, Pet> kGetPet{kPets,      Verb::kGet, "/v1/pets/{pet}",
                                           "pets.get", "pets.get", "pets/{pet}"};
constexpr api::Method<ListPets, Pet> kListPets{kPets,       Verb::kGet,  "/v1/pets",
                                               "pets.list", "pets.list", "owners/{owner}"};
constexpr api::Method<PutPet, Pet> kPutPet{kPets, Verb::kPut, "/v1/pets/{pet}", "pets.put"};
constexpr api::Method<GetPet, Pet> kFeed{kPets, Verb::kPost, "/v1/pets/{pet}:feed", "pets.feed"};
constexpr api::Method<GetPet, Pet> kPost{kPets, Verb::kPost, "/v1/pets/{pet}", "pets.post"};
constexpr api::Method<api::Empty, api::NoContent> kRest{kXml, Verb::kGet, "/{bucket}/{object=**}",
                                                        "xml.get"};

// "Bearer NAME" is NAME; NAME may do what `allowed` says.
class NameAccess final : public AccessControl {
 public:
  std::shared_ptr<const Caller> Identify(const Request& request) override {
    auto caller = std::make_shared<Caller>();
    if (auto header = request.Header("Authorization")) {
      caller->email = std::string(header->substr(7));
      caller->principal = "user:" + caller->email;
    }
    return caller;
  }
  bool May(const Caller& caller, std::string_view permission, std::string_view resource) override {
    asked = std::string(permission) + " " + std::string(resource);
    return caller.email == "ann";
  }
  std::string asked;
};

std::string Gzip(std::string_view plain) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, plain.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

struct PetShop {
  Pet Get(const GetPet& request, const Call&) {
    if (request.pet == "none") throw Failure(Code::kNotFound, "No such pet.");
    return {request.pet, request.generation.value_or(static_cast<int64_t>(request.tag.size()))};
  }
  Pet List(const ListPets& request, const Call&) { return {"pets of " + request.owner, 0}; }
  Pet Put(const PutPet& request, const Call&) { return request.body; }
  Pet Feed(const GetPet& request, const Call&) { return {request.pet + " fed", 1}; }
};

class RouterTest : public testing::Test {
 protected:
  RouterTest() : router_(access_) {
    router_.On(kGetPet, &shop_, &PetShop::Get);
    router_.On(kListPets, &shop_, &PetShop::List);
    router_.On(kPutPet, &shop_, &PetShop::Put);
    router_.On(kFeed, &shop_, &PetShop::Feed);
    router_.OnRaw(kRest.entry(), [](const Call& call) -> Answer {
      throw Failure(Code::kNotFound, "no " + call.Path("object") + " in " + call.Path("bucket"));
    });
    router_.Alias("/beta/", "/v1/");
  }

  // Status and body of a request as the server would answer it.
  std::pair<int, std::string> Ask(std::string_view method, std::string_view target,
                                  std::string_view body = "",
                                  std::string_view host = "pets.googleapis.com",
                                  const char* who = "Bearer ann", const char* coding = nullptr) {
    Request request;
    request.method = method;
    request.target = target;
    request.path = target.substr(0, target.find('?'));
    if (size_t q = target.find('?'); q != target.npos) request.query = target.substr(q + 1);
    request.host = host;
    request.body = body;
    request.origin = &origin_;
    if (who) request.headers.push_back({"Authorization", who});
    if (coding) request.headers.push_back({"Content-Encoding", coding});
    Response response;
    try {
      response = std::get<Response>(router_.Handle(request));
    } catch (const Failure& failure) {
      response = router_.RenderError(request, failure.error());
    }
    return {response.status, std::get<std::string>(response.body)};
  }

  Origin origin_;
  NameAccess access_;
  PetShop shop_;
  Router router_;
};

TEST_F(RouterTest, FillsPathQueryAndBody) {
  EXPECT_EQ(Ask("GET", "/v1/pets/a%2Fb%20c?generation=7").second,
            R"({"name":"a/b c","generation":"7"})");
  EXPECT_EQ(Ask("GET", "/v1/pets/x?tag=1&tag=2&fields=generation").second, R"({"generation":"2"})");
  EXPECT_EQ(Ask("PUT", "/v1/pets/x", R"({"name":"y","generation":3})").second,
            R"({"name":"y","generation":"3"})");
  EXPECT_EQ(Ask("POST", "/v1/pets/x:feed").second, R"({"name":"x fed","generation":"1"})");
  EXPECT_EQ(Ask("GET", "/beta/pets/x?generation=1").second, R"({"name":"x","generation":"1"})");
}

// Google's Java clients compress every body.
TEST_F(RouterTest, UnpacksBodies) {
  std::string packed = Gzip(R"({"name":"y","generation":3})");
  EXPECT_EQ(Ask("PUT", "/v1/pets/x", packed, "pets.googleapis.com", "Bearer ann", "gzip").second,
            R"({"name":"y","generation":"3"})");
  auto status = [&](std::string_view body) {
    return Ask("PUT", "/v1/pets/x", body, "pets.googleapis.com", "Bearer ann", "GZIP").first;
  };
  EXPECT_EQ(status(""), 200);
  EXPECT_EQ(status("{}"), 400) << "no gzip";
  EXPECT_EQ(status(packed.substr(0, packed.size() - 3)), 400) << "cut off";
  std::string largest = "{" + std::string((16 << 20) - 2, ' ') + "}";
  EXPECT_EQ(status(Gzip(largest)), 200);
  EXPECT_EQ(status(Gzip(largest + " ")), 413);
}

TEST_F(RouterTest, ChecksPermissionsBeforeTheHandler) {
  EXPECT_EQ(Ask("GET", "/v1/pets/x", "", "pets.googleapis.com", "Bearer bob").first, 403);
  EXPECT_EQ(Ask("GET", "/v1/pets/none", "", "pets.googleapis.com", nullptr).first, 401);
  EXPECT_EQ(access_.asked, "pets.get pets/none");
}

TEST_F(RouterTest, AThingWithTwoNamesIsKnownByOne) {
  router_.Settle(kPets, "pet", [](const std::string& name) { return name == "7" ? "rex" : name; });
  EXPECT_EQ(Ask("GET", "/v1/pets/7?generation=1").second, R"({"name":"rex","generation":"1"})");
  EXPECT_EQ(access_.asked, "pets.get pets/rex");
  EXPECT_EQ(Ask("GET", "/beta/pets/x%20y?generation=1").second,
            R"({"name":"x y","generation":"1"})");
}

// Else one owner is judged and another one's pets are shown.
TEST_F(RouterTest, TheJudgeAndTheHandlerReadTheSameParameter) {
  EXPECT_EQ(Ask("GET", "/v1/pets?owner=eve").second, R"({"name":"pets of eve","generation":"0"})");
  EXPECT_EQ(access_.asked, "pets.list owners/eve");
  access_.asked.clear();
  for (const char* target :
       {"/v1/pets?owner=eve&owner=tim", "/v1/pets?owner=&owner=tim", "/v1/pets?owner&owner=tim",
        "/v1/pets?owner=eve&%6Fwner=tim", "/v1/pets?owner=eve&owner=", "/v1/pets?owner=%4"}) {
    EXPECT_EQ(Ask("GET", target).first, 400) << target;
    EXPECT_EQ(access_.asked, "") << target;
  }
  EXPECT_EQ(Ask("GET", "/v1/pets/x?generation=1&generation=2").first, 400);
  EXPECT_EQ(Ask("GET", "/v1/pets?owner=eve&owner=eve").first, 200) << "there is no doubt";
  EXPECT_EQ(Ask("GET", "/v1/pets?owner=eve&alt=json&alt=media&fields=a&fields=b").first, 200)
      << "nobody's own parameter";
}

TEST_F(RouterTest, TellsServicesApartByHost) {
  EXPECT_EQ(Ask("GET", "/v1/pets/x", "", "other.googleapis.com").first, 404);
  EXPECT_EQ(Ask("GET", "/v1/pets/x", "", "europe-west1-pets.googleapis.com").first, 200);
  EXPECT_EQ(Ask("GET", "/v1/pets/x", "", "127.0.0.1").first, 200);
  EXPECT_EQ(Ask("GET", "/b/o/p", "", "xml.googleapis.com").second,
            "<?xml version='1.0' encoding='UTF-8'?><Error><Code>NoSuchKey</Code><Message>no o/p in "
            "b</Message></Error>");
  EXPECT_EQ(Ask("GET", "/b/o", "", "b.xml.googleapis.com").first, 404);
}

TEST_F(RouterTest, HeadIsServedAsGet) {
  EXPECT_EQ(Ask("HEAD", "/v1/pets/x?generation=1").first, 200);
  EXPECT_EQ(access_.asked, "pets.get pets/x");
  EXPECT_EQ(Ask("HEAD", "/v1/pets/x:feed").first, 200) << "as GET: a pet of that name";
  EXPECT_EQ(Ask("HEAD", "/v1/pets/x", "", "pets.googleapis.com", nullptr).first, 401);
  constexpr api::Method<GetPet, Pet> kOwn{kXml, Verb::kHead, "/{bucket}/{object=**}", "xml.head"};
  router_.OnRaw(kOwn.entry(), [](const Call&) -> Answer { return Response{}; });
  EXPECT_EQ(Ask("HEAD", "/b/o", "", "xml.googleapis.com").first, 200) << "its own route first";
  EXPECT_EQ(Ask("HEAD", "/v1/pets/x?generation=9", "", "127.0.0.1").second,
            R"({"name":"x","generation":"9"})")
      << "but not one that takes every path";
}

TEST_F(RouterTest, PatternsThatTakeTheRestGiveWayToLongerOnes) {
  auto serve = [&](const char* path, const char* id) {
    api::MethodEntry entry = kGetPet.entry();
    entry.path = path;
    entry.id = id;
    entry.permission = {};
    router_.OnRaw(entry, [id](const Call& call) -> Answer {
      Response response;
      response.body = std::string(id) + " " + call.Path("repo");
      return response;
    });
  };
  serve("/v1/repos/{repo=**}", "get");
  serve("/v1/repos/{repo=**}:policy", "policy");
  serve("/v1/repos/{repo=**}/info/refs", "refs");
  EXPECT_EQ(Ask("GET", "/v1/repos/a/b").second, "get a/b");
  EXPECT_EQ(Ask("GET", "/v1/repos/a%2Fb:policy").second, "policy a/b");
  EXPECT_EQ(Ask("GET", "/v1/repos/a/b/info/refs", "", "127.0.0.1").second, "refs a/b");
}

TEST_F(RouterTest, BadInputIsFourHundredInTheRightShape) {
  for (const char* target : {"/v1/pets/x?generation=many", "/v1/pets/%zz", "/v1/pets/x?fields=a(",
                             "/v1/pets/x?tag=%4"}) {
    auto [status, body] = Ask("GET", target);
    EXPECT_EQ(status, 400) << target;
    EXPECT_NE(body.find("\"error\":{\"code\":400"), std::string::npos) << body;
  }
  EXPECT_EQ(Ask("PUT", "/v1/pets/x", "{").first, 400);
  EXPECT_EQ(Ask("PUT", "/v1/pets/x", R"({"generation":"x"})").first, 400);
  EXPECT_EQ(Ask("GET", "/v1/pets/").first, 404);
  EXPECT_EQ(Ask("GET", "/nowhere").first, 404);
}

TEST_F(RouterTest, SeesCollisions) {
  EXPECT_TRUE(router_.Collisions().empty());
  router_.On(kPost, &shop_, &PetShop::Feed);
  EXPECT_TRUE(router_.Collisions().empty()) << "x:feed and x are apart";
  constexpr api::Method<GetPet, Pet> kClash{kPets, Verb::kGet, "/v1/pets/{cat}", "cats.get"};
  router_.OnRaw(kClash.entry(), [](const Call&) -> Answer { return Response{}; });
  constexpr api::Method<GetPet, Pet> kLiteral{kPets, Verb::kGet, "/v1/pets/tom", "tom.get"};
  router_.OnRaw(kLiteral.entry(), [](const Call&) -> Answer { return Response{}; });
  EXPECT_EQ(router_.Collisions().size(), 3u);
}

TEST(Patterns, TakeSeveralSegmentsAsOneValue) {
  Pattern pattern("/v1/{name=projects/*/models/*}:predict");
  PathValues values;
  ASSERT_TRUE(pattern.Match("/v1/projects/p/models/m:predict", values));
  EXPECT_EQ(values, (PathValues{{"name", "projects/p/models/m"}}));
  for (const char* other : {"/v1/projects/p/models/m", "/v1/projects/p/models/:predict",
                            "/v1/projects//models/m:predict", "/v1/jobs/p/models/m:predict",
                            "/v1/projects/p/models/m:predict/", "/v1/projects/p"}) {
    EXPECT_FALSE(pattern.Match(other, values)) << other;
  }
  EXPECT_TRUE(pattern.Collides(Pattern("/v1/projects/{p}/models/{m}:predict")));
  EXPECT_FALSE(pattern.Collides(Pattern("/v1/projects/{p}/models/{m}")));
  EXPECT_FALSE(pattern.Collides(Pattern("/v1/projects/{p}/jobs/{j}:predict")));
  EXPECT_TRUE(Pattern("/").Match("/", values));
}

TEST(Errors, RoundTripThroughTheWire) {
  Error error{Code::kPrecondition, "conditionNotMet", "At least one \"condition\" failed."};
  EXPECT_EQ(ErrorFromResponse(412, ErrorJson(error)), error);
  EXPECT_EQ(ErrorFromResponse(404, "<html>").code, Code::kNotFound);
  std::string conflict = ErrorJson({Code::kExists, "aborted", "changed meanwhile"});
  EXPECT_NE(conflict.find(R"("code":409,"message":"changed meanwhile","status":"ABORTED")"),
            std::string::npos)
      << conflict;
  // As served models say it.
  EXPECT_EQ(ErrorFromResponse(400, R"({"error":"1 feature"})").message, "1 feature");
}

TEST(Errors, AMissingCredentialIsNotAnInvalidToken) {
  Response missing = JsonError({Code::kUnauthenticated, "required", "m"});
  EXPECT_EQ(missing.Header("WWW-Authenticate"), "Bearer realm=\"https://accounts.google.com/\"");
  EXPECT_NE(std::get<std::string>(missing.body)
                .find(R"("reason":"required","location":"Authorization","locationType":"header")"),
            std::string::npos);
  Response bad = JsonError({Code::kUnauthenticated, "", "m"});
  EXPECT_TRUE(bad.Header("WWW-Authenticate").value_or("").ends_with("error=\"invalid_token\""));
}

TEST(Errors, TextIsEscapedInXml) {
  Response response = XmlError({Code::kNotFound, "a<b", "no \"x\r\n&\"here>"});
  EXPECT_EQ(std::get<std::string>(response.body),
            "<?xml version='1.0' encoding='UTF-8'?><Error><Code>a&lt;b</Code>"
            "<Message>no &quot;x&#13;\n&amp;&quot;here&gt;</Message></Error>");
}

TEST(Errors, TheFieldAtFaultIsToldApart) {
  std::string json =
      ErrorJson({Code::kExists, "", "Field: job.job_id Error: It is taken: a Error: b"});
  EXPECT_NE(
      json.find(
          R"("details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":)"
          R"([{"field":"job.job_id","description":"It is taken: a Error: b"}]}])"),
      std::string::npos)
      << json;
  for (const char* other : {"Field: none", "No Field: x Error: y", ""}) {
    EXPECT_EQ(ErrorJson({Code::kInvalid, "", other}).find("details"), std::string::npos) << other;
  }
}

}  // namespace
}  // namespace net
}  // namespace fireweed
