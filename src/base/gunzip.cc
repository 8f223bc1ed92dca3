#include "base/gunzip.h"

#include <vector>

#include <zlib.h>

#include "base/error.h"

namespace fireweed {
namespace {

constexpr int kGzipOnly = 15 + 16;  // zlib: the largest window, with a gzip header
constexpr size_t kPiece = 64 << 10;

}  // namespace

struct Gunzip::State {
  z_stream stream{};
  std::vector<std::byte> piece = std::vector<std::byte>(kPiece);
  bool fresh = true;     // no byte of the present member yet
  bool started = false;  // a first member began
};

Gunzip::Gunzip() : state_(std::make_unique<State>()) {
  if (inflateInit2(&state_->stream, kGzipOnly) != Z_OK) {
    throw Failure(Code::kExhausted, "no memory to unpack a body");
  }
}

Gunzip::~Gunzip() { inflateEnd(&state_->stream); }

void Gunzip::Feed(std::span<const std::byte> bytes, const Out& out) {
  z_stream& stream = state_->stream;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  while (true) {
    if (state_->fresh && stream.avail_in == 0) return;
    state_->fresh = false;
    state_->started = true;
    stream.next_out = reinterpret_cast<Bytef*>(state_->piece.data());
    stream.avail_out = static_cast<uInt>(kPiece);
    int result = inflate(&stream, Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
      throw Failure(Code::kInvalid, "badContent", "The body is not valid gzip.");
    }
    size_t made = kPiece - stream.avail_out;
    if (made > 0) out(std::span(state_->piece).subspan(0, made));
    if (result == Z_STREAM_END) {
      inflateReset(&stream);
      state_->fresh = true;
    } else if (stream.avail_out > 0) {
      return;  // it wants more input
    }
  }
}

bool Gunzip::complete() const { return state_->fresh && state_->started; }

}  // namespace fireweed
