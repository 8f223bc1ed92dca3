// The two faces of the object store: the JSON API and the XML API.
#pragma once

#include "api/method.h"

namespace fireweed::api::storage {

// Old client libraries and TensorFlow speak to www.googleapis.com, newer ones to
// storage.googleapis.com.
inline constexpr std::string_view kStorageHosts[] = {"storage.googleapis.com",
                                                     "www.googleapis.com"};
inline constexpr Service kStorage{
    .name = "storage", .version = "v1", .title = "Cloud Storage JSON API", .hosts = kStorageHosts};

// The last two are its first name, which links to old data sets still have.
inline constexpr std::string_view kStorageXmlHosts[] = {
    "storage.googleapis.com", "*.storage.googleapis.com", "commondatastorage.googleapis.com",
    "*.commondatastorage.googleapis.com"};
inline constexpr Service kStorageXml{.name = "storage-xml",
                                     .version = "v1",
                                     .title = "Cloud Storage XML API",
                                     .hosts = kStorageXmlHosts,
                                     .xml_errors = true,
                                     .documented = false};

}  // namespace fireweed::api::storage
