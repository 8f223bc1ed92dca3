// What the storage benches compare with: a Beast server that does the least a durable store can do. One I/O thread; no names, no
// rows, no permissions.
//
//   POST /append   the body is appended to one file; a thread writes and syncs what has come, then all of it is answered
//   PUT  /large    the body is read piece by piece, both sums are computed, it is written to a new file and synced
//
// Usage: reference_server DIRECTORY; prints its port. It ends when its standard input does.
#include <fcntl.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/error.h"
#include "base/unique_fd.h"

namespace fireweed {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;

constexpr size_t kPiece = 256 << 10;

void WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0) throw Failure(ErrnoError(errno, "write"));
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

// Appends and syncs in groups; tells everybody of a group when it is durable.
class GroupLog {
 public:
  explicit GroupLog(const std::string& path)
      : file_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600)),
        thread_([this] { Run(); }) {}
  ~GroupLog() {
    {
      std::lock_guard lock(mu_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  // `done` is called on the log's thread.
  void Append(std::string_view bytes, std::function<void()> done) {
    std::lock_guard lock(mu_);
    bytes_ += bytes;
    waiting_.push_back(std::move(done));
    changed_.notify_one();
  }

 private:
  void Run() {
    std::unique_lock lock(mu_);
    while (true) {
      changed_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
      if (stop_) return;
      std::string bytes = std::move(bytes_);
      bytes_.clear();
      std::vector<std::function<void()>> group = std::move(waiting_);
      waiting_.clear();
      lock.unlock();
      WriteAll(file_.get(), bytes);
      if (fdatasync(file_.get()) != 0) throw Failure(ErrnoError(errno, "fdatasync"));
      for (const auto& done : group) done();
      lock.lock();
    }
  }

  UniqueFd file_;
  std::mutex mu_;
  std::condition_variable changed_;
  std::string bytes_;                           // guarded by mu_
  std::vector<std::function<void()>> waiting_;  // guarded by mu_
  bool stop_ = false;                           // guarded by mu_
  std::thread thread_;
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, GroupLog& log, const std::string& directory)
      : stream_(std::move(socket)), log_(log), directory_(directory) {}
  void Start() { ReadHead(); }

 private:
  void ReadHead() {
    parser_ = std::make_unique<http::request_parser<http::buffer_body>>();
    parser_->body_limit(boost::none);
    body_.clear();
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](beast::error_code error, size_t) {
                              if (!error) self->Begin();
                            });
  }

  void Begin() {
    large_ = parser_->get().target().starts_with("/large");
    if (large_) {
      std::string path = directory_ + "/large";
      file_ = UniqueFd(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
      crc_ = 0;
      md5_ = std::make_unique<Hasher>(Digest::kMd5);
    }
    ReadPiece();
  }

  void ReadPiece() {
    if (parser_->is_done()) return End();
    piece_.resize(large_ ? kPiece : 16 << 10);
    parser_->get().body().data = piece_.data();
    parser_->get().body().size = piece_.size();
    http::async_read(
        stream_, buffer_, *parser_, [self = shared_from_this()](beast::error_code error, size_t) {
          if (error && error != http::error::need_buffer) return;
          size_t left = self->parser_->get().body().size;
          self->Take(std::string_view(self->piece_.data(), self->piece_.size() - left));
          self->ReadPiece();
        });
  }

  void Take(std::string_view bytes) {
    if (!large_) {
      body_ += bytes;
      return;
    }
    crc_ = Crc32c(AsBytes(bytes), crc_);
    md5_->Update(AsBytes(bytes));
    WriteAll(file_.get(), bytes);
  }

  void End() {
    if (large_) {
      if (fsync(file_.get()) != 0) throw Failure(ErrnoError(errno, "fsync"));
      return Answer(std::to_string(crc_) + " " + HexEncode(md5_->Current()));
    }
    log_.Append(body_, [self = shared_from_this()] {
      asio::post(self->stream_.get_executor(), [self] { self->Answer("ok"); });
    });
  }

  void Answer(std::string text) {
    response_ = {http::status::ok, 11, std::move(text)};
    response_.keep_alive(true);
    response_.prepare_payload();
    http::async_write(stream_, response_,
                      [self = shared_from_this()](beast::error_code error, size_t) {
                        if (!error) self->ReadHead();
                      });
  }

  beast::tcp_stream stream_;
  GroupLog& log_;
  const std::string& directory_;
  beast::flat_buffer buffer_;
  std::unique_ptr<http::request_parser<http::buffer_body>> parser_;
  std::string body_, piece_;
  bool large_ = false;
  UniqueFd file_;
  uint32_t crc_ = 0;
  std::unique_ptr<Hasher> md5_;
  http::response<http::string_body> response_;
};

void Accept(tcp::acceptor& acceptor, GroupLog& log, const std::string& directory) {
  acceptor.async_accept([&](beast::error_code error, tcp::socket socket) {
    if (error) return;
    socket.set_option(tcp::no_delay(true));
    std::make_shared<Session>(std::move(socket), log, directory)->Start();
    Accept(acceptor, log, directory);
  });
}

int Serve(const std::string& directory) {
  asio::io_context io(1);
  GroupLog log(directory + "/log");
  tcp::acceptor acceptor(io, {asio::ip::make_address("127.0.0.1"), 0});
  std::printf("%d\n", acceptor.local_endpoint().port());
  std::fflush(stdout);
  Accept(acceptor, log, directory);
  std::thread ender([&] {
    char byte = 0;
    while (read(STDIN_FILENO, &byte, 1) > 0) {
    }
    io.stop();
  });
  io.run();
  ender.join();
  return 0;
}

}  // namespace
}  // namespace fireweed

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: reference_server DIRECTORY\n");
    return 2;
  }
  return fireweed::Serve(argv[1]);
}
