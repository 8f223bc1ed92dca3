// Translates command lines of gcloud and gsutil into this program's own, for hosts without the Cloud SDK. Only words
// are rewritten: the commands themselves are those of `fireweed --help`.
//
// Threading: any. Blocking: never.
// Errors: throws Failure(kInvalid) for a gsutil command that has no counterpart here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fireweed::cli {

// The programs that `fireweed env` offers if PATH has none of that name.
struct StandIn {
  std::string_view name;
  bool always = false;  // even if PATH has one: Google's datalab cannot reach this daemon
};
const std::vector<StandIn>& StandIns();

// Names that shadow nothing on `path` (a PATH without the directory of stand-ins), and those that are always wanted.
std::vector<std::string> WantedStandIns(const std::string& path);
// A shell script that runs `program` (an absolute path) for the daemon in `state` under one of those names.
std::string StandInScript(std::string_view name, const std::string& program,
                          const std::string& state);

// `words` is a command line without the program's name.
std::vector<std::string> WordsOfGcloud(std::vector<std::string> words);
std::vector<std::string> WordsOfGsutil(std::vector<std::string> words);

}  // namespace fireweed::cli
