// Records in words: what happened and why, in one sentence each.
#include <string>
#include <utility>
#include <vector>

#include "compose.h"
#include "list_text.h"
#include "overloaded.h"
#include "pumice/kubejob/trace.h"

namespace pumice::kubejob {
namespace {

/// `counted, there is no podFailurePolicy` · `ignored by rule 0, which names DisruptionTarget`.
std::string reason_text(const FailureMatch& match) {
  switch (match.reason) {
    case FailureReason::NoPolicy: return "counted, there is no podFailurePolicy";
    case FailureReason::NoRuleMatches: return "counted, no rule of podFailurePolicy matches";
    case FailureReason::ExitCode:
    case FailureReason::PodCondition: break;
  }
  std::string text = match.counts() ? compose("counted by rule {} ({})", match.rule, to_string(match.action))
                                    : compose("ignored by rule {}", match.rule);
  text += match.reason == FailureReason::ExitCode
              ? compose(", which matches exit code {} of container {}", match.exit_code, match.detail)
              : compose(", which names condition {}", match.detail);
  return text;
}

std::string failures_text(const SyncRecord& record) {
  if (record.new_failed == 0) return "";
  if (record.failures.size() == 1 && record.new_failed == 1) {
    const FailureNote& note = record.failures.front();
    std::string text = "pod " + note.pod;
    if (note.index >= 0) text += compose(" of index {}", note.index);
    return text + " failed: " + reason_text(note.match);
  }
  std::int64_t counted = 0;
  for (const FailureNote& note : record.failures) counted += note.match.counts() ? 1 : 0;
  std::string text = compose("{} pods failed", record.new_failed);
  if (record.failures.empty()) return text;
  const FailureMatch& first = record.failures.front().match;
  bool alike = true;
  for (const FailureNote& note : record.failures)
    alike = alike && note.match.reason == first.reason && note.match.rule == first.rule;
  return text + (alike ? ": " + reason_text(first) : compose(", {} of them counted", counted));
}

std::string success_text(const SyncRecord& record) {
  if (!record.new_succeeded_indexes.empty()) return "succeeded now: index " + record.new_succeeded_indexes;
  return record.new_succeeded == 0 ? "" : count_of(record.new_succeeded, "pod") + " succeeded";
}

std::string condition_text(const SyncRecord& record) {
  if (!record.condition) return "";
  const Condition& condition = *record.condition;
  std::string text =
      "the job is to " + std::string(record.condition_check < 8 && record.condition_check != 1 ? "fail" : "complete");
  if (!condition.reason.empty()) text += compose(" ({}: {})", condition.reason, condition.message);
  if (record.removed > 0) text += compose(", {} deleted", count_of(record.removed, "active pod"));
  if (record.condition_withheld) {
    text += record.expectations_satisfied ? ", but not all active pods could be deleted"
                                          : ", but pods that were asked for are not seen yet";
  } else if (record.waits_for_terminating) {
    text += compose(", once {} gone", record.after.terminating == 1
                                          ? "the terminating pod is"
                                          : compose("{} terminating pods are", record.after.terminating.value_or(0)));
  }
  return text;
}

std::string manage_text(const SyncRecord& record) {
  switch (record.manage) {
    case ManageStep::NotReached:
    case ManageStep::ConditionMet: return "";
    case ManageStep::ExpectationsUnmet:
      return "pods that were asked for or deleted are not seen yet, so none is created or removed";
    case ManageStep::JobDeleting: return "the job is being deleted, so no pod is created or removed";
    case ManageStep::Suspended:
      return record.removed == 0 ? "the job is suspended"
                                 : compose("the job is suspended, {} removed", count_of(record.removed, "pod"));
    case ManageStep::Removed:
      return compose("{} active where {} wanted, {} removed", count_of(record.active, "pod"),
                     record.wanted == 1 ? std::string("1 is") : compose("{} are", record.wanted), record.removed);
    case ManageStep::Enough: return compose("{} active, as many as wanted", count_of(record.active, "pod"));
    case ManageStep::WaitsForTerminating:
      return compose("a replacement waits for the end of {}", count_of(record.pending, "terminating pod"));
    case ManageStep::BackingOff: {
      const Duration wait = record.budget.next_retry ? *record.budget.next_retry - record.at : Duration{};
      return compose("the next pod may start in {}", to_string(wait));
    }
    case ManageStep::Created:
      return record.created == 0 ? "no pod could be created" : count_of(record.created, "pod") + " created";
    case ManageStep::NothingPending: return "no index is left to start";
  }
  return "";
}

std::string budget_text(const SyncRecord& record) {
  const Budget& budget = record.budget;
  if (record.condition || budget.limit > 1'000'000) return "";
  if (budget.failures == 0 && (!budget.counts_restarts || budget.restarts == 0)) return "";
  std::string text;
  if (budget.counts_restarts && budget.restarts > 0) text = count_of(budget.restarts, "container restart") + " and ";
  return text + compose("{} of backoffLimit {} used, {} left", count_of(budget.failures, "failure"), budget.limit,
                        budget.retries_left == 1 ? std::string("1 retry") : compose("{} retries", budget.retries_left));
}

std::string end_text(const SyncRecord& record) {
  if (record.before.finished() != nullptr) return "";
  const Condition* finished = record.after.finished();
  return finished == nullptr ? "" : "the job is " + finished->type;
}

std::string outcome_text(const SyncRecord& record) {
  switch (record.outcome) {
    case SyncOutcome::Synced:
    case SyncOutcome::Failed: return "";
    case SyncOutcome::BadKey: return "this is no key of a job";
    case SyncOutcome::StaleCache: return "the last write to the job is not seen yet";
    case SyncOutcome::JobNotCached: return "the job is gone";
    case SyncOutcome::ManagedByOther: return "another controller manages the job (managedBy)";
    case SyncOutcome::Finished: return "the job is finished, nothing is left to do";
    case SyncOutcome::FinishWritten: return "the end of the job is written, it is only not seen yet";
    case SyncOutcome::UnknownMode: return "the completion mode is unknown, so nothing is done";
  }
  return "";
}

std::string joined(std::vector<std::string> clauses, std::string_view about) {
  std::erase(clauses, std::string());
  std::string text(about);
  for (std::size_t i = 0; i < clauses.size(); ++i) text += (i == 0 ? ": " : "; ") + clauses[i];
  return text + ".";
}

std::string observe_sentence(const ObserveRecord& record) {
  const std::string about = compose("{} {}/{}", to_string(record.seen), record.ns, record.name);
  std::string text;
  switch (record.outcome) {
    case ObserveOutcome::Queued:
    case ObserveOutcome::Batched:
      text = list_text(record.jobs, "and");
      text += record.delay.ns <= 0 ? " is due at once" : " is due in " + to_string(record.delay);
      break;
    case ObserveOutcome::OrphanQueued: text = "no job accounts for the pod, its finalizer is looked at"; break;
    case ObserveOutcome::SameResourceVersion: text = "nothing changed"; break;
    case ObserveOutcome::JobUnknown: text = "its controller is no job that is known"; break;
    case ObserveOutcome::JobFinished: text = "the job is finished, only finalizers are looked at"; break;
    case ObserveOutcome::NobodyMatches: text = "no job selects the pod"; break;
  }
  return joined({text}, about);
}

std::string orphan_sentence(const OrphanRecord& record) {
  std::string text =
      compose("{} looked at, {} freed of the finalizer", count_of(record.looked_at, "pod"), record.removed);
  return joined({std::move(text), record.error.empty() ? "" : "error: " + record.error},
                "Orphans " + record.ns + "/" + record.what);
}

std::string ttl_sentence(const TtlRecord& record) {
  std::string text;
  switch (record.outcome) {
    case TtlOutcome::JobNotCached:
    case TtlOutcome::Gone: text = "the job is gone"; break;
    case TtlOutcome::NotEligible:
      text = "the job is not finished, has no ttlSecondsAfterFinished or is being deleted";
      break;
    case TtlOutcome::TooEarly: text = "the time to live is not over"; break;
    case TtlOutcome::Deleted: text = "the time to live is over, the job is deleted"; break;
    case TtlOutcome::Failed: text = "error: " + record.error; break;
  }
  if (record.next) text += ", next look at " + to_rfc3339(*record.next);
  return joined({std::move(text)}, "Job " + record.key);
}

}  // namespace

std::string sentence(const SyncRecord& record) {
  std::string error = record.error.empty() ? "" : "error: " + record.error;
  if (record.retry_at)
    error += (error.empty() ? "" : ", ") + std::string("tried again in ") + to_string(*record.retry_at - record.at);
  std::string uncounted;
  if (record.uncounted_full) uncounted = "500 ended pods are registered, the rest waits for the next sync";
  std::string failed_indexes;
  if (!record.new_failed_indexes.empty()) failed_indexes = "failed indexes are " + record.new_failed_indexes;
  return joined({outcome_text(record), success_text(record), failures_text(record), std::move(failed_indexes),
                 condition_text(record), manage_text(record), budget_text(record), std::move(uncounted),
                 end_text(record), std::move(error)},
                "Job " + record.key);
}

std::string sentence(const Record& record) {
  return std::visit(Overloaded{
                        [](const ObserveRecord& rec) { return observe_sentence(rec); },
                        [](const SyncRecord& rec) { return sentence(rec); },
                        [](const OrphanRecord& rec) { return orphan_sentence(rec); },
                        [](const TtlRecord& rec) { return ttl_sentence(rec); },
                    },
                    record);
}

}  // namespace pumice::kubejob
