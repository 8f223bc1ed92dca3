// Just enough HTTP to read the metadata server, in a program that must stay small and static.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fireweed {

struct HttpReply {
  int status = 0;
  std::string body;
};

// A whole reply as it came until the peer closed; nullopt when it is cut short or no HTTP. Pure.
std::optional<HttpReply> ParseHttpReply(std::string_view bytes);

struct HttpServer {
  std::string address;  // dotted
  uint16_t port = 80;
};

// "10.0.0.1:8080" or "10.0.0.1"; nullopt for names: nothing resolves them here.
std::optional<HttpServer> ParseHttpServer(std::string_view text);

// One GET with `Metadata-Flavor: Google`. nullopt: not reached, cut short, or slower than 10 s between bytes.
std::optional<HttpReply> HttpGet(const HttpServer& server, std::string_view path);
// The same with another method and a body.
std::optional<HttpReply> HttpSend(const HttpServer& server, std::string_view method,
                                  std::string_view path, std::string_view body);

}  // namespace fireweed
