#include "net/tls_stream.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "base/error.h"

namespace fireweed::net {
namespace {

// OpenSSL's own socket BIO writes with write(2), which raises SIGPIPE when the peer is gone; this
// one does not, and it can begin with bytes that were read too far.
struct Socket {
  int fd;
  std::string early;
};

Socket& SocketOf(BIO* bio) { return *static_cast<Socket*>(BIO_get_data(bio)); }

int SocketWrite(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  ssize_t sent = send(SocketOf(bio).fd, bytes, size, MSG_NOSIGNAL);
  if (sent < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

int SocketRead(BIO* bio, char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  Socket& socket = SocketOf(bio);
  if (!socket.early.empty()) {
    size_t count = socket.early.copy(bytes, static_cast<size_t>(size));
    socket.early.erase(0, count);
    return static_cast<int>(count);
  }
  ssize_t received = recv(socket.fd, bytes, size, 0);
  if (received < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
  return static_cast<int>(received);
}

long SocketControl(BIO*, int command, long, void*) {
  return command == BIO_CTRL_FLUSH || command == BIO_CTRL_DUP ? 1 : 0;
}

int SocketCreate(BIO* bio) {
  BIO_set_init(bio, 1);
  return 1;
}

int SocketDestroy(BIO* bio) {
  delete static_cast<Socket*>(BIO_get_data(bio));
  BIO_set_data(bio, nullptr);
  return 1;
}

const BIO_METHOD* SocketMethod() {
  static const BIO_METHOD* const kMethod = [] {
    BIO_METHOD* method =
        BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "fireweed socket");
    BIO_meth_set_write(method, SocketWrite);
    BIO_meth_set_read(method, SocketRead);
    BIO_meth_set_ctrl(method, SocketControl);
    BIO_meth_set_create(method, SocketCreate);
    BIO_meth_set_destroy(method, SocketDestroy);
    return method;
  }();
  return kMethod;
}

std::string TakeErrors() {
  std::string text;
  while (unsigned long error = ERR_get_error()) {
    char line[256];
    ERR_error_string_n(error, line, sizeof line);
    if (!text.empty()) text += "; ";
    text += line;
  }
  return text;
}

}  // namespace

TlsStream::TlsStream(SslPtr ssl, int fd, std::string early) : ssl_(std::move(ssl)) {
  BIO* bio = BIO_new(SocketMethod());
  if (bio == nullptr) throw Failure(Code::kExhausted, "no memory for a TLS connection");
  BIO_set_data(bio, new Socket{fd, std::move(early)});
  SSL_set_bio(ssl_.get(), bio, bio);
  SSL_set_mode(ssl_.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                               SSL_MODE_RELEASE_BUFFERS);
}

TlsStep TlsStream::Judge(int outcome) {
  switch (SSL_get_error(ssl_.get(), outcome)) {
    case SSL_ERROR_NONE: return {TlsStep::Kind::kDone, static_cast<size_t>(std::max(outcome, 0))};
    case SSL_ERROR_WANT_READ: return {TlsStep::Kind::kWantRead, 0};
    case SSL_ERROR_WANT_WRITE: return {TlsStep::Kind::kWantWrite, 0};
    case SSL_ERROR_ZERO_RETURN: return {TlsStep::Kind::kClosed, 0};
    default: break;
  }
  broken_ = true;
  failure_ = TakeErrors();
  if (failure_.empty()) failure_ = "connection broken off";
  return {TlsStep::Kind::kFailed, 0};
}

TlsStep TlsStream::Handshake() {
  ERR_clear_error();
  return Judge(SSL_do_handshake(ssl_.get()));
}

TlsStep TlsStream::Read(std::span<char> into) {
  ERR_clear_error();
  return Judge(
      SSL_read(ssl_.get(), into.data(), static_cast<int>(std::min<size_t>(into.size(), INT_MAX))));
}

TlsStep TlsStream::Write(std::string_view text) {
  if (text.empty()) return {TlsStep::Kind::kDone, 0};
  ERR_clear_error();
  return Judge(
      SSL_write(ssl_.get(), text.data(), static_cast<int>(std::min<size_t>(text.size(), INT_MAX))));
}

void TlsStream::Shutdown() {
  if (broken_ || !SSL_is_init_finished(ssl_.get())) return;
  ERR_clear_error();
  if (SSL_shutdown(ssl_.get()) < 0) ERR_clear_error();
}

bool TlsStream::resumed() const { return SSL_session_reused(ssl_.get()) == 1; }

std::string_view TlsStream::server_name() const {
  const char* name = SSL_get_servername(ssl_.get(), TLSEXT_NAMETYPE_host_name);
  return name == nullptr ? std::string_view() : std::string_view(name);
}

}  // namespace fireweed::net
