#include "storage/storage_fixture.h"

#include <future>

#include "base/bytes.h"
#include "identity/tokens.h"
#include "storage/small_blobs.h"

namespace fireweed::storage {
namespace {

std::string BodyText(net::Response& response) {
  if (auto* text = std::get_if<std::string>(&response.body)) return *text;
  if (auto* shared = std::get_if<std::shared_ptr<const std::string>>(&response.body))
    return **shared;
  std::string out;
  if (auto* slice = std::get_if<net::FileSlice>(&response.body)) {
    out.resize(static_cast<size_t>(slice->length));
    size_t got = slice->file->ReadAt(slice->offset, std::as_writable_bytes(std::span(out))).value();
    out.resize(got);
    return out;
  }
  net::ByteSource& source = *std::get<std::unique_ptr<net::ByteSource>>(response.body);
  std::byte buffer[7];
  while (size_t got = source.Read(buffer).value()) out += AsText(std::span(buffer).subspan(0, got));
  return out;
}

// Blocks until whoever commits has completed it.
net::Response Await(net::Deferred& deferred) {
  std::promise<net::Response> promise;
  deferred.OnComplete([&](net::Response response) { promise.set_value(std::move(response)); });
  return promise.get_future().get();
}

}  // namespace

std::shared_ptr<const net::Caller> OpenAccess::Identify(const net::Request&) {
  auto caller = std::make_shared<net::Caller>();
  caller->email = "owner@fireweed.local";
  caller->principal = identity::kOwnerPrincipal;
  return caller;
}

bool OpenAccess::May(const net::Caller&, std::string_view permission, std::string_view resource) {
  return std::string(permission) + " " + std::string(resource) != refused;
}

std::string Reply::Header(std::string_view name) const {
  for (const net::ResponseHeader& header : headers) {
    if (EqualIgnoreCase(header.name, name)) return header.value;
  }
  return "";
}

std::string Reply::Field(std::string_view name) const {
  std::string key = "\"" + std::string(name) + "\":\"";
  size_t at = body.find(key);
  if (at == std::string::npos) return "";
  at += key.size();
  return body.substr(at, body.find('"', at) - at);
}

StorageFixture::StorageFixture() { Restart(); }

void StorageFixture::Restart() {
  router.reset();
  service.reset();
  service = std::make_unique<StorageService>(
      StorageParts{catalog, blobs, projects, *control, clock, random, log, options});
  router = std::make_unique<net::Router>(*control);
  service->Serve(*router);
}

net::Response StorageFixture::Dispatch(const net::Request& request, const Ask& ask) {
  if (std::optional<net::Response> inline_answer = Front().TryInline(request)) {
    return std::move(*inline_answer);
  }
  if (!std::holds_alternative<net::TakeStream>(Front().PlanBody(request))) {
    return std::get<net::Response>(Front().Handle(request));
  }
  bool inline_size = ask.body.size() <= ask.step && !ask.break_off;
  std::unique_ptr<net::BodySink> sink = inline_size ? Front().TryOpenInline(request) : nullptr;
  if (!sink) sink = Front().OpenBody(request);
  for (size_t at = 0; at < ask.body.size(); at += ask.step) {
    sink->Write(AsBytes(std::string_view(ask.body).substr(at, ask.step)));
  }
  if (ask.midway) ask.midway();
  if (ask.break_off) return {};
  net::Answer answer = sink->FinishLater();
  if (auto* response = std::get_if<net::Response>(&answer)) return std::move(*response);
  return Await(*std::get<std::shared_ptr<net::Deferred>>(answer));
}

Reply StorageFixture::Send(const Ask& ask) {
  net::Response response = Open(ask);
  if (response.head_lines) {
    for (std::string_view rest = *response.head_lines; !rest.empty();) {
      std::string_view line = rest.substr(0, rest.find("\r\n"));
      rest.remove_prefix(line.size() + 2);
      size_t colon = line.find(": ");
      response.Add(line.substr(0, colon), std::string(line.substr(colon + 2)));
    }
  }
  std::string body = BodyText(response);
  return {response.status, std::move(response.headers), std::move(body)};
}

net::Response StorageFixture::Open(const Ask& ask) {
  net::Origin origin;
  net::Request request;
  std::string_view target = ask.target;
  request.method = ask.method;
  request.target = target;
  request.path = target.substr(0, target.find('?'));
  if (size_t q = target.find('?'); q != target.npos) request.query = target.substr(q + 1);
  request.host = request.authority = ask.host;
  request.tls = true;
  request.origin = &origin;
  for (const auto& [name, value] : ask.headers) request.headers.push_back({name, value});
  if (!std::holds_alternative<net::TakeStream>(router->PlanBody(request))) request.body = ask.body;
  try {
    return Dispatch(request, ask);
  } catch (const Failure& failure) {
    return router->RenderError(request, failure.error());
  }
}

Reply StorageFixture::Send(std::string method, std::string target, std::string body,
                           std::vector<std::pair<std::string, std::string>> headers) {
  Ask ask;
  ask.method = std::move(method);
  ask.target = std::move(target);
  ask.body = std::move(body);
  ask.headers = std::move(headers);
  return Send(ask);
}

Reply StorageFixture::Upload(std::string_view bucket, std::string_view name, std::string body,
                             std::string_view more_query) {
  clock.Advance(std::chrono::milliseconds(1));
  std::string target = "/upload/storage/v1/b/" + std::string(bucket) +
                       "/o?uploadType=media&name=" + PercentEncode(name) + std::string(more_query);
  return Send("POST", target, std::move(body), {{"Content-Type", "text/plain"}});
}

std::string StorageFixture::Read(std::string_view bucket, std::string_view name) {
  Reply reply = Send(
      "GET", "/storage/v1/b/" + std::string(bucket) + "/o/" + PercentEncode(name) + "?alt=media");
  return reply.status == 200 ? reply.body : "status " + std::to_string(reply.status);
}

int64_t StorageFixture::BlobCount() {
  int64_t count = 0;
  blobs.List([&](const BlobListing&) { ++count; }).value();
  count += std::ssize(Query(catalog, [](Txn& txn) { return txn.Scan<SmallBlob>({}); }));
  return count;
}

}  // namespace fireweed::storage
