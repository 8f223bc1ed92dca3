// What for: runs controllers, level-triggered. A commit of an object, a wish of its controller to
//   look again, or Wake makes a key due; however often that happens before its turn, it runs once.
// Who calls: Wake and ActionFinished any thread, neither blocks; RunDue one thread, which is the
//   control thread: ControlThread in production, the test itself in a simulation.
// Owns: the schedule. Controllers are the caller's and stay while RunDue is called.
// A failure: what Reconcile throws is logged; the key is tried again with growing pauses until it
//   succeeds.
//
// A simulation:   while (auto next = loop.RunDue()) clock.JumpTo(*next);
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "catalog/catalog.h"
#include "control/controller.h"

namespace fireweed {

class ControlLoop {
 public:
  // Listens to the catalog's feed from now on; what came before is WakeAll's. The loop may go before
  // the catalog does.
  ControlLoop(Catalog& catalog, const Clock& clock, Logger& logger);
  ~ControlLoop();
  ControlLoop(const ControlLoop&) = delete;
  ControlLoop& operator=(const ControlLoop&) = delete;

  // Before the first RunDue.
  void Add(Controller& controller);

  // Makes every object due that a controller wants to see first: whatever happened while nobody
  // looked.
  void WakeAll();
  void Wake(std::string_view kind, const Key& key);
  void WakeAt(std::string_view kind, const Key& key, Time when);

  // For ActionPools: an action of this key has ended, so that the next may begin. `threw`: it
  // recorded nothing and said this; its key waits before it is tried again.
  void ActionFinished(std::string_view kind, const Key& key,
                      const std::optional<std::string>& threw);

  // Runs everything that is due by now, and what that makes due. Returns when the next key is due;
  // nullopt when there is nothing to wait for but commits. Keys that never come to rest are broken
  // off after kMostRounds turns more than there were to take, and then the answer is "now".
  std::optional<Time> RunDue();
  static constexpr size_t kMostRounds = 100'000;

  // Blocks until something is due before `next`, `next` has come (or a few seconds have passed,
  // since the clock may be set), or Interrupt was called: false then, now and ever after.
  bool WaitForWork(std::optional<Time> next);
  void Interrupt();

 private:
  // A turn to take: an object of a controller, or a commit that may concern others' objects.
  struct Item {
    enum class Cause { kObject, kCommit } cause = Cause::kObject;
    std::string kind;
    Key key;
    friend auto operator<=>(const Item&, const Item&) = default;
  };
  struct Schedule;

  std::optional<Item> TakeDue(Time now);
  size_t Waiting() const;
  std::optional<Time> NextDue() const;
  std::optional<Time> Run(const Item& item);
  void WakeConcerned(const Item& commit);
  void RetryLater(const Item& item, std::string_view what, std::string_view why, int failures);

  // Constant after the last Add.
  Catalog& catalog_;
  const Clock& clock_;
  Logger& logger_;
  std::map<std::string, Controller*, std::less<>> controllers_;
  const std::shared_ptr<Schedule> schedule_;  // shared with the sink, which the catalog keeps

  std::map<Item, int> failures_;  // in a row; the control thread's alone
};

}  // namespace fireweed
