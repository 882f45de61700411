// `job.sync`: one sync of the batch/v1 Job controller against an API server that holds this job and these pods.
#include <algorithm>
#include <utility>
#include <vector>

#include "eval/operation.h"
#include "eval/quirks.h"
#include "model/fields.h"
#include "overloaded.h"
#include "pumice/kubejob/controller.h"
#include "pumice/kubejob/defaults.h"
#include "pumice/kubejob/reader.h"
#include "pumice/kubejob/store.h"

namespace pumice::eval {
namespace {

using namespace pumice::kubejob;

/// One entry of `failures`: which effects are answered with an error instead of being carried out.
struct Fault {
  std::string effect;
  std::string name;      ///< of the object; empty: any
  std::int32_t nth = 0;  ///< of its kind, from 1; 0: every one
  ResultCode code = ResultCode::Other;
};

Words result_words() {
  Words words;
  for (auto code = static_cast<unsigned>(ResultCode::NotFound); code <= static_cast<unsigned>(ResultCode::Other);
       ++code)
    words.push_back(to_string(static_cast<ResultCode>(code)));
  return words;
}

std::vector<Fault> read_faults(FieldReader& args) {
  std::vector<Fault> faults;
  for (FieldReader& item : args.list("failures")) {
    Fault fault;
    fault.effect = item.string("effect").value_or("");
    fault.name = item.string("name").value_or("");
    fault.nth = item.int32("nth").value_or(0);
    const std::string result = item.string("result").value_or("Other");
    const std::optional<ResultCode> code = result_code_from(result);
    if (!code || *code == ResultCode::Ok) {
      std::string known;
      for (const std::string_view word : result_words())
        known += (known.empty() ? "`" : ", `") + std::string(word) + "`";
      item.report_at("result", Severity::Error, "UnknownResult", in_backticks(result) + " is no failure",
                     "known are " + known);
    } else {
      fault.code = *code;
    }
    faults.push_back(std::move(fault));
  }
  return faults;
}

/// What the API server would hold: defaults, a uid, a selector, and labels on the pods that the selector is made for.
kubejob::Job read_job_argument(FieldReader& args) {
  std::optional<FieldReader> reader = args.object("job");
  kubejob::Job job = reader ? kubejob::read_job(*reader, ReadMode::Wire) : kubejob::Job{};
  if (job.meta.ns.empty()) job.meta.ns = "default";
  if (job.meta.uid.empty()) job.meta.uid = "job-uid";
  set_defaults(job);
  return job;
}

std::vector<kubejob::Pod> read_pods(FieldReader& args, const kubejob::Job& job) {
  std::vector<kubejob::Pod> pods;
  for (FieldReader& item : args.list("pods")) {
    kubejob::Pod pod = kubejob::read_pod(item);
    const std::string number = std::to_string(pods.size());
    if (pod.meta.ns.empty()) pod.meta.ns = job.meta.ns;
    if (pod.meta.name.empty()) pod.meta.name = "pod-" + number;
    if (pod.meta.uid.empty()) pod.meta.uid = "pod-uid-" + number;
    pods.push_back(std::move(pod));
  }
  return pods;
}

void add_selector(kubejob::Job& job, std::vector<kubejob::Pod>& pods) {
  if (job.spec->selector || job.spec->manual_selector.value_or(false)) return;
  generate_selector(job);
  for (kubejob::Pod& pod : pods) {
    const OwnerReference* owner = pod.controller();
    if (owner != nullptr && owner->uid == job.meta.uid)
      pod.meta.labels.insert(job.spec->selector->match_labels.begin(), job.spec->selector->match_labels.end());
  }
}

Json where(std::string_view ns, std::string_view name) { return object_of({{"namespace", ns}, {"name", name}}); }

Json effect_json(const Effect& effect, ResultCode code) {
  Json json = std::visit(Overloaded{
                             [](const CreatePod& e) { return object_of({{"pod", kubejob::to_json(*e.pod)}}); },
                             [](const DeletePod& e) { return where(e.ns, e.name); },
                             [](const RemoveFinalizer& e) { return where(e.ns, e.name); },
                             [](const AdoptPod& e) { return where(e.ns, e.name); },
                             [](const ReleasePod& e) { return where(e.ns, e.name); },
                             [](const GetJob& e) { return where(e.ns, e.name); },
                             [](const UpdateJobStatus& e) {
                               Json out = where(e.ns, e.name);
                               out["status"] = kubejob::to_json(e.status);
                               return out;
                             },
                             [](const DeleteJob& e) { return where(e.ns, e.name); },
                             [](const EmitEvent& e) {
                               Json out = where(e.ns, e.job);
                               out["type"] = e.warning ? "Warning" : "Normal";
                               out["reason"] = e.reason;
                               out["message"] = e.message;
                               return out;
                             },
                         },
                         effect.body);
  json["effect"] = effect_name(effect.body);
  if (effect.id != 0) json["result"] = to_string(code);
  return json;
}

std::string_view object_name(const EffectBody& body) {
  using Text = std::string_view;
  return std::visit(Overloaded{
                        [](const CreatePod& e) -> Text { return e.pod->generate_name; },
                        [](const DeletePod& e) -> Text { return e.name; },
                        [](const RemoveFinalizer& e) -> Text { return e.name; },
                        [](const AdoptPod& e) -> Text { return e.name; },
                        [](const ReleasePod& e) -> Text { return e.name; },
                        [](const GetJob& e) -> Text { return e.name; },
                        [](const UpdateJobStatus& e) -> Text { return e.name; },
                        [](const DeleteJob& e) -> Text { return e.name; },
                        [](const EmitEvent& e) -> Text { return e.job; },
                    },
                    body);
}

/// Carries out effects, but for those that are to fail.
class Executor {
 public:
  Executor(Store& store, std::vector<Fault> faults, Time now)
      : store_(store), faults_(std::move(faults)), now_(now), seen_(std::variant_size_v<EffectBody>) {}

  /// Answers everything that is asked for until the sync is through.
  void run(Controller& controller, Output& output) {
    while (!output.effects.empty()) {
      EffectResults results;
      for (const Effect& effect : output.effects) {
        const ResultCode code = fault_of(effect.body);
        EffectResult result;
        result.id = effect.id;
        result.code = code;
        if (code == ResultCode::Ok) {
          if (auto answer = store_.execute(effect, now_)) result = *std::move(answer);
        }
        effects.push_back(effect_json(effect, result.code));
        if (effect.id != 0) results.results.push_back(std::move(result));
      }
      output.effects.clear();
      if (controller.waiting_for_results()) controller.step({now_, std::move(results)}, output);
    }
  }

  Json effects = Json::array();

 private:
  ResultCode fault_of(const EffectBody& body) {
    const std::int32_t nth = ++seen_[body.index()];
    for (const Fault& fault : faults_) {
      if (fault.effect != effect_name(body) || (fault.nth != 0 && fault.nth != nth)) continue;
      if (fault.name.empty() || fault.name == object_name(body)) return fault.code;
    }
    return ResultCode::Ok;
  }

  Store& store_;
  std::vector<Fault> faults_;
  Time now_;
  std::vector<std::int32_t> seen_;
};

Json trace_json(const SyncRecord& record) {
  Json out = object_of({{"outcome", to_string(record.outcome)},
                        {"manage", to_string(record.manage)},
                        {"expectationsSatisfied", record.expectations_satisfied},
                        {"wanted", record.wanted},
                        {"succeeded", record.succeeded},
                        {"failed", record.failed},
                        {"sentence", sentence(record)}});
  if (record.condition) {
    out["condition"] = object_of({{"type", record.condition->type},
                                  {"reason", record.condition->reason},
                                  {"message", record.condition->message},
                                  {"check", record.condition_check},
                                  {"withheld", record.condition_withheld}});
  }
  Json budget = object_of({{"failures", record.budget.failures},
                           {"limit", record.budget.limit},
                           {"retriesLeft", record.budget.retries_left}});
  if (record.budget.counts_restarts) budget["restarts"] = record.budget.restarts;
  if (record.budget.next_retry) budget["nextRetry"] = to_rfc3339(*record.budget.next_retry);
  out["budget"] = std::move(budget);
  Json& failures = out["failures"] = Json::array();
  for (const FailureNote& note : record.failures) {
    Json item = object_of({{"pod", note.pod},
                           {"counted", note.match.counts()},
                           {"reason", to_string(note.match.reason)},
                           {"action", to_string(note.match.action)}});
    if (note.index >= 0) item["index"] = note.index;
    if (note.match.rule >= 0) item["rule"] = note.match.rule;
    failures.push_back(std::move(item));
  }
  return out;
}

void set_up(FieldReader& args, Controller& controller, const std::string& key, Time now) {
  if (auto reader = args.object("expectations")) {
    Expectation expectation;
    expectation.creations = reader->int32("creations").value_or(0);
    expectation.deletions = reader->int32("deletions").value_or(0);
    expectation.since = read_time(*reader, "since").value_or(now);
    controller.set_expectation(key, expectation);
    for (const std::string& uid : reader->string_list("finalizers")) controller.set_removal_expected(key, uid);
  }
  if (auto reader = args.object("backoff")) {
    BackoffRecord record;
    record.failures = reader->int32("failures").value_or(0);
    record.last_failure = read_time(*reader, "lastFailure");
    controller.set_backoff(key, record);
  }
}

Json memory_json(const Controller& controller, const std::string& key) {
  Json out = Json::object();
  if (const Expectation* expectation = controller.expectations().find(key)) {
    out["expectations"] = object_of({{"creations", expectation->creations}, {"deletions", expectation->deletions}});
  }
  if (const auto& uids = controller.finalizer_expectations().of(key); !uids.empty())
    out["expectations"]["finalizers"] = uids;
  if (const BackoffRecord* record = controller.backoff(key)) {
    out["backoff"] = object_of({{"failures", record->failures}});
    if (record->last_failure) out["backoff"]["lastFailure"] = to_rfc3339(*record->last_failure);
  }
  return out;
}

}  // namespace

Answer job_sync(FieldReader& args) {
  const Quirks quirks = profile_from(read_profile_name(args, kube_job_profiles(), "job")).value_or(job_profile());
  const ControllerConfig config{.quirks = switched<Quirk>(args, quirk_names(), quirks), .trace = true};
  kubejob::Job job = read_job_argument(args);
  std::vector<kubejob::Pod> pods = read_pods(args, job);
  const Time now = read_time(args, "now").value_or(Time{});
  std::vector<Fault> faults = read_faults(args);
  add_selector(job, pods);

  // Pods first: of a job that is not there yet they wake nobody.
  Store store;
  std::vector<std::string> order;
  for (kubejob::Pod& pod : pods) {
    order.push_back(pod.key());
    store.put_pod(std::move(pod));
  }
  const std::string key = job.key();
  store.put_job(std::move(job));
  Controller controller(config);
  Output output;
  while (auto observation = store.take_notification()) controller.step({now, *std::move(observation)}, output);
  set_up(args, controller, key, now);
  output.trace.clear();

  Executor executor(store, std::move(faults), now);
  controller.step({now, Work{}}, output);
  executor.run(controller, output);

  Json out = memory_json(controller, key);
  out["effects"] = std::move(executor.effects);
  out["job"] = kubejob::to_json(*store.jobs().at(key));
  Json& stored = out["pods"] = Json::array();
  const auto add = [&stored, &store](const std::string& pod_key) {
    if (const auto pod = store.pods().find(pod_key); pod != store.pods().end())
      stored.push_back(kubejob::to_json(*pod->second));
  };
  std::vector<std::string> given;
  for (const std::string& pod_key : order) {
    if (std::find(given.begin(), given.end(), pod_key) != given.end()) continue;
    given.push_back(pod_key);
    add(pod_key);
  }
  std::sort(given.begin(), given.end());
  for (const auto& [pod_key, pod] : store.pods())
    if (!std::binary_search(given.begin(), given.end(), pod_key)) add(pod_key);
  for (const Record& record : output.trace) {
    const auto* sync = std::get_if<SyncRecord>(&record);
    if (sync == nullptr) continue;
    out["trace"] = trace_json(*sync);
    if (!sync->error.empty()) out["error"] = sync->error;
    if (sync->requeue_at) out["requeueAfter"] = to_string(*sync->requeue_at - now);
  }
  return out;
}

}  // namespace pumice::eval
