// For tests: every kind of catalog there is, by name, each with whatever it lives in.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "catalog/catalog.h"

namespace fireweed {

class CatalogHome {
 public:
  virtual ~CatalogHome() = default;
  virtual Catalog& catalog() = 0;
};

struct CatalogMaker {
  std::string name;
  std::function<std::unique_ptr<CatalogHome>()> make;

  friend void PrintTo(const CatalogMaker& maker, std::ostream* out) { *out << maker.name; }
};

std::vector<CatalogMaker> CatalogMakers();

// A directory that is removed with its contents at the end of its scope.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace fireweed
