// The small XML that clients of the XML API send: elements, attributes, text, CDATA, the five named
// entities and numeric ones. No document types, so no entities of one's own and nothing to expand.
// Pure; bounded in size, depth and number of elements.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fireweed::storage {

struct XmlElement {
  std::string name;  // without its namespace prefix
  std::string text;  // all text directly within, trimmed
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<XmlElement> children;

  // The first child of this name, or null.
  const XmlElement* Child(std::string_view child) const;
  // Its text; empty where there is none.
  std::string_view Text(std::string_view child) const;
  std::string_view Attribute(std::string_view attribute) const;
};

// Throws Failure(kInvalid, "MalformedXML") on anything that is not one well-formed element.
XmlElement ParseXml(std::string_view text);

}  // namespace fireweed::storage
