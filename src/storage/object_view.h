// Objects as replies: links for whoever asked, lists only when asked for, cut down to `fields=`.
#pragma once

#include <string>
#include <string_view>

#include "api/storage/bucket.h"
#include "api/storage/object.h"
#include "describe/field_mask.h"
#include "net/http_message.h"
#include "storage/bucket_rules.h"
#include "storage/object_row.h"

namespace fireweed::storage {

// Clients that test their retries ask for faults; those are made on the long way only.
bool WantsFaults(const net::Request& request);

// What a reply needs of its request, kept beyond it: an upload answers when its body has come.
struct ReplyShape {
  std::string base_url;  // "https://host:port"
  FieldMask mask;
  Projection projection = Projection::kNoAcl;

  // Throws Failure(kInvalid) on a bad `fields` parameter.
  static ReplyShape Of(const net::Request& request, Projection usual = Projection::kNoAcl);
};

// `bucket` supplies the list of an object that has none of its own, and when it may be deleted;
// null: neither is shown. A list is shown where the shape says full.
api::storage::Object ShowObject(const ObjectRow& row, std::string_view bucket_name,
                                std::string_view name, const ReplyShape& shape,
                                const api::storage::Bucket* bucket);

net::Response JsonReply(const Type& type, const void* value, const ReplyShape& shape);
template <class T>
net::Response JsonReply(const T& value, const ReplyShape& shape) {
  return JsonReply(TypeOf<T>(), &value, shape);
}

}  // namespace fireweed::storage
