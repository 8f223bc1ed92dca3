#include "catalog/catalog_fixture.h"

#include <filesystem>

#include <stdlib.h>

#include "base/log.h"
#include "base/memory_disk.h"
#include "catalog/memory_catalog.h"
#include "catalog/sqlite_catalog.h"
#include "catalog/sqlite_disk_vfs.h"

namespace fireweed {
namespace {

class MemoryHome final : public CatalogHome {
 public:
  Catalog& catalog() override { return catalog_; }

 private:
  MemoryCatalog catalog_;
};

class SqliteHome final : public CatalogHome {
 public:
  SqliteHome()
      : catalog_({.path = directory_.path() + "/catalog.db", .checkpoint_pages = 8}, logger_) {}
  Catalog& catalog() override { return catalog_; }

 private:
  ScratchDirectory directory_;
  NullLogger logger_;
  SqliteCatalog catalog_;
};

class SqliteOnMemoryDisk final : public CatalogHome {
 public:
  SqliteOnMemoryDisk()
      : layer_(disk_),
        catalog_({.path = "/catalog.db", .vfs = layer_.name(), .checkpoint_pages = 8}, logger_) {}
  Catalog& catalog() override { return catalog_; }

 private:
  MemoryDisk disk_;
  SqliteDiskVfs layer_;
  NullLogger logger_;
  SqliteCatalog catalog_;
};

}  // namespace

ScratchDirectory::ScratchDirectory() {
  path_ = (std::filesystem::temp_directory_path() / "fireweed-catalog-XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) Abort("no scratch directory");
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<CatalogMaker> CatalogMakers() {
  return {
      {"Memory", [] { return std::make_unique<MemoryHome>(); }},
      {"Sqlite", [] { return std::make_unique<SqliteHome>(); }},
      {"SqliteOnMemoryDisk", [] { return std::make_unique<SqliteOnMemoryDisk>(); }},
  };
}

}  // namespace fireweed
