#include "storage/object_view.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "describe/json_codec.h"
#include "net/errors.h"
#include "storage/bucket_record.h"
#include "storage/object_acl.h"
#include "storage/retention.h"

namespace fireweed::storage {

bool WantsFaults(const net::Request& request) {
  return request.Header("x-goog-emulator-instructions") || request.Header("x-retry-test-id");
}

ReplyShape ReplyShape::Of(const net::Request& request, Projection usual) {
  ReplyShape shape;
  shape.base_url = request.BaseUrl();
  if (std::optional<std::string> fields = request.Query("fields")) {
    shape.mask = FieldMask::Parse(*fields);
  }
  shape.projection = ParseProjection(request.Query("projection").value_or(""), usual);
  return shape;
}

api::storage::Object ShowObject(const ObjectRow& row, std::string_view bucket_name,
                                std::string_view name, const ReplyShape& shape,
                                const api::storage::Bucket* bucket) {
  api::storage::Object object = ToObject(row, bucket_name, name);
  std::string path = fmt::format("/storage/v1/b/{}/o/{}", bucket_name, PercentEncode(name));
  object.selfLink = shape.base_url + path;
  object.mediaLink =
      fmt::format("{}/download{}?generation={}&alt=media", shape.base_url, path, row.generation);
  if (bucket) {
    if (std::optional<Time> until = RetainedUntil(*bucket, object)) {
      object.retentionExpirationTime = *until;
    }
  }
  bool lists = shape.projection == Projection::kFull && bucket && !HasUniformAccess(*bucket);
  if (!lists) {
    object.acl.clear();
    object.owner.reset();
    return object;
  }
  object.acl = EffectiveAcl(object, *bucket);
  if (!object.owner) object.owner = bucket->owner;
  CompleteObjectAcl(object);
  return object;
}

net::Response JsonReply(const Type& type, const void* value, const ReplyShape& shape) {
  JsonWriter out;
  EncodeValue(type, value, out, Audience::kWire, &shape.mask);
  net::Response response = net::JsonResponse(200, out.Take());
  response.Add("Cache-Control", "no-cache, no-store, max-age=0, must-revalidate");
  response.Add("Expires", "Mon, 01 Jan 1990 00:00:00 GMT");
  return response;
}

}  // namespace fireweed::storage
