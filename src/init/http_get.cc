#include "init/http_get.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>

namespace fireweed {
namespace {

constexpr size_t kLargestReply = 4 << 20;  // metadata values are at most 256 KiB each
constexpr timeval kSilence{.tv_sec = 10, .tv_usec = 0};

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool EqualFold(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (Lower(a[i]) != Lower(b[i])) return false;
  }
  return true;
}

std::string_view TrimBlanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::optional<size_t> ParseSize(std::string_view text, int base) {
  size_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size() || value > kLargestReply) {
    return std::nullopt;
  }
  return value;
}

std::optional<std::string> Unchunk(std::string_view bytes) {
  std::string body;
  while (true) {
    size_t line = bytes.find("\r\n");
    if (line == bytes.npos) return std::nullopt;
    std::string_view head = bytes.substr(0, line);
    std::optional<size_t> size = ParseSize(TrimBlanks(head.substr(0, head.find(';'))), 16);
    bytes.remove_prefix(line + 2);
    if (!size || bytes.size() < *size) return std::nullopt;
    if (*size == 0) return body;
    body.append(bytes.substr(0, *size));
    bytes.remove_prefix(*size);
    if (!bytes.starts_with("\r\n")) return std::nullopt;
    bytes.remove_prefix(2);
  }
}

struct ReplyHead {
  int status = 0;
  std::optional<size_t> length;
  bool chunked = false;
};

std::optional<ReplyHead> ParseHead(std::string_view head) {
  ReplyHead parsed;
  std::string_view first = head.substr(0, head.find("\r\n"));
  if (!first.starts_with("HTTP/1.") || first.size() < 12) return std::nullopt;
  std::optional<size_t> status = ParseSize(first.substr(9, 3), 10);
  if (!status || *status < 100) return std::nullopt;
  parsed.status = static_cast<int>(*status);
  head.remove_prefix(first.size());
  while (head.starts_with("\r\n")) {
    head.remove_prefix(2);
    std::string_view line = head.substr(0, head.find("\r\n"));
    head.remove_prefix(line.size());
    size_t colon = line.find(':');
    if (colon == line.npos) return std::nullopt;
    std::string_view name = line.substr(0, colon), value = TrimBlanks(line.substr(colon + 1));
    if (EqualFold(name, "transfer-encoding")) parsed.chunked = EqualFold(value, "chunked");
    if (EqualFold(name, "content-length")) {
      parsed.length = ParseSize(value, 10);
      if (!parsed.length) return std::nullopt;
    }
  }
  return parsed;
}

bool SendAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t n = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

std::optional<std::string> ReadAll(int fd) {
  std::string all;
  char buffer[8192];
  while (all.size() <= kLargestReply) {
    ssize_t n = recv(fd, buffer, sizeof buffer, 0);
    if (n < 0) return std::nullopt;
    if (n == 0) return all;
    all.append(buffer, static_cast<size_t>(n));
  }
  return std::nullopt;
}

}  // namespace

std::optional<HttpReply> ParseHttpReply(std::string_view bytes) {
  size_t end = bytes.find("\r\n\r\n");
  if (end == bytes.npos) return std::nullopt;
  std::optional<ReplyHead> head = ParseHead(bytes.substr(0, end));
  if (!head) return std::nullopt;
  std::string_view rest = bytes.substr(end + 4);
  if (head->status < 200 && head->status >= 100) return ParseHttpReply(rest);
  if (head->chunked) {
    std::optional<std::string> body = Unchunk(rest);
    if (!body) return std::nullopt;
    return HttpReply{head->status, std::move(*body)};
  }
  if (head->length && rest.size() < *head->length) return std::nullopt;
  return HttpReply{head->status, std::string(rest.substr(0, head->length.value_or(rest.size())))};
}

std::optional<HttpServer> ParseHttpServer(std::string_view text) {
  HttpServer server;
  size_t colon = text.find(':');
  server.address = text.substr(0, colon);
  in_addr unused;
  if (inet_pton(AF_INET, server.address.c_str(), &unused) != 1) return std::nullopt;
  if (colon == text.npos) return server;
  std::optional<size_t> port = ParseSize(text.substr(colon + 1), 10);
  if (!port || *port == 0 || *port > 65535) return std::nullopt;
  server.port = static_cast<uint16_t>(*port);
  return server;
}

std::optional<HttpReply> HttpGet(const HttpServer& server, std::string_view path) {
  return HttpSend(server, "GET", path, "");
}

std::optional<HttpReply> HttpSend(const HttpServer& server, std::string_view method,
                                  std::string_view path, std::string_view body) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return std::nullopt;
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &kSilence, sizeof kSilence);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &kSilence, sizeof kSilence);
  sockaddr_in to{.sin_family = AF_INET, .sin_port = htons(server.port)};
  inet_pton(AF_INET, server.address.c_str(), &to.sin_addr);
  std::string request = std::string(method) + " " + std::string(path) +
                        " HTTP/1.1\r\nHost: metadata.google.internal\r\nMetadata-Flavor: Google\r\n"
                        "User-Agent: fireweed-init\r\nConnection: close\r\n";
  if (!body.empty()) request += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  request.append("\r\n").append(body);
  std::optional<std::string> bytes;
  if (connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0 && SendAll(fd, request)) {
    bytes = ReadAll(fd);
  }
  close(fd);
  return bytes ? ParseHttpReply(*bytes) : std::nullopt;
}

}  // namespace fireweed
