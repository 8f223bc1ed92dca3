// Reading and writing files and streams of this machine. May block. Any thread, on different descriptors.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"

namespace fireweed::cli {

Result<size_t> ReadAt(int fd, int64_t offset, std::span<std::byte> out);
// Until `out` is full or the end; how much. Throws Failure.
size_t ReadFully(int fd, std::span<std::byte> out);
// Throws Failure; `what` names the file.
void WriteFully(int fd, std::span<const std::byte> bytes, const std::string& what);
// crc32c of the first `length` bytes. Throws Failure when there are fewer.
uint32_t CrcOfFile(int fd, int64_t length);
// Base64, of a whole file by its path.
std::string CrcTextOfFile(const std::string& path);

}  // namespace fireweed::cli
