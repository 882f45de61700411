// Runs in words.
#include <algorithm>
#include <set>
#include <utility>

#include "compose.h"
#include "kubeworld/kube_names.h"
#include "list_text.h"
#include "overloaded.h"
#include "pumice/kubejob/names.h"
#include "pumice/kubejob/reader.h"
#include "pumice/kubeworld/report.h"

namespace pumice::kubeworld {

namespace {

/// Failures that are told one by one.
constexpr std::size_t kFailuresMax = 20;
constexpr std::size_t kEffectsMax = 12;

std::string name_of(std::string_view key) { return std::string(key.substr(key.find('/') + 1)); }

/// `pod a` · `pods a and b` · `5 pods`.
std::string pods_text(const std::vector<std::string>& keys, std::int64_t count) {
  if (count > 3) return count_of(count, "pod");
  std::vector<std::string> names;
  for (const std::string& key : keys) names.push_back(name_of(key));
  return (keys.size() == 1 ? "pod " : "pods ") + list_text(names, "and");
}

/// How much a sync has to tell.
int weight_of(const SyncRecord& record) {
  const bool finished = record.before.finished() == nullptr && record.after.finished() != nullptr;
  if (finished) return 6;
  if (!record.error.empty()) return 5;
  if (record.condition) return 4;
  if (record.new_failed > 0 || record.new_succeeded > 0) return 3;
  if (record.created > 0 || record.removed > 0) return 2;
  if (!(record.before == record.after) || record.manage == ManageStep::BackingOff) return 1;
  if (record.outcome == SyncOutcome::ManagedByOther || record.outcome == SyncOutcome::UnknownMode) return 1;
  return 0;
}

std::string rule_text(const FailureMatch& match) {
  switch (match.reason) {
    case FailureReason::NoPolicy: return "counted: there is no podFailurePolicy";
    case FailureReason::NoRuleMatches: return "counted: no rule of podFailurePolicy matches";
    case FailureReason::ExitCode:
      return compose("{}: spec.podFailurePolicy.rules[{}] ({}) matches exit code {} of container {}",
                     match.counts() ? "counted" : "ignored", match.rule, to_string(match.action), match.exit_code,
                     match.detail);
    case FailureReason::PodCondition:
      return compose("{}: spec.podFailurePolicy.rules[{}] ({}) names condition {}",
                     match.counts() ? "counted" : "ignored", match.rule, to_string(match.action), match.detail);
  }
  return {};
}

void add_budget(const SyncRecord& record, const World& after, std::vector<TextLine>& lines) {
  const auto add = [&lines](std::string text) { lines.push_back({LineKind::Budget, std::move(text)}); };
  const Budget& budget = record.budget;
  constexpr std::int64_t kUnlimited = 1'000'000;
  if (budget.limit <= kUnlimited) {
    std::string text =
        compose("failures counted: {} of backoffLimit {}, {} left", budget.failures, budget.limit,
                budget.retries_left == 1 ? std::string("1 retry") : compose("{} retries", budget.retries_left));
    if (budget.counts_restarts) text += compose("; container restarts that count: {}", budget.restarts);
    add(std::move(text));
  } else {
    add(compose("failures counted: {}; backoffLimit sets no limit", budget.failures));
  }
  const JobPtr job = after.job(record.key);
  if (job && job->spec->backoff_limit_per_index) {
    std::string text = compose("backoffLimitPerIndex: {} failures an index", *job->spec->backoff_limit_per_index);
    if (job->spec->max_failed_indexes) text += compose(", maxFailedIndexes {}", *job->spec->max_failed_indexes);
    add(std::move(text));
  }
  if (job && job->spec->is_indexed()) {
    const std::string& done = record.after.completed_indexes;
    const std::string failed = record.after.failed_indexes.value_or("");
    add(compose("indexes succeeded: {}; failed: {}", done.empty() ? "none" : done, failed.empty() ? "none" : failed));
  }
  if (const auto retry = after.next_retry(record.key, record.at))
    add(compose("next retry: {}, in {}", to_rfc3339(*retry), to_string(*retry - record.at)));
}

std::string counts_text(const JobStatus& status) {
  std::string text = compose("active {}, ready {}, terminating {}, succeeded {}, failed {}", status.active,
                             status.ready.value_or(0), status.terminating.value_or(0), status.succeeded, status.failed);
  if (status.uncounted && !status.uncounted->empty())
    text += compose(", uncounted {} + {}", status.uncounted->succeeded.size(), status.uncounted->failed.size());
  for (const Condition& condition : status.conditions)
    text += compose(", {}={}", condition.type, condition.status) +
            (condition.reason.empty() ? "" : " (" + condition.reason + ")");
  return text;
}

std::string effect_text(const EffectBody& body) {
  return std::visit(Overloaded{
                        [](const CreatePod& effect) { return "CreatePod " + effect.pod->generate_name; },
                        [](const EmitEvent& effect) {
                          return compose("Event {} {}: {}", effect.warning ? "Warning" : "Normal", effect.reason,
                                         effect.message);
                        },
                        [](const UpdateJobStatus& effect) { return "UpdateJobStatus: " + counts_text(effect.status); },
                        [&body](const auto& effect) { return compose("{} {}", effect_name(body), effect.name); },
                    },
                    body);
}

std::string_view kind_of_seen(Seen seen) noexcept {
  return seen == Seen::JobAdded || seen == Seen::JobUpdated || seen == Seen::JobDeleted ? "Job" : "Pod";
}

std::string_view change_of_seen(Seen seen) noexcept {
  switch (seen) {
    case Seen::JobAdded:
    case Seen::PodAdded: return "added";
    case Seen::JobUpdated:
    case Seen::PodUpdated: return "updated";
    case Seen::JobDeleted:
    case Seen::PodDeleted: return "deleted";
  }
  return "";
}

void add_details(const SyncRecord& record, std::vector<TextLine>& lines) {
  const auto add = [&lines](std::string text) { lines.push_back({LineKind::Detail, std::move(text)}); };
  std::string_view last;
  std::size_t shown = 0;
  std::int64_t alike = 0;
  const auto close = [&] {
    if (alike > 0) add(compose("effect: {} more of {}", alike, last));
    alike = 0;
  };
  for (const Effect& effect : record.effects) {
    const std::string_view name = effect_name(effect.body);
    // Of a row of equal effects the first one stands for all.
    if (name == last && !std::holds_alternative<EmitEvent>(effect.body)) {
      ++alike;
      continue;
    }
    close();
    last = name;
    if (++shown > kEffectsMax) break;
    add("effect: " + effect_text(effect.body));
  }
  close();
  const auto total = static_cast<std::int64_t>(record.effects.size());
  if (record.effects_total > total) add(compose("effects: {} more", record.effects_total - total));
  if (record.before == record.after) return;
  add("before: " + counts_text(record.before));
  add("after: " + counts_text(record.after));
}

}  // namespace

std::string action_text(const Action& action, const World& after, std::int64_t count) {
  const std::int64_t many = std::max(count, static_cast<std::int64_t>(action.pods.size()));
  const bool one = many == 1;
  const std::string pods = pods_text(action.pods, many);
  const auto container_text = [&](std::string_view singular, std::string_view plural) {
    return compose("containers of {} {}", pods, one ? singular : plural);
  };
  switch (action.kind) {
    case Action::Kind::StartPods: return compose("{} {}", pods, one ? "starts" : "start");
    case Action::Kind::EndContainers: return container_text("have run their time", "have run their time");
    case Action::Kind::RestartContainers: return container_text("are started again", "are started again");
    case Action::Kind::StopPods: return container_text("stop", "stop");
    case Action::Kind::EndPods:
      return compose("{} {} over the activeDeadlineSeconds of the pod", pods, one ? "is" : "are");
    case Action::Kind::StartControllers: return "the controllers of batch/v1 Jobs start again";
    case Action::Kind::CollectOwned: {
      const JobPtr job = after.job(action.job);
      if (action.pods.empty()) return compose("the garbage collector lets Job {} go", name_of(action.job));
      if (!job) return compose("the garbage collector deletes {} of Job {}, which is gone", pods, name_of(action.job));
      return compose("the garbage collector deals with {} of Job {}", pods, name_of(action.job));
    }
    case Action::Kind::CollectPods:
      return action.pods.empty() ? "the pod garbage collector looks" : "the pod garbage collector deals with " + pods;
  }
  return {};
}

std::int64_t telling_record(const std::vector<Record>& records) {
  std::int64_t best = -1;
  int most = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto* sync = std::get_if<SyncRecord>(&records[i]);
    int weight = sync == nullptr ? 0 : weight_of(*sync);
    if (const auto* ttl = std::get_if<TtlRecord>(&records[i]))
      weight = ttl->outcome == TtlOutcome::Deleted || ttl->outcome == TtlOutcome::Failed ? 5 : 0;
    if (const auto* orphan = std::get_if<OrphanRecord>(&records[i])) weight = orphan->removed > 0 ? 1 : 0;
    if (weight <= most) continue;
    most = weight;
    best = static_cast<std::int64_t>(i);
  }
  return best;
}

std::string run_sentence(const std::vector<Record>& records, const std::vector<JobChange>& changes) {
  // The last telling record of each job, in the order of the records.
  std::vector<std::string> sentences;
  std::set<std::string> told;
  for (const Record& record : records) {
    std::string key;
    int weight = 0;
    if (const auto* sync = std::get_if<SyncRecord>(&record)) {
      key = sync->key;
      weight = weight_of(*sync);
    } else if (const auto* ttl = std::get_if<TtlRecord>(&record)) {
      key = ttl->key;
      weight = ttl->outcome == TtlOutcome::Deleted || ttl->outcome == TtlOutcome::Failed ? 5 : 0;
    } else if (const auto* orphans = std::get_if<OrphanRecord>(&record)) {
      weight = orphans->removed > 0 ? 1 : 0;
    }
    if (weight == 0) continue;
    if (told.size() >= 3 && !told.contains(key)) continue;
    told.insert(key);
    sentences.push_back(sentence(record));
  }
  if (sentences.empty()) {
    for (const JobChange& change : changes) {
      if (change.state_after == "Deleted") sentences.push_back("Job " + change.job_key + " is deleted.");
    }
  }
  std::string text;
  for (const std::string& one : sentences) text += (text.empty() ? "" : " ") + one;
  return text;
}

std::vector<TextLine> fail_lines(const std::vector<Record>& records, const World& after) {
  std::vector<TextLine> lines;
  for (const Record& record : records) {
    const auto* sync = std::get_if<SyncRecord>(&record);
    if (sync == nullptr) continue;
    std::size_t shown = 0;
    for (const FailureNote& note : sync->failures) {
      if (++shown > kFailuresMax) break;
      std::string pod = "pod " + note.pod;
      if (note.index >= 0) pod += compose(" (index {})", note.index);
      lines.push_back({LineKind::Rule, pod + " " + rule_text(note.match)});
    }
    if (sync->new_failed > static_cast<std::int64_t>(std::min(sync->failures.size(), kFailuresMax)))
      lines.push_back({LineKind::Rule,
                       compose("and {} more failures", sync->new_failed - static_cast<std::int64_t>(std::min(
                                                                              sync->failures.size(), kFailuresMax)))});
    if (weight_of(*sync) >= 3 || sync->manage == ManageStep::BackingOff) add_budget(*sync, after, lines);
  }
  return lines;
}

std::vector<TextLine> record_lines(const std::vector<Record>& records, std::int64_t total) {
  std::vector<TextLine> lines;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (const auto* seen = std::get_if<ObserveRecord>(&records[i])) {
      std::int64_t alike = 0;
      while (i + 1 < records.size()) {
        const auto* next = std::get_if<ObserveRecord>(&records[i + 1]);
        if (next == nullptr || next->seen != seen->seen || next->outcome != seen->outcome || next->jobs != seen->jobs)
          break;
        ++alike;
        ++i;
      }
      std::string text = sentence(Record(*seen));
      if (alike > 0) text += compose(" And {} more of this kind.", alike);
      lines.push_back({LineKind::Record, std::move(text)});
      continue;
    }
    lines.push_back({LineKind::Record, sentence(records[i])});
    if (const auto* sync = std::get_if<SyncRecord>(&records[i])) add_details(*sync, lines);
  }
  const auto kept = static_cast<std::int64_t>(records.size());
  if (total > kept) lines.push_back({LineKind::Record, compose("{} more records are not kept", total - kept)});
  return lines;
}

Json record_json(const Record& record) {
  Json out = std::visit(
      Overloaded{
          [](const ObserveRecord& rec) {
            return object_of({{"kind", "kubeObserve"},
                              {"object", kind_of_seen(rec.seen)},
                              {"change", change_of_seen(rec.seen)},
                              {"namespace", rec.ns},
                              {"name", rec.name},
                              {"outcome", to_string(rec.outcome)},
                              {"jobs", rec.jobs}});
          },
          [](const SyncRecord& rec) {
            Json failures = Json::array();
            for (const FailureNote& note : rec.failures) {
              if (failures.size() >= kFailuresMax) break;
              Json item = object_of({{"pod", note.pod},
                                     {"counted", note.match.counts()},
                                     {"action", to_string(note.match.action)},
                                     {"reason", to_string(note.match.reason)},
                                     {"text", rule_text(note.match)}});
              if (note.index >= 0) item["index"] = note.index;
              if (note.match.rule >= 0) item["path"] = compose("spec.podFailurePolicy.rules[{}]", note.match.rule);
              failures.push_back(std::move(item));
            }
            Json json =
                object_of({{"kind", "kubeSync"},
                           {"job", rec.key},
                           {"outcome", to_string(rec.outcome)},
                           {"manage", to_string(rec.manage)},
                           {"failures", std::move(failures)},
                           {"created", rec.created},
                           {"removed", rec.removed},
                           {"finalizersRemoved", rec.finalizers_removed},
                           {"budget", object_of({{"counted", rec.budget.failures},
                                                 {"limit", rec.budget.limit},
                                                 {"left", rec.budget.retries_left}})},
                           {"effectsTotal", rec.effects_total},
                           {"status", object_of({{"before", to_json(rec.before)}, {"after", to_json(rec.after)}})}});
            if (rec.condition)
              json["condition"] = object_of({{"type", rec.condition->type},
                                             {"reason", rec.condition->reason},
                                             {"message", rec.condition->message},
                                             {"check", rec.condition_check},
                                             {"withheld", rec.condition_withheld}});
            if (rec.budget.next_retry) json["budget"]["nextRetry"] = to_rfc3339(*rec.budget.next_retry);
            if (!rec.error.empty()) json["error"] = rec.error;
            if (rec.retry_at) json["retryAt"] = to_rfc3339(*rec.retry_at);
            return json;
          },
          [](const OrphanRecord& rec) {
            return object_of({{"kind", "kubeOrphans"},
                              {"namespace", rec.ns},
                              {"what", rec.what},
                              {"lookedAt", rec.looked_at},
                              {"removed", rec.removed}});
          },
          [](const TtlRecord& rec) {
            Json json = object_of({{"kind", "kubeTtl"}, {"job", rec.key}, {"outcome", to_string(rec.outcome)}});
            if (rec.next) json["next"] = to_rfc3339(*rec.next);
            return json;
          },
      },
      record);
  out["sentence"] = sentence(record);
  return out;
}

}  // namespace pumice::kubeworld
