#include "api/method.h"

namespace fireweed::api {

std::string_view VerbName(Verb verb) {
  switch (verb) {
    case Verb::kGet: return "GET";
    case Verb::kPost: return "POST";
    case Verb::kPut: return "PUT";
    case Verb::kPatch: return "PATCH";
    case Verb::kDelete: return "DELETE";
    case Verb::kHead: return "HEAD";
    case Verb::kOptions: return "OPTIONS";
  }
  return "GET";
}

}  // namespace fireweed::api
