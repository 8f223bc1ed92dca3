// List filters, evaluated here because clients trust the server's answer. Two dialects in one grammar:
//
//   name eq "my-.*"        status ne RUNNING       (a eq x)(b eq y)        what gcloud sends; eq and ne on text are
//                                                                          whole-string regular expressions
//   name = my-vm           labels.k:*              a = x AND (b > 3 OR NOT c = y)
//
// Pure. A field that is absent equals nothing. Lists match when one element does. Times are compared as instants, and
// names may be written with underscores.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "describe/type.h"

namespace fireweed::compute {

class Filter {
 public:
  // Throws Failure(kInvalid) with what is wrong. Empty text lets everything through.
  explicit Filter(std::string_view text);
  ~Filter();
  Filter(Filter&&) noexcept;

  bool everything() const { return root_ == nullptr; }
  // Throws Failure(kInvalid) where a time is compared with something that is none.
  bool Matches(const Type& type, const void* object) const;
  template <class T>
  bool Matches(const T& object) const {
    return Matches(TypeOf<T>(), &object);
  }

  struct Node;

 private:
  std::unique_ptr<Node> root_;
};

}  // namespace fireweed::compute
