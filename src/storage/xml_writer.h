// XML replies: elements one after another, text escaped. One reply at a time; pure.
#pragma once

#include <string>
#include <string_view>

namespace fireweed::storage {

class XmlWriter {
 public:
  // `name` may carry attributes ("Scope type='AllUsers'"): they are constants of the program.
  XmlWriter& Open(std::string_view name);
  XmlWriter& Close(std::string_view name);
  XmlWriter& Leaf(std::string_view name, std::string_view text);
  // Left out when there is nothing to say.
  XmlWriter& LeafUnlessEmpty(std::string_view name, std::string_view text);
  std::string Take() { return std::move(out_); }

 private:
  std::string out_ = "<?xml version='1.0' encoding='UTF-8'?>";
};

}  // namespace fireweed::storage
