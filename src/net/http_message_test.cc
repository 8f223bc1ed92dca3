#include "net/http_message.h"

#include <gtest/gtest.h>

namespace fireweed::net {
namespace {

TEST(Request, FindsHeadersWhateverTheirCase) {
  Request request;
  request.headers = {{"Host", "a"}, {"X-Word", "1"}, {"x-word", "2"}};
  EXPECT_EQ(request.Header("x-WORD"), "1");
  EXPECT_FALSE(request.Header("x-wor"));
}

TEST(Request, DecodesQueryParameters) {
  Request request;
  request.query = "name=a%2Fb+c&flag&empty=&n%61me2=x&name=second&bad=%zz";
  EXPECT_EQ(request.Query("name"), "a/b c");
  EXPECT_EQ(request.Query("flag"), "");
  EXPECT_EQ(request.Query("empty"), "");
  EXPECT_EQ(request.Query("name2"), "x");
  EXPECT_FALSE(request.Query("bad"));
  EXPECT_FALSE(request.Query("absent"));
}

TEST(Request, TellsRepeatedParametersFromDoubtfulOnes) {
  Request request;
  request.query = "tag=1&a=x&tag=2&%61=x&b=x&b=y&bad=%4";
  EXPECT_EQ(request.QueryAll("tag"), (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(request.QueryAll("none"), std::vector<std::string>());
  EXPECT_EQ(request.QueryOnly("a"), "x");
  EXPECT_EQ(request.QueryOnly("none"), std::nullopt);
  EXPECT_EQ(request.Query("b"), "x");
  EXPECT_THROW(request.QueryOnly("b"), Failure);
  EXPECT_THROW(request.QueryAll("bad"), Failure);
}

TEST(Response, SetReplacesEveryHeaderOfThatName) {
  Response response;
  response.Add("A", "1");
  response.Add("b", "2");
  response.Add("a", "3");
  response.Set("a", "4");
  ASSERT_EQ(response.headers.size(), 2u);
  EXPECT_EQ(response.Header("A"), "4");
}

Response WithStatus(int status) {
  Response response;
  response.status = status;
  return response;
}

TEST(Deferred, GivesTheFirstCompletionToWhoeverAsks) {
  Deferred deferred;
  EXPECT_TRUE(deferred.Complete(WithStatus(201)));
  EXPECT_FALSE(deferred.Complete(WithStatus(202)));
  int seen = 0;
  deferred.OnComplete([&](Response response) { seen = response.status; });
  EXPECT_EQ(seen, 201);
  EXPECT_TRUE(deferred.settled());
}

TEST(Deferred, CallsTheWaiterWhenCompletedLater) {
  Deferred deferred;
  int seen = 0;
  deferred.OnComplete([&](Response response) { seen = response.status; });
  EXPECT_FALSE(deferred.settled());
  EXPECT_TRUE(deferred.Complete(WithStatus(204)));
  EXPECT_EQ(seen, 204);
}

TEST(Deferred, IsDeafOnceAbandoned) {
  Deferred deferred;
  int seen = 0;
  deferred.OnComplete([&](Response response) { seen = response.status; });
  deferred.Abandon();
  EXPECT_FALSE(deferred.Complete(WithStatus(200)));
  EXPECT_EQ(seen, 0);
}

}  // namespace
}  // namespace fireweed::net
