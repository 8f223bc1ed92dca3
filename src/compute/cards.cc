#include "compute/cards.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "compute/links.h"

namespace fireweed::compute {
namespace {

std::set<std::string> TakenByOthers(Txn& txn, const InstanceRecord& record) {
  std::set<std::string> taken;
  txn.ForEach<InstanceRecord>({}, [&](const auto& row) {
    if (row.key == record.key()) return;
    taken.insert(row.value.cards.begin(), row.value.cards.end());
  });
  return taken;
}

Error Taken(const InstanceRecord& record, const std::string& type) {
  return {Code::kExhausted, std::string(kCardsTaken),
          fmt::format("The zone 'projects/{}/zones/{}' does not have enough resources available to "
                      "fulfill the request.  Try a different zone, or try again later. "
                      "(resource type: {})",
                      record.project, record.zone, type)};
}

}  // namespace

Result<std::vector<std::string>> ChooseCards(Txn& txn, const InstanceRecord& record,
                                             const std::vector<HostCard>& host) {
  std::map<std::string, int64_t> wanted;
  for (const api::compute::AcceleratorConfig& cards : record.resource.guestAccelerators) {
    wanted[LastWord(cards.acceleratorType)] += cards.acceleratorCount;
  }
  std::set<std::string> taken = TakenByOthers(txn, record);
  std::vector<std::string> chosen;
  for (const auto& [type, count] : wanted) {
    std::vector<std::string> own, free;
    int64_t here = 0;
    for (const HostCard& card : host) {
      if (card.type != type) continue;
      ++here;
      bool has = std::ranges::find(record.cards, card.name()) != record.cards.end();
      if (!taken.contains(card.name())) (has ? own : free).push_back(card.name());
    }
    own.insert(own.end(), free.begin(), free.end());
    auto needed = static_cast<size_t>(std::clamp<int64_t>(count, 0, here));
    if (own.size() < needed) return Taken(record, type);
    own.resize(needed);
    chosen.insert(chosen.end(), own.begin(), own.end());
  }
  std::ranges::sort(chosen);
  return chosen;
}

void LendCards(MachineSpec& spec, const std::vector<std::string>& names,
               const std::vector<HostCard>& host, bool own_root) {
  if (host.empty()) return;
  std::vector<HostCard> lent;
  for (const HostCard& card : host) {
    if (std::ranges::find(names, card.name()) != names.end()) lent.push_back(card);
  }
  MachineCards cards = fireweed::LendCards(lent);
  if (own_root) {
    spec.cards = std::move(cards);
  } else {
    spec.environment["CUDA_VISIBLE_DEVICES"] = fmt::format("{}", fmt::join(cards.ids, ","));
  }
}

}  // namespace fireweed::compute
