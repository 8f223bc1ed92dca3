// A fake driver that fails by chance, and by chance is the last thing the daemon does: for simulations of what stands above it.
//
// `fault_percent` of the calls fail before anything is done, and as many are done without anybody living to hear of it:
// those set `cut` and throw. The caller then rebuilds its control plane, as a restarted daemon would.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.h"
#include "machine/fake/fake_driver.h"

namespace fireweed {

class FaultyDriver final : public MachineDriver {
 public:
  FaultyDriver(const Clock& clock, Random& random) : inner_(clock), random_(random) {}

  int fault_percent = 0;
  bool cut = false;

  DriverCapabilities capabilities() const override { return inner_.capabilities(); }
  Result<MachineHandle> Start(const MachineSpec& spec) override {
    if (Chance()) return Busy();
    return Maybe(inner_.Start(spec));
  }
  Result<MachineStatus> Observe(const MachineHandle& handle) override {
    if (Chance()) return Busy();
    return Maybe(inner_.Observe(handle));
  }
  Result<> Stop(const MachineHandle& handle, Duration grace) override {
    if (Chance()) return Busy();
    return Maybe(inner_.Stop(handle, grace));
  }
  Result<> Freeze(const MachineHandle& handle, bool frozen) override {
    if (Chance()) return Busy();
    return Maybe(inner_.Freeze(handle, frozen));
  }
  Result<> PlaceVolume(const MachineHandle& handle, const MachineVolume& volume,
                       bool there) override {
    if (Chance()) return Busy();
    return Maybe(inner_.PlaceVolume(handle, volume, there));
  }
  Result<std::unique_ptr<ExecStream>> Exec(const MachineHandle& handle,
                                           const ExecSpec& spec) override {
    return inner_.Exec(handle, spec);
  }
  Result<UniqueFd> ListenInside(const MachineHandle& handle, std::string_view address,
                                uint16_t port, Transport transport) override {
    return inner_.ListenInside(handle, address, port, transport);
  }
  Result<> Remove(const MachineHandle& handle) override {
    if (Chance()) return Busy();
    return Maybe(inner_.Remove(handle));
  }
  Result<std::vector<std::pair<std::string, MachineHandle>>> List() override {
    if (Chance()) return Busy();
    return Maybe(inner_.List());
  }
  void OnStopped(std::function<void(const std::string&)> sink) override {
    inner_.OnStopped(std::move(sink));
  }
  Result<> Purge() override { return inner_.Purge(); }
  std::vector<std::string> LentDevices() const { return inner_.LentDevices(); }

 private:
  bool Chance() { return random_.Below(100) < static_cast<uint64_t>(fault_percent); }
  static Error Busy() { return {Code::kUnavailable, "", "busy"}; }
  // Done, but nobody lives to hear of it.
  template <class T>
  T Maybe(T result) {
    if (!Chance()) return result;
    cut = true;
    throw std::runtime_error("cut");
  }

  FakeDriver inner_;
  Random& random_;
};

}  // namespace fireweed
