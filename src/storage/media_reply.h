// The bytes of an object as a reply, whole or a range, with the headers that clients check them by.
#pragma once

#include "net/http_message.h"
#include "storage/object_store.h"

namespace fireweed::storage {

enum class EtagForm {
  kOpaque,  // the JSON API's
  kMd5,     // the XML API's: quoted hex of the md5, where there is one
};

// Throws Failure(kRange) when a range begins at or behind the end, kNotModified when the client has
// it already.
net::Response MediaReply(const OpenedObject& object, const net::Request& request, EtagForm form);

// The same, with the headers of a plain answer written only once. One form for each object.
net::Response HotMediaReply(const HotObject& object, const net::Request& request, EtagForm form);

}  // namespace fireweed::storage
