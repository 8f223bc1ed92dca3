// HTTP as handlers see it. No Beast or Asio type appears here, so everything above net/ compiles in
// a blink.
//
// A Request's text is views into the session's buffers: valid until the response has been handed
// over, on whatever thread the handler runs. A Response owns its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/disk.h"
#include "base/error.h"
#include "base/result.h"

namespace fireweed::net {

// Where a request came in. Listeners are given theirs when they are opened; an instance's sockets
// carry the instance, so its identity needs no guess from addresses.
struct Origin {
  enum class Kind { kLocal, kInstance, kRemote };
  Kind kind = Kind::kLocal;
  std::string instance;  // catalog key of the instance, for kInstance
};

struct RequestHeader {
  std::string_view name, value;
};

struct Request {
  std::string_view method;  // upper case, after X-HTTP-Method-Override
  std::string_view target;  // origin form as sent, "/storage/v1/b?project=p"
  std::string_view path;    // still percent-encoded, so that "%2F" stays apart from "/"
  std::string_view query;   // still percent-encoded, without '?'
  std::string_view
      host;  // lower case, without port; after CONNECT or TLS it is what the client named
  std::string_view authority;  // the Host header as sent, with port: for links in replies
  std::vector<RequestHeader> headers;
  std::string_view body;  // the whole body for TryInline and Handle; empty for streamed bodies
  std::string_view peer_address;
  std::string_view id;  // request id, also in the log and in X-Request-Id
  bool tls = false;
  const Origin* origin = nullptr;  // never null inside a handler
  // The principal that a request without a credential acts as ("user:ann@x"), on an intercepted
  // connection whose proxy URL asks for it (`fireweed env --sign-in`). Empty: such a request is
  // anonymous.
  std::string_view proxy_principal;

  // Case-insensitive; nullopt when absent. The first one where there are several.
  std::optional<std::string_view> Header(std::string_view name) const;
  // The decoded value of a query parameter; nullopt when absent or badly encoded. The first one
  // where there are several.
  std::optional<std::string> Query(std::string_view name) const;
  // Every value, decoded. Throws Failure(kInvalid) when one is badly encoded.
  std::vector<std::string> QueryAll(std::string_view name) const;
  // For what can have one value only: throws Failure(kInvalid) where two differ, so that whoever
  // judges a request and whoever serves it cannot mean two things. The same one twice is taken:
  // clients send "alt=media&alt=media".
  std::optional<std::string> QueryOnly(std::string_view name) const;
  // "https://host:port", for links in replies.
  std::string BaseUrl() const;
};

// Bytes that a handler produces while they are sent. Read is called on pool threads, never twice at
// once.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills some of `out` and returns how much; 0 is the end. An error breaks the connection off, so
  // that the client sees that something is missing.
  virtual Result<size_t> Read(std::span<std::byte> out) = 0;
  // Known length, or nullopt for a chunked body.
  virtual std::optional<int64_t> size() const { return std::nullopt; }
};

// A part of a file, sent with sendfile where the connection is plain and the file has a descriptor.
struct FileSlice {
  std::shared_ptr<const File> file;
  int64_t offset = 0;
  int64_t length = 0;
};

struct ResponseHeader {
  std::string name, value;
};

struct Response {
  int status = 200;
  std::vector<ResponseHeader> headers;
  std::variant<std::string, std::shared_ptr<const std::string>, FileSlice,
               std::unique_ptr<ByteSource>>
      body;
  bool close = false;  // end the connection after this response
  // More headers, written once and sent often: lines as they go out, each with its line end. The handler vouches for them; Header
  // does not see them.
  std::shared_ptr<const std::string> head_lines;

  void Set(std::string_view name, std::string value);  // replaces, case-insensitive
  void Add(std::string_view name, std::string value) {
    headers.push_back({std::string(name), std::move(value)});
  }
  std::optional<std::string_view> Header(std::string_view name) const;
};

// An answer that comes later (long polls): the handler returns at once, keeps the other end, and
// whoever learns the news completes it from any thread. No thread waits meanwhile.
class Deferred {
 public:
  // The first call wins; false when it came too late (timed out, client gone). Any thread; does not
  // block.
  bool Complete(Response response);
  // The server's side: called at most once with what Complete was given, from Complete's thread or
  // at once.
  void OnComplete(std::function<void(Response)> then);
  // The server's side: the client is gone or the time is up; a later Complete does nothing.
  void Abandon();
  // True once completed or abandoned: whoever keeps a list of waiting polls drops it then. Any
  // thread.
  bool settled() const;
  // What to answer when `timeout` passes first; runs on a pool thread.
  std::function<Response()> on_timeout;
  int64_t timeout_ms = 0;  // 0: no limit
  // The answer is sure to come within moments: a server that drains waits for it.
  bool soon = false;

 private:
  struct State;
  std::shared_ptr<State> state_ = MakeState();
  static std::shared_ptr<State> MakeState();
};

class Forwarding;  // net/forward.h: another server answers, and the session passes the request on

using Answer = std::variant<Response, std::shared_ptr<Deferred>, std::shared_ptr<Forwarding>>;

// A request body taken as it arrives. Calls come on pool threads, one at a time, in order; the
// server reads no further from the client until Write has returned (that is the back-pressure). A
// client that breaks off, or a Write that throws, ends with the destructor and no Finish.
class BodySink {
 public:
  virtual ~BodySink() = default;
  virtual void Write(std::span<const std::byte> bytes) = 0;
  virtual Response Finish() = 0;
  // What the server calls: Finish, for a sink that can wait without a thread an answer that comes
  // later. The sink is gone right after.
  virtual Answer FinishLater() { return Finish(); }
};

// How a body is to be taken, decided when the head of a request is there.
struct TakeWhole {
  int64_t max_bytes = 16 << 20;  // more is answered 413
};
struct TakeStream {};
using BodyPlan = std::variant<TakeWhole, TakeStream>;

// What a listener does with its requests. Exceptions of type Failure become error responses by
// RenderError.
class Dispatcher {
 public:
  virtual ~Dispatcher() = default;
  // I/O thread; must not block. nullopt means "not here": the request goes on to the pool. Asked
  // before PlanBody for a request without a body, else when a body taken whole has arrived.
  virtual std::optional<Response> TryInline(const Request&) { return std::nullopt; }
  // I/O thread; must not block. Who answers instead of us, once a body taken whole has arrived; null
  // means "not here".
  virtual std::shared_ptr<Forwarding> TryForward(const Request&) { return nullptr; }
  // I/O thread; must not block. May throw Failure to refuse before a byte of the body is read.
  virtual BodyPlan PlanBody(const Request&) { return TakeWhole{}; }
  // Pool thread; may block for milliseconds.
  virtual Answer Handle(const Request&) = 0;
  // Pool thread, for TakeStream.
  virtual std::unique_ptr<BodySink> OpenBody(const Request&);
  // I/O thread, for TakeStream when the whole body has arrived and is small; must not block. null means
  // "not here": OpenBody is called on the pool. A sink that is given back is written to and finished
  // on the I/O thread and must not block there either.
  virtual std::unique_ptr<BodySink> TryOpenInline(const Request&) { return nullptr; }
  // Any thread: the API's own error shape for this request (JSON envelope, XML, plain text).
  virtual Response RenderError(const Request&, const Error&) = 0;
};

}  // namespace fireweed::net
