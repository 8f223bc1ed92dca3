// Instances under a driver that fails by chance and a daemon that is cut off by chance between intent, call and
// record. Whatever the seed: every operation ends, instances come to rest in the state that was wanted last, the
// driver has exactly their machines, and then all is quiet. At no time does a card belong to two machines.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "compute/compute_fixture.h"
#include "machine/fake/faulty_driver.h"

namespace fireweed::compute {
namespace {

using std::chrono::minutes;

class Simulation {
 public:
  explicit Simulation(uint64_t seed)
      : random_(seed), driver_(clock_, random_), all_(&driver_, seed) {
    // One clock for both: the fixture's.
    all_.clock.JumpTo(clock_.Now());
    all_.cards = {{.type = "card", .devices = {"/dev/card0"}},
                  {.type = "card", .devices = {"/dev/card1"}}};
    all_.Restart();
  }

  void Run() {
    driver_.fault_percent = static_cast<int>(random_.Below(25));
    for (int i = 0; i < 60; ++i) {
      if (random_.Below(3) == 0) Wish();
      Step();
      if (random_.Below(20) == 0) all_.Restart();
    }
    driver_.fault_percent = 0;
    Time end = clock_.Now() + minutes(20);
    while (clock_.Now() < end && Step()) {
    }
    Check();
  }

 private:
  // One turn of the world: due work, one action, or a jump to what is due next. False when nothing is left.
  bool Step() {
    std::optional<Time> next = all_.plane->loop.RunDue();
    if (all_.plane->pool.size() > 0) {
      all_.plane->pool.Run(random_.Below(all_.plane->pool.size()));
      if (std::exchange(driver_.cut, false)) all_.Restart();
      std::vector<std::string> lent = driver_.LentDevices();
      EXPECT_EQ(std::ranges::adjacent_find(lent), lent.end()) << "a card was lent twice";
      return true;
    }
    if (!next) return false;
    Advance(*next);
    return true;
  }

  void Advance(Time to) {
    clock_.JumpTo(to);
    all_.clock.JumpTo(to);
  }

  void Wish() {
    std::string zone = "/compute/v1/projects/p/zones/us-east1-b/instances";
    std::string name = "vm" + std::to_string(random_.Below(5));
    static constexpr const char* kScripts[] = {
        "{}",
        R"({"fake_run-seconds":"20"})",
        R"({"fake_run-seconds":"5","fake_exit":"killed"})",
        R"({"fake_stop-seconds":"200"})",
        R"({"fake_start-failures":"3","fake_start-seconds":"2"})",
        R"({"fake_run-seconds":"9","fake_exit":"reboot"})"};
    Reply reply;
    switch (random_.Below(9)) {
      case 0:
      case 1: reply = all_.Ask("POST", zone, Body(name, kScripts[random_.Below(6)])); break;
      case 2: reply = all_.Ask("POST", zone + "/" + name + "/stop"); break;
      case 3: reply = all_.Ask("POST", zone + "/" + name + "/start"); break;
      case 4: reply = all_.Ask("POST", zone + "/" + name + "/reset"); break;
      case 5: reply = all_.Ask("DELETE", zone + "/" + name); break;
      case 6: reply = all_.Ask("POST", zone + "/" + name + "/suspend"); break;
      case 7: reply = all_.Ask("POST", zone + "/" + name + "/resume"); break;
      case 8: reply = all_.Ask("POST", zone + "/" + name + "/preempt"); break;
    }
    EXPECT_NE(reply.status, 500) << reply.body;
    if (reply.status == 200) operations_.insert(reply.Field("name"));
  }

  // Some want one of the cards, some both, most none.
  std::string Body(const std::string& name, const char* script) {
    static constexpr const char* kCards[] = {
        R"("guestAccelerators":[{"acceleratorType":"card","acceleratorCount":1}],)",
        R"("guestAccelerators":[{"acceleratorType":"card","acceleratorCount":2}],)", "", ""};
    return ComputeFixture::InsertBody(name, script).insert(1, kCards[random_.Below(4)]);
  }

  void Check() {
    for (const std::string& name : operations_) {
      Reply reply = all_.Ask("GET", "/compute/v1/projects/p/zones/us-east1-b/operations/" + name);
      EXPECT_EQ(reply.Field("status"), "DONE") << reply.body;
    }
    std::set<std::string> known;
    std::set<Key> running;
    for (const auto& row : Query(all_.catalog, [](Txn& t) { return t.Scan<InstanceRecord>({}); })) {
      const InstanceRecord& record = row.value;
      std::string_view status = EnumName(record.resource.status);
      EXPECT_NE(record.want, InstanceWant::kGone) << row.key;
      const char* rest = record.want == InstanceWant::kRunning     ? "RUNNING"
                         : record.want == InstanceWant::kSuspended ? "SUSPENDED"
                                                                   : "TERMINATED";
      // A machine that reboots or dies over and over is between two boots at any time.
      bool restless = record.resource.labels.contains("fake_exit");
      if (!restless) {
        EXPECT_EQ(status, rest) << row.key;
      }
      if (!record.handle.empty()) known.insert(record.machine_id());
      if (status == "RUNNING") running.insert(row.key);
      if (status == "TERMINATED") {
        EXPECT_TRUE(record.cards.empty()) << row.key;
      }
    }
    std::set<std::string> machines;
    for (const auto& [id, handle] : driver_.List().value()) machines.insert(id);
    for (const std::string& id : machines) {
      bool remembered = known.contains(id) || BetweenBoots(id);
      EXPECT_TRUE(remembered) << "nobody remembers " << id;
    }
    for (const std::string& id : known) EXPECT_TRUE(machines.contains(id)) << id << " is lost";
    for (const Key& key : running) EXPECT_TRUE(all_.sockets.open.contains(key)) << key;
  }

  // A machine whose next boot has not begun: its record has no handle, but its id.
  bool BetweenBoots(const std::string& id) {
    for (const auto& row : Query(all_.catalog, [](Txn& t) { return t.Scan<InstanceRecord>({}); })) {
      if (row.value.machine_id() == id) return true;
    }
    return false;
  }

  SimClock clock_;
  SeededRandom random_;
  FaultyDriver driver_;
  ComputeFixture all_;
  std::set<std::string> operations_;
};

class InstanceSimulation : public ::testing::TestWithParam<int> {};

TEST_P(InstanceSimulation, ComesToRest) {
  for (int i = 0; i < 10; ++i) {
    uint64_t seed = static_cast<uint64_t>(GetParam()) * 1000 + static_cast<uint64_t>(i);
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Simulation(seed).Run();
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, InstanceSimulation, ::testing::Range(1, 5));

}  // namespace
}  // namespace fireweed::compute
