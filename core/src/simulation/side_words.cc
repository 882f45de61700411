// What JobFlows, JobTemplates and the TTL did, in words; and what flows wait for.
#include <algorithm>

#include "compose.h"
#include "simulation/kube_parts.h"
#include "simulation/words.h"
#include "sources.h"

namespace pumice {

namespace simulation {

std::string side_clause(const SideRecord& record, const Scene& scene) {
  if (const auto* flow = std::get_if<jobflow::Record>(&record.what))
    return jobflow::clause(*flow, {scene.start, scene.several_namespaces});
  return garbage::clause(std::get<garbage::Record>(record.what), scene.start, scene.several_namespaces);
}

bool is_side_news(const SideRecord& record) {
  if (const auto* flow = std::get_if<jobflow::Record>(&record.what)) return jobflow::is_news(*flow);
  return garbage::is_news(std::get<garbage::Record>(record.what));
}

std::string side_news(const StepRecord& step, const Scene& scene) {
  constexpr std::size_t kToldMax = 6;
  std::string text;
  std::size_t told = 0;
  std::int64_t left = 0;
  for (const SideRecord& record : step.side) {
    if (!is_side_news(record)) continue;
    if (++told > kToldMax) {
      ++left;
      continue;
    }
    text += (text.empty() ? "" : "; ") + side_clause(record, scene);
  }
  if (left > 0) text += "; and " + count_of(left, "more thing");
  return text;
}

std::string side_line(const StepRecord& step, const Scene& scene) {
  for (const SideRecord& record : step.side) {
    if (const auto* found = std::get_if<garbage::Record>(&record.what))
      return "TTL of " + job_text(found->key, scene) +
             (found->outcome == garbage::Outcome::Deleted ? " is over" : " is looked at");
    const auto& flow = std::get<jobflow::Record>(record.what);
    if (const auto* round = std::get_if<jobflow::FlowRecord>(&flow))
      return "JobFlow " + job_text(round->key, scene) + " is tried again";
    if (const auto* round = std::get_if<jobflow::TemplateRecord>(&flow))
      return "JobTemplate " + job_text(round->key, scene) + " is tried again";
  }
  return {};
}

std::vector<std::string> created_objects(const Scene& scene) {
  std::vector<std::string> names;
  if (scene.simulation == nullptr) return names;
  for (const std::string& key : scene.simulation->flows()) names.push_back("JobFlow " + job_text(key, scene));
  const auto templates = static_cast<std::int64_t>(scene.simulation->side().templates().size());
  if (templates > 0) names.push_back(count_of(templates, "JobTemplate"));
  add_created_kube_jobs(scene, names);
  return names;
}

}  // namespace simulation

std::vector<std::string> Simulation::flows() const {
  std::vector<std::string> keys;
  for (const SimulationSources::Flow& entry : sources_->flows) keys.push_back(entry.flow.key());
  return keys;
}

std::vector<std::string> Simulation::waiting_of_flow(const std::string& flow_key) const {
  std::vector<std::string> lines;
  const auto found = side_.flows().find(flow_key);
  if (found == side_.flows().end()) return lines;
  const jobflow::JobFlow& flow = *found->second;
  const jobflow::Phase phase = jobflow::phase_from(flow.status.phase);
  if (phase == jobflow::Phase::Failed) return {"it is Failed: nothing leads out of that"};
  if (const auto at = side_.flow_controller().retry_of(flow_key))
    lines.push_back("after an error it is tried again at +" + to_string(*at - options_.start));
  if (phase == jobflow::Phase::Succeed) {
    if (flow.spec->deletes_jobs()) return lines;
    lines.emplace_back(
        "it has succeeded and keeps its jobs; one that is deleted is created again when another changes");
    return lines;
  }
  if (flow.spec->steps.empty()) lines.emplace_back("it has no steps, and nothing queues it again");
  for (const jobflow::Step& step : flow.spec->steps) {
    const std::string key = flow.meta.ns + "/" + jobflow::job_name(flow.meta.name, step.name);
    const auto job = cluster_.jobs().find(key);
    if (job != cluster_.jobs().end()) {
      if (job->second->status.phase.code == volcano::JobPhase::Aborted)
        lines.push_back("job " + name_of(key) + " is Aborted, which neither fails nor ends the flow");
      continue;
    }
    std::vector<std::string> open;
    for (const std::string& target : step.targets.value_or(std::vector<std::string>{})) {
      const auto before = cluster_.jobs().find(flow.meta.ns + "/" + jobflow::job_name(flow.meta.name, target));
      if (before == cluster_.jobs().end() || before->second->status.phase.code != volcano::JobPhase::Completed)
        open.push_back(target);
    }
    if (!open.empty()) {
      std::string text = "step " + step.name + " waits for ";
      for (std::size_t i = 0; i < open.size(); ++i) text += (i ? ", " : "") + open[i];
      lines.push_back(text + " to be Completed");
    } else if (!side_.templates().contains(flow.meta.ns + "/" + step.name)) {
      lines.push_back("step " + step.name + " needs the JobTemplate " + step.name + ", which does not exist");
    } else {
      lines.push_back("step " + step.name + " has no job; it is created at the next update of a job of the flow");
    }
  }
  return lines;
}

}  // namespace pumice
