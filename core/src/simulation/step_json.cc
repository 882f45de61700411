// A step as JSON; the form is written down in report.h.
#include <algorithm>

#include "pumice/simulation/report.h"
#include "simulation/kube_parts.h"
#include "simulation/words.h"

namespace pumice {

namespace simulation {
namespace {

using namespace volcano;

Json text(std::string_view value) { return std::string(value); }

Json json_of(const Request& request) {
  Json json = object_of({{"namespace", request.ns},
                         {"jobName", request.job_name},
                         {"event", text(request.event.text())},
                         {"jobVersion", request.job_version}});
  const auto put = [&json](const char* name, const std::string& value) {
    if (!value.empty()) json[name] = value;
  };
  put("jobUid", request.job_uid);
  put("taskName", request.task_name);
  put("podName", request.pod_name);
  put("podUid", request.pod_uid);
  put("partitionId", request.partition_id);
  put("action", std::string(request.action.text()));
  if (request.exit_code != 0) json["exitCode"] = request.exit_code;
  return json;
}

Json json_of(const Target& target) {
  return object_of({{"type", text(to_string(target.scope))},
                    {"taskName", target.task_name},
                    {"podName", target.pod_name},
                    {"partition", target.partition}});
}

Json json_of(const LifecyclePolicy& policy) {
  Json events = Json::array();
  for (const EventName& event : policy.events) events.push_back(text(event.text()));
  if (policy.event.code != Event::None) events.push_back(text(policy.event.text()));
  Json json = object_of({{"action", text(policy.action.text())}, {"events", std::move(events)}});
  if (policy.exit_code) json["exitCode"] = *policy.exit_code;
  if (policy.timeout) json["timeout"] = to_string(*policy.timeout);
  return json;
}

Json numbers_of(const JobStatus& status) {
  return object_of({{"phase", text(status.phase.text())},
                    {"version", status.version},
                    {"retryCount", status.retry_count},
                    {"pending", status.pending},
                    {"running", status.running},
                    {"succeeded", status.succeeded},
                    {"failed", status.failed},
                    {"unknown", status.unknown},
                    {"terminating", status.terminating}});
}

struct EffectJson {
  Json operator()(const CreatePod& e) const {
    return object_of(
        {{"namespace", e.pod->ns}, {"name", e.pod->name}, {"jobVersion", e.pod->job_version.value_or("")}});
  }
  Json operator()(const MarkPod& e) const { return object_of({{"namespace", e.ns}, {"name", e.name}}); }
  Json operator()(const DeletePod& e) const { return object_of({{"namespace", e.ns}, {"name", e.name}}); }
  Json operator()(const ReadPod& e) const { return object_of({{"namespace", e.ns}, {"name", e.name}}); }
  Json operator()(const CreateObject& e) const { return object(e.object.id); }
  Json operator()(const UpdateObject& e) const { return object(e.object.id); }
  Json operator()(const DeleteObject& e) const { return object(e.id); }
  Json operator()(const UpdateJob& e) const {
    return object_of({{"namespace", e.job->meta.ns}, {"name", e.job->meta.name}});
  }
  static Json object(const ObjectName& id) {
    return object_of({{"kind", text(to_string(id.type))}, {"namespace", id.ns}, {"name", id.name}});
  }
  Json operator()(const CreatePodGroup& e) const { return group(e.group); }
  Json operator()(const UpdatePodGroup& e) const { return group(e.group); }
  Json operator()(const DeletePodGroup& e) const { return object_of({{"namespace", e.ns}, {"name", e.name}}); }
  Json operator()(const UpdateJobStatus& e) const {
    return object_of({{"namespace", e.ns}, {"name", e.name}, {"status", numbers_of(e.status)}});
  }
  Json operator()(const DeleteCommand& e) const { return object_of({{"namespace", e.ns}, {"name", e.name}}); }
  Json operator()(const EmitEvent& e) const {
    return object_of({{"namespace", e.ns},
                      {"name", e.job},
                      {"type", e.warning ? "Warning" : "Normal"},
                      {"reason", e.reason},
                      {"message", e.message}});
  }

  static Json group(const PodGroup& group) {
    return object_of({{"namespace", group.ns}, {"name", group.name}, {"minMember", group.min_member}});
  }
};

Json json_of(const Effect& effect) {
  Json json = std::visit(EffectJson{}, effect.body);
  json["effect"] = text(effect_name(effect.body));
  return json;
}

Json json_of(const TimerRecord& timer, const Scene& scene) {
  Json json = object_of({{"op", text(to_string(timer.op))},
                         {"pod", timer.pod_name},
                         {"action", text(timer.action.text())},
                         {"event", text(timer.event.text())},
                         {"delay", to_string(timer.delay)},
                         {"due", to_rfc3339(timer.due)},
                         {"rule", timer.rule.path()},
                         {"sentence", as_sentence(timer_clause(timer, scene))}});
  if (timer.op == TimerOp::Cancelled) json["becauseOf"] = text(timer.because_of.text());
  return json;
}

Json json_of(const SyncFacts& sync) {
  Json gated = Json::array();
  for (const auto& [task, waits_for] : sync.gated)
    gated.push_back(object_of({{"task", task}, {"waitsFor", waits_for}}));
  return object_of({{"shortPath", sync.short_path},
                    {"podGroupPhase", text(to_string(sync.pod_group_phase))},
                    {"created", sync.created},
                    {"deleted", sync.deleted},
                    {"taken", sync.taken},
                    {"written", sync.written},
                    {"gated", std::move(gated)}});
}

Json json_of(const FaultRecord& fault) {
  Json json = object_of({{"kind", text(to_string(fault.kind))}, {"text", fault_clause(fault)}});
  if (fault.watch) json["watch"] = text(to_string(*fault.watch));
  if (fault.count != 0) json["count"] = fault.count;
  if (fault.kind != FaultRecord::Kind::EffectFailed) return json;
  json["effect"] = fault.effect;
  json["names"] = fault.names;
  json["result"] = text(to_string(fault.result));
  json["done"] = fault.done;
  if (!fault.message.empty()) json["message"] = fault.message;
  return json;
}

struct KindOf {
  std::string_view operator()(const ObserveRecord&) const { return "observe"; }
  std::string_view operator()(const ProcessRecord&) const { return "process"; }
  std::string_view operator()(const CommandRecord&) const { return "command"; }
};
std::string_view kind_of(const Record& record) { return std::visit(KindOf{}, record); }

class StepWriter {
 public:
  StepWriter(const Simulation& simulation, const StepRecord& step)
      : simulation_(simulation), step_(step), scene_(scene_of(simulation, step)) {}

  /// Without the records.
  [[nodiscard]] Json head() const;
  [[nodiscard]] Json record(std::size_t index) const;
  [[nodiscard]] Json row(std::size_t index) const;
  [[nodiscard]] Json records() const;
  [[nodiscard]] Json moves() const;

 private:
  [[nodiscard]] Json json_of_record(const ObserveRecord& record) const;
  [[nodiscard]] Json json_of_record(const CommandRecord& record) const;
  [[nodiscard]] Json json_of_record(const ProcessRecord& record) const;
  [[nodiscard]] Json considered(const ProcessRecord& record, const Considered& considered) const;

  const Simulation& simulation_;
  const StepRecord& step_;
  Scene scene_;
};

Json StepWriter::json_of_record(const ObserveRecord& record) const {
  Json json = object_of({{"object", text(to_string(record.object))},
                         {"change", text(to_string(record.change))},
                         {"namespace", record.ns},
                         {"name", record.name},
                         {"outcome", text(to_string(record.outcome))},
                         {"detail", record.detail}});
  if (record.request) json["request"] = json_of(*record.request);
  return json;
}

Json StepWriter::json_of_record(const CommandRecord& record) const {
  Json json = object_of(
      {{"name", record.command.name}, {"action", text(record.command.action.text())}, {"consumed", record.consumed}});
  if (record.retry_at) json["retryAt"] = to_rfc3339(*record.retry_at);
  if (record.event) json["event"] = EffectJson{}(*record.event);
  if (record.request) json["request"] = json_of(*record.request);
  return json;
}

Json StepWriter::considered(const ProcessRecord& record, const Considered& considered) const {
  const bool asked = considered.reason != RuleReason::NotConsulted;
  Json json = object_of({{"path", considered.rule.path()},
                         {"level", considered.rule.task < 0 ? "job" : "task"},
                         {"outcome", is_match(considered.reason) ? "matched"
                                     : asked                     ? "notMatched"
                                                                 : "notConsulted"},
                         {"reason", text(to_string(considered.reason))},
                         {"text", reason_text(record, considered, scene_)}});
  if (const LifecyclePolicy* policy = policy_at(record.spec.get(), considered.rule)) json["policy"] = json_of(*policy);
  if (const auto place = simulation_.place_of(record.job_key, considered.rule.path())) {
    json["file"] = place->file;
    if (place->range.begin.known()) {
      json["line"] = place->range.begin.line;
      json["column"] = place->range.begin.column;
    }
  }
  return json;
}

Json StepWriter::json_of_record(const ProcessRecord& record) const {
  Json candidates = Json::array();
  for (const Considered& candidate : record.considered) candidates.push_back(considered(record, candidate));
  Json effects = Json::array();
  for (const Effect& effect : record.effects) effects.push_back(json_of(effect));
  Json timers = Json::array();
  for (const TimerRecord& timer : record.timers) timers.push_back(json_of(timer, scene_));
  Json retain = Json::array();
  if (record.plan.operation == Operation::Kill && (record.plan.retain == Retain::Soft || record.last_retry)) {
    retain = {"Succeeded", "Failed"};
  }
  Json json =
      object_of({{"job", record.job_key},
                 {"request", json_of(record.request)},
                 {"expired", record.expired},
                 {"outcome", text(to_string(record.outcome))},
                 {"decision", object_of({{"source", text(to_string(record.source))},
                                         {"action", text(record.action.text())},
                                         {"delay", to_string(record.delay)},
                                         {"rule", record.rule.path()},
                                         {"target", json_of(record.target)}})},
                 {"considered", std::move(candidates)},
                 {"operation", object_of({{"kind", text(to_string(record.plan.operation))},
                                          {"retain", std::move(retain)},
                                          {"statusFunction", text(to_string(record.plan.function))},
                                          {"reason", text(to_string(record.reason))},
                                          {"reasonText", transition_text(record, scene_)},
                                          {"lastRetry", record.last_retry}})},
                 {"sync", json_of(record.sync)},
                 {"killed", record.killed},
                 {"effects", std::move(effects)},
                 {"effectsTotal", std::max(record.effects_total, static_cast<std::int64_t>(record.effects.size()))},
                 {"timers", std::move(timers)},
                 {"status", object_of({{"before", numbers_of(record.before)}, {"after", numbers_of(record.after)}})}});
  if (!record.error.empty()) json["error"] = record.error;
  if (record.retry_at) json["retryAt"] = to_rfc3339(*record.retry_at);
  return json;
}

Json StepWriter::record(std::size_t index) const {
  const Record& record = step_.records[index];
  Json json = std::visit([this](const auto& r) { return json_of_record(r); }, record);
  json["kind"] = text(kind_of(record));
  json["sentence"] = record_sentence(record, scene_);
  return json;
}

Json StepWriter::row(std::size_t index) const {
  const Record& record = step_.records[index];
  return object_of({{"kind", text(kind_of(record))}, {"sentence", record_sentence(record, scene_)}});
}

Json StepWriter::records() const {
  Json records = Json::array();
  for (std::size_t i = 0; i < step_.records.size(); ++i) records.push_back(record(i));
  return records;
}

/// Every phase change of the step: unlike `changes`, which compares its begin with its end, one for each request.
Json StepWriter::moves() const {
  Json moves = Json::array();
  for (const Record& record : step_.records) {
    const auto* process = std::get_if<ProcessRecord>(&record);
    if (process == nullptr || process->before.phase.text() == process->after.phase.text()) continue;
    moves.push_back(object_of({{"job", process->job_key},
                               {"from", text(process->before.phase.text())},
                               {"to", text(process->after.phase.text())}}));
  }
  return moves;
}

Json StepWriter::head() const {
  Json input = object_of({{"line", input_line(step_, scene_)}, {"text", input_text(step_, scene_)}});
  if (step_.event) input["event"] = to_json(*step_.event);
  if (step_.action) {
    input["action"] = object_of({{"kind", text(to_string(step_.action->kind))},
                                 {"podGroup", step_.action->pod_group},
                                 {"pods", step_.action->pods}});
    if (!step_.action->job.empty()) input["action"]["job"] = step_.action->job;
  }
  if (step_.kube_action) {
    input["action"] = object_of(
        {{"kind", text(to_string(step_.kube_action->kind))}, {"podGroup", ""}, {"pods", step_.kube_action->pods}});
  }
  Json changes = Json::array();
  for (const JobChange& change : step_.changes) {
    changes.push_back(object_of(
        {{"job", change.job_key},
         {"phase", object_of({{"from", text(change.phase_before.text())}, {"to", text(change.phase_after.text())}})},
         {"retryCount", object_of({{"from", change.retry_before}, {"to", change.retry_after}})},
         {"version", object_of({{"from", change.version_before}, {"to", change.version_after}})}}));
    if (change.gone) changes.back()["gone"] = true;
  }
  Json flows = Json::array();
  for (const FlowChange& change : step_.flows)
    flows.push_back(object_of({{"flow", change.flow_key},
                               {"phase", object_of({{"from", change.phase_before}, {"to", change.phase_after}})}}));
  const std::int64_t fired = fired_record(step_);
  Json json = object_of({{"index", step_.index},
                         {"time", to_rfc3339(step_.time)},
                         {"elapsed", to_string(step_.elapsed)},
                         {"source", text(to_string(step_.source))},
                         {"input", std::move(input)},
                         {"sentence", step_sentence(step_, scene_)},
                         {"changes", std::move(changes)},
                         {"fired", fired < 0 ? Json() : Json(fired)},
                         {"recordsTotal", step_.records_total}});
  if (!step_.refused.empty()) json["refused"] = step_.refused;
  if (!flows.empty()) json["flows"] = std::move(flows);
  if (!step_.faults.empty()) {
    Json faults = Json::array();
    for (const FaultRecord& fault : step_.faults) faults.push_back(json_of(fault));
    json["faults"] = std::move(faults);
  }
  return json;
}

}  // namespace
}  // namespace simulation

Json step_json(const Simulation& after, const StepRecord& step) {
  const simulation::StepWriter writer(after, step);
  Json json = writer.head();
  json["records"] = writer.records();
  if (step.kube.records_total > 0) json["kube"] = simulation::kube_step_json(step, true);
  if (step.side_total > 0) {
    json["side"] = simulation::side_json(step, simulation::scene_of(after, step));
    json["sideTotal"] = step.side_total;
  }
  return json;
}

Json step_summary_json(const Simulation& after, const StepRecord& step) {
  const simulation::StepWriter writer(after, step);
  Json json = writer.head();
  const Json& fired = json["fired"];
  json["record"] = fired.is_null() ? Json() : writer.record(fired.get<std::size_t>());
  json["moves"] = writer.moves();
  if (step.kube.records_total > 0) json["kube"] = simulation::kube_step_json(step, false);
  return json;
}

Json records_json(const Simulation& after, const StepRecord& step, RecordsWanted wanted) {
  const simulation::StepWriter writer(after, step);
  Json records = Json::array();
  const auto size = static_cast<std::int64_t>(step.records.size());
  const std::int64_t from = std::min(wanted.from, size);
  for (std::int64_t i = from; i < from + std::min(wanted.count, size - from); ++i) {
    const auto index = static_cast<std::size_t>(i);
    records.push_back(wanted.detail ? writer.record(index) : writer.row(index));
  }
  return records;
}

}  // namespace pumice
