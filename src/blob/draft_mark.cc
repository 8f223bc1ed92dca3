#include "blob/draft_mark.h"

#include <array>
#include <cstring>
#include <type_traits>

#include "base/bytes.h"
#include "base/checksum.h"

namespace fireweed {
namespace {

constexpr std::string_view kMagic = "FWDM";
constexpr size_t kMarkBytes = 20;
constexpr int kSlots = 2;
constexpr int64_t kSlotStride = 4096;  // no drive tears two of its sectors with one write

template <class Integer>
void AppendLittleEndian(std::string& out, Integer value) {
  for (size_t i = 0; i < sizeof value; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

template <class Integer>
Integer LittleEndianAt(std::string_view bytes, size_t offset) {
  std::make_unsigned_t<Integer> value = 0;
  for (size_t i = 0; i < sizeof value; ++i) {
    value |= std::make_unsigned_t<Integer>{static_cast<uint8_t>(bytes[offset + i])} << (8 * i);
  }
  return static_cast<Integer>(value);
}

}  // namespace

std::string EncodeDraftMark(const DraftMark& mark) {
  std::string out(kMagic);
  AppendLittleEndian(out, mark.size);
  AppendLittleEndian(out, mark.crc32c);
  AppendLittleEndian(out, Crc32c(AsBytes(out)));
  return out;
}

std::optional<DraftMark> DecodeDraftMark(std::string_view bytes) {
  if (bytes.size() != kMarkBytes || !bytes.starts_with(kMagic)) return std::nullopt;
  if (LittleEndianAt<uint32_t>(bytes, 16) != Crc32c(AsBytes(bytes.substr(0, 16))))
    return std::nullopt;
  DraftMark mark{LittleEndianAt<int64_t>(bytes, 4), LittleEndianAt<uint32_t>(bytes, 12)};
  if (mark.size < 0) return std::nullopt;
  return mark;
}

Result<DraftMarkFile> DraftMarkFile::Open(Disk& disk, const std::string& path) {
  Result<std::unique_ptr<File>> file = disk.Open(path, OpenMode::kCreate);
  if (!file) return file.error();
  DraftMarkFile marks(std::move(*file));
  for (int slot = 0; slot < kSlots; ++slot) {
    std::array<std::byte, kMarkBytes> bytes;
    Result<size_t> got = marks.file_->ReadAt(slot * kSlotStride, bytes);
    if (!got) return got.error();
    std::optional<DraftMark> mark = DecodeDraftMark(AsText(bytes).substr(0, *got));
    if (!mark || (marks.newest_ && marks.newest_->size > mark->size)) continue;
    marks.newest_ = mark;
    marks.next_slot_ = (slot + 1) % kSlots;
  }
  return marks;
}

Result<> DraftMarkFile::Write(const DraftMark& mark) {
  std::string bytes = EncodeDraftMark(mark);
  Result<> wrote = file_->WriteAt(next_slot_ * kSlotStride, AsBytes(bytes));
  if (!wrote) return wrote;
  Result<> synced = file_->Sync();
  if (!synced) return synced;
  newest_ = mark;
  next_slot_ = (next_slot_ + 1) % kSlots;
  return Done{};
}

}  // namespace fireweed
