#include "storage/preconditions.h"

#include <gtest/gtest.h>

namespace fireweed::storage {
namespace {

struct Case {
  const char* what;
  api::storage::ObjectConditions conditions;
  Verdict absent;         // nothing is there
  Verdict read, written;  // generation 7, metageneration 2 is there
};

constexpr Verdict kYes = Verdict::kHolds, kNo = Verdict::kFails, kSame = Verdict::kNotModified;

TEST(Preconditions, Table) {
  const Case cases[] = {
      {"none", {}, kYes, kYes, kYes},
      {"generation 0", {.ifGenerationMatch = 0}, kYes, kNo, kNo},
      {"generation 7", {.ifGenerationMatch = 7}, kNo, kYes, kYes},
      {"generation 8", {.ifGenerationMatch = 8}, kNo, kNo, kNo},
      {"not generation 0", {.ifGenerationNotMatch = 0}, kNo, kYes, kYes},
      {"not generation 7", {.ifGenerationNotMatch = 7}, kNo, kSame, kNo},
      {"not generation 8", {.ifGenerationNotMatch = 8}, kNo, kYes, kYes},
      {"metageneration 2", {.ifMetagenerationMatch = 2}, kNo, kYes, kYes},
      {"metageneration 3", {.ifMetagenerationMatch = 3}, kNo, kNo, kNo},
      {"not metageneration 2", {.ifMetagenerationNotMatch = 2}, kNo, kSame, kNo},
      {"not metageneration 3", {.ifMetagenerationNotMatch = 3}, kNo, kYes, kYes},
      {"both match", {.ifGenerationMatch = 7, .ifMetagenerationMatch = 2}, kNo, kYes, kYes},
      {"one matches", {.ifGenerationMatch = 7, .ifMetagenerationMatch = 3}, kNo, kNo, kNo},
      {"a failed match beats not-modified",
       {.ifGenerationMatch = 8, .ifMetagenerationNotMatch = 2},
       kNo,
       kNo,
       kNo},
      {"0 and another", {.ifGenerationMatch = 0, .ifMetagenerationMatch = 1}, kNo, kNo, kNo},
  };
  for (const Case& c : cases) {
    VersionPoint there{7, 2};
    EXPECT_EQ(CheckConditions(c.conditions, std::nullopt, Purpose::kWrite), c.absent) << c.what;
    EXPECT_EQ(CheckConditions(c.conditions, there, Purpose::kRead), c.read) << c.what;
    EXPECT_EQ(CheckConditions(c.conditions, there, Purpose::kWrite), c.written) << c.what;
  }
}

}  // namespace
}  // namespace fireweed::storage
