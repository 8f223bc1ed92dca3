// Listings of the XML API, both versions: what a query asks for, and the reply. Pure.
#pragma once

#include <string>

#include "net/http_message.h"
#include "storage/listing.h"

namespace fireweed::storage {

struct XmlListing {
  ListingQuery query;
  std::string marker;  // as sent
  bool second_version = false;
  bool encode_names = false;  // encoding-type=url

  static XmlListing Of(const net::Request& request);
  std::string Render(std::string_view bucket, const ListingPage& page) const;
};

}  // namespace fireweed::storage
