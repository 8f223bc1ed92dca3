#include "storage/xml_writer.h"

#include "net/errors.h"

namespace fireweed::storage {

XmlWriter& XmlWriter::Open(std::string_view name) {
  out_.append("<").append(name).append(">");
  return *this;
}

XmlWriter& XmlWriter::Close(std::string_view name) {
  out_.append("</").append(name).append(">");
  return *this;
}

XmlWriter& XmlWriter::Leaf(std::string_view name, std::string_view text) {
  Open(name);
  out_ += net::XmlEscape(text);
  return Close(name);
}

XmlWriter& XmlWriter::LeafUnlessEmpty(std::string_view name, std::string_view text) {
  return text.empty() ? *this : Leaf(name, text);
}

}  // namespace fireweed::storage
