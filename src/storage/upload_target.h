// Where an upload goes and what it becomes: taken from the head of a request, completed by its
// metadata, and turned into an object when the bytes are there. Media, multipart and resumable
// uploads share it.
#pragma once

#include <optional>
#include <string>

#include "api/storage/upload.h"
#include "net/router.h"
#include "storage/declared_sums.h"
#include "storage/object_store.h"
#include "storage/object_view.h"

namespace fireweed::storage {

struct UploadTarget {
  std::string bucket;
  api::storage::Object metadata;  // name, content type and the rest, as the client set them
  api::storage::ObjectConditions conditions;
  std::string predefined_acl;
  std::string owner;        // email of who uploads
  bool may_replace = true;  // as in NewObject

  // Throws Failure(kInvalid) when the client brings a key.
  static UploadTarget Of(const api::storage::UploadObject& request, const net::Call& call);

  // Fields of a JSON body; what the query said before wins for the name.
  void TakeMetadata(std::string_view json);
  // `type` unless the metadata names one. libcurl's form type says nothing about the bytes.
  void SuggestType(std::string_view type);
  // The object without bytes. Throws Failure when the name is none.
  NewObject Object(const Catalog& catalog) const;
};

constexpr size_t kMaxMetadataBytes = 1 << 20;

// The bucket where a reply shows an object's list (whoever made it owns it), else null: read only then.
std::shared_ptr<const api::storage::Bucket> BucketToShow(const Catalog& catalog,
                                                         const std::string& bucket,
                                                         const ReplyShape& shape);

// Whether a client asks to have its bytes encrypted with a key of its own. There is no such thing
// here, and who asks for it must not believe that it was done.
bool BringsKey(const net::Request& request);
void RefuseKey(const net::Request& request);

// The size of the body that a request announces; 0: unknown.
int64_t DeclaredSize(const net::Request& request);

// The bucket, or Failure(kNotFound): refused before a byte of a body is read.
void RequireBucket(const Catalog& catalog, const std::string& bucket);

}  // namespace fireweed::storage
