#include "net/request_parser.h"

#include <limits>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>

#include "net/framing.h"

namespace fireweed::net {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using BeastView = boost::beast::string_view;

std::string_view View(BeastView text) { return {text.data(), text.size()}; }

class Parser final : public http::basic_parser<true> {
 public:
  explicit Parser(Request& into) : into_(&into) {
    eager(true);
    header_limit(std::numeric_limits<uint32_t>::max());  // the session limits what it reads
    body_limit(boost::none);
  }

  bool http11 = false;
  std::string* out = nullptr;  // where body bytes go while DecodeChunks runs

 private:
  void on_request_impl(http::verb, BeastView method, BeastView target, int version,
                       error_code&) override {
    into_->method = View(method);
    into_->target = View(target);
    http11 = version == 11;
  }
  void on_response_impl(int, BeastView, int, error_code&) override {}
  void on_field_impl(http::field, BeastView name, BeastView value, error_code&) override {
    if (is_header_done()) return;  // trailers mean nothing to us
    std::string_view field = View(name);
    if (field == kDroppedLength || field == kDroppedCoding) return;
    into_->headers.push_back({field, View(value)});
  }
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<uint64_t>&, error_code&) override {}
  size_t on_body_impl(BeastView body, error_code&) override { return body.size(); }
  void on_chunk_header_impl(uint64_t, BeastView, error_code&) override {}
  size_t on_chunk_body_impl(uint64_t, BeastView body, error_code&) override {
    out->append(body.data(), body.size());
    return body.size();
  }
  void on_finish_impl(error_code&) override {}

  Request* into_;
};

}  // namespace

struct RequestParser::State {
  std::optional<Parser> parser;
};

RequestParser::RequestParser() : state_(std::make_unique<State>()) {}
RequestParser::~RequestParser() = default;

std::optional<std::string_view> RequestParser::ParseHead(std::string_view head, Request& into) {
  into.headers.clear();
  Parser& parser = state_->parser.emplace(into);
  error_code error;
  size_t consumed = parser.put(boost::asio::buffer(head.data(), head.size()), error);
  if (error) {
    if (error == http::error::bad_version) return "unsupported HTTP version";
    if (error == http::error::bad_method) return "bad method";
    if (error == http::error::bad_target) return "bad request target";
    return "bad header block";
  }
  if (consumed != head.size() || !parser.is_header_done()) return "bad header block";
  return std::nullopt;
}

bool RequestParser::http11() const { return state_->parser->http11; }
bool RequestParser::keep_alive() const { return state_->parser->keep_alive(); }
bool RequestParser::chunked() const { return state_->parser->chunked(); }
int64_t RequestParser::content_length() const {
  return static_cast<int64_t>(state_->parser->content_length().value_or(0));
}

RequestParser::ChunkStep RequestParser::DecodeChunks(std::string_view bytes, std::string& out) {
  Parser& parser = *state_->parser;
  ChunkStep step;
  parser.out = &out;
  while (step.consumed < bytes.size() && !parser.is_done()) {
    error_code error;
    step.consumed += parser.put(
        boost::asio::buffer(bytes.data() + step.consumed, bytes.size() - step.consumed), error);
    if (error == http::error::bad_chunk_extension) {
      std::string mended = MendChunkHeader(bytes.substr(step.consumed));
      if (!mended.empty()) step.consumed += parser.put(boost::asio::buffer(mended), error);
    }
    if (error == http::error::need_more) break;
    if (error) {
      step.failed = true;
      break;
    }
  }
  parser.out = nullptr;
  step.done = parser.is_done();
  return step;
}

}  // namespace fireweed::net
