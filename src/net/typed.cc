// Between described structs and HTTP: filling requests, encoding replies.
#include "base/bytes.h"
#include "net/content_coding.h"
#include "net/errors.h"
#include "net/router.h"

namespace fireweed::net {
namespace {

// Repeated parameters fill a list. Whether there was one.
bool FillFromQuery(const Field& field, void* member, const Request& request) {
  bool given = false;
  auto parse = [&](const std::string& text) {
    // "maxResults=" and the like mean the parameter was left out.
    if (text.empty() && field.type->kind != Kind::kString) return;
    ParseParameter(*field.type, member, field.name, text);
    given = given || !text.empty();
  };
  if (field.type->kind == Kind::kList) {
    for (const std::string& text : request.QueryAll(field.name)) parse(text);
  } else if (std::optional<std::string> text = request.QueryOnly(field.name)) {
    parse(*text);
  }
  return given;
}

void FillBody(const Field& field, void* member, const Call& call) {
  std::string_view body = call.http.body;
  std::string plain;
  // Google's Java clients compress every body on its way.
  if (!body.empty() && EqualIgnoreCase(call.http.Header("Content-Encoding").value_or(""), "gzip")) {
    body = plain = Uncompressed(body, TakeWhole{}.max_bytes);
  }
  if (field.type->kind == Kind::kJson) {
    static_cast<Json*>(member)->text = std::string(body);
    return;
  }
  DecodeRules rules{.unknown = call.method.service->refuse_unknown_fields ? UnknownFields::kRefuse
                                                                          : UnknownFields::kIgnore,
                    .from_client = true};
  DecodeValue(*field.type, member, body, rules);
}

bool IsNoContent(const Type& type) { return &type == &TypeOf<api::NoContent>(); }

}  // namespace

void FillRequest(const Type& type, void* request, const Call& call) {
  for (const Field& field : type.fields) {
    void* member = field.Of(request);
    if (field.flags & kPath) ParseParameter(*field.type, member, field.name, call.Path(field.name));
    if (field.flags & kBody) FillBody(field, member, call);
    if (!(field.flags & kQuery)) continue;
    if (!FillFromQuery(field, member, call.http) && (field.flags & kRequired)) {
      throw Failure(Code::kInvalid, "required", "Required parameter: " + std::string(field.name));
    }
  }
}

Response EncodeReply(const Type& type, const void* reply, const Call& call) {
  Response response;
  // Clients hold replies for changed resources otherwise; Google sends the same.
  response.Add("Cache-Control", "no-cache, no-store, max-age=0, must-revalidate");
  response.Add("Expires", "Mon, 01 Jan 1990 00:00:00 GMT");
  if (IsNoContent(type)) {
    response.status = 204;
    return response;
  }
  FieldMask mask;
  if (std::optional<std::string> fields = call.http.Query("fields"))
    mask = FieldMask::Parse(*fields);
  JsonWriter out;
  EncodeValue(type, reply, out, Audience::kWire, &mask);
  response.Add("Content-Type", "application/json; charset=UTF-8");
  response.body = out.Take();
  return response;
}

}  // namespace fireweed::net
