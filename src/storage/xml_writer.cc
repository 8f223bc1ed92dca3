#include "storage/xml_writer.h"

namespace fireweed::storage {

std::string XmlEscape(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\r': out += "&#13;"; break;
      default: out += c;
    }
  }
  return out;
}

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
  out_ += XmlEscape(text);
  return Close(name);
}

XmlWriter& XmlWriter::LeafUnlessEmpty(std::string_view name, std::string_view text) {
  return text.empty() ? *this : Leaf(name, text);
}

}  // namespace fireweed::storage
