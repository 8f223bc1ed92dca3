#include "catalog/record.h"

#include <gtest/gtest.h>

#include "catalog/memory_catalog.h"

namespace fireweed {

struct Shelf {
  std::string name;
  int64_t books = 0;
  std::string secret;
};
template <>
inline constexpr std::string_view kTypeName<Shelf> = "Shelf";
template <>
inline constexpr auto kFields<Shelf> = [](auto...) {
  return Fields{F("name", &Shelf::name), F("books", &Shelf::books),
                F("secret", &Shelf::secret, kStored)};
};
template <>
inline constexpr std::string_view kRecordKind<Shelf> = "shelf";

namespace {

TEST(Record, DescribedStructsAreStoredWhole) {
  MemoryCatalog catalog;
  catalog.Write("test", [](Txn& txn) {
    EXPECT_EQ(txn.Put("p/a", Shelf{"a", 7, "hidden"}), 1);
    txn.Put("p/b", Shelf{"b", 8, ""});
  });
  auto row = Query(catalog, [](Txn& txn) { return txn.Find<Shelf>("p/a"); });
  ASSERT_TRUE(row);
  EXPECT_EQ(row->key, "p/a");
  EXPECT_EQ(row->version, 1);
  EXPECT_EQ(row->value.books, 7);
  EXPECT_EQ(row->value.secret, "hidden");
  auto rows = Query(catalog, [](Txn& txn) { return txn.Scan<Shelf>({.prefix = "p/"}); });
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].value.name, "b");
}

TEST(Record, ARowThatDoesNotDecodeIsOurFault) {
  MemoryCatalog catalog;
  catalog.Write("test", [](Txn& txn) {
    txn.PutRaw("shelf", "bad", "{\"books\":[]}", {});
    txn.PutRaw("shelf", "newer", "{\"name\":\"n\",\"colour\":\"red\"}", {});
  });
  EXPECT_EQ(Query(catalog, [](Txn& txn) { return txn.Find<Shelf>("newer"); })->value.name, "n");
  try {
    Query(catalog, [](Txn& txn) { return txn.Find<Shelf>("bad"); });
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.error().code, Code::kInternal);
    EXPECT_NE(failure.error().message.find("shelf"), std::string::npos);
  }
}

}  // namespace
}  // namespace fireweed
