// Operations of the Volcano Job controller on whole objects: a change seen, an operation carried out.
#include <algorithm>

#include "eval/operation.h"
#include "eval/quirks.h"
#include "model/fields.h"
#include "pumice/model/reader.h"
#include "pumice/volcano/controller.h"
#include "pumice/volcano/pod_object.h"

namespace pumice::eval {
namespace {

using namespace volcano;

/// Answers hold every pod whole, and some plugins name all hosts in each.
constexpr std::int64_t kPodsMax = 1000;

std::string text_of(FieldReader& reader, std::string_view name) { return reader.string(name).value_or(""); }

JobPtr read_whole_job(FieldReader& reader) { return std::make_shared<const Job>(read_job(reader, ReadMode::Wire)); }
PodPtr read_whole_pod(FieldReader& reader) { return std::make_shared<const Pod>(read_pod(reader)); }

std::optional<Failure> too_large(const Job& job) {
  std::int64_t pods = 0;
  for (const TaskSpec& task : job.spec->tasks) pods += std::max(task.replicas, 0);
  if (pods <= kPodsMax) return std::nullopt;
  return Failure{"LimitExceeded", "a job of more than " + std::to_string(kPodsMax) + " pods", {}};
}

Json request_json(const Request& request) {
  return object_of({{"namespace", request.ns},
                    {"jobName", request.job_name},
                    {"jobUid", request.job_uid},
                    {"taskName", request.task_name},
                    {"podName", request.pod_name},
                    {"podUid", request.pod_uid},
                    {"partitionId", request.partition_id},
                    {"event", request.event.text()},
                    {"exitCode", request.exit_code},
                    {"action", request.action.text()},
                    {"jobVersion", request.job_version}});
}

Failure wrong(std::string message) { return {"InvalidArgument", std::move(message), {}}; }

bool passes(const Command& command) {
  return command.target && command.target->api_version == "batch.volcano.sh/v1alpha1" && command.target->kind == "Job";
}

/// The notification that a change is, or what is wrong with it. Absent: the controller has no callback for it.
std::variant<std::optional<Observation>, Failure> read_change(FieldReader& change) {
  const std::string kind = text_of(change, "kind");
  const std::string type = text_of(change, "type");
  std::optional<FieldReader> before = change.object("old");
  std::optional<FieldReader> after = change.object("new");
  if (type != "add" && type != "update" && type != "delete") return wrong("change.type: add, update or delete");
  const bool added = type == "add";
  const bool updated = type == "update";
  if (type == "delete" && !before) before = after;
  if ((added || updated) && !after) return wrong("change.new is missing");
  if (!added && !before) return wrong("change.old is missing");

  std::optional<Observation> seen;
  if (kind == "Job") {
    if (added)
      seen = JobAdded{read_whole_job(*after)};
    else if (updated)
      seen = JobUpdated{read_whole_job(*before), read_whole_job(*after)};
    else
      seen = JobDeleted{read_whole_job(*before)};
    for (FieldReader* reader : {before ? &*before : nullptr, after ? &*after : nullptr})
      if (reader)
        if (auto failure = too_large(*read_whole_job(*reader))) return *failure;
  } else if (kind == "Pod") {
    if (added)
      seen = PodAdded{read_whole_pod(*after)};
    else if (updated)
      seen = PodUpdated{read_whole_pod(*before), read_whole_pod(*after)};
    else
      seen = PodDeleted{read_whole_pod(*before)};
  } else if (kind == "PodGroup") {
    if (updated) seen = PodGroupUpdated{read_pod_group(*before), read_pod_group(*after)};
  } else if (kind == "Command") {
    if (added || (updated && !passes(read_command(*before)))) seen = CommandAdded{read_command(*after)};
  } else {
    return wrong("change.kind: Job, Pod, PodGroup or Command");
  }
  return seen;
}

// What an operation finds, and what it leaves behind.

struct Fault {
  std::string effect;
  std::string name;  ///< empty: any
  ResultCode code = ResultCode::Other;
  std::int64_t times = -1;  ///< how often it still happens; negative: always
};

std::optional<ResultCode> result_code_from(std::string_view text) {
  struct Name {
    std::string_view name;
    ResultCode code;
  };
  constexpr Name kNames[] = {{"NotFound", ResultCode::NotFound}, {"AlreadyExists", ResultCode::AlreadyExists},
                             {"Conflict", ResultCode::Conflict}, {"Forbidden", ResultCode::Forbidden},
                             {"Timeout", ResultCode::Timeout},   {"Other", ResultCode::Other}};
  for (const Name& known : kNames)
    if (known.name == text) return known.code;
  return std::nullopt;
}

/// An API server of one job, whose writes can be made to fail. It sends no notifications: an operation ends before its
/// own writes come back.
class Server {
 public:
  explicit Server(Time now) : now_(now) {}

  EffectResult execute(const Effect& effect) {
    Json shown = Json::object();
    const std::string_view name = effect_name(effect.body);
    shown["effect"] = name;
    EffectResult result = std::visit(Shower{shown}, effect.body);
    if (effect.id != 0 && result.code == ResultCode::Ok) {
      const std::string object = shown.contains("name") ? shown["name"].get<std::string>() : std::string();
      if (const ResultCode code = fault_of(name, object); code != ResultCode::Ok) result.code = code;
    }
    if (effect.id != 0 && result.code == ResultCode::Ok) result = std::visit(Writer{*this}, effect.body);
    result.id = effect.id;
    if (effect.id != 0) shown["result"] = to_string(result.code);
    effects.push_back(std::move(shown));
    return result;
  }

  Json effects = Json::array();
  Job job;
  std::map<std::string, Pod> pods;  ///< by `namespace/name`
  std::optional<PodGroup> group;
  ObjectMap objects;
  std::vector<Fault> faults;

 private:
  ResultCode fault_of(std::string_view effect, const std::string& name) {
    for (Fault& fault : faults) {
      if (fault.effect != effect || fault.times == 0 || (!fault.name.empty() && fault.name != name)) continue;
      if (fault.times > 0) --fault.times;
      return fault.code;
    }
    return ResultCode::Ok;
  }

  static EffectResult with(ResultCode code) { return {0, code, nullptr, nullptr}; }

  /// Writes down what was asked for.
  struct Shower {
    Json& out;

    EffectResult named(const std::string& ns, const std::string& name) const {
      out["namespace"] = ns;
      out["name"] = name;
      return {};
    }
    EffectResult whole(const ObjectName& id, const char* member, Json object) const {
      out["kind"] = to_string(id.type);
      if (!object.is_null()) out[member] = std::move(object);
      return named(id.ns, id.name);
    }
    EffectResult group(const PodGroup& group) const {
      out["podGroup"] = to_json(group);
      return named(group.ns, group.name);
    }
    EffectResult operator()(const CreatePod& e) const {
      out["pod"] = pod_object(*e.pod);
      return named(e.pod->ns, e.pod->name);
    }
    EffectResult operator()(const MarkPod& e) const { return named(e.ns, e.name); }
    EffectResult operator()(const DeletePod& e) const { return named(e.ns, e.name); }
    EffectResult operator()(const ReadPod& e) const { return named(e.ns, e.name); }
    EffectResult operator()(const CreatePodGroup& e) const { return group(e.group); }
    EffectResult operator()(const UpdatePodGroup& e) const { return group(e.group); }
    EffectResult operator()(const DeletePodGroup& e) const { return named(e.ns, e.name); }
    EffectResult operator()(const CreateObject& e) const { return whole(e.object.id, "object", *e.object.body); }
    EffectResult operator()(const UpdateObject& e) const { return whole(e.object.id, "object", *e.object.body); }
    EffectResult operator()(const DeleteObject& e) const { return whole(e.id, "object", {}); }
    EffectResult operator()(const UpdateJob& e) const {
      out["spec"] = to_json(*e.job->spec);
      out["metadata"] = to_json(e.job->meta);
      return named(e.job->meta.ns, e.job->meta.name);
    }
    EffectResult operator()(const UpdateJobStatus& e) const {
      out["status"] = status_to_json(e.status);
      return named(e.ns, e.name);
    }
    EffectResult operator()(const DeleteCommand& e) const { return named(e.ns, e.name); }
    EffectResult operator()(const EmitEvent& e) const {
      out["type"] = e.warning ? "Warning" : "Normal";
      out["reason"] = e.reason;
      out["message"] = e.message;
      return {};
    }
  };

  struct Writer {
    Server& server;

    EffectResult operator()(const CreatePod& e) const {
      const std::string key = e.pod->ns + "/" + e.pod->name;
      if (server.pods.contains(key)) return with(ResultCode::AlreadyExists);
      Pod pod = *e.pod;
      pod.uid = "uid-" + pod.name;
      pod.resource_version = ++server.version_;
      const auto stored = server.pods.emplace(key, std::move(pod)).first;
      return {0, ResultCode::Ok, std::make_shared<const Pod>(stored->second), nullptr};
    }
    EffectResult operator()(const MarkPod& e) const {
      const auto pod = server.pods.find(e.ns + "/" + e.name);
      if (pod == server.pods.end()) return with(ResultCode::NotFound);
      mark_out_of_sync(pod->second);
      return {};
    }
    EffectResult operator()(const DeletePod& e) const {
      const auto pod = server.pods.find(e.ns + "/" + e.name);
      if (pod == server.pods.end()) return with(ResultCode::NotFound);
      if (!pod->second.deletion) pod->second.deletion = server.now_;
      return {};
    }
    EffectResult operator()(const ReadPod&) const { return with(ResultCode::NotFound); }
    EffectResult operator()(const CreatePodGroup& e) const {
      if (server.group && server.group->name == e.group.name) return with(ResultCode::AlreadyExists);
      server.group = e.group;
      return {};
    }
    EffectResult operator()(const UpdatePodGroup& e) const {
      server.group = e.group;
      return {};
    }
    EffectResult operator()(const DeletePodGroup&) const {
      server.group.reset();
      return {};
    }
    EffectResult operator()(const CreateObject& e) const {
      return with(server.objects.emplace(e.object.id, e.object.body).second ? ResultCode::Ok
                                                                            : ResultCode::AlreadyExists);
    }
    EffectResult operator()(const UpdateObject& e) const {
      server.objects[e.object.id] = e.object.body;
      return {};
    }
    EffectResult operator()(const DeleteObject& e) const {
      return with(server.objects.erase(e.id) > 0 ? ResultCode::Ok : ResultCode::NotFound);
    }
    [[nodiscard]] EffectResult stored() const {
      server.version_ = std::max(server.version_, server.job.meta.resource_version) + 1;
      server.job.meta.resource_version = server.version_;
      return {0, ResultCode::Ok, nullptr, std::make_shared<const Job>(server.job)};
    }
    EffectResult operator()(const UpdateJob& e) const {
      server.job.spec = e.job->spec;
      server.job.meta.annotations = e.job->meta.annotations;
      return stored();
    }
    EffectResult operator()(const UpdateJobStatus& e) const {
      server.job.status = e.status;
      return stored();
    }
    EffectResult operator()(const DeleteCommand&) const { return {}; }
    EffectResult operator()(const EmitEvent&) const { return {}; }
  };

  Time now_;
  std::uint64_t version_ = 0;
};

std::optional<Failure> read_faults(FieldReader& args, std::vector<Fault>& faults) {
  for (FieldReader& item : args.list("failures")) {
    const std::string code = text_of(item, "code");
    const std::optional<ResultCode> known = result_code_from(code);
    if (!known)
      return wrong("failures: code is NotFound, AlreadyExists, Conflict, Forbidden, Timeout or Other, not `" + code +
                   "`");
    faults.push_back({text_of(item, "effect"), text_of(item, "name"), *known, item.int64("times").value_or(-1)});
  }
  return std::nullopt;
}

Scope scope_from(std::string_view text) {
  for (const Scope scope : {Scope::Task, Scope::Pod, Scope::Partition})
    if (to_string(scope) == text) return scope;
  return Scope::Job;
}

}  // namespace

Answer volcano_request(FieldReader& args) {
  Controller controller({.quirks = read_volcano_quirks(args), .workers = 1});
  Output output;
  const Time now{};
  std::vector<JobPtr> jobs;
  if (auto reader = args.object("job")) jobs.push_back(read_whole_job(*reader));
  for (FieldReader& item : args.list("jobs")) jobs.push_back(read_whole_job(item));
  for (JobPtr& job : jobs) {
    if (auto failure = too_large(*job)) return *failure;
    controller.step({now, JobAdded{std::move(job)}}, output);
  }
  for (FieldReader& item : args.list("pods")) controller.step({now, PodAdded{read_whole_pod(item)}}, output);
  output.trace.clear();

  std::optional<FieldReader> change = args.object("change");
  if (!change) return Json();
  auto seen = read_change(*change);
  if (auto* failure = std::get_if<Failure>(&seen)) return std::move(*failure);
  std::optional<Observation>& observation = std::get<0>(seen);
  Json out = Json::object();
  if (!observation) {
    out["dropped"] = to_string(ObserveOutcome::NoCallback);
    return out;
  }
  controller.step({now, *std::move(observation)}, output);
  const ObserveRecord& record = std::get<ObserveRecord>(output.trace.front());
  std::optional<Request> request = record.request;
  if (record.outcome == ObserveOutcome::CommandTaken) {
    // The command worker removes it, and then there is a request (spec 3.2).
    output = {};
    controller.step({now, Work{}}, output);
    EffectResults removed;
    for (const Effect& effect : output.effects)
      removed.results.push_back({effect.id, ResultCode::Ok, nullptr, nullptr});
    controller.step({now, std::move(removed)}, output);
    request = std::get<CommandRecord>(output.trace.front()).request;
  }
  if (request) {
    out["request"] = request_json(*request);
  } else {
    out["dropped"] = to_string(record.outcome);
    if (!record.detail.empty()) out["detail"] = record.detail;
  }
  return out;
}

Answer volcano_execute(FieldReader& args) {
  const Quirks quirks = read_volcano_quirks(args);
  const Time now = read_time(args, "now").value_or(Time{});
  Server server(now);
  if (auto reader = args.object("job")) server.job = read_job(*reader, ReadMode::Wire);
  if (auto failure = too_large(server.job)) return *failure;
  if (auto failure = read_faults(args, server.faults)) return *failure;

  Controller controller({.quirks = quirks, .workers = 1});
  Output output;
  const auto see = [&](Observation observation) { controller.step({now, std::move(observation)}, output); };
  see(JobAdded{std::make_shared<const Job>(server.job)});
  for (FieldReader& item : args.list("pods")) {
    PodPtr pod = read_whole_pod(item);
    server.pods[pod->ns + "/" + pod->name] = *pod;
    see(PodAdded{std::move(pod)});
  }
  if (auto reader = args.object("podGroup")) {
    server.group = read_pod_group(*reader);
    see(PodGroupAdded{*server.group});
  }
  if (auto reader = args.object("queue")) {
    QueueAdded queue;
    if (auto metadata = reader->object("metadata")) queue.name = text_of(*metadata, "name");
    if (auto spec = reader->object("spec")) queue.extends = !spec->list("extendClusters").empty();
    see(std::move(queue));
  } else if (!server.job.spec->queue.empty()) {
    see(QueueAdded{server.job.spec->queue, false});
  }
  for (FieldReader& item : args.list("claims")) {
    std::optional<FieldReader> metadata = item.object("metadata");
    if (!metadata) continue;
    const ApiObject claim{{ObjectType::PersistentVolumeClaim, server.job.meta.ns, text_of(*metadata, "name")},
                          to_json(item.node())};
    server.objects[claim.id] = claim.body;
    see(ObjectSeen{claim});
  }
  for (FieldReader& item : args.members("priorityClasses"))
    see(PriorityClassSeen{item.key(), item.as_int32().value_or(0)});

  ActionName action;
  Target target;
  if (auto reader = args.object("action")) {
    action = ActionName(std::string_view(text_of(*reader, "action")));
    if (auto aim = reader->object("target"))
      target = {scope_from(text_of(*aim, "type")), text_of(*aim, "taskName"), text_of(*aim, "podName"),
                text_of(*aim, "partition")};
  }
  Request request;
  request.ns = server.job.meta.ns;
  request.job_name = server.job.meta.name;
  controller.queue_action(request, action, target);
  output = {};
  controller.step({now, Work{}}, output);
  while (!output.effects.empty()) {
    const std::vector<Effect> effects = std::move(output.effects);
    output.effects.clear();
    EffectResults results;
    for (const Effect& effect : effects) {
      EffectResult result = server.execute(effect);
      if (effect.id != 0) results.results.push_back(std::move(result));
    }
    if (controller.waiting_for_results()) controller.step({now, std::move(results)}, output);
  }

  const ProcessRecord& record = std::get<ProcessRecord>(output.trace.back());
  Json pods = Json::array();
  for (const auto& entry : server.pods) pods.push_back(pod_object(entry.second));
  Json out = object_of({{"effects", std::move(server.effects)},
                        {"job", to_json(server.job)},
                        {"pods", std::move(pods)},
                        {"podGroup", server.group ? to_json(*server.group) : Json()},
                        {"outcome", to_string(record.outcome)}});
  if (!record.error.empty()) out["error"] = record.error;
  return out;
}

}  // namespace pumice::eval
