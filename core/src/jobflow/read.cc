// JobFlows and JobTemplates from documents, and back.
#include <utility>

#include "model/fields.h"
#include "model/whole_object.h"
#include "pumice/jobflow/model.h"

namespace pumice::jobflow {
namespace {

Step read_step(FieldReader& reader, ReadMode mode) {
  Step step;
  step.name = reader.string("name").value_or("");
  if (mode == ReadMode::Manifest && step.name.empty())
    reader.report_at("name", Severity::Error, "MissingField", "a step needs the name of a JobTemplate");
  if (auto depends_on = reader.object("dependsOn")) {
    if (depends_on->has("targets")) step.targets = depends_on->string_list("targets");
    if (auto probe = depends_on->raw("probe")) step.probe = std::move(*probe);
    finish(*depends_on, mode);
  }
  if (auto patch = reader.object("patch")) {
    if (auto spec = patch->raw("jobSpec")) step.patch = std::move(*spec);
    finish(*patch, mode);
  }
  finish(reader, mode);
  return step;
}

FlowSpec read_spec(FieldReader& reader, ReadMode mode) {
  FlowSpec spec;
  for (FieldReader& item : reader.list("flows")) spec.steps.push_back(read_step(item, mode));
  spec.retain_policy = reader.string("jobRetainPolicy").value_or("");
  if (mode == ReadMode::Manifest)
    check_word(reader, "jobRetainPolicy", spec.retain_policy, "retain policy", {"retain", "delete"});
  finish(reader, mode);
  return spec;
}

JobEntry read_entry(FieldReader& reader, ReadMode mode) {
  JobEntry entry;
  entry.name = reader.string("name").value_or("");
  entry.state = reader.string("state").value_or("");
  entry.start = read_time(reader, "startTimestamp").value_or(Time{});
  entry.end = read_time(reader, "endTimestamp");
  entry.restarts = reader.int32("restartCount").value_or(0);
  if (reader.has("runningHistories")) {
    entry.histories.emplace();
    for (FieldReader& item : reader.list("runningHistories")) {
      entry.histories->push_back(
          {read_time(item, "startTimestamp"), read_time(item, "endTimestamp"), item.string("state").value_or("")});
      finish(item, mode);
    }
  }
  finish(reader, mode);
  return entry;
}

FlowCondition read_condition(FieldReader& reader, ReadMode mode) {
  FlowCondition condition;
  condition.phase = reader.string("phase").value_or("");
  condition.creation = read_time(reader, "createTime").value_or(Time{});
  condition.running_duration = read_duration(reader, "runningDuration");
  for (FieldReader& task : reader.members("taskStatusCount")) {
    PhaseCounts& counts = condition.task_counts[task.key()];
    if (auto phases = task.object("phase")) {
      for (const PodPhase phase : kPodPhases) counts[phase] = phases->int32(to_string(phase)).value_or(0);
    }
  }
  finish(reader, mode);
  return condition;
}

FlowStatus read_status(FieldReader& reader, ReadMode mode) {
  FlowStatus status;
  status.pending = reader.string_list("pendingJobs");
  status.running = reader.string_list("runningJobs");
  status.failed = reader.string_list("failedJobs");
  status.completed = reader.string_list("completedJobs");
  status.terminated = reader.string_list("terminatedJobs");
  status.unknown = reader.string_list("unKnowJobs");
  for (FieldReader& item : reader.list("jobStatusList")) status.jobs.push_back(read_entry(item, mode));
  for (FieldReader& item : reader.members("conditions")) status.conditions[item.key()] = read_condition(item, mode);
  if (auto state = reader.object("state")) {
    status.phase = state->string("phase").value_or("");
    finish(*state, mode);
  }
  finish(reader, mode);
  return status;
}

Json names(const std::vector<std::string>& list) { return Json(list); }

void put(Json& out, const char* name, const std::vector<std::string>& list) {
  if (!list.empty()) out[name] = names(list);
}
void put(Json& out, const char* name, const std::string& text) {
  if (!text.empty()) out[name] = text;
}
/// Times of the API that are not set are written as null.
Json time_or_null(const std::optional<Time>& time) { return time ? time_json(*time) : Json(); }

Json to_json(const JobEntry& entry) {
  Json out = Json::object();
  put(out, "name", entry.name);
  put(out, "state", entry.state);
  out["startTimestamp"] = time_json(entry.start);
  out["endTimestamp"] = time_or_null(entry.end);
  if (entry.restarts != 0) out["restartCount"] = entry.restarts;
  if (entry.histories && !entry.histories->empty()) {
    Json& list = out["runningHistories"] = Json::array();
    for (const History& history : *entry.histories) {
      Json item =
          object_of({{"startTimestamp", time_or_null(history.start)}, {"endTimestamp", time_or_null(history.end)}});
      put(item, "state", history.state);
      list.push_back(std::move(item));
    }
  }
  return out;
}

Json to_json(const FlowCondition& condition) {
  Json out = Json::object();
  put(out, "phase", condition.phase);
  out["createTime"] = time_json(condition.creation);
  if (condition.running_duration) out["runningDuration"] = pumice::to_string(*condition.running_duration);
  JobStatus counts;  // the form of a Job's own counts
  counts.task_counts = condition.task_counts;
  const Json job = pumice::status_to_json(counts);
  if (const auto tasks = job.find("taskStatusCount"); tasks != job.end()) out["taskStatusCount"] = *tasks;
  return out;
}

}  // namespace

bool is_job_flow(const ObjectHeader& header) noexcept {
  return header.api_version == kApiVersion && header.kind == "JobFlow";
}
bool is_job_template(const ObjectHeader& header) noexcept {
  return header.api_version == kApiVersion && header.kind == "JobTemplate";
}

Result<JobFlow> read_flow(const YamlNode& object, std::string_view file, ReadMode mode) {
  return read_whole(object, file, [mode](FieldReader& reader) {
    JobFlow flow;
    if (auto meta = required_part(reader, "metadata", mode, "an object needs `metadata` with a name"))
      flow.meta = read_meta(*meta, mode);
    if (auto spec = reader.object("spec")) flow.spec = std::make_shared<const FlowSpec>(read_spec(*spec, mode));
    if (auto status = reader.object("status")) flow.status = read_status(*status, mode);
    reader.ignore({"apiVersion", "kind"});
    finish(reader, mode);
    return flow;
  });
}

Result<JobTemplate> read_template(const YamlNode& object, std::string_view file, ReadMode mode) {
  return read_whole(object, file, [mode](FieldReader& reader) {
    JobTemplate made;
    if (auto meta = required_part(reader, "metadata", mode, "an object needs `metadata` with a name"))
      made.meta = read_meta(*meta, mode);
    if (auto spec = required_part(reader, "spec", mode, "a JobTemplate needs a `spec` with tasks"))
      made.spec = std::make_shared<const JobSpec>(read_job_spec(*spec, mode));
    if (auto status = reader.object("status")) {
      made.jobs = status->string_list("jobDependsOnList");
      finish(*status, mode);
    }
    reader.ignore({"apiVersion", "kind"});
    finish(reader, mode);
    return made;
  });
}

Json status_to_json(const FlowStatus& status) {
  Json out = Json::object();
  put(out, "pendingJobs", status.pending);
  put(out, "runningJobs", status.running);
  put(out, "failedJobs", status.failed);
  put(out, "completedJobs", status.completed);
  put(out, "terminatedJobs", status.terminated);
  put(out, "unKnowJobs", status.unknown);
  if (!status.jobs.empty()) {
    Json& list = out["jobStatusList"] = Json::array();
    for (const JobEntry& entry : status.jobs) list.push_back(to_json(entry));
  }
  if (!status.conditions.empty()) {
    Json& map = out["conditions"] = Json::object();
    for (const auto& [name, condition] : status.conditions) map[name] = to_json(condition);
  }
  if (!status.phase.empty()) out["state"] = object_of({{"phase", status.phase}});
  return out;
}

Json to_json(const JobFlow& flow) {
  Json out = object_of({{"apiVersion", std::string(kApiVersion)}, {"kind", "JobFlow"}});
  out["metadata"] = pumice::to_json(flow.meta);
  Json spec = Json::object();
  if (!flow.spec->steps.empty()) {
    Json& list = spec["flows"] = Json::array();
    for (const Step& step : flow.spec->steps) {
      Json item = object_of({{"name", step.name}});
      if (step.targets || !step.probe.is_null()) {
        Json& depends_on = item["dependsOn"] = Json::object();
        if (step.targets) depends_on["targets"] = *step.targets;
        if (!step.probe.is_null()) depends_on["probe"] = step.probe;
      }
      if (!step.patch.is_null()) item["patch"] = object_of({{"jobSpec", step.patch}});
      list.push_back(std::move(item));
    }
  }
  put(spec, "jobRetainPolicy", flow.spec->retain_policy);
  out["spec"] = std::move(spec);
  if (Json status = status_to_json(flow.status); !status.empty()) out["status"] = std::move(status);
  return out;
}

Json to_json(const JobTemplate& made) {
  Json out = object_of({{"apiVersion", std::string(kApiVersion)}, {"kind", "JobTemplate"}});
  out["metadata"] = pumice::to_json(made.meta);
  out["spec"] = pumice::to_json(*made.spec);
  if (!made.jobs.empty()) out["status"] = object_of({{"jobDependsOnList", Json(made.jobs)}});
  return out;
}

}  // namespace pumice::jobflow
