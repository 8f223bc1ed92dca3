// A shared library loaded at run time, its symbols kept to itself. Stays loaded until the process ends: libraries with
// threads of their own do not survive being unloaded.
#pragma once

#include <string>

namespace fireweed::predict {

class SharedLibrary {
 public:
  // Throws Failure kNotFound with the loader's reason.
  explicit SharedLibrary(const std::string& path);

  // Throws Failure where the library has no such function: it is too old, or another one.
  template <class Function>
  void Bind(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(Symbol(name, true));
  }
  // The same; null where there is none.
  template <class Function>
  void BindIfThere(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(Symbol(name, false));
  }
  const std::string& path() const { return path_; }

 private:
  void* Symbol(const char* name, bool needed) const;

  std::string path_;
  void* handle_ = nullptr;
};

}  // namespace fireweed::predict
