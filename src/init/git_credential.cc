#include "init/git_credential.h"

#include <unistd.h>

#include <cstdio>
#include <optional>

#include "init/metadata.h"
#include "init/script.h"

namespace fireweed {
namespace {

constexpr size_t kLongestQuestion = 64 << 10;
constexpr const char* kAccount = "/computeMetadata/v1/instance/service-accounts/default/";

}  // namespace

bool IsForSourceRepositories(std::string_view question) {
  return Lists(question, "protocol=https") && Lists(question, "host=source.developers.google.com");
}

int RunGitCredential(std::string_view action, const HttpServer& metadata) {
  if (action != "get") return 0;  // nothing is stored, so nothing is erased
  std::string question;
  char buffer[4096];
  ssize_t n;
  while (question.size() < kLongestQuestion &&
         (n = read(STDIN_FILENO, buffer, sizeof buffer)) > 0) {
    question.append(buffer, static_cast<size_t>(n));
  }
  if (!IsForSourceRepositories(question)) return 0;
  std::optional<HttpReply> email = HttpGet(metadata, std::string(kAccount) + "email");
  std::optional<HttpReply> token = HttpGet(metadata, std::string(kAccount) + "token");
  if (!email || email->status != 200 || !token || token->status != 200) return 0;
  std::printf("username=%s\npassword=%s\n", email->body.c_str(), TokenOf(token->body).c_str());
  return 0;
}

}  // namespace fireweed
