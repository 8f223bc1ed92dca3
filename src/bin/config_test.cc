#include "bin/config.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "describe/json_codec.h"

namespace fireweed {
namespace {

class ConfigTest : public testing::Test {
 protected:
  std::string Refusal(const std::string& yaml) {
    std::ofstream(path_) << yaml;
    try {
      LoadConfig(path_);
    } catch (const Failure& failure) {
      return failure.error().message;
    }
    return "accepted";
  }
  ConfigTest() {
    std::string pattern = testing::TempDir() + "/config.XXXXXX";
    directory_ = mkdtemp(pattern.data());
    path_ = directory_ + "/config.yaml";
  }
  ~ConfigTest() override { std::filesystem::remove_all(directory_); }

  std::string directory_, path_;
};

TEST_F(ConfigTest, DocumentedDefaultsAreTheDefaults) {
  std::ofstream(path_) << DocumentedConfig();
  EXPECT_TRUE(SameValue(LoadConfig(path_), Config{}));
  EXPECT_TRUE(SameValue(LoadConfig("no/such/file"), Config{}));
}

TEST_F(ConfigTest, WhatCannotBeReadIsNotPassedOver) {
  EXPECT_THROW(LoadConfig(directory_), Failure);
}

TEST_F(ConfigTest, EveryKeyIsExplained) {
  for (const Field& section : TypeOf<Config>().fields) {
    if (section.type->fields.empty()) {
      EXPECT_FALSE(section.doc.empty()) << section.name;
    }
    for (const Field& field : section.type->fields) EXPECT_FALSE(field.doc.empty()) << field.name;
  }
}

TEST_F(ConfigTest, QuotasAreMergedAndTheirMetricsChecked) {
  EXPECT_NE(Refusal("quotas:\n  user: {CPU: 4}\n").find("quotas.user: unknown metric 'CPU'"),
            std::string::npos);
  EXPECT_NE(Refusal("quotas:\n  projects: {p: {CPUS: -1}}\n").find("quotas.projects.p.CPUS"),
            std::string::npos);
  std::ofstream(path_) << "compute: {quotas: {CPUS: 4, INSTANCES: 9}}\n"
                          "quotas: {project: {CPUS: 8}, projects: {vision: {CPUS: 16}}}\n";
  identity::QuotaLimits limits = QuotaLimitsOf(LoadConfig(path_));
  EXPECT_EQ(limits.OfProject("other"), (identity::QuotaAmounts{{"CPUS", 8}, {"INSTANCES", 9}}));
  EXPECT_EQ(limits.OfProject("vision"), (identity::QuotaAmounts{{"CPUS", 16}, {"INSTANCES", 9}}));
}

TEST_F(ConfigTest, RefusalsNameThePath) {
  EXPECT_NE(Refusal("http:\n  ioThread: 2\n").find("\"http.ioThread\""), std::string::npos);
  EXPECT_NE(Refusal("http:\n  ioThreads: many\n").find("'http.ioThreads'"), std::string::npos);
  EXPECT_NE(Refusal("http:\n  ioThreads: 0\n").find("http.ioThreads: 0"), std::string::npos);
  EXPECT_NE(Refusal("listen:\n  http: 8080\n").find("listen.http: '8080' is not HOST:PORT"),
            std::string::npos);
  EXPECT_NE(Refusal("instances:\n  driver: vm\n").find("instances.driver"), std::string::npos);
  EXPECT_NE(Refusal("ml:\n  jobs:\n    overcommit: 0\n").find("ml.jobs.overcommit"),
            std::string::npos);
  EXPECT_NE(Refusal("serving:\n  idleSeconds: -1\n").find("serving.idleSeconds"),
            std::string::npos);
  EXPECT_NE(Refusal("projects:\n  zone: mars-1\n").find("projects.zone"), std::string::npos);
  EXPECT_NE(Refusal("projects:\n  default: Bad_Project\n").find("projects.default"),
            std::string::npos);
  EXPECT_NE(Refusal("a: [").find("line"), std::string::npos);
  EXPECT_EQ(Refusal("log:\n  level: debug\n"), "accepted");
}

TEST_F(ConfigTest, AcceleratorsAreFoundOrNamedOrNone) {
  auto with = [](const std::string& cards) { return "compute:\n  accelerators: " + cards + "\n"; };
  std::ofstream(path_) << with("[{type: t, devices: [/dev/a, /dev/b], libraries: [/lib/l.so]}]");
  Config config = LoadConfig(path_);
  ASSERT_TRUE(config.compute.accelerators);
  ASSERT_EQ(config.compute.accelerators->size(), 1u);
  EXPECT_EQ(config.compute.accelerators->front().devices.back(), "/dev/b");
  std::ofstream(path_) << with("[]");
  config = LoadConfig(path_);
  EXPECT_TRUE(config.compute.accelerators && config.compute.accelerators->empty());
  EXPECT_FALSE(Config{}.compute.accelerators);

  const std::pair<const char*, const char*> kWrong[] = {
      {"[{type: T, devices: [/dev/a]}]", "compute.accelerators[0].type: 'T'"},
      {"[{type: t}]", "compute.accelerators[0].devices: a card needs one"},
      {"[{type: t, devices: [/etc/passwd]}]", "'/etc/passwd' is no path below /dev/"},
      {"[{type: t, devices: [/dev/../etc/passwd]}]", "is no path below /dev/"},
      {"[{type: t, devices: [/dev/a], libraries: [l.so]}]", "'l.so' is no path below /"},
      {"[{type: t, devices: [/dev/a]}, {type: t, devices: [/dev/a]}]",
       "compute.accelerators[1].devices: '/dev/a' is another card's first"},
  };
  for (const auto& [cards, message] : kWrong) {
    EXPECT_NE(Refusal(with(cards)).find(message), std::string::npos) << Refusal(with(cards));
  }
}

}  // namespace
}  // namespace fireweed
