// Watch notifications -> cache and requests (spec/volcano-job.md 3).
#include <charconv>

#include "overloaded.h"
#include "pumice/volcano/controller.h"

namespace pumice::volcano {

namespace {

template <class Number>
std::optional<Number> parse_number(const std::string& text) {
  // Go's ParseInt accepts a sign in front; from_chars knows only the minus.
  const char* begin = text.data();
  const char* const end = begin + text.size();
  if (begin != end && *begin == '+') {
    ++begin;
    if (begin == end || *begin == '-') return std::nullopt;
  }
  Number value = 0;
  const auto [rest, error] = std::from_chars(begin, end, value);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return value;
}

std::optional<std::int32_t> parse_version(const std::string& text, Quirks quirks) {
  if (!quirks.has(Quirk::WideVersion)) return parse_number<std::int32_t>(text);
  const auto wide = parse_number<std::int64_t>(text);
  return wide ? std::optional(static_cast<std::int32_t>(static_cast<std::uint32_t>(*wide))) : std::nullopt;
}

/// The checks of the pod callbacks; the first that fails is the reason for dropping the event. An addition asks for the
/// task last, after the version is read; the others ask for it first (spec 3.3 - 3.5).
std::optional<ObserveOutcome> unusable(const Pod& pod, ChangeKind change, Quirks quirks, std::string& detail) {
  if (!pod.owned_by_job) return ObserveOutcome::NotOfAJob;
  const bool task_last = change == ChangeKind::Added;
  if (!task_last && !pod.task_name)
    detail = "volcano.sh/task-spec";
  else if (!pod.job_name)
    detail = "volcano.sh/job-name";
  else if (!pod.job_version)
    detail = "volcano.sh/job-version";
  if (!detail.empty()) return ObserveOutcome::AnnotationMissing;
  if (!parse_version(*pod.job_version, quirks)) {
    detail = *pod.job_version;
    return ObserveOutcome::VersionUnreadable;
  }
  if (pod.task_name || quirks.has(Quirk::AddWithoutTask)) return std::nullopt;
  detail = "volcano.sh/task-spec";
  return ObserveOutcome::AnnotationMissing;
}

struct Derived {
  Event event = Event::OutOfSync;
  std::int32_t exit_code = 0;
};

std::int32_t exit_code_of(const Pod& pod, Quirks quirks) {
  if (quirks.has(Quirk::FirstContainerExitCode)) return pod.exit_code();
  for (const ContainerStatus& container : pod.containers)
    if (container.exit_code.value_or(0) != 0) return *container.exit_code;
  return 0;
}

/// Spec 3.3: the event of a pod that is seen first.
Derived event_of_addition(const Pod& pod, Quirks quirks) {
  if (pod.out_of_sync && !quirks.has(Quirk::NoMarks)) return {};
  if (pod.phase == PodPhase::Failed && !quirks.has(Quirk::MissedFailures))
    return {Event::PodFailed, exit_code_of(pod, quirks)};
  if (quirks.has(Quirk::AddedIsPending) || pod.phase == PodPhase::Pending) return {Event::PodPending};
  return {pod.phase == PodPhase::Running ? Event::PodRunning : Event::OutOfSync};
}

/// Spec 3.4: the event of a pod update, against the cache that already knows the new pod.
Derived event_of_update(const Pod& before, const Pod& after, bool task_completed, bool task_failed, Quirks quirks) {
  if (!quirks.has(Quirk::TaskFailedRepeats)) task_failed = task_failed && after.restarts() > before.restarts();
  const bool entered = before.phase != after.phase;
  switch (after.phase) {
    case PodPhase::Failed:
      if (entered) return {Event::PodFailed, exit_code_of(after, quirks)};
      return {};
    case PodPhase::Succeeded: return {entered && task_completed ? Event::TaskCompleted : Event::OutOfSync};
    case PodPhase::Running:
      if (entered) return {Event::PodRunning};
      return {task_failed ? Event::TaskFailed : Event::OutOfSync};
    case PodPhase::Pending:
      if (entered) return {Event::PodPending};
      return {task_failed ? Event::TaskFailed : Event::OutOfSync};
    case PodPhase::Unknown: return {};
  }
  return {};
}

/// A pod that the controller is removing itself raises OutOfSync only (spec 3.4, last step, and 3.5).
void mute(Event& event, ObserveRecord& record) {
  if (event != Event::OutOfSync) record.muted = event;
  event = Event::OutOfSync;
}

std::string describe_change(const Pod& before, const Pod& after, Quirks quirks) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += text.empty() ? part : ", " + part; };
  if (before.phase != after.phase) {
    add(std::string(to_string(before.phase)) + " -> " + std::string(to_string(after.phase)));
    if (after.phase == PodPhase::Failed) add("exit code " + std::to_string(exit_code_of(after, quirks)));
  }
  if (!before.out_of_sync && after.out_of_sync) add("marked out-of-sync");
  if (!before.deletion && after.deletion) add("deletion begins");
  if (before.restarts() != after.restarts()) add(std::to_string(after.restarts()) + " container restarts");
  if (before.all_ready() != after.all_ready()) add(after.all_ready() ? "ready" : "not ready");
  return text;
}

/// True if more than the names of claims is different, which the controller itself writes.
bool differs_by_hand(const JobSpec& before, const JobSpec& after) {
  JobSpec same = after;
  same.volumes = before.volumes;
  return !(same == before);
}

}  // namespace

void Controller::observe(const Observation& observation, Output& output) {
  std::visit(Overloaded{
                 [&](const JobAdded& o) { observe_job(nullptr, o.job, ChangeKind::Added, output); },
                 [&](const JobUpdated& o) { observe_job(o.before, o.after, ChangeKind::Updated, output); },
                 [&](const JobDeleted& o) { observe_job(o.job, o.job, ChangeKind::Deleted, output); },
                 [&](const PodAdded& o) { observe_pod(nullptr, o.pod, ChangeKind::Added, output); },
                 [&](const PodUpdated& o) { observe_pod(o.before, o.after, ChangeKind::Updated, output); },
                 [&](const PodDeleted& o) { observe_pod(o.pod, o.pod, ChangeKind::Deleted, output); },
                 [&](const PodGroupAdded& o) { observe_pod_group(nullptr, o.group, ChangeKind::Added, output); },
                 [&](const PodGroupUpdated& o) { observe_pod_group(&o.before, o.after, ChangeKind::Updated, output); },
                 [&](const PodGroupDeleted& o) { observe_pod_group(nullptr, o.group, ChangeKind::Deleted, output); },
                 [&](const CommandAdded& o) { observe_command(o.command, output); },
                 [&](const QueueAdded& o) { queues_[o.name] = o.extends; },
                 [&](const QueueDeleted& o) { queues_.erase(o.name); },
                 [&](const ObjectSeen& o) { objects_[o.object.id] = o.object.body; },
                 [&](const ObjectGone& o) { objects_.erase(o.id); },
                 [&](const PriorityClassSeen& o) { cache_.set_priority_class(o.name, o.value); },
                 [&](const PriorityClassGone& o) { cache_.set_priority_class(o.name, std::nullopt); },
             },
             observation);
}

bool Controller::enqueue_sync(std::string ns, std::string job) {
  Request request;
  request.ns = std::move(ns);
  request.job_name = std::move(job);
  request.event = Event::OutOfSync;
  return enqueue(std::move(request));
}

/// Spec 4.2: an equal request that is still waiting is not added again.
bool Controller::enqueue(Request request) {
  const auto shard = fnv1_32(request.job_key()) % static_cast<std::uint32_t>(shards_.size());
  Shard& queue = shards_[shard];
  if (!queue.waiting.insert(request).second) return false;
  queue.items.emplace_back(std::move(request));
  return true;
}

void Controller::observe_job(const JobPtr& before, const JobPtr& after, ChangeKind change, Output& output) {
  ObserveRecord rec{ObjectKind::Job, change, after->meta.ns, after->meta.name, ObserveOutcome::NoCallback, {}, {}};
  bool is_updated = false;
  switch (change) {
    case ChangeKind::Added:
      cache_.add_job(after);
      rec.outcome = ObserveOutcome::Queued;
      break;
    case ChangeKind::Updated: {
      if (before->meta.resource_version == after->meta.resource_version) {
        rec.outcome = ObserveOutcome::SameResourceVersion;
        break;
      }
      cache_.update_job(after);
      const bool same_spec = before->spec == after->spec || *before->spec == *after->spec;
      if (same_spec && before->status.phase == after->status.phase) {
        rec.outcome = ObserveOutcome::SpecAndPhaseSame;
        break;
      }
      if (!same_spec) rec.detail = "spec";
      is_updated = !same_spec && differs_by_hand(*before->spec, *after->spec) && !has(Quirk::NoJobUpdated);
      if (before->status.phase != after->status.phase)
        rec.detail = std::string(before->status.phase.text()) + " -> " + std::string(after->status.phase.text());
      rec.outcome = ObserveOutcome::Queued;
      break;
    }
    case ChangeKind::Deleted: cache_.delete_job(after->key()); break;
  }
  if (rec.outcome == ObserveOutcome::Queued) {
    Request request;
    request.ns = after->meta.ns;
    request.job_name = after->meta.name;
    request.event = Event::OutOfSync;
    const JobInfo* info = is_updated ? cache_.get(after->key()) : nullptr;
    if (info) {
      request.event = Event::JobUpdated;
      request.job_uid = info->job->meta.uid;
      request.job_version = info->version;
    }
    rec.request = request;
    if (!enqueue(std::move(request))) rec.outcome = ObserveOutcome::Merged;
  }
  record(std::move(rec), output);
}

void Controller::observe_pod(const PodPtr& before, const PodPtr& after, ChangeKind change, Output& output) {
  ObserveRecord rec{ObjectKind::Pod, change, after->ns, after->name, ObserveOutcome::Queued, {}, {}};
  if (change == ChangeKind::Updated && after->owned_by_job && before->resource_version == after->resource_version) {
    rec.outcome = ObserveOutcome::SameResourceVersion;
    record(std::move(rec), output);
    return;
  }
  // In the older controller a pod that is being deleted counts as deleted (spec 13).
  if (after->deletion && has(Quirk::TerminatingIsGone)) change = ChangeKind::Deleted;
  if (const auto dropped = unusable(*after, change, config_.quirks, rec.detail)) {
    rec.outcome = *dropped;
    record(std::move(rec), output);
    return;
  }
  rec.pod_phase = after->phase;
  Derived derived;
  switch (change) {
    case ChangeKind::Added:
      cache_.add_pod(after);
      derived = event_of_addition(*after, config_.quirks);
      break;
    case ChangeKind::Updated: {
      cache_.update_pod(after);
      const std::string key = *job_key_of(*after);
      derived = event_of_update(*before, *after, cache_.task_completed(key, *after->task_name),
                                cache_.task_failed(key, *after->task_name), config_.quirks);
      if (derived.event == Event::TaskFailed)
        rec.task_restarts = cache_.entry(key)->find_task(*after->task_name)->restarts();
      if (after->out_of_sync && !has(Quirk::NoMarks)) mute(derived.event, rec);
      if (config_.trace) rec.detail = describe_change(*before, *after, config_.quirks);
      break;
    }
    case ChangeKind::Deleted:
      if (cache_.has_pod(*after) || has(Quirk::UnknownPodEvicted)) derived.event = Event::PodEvicted;
      if (after->phase == PodPhase::Succeeded && !has(Quirk::FinishedIsEvicted)) derived.event = Event::OutOfSync;
      if (after->out_of_sync && !has(Quirk::NoMarks)) mute(derived.event, rec);
      if (config_.trace && rec.change == ChangeKind::Updated)
        rec.detail = describe_change(*before, *after, config_.quirks);
      cache_.delete_pod(*after);
      break;
  }
  Request request;
  request.ns = after->ns;
  request.job_name = *after->job_name;
  request.job_uid = after->owner_uid;
  const bool names_task = change != ChangeKind::Added || !has(Quirk::AddWithoutTask);
  if (names_task) request.task_name = *after->task_name;
  request.pod_name = after->name;
  request.pod_uid = after->uid;
  if (names_task && !has(Quirk::NoRestartPartition)) request.partition_id = after->partition_id;
  request.event = derived.event;
  request.exit_code = derived.exit_code;
  request.job_version = *parse_version(*after->job_version, config_.quirks);
  if (config_.trace) rec.request = request;
  if (!enqueue(std::move(request))) rec.outcome = ObserveOutcome::Merged;
  record(std::move(rec), output);
}

void Controller::observe_pod_group(const PodGroup* before, const PodGroup& after, ChangeKind change, Output& output) {
  ObserveRecord rec{ObjectKind::PodGroup, change, after.ns, after.name, ObserveOutcome::NoCallback, {}, {}};
  if (change == ChangeKind::Deleted)
    pod_groups_.erase(after.ns + "/" + after.name);
  else
    pod_groups_.insert_or_assign(after.ns + "/" + after.name, after);

  if (change == ChangeKind::Updated) {
    rec.outcome = ObserveOutcome::PhaseSame;
    if (before->phase != after.phase) {
      Request request;
      request.ns = after.ns;
      request.job_name = after.name;
      for (const OwnerReference& owner : after.owners)
        if (owner.kind == "Job") request.job_name = owner.name;
      if (after.phase == PodGroupPhase::Unknown) request.event = Event::Unknown;
      const JobInfo* info = has(Quirk::UnknownWithoutVersion) ? nullptr : cache_.get(request.job_key());
      if (info) {
        request.job_uid = info->job->meta.uid;
        request.job_version = info->version;
      }
      rec.detail = std::string(to_string(before->phase)) + " -> " + std::string(to_string(after.phase));
      rec.request = request;
      rec.outcome = enqueue(std::move(request)) ? ObserveOutcome::Queued : ObserveOutcome::Merged;
    }
  }
  record(std::move(rec), output);
}

void Controller::observe_command(const Command& command, Output& output) {
  ObserveRecord rec{
      ObjectKind::Command, ChangeKind::Added, command.ns, command.name, ObserveOutcome::CommandTaken, {}, {}};
  rec.detail = std::string(command.action.text());
  if (command.target && command.target->api_version == "batch.volcano.sh/v1alpha1" && command.target->kind == "Job")
    commands_.push_back(command);
  else
    rec.outcome = ObserveOutcome::NotForAJob;
  record(std::move(rec), output);
}

}  // namespace pumice::volcano
