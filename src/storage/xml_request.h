// What requests of the XML API have in common: where they point, their headers as the words of the
// store, their errors, and small bodies taken whole. Pure but for the sinks.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/router.h"
#include "storage/upload_target.h"

namespace fireweed::storage {

// Where an XML request points; an empty object means the bucket itself, an empty bucket the service.
struct XmlAddress {
  std::string bucket, object;
};
// The bucket in a host name ("BUCKET.storage.googleapis.com"); empty where there is none.
std::string_view BucketInHost(std::string_view host);
// Path-style (host/BUCKET/OBJECT) and host-style (BUCKET.host/OBJECT). Throws Failure(kInvalid) on
// broken percent-encoding. `path` is raw.
XmlAddress ParseXmlAddress(std::string_view host, std::string_view path);
XmlAddress XmlAddressOf(const net::Request& request);
// Whether the host may be bound to a bucket of its name (data.example.org/OBJECT), and where a request
// points if it is.
bool MayBeBound(std::string_view host);
XmlAddress BoundXmlAddress(const net::Request& request);
// The object's own address, for links in replies.
std::string XmlUrl(const net::Request& request, const XmlAddress& address);

// A number in a header or a query parameter; Failure(kInvalid) when it is none.
std::optional<int64_t> NumberHeader(const net::Request& request, std::string_view name);
std::optional<int64_t> NumberQuery(const net::Request& request, std::string_view name);

// x-goog-if-generation-match and its like; with "x-goog-copy-source-if-" those of a copy's source.
api::storage::ObjectConditions XmlConditions(const net::Request& request,
                                             std::string_view prefix = "x-goog-if-");
// "public-read" of x-goog-acl as "publicRead"; empty without the header.
std::string XmlPredefinedAcl(const net::Request& request);
// The object that a PUT or POST is about to make.
UploadTarget XmlTarget(const XmlAddress& address, const net::Call& call);

// Generation, tag and sums of an object, as the headers of a reply.
void AddVersionHeaders(net::Response& response, const ObjectRow& row);
net::Response XmlReply(std::string body);

// The codes of this API for errors that were made for the other.
Error InXmlWords(Error error);
template <class Body>
auto WithXmlErrors(const Body& body) {
  try {
    return body();
  } catch (const Failure& failure) {
    throw Failure(InXmlWords(failure.error()));
  }
}

// Takes a small body whole and then runs `then` with it; what that needs of the call is kept.
// Failure(kTooLarge) on a body over 4 MiB.
using WithBody = std::function<net::Response(const net::Call& call, const std::string& body)>;
std::unique_ptr<net::BodySink> TakeXmlBody(const net::Call& call, WithBody then);
// An answer that is known before the body, which is passed over.
std::unique_ptr<net::BodySink> KnownAnswer(net::Response response);

}  // namespace fireweed::storage
