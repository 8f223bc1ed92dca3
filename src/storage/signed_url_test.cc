#include "storage/signed_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "identity/rsa_key.h"
#include "identity/service_accounts.h"
#include "storage/access_fixture.h"

namespace fireweed::storage {
namespace {

using testing::HasSubstr;

constexpr const char* kEmail = "signer@my-project.iam.gserviceaccount.com";

TEST(SignedQueryTest, BrokenOnesAreRefusedAndOthersPassedOver) {
  for (const char* query : {"", "alt=media", "Signature=", "Signature=abc", "signature=x&a=b"}) {
    EXPECT_FALSE(ParseSignedQuery(query)) << query;
  }
  std::string sound =
      "X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Credential=a%40b%2F20260101%2Fauto%2Fstorage%2F"
      "goog4_request&X-Goog-Date=20260101T000000Z&X-Goog-Expires=60&X-Goog-SignedHeaders=host"
      "&X-Goog-Signature=00ff";
  std::optional<SignedQuery> query = ParseSignedQuery(sound);
  ASSERT_TRUE(query);
  EXPECT_EQ(query->email, "a@b");
  EXPECT_EQ(query->scope, "20260101/auto/storage/goog4_request");
  EXPECT_EQ(query->until - query->from, std::chrono::seconds(60));
  struct Row {
    const char *from, *to;
  };
  for (const Row& row :
       {Row{"GOOG4-RSA-SHA256", "GOOG4-HMAC-SHA256"}, Row{"=60", "=0"}, Row{"=60", "=604801"},
        Row{"=60", "=x"}, Row{"goog4_request", "aws4_request"}, Row{"T000000Z", "T000000"},
        Row{"%2F20260101", "%2F20260102"}, Row{"=host", "=date"}, Row{"=00ff", "=zz"},
        Row{"=00ff", "=%zz"}}) {
    std::string broken = sound;
    broken.replace(broken.find(row.from), std::string(row.from).size(), row.to);
    EXPECT_THROW(ParseSignedQuery(broken), Failure) << broken;
  }
  EXPECT_THROW(ParseSignedQuery("GoogleAccessId=a&Expires=soon&Signature=AAAA"), Failure);
  EXPECT_THROW(ParseSignedQuery("GoogleAccessId=a&Expires=1&Signature=$"), Failure);
}

class SignedUrlTest : public testing::Test, protected AccessFixture {
 protected:
  void SetUp() override {
    clock.JumpTo(*ParseTime("2026-11-15T07:00:00Z"));
    MakeBucket("pets");
    catalog.Write("account", [&](Txn& txn) {
      identity::AddServiceAccount(txn, {.projectId = "my-project", .email = kEmail}, clock.Now(),
                                  random);
      identity::AccountKeyRecord record{"k1", kEmail, key.PublicPem(), clock.Now(),
                                        clock.Now() + std::chrono::hours(1000)};
      txn.Put(std::string(kEmail) + "/k1", record);
    });
    Send("PUT", "/storage/v1/b/pets/iam",
         std::string(R"({"bindings":[{"role":"roles/storage.objectAdmin","members":)") +
             R"(["serviceAccount:)" + kEmail + R"("]}]})");
  }

  // The query of a V4 URL, signed over what the test says the canonical request is. `headers` are
  // "name:value\n" lines.
  std::string V4(const std::string& method, const std::string& path, const std::string& headers,
                 const std::string& names, const std::string& payload = "UNSIGNED-PAYLOAD",
                 int seconds = 600) {
    std::string query =
        "X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Credential=" +
        PercentEncode(std::string(kEmail) + "/20261115/auto/storage/goog4_request") +
        "&X-Goog-Date=" + date + "&X-Goog-Expires=" + std::to_string(seconds) +
        "&X-Goog-SignedHeaders=" + PercentEncode(names);
    std::string canonical =
        method + "\n" + path + "\n" + query + "\n" + headers + "\n" + names + "\n" + payload;
    std::string text = "GOOG4-RSA-SHA256\n20261115T070000Z\n20261115/auto/storage/goog4_request\n" +
                       HexEncode(Hash(Digest::kSha256, canonical));
    return query + "&X-Goog-Signature=" + HexEncode(key.Sign(text));
  }

  std::string V2(const std::string& text_head, const std::string& resource, int64_t expires) {
    std::string text = text_head + std::to_string(expires) + "\n" + resource;
    return "GoogleAccessId=" + PercentEncode(kEmail) + "&Expires=" + std::to_string(expires) +
           "&Signature=" + PercentEncode(Base64Encode(key.Sign(text)));
  }

  Reply Anonymous(const std::string& method, const std::string& target,
                  const std::string& body = "",
                  std::vector<std::pair<std::string, std::string>> headers = {},
                  const std::string& host = "storage.googleapis.com") {
    headers.emplace_back("X-Caller", "none");
    Ask ask;
    ask.method = method;
    ask.target = target;
    ask.body = body;
    ask.headers = std::move(headers);
    ask.host = host;
    return Send(ask);
  }

  static const identity::RsaKey key;  // made once: it takes a while
  const std::string host = "host:storage.googleapis.com\n";
  std::string date = "20261115T070000Z";  // of V4
};
const identity::RsaKey SignedUrlTest::key = identity::RsaKey::Generate();

TEST_F(SignedUrlTest, V4OpensWhatItsSignerMayOpen) {
  std::string query = V4("GET", "/pets/cat", host, "host");
  EXPECT_EQ(Anonymous("GET", "/pets/cat").status, 401);
  Reply got = Anonymous("GET", "/pets/cat?" + query);
  EXPECT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(got.body, "meow");
  EXPECT_EQ(Anonymous("HEAD", "/pets/cat?" + query).status, 200);
  // Nothing else is signed by it.
  for (const char* other : {"/pets/dog?", "/pets?"}) {
    Reply reply = Anonymous("GET", other + query);
    EXPECT_EQ(reply.status, 403) << other;
    EXPECT_THAT(reply.body, HasSubstr("<Code>SignatureDoesNotMatch</Code>"));
    EXPECT_THAT(reply.body, HasSubstr("<StringToSign>GOOG4-RSA-SHA256"));
    EXPECT_THAT(reply.body, HasSubstr("<CanonicalRequest>GET"));
  }
  EXPECT_EQ(Anonymous("DELETE", "/pets/cat?" + query).status, 403);
  EXPECT_EQ(Anonymous("PUT", "/pets/cat?" + query, "x").status, 403);
  EXPECT_EQ(Anonymous("GET", "/pets/cat?more=1&" + query).status, 403);
  EXPECT_EQ(Anonymous("GET", "/pets/cat?" + query, "", {{"x-goog-user-project", "p"}}).status, 400)
      << "extension headers have to be signed";
  EXPECT_EQ(Anonymous("GET", "/storage/v1/b/pets/o/cat?" + query).status, 401)
      << "the JSON API takes no signatures";
}

TEST_F(SignedUrlTest, V4Expires) {
  std::string query = V4("GET", "/pets/cat", host, "host");
  clock.Advance(std::chrono::seconds(601));
  Reply late = Anonymous("GET", "/pets/cat?" + query);
  EXPECT_EQ(late.status, 400);
  EXPECT_THAT(late.body, HasSubstr("<Code>ExpiredToken</Code>"));
  date = "20261115T080000Z";
  Reply early = Anonymous("GET", "/pets/cat?" + V4("GET", "/pets/cat", host, "host"));
  EXPECT_EQ(early.status, 403);
  EXPECT_THAT(early.body, HasSubstr("not valid until"));
}

TEST_F(SignedUrlTest, AHostOfOnesOwnIsBoundToTheBucketOfItsName) {
  MakeBucket("data.example.org");
  Send("PATCH", "/storage/v1/b/data.example.org/o/cat?predefinedAcl=publicRead", "{}");
  EXPECT_EQ(Anonymous("GET", "/cat", "", {}, "data.example.org").body, "meow");
  EXPECT_EQ(Anonymous("GET", "/pets/cat", "", {}, "data.example.org").status, 401);
  EXPECT_EQ(Anonymous("GET", "/data.example.org/cat", "", {}, "other.example.org").body, "meow")
      << "no bucket of that name: the path says";
  Send("PUT", "/storage/v1/b/data.example.org/iam",
       std::string(R"({"bindings":[{"role":"roles/storage.objectAdmin","members":)") +
           R"(["serviceAccount:)" + kEmail + R"("]}]})");
  Upload("data.example.org", "dog", "woof");
  std::string query = V4("GET", "/dog", "host:data.example.org\n", "host");
  EXPECT_EQ(Anonymous("GET", "/dog?" + query, "", {}, "data.example.org").body, "woof");
}

TEST_F(SignedUrlTest, HostStyle) {
  std::string query = V4("GET", "/cat", "host:pets.storage.googleapis.com\n", "host");
  EXPECT_EQ(Anonymous("GET", "/cat?" + query, "", {}, "pets.storage.googleapis.com").body, "meow");
}

TEST_F(SignedUrlTest, V4UploadsWithSignedHeadersAndDigest) {
  std::string digest = HexEncode(Hash(Digest::kSha256, std::string_view("woof")));
  std::string headers = "content-type:text/x-dog\n" + host + "x-goog-content-sha256:" + digest +
                        "\nx-goog-meta-a:b c\n";
  std::string query = V4("PUT", "/pets/a%20dog/1", headers,
                         "content-type;host;x-goog-content-sha256;x-goog-meta-a", digest);
  auto put = [&](const std::string& body, const std::string& type) {
    return Anonymous(
        "PUT", "/pets/a%20dog/1?" + query, body,
        {{"Content-Type", type}, {"x-goog-content-sha256", digest}, {"X-Goog-Meta-A", " b   c "}});
  };
  EXPECT_EQ(put("woof", "text/plain").status, 403) << "the type was signed";
  EXPECT_EQ(put("meow", "text/x-dog").status, 400) << "the digest was signed";
  EXPECT_EQ(Read("pets", "a dog/1"), "status 404");
  EXPECT_EQ(put("woof", "text/x-dog").status, 200);
  EXPECT_EQ(Read("pets", "a dog/1"), "woof");
}

TEST_F(SignedUrlTest, V2OpensAndExpires) {
  int64_t expires = ToSeconds(clock.Now()) + 60;
  std::string query = V2("GET\n\n\n", "/pets/cat", expires);
  EXPECT_EQ(Anonymous("GET", "/pets/cat?" + query).body, "meow");
  Reply as_asked = Anonymous("GET", "/pets/cat?" + query +
                                        "&response-content-type=a%2Fb&response-content-disposition="
                                        "attachment%3B%20filename%3D%22a%20b%22");
  EXPECT_EQ(as_asked.Header("Content-Type"), "a/b");
  EXPECT_EQ(as_asked.Header("Content-Disposition"), "attachment; filename=\"a b\"");
  EXPECT_EQ(Anonymous("GET", "/cat?" + query, "", {}, "pets.storage.googleapis.com").body, "meow");
  EXPECT_EQ(Anonymous("GET", "/pets/cat?acl&" + query).status, 403) << "sub-resources are signed";
  EXPECT_EQ(Anonymous("GET", "/pets/cat?" + query, "", {{"x-goog-a", "b"}}).status, 403);
  Reply other = Anonymous("GET", "/pets/dog?" + query);
  EXPECT_EQ(other.status, 403);
  EXPECT_THAT(other.body, HasSubstr("<StringToSign>GET\n\n\n"));
  clock.Advance(std::chrono::seconds(61));
  Reply late = Anonymous("GET", "/pets/cat?" + query);
  EXPECT_EQ(late.status, 400);
  EXPECT_THAT(late.body, HasSubstr("ExpiredToken"));
}

TEST_F(SignedUrlTest, ASignerMayNoMoreThanItsAccount) {
  Send("PUT", "/storage/v1/b/pets/iam", R"({"bindings":[]})");
  std::string query = V4("GET", "/pets/cat", host, "host");
  EXPECT_EQ(Anonymous("GET", "/pets/cat?" + query).status, 403);
  catalog.Write("gone", [&](Txn& txn) {
    identity::RemoveServiceAccount(txn, identity::FindServiceAccount(txn, kEmail)->value);
  });
  EXPECT_THAT(Anonymous("GET", "/pets/cat?" + query).body, HasSubstr("SignatureDoesNotMatch"));
}

}  // namespace
}  // namespace fireweed::storage
