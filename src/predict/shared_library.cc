#include "predict/shared_library.h"

#include <dlfcn.h>

#include <fmt/format.h>

#include "base/error.h"

namespace fireweed::predict {

SharedLibrary::SharedLibrary(const std::string& path) : path_(path) {
  handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) {
    throw Failure(Code::kNotFound, fmt::format("the library cannot be loaded: {}", dlerror()));
  }
}

void* SharedLibrary::Symbol(const char* name, bool needed) const {
  void* symbol = dlsym(handle_, name);
  if (symbol == nullptr && needed) {
    throw Failure(Code::kInvalid, fmt::format("{} has no {}", path_, name));
  }
  return symbol;
}

}  // namespace fireweed::predict
