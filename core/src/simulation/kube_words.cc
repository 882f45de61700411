// Steps of batch/v1 Jobs in words and as JSON.
#include <algorithm>
#include <utility>

#include "compose.h"
#include "pumice/kubeworld/report.h"
#include "simulation/kube_parts.h"
#include "simulation/words.h"
#include "stable_order.h"

namespace pumice::simulation {

namespace {

constexpr std::string_view kIndent = "     ";

Tone tone_of(kubeworld::LineKind kind) {
  switch (kind) {
    case kubeworld::LineKind::Rule: return Tone::Plain;
    case kubeworld::LineKind::Budget: return Tone::Muted;
    case kubeworld::LineKind::Record: return Tone::Plain;
    case kubeworld::LineKind::Detail: return Tone::Muted;
  }
  return Tone::Plain;
}

std::string job_name(const std::string& key, const Scene& scene) { return job_text(key, scene); }

}  // namespace

void add_created_kube_jobs(const Scene& scene, std::vector<std::string>& list) {
  if (scene.simulation == nullptr) return;
  const std::vector<std::string>& jobs = scene.simulation->kube().jobs();
  if (jobs.size() == 1) list.push_back("Job " + job_name(jobs.front(), scene));
  if (jobs.size() > 1) list.push_back(count_of(static_cast<std::int64_t>(jobs.size()), "Job") + " of batch/v1");
}

bool is_kube_step(const StepRecord& step) {
  if (step.kube_action) return true;
  return step.records.empty() && step.side.empty() && step.kube.records_total > 0;
}

std::string kube_input(const StepRecord& step, const Scene& scene) {
  if (scene.simulation == nullptr) return {};
  if (step.kube_action) return kubeworld::action_text(*step.kube_action, scene.simulation->kube());
  if (step.source != StepSource::Timer || !is_kube_step(step)) return {};
  std::vector<std::string> jobs;
  for (const kubejob::Record& record : step.kube.records) {
    std::string key;
    if (const auto* sync = std::get_if<kubejob::SyncRecord>(&record)) key = sync->key;
    if (const auto* ttl = std::get_if<kubejob::TtlRecord>(&record)) key = ttl->key;
    if (key.empty()) continue;
    std::string name = job_name(key, scene);
    if (std::find(jobs.begin(), jobs.end(), name) == jobs.end()) jobs.push_back(std::move(name));
  }
  if (jobs.empty()) return "the Job controller looks at pods that nobody owns";
  return "the Job controller looks at " + fold_names(jobs);
}

std::string kube_sentence(const StepRecord& step, const Scene& scene) {
  std::string text = kubeworld::run_sentence(step.kube.records, step.kube.changes);
  if (scene.several_namespaces || scene.simulation == nullptr) return text;
  // Keys are told without their namespace where there is only one.
  for (const std::string& key : scene.simulation->kube().jobs()) {
    const std::string name = key.substr(key.find('/') + 1);
    for (std::size_t at = text.find("Job " + key); at != std::string::npos; at = text.find("Job " + key, at + 4))
      text.replace(at + 4, key.size(), name);
  }
  return text;
}

void add_kube_changes(const StepRecord& step, const Scene& scene, Line& line, bool& any) {
  for (const kubeworld::JobChange& change : step.kube.changes) {
    if (change.state_before == change.state_after && change.failed_before == change.failed_after &&
        change.succeeded_before == change.succeeded_after)
      continue;
    if (any) line.push_back({Tone::Plain, "; "});
    any = true;
    if (scene.several_jobs) line.push_back({Tone::Plain, job_name(change.job_key, scene) + ": "});
    if (change.state_before != change.state_after) {
      if (!change.state_before.empty()) line.push_back({Tone::Phase, change.state_before});
      line.push_back({Tone::Plain, change.state_before.empty() ? "→ " : " → "});
      line.push_back({Tone::Phase, change.state_after});
    }
    std::string counts;
    const auto count = [&counts](std::string_view what, std::int32_t before, std::int32_t after) {
      if (before != after) counts += compose("{}{} {}", counts.empty() ? "" : ", ", what, after);
    };
    count("succeeded", change.succeeded_before, change.succeeded_after);
    count("failed", change.failed_before, change.failed_after);
    if (counts.empty()) continue;
    line.push_back({Tone::Plain, (change.state_before != change.state_after ? ", " : "") + counts});
  }
}

void add_kube_lines(const Simulation& after, const StepRecord& step, Explain level, std::vector<Line>& lines) {
  const auto add = [&lines](const std::vector<kubeworld::TextLine>& more) {
    for (const kubeworld::TextLine& line : more) {
      const bool deep = line.kind == kubeworld::LineKind::Detail;
      lines.push_back({{Tone::Plain, std::string(kIndent) + (deep ? "    " : "")}, {tone_of(line.kind), line.text}});
    }
  };
  if (level == Explain::Fails || level == Explain::Full) add(kubeworld::fail_lines(step.kube.records, after.kube()));
  if (level == Explain::Full) add(kubeworld::record_lines(step.kube.records, step.kube.records_total));
}

Json kube_step_json(const StepRecord& step, bool with_records) {
  Json changes = Json::array();
  for (const kubeworld::JobChange& change : step.kube.changes) {
    changes.push_back(
        object_of({{"job", change.job_key},
                   {"phase", object_of({{"from", change.state_before}, {"to", change.state_after}})},
                   {"failed", object_of({{"from", change.failed_before}, {"to", change.failed_after}})},
                   {"succeeded", object_of({{"from", change.succeeded_before}, {"to", change.succeeded_after}})}}));
  }
  const std::int64_t fired = kubeworld::telling_record(step.kube.records);
  Json json = object_of({{"changes", std::move(changes)},
                         {"fired", fired < 0 ? Json() : Json(fired)},
                         {"recordsTotal", step.kube.records_total}});
  if (with_records) {
    Json records = Json::array();
    for (const kubejob::Record& record : step.kube.records) records.push_back(kubeworld::record_json(record));
    json["records"] = std::move(records);
  } else {
    json["record"] = fired < 0 ? Json() : kubeworld::record_json(step.kube.records[static_cast<std::size_t>(fired)]);
  }
  return json;
}

void add_kube_view(const Simulation& simulation, Json& view) {
  const kubeworld::World& world = simulation.kube();
  if (world.jobs().empty()) return;
  Json jobs = Json::array();
  for (const std::string& key : world.jobs()) jobs.push_back(kubeworld::job_json(world, key, simulation.now()));
  view["kubeJobs"] = std::move(jobs);
  for (const kubeworld::World::Upcoming& next : world.upcoming(4)) {
    std::string text = kubeworld::action_text(next.action, world, next.count);
    view["upcoming"].push_back(object_of({{"due", to_rfc3339(next.due)},
                                          {"remaining", to_string(next.due - simulation.now())},
                                          {"text", std::move(text)},
                                          {"kind", std::string(to_string(next.action.kind))}}));
  }
  sort_stably(view["upcoming"].get_ref<Json::array_t&>(), [](const Json& a, const Json& b) {
    return parse_rfc3339(a["due"].get_ref<const std::string&>()) <
           parse_rfc3339(b["due"].get_ref<const std::string&>());
  });
}

}  // namespace pumice::simulation
