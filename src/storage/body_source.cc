#include "storage/body_source.h"

#include <algorithm>

#include "base/bytes.h"

namespace fireweed::storage {
namespace {

const std::string* TextOf(const decltype(net::Response::body)& body) {
  if (auto* text = std::get_if<std::string>(&body)) return text;
  auto* shared = std::get_if<std::shared_ptr<const std::string>>(&body);
  return shared ? shared->get() : nullptr;
}

}  // namespace

std::optional<int64_t> BodySource::size() const {
  if (auto* source = std::get_if<std::unique_ptr<net::ByteSource>>(&body_)) {
    return (*source)->size();
  }
  if (auto* slice = std::get_if<net::FileSlice>(&body_)) return slice->length;
  const std::string* text = TextOf(body_);
  return text ? static_cast<int64_t>(text->size()) : 0;
}

Result<size_t> BodySource::Read(std::span<std::byte> out) {
  if (auto* source = std::get_if<std::unique_ptr<net::ByteSource>>(&body_)) {
    return (*source)->Read(out);
  }
  size_t most = std::min(out.size(), static_cast<size_t>(*size() - at_));
  if (auto* slice = std::get_if<net::FileSlice>(&body_)) {
    Result<size_t> got = slice->file->ReadAt(slice->offset + at_, out.first(most));
    if (got.ok()) at_ += static_cast<int64_t>(*got);
    return got;
  }
  if (most == 0) return size_t{0};
  std::span<const std::byte> text = AsBytes(*TextOf(body_));
  std::copy_n(text.begin() + static_cast<std::ptrdiff_t>(at_), most, out.begin());
  at_ += static_cast<int64_t>(most);
  return most;
}

}  // namespace fireweed::storage
