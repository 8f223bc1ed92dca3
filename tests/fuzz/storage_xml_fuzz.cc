// Bodies of the XML API: the reader itself, and what is made of the documents it reads.
#include <cstdint>
#include <string_view>

#include "api/storage/bucket.h"
#include "base/error.h"
#include "storage/fault.h"
#include "storage/rewrite_token.h"
#include "storage/xml_acl.h"
#include "storage/xml_bucket_config.h"
#include "storage/xml_reader.h"
#include "storage/xml_writer.h"

namespace {

template <class Body>
void Try(const Body& body) {
  try {
    body();
  } catch (const fireweed::Failure&) {
    // Refused is fine; anything else is not.
  }
}

// Each setting makes of any well-formed document a patch, or refuses it.
void TryConfigs(const fireweed::storage::XmlElement& root) {
  for (const char* query : {"cors", "lifecycle", "versioning", "logging", "websiteConfig",
                            "tagging", "storageClass", "billing", "encryptionConfig"}) {
    fireweed::net::Request request;
    request.query = query;
    const fireweed::storage::XmlBucketConfig* config = fireweed::storage::FindBucketConfig(request);
    Try([&] { config->patch(root, fireweed::api::storage::Bucket()); });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  namespace storage = fireweed::storage;
  std::string_view input(reinterpret_cast<const char*>(bytes), size);
  Try([&] { TryConfigs(storage::ParseXml(input)); });
  Try([&] {
    auto acl = storage::AclOfXml(input);
    if (storage::AclOfXml(storage::XmlOfAcl(acl, std::nullopt)).size() != acl.size()) {
      fireweed::Abort("a list does not come back as it was written");
    }
  });
  Try([&] { storage::DecodeRewriteToken(input); });
  storage::ParseFault(input);
  return 0;
}
