#include "machine/host_cards.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine/testing/test_host.h"

namespace fireweed {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class HostCardsTest : public ::testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text = "") {
    fs::create_directories(fs::path(root() + path).parent_path());
    std::ofstream(root() + path) << text;
  }
  void Link(const std::string& path, const std::string& target) {
    fs::create_directories(fs::path(root() + path).parent_path());
    fs::create_symlink(target, root() + path);
  }
  void Describe(const std::string& slot, const std::string& model, int minor,
                const std::string& rest = "") {
    Write("/proc/driver/nvidia/gpus/" + slot + "/information",
          "Model: \t\t " + model + "\nIRQ:   \t\t 41\nGPU UUID: \t GPU-" + slot +
              "\nDevice Minor: \t " + std::to_string(minor) + "\n" + rest);
  }
  // "TYPE NODE UUID" of each card.
  std::vector<std::string> Cards() {
    std::vector<std::string> all;
    for (const HostCard& card : FindHostCards(root())) {
      all.push_back(card.type + " " + card.name() + " " + card.uuid);
    }
    return all;
  }
  std::string root() const { return directory_.path(); }

  TemporaryDirectory directory_;
};

TEST_F(HostCardsTest, AreWhatTheDriverDescribes) {
  EXPECT_THAT(Cards(), IsEmpty());
  Describe("0000:00:06.0", "NVIDIA H200", 1);
  Describe("0000:00:05.0", "Tesla T4", 0);
  Describe("0000:00:07.0", "Tesla T4", 10, "GPU Excluded:\t Yes\n");
  Describe("0000:00:08.0", "Tesla T4", 3);  // its node is somebody else's
  for (const char* node : {"0", "1", "10", "ctl", "-uvm", "-modeset"}) {
    Write(std::string("/dev/nvidia") + node);
  }
  EXPECT_THAT(Cards(), ElementsAre("nvidia-tesla-t4 /dev/nvidia0 GPU-0000:00:05.0",
                                   "nvidia-h200-141gb /dev/nvidia1 GPU-0000:00:06.0"));
}

TEST_F(HostCardsTest, AreCountedByTheirNodesWhereNobodyDescribesThem) {
  Write("/dev/nvidia0");
  Write("/dev/nvidia2");
  Write("/dev/nvidiactl");
  EXPECT_THAT(Cards(), ElementsAre("nvidia-gpu /dev/nvidia0 ", "nvidia-gpu /dev/nvidia2 "));
}

TEST_F(HostCardsTest, BringTheirDriverAlong) {
  for (const char* node :
       {"nvidia0", "nvidia1", "nvidiactl", "nvidia-uvm", "nvidia-caps/nvidia-cap1"}) {
    Write(std::string("/dev/") + node);
  }
  std::string lib = "/usr/local/nvidia/lib64/";
  for (const char* name :
       {"libcuda.so.580.1", "libnvidia-ml.so.580.1", "libnvidia-gpucomp.so.580.1",
        "libnvidia-container.so.1.17.0", "libm.so.580.1"}) {
    Write(lib + name);
  }
  Link(lib + "libcuda.so.1", "libcuda.so.580.1");
  Link(lib + "libcuda.so", "libcuda.so.1");
  Link(lib + "libnvidia-ml.so.1", "libnvidia-ml.so.580.1");
  Link(lib + "libnvidia-container.so.1", "libnvidia-container.so.1.17.0");
  Link("/usr/lib/libcuda.so.1", "../local/nvidia/lib64/libcuda.so.1");
  Write("/usr/local/nvidia/bin/nvidia-smi");
  Write("/usr/bin/nvidia-smi");

  MachineCards lent = LendCards({FindHostCards(root())[1]}, root());
  EXPECT_THAT(lent.devices, ElementsAre("/dev/nvidia-uvm", "/dev/nvidia1", "/dev/nvidiactl"));
  std::string real = fs::canonical(root() + lib) / "";
  EXPECT_THAT(lent.libraries,
              ElementsAre(real + "libcuda.so.1", real + "libnvidia-gpucomp.so.580.1",
                          real + "libnvidia-ml.so.1"));
  EXPECT_THAT(lent.programs,
              ElementsAre(fs::canonical(root() + "/usr/local/nvidia/bin/nvidia-smi").string()));
  EXPECT_THAT(lent.ids, ElementsAre("1"));
}

TEST_F(HostCardsTest, OfOthersAreWhatTheSettingsSay) {
  Write("/dev/nvidiactl");
  MachineCards lent =
      LendCards({{.type = "amd-mi300x",
                  .devices = {"/dev/dri/renderD128", "/dev/kfd"},
                  .libraries = {"/opt/rocm/lib/libhsa-runtime64.so.1"}},
                 {.type = "amd-mi300x", .devices = {"/dev/dri/renderD129", "/dev/kfd"}}},
                root());
  EXPECT_THAT(lent.devices, ElementsAre("/dev/dri/renderD128", "/dev/dri/renderD129", "/dev/kfd"));
  EXPECT_THAT(lent.libraries, ElementsAre("/opt/rocm/lib/libhsa-runtime64.so.1"));
  EXPECT_THAT(lent.ids, IsEmpty());
}

TEST(AcceleratorTypes, AreThePublicNamesOfModels) {
  const std::pair<const char*, const char*> kCases[] = {
      {"Tesla K80", "nvidia-tesla-k80"},
      {"Tesla P100-PCIE-16GB", "nvidia-tesla-p100"},
      {"Tesla P4", "nvidia-tesla-p4"},
      {"Tesla V100-SXM2-16GB", "nvidia-tesla-v100"},
      {"Tesla T4", "nvidia-tesla-t4"},
      {"NVIDIA A100-SXM4-40GB", "nvidia-tesla-a100"},
      {"NVIDIA A100-SXM4-80GB", "nvidia-a100-80gb"},
      {"NVIDIA A100 80GB PCIe", "nvidia-a100-80gb"},
      {"NVIDIA L4", "nvidia-l4"},
      {"NVIDIA L40S", "nvidia-l40s"},
      {"NVIDIA H100 80GB HBM3", "nvidia-h100-80gb"},
      {"NVIDIA H200", "nvidia-h200-141gb"},
      {"NVIDIA B200", "nvidia-b200"},
      {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "nvidia-rtx-pro-6000"},
      {"NVIDIA GeForce RTX 4090", "nvidia-geforce-rtx-4090"},
      {"", "nvidia-gpu"},
  };
  for (const auto& [model, type] : kCases) EXPECT_EQ(AcceleratorTypeOf(model), type) << model;
}

}  // namespace
}  // namespace fireweed
