#include "net/response_parser.h"

#include <exception>
#include <limits>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>

namespace fireweed::net {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using BeastView = boost::beast::string_view;

class Parser final : public http::basic_parser<false> {
 public:
  explicit Parser(std::function<void(std::string_view)> sink) : sink(std::move(sink)) {
    eager(true);
    header_limit(std::numeric_limits<uint32_t>::max());
    body_limit(boost::none);
  }

  int status = 0;
  std::vector<ResponseHeader> headers;
  std::function<void(std::string_view)> sink;

 private:
  void on_request_impl(http::verb, BeastView, BeastView, int, error_code&) override {}
  void on_response_impl(int code, BeastView, int, error_code&) override { status = code; }
  void on_field_impl(http::field, BeastView name, BeastView value, error_code&) override {
    if (!is_header_done()) headers.push_back({std::string(name), std::string(value)});
  }
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<uint64_t>&, error_code&) override {}
  size_t on_body_impl(BeastView body, error_code&) override {
    sink({body.data(), body.size()});
    return body.size();
  }
  void on_chunk_header_impl(uint64_t, BeastView, error_code&) override {}
  size_t on_chunk_body_impl(uint64_t, BeastView body, error_code&) override {
    if (!body.empty()) sink({body.data(), body.size()});
    return body.size();
  }
  void on_finish_impl(error_code&) override {}
};

}  // namespace

struct ResponseParser::State {
  Parser parser;
};

ResponseParser::ResponseParser(std::function<void(std::string_view)> body, bool head_request)
    : state_(new State{Parser(std::move(body))}) {
  state_->parser.skip(head_request);
}
ResponseParser::~ResponseParser() = default;

size_t ResponseParser::Feed(std::string_view bytes) {
  Parser& parser = state_->parser;
  size_t taken = 0;
  while (taken < bytes.size() && !parser.is_done()) {
    error_code error;
    taken += parser.put(boost::asio::buffer(bytes.data() + taken, bytes.size() - taken), error);
    if (error == http::error::need_more) break;
    if (error)
      throw Failure(Code::kUnavailable, "the server's answer is no HTTP: " + error.message());
  }
  return taken;
}

void ResponseParser::FeedEnd() {
  Parser& parser = state_->parser;
  if (parser.is_done()) return;
  error_code error;
  if (parser.got_some()) {
    parser.put_eof(error);
  } else {
    error = http::error::end_of_stream;
  }
  if (error) throw Failure(Code::kUnavailable, "the server broke off in the middle of its answer");
}

bool ResponseParser::head_done() const { return state_->parser.is_header_done(); }
bool ResponseParser::done() const { return state_->parser.is_done(); }
bool ResponseParser::keep_alive() const { return state_->parser.keep_alive(); }
int ResponseParser::status() const { return state_->parser.status; }
const std::vector<ResponseHeader>& ResponseParser::headers() const {
  return state_->parser.headers;
}

}  // namespace fireweed::net
