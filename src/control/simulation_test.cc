// A toy cluster of lamps on a simulated clock: a controller, a world that fails by chance, and a
// process that is cut off by chance between intent, action and record. Whatever the seed: every
// operation ends, the world becomes what was wanted last, no key has two actions at once, and all
// is quiet afterwards.
#include <map>
#include <memory>
#include <set>
#include <stdexcept>

#include <gtest/gtest.h>

#include "base/ids.h"
#include "base/random.h"
#include "base/sim_clock.h"
#include "catalog/memory_catalog.h"
#include "control/action_pool.h"
#include "control/backoff.h"
#include "control/control_loop.h"
#include "control/operations.h"

namespace fireweed {

struct Lamp {
  bool wanted_lit = false;
  int64_t generation = 0;  // grows with every wish
  int64_t reached = 0;     // the generation that the world has been brought to
  bool acting = false;     // the intent: an action may be under way, or was when the process ended
  Backoff backoff;
};
template <>
inline constexpr std::string_view kTypeName<Lamp> = "Lamp";
template <>
inline constexpr auto kFields<Lamp> = [](auto...) {
  return Fields{F("wantedLit", &Lamp::wanted_lit), F("generation", &Lamp::generation),
                F("reached", &Lamp::reached), F("acting", &Lamp::acting),
                F("backoff", &Lamp::backoff)};
};
template <>
inline constexpr std::string_view kRecordKind<Lamp> = "lamp";

namespace {

struct World {
  std::map<Key, bool> lit;
  std::set<Key> being_switched;
};

// The process is gone: nothing after this line of it happened.
struct Cut : std::runtime_error {
  Cut() : std::runtime_error("cut") {}
};

class LampController final : public Controller {
 public:
  LampController(Catalog& catalog, const Clock& clock, Random& random, World& world,
                 ActionPool& pool, double fault_share)
      : catalog_(catalog),
        clock_(clock),
        random_(random),
        world_(world),
        pool_(pool),
        fault_share_(fault_share) {}

  std::string_view kind() const override { return kRecordKind<Lamp>; }

  std::optional<Time> Reconcile(const Key& key) override {
    std::optional<Time> look_again;
    std::optional<Lamp> act;
    catalog_.Write("lamp intent", [&](Txn& txn) {
      look_again.reset();
      act.reset();
      std::optional<Row<Lamp>> row = txn.Find<Lamp>(key);
      if (!row || row->value.reached == row->value.generation) return;
      Lamp lamp = row->value;
      if (!MayTry(lamp.backoff, clock_.Now())) {
        look_again = lamp.backoff.next_try;
        return;
      }
      act = lamp;
      if (!lamp.acting) {
        lamp.acting = true;
        txn.Put(key, lamp);
      }
    });
    if (act) pool_.Submit(kind(), key, [this, key, lamp = *act] { Switch(key, lamp); });
    return look_again;
  }

 private:
  bool Chance() { return static_cast<double>(random_.Below(1000)) < fault_share_ * 1000; }

  void Switch(const Key& key, const Lamp& lamp) {
    EXPECT_TRUE(world_.being_switched.insert(key).second) << "two actions on " << key;
    bool failed = Chance();
    if (!failed) world_.lit[key] = lamp.wanted_lit;
    world_.being_switched.erase(key);
    if (Chance()) throw Cut();
    catalog_.Write("lamp record", [&](Txn& txn) {
      Row<Lamp> row = *txn.Find<Lamp>(key);
      row.value.acting = false;
      if (failed) {
        row.value.backoff = AfterFailure(row.value.backoff, {}, key, clock_.Now());
      } else {
        row.value.backoff = {};
        row.value.reached = lamp.generation;
        Settle(txn, kind(), key, lamp.generation, std::nullopt, clock_.Now());
      }
      txn.Put(key, row.value);
    });
  }

  Catalog& catalog_;
  const Clock& clock_;
  Random& random_;
  World& world_;
  ActionPool& pool_;
  double fault_share_;
};

// One life of the process; the catalog and the world outlive it.
struct Process {
  Process(Catalog& catalog, const Clock& clock, Random& random, World& world, double fault_share)
      : loop(catalog, clock, logger),
        pool(loop),
        lamps(catalog, clock, random, world, pool, fault_share) {
    loop.Add(lamps);
    loop.WakeAll();
  }
  NullLogger logger;
  ControlLoop loop;
  QueuedActionPool pool;
  LampController lamps;
};

class Simulation {
 public:
  explicit Simulation(uint64_t seed) : random_(seed), ids_(clock_, random_) {
    catalog_.OnCommit([this](std::string_view, const Key&) { ++commits_; });
    Restart();
  }

  void Run(int wishes) {
    for (int i = 0; i < wishes; ++i) {
      Wish("lamp" + std::to_string(random_.Below(5)), random_.Below(2) == 0);
      for (uint64_t steps = random_.Below(6); steps > 0; --steps) Step();
      if (random_.Below(10) == 0) Restart();
    }
    fault_share_ = 0.2;
    for (int steps = 0; Step(); ++steps) ASSERT_LT(steps, 20'000) << "it does not come to rest";
  }

  void CheckEverythingIsAsWanted() {
    catalog_.Read([&](Txn& txn) {
      for (const Row<Lamp>& lamp : txn.Scan<Lamp>({})) {
        EXPECT_EQ(lamp.value.reached, lamp.value.generation) << lamp.key;
        EXPECT_EQ(world_.lit[lamp.key], lamp.value.wanted_lit) << lamp.key;
        EXPECT_FALSE(lamp.value.acting) << lamp.key;
        EXPECT_TRUE(OpenOperations(txn, kRecordKind<Lamp>, lamp.key).empty()) << lamp.key;
      }
      EXPECT_EQ(txn.Scan<Operation>({}).size(), operations_);
      for (const Row<Operation>& operation : txn.Scan<Operation>({})) {
        EXPECT_TRUE(operation.value.ended) << operation.key;
      }
    });
    int commits = commits_;
    process_->loop.WakeAll();
    EXPECT_EQ(process_->loop.RunDue(), std::nullopt);
    EXPECT_EQ(process_->pool.size(), 0u);
    EXPECT_EQ(commits_, commits) << "not quiet";
  }

 private:
  void Restart() {
    process_.reset();
    world_.being_switched.clear();
    process_ = std::make_unique<Process>(catalog_, clock_, random_, world_, fault_share_);
  }

  void Wish(const Key& key, bool lit) {
    catalog_.Write("lamp wish", [&](Txn& txn) {
      std::optional<Row<Lamp>> row = txn.Find<Lamp>(key);
      Lamp lamp = row ? row->value : Lamp{};
      lamp.wanted_lit = lit;
      ++lamp.generation;
      txn.Put(key, lamp);
      Operation operation{.scope = "p", .id = ids_.NextWord(), .verb = "switch"};
      operation.target_kind = kRecordKind<Lamp>;
      operation.target = key;
      operation.target_version = lamp.generation;
      Begin(txn, operation, clock_.Now());
    });
    ++operations_;
  }

  // Runs one waiting action, or what is due, or jumps to the next time. False when nothing is left
  // to do.
  bool Step() {
    std::optional<Time> next = process_->loop.RunDue();
    if (process_->pool.size() > 0) {
      size_t which = random_.Below(process_->pool.size());
      bool dies = random_.Below(20) == 0;  // between intent and action
      if (dies)
        Restart();
      else
        process_->pool.Run(which);
      return true;
    }
    if (!next) return false;
    clock_.JumpTo(*next);
    return true;
  }

  SimClock clock_;
  SeededRandom random_;
  IdSource ids_;
  MemoryCatalog catalog_;
  World world_;
  double fault_share_ = 0.4;
  size_t operations_ = 0;
  int commits_ = 0;
  std::unique_ptr<Process> process_;
};

TEST(Simulation, LampsComeToRestWhateverHappens) {
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Simulation simulation(seed);
    simulation.Run(20);
    simulation.CheckEverythingIsAsWanted();
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace fireweed
