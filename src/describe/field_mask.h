// Partial responses: fields=items(name,size),nextPageToken  or  items/name  or  *.
// A mask only ever leaves fields out; names nobody has are ignored, because clients ask for fields of newer APIs.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fireweed {

class FieldMask {
 public:
  FieldMask() = default;  // everything
  // Throws Failure(kInvalid) on unbalanced parentheses, empty names and the like.
  static FieldMask Parse(std::string_view text);

  bool everything() const { return all_; }
  // The mask for what lies under `field`, or null when the field is left out.
  const FieldMask* Under(std::string_view field) const;

 private:
  void Add(const std::vector<std::string>& path);
  static size_t ParseList(std::string_view text, size_t pos, std::vector<std::string>& prefix,
                          FieldMask& mask, int depth);

  bool all_ = true;
  std::map<std::string, FieldMask, std::less<>> children_;
};

}  // namespace fireweed
