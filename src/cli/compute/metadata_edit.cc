#include "cli/compute/metadata_edit.h"

#include <algorithm>

#include "cli/compute/argument_lists.h"
#include "cli/compute/instance_options.h"
#include "cli/grammar.h"

namespace fireweed::cli {
namespace {

const std::vector<JsonTree>& ItemsOf(const JsonTree* object) {
  static const std::vector<JsonTree> kNone;
  const JsonTree* items = object ? object->Find("items") : nullptr;
  return items ? items->items() : kNone;
}

JsonTree WithFingerprint(const JsonTree* object, JsonTree items) {
  JsonTree body = JsonTree::Object();
  if (object && object->Find("fingerprint")) body["fingerprint"] = *object->Find("fingerprint");
  body["items"] = std::move(items);
  return body;
}

bool Has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

JsonTree EditLabels(const JsonTree& resource, const ListEdit& edit, bool add) {
  JsonTree labels = JsonTree::Object();
  const JsonTree* old = resource.Find("labels");
  std::vector<std::string> gone = SplitLists(edit.names);
  if (old) {
    for (const auto& [key, value] : old->members()) {
      if (add || (!edit.all && !Has(gone, key))) labels[key] = value;
    }
  }
  for (const auto& [key, value] : SplitPairs(edit.pairs, "--labels"))
    labels[key] = JsonTree::Text(value);
  JsonTree body = JsonTree::Object();
  body["labels"] = std::move(labels);
  if (const JsonTree* print = resource.Find("labelFingerprint")) body["labelFingerprint"] = *print;
  return body;
}

JsonTree EditTags(const JsonTree& resource, const ListEdit& edit, bool add) {
  const JsonTree* tags = resource.Find("tags");
  std::vector<std::string> named = SplitLists(edit.names);
  JsonTree items = JsonTree::List();
  for (const JsonTree& tag : ItemsOf(tags)) {
    if (!Has(named, tag.text()) && !(edit.all && !add)) items.Append(tag);
  }
  if (add) {
    for (const std::string& tag : named) items.Append(JsonTree::Text(tag));
  }
  return WithFingerprint(tags, std::move(items));
}

void LabelOptions(Command& command, ListEdit& edit) {
  command.AddOption("--labels", edit.pairs, "KEY=VALUE,...")->Required()->OneWordEach();
}
void LabelKeyOptions(Command& command, ListEdit& edit) {
  command.AddOption("--labels", edit.names, "KEY,...")->OneWordEach();
  command.AddFlag("--all", edit.all, "All of them");
}
void TagOptions(Command& command, ListEdit& edit) {
  command.AddOption("--tags", edit.names, "TAG,...")->OneWordEach();
  command.AddFlag("--all", edit.all, "All of them, when removing");
}

constexpr FieldEdit kEdits[] = {
    {"add-metadata", "setMetadata", "Set metadata", AddMetadataOptions,
     [](const JsonTree& r, const ListEdit& e) { return AddMetadata(r.Find("metadata"), e); }},
    {"remove-metadata", "setMetadata", "Remove metadata", RemoveMetadataOptions,
     [](const JsonTree& r, const ListEdit& e) { return RemoveMetadata(r.Find("metadata"), e); }},
    {"add-labels", "setLabels", "Set labels", LabelOptions,
     [](const JsonTree& r, const ListEdit& e) { return EditLabels(r, e, true); }},
    {"remove-labels", "setLabels", "Remove labels", LabelKeyOptions,
     [](const JsonTree& r, const ListEdit& e) { return EditLabels(r, e, false); }},
    {"add-tags", "setTags", "Add tags", TagOptions,
     [](const JsonTree& r, const ListEdit& e) { return EditTags(r, e, true); }},
    {"remove-tags", "setTags", "Remove tags", TagOptions,
     [](const JsonTree& r, const ListEdit& e) { return EditTags(r, e, false); }},
};

}  // namespace

std::span<const FieldEdit> InstanceEdits() { return kEdits; }

void AddMetadataOptions(Command& command, ListEdit& edit) {
  command.AddOption("--metadata", edit.pairs, "KEY=VALUE,...")->OneWordEach();
  command.AddOption("--metadata-from-file", edit.files, "KEY=PATH,...")->OneWordEach();
}

void RemoveMetadataOptions(Command& command, ListEdit& edit) {
  command.AddOption("--keys", edit.names, "KEY,...")->OneWordEach();
  command.AddFlag("--all", edit.all, "All of it");
}

JsonTree AddMetadata(const JsonTree* metadata, const ListEdit& edit) {
  const JsonTree wanted = MetadataOf(edit.pairs, edit.files);
  JsonTree items = JsonTree::List();
  for (const JsonTree& item : ItemsOf(metadata)) {
    bool replaced = false;
    for (const JsonTree& fresh : ItemsOf(&wanted))
      replaced |= fresh.TextOf("key") == item.TextOf("key");
    if (!replaced) items.Append(item);
  }
  for (const JsonTree& fresh : ItemsOf(&wanted)) items.Append(fresh);
  return WithFingerprint(metadata, std::move(items));
}

JsonTree RemoveMetadata(const JsonTree* metadata, const ListEdit& edit) {
  std::vector<std::string> gone = SplitLists(edit.names);
  JsonTree items = JsonTree::List();
  for (const JsonTree& item : ItemsOf(metadata)) {
    if (!edit.all && !Has(gone, item.TextOf("key"))) items.Append(item);
  }
  return WithFingerprint(metadata, std::move(items));
}

}  // namespace fireweed::cli
