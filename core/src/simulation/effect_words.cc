#include "compose.h"
#include "simulation/words.h"

namespace pumice::simulation {

using namespace volcano;

namespace {

/// Effects that are told together: what is done, and to which objects.
struct Told {
  std::string_view label = "effect";
  std::string before;  ///< `create`
  std::vector<std::string> names;
  std::string after;  ///< `out-of-sync`

  [[nodiscard]] bool joins(const Told& other) const {
    return !names.empty() && before == other.before && after == other.after;
  }
  [[nodiscard]] std::string text() const {
    std::string line = before;
    if (names.size() > 1) line += compose(" {}:", count_of(static_cast<std::int64_t>(names.size()), "pod"));
    if (names.size() == 1) line += " pod";
    if (!names.empty()) line += " " + fold_names(names);
    return line + after;
  }
};

struct Teller {
  std::string_view job;

  Told operator()(const CreatePod& e) const {
    return {.before = "create",
            .names = {short_name(e.pod->name, job)},
            .after = compose(" (job version {})", e.pod->job_version.value_or("?"))};
  }
  Told operator()(const MarkPod& e) const {
    return {.before = "mark", .names = {short_name(e.name, job)}, .after = " as out-of-sync"};
  }
  Told operator()(const DeletePod& e) const { return {.before = "delete", .names = {short_name(e.name, job)}}; }
  Told operator()(const ReadPod& e) const { return {.before = "read", .names = {short_name(e.name, job)}}; }
  Told operator()(const CreateObject& e) const { return {.before = "create " + object_text(e.object.id)}; }
  Told operator()(const UpdateObject& e) const { return {.before = "update " + object_text(e.object.id)}; }
  Told operator()(const DeleteObject& e) const { return {.before = "delete " + object_text(e.id)}; }
  Told operator()(const UpdateJob&) const { return {.before = "write the job itself"}; }
  static std::string object_text(const ObjectName& id) { return std::string(to_string(id.type)) + " " + id.name; }

  Told operator()(const CreatePodGroup& e) const {
    return {.before = compose("create PodGroup {} (minMember {})", group_text(e.group.name), e.group.min_member)};
  }
  Told operator()(const UpdatePodGroup& e) const {
    return {.before = compose("update PodGroup {} (minMember {})", group_text(e.group.name), e.group.min_member)};
  }
  Told operator()(const DeletePodGroup& e) const { return {.before = "delete PodGroup " + group_text(e.name)}; }
  Told operator()(const UpdateJobStatus& e) const {
    return {.before = "write the status: " + phase_text(e.status.phase)};
  }
  Told operator()(const DeleteCommand& e) const { return {.before = "delete command " + e.name}; }
  Told operator()(const EmitEvent& e) const {
    return {.label = "event", .before = compose("{} {}: {}", e.warning ? "Warning" : "Normal", e.reason, e.message)};
  }
};

}  // namespace

std::vector<EffectText> effect_texts(const std::vector<Effect>& effects, std::int64_t total, std::string_view job) {
  std::vector<Told> told;
  for (const Effect& effect : effects) {
    Told next = std::visit(Teller{job}, effect.body);
    if (!told.empty() && told.back().joins(next)) {
      told.back().names.push_back(std::move(next.names.front()));
    } else {
      told.push_back(std::move(next));
    }
  }
  std::vector<EffectText> lines;
  lines.reserve(told.size());
  for (const Told& group : told) lines.push_back({group.label, group.text()});
  const auto shown = static_cast<std::int64_t>(effects.size());
  if (total > shown) lines.push_back({"effect", compose("and {}", count_of(total - shown, "more effect"))});
  return lines;
}

}  // namespace pumice::simulation
