#include "bin/cards.h"

#include <unistd.h>

#include <algorithm>

#include "base/process.h"

namespace fireweed {
namespace {

bool IsThere(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

// NVIDIA's nodes are made by the first program of root's that uses a card, and nobody in an instance can be that.
void MakeNvidiaNodes() {
  if (!IsThere("/proc/driver/nvidia/gpus") || IsThere("/dev/nvidia-uvm")) return;
  constexpr Duration kPatience = std::chrono::seconds(20);
  (void)RunProgram({.argv = {"nvidia-modprobe", "-c", "0", "-u"}}, kPatience);
}

std::vector<HostCard> NamedCards(const std::vector<AcceleratorSetting>& named, Logger& log) {
  std::vector<HostCard> found = FindHostCards();
  std::vector<HostCard> cards;
  for (const AcceleratorSetting& setting : named) {
    HostCard card{.type = setting.type, .devices = setting.devices, .libraries = setting.libraries};
    auto same = std::ranges::find(found, card.name(), &HostCard::name);
    if (same != found.end()) card.uuid = same->uuid;
    auto missing = std::ranges::find_if_not(card.devices, IsThere);
    if (missing == card.devices.end()) {
      cards.push_back(std::move(card));
    } else {
      log.Warning("an accelerator of the settings is not there",
                  {{"type", card.type}, {"device", *missing}});
    }
  }
  return cards;
}

}  // namespace

std::vector<HostCard> CardsHere(const ComputeConfig& config, Logger& log) {
  MakeNvidiaNodes();
  std::vector<HostCard> cards =
      config.accelerators ? NamedCards(*config.accelerators, log) : FindHostCards();
  for (const HostCard& card : cards) {
    log.Info("accelerator", {{"type", card.type}, {"device", card.name()}});
  }
  return cards;
}

}  // namespace fireweed
