#include "catalog/catalog.h"

namespace fireweed {

void Catalog::WriteLater(std::string_view why, std::function<void(Txn&)> body, WriteDone done,
                         Lane lane) {
  std::exception_ptr failure;
  try {
    Write(why, body, lane);
  } catch (...) {
    failure = std::current_exception();
  }
  done(std::move(failure));
}

}  // namespace fireweed
