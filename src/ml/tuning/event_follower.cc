#include "ml/tuning/event_follower.h"

#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/bytes.h"
#include "records/event.h"

namespace fireweed::ml {

EventFollower::EventFollower(AccountObjects& objects, std::string account,
                             const std::string& directory, std::string tag)
    : objects_(objects),
      account_(std::move(account)),
      tag_(std::move(tag)),
      place_(ParseObjectPlace(directory.ends_with('/') || directory.empty() ? directory
                                                                            : directory + "/")) {}

Result<> EventFollower::Follow() {
  if (place_.bucket.empty()) return Done{};
  Result<std::vector<ObjectSight>> found = objects_.List(account_, place_.bucket, place_.name);
  if (!found.ok()) return found.error();
  for (const ObjectSight& object : *found) {
    if (!records::IsEventFile(object.name)) continue;
    FileSight& file = files_[object.name];
    if (file.generation == object.generation) continue;
    Result<> followed = FollowFile(object, file);
    // Between the list and the read it was written anew: the next look finds it.
    if (!followed.ok() && followed.error().code != Code::kNotFound) return followed;
  }
  return Done{};
}

Result<> EventFollower::FollowFile(const ObjectSight& object, FileSight& file) {
  bool from_start = file.consumed == 0;
  if (object.size < file.consumed) {
    file = {};
    from_start = true;
  }
  Result<bool> read = ReadOn(object, file);
  if (read.ok() && !*read && !from_start) {
    file = {};
    read = ReadOn(object, file);
  }
  if (!read.ok()) return read.error();
  file.generation = object.generation;
  return Done{};
}

Result<bool> EventFollower::ReadOn(const ObjectSight& object, FileSight& file) {
  records::RecordSplitter splitter(file.consumed, kLargestRecord);
  std::optional<Error> damage;
  Result<> read = objects_.Read(account_, place_.bucket, object, file.consumed,
                                [&](std::span<const std::byte> bytes) {
                                  bytes_read_ += static_cast<int64_t>(bytes.size());
                                  if (damage) return;
                                  splitter.Feed(AsText(bytes));
                                  while (true) {
                                    auto record = splitter.Next();
                                    if (!record.ok()) damage = record.error();
                                    if (!record.ok() || !*record) return;
                                    Take(**record, file);
                                  }
                                });
  if (!read.ok()) return read.error();
  file.consumed = splitter.consumed();
  if (damage) damage_ = fmt::format("gs://{}/{}: {}", place_.bucket, object.name, damage->message);
  return !damage;
}

void EventFollower::Take(std::string_view record, FileSight& file) const {
  Result<records::Event> event = records::ParseEvent(record);
  if (!event.ok()) return;
  for (const records::Scalar& scalar : event->scalars) {
    if (scalar.tag == tag_ && std::isfinite(scalar.value))
      file.measurements.push_back({event->step, scalar.value, event->wall_time});
  }
  if (file.measurements.size() <= kMostKept) return;
  std::vector<records::Measurement> thinned;
  for (size_t i = (file.measurements.size() - 1) % 2; i < file.measurements.size(); i += 2)
    thinned.push_back(file.measurements[i]);
  file.measurements = std::move(thinned);
}

std::vector<records::Measurement> EventFollower::Measurements() const {
  std::vector<records::Measurement> all;
  for (const auto& [name, file] : files_)
    all.insert(all.end(), file.measurements.begin(), file.measurements.end());
  return all;
}

}  // namespace fireweed::ml
