#include "net/batch.h"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "net/errors.h"
#include "net/response_head.h"

namespace fireweed::net {
namespace {

constexpr size_t kMostParts = 1000;
constexpr size_t kLargestPartReply = 8 << 20;  // batches are for metadata, not for media

constexpr std::string_view kBatchHosts[] = {"*.googleapis.com"};
constexpr api::Service kBatchService{.name = "batch",
                                     .version = "v1",
                                     .title = "Batches",
                                     .hosts = kBatchHosts,
                                     .documented = false};
constexpr api::Method<api::Empty, api::Empty> kBatch{kBatchService, api::Verb::kPost, "/batch",
                                                     "batch.run"};
constexpr api::Method<api::Empty, api::Empty> kServiceBatch{
    kBatchService, api::Verb::kPost, "/batch/{service}/{version}", "batch.runService"};

[[noreturn]] void Refuse(std::string_view why) {
  throw Failure(Code::kInvalid, "badRequest",
                fmt::format("Failed to parse batch request: {}.", why));
}

// A line without its end; false when nothing is left.
bool TakeLine(std::string_view& text, std::string_view& line) {
  if (text.empty()) return false;
  size_t end = text.find('\n');
  line = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

// Header lines up to the empty one.
std::vector<std::pair<std::string, std::string>> TakeHeaders(std::string_view& text) {
  std::vector<std::pair<std::string, std::string>> headers;
  std::string_view line;
  while (TakeLine(text, line) && !line.empty()) {
    size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) Refuse("a header line has no colon");
    headers.emplace_back(Trim(line.substr(0, colon)), Trim(line.substr(colon + 1)));
  }
  return headers;
}

std::string_view FindHeader(const std::vector<std::pair<std::string, std::string>>& headers,
                            std::string_view name) {
  for (const auto& [key, value] : headers) {
    if (EqualIgnoreCase(key, name)) return value;
  }
  return {};
}

std::string BoundaryOf(std::string_view content_type) {
  if (!ToLower(content_type).starts_with("multipart/mixed")) {
    Refuse("the content type is not multipart/mixed");
  }
  size_t at = ToLower(content_type).find("boundary=");
  if (at == std::string::npos) Refuse("there is no boundary");
  std::string_view rest = content_type.substr(at + 9);
  if (!rest.empty() && (rest.front() == '"' || rest.front() == '\'')) {
    size_t close = rest.find(rest.front(), 1);
    if (close == std::string_view::npos) Refuse("the boundary's quote is not closed");
    rest = rest.substr(1, close - 1);
  } else {
    rest = Trim(rest.substr(0, rest.find(';')));
  }
  if (rest.empty() || rest.size() > 200) Refuse("bad boundary");
  return std::string(rest);
}

// "GET /path?query HTTP/1.1", the target in origin form or as an absolute URL. The version may be left out, as
// Google's own examples do.
void TakeRequestLine(std::string_view line, BatchPart& part) {
  line = Trim(line);
  size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos) Refuse("a part has no request line");
  part.method = std::string(line.substr(0, first));
  if (line.substr(last + 1).starts_with("HTTP/")) line = line.substr(0, last);
  std::string_view target = Trim(line.substr(std::min(first + 1, line.size())));
  if (size_t scheme = target.find("://"); scheme != std::string_view::npos && scheme <= 5) {
    target.remove_prefix(scheme + 3);
    size_t slash = std::min(target.find('/'), target.size());
    part.host = ToLower(target.substr(0, slash));
    target.remove_prefix(slash);
  }
  if (!target.starts_with('/')) Refuse("a part's target is no path");
  part.target = std::string(target);
  size_t question = target.find('?');
  part.path = std::string(target.substr(0, question));
  if (question != std::string_view::npos) part.query = std::string(target.substr(question + 1));
}

BatchPart ParsePart(std::string_view text) {
  BatchPart part;
  auto outer = TakeHeaders(text);
  if (!ToLower(FindHeader(outer, "Content-Type")).starts_with("application/http")) {
    Refuse("a part is not application/http");
  }
  std::string_view id = FindHeader(outer, "Content-ID");
  if (id.starts_with('<') && id.ends_with('>')) id = id.substr(1, id.size() - 2);
  part.content_id = std::string(id);
  std::string_view line;
  while (TakeLine(text, line) && line.empty()) {
  }
  TakeRequestLine(line, part);
  part.headers = TakeHeaders(text);
  if (std::string_view host = FindHeader(part.headers, "Host"); part.host.empty()) {
    part.host = ToLower(host);
  }
  part.host = part.host.substr(0, part.host.find(':'));
  part.body = std::string(text);
  return part;
}

// The text between delimiter lines. The line end before a delimiter belongs to the delimiter.
std::vector<std::string_view> SplitParts(std::string_view body, const std::string& boundary) {
  std::vector<std::string_view> parts;
  std::string delimiter = "--" + boundary;
  const char* begin = nullptr;
  std::string_view rest = body, line;
  while (true) {
    const char* at = rest.data();
    if (!TakeLine(rest, line)) break;
    bool closes = Trim(line) == delimiter + "--";
    if (!closes && Trim(line) != delimiter) continue;
    if (begin) {
      std::string_view part(begin, static_cast<size_t>(at - begin));
      if (part.ends_with('\n')) part.remove_suffix(1);
      if (part.ends_with('\r')) part.remove_suffix(1);
      parts.push_back(part);
      if (parts.size() > kMostParts) Refuse("too many parts");
    }
    if (closes) return parts;
    begin = rest.data();
  }
  Refuse("the closing boundary is missing");
}

std::string WholeBody(Response& response) {
  if (auto* text = std::get_if<std::string>(&response.body)) return std::move(*text);
  if (auto* shared = std::get_if<std::shared_ptr<const std::string>>(&response.body)) {
    return *shared ? **shared : "";
  }
  std::string out;
  if (auto* file = std::get_if<FileSlice>(&response.body)) {
    if (file->length > static_cast<int64_t>(kLargestPartReply)) {
      throw Failure(Code::kTooLarge, "The answer is too large for a batch.");
    }
    out.resize(static_cast<size_t>(file->length));
    out.resize(file->file->ReadAt(file->offset, std::as_writable_bytes(std::span(out))).value());
    return out;
  }
  auto& source = std::get<std::unique_ptr<ByteSource>>(response.body);
  std::vector<std::byte> piece(64 << 10);
  while (size_t got = source->Read(piece).value()) {
    out.append(AsText(std::span(piece).first(got)));
    if (out.size() > kLargestPartReply) {
      throw Failure(Code::kTooLarge, "The answer is too large for a batch.");
    }
  }
  return out;
}

std::string RenderPart(Response response) {
  std::string body;
  try {
    body = WholeBody(response);
  } catch (const Failure& failure) {
    response = JsonError(failure.error());
    body = std::get<std::string>(response.body);
  }
  std::string out =
      fmt::format("HTTP/1.1 {} {}\r\n", response.status, ReasonPhrase(response.status));
  for (const ResponseHeader& header : response.headers) {
    if (EqualIgnoreCase(header.name, "Content-Length")) continue;
    bool sound = header.value.find_first_of("\r\n") == std::string::npos;
    if (sound) out += header.name + ": " + header.value + "\r\n";
  }
  out += fmt::format("Content-Length: {}\r\n\r\n", body.size());
  return out + body;
}

// The answers of a batch as they come in. Shared by the parts that still wait; any thread.
class Gathering {
 public:
  Gathering(std::vector<BatchPart> parts, const std::shared_ptr<Deferred>& whole)
      : parts_(std::move(parts)), whole_(whole), answers_(parts_.size()) {}

  const std::vector<BatchPart>& parts() const { return parts_; }

  void Put(size_t index, Response response) {
    std::string text = RenderPart(std::move(response));
    {
      std::lock_guard lock(mu_);
      if (answers_[index]) return;
      answers_[index] = std::move(text);
      if (++answered_ < parts_.size()) return;
    }
    if (std::shared_ptr<Deferred> whole = whole_.lock()) whole->Complete(Render());
  }

  void Expect(size_t index, std::shared_ptr<Deferred> part) {
    std::lock_guard lock(mu_);
    waiting_.emplace_back(index, std::move(part));
  }

  // The time of the whole batch is up: parts that still wait answer as they would have by then.
  Response TimeOut() {
    std::vector<std::pair<size_t, std::shared_ptr<Deferred>>> waiting;
    {
      std::lock_guard lock(mu_);
      waiting.swap(waiting_);
    }
    for (auto& [index, part] : waiting) {
      if (part->settled()) continue;
      part->Abandon();
      Put(index, part->on_timeout ? part->on_timeout()
                                  : JsonError({Code::kUnavailable, "", "Timed out."}));
    }
    return Render();
  }

 private:
  Response Render() {
    std::lock_guard lock(mu_);
    Hasher hash(Digest::kSha256);
    for (const auto& answer : answers_) {
      if (answer) hash.Update(AsBytes(*answer));
    }
    // By the hash of what it separates: no answer can contain it by design.
    std::string boundary = "batch_" + HexEncode(hash.Current()).substr(0, 32);
    std::string body;
    for (size_t i = 0; i < parts_.size(); ++i) {
      body += "--" + boundary + "\r\nContent-Type: application/http\r\n";
      if (!parts_[i].content_id.empty()) {
        body += "Content-ID: <response-" + parts_[i].content_id + ">\r\n";
      }
      body += "\r\n" + answers_[i].value_or("") + "\r\n";
    }
    body += "--" + boundary + "--\r\n";
    Response response;
    response.Add("Content-Type", "multipart/mixed; boundary=" + boundary);
    response.body = std::move(body);
    return response;
  }

  const std::vector<BatchPart> parts_;
  const std::weak_ptr<Deferred> whole_;  // its on_timeout holds this: the other way round is weak
  std::mutex mu_;
  std::vector<std::optional<std::string>> answers_;                    // guarded by mu_
  size_t answered_ = 0;                                                // guarded by mu_
  std::vector<std::pair<size_t, std::shared_ptr<Deferred>>> waiting_;  // guarded by mu_
};

}  // namespace

std::vector<BatchPart> ParseBatch(std::string_view content_type, std::string_view body) {
  std::vector<BatchPart> parts;
  for (std::string_view part : SplitParts(body, BoundaryOf(content_type))) {
    parts.push_back(ParsePart(part));
  }
  if (parts.empty()) Refuse("there are no parts");
  return parts;
}

void Batch::Serve() {
  auto handler = [this](const Call& call) { return Handle(call.http); };
  router_.OnRaw(kBatch.entry(), handler);
  router_.OnRaw(kServiceBatch.entry(), handler);
}

Answer Batch::RunPart(const Request& outer, const BatchPart& part) {
  Request request;
  request.method = part.method;
  request.target = part.target;
  request.path = part.path;
  request.query = part.query;
  request.host = part.host.empty() ? outer.host : std::string_view(part.host);
  request.authority = part.host.empty() ? outer.authority : std::string_view(part.host);
  for (const auto& [name, value] : part.headers) request.headers.push_back({name, value});
  // Whoever sent the batch sent its parts, unless a part says otherwise.
  std::optional<std::string_view> credential = outer.Header("Authorization");
  if (credential && !request.Header("Authorization")) {
    request.headers.push_back({"Authorization", *credential});
  }
  request.proxy_principal = outer.proxy_principal;
  request.body = part.body;
  request.peer_address = outer.peer_address;
  request.id = outer.id;
  request.tls = outer.tls;
  request.origin = outer.origin;
  try {
    if (part.path == "/batch" || part.path.starts_with("/batch/")) Refuse("a batch within a batch");
    if (std::holds_alternative<TakeStream>(router_.PlanBody(request))) {
      Refuse("uploads cannot be part of a batch");
    }
    Answer answer = router_.Handle(request);
    if (std::holds_alternative<std::shared_ptr<Forwarding>>(answer)) {
      Refuse("predictions cannot be part of a batch");
    }
    return answer;
  } catch (const Failure& failure) {
    return router_.RenderError(request, failure.error());
  } catch (const std::exception&) {
    return router_.RenderError(request, {Code::kInternal, "", "Internal error."});
  }
}

Answer Batch::Handle(const Request& request) {
  std::string type(request.Header("Content-Type").value_or(""));
  auto whole = std::make_shared<Deferred>();
  auto all = std::make_shared<Gathering>(ParseBatch(type, request.body), whole);
  std::vector<std::pair<size_t, std::shared_ptr<Deferred>>> later;
  for (size_t i = 0; i < all->parts().size(); ++i) {
    Answer answer = RunPart(request, all->parts()[i]);
    if (auto* now = std::get_if<Response>(&answer)) {
      all->Put(i, std::move(*now));
    } else {
      later.emplace_back(i, std::get<std::shared_ptr<Deferred>>(answer));
    }
  }
  for (auto& [index, part] : later) {
    whole->timeout_ms = std::max(whole->timeout_ms, part->timeout_ms);
    all->Expect(index, part);
    part->OnComplete(
        [all, index = index](Response response) { all->Put(index, std::move(response)); });
  }
  whole->on_timeout = [all] { return all->TimeOut(); };
  return whole;
}

}  // namespace fireweed::net
