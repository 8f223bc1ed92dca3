#include "machine/driver_split.h"

#include "base/guarded.h"

namespace fireweed {

class DriverSplit::Share final : public MachineDriver {
 public:
  Share(MachineDriver& driver, std::function<bool(const std::string&)> mine)
      : driver_(driver), mine_(std::move(mine)) {}

  DriverCapabilities capabilities() const override { return driver_.capabilities(); }
  Result<MachineHandle> Start(const MachineSpec& spec) override {
    if (!mine_(spec.id)) return Error{Code::kInvalid, "", "not a machine of this kind: " + spec.id};
    return driver_.Start(spec);
  }
  Result<MachineStatus> Observe(const MachineHandle& handle) override {
    return driver_.Observe(handle);
  }
  Result<> Stop(const MachineHandle& handle, Duration grace) override {
    return driver_.Stop(handle, grace);
  }
  Result<> Freeze(const MachineHandle& handle, bool frozen) override {
    return driver_.Freeze(handle, frozen);
  }
  Result<> PlaceVolume(const MachineHandle& handle, const MachineVolume& volume,
                       bool there) override {
    return driver_.PlaceVolume(handle, volume, there);
  }
  Result<std::unique_ptr<ExecStream>> Exec(const MachineHandle& handle,
                                           const ExecSpec& spec) override {
    return driver_.Exec(handle, spec);
  }
  Result<UniqueFd> ListenInside(const MachineHandle& handle, std::string_view address,
                                uint16_t port, Transport transport) override {
    return driver_.ListenInside(handle, address, port, transport);
  }
  Result<> Remove(const MachineHandle& handle) override { return driver_.Remove(handle); }
  Result<std::vector<std::pair<std::string, MachineHandle>>> List() override {
    auto all = driver_.List();
    if (!all.ok()) return all;
    std::erase_if(*all, [&](const auto& entry) { return !mine_(entry.first); });
    return all;
  }
  void OnStopped(std::function<void(const std::string& id)> sink) override {
    sink_.With([&](Sink& kept) { kept = std::move(sink); });
  }
  Result<> Purge() override { return driver_.Purge(); }

  void Heard(const std::string& id) {
    if (!mine_(id)) return;
    sink_.With([&](const Sink& sink) {
      if (sink) sink(id);
    });
  }

 private:
  using Sink = std::function<void(const std::string&)>;
  MachineDriver& driver_;
  const std::function<bool(const std::string&)> mine_;
  Guarded<Sink> sink_;
};

DriverSplit::DriverSplit(MachineDriver& driver, std::string prefix)
    : with_prefix_(std::make_shared<Share>(
          driver, [prefix](const std::string& id) { return id.starts_with(prefix); })),
      others_(std::make_shared<Share>(
          driver, [prefix](const std::string& id) { return !id.starts_with(prefix); })) {
  driver.OnStopped([mine = with_prefix_, rest = others_](const std::string& id) {
    mine->Heard(id);
    rest->Heard(id);
  });
}

MachineDriver& DriverSplit::with_prefix() { return *with_prefix_; }
MachineDriver& DriverSplit::others() { return *others_; }

}  // namespace fireweed
