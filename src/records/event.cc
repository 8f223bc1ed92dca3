#include "records/event.h"

#include "records/tensor_scalar.h"
#include "records/wire_format.h"

namespace fireweed::records {
namespace {

// Field numbers of Event, Summary and Summary.Value.
constexpr uint32_t kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5;
constexpr uint32_t kValue = 1;
constexpr uint32_t kTag = 1, kSimpleValue = 2, kTensor = 8;

// False: broken. Adds nothing for a value that is no scalar.
bool ReadValue(std::string_view message, std::vector<Scalar>& out) {
  Scalar scalar;
  bool found = false;
  WireReader fields(message);
  while (auto field = fields.Next()) {
    if (field->number == kTag) scalar.tag = field->bytes;
    if (field->number == kSimpleValue && field->type == WireType::kFixed32) {
      scalar.value = field->AsFloat();
      found = true;
    }
    if (field->number == kTensor && field->type == WireType::kBytes) {
      if (auto value = TensorScalar(field->bytes)) {
        scalar.value = *value;
        found = true;
      }
    }
  }
  if (fields.broken()) return false;
  if (found) out.push_back(std::move(scalar));
  return true;
}

bool ReadSummary(std::string_view message, std::vector<Scalar>& out) {
  WireReader fields(message);
  while (auto field = fields.Next()) {
    if (field->number == kValue && !ReadValue(field->bytes, out)) return false;
  }
  return !fields.broken();
}

}  // namespace

Result<Event> ParseEvent(std::string_view record) {
  Event event;
  bool sound = true;
  WireReader fields(record);
  while (auto field = fields.Next()) {
    if (field->number == kWallTime && field->type == WireType::kFixed64)
      event.wall_time = field->AsDouble();
    if (field->number == kStep) event.step = static_cast<int64_t>(field->bits);
    if (field->number == kFileVersion) event.file_version = field->bytes;
    if (field->number == kSummary) sound = ReadSummary(field->bytes, event.scalars) && sound;
  }
  if (fields.broken() || !sound) return Error{Code::kInvalid, "dataLoss", "not an event"};
  return event;
}

std::string EncodeEvent(const Event& event) {
  WireWriter out;
  out.Double(kWallTime, event.wall_time);
  if (event.step != 0) out.Integer(kStep, static_cast<uint64_t>(event.step));
  if (!event.file_version.empty()) out.Text(kFileVersion, event.file_version);
  if (!event.scalars.empty()) {
    WireWriter summary;
    for (const Scalar& scalar : event.scalars) {
      WireWriter value;
      value.Text(kTag, scalar.tag).Float(kSimpleValue, static_cast<float>(scalar.value));
      summary.Text(kValue, value.bytes());
    }
    out.Text(kSummary, summary.bytes());
  }
  return out.bytes();
}

bool IsEventFile(std::string_view name) {
  size_t slash = name.rfind('/');
  std::string_view base = slash == name.npos ? name : name.substr(slash + 1);
  // Profiles and checkpoints lie beside them; unfinished uploads of some writers end in a suffix of theirs.
  return base.find("tfevents") != base.npos && !base.ends_with(".profile-empty");
}

}  // namespace fireweed::records
