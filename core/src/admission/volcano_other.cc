// Volcano's webhooks for CronJobs and JobFlows (spec/volcano-admission.md 6, spec/volcano-jobflow.md 1.3).
#include <map>
#include <set>

#include "admission/names.h"
#include "admission/schedules.h"
#include "admission/volcano.h"
#include "compose.h"
#include "cron/go_text.h"
#include "pumice/cron/schedule.h"
#include "pumice/field_reader.h"

namespace pumice::admission {
namespace {

void check_schedule(Answer& answer, std::string_view schedule) {
  const std::string field = "spec.schedule";
  if (schedule.empty()) {
    answer.say("volcano.cronjob.schedule-required", field, " schedule is required, but got empty");
  } else if (schedule.find("TZ") != std::string_view::npos) {
    answer.say("volcano.cronjob.schedule-zone", field,
               " schedule should not contain TZ or CRON_TZ, TZ should only be set in the timeZone field");
  } else if (const auto parsed = cron::parse_schedule(schedule); !parsed) {
    // The webhook does not say what the parser says.
    answer.say("volcano.cronjob.schedule", field, "schedule is not a valid cron expression",
               parsed.diagnostics.front().message);
  }
}

void check_zone(Answer& answer, View zone) {
  if (!zone.present()) return;
  const std::string field = "spec.timeZone";
  const std::string_view name = zone.text();
  if (name.empty()) {
    answer.say("volcano.cronjob.time-zone-empty", field, " timeZone must be nil or non-empty string, got empty string");
    return;
  }
  for (std::size_t i = count_bad_zone_parts(name); i > 0; --i) {
    answer.say("volcano.cronjob.time-zone-part", field, " unknown timeZone");
  }
  if (cron::lower(name) == "local") {
    answer.say("volcano.cronjob.time-zone-local", field,
               " timeZone can't be Local, and must be defined in https://www.iana.org/time-zones");
  } else if (!is_loadable_zone(name)) {
    answer.say("volcano.cronjob.time-zone", field, " invalid timeZone", zone_hint(name));
  }
}

/// True if following targets from some step leads back to it. Depth-first with an explicit stack.
bool has_cycle(const std::map<std::string_view, std::vector<std::string_view>>& graph) {
  enum class Mark : std::uint8_t { Unseen, Open, Done };
  std::map<std::string_view, Mark> marks;
  for (const auto& [start, unused] : graph) {
    if (marks[start] != Mark::Unseen) continue;
    std::vector<std::pair<std::string_view, std::size_t>> way{{start, 0}};
    marks[start] = Mark::Open;
    while (!way.empty()) {
      auto& [step, next] = way.back();
      const auto found = graph.find(step);
      if (found == graph.end() || next == found->second.size()) {
        marks[step] = Mark::Done;
        way.pop_back();
        continue;
      }
      const std::string_view target = found->second[next++];
      Mark& mark = marks[target];
      if (mark == Mark::Open) return true;
      if (mark == Mark::Unseen) {
        mark = Mark::Open;
        way.emplace_back(target, 0);
      }
    }
  }
  return false;
}

}  // namespace

std::string check_volcano_cron_job(Findings& out, View cron_job) {
  Answer spec(out);
  check_schedule(spec, cron_job["spec"].text("schedule"));
  check_zone(spec, cron_job["spec"]["timeZone"]);
  Answer meta(out);
  const std::string_view name = cron_job["metadata"].text("name");
  constexpr std::size_t kNameMax = 52;
  if (name.size() > kNameMax) {
    meta.say("volcano.cronjob.name-length", "metadata.name",
             "cronJob name must be no more than 52 characters to accommodate job name suffix (max 63 total)");
  } else if (!name.empty() || cron_job["metadata"].text("generateName").empty()) {
    std::string reasons;
    for (const std::string& problem : qualified_name_problems(name)) {
      reasons += compose("{}{}", reasons.empty() ? "" : "; ", problem);
    }
    if (!reasons.empty()) {
      meta.say("volcano.cronjob.name", "metadata.name",
               compose("invalid cronJob name {}: {}", cron::quoted(name), reasons));
    }
  }
  const std::string first = spec.text();
  const std::string second = meta.text();
  return first.empty() || second.empty() ? first + second : first + "; " + second;
}

std::string check_job_flow(Findings& out, View flow) {
  Answer answer(out);
  const View flows = flow["spec"]["flows"];
  std::map<std::string_view, std::vector<std::string_view>> graph;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    // Of two steps of one name the last one counts.
    std::vector<std::string_view>& targets = graph[flows.at(i).text("name")];
    targets.clear();
    const View list = flows.at(i)["dependsOn"]["targets"];
    for (std::size_t k = 0; k < list.size(); ++k) targets.push_back(list.at(k).text());
  }
  std::vector<std::string_view> known;
  for (const auto& [name, targets] : graph) known.push_back(name);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const View list = flows.at(i)["dependsOn"]["targets"];
    for (std::size_t k = 0; k < list.size() && !out.full(); ++k) {
      const std::string_view target = list.at(k).text();
      if (graph.contains(target)) continue;
      answer.say("volcano.jobflow.target", compose("spec.flows[{}].dependsOn.targets[{}]", i, k),
                 compose("jobflow Flow is not DAG: vertex is not defined: {}", target), meant_hint(target, known));
      answer.stop();
    }
  }
  if (has_cycle(graph)) answer.say("volcano.jobflow.cycle", "spec.flows", "jobflow Flow is not DAG");
  return answer.text();
}

}  // namespace pumice::admission
