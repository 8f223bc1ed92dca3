// Range and Content-Range headers, object patterns, page tokens, and paths of the XML API.
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "storage/byte_range.h"
#include "storage/glob.h"
#include "storage/listing.h"
#include "storage/object_row.h"
#include "storage/object_store.h"
#include "storage/xml_request.h"

namespace {

template <class Body>
void Try(const Body& body) {
  try {
    body();
  } catch (const fireweed::Failure&) {
    // Refused is fine; anything else is not.
  }
}

class NoNames final : public fireweed::storage::NameSource {
 public:
  std::vector<fireweed::storage::FoundVersion> Scan(const fireweed::storage::ListingPoint&,
                                                    std::string_view, int) override {
    return {};
  }
};

void CheckRange(std::string_view header, int64_t size) {
  std::optional<fireweed::storage::ByteRange> range = fireweed::storage::ParseRange(header, size);
  if (!range) return;
  bool within = range->first >= 0 && range->length > 0 && range->first + range->length <= size;
  if (!within) fireweed::Abort("a range outside its object");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  namespace storage = fireweed::storage;
  std::string_view input(reinterpret_cast<const char*>(bytes), size);
  for (int64_t object : {int64_t{0}, int64_t{1}, int64_t{1000}}) {
    Try([&] { CheckRange(input, object); });
  }
  Try([&] { storage::ParseContentRange(input); });
  Try([&] { storage::CheckObjectName(input); });
  Try([&] { storage::ParseXmlAddress("storage.googleapis.com", input); });
  Try([&] { storage::DecodeObjectRow(input); });
  Try([&] { storage::Glob(input.substr(0, size / 2)).Matches(input.substr(size / 2)); });
  Try([&] {
    NoNames names;
    storage::ListingQuery query;
    query.page_token = input;
    storage::MakeListing(names, query);
  });
  return 0;
}
