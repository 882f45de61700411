// Operations of the Volcano Job controller.
#include "eval/operation.h"
#include "eval/quirks.h"
#include "pumice/model/reader.h"
#include "pumice/volcano/decide.h"
#include "pumice/volcano/request.h"
#include "pumice/volcano/transition.h"

namespace pumice::eval {
namespace {

using volcano::Considered;
using volcano::Decision;
using volcano::RuleReason;
using volcano::Target;

std::string text_of(FieldReader& reader, std::string_view name) { return reader.string(name).value_or(""); }

Job read_job_argument(FieldReader& args) {
  std::optional<FieldReader> reader = args.object("job");
  return reader ? read_job(*reader, ReadMode::Wire) : Job{};
}

volcano::Request read_request(FieldReader& args) {
  volcano::Request request;
  std::optional<FieldReader> reader = args.object("request");
  if (!reader) return request;
  request.ns = text_of(*reader, "namespace");
  request.job_name = text_of(*reader, "jobName");
  request.job_uid = text_of(*reader, "jobUid");
  request.task_name = text_of(*reader, "taskName");
  request.pod_name = text_of(*reader, "podName");
  request.pod_uid = text_of(*reader, "podUid");
  request.partition_id = text_of(*reader, "partitionId");
  request.event = volcano::EventName(std::string_view(text_of(*reader, "event")));
  request.exit_code = reader->int32("exitCode").value_or(0);
  request.action = volcano::ActionName(std::string_view(text_of(*reader, "action")));
  request.job_version = reader->int32("jobVersion").value_or(0);
  return request;
}

Json target_json(std::string_view type, std::string_view task, std::string_view pod, std::string_view partition) {
  return object_of({{"type", type}, {"taskName", task}, {"podName", pod}, {"partition", partition}});
}

std::string_view outcome_of(RuleReason reason) {
  switch (reason) {
    case RuleReason::MatchedEvent:
    case RuleReason::MatchedAnyEvent:
    case RuleReason::MatchedExitCode: return "matched";
    case RuleReason::EventDiffers:
    case RuleReason::ExitCodeDiffers:
    case RuleReason::NeitherMatches:
    case RuleReason::NeedsTimeout:
    case RuleReason::NoEventInRequest:
    case RuleReason::HasNoCondition:
    case RuleReason::NotAFailure: return "notMatched";
    case RuleReason::BehindEarlierMatch:
    case RuleReason::HiddenByTask:
    case RuleReason::NotConsulted: return "notConsulted";
  }
  return "";
}

Json considered_json(const std::vector<Considered>& candidates) {
  Json out = Json::array();
  for (const Considered& candidate : candidates) {
    out.push_back(object_of({{"path", candidate.rule.path()},
                             {"reason", to_string(candidate.reason)},
                             {"outcome", outcome_of(candidate.reason)}}));
  }
  return out;
}

}  // namespace

Answer volcano_apply_policies(FieldReader& args) {
  const Job job = read_job_argument(args);
  const volcano::Request request = read_request(args);
  const volcano::Quirks quirks = read_volcano_quirks(args);
  const volcano::PolicyTable table(job.spec);
  const Decision decision = decide(table, job.meta.uid, job.status.version, request, quirks);
  const bool is_foreign = decision.action == volcano::Action::Other;
  const Target target = target_for(decision.action, request, quirks);

  Json out = Json::object();
  out["action"] = is_foreign ? decision.action_text : to_string(decision.action);
  out["delay"] = to_string(decision.delay);
  out["target"] = target_json(to_string(target.scope), target.task_name, target.pod_name, target.partition);
  out["source"] = to_string(decision.source);
  out["rule"] = decision.rule.path();
  out["considered"] = considered_json(consider(table, job.meta.uid, job.status.version, request, quirks));
  return out;
}

Answer volcano_transition(FieldReader& args) {
  const Job job = read_job_argument(args);
  const volcano::Quirks quirks = read_volcano_quirks(args);
  JobStatus status;
  if (std::optional<FieldReader> reader = args.object("status")) {
    status = read_job_status(*reader, ReadMode::Wire);
    // What an operation does not recompute is what the job has, unless it is given.
    const std::optional<FieldReader> state = reader->object("state");
    if (!state || state->node().find("phase") == nullptr) status.phase = job.status.phase;
    if (!reader->has("retryCount")) status.retry_count = job.status.retry_count;
    if (!reader->has("minAvailable")) status.min_available = job.status.min_available;
  }
  volcano::ActionName action;
  Json target = target_json("", "", "", "");
  if (std::optional<FieldReader> reader = args.object("action")) {
    action = volcano::ActionName(std::string_view(text_of(*reader, "action")));
    if (std::optional<FieldReader> aim = reader->object("target")) {
      target = target_json(text_of(*aim, "type"), text_of(*aim, "taskName"), text_of(*aim, "podName"),
                           text_of(*aim, "partition"));
    }
  }

  const volcano::Plan plan = volcano::plan(job.status.phase.code, action.code, quirks);
  const auto totals = volcano::SpecTotals::of(*job.spec);
  const volcano::TransitionResult result = apply_status_function(plan.function, *job.spec, totals, status, quirks);

  Json out = Json::object();
  out["operation"] = to_string(plan.operation);
  out["function"] = to_string(plan.function);
  out["changed"] = result.changed;
  out["reason"] = to_string(result.reason);
  out["phase"] = status.phase.text();
  out["retryCount"] = status.retry_count;
  switch (plan.operation) {
    case volcano::Operation::Sync: break;
    case volcano::Operation::Kill:
      out["retain"] = plan.retain == volcano::Retain::Soft ? Json{"Succeeded", "Failed"} : Json::array();
      break;
    case volcano::Operation::KillTarget: out["target"] = std::move(target); break;
  }
  return out;
}

}  // namespace pumice::eval
