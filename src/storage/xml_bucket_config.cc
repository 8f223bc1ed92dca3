#include "storage/xml_bucket_config.h"

#include <charconv>

#include <fmt/format.h>

#include "describe/json_codec.h"
#include "storage/xml_writer.h"

namespace fireweed::storage {
namespace {

struct RuleAction {
  std::string type, storageClass;
};
struct RuleCondition {
  std::optional<int32_t> age, numNewerVersions, daysSinceCustomTime, daysSinceNoncurrentTime;
  std::string createdBefore, customTimeBefore, noncurrentTimeBefore;
  std::optional<bool> isLive;
  std::vector<std::string> matchesStorageClass, matchesPrefix, matchesSuffix;
};
struct LifecycleRule {
  RuleAction action;
  RuleCondition condition;
};

}  // namespace
}  // namespace fireweed::storage

namespace fireweed {
template <>
inline constexpr auto kFields<storage::RuleAction> = [](auto...) {
  return Fields{F("type", &storage::RuleAction::type),
                F("storageClass", &storage::RuleAction::storageClass)};
};
template <>
inline constexpr auto kFields<storage::RuleCondition> = [](auto...) {
  return Fields{F("age", &storage::RuleCondition::age),
                F("numNewerVersions", &storage::RuleCondition::numNewerVersions),
                F("daysSinceCustomTime", &storage::RuleCondition::daysSinceCustomTime),
                F("daysSinceNoncurrentTime", &storage::RuleCondition::daysSinceNoncurrentTime),
                F("createdBefore", &storage::RuleCondition::createdBefore),
                F("customTimeBefore", &storage::RuleCondition::customTimeBefore),
                F("noncurrentTimeBefore", &storage::RuleCondition::noncurrentTimeBefore),
                F("isLive", &storage::RuleCondition::isLive),
                F("matchesStorageClass", &storage::RuleCondition::matchesStorageClass),
                F("matchesPrefix", &storage::RuleCondition::matchesPrefix),
                F("matchesSuffix", &storage::RuleCondition::matchesSuffix)};
};
template <>
inline constexpr auto kFields<storage::LifecycleRule> = [](auto...) {
  return Fields{F("action", &storage::LifecycleRule::action),
                F("condition", &storage::LifecycleRule::condition)};
};
}  // namespace fireweed

namespace fireweed::storage {
namespace {

using api::storage::Bucket;

constexpr std::pair<std::string_view, std::optional<int32_t> RuleCondition::*> kNumbers[] = {
    {"Age", &RuleCondition::age},
    {"NumberOfNewerVersions", &RuleCondition::numNewerVersions},
    {"DaysSinceCustomTime", &RuleCondition::daysSinceCustomTime},
    {"DaysSinceNoncurrentTime", &RuleCondition::daysSinceNoncurrentTime}};
constexpr std::pair<std::string_view, std::string RuleCondition::*> kDates[] = {
    {"CreatedBefore", &RuleCondition::createdBefore},
    {"CustomTimeBefore", &RuleCondition::customTimeBefore},
    {"NoncurrentTimeBefore", &RuleCondition::noncurrentTimeBefore}};
constexpr std::pair<std::string_view, std::vector<std::string> RuleCondition::*> kLists[] = {
    {"MatchesStorageClass", &RuleCondition::matchesStorageClass},
    {"MatchesPrefix", &RuleCondition::matchesPrefix},
    {"MatchesSuffix", &RuleCondition::matchesSuffix}};

[[noreturn]] void Refuse(std::string_view what) {
  throw Failure(Code::kInvalid, "MalformedXML",
                fmt::format("The XML you provided has no valid {}.", what));
}

int32_t Number(const XmlElement& element) {
  int32_t number = 0;
  const std::string& text = element.text;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || number < 0) {
    Refuse(element.name);
  }
  return number;
}

std::string JsonText(std::string_view text) {
  JsonWriter out;
  out.String(text);
  return out.Take();
}

// {"FIELD":[RULES]}, or null for none: an empty list is no setting.
template <class Rule>
std::string ListPatch(std::string_view head, const std::vector<Rule>& rules,
                      std::string_view tail) {
  if (rules.empty()) return fmt::format("{}null{}", head, tail);
  std::string list;
  for (const Rule& rule : rules) list += (list.empty() ? "" : ",") + EncodeJson(rule);
  return fmt::format("{}[{}]{}", head, list, tail);
}

void Group(XmlWriter& out, std::string_view group, std::string_view leaf,
           const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  out.Open(group);
  for (const std::string& text : texts) out.Leaf(leaf, text);
  out.Close(group);
}

std::vector<std::string> Texts(const XmlElement& element, std::string_view group) {
  std::vector<std::string> texts;
  if (const XmlElement* within = element.Child(group)) {
    for (const XmlElement& child : within->children) texts.push_back(child.text);
  }
  return texts;
}

std::string ShowCors(const Bucket& bucket) {
  XmlWriter out;
  out.Open("CorsConfig");
  for (const api::storage::Cors& rule : bucket.cors) {
    out.Open("Cors");
    Group(out, "Origins", "Origin", rule.origin);
    Group(out, "Methods", "Method", rule.method);
    Group(out, "ResponseHeaders", "ResponseHeader", rule.responseHeader);
    if (rule.maxAgeSeconds) out.Leaf("MaxAgeSec", std::to_string(*rule.maxAgeSeconds));
    out.Close("Cors");
  }
  return out.Close("CorsConfig").Take();
}

std::string PatchCors(const XmlElement& root, const Bucket&) {
  std::vector<api::storage::Cors> rules;
  for (const XmlElement& element : root.children) {
    if (element.name != "Cors") Refuse("Cors");
    api::storage::Cors rule{Texts(element, "Origins"), Texts(element, "Methods"),
                            Texts(element, "ResponseHeaders"), std::nullopt};
    if (const XmlElement* age = element.Child("MaxAgeSec")) rule.maxAgeSeconds = Number(*age);
    rules.push_back(std::move(rule));
  }
  return ListPatch("{\"cors\":", rules, "}");
}

void ShowCondition(XmlWriter& out, const RuleCondition& condition) {
  out.Open("Condition");
  for (const auto& [name, member] : kNumbers) {
    if (condition.*member) out.Leaf(name, std::to_string(*(condition.*member)));
  }
  for (const auto& [name, member] : kDates) out.LeafUnlessEmpty(name, condition.*member);
  if (condition.isLive) out.Leaf("IsLive", *condition.isLive ? "true" : "false");
  for (const auto& [name, member] : kLists) {
    for (const std::string& text : condition.*member) out.Leaf(name, text);
  }
  out.Close("Condition");
}

std::string ShowLifecycle(const Bucket& bucket) {
  XmlWriter out;
  out.Open("LifecycleConfiguration");
  for (const Json& json : bucket.lifecycle.rule) {
    LifecycleRule rule = DecodeJson<LifecycleRule>(json.text);
    out.Open("Rule").Open("Action");
    if (rule.action.type == "SetStorageClass") {
      out.Leaf("SetStorageClass", rule.action.storageClass);
    } else {
      out.Leaf(rule.action.type, "");
    }
    out.Close("Action");
    ShowCondition(out, rule.condition);
    out.Close("Rule");
  }
  return out.Close("LifecycleConfiguration").Take();
}

RuleCondition ReadCondition(const XmlElement& element) {
  RuleCondition condition;
  for (const XmlElement& child : element.children) {
    for (const auto& [name, member] : kNumbers) {
      if (child.name == name) condition.*member = Number(child);
    }
    for (const auto& [name, member] : kDates) {
      if (child.name == name) condition.*member = child.text;
    }
    for (const auto& [name, member] : kLists) {
      if (child.name == name) (condition.*member).push_back(child.text);
    }
    if (child.name == "IsLive") condition.isLive = child.text == "true";
  }
  return condition;
}

std::string PatchLifecycle(const XmlElement& root, const Bucket&) {
  std::vector<LifecycleRule> rules;
  for (const XmlElement& element : root.children) {
    const XmlElement* action = element.Child("Action");
    const XmlElement* condition = element.Child("Condition");
    if (!action || action->children.size() != 1 || !condition) Refuse("Rule");
    const XmlElement& what = action->children[0];
    rules.push_back({{what.name, what.text}, ReadCondition(*condition)});
  }
  return ListPatch("{\"lifecycle\":{\"rule\":", rules, "}}");
}

std::string ShowVersioning(const Bucket& bucket) {
  XmlWriter out;
  out.Open("VersioningConfiguration");
  if (bucket.versioning) out.Leaf("Status", bucket.versioning->enabled ? "Enabled" : "Suspended");
  return out.Close("VersioningConfiguration").Take();
}

std::string PatchVersioning(const XmlElement& root, const Bucket&) {
  std::string_view status = root.Text("Status");
  if (status != "Enabled" && status != "Suspended") Refuse("Status");
  return fmt::format("{{\"versioning\":{{\"enabled\":{}}}}}", status == "Enabled");
}

std::string ShowLogging(const Bucket& bucket) {
  XmlWriter out;
  out.Open("Logging").LeafUnlessEmpty("LogBucket", bucket.logging.logBucket);
  out.LeafUnlessEmpty("LogObjectPrefix", bucket.logging.logObjectPrefix);
  return out.Close("Logging").Take();
}

std::string PatchLogging(const XmlElement& root, const Bucket&) {
  if (!root.Child("LogBucket")) return "{\"logging\":null}";
  return fmt::format("{{\"logging\":{{\"logBucket\":{},\"logObjectPrefix\":{}}}}}",
                     JsonText(root.Text("LogBucket")), JsonText(root.Text("LogObjectPrefix")));
}

std::string ShowWebsite(const Bucket& bucket) {
  XmlWriter out;
  out.Open("WebsiteConfiguration");
  out.LeafUnlessEmpty("MainPageSuffix", bucket.website.mainPageSuffix);
  out.LeafUnlessEmpty("NotFoundPage", bucket.website.notFoundPage);
  return out.Close("WebsiteConfiguration").Take();
}

std::string PatchWebsite(const XmlElement& root, const Bucket&) {
  if (root.children.empty()) return "{\"website\":null}";
  return fmt::format("{{\"website\":{{\"mainPageSuffix\":{},\"notFoundPage\":{}}}}}",
                     JsonText(root.Text("MainPageSuffix")), JsonText(root.Text("NotFoundPage")));
}

std::string ShowTagging(const Bucket& bucket) {
  XmlWriter out;
  out.Open("Tagging").Open("TagSet");
  for (const auto& [key, value] : bucket.labels) {
    out.Open("Tag").Leaf("Key", key).Leaf("Value", value).Close("Tag");
  }
  return out.Close("TagSet").Close("Tagging").Take();
}

// The whole set is replaced: those that are not named any more are taken away.
std::string PatchTagging(const XmlElement& root, const Bucket& before) {
  std::map<std::string, std::string> members;
  for (const auto& [key, value] : before.labels) members[key] = "null";
  if (const XmlElement* set = root.Child("TagSet")) {
    for (const XmlElement& tag : set->children) {
      members[std::string(tag.Text("Key"))] = JsonText(tag.Text("Value"));
    }
  }
  std::string json;
  for (const auto& [key, value] : members) {
    json += (json.empty() ? "" : ",") + JsonText(key) + ":" + value;
  }
  return "{\"labels\":{" + json + "}}";
}

std::string ShowStorageClass(const Bucket& bucket) {
  return XmlWriter().Leaf("StorageClass", bucket.storageClass).Take();
}

std::string PatchStorageClass(const XmlElement& root, const Bucket&) {
  return "{\"storageClass\":" + JsonText(root.text) + "}";
}

std::string ShowLocation(const Bucket& bucket) {
  return XmlWriter().Leaf("LocationConstraint", bucket.location).Take();
}

std::string ShowBilling(const Bucket& bucket) {
  bool pays = bucket.billing && bucket.billing->requesterPays;
  XmlWriter out;
  out.Open("BillingConfiguration").Leaf("RequesterPays", pays ? "Enabled" : "Disabled");
  return out.Close("BillingConfiguration").Take();
}

std::string PatchBilling(const XmlElement& root, const Bucket&) {
  bool pays = root.Text("RequesterPays") == "Enabled";
  return fmt::format("{{\"billing\":{{\"requesterPays\":{}}}}}", pays);
}

std::string ShowEncryption(const Bucket& bucket) {
  XmlWriter out;
  out.Open("EncryptionConfiguration");
  out.LeafUnlessEmpty("DefaultKmsKeyName", bucket.encryption.defaultKmsKeyName);
  return out.Close("EncryptionConfiguration").Take();
}

std::string PatchEncryption(const XmlElement& root, const Bucket&) {
  if (root.Text("DefaultKmsKeyName").empty()) return "{\"encryption\":null}";
  return "{\"encryption\":{\"defaultKmsKeyName\":" + JsonText(root.Text("DefaultKmsKeyName")) +
         "}}";
}

constexpr XmlBucketConfig kConfigs[] = {
    {"cors", "CorsConfig", ShowCors, PatchCors},
    {"lifecycle", "LifecycleConfiguration", ShowLifecycle, PatchLifecycle},
    {"versioning", "VersioningConfiguration", ShowVersioning, PatchVersioning},
    {"logging", "Logging", ShowLogging, PatchLogging},
    {"websiteConfig", "WebsiteConfiguration", ShowWebsite, PatchWebsite},
    {"tagging", "Tagging", ShowTagging, PatchTagging},
    {"storageClass", "StorageClass", ShowStorageClass, PatchStorageClass},
    {"location", "LocationConstraint", ShowLocation, nullptr},
    {"billing", "BillingConfiguration", ShowBilling, PatchBilling},
    {"encryptionConfig", "EncryptionConfiguration", ShowEncryption, PatchEncryption},
    {"encryption", "EncryptionConfiguration", ShowEncryption, PatchEncryption},
};

}  // namespace

const XmlBucketConfig* FindBucketConfig(const net::Request& request) {
  for (const XmlBucketConfig& config : kConfigs) {
    if (request.Query(config.parameter)) return &config;
  }
  return nullptr;
}

}  // namespace fireweed::storage
