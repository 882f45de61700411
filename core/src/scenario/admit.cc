#include "scenario/admit.h"

#include <algorithm>

#include "compose.h"
#include "pumice/model/reader.h"

namespace pumice::scenario {
namespace {

constexpr std::string_view kQueue = "scheduling.volcano.sh/v1beta1/Queue";

bool is_called(const Admitted& object, const std::string& name) {
  return name.empty() || object.name == name || object.kind + "/" + object.name == name;
}

std::string text_of(const Diagnostic& finding) {
  return finding.code + " " + finding.field + ": " + finding.message +
         (finding.hint.empty() ? "" : " (" + finding.hint + ")");
}

/// The value at a field path such as `spec.tasks[0].minAvailable`.
Json value_at(const Json& object, const std::string& path) {
  auto tree = node_from_json(object);
  if (!tree) return nullptr;
  const YamlNode* node = &*tree.value;
  std::string_view rest = path;
  while (!rest.empty()) {
    if (rest.front() == '.') rest.remove_prefix(1);
    const YamlNode* next = nullptr;
    if (rest.starts_with('[')) {
      const std::size_t end = std::min(rest.find(']'), rest.size());
      std::size_t index = 0;
      for (const char c : rest.substr(1, end - 1))
        index = std::min<std::size_t>(index * 10 + static_cast<std::size_t>(c - '0'), 100'000'000);
      if (node->is_list() && index < node->children.size()) next = &node->children[index];
      rest.remove_prefix(std::min(rest.size(), end + 1));
    } else {
      const std::size_t end = std::min(rest.find_first_of(".["), rest.size());
      next = node->find(rest.substr(0, end));
      rest.remove_prefix(end);
    }
    if (next == nullptr) return nullptr;
    node = next;
  }
  return to_json(*node);
}

}  // namespace

bool is_for_admission_only(std::string_view type_text) noexcept { return type_text == kQueue; }

std::vector<Admitted> admit(const std::vector<SourceText>& sources) {
  std::vector<Admitted> admitted;
  std::vector<std::pair<admission::Kind, Json>> objects;
  std::vector<YamlNode> nodes;
  admission::Options options;
  for (const SourceText& source : sources) {
    auto documents = parse_yaml(source.text, {.limits = {}, .file = source.file});
    if (!documents) continue;
    Diagnostics ignored;
    for (YamlDocument& document : *documents.value) {
      for (FoundObject& found : objects_of(document.root, source.file, ignored)) {
        if (is_for_admission_only(found.header.type_text())) {
          if (!options.queues) options.queues.emplace();
          for (admission::Queue& queue : admission::queues_from(to_json(*found.node)))
            options.queues->push_back(std::move(queue));
        }
        const auto kind = admission::kind_of(found.header.api_version, found.header.kind);
        if (!kind) continue;
        admitted.push_back({found.header.kind, found.header.name, source.file, found.node->range, {}});
        objects.emplace_back(*kind, to_json(*found.node));
        nodes.push_back(*found.node);
      }
    }
  }
  for (std::size_t i = 0; i < admitted.size(); ++i) {
    admitted[i].review = admission::review(objects[i].first, objects[i].second, nullptr, options);
    admission::locate(admitted[i].review.diagnostics, nodes[i], admitted[i].file);
  }
  return admitted;
}

std::vector<Mismatch> mismatches(const AdmissionWanted& wanted, const std::vector<Admitted>& objects) {
  std::vector<const Admitted*> meant;
  std::string names;
  for (const Admitted& object : objects) {
    if (is_called(object, wanted.object)) meant.push_back(&object);
    names += (names.empty() ? "" : ", ") + object.kind + "/" + object.name;
  }
  const std::string who = wanted.object.empty() ? "" : " " + wanted.object;
  if (meant.empty())
    return {{compose("an object{} for admission", who), names.empty() ? "there is none" : "there is " + names}};
  std::vector<Mismatch> wrong;
  std::string denials;
  bool message_found = false;
  for (const Admitted* object : meant) {
    if (object->review.allowed) continue;
    denials += (denials.empty() ? "" : "; ") + object->name + ": " + object->review.message;
    message_found = message_found || (wanted.message && wanted.message->found_in(object->review.message));
  }
  if (wanted.allowed && *wanted.allowed && !denials.empty())
    wrong.push_back({"admission allows" + who, "denied: " + denials});
  if (wanted.allowed && !*wanted.allowed) {
    if (denials.empty()) {
      wrong.push_back({"admission denies" + who, "allowed"});
    } else if (wanted.message && !message_found) {
      wrong.push_back({"admission denies: /" + wanted.message->text() + "/", "denied: " + denials});
    }
  }
  for (const Pattern& pattern : wanted.warnings) {
    std::string seen;
    bool found = false;
    for (const Admitted* object : meant) {
      for (const Diagnostic& finding : object->review.diagnostics) {
        if (finding.severity == Severity::Error) continue;
        found = found || pattern.found_in(text_of(finding));
        seen += (seen.empty() ? "" : "; ") + text_of(finding);
      }
    }
    if (!found) wrong.push_back({"a warning: /" + pattern.text() + "/", seen.empty() ? "no warning" : seen});
  }
  for (const auto& [field, value] : wanted.defaults) {
    for (const Admitted* object : meant) {
      const Json is = value_at(object->review.defaulted, field);
      if (is != value)
        wrong.push_back(
            {compose("{} is {} after defaults", field, to_text(value)), is.is_null() ? "absent" : to_text(is)});
    }
  }
  return wrong;
}

}  // namespace pumice::scenario
