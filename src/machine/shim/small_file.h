// Whole small files, for a program without the rest of the tree.
#pragma once

#include <string>
#include <string_view>

namespace fireweed {

// Empty when it is not there.
std::string ReadSmallFile(const char* path);
// Replaces it whole, in the present directory: written aside and renamed. Durable: file and directory are synced.
enum class Keep { kThisBoot, kDurably };
void WriteSmallFile(const char* name, std::string_view contents, Keep keep);

}  // namespace fireweed
