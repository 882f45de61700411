// JobFlows, JobTemplates and the TTL as JSON; the form is written down in report.h.
#include "pumice/simulation/report.h"
#include "simulation/words.h"

namespace pumice::simulation {

namespace {

Json text(std::string_view value) { return std::string(value); }

Json json_of(const std::vector<jobflow::EmitEvent>& events) {
  Json list = Json::array();
  for (const jobflow::EmitEvent& event : events)
    list.push_back(object_of(
        {{"type", event.warning ? "Warning" : "Normal"}, {"reason", event.reason}, {"message", event.message}}));
  return list;
}

/// What both kinds of rounds tell of an error.
template <class Round>
void put_error(Json& json, const Round& record) {
  if (record.error.empty()) return;
  json["error"] = record.error;
  json["attempt"] = record.attempt;
  json["gaveUp"] = record.gave_up;
  if (record.retry_at) json["retryAt"] = to_rfc3339(*record.retry_at);
}

Json json_of(const jobflow::ObserveRecord& record) {
  constexpr std::string_view kObjects[] = {"JobFlow", "JobTemplate", "Job"};
  return object_of({{"kind", "flowObserve"},
                    {"object", text(kObjects[static_cast<std::size_t>(record.object)])},
                    {"change", text(volcano::to_string(record.change))},
                    {"key", record.key},
                    {"outcome", text(jobflow::to_string(record.outcome))},
                    {"queued", record.queued}});
}

Json json_of(const jobflow::FlowRecord& record) {
  Json steps = Json::array();
  for (const jobflow::StepLook& look : record.steps) {
    Json step = object_of({{"step", look.step}, {"state", text(jobflow::to_string(look.state))}});
    if (!look.target.empty()) {
      step["target"] = look.target;
      step["targetPhase"] = look.target_exists ? Json(look.target_phase) : Json();
    }
    if (look.foreign) step["foreign"] = true;
    steps.push_back(std::move(step));
  }
  Json json = object_of({{"kind", "flow"},
                         {"key", record.key},
                         {"verdict", text(jobflow::to_string(record.verdict))},
                         {"phase", object_of({{"from", record.before}, {"to", record.after}})},
                         {"steps", std::move(steps)},
                         {"deleted", record.deleted},
                         {"events", json_of(record.events)}});
  put_error(json, record);
  return json;
}

Json json_of(const jobflow::TemplateRecord& record) {
  Json json = object_of({{"kind", "template"},
                         {"key", record.key},
                         {"written", record.written},
                         {"jobs", record.jobs},
                         {"events", json_of(record.events)}});
  put_error(json, record);
  return json;
}

Json json_of(const garbage::Record& record) {
  Json json = object_of({{"kind", "ttl"}, {"key", record.key}, {"outcome", text(garbage::to_string(record.outcome))}});
  if (record.finished) json["finished"] = to_rfc3339(*record.finished);
  if (record.expires) json["expires"] = to_rfc3339(*record.expires);
  if (!record.error.empty()) json["error"] = record.error;
  if (record.retry_at) json["retryAt"] = to_rfc3339(*record.retry_at);
  return json;
}

Json json_of(const jobflow::Record& record) {
  return std::visit([](const auto& kind) { return json_of(kind); }, record);
}

Json steps_of(const Simulation& simulation, const jobflow::JobFlow& flow) {
  Json steps = Json::array();
  for (const jobflow::Step& step : flow.spec->steps) {
    const std::string key = flow.meta.ns + "/" + jobflow::job_name(flow.meta.name, step.name);
    const auto job = simulation.cluster().jobs().find(key);
    const bool exists = job != simulation.cluster().jobs().end();
    const volcano::JobPtr last = simulation.cluster().last_job(key);
    steps.push_back(object_of({{"name", step.name},
                               {"job", key},
                               {"exists", exists},
                               {"phase", last ? Json(text(last->status.phase.text())) : Json()},
                               {"targets", step.targets.value_or(std::vector<std::string>{})}}));
  }
  return steps;
}

}  // namespace

Json side_json(const StepRecord& step, const Scene& scene) {
  Json list = Json::array();
  for (const SideRecord& record : step.side) {
    Json json = std::visit([](const auto& kind) { return json_of(kind); }, record.what);
    json["before"] = record.before;
    json["sentence"] = as_sentence(side_clause(record, scene));
    list.push_back(std::move(json));
  }
  return list;
}

void add_side_view(const Simulation& simulation, Json& view) {
  Json flows = Json::array();
  for (const std::string& key : simulation.flows()) {
    const auto found = simulation.side().flows().find(key);
    if (found == simulation.side().flows().end()) continue;
    const jobflow::JobFlow& flow = *found->second;
    flows.push_back(object_of({{"key", key},
                               {"name", flow.meta.name},
                               {"namespace", flow.meta.ns},
                               {"phase", flow.status.phase},
                               {"retainPolicy", flow.spec->deletes_jobs() ? "delete" : "retain"},
                               {"steps", steps_of(simulation, flow)},
                               {"status", jobflow::status_to_json(flow.status)},
                               {"waiting", simulation.waiting_of_flow(key)}}));
  }
  Json templates = Json::array();
  for (const auto& [key, made] : simulation.side().templates())
    templates.push_back(object_of({{"key", key}, {"jobs", made->jobs}}));
  Json gone = Json::array();
  for (const auto& [key, job] : simulation.cluster().gone_jobs())
    gone.push_back(object_of({{"key", key},
                              {"name", job->meta.name},
                              {"namespace", job->meta.ns},
                              {"phase", text(job->status.phase.text())},
                              {"status", status_to_json(job->status)}}));
  // What comes by itself here, behind what the cluster does.
  const auto add_upcoming = [&](Time due, const char* kind, std::string what) {
    view["upcoming"].push_back(object_of({{"due", to_rfc3339(due)},
                                          {"remaining", to_string(due - simulation.now())},
                                          {"text", std::move(what)},
                                          {"kind", kind}}));
  };
  for (const std::string& key : simulation.jobs())
    if (const auto due = simulation.side().deleted_at(key))
      add_upcoming(*due, "ttl", "job " + simulation.name_of(key) + " is deleted (ttlSecondsAfterFinished)");
  for (const std::string& key : simulation.flows())
    if (const auto due = simulation.side().flow_controller().retry_of(key))
      add_upcoming(*due, "flowRetry", "JobFlow " + simulation.name_of(key) + " is tried again");
  view["flows"] = std::move(flows);
  view["templates"] = std::move(templates);
  view["gone"] = std::move(gone);
}

}  // namespace pumice::simulation
