// syncJob, stage by stage (spec/volcano-job.md 8): the job initiated by status, plugins, claims and PodGroup, then pods
// created and deleted, and the status recounted.
#include <algorithm>

#include "json_parts.h"
#include "pumice/check.h"
#include "pumice/volcano/controller.h"
#include "pumice/volcano/pod_object.h"
#include "status.h"
#include "volcano/plugins/plugin.h"

namespace pumice::volcano {

namespace {

/// The pods of one task in one sync: they differ in index and name only.
Pod first_pod(const Job& job, std::size_t task_index, std::shared_ptr<const PodOrigin> origin) {
  const TaskSpec& task = job.spec->tasks[task_index];
  const Json& meta = member_of(task.pod_template, "metadata");
  Pod pod;
  pod.ns = job.meta.ns;
  pod.owner_uid = job.meta.uid;
  pod.owned_by_job = true;
  pod.job_name = job.meta.name;
  pod.task_name = task.name.empty() ? "default" : task.name;
  pod.job_version = std::to_string(origin->version);
  pod.out_of_sync = !member_of(member_of(meta, "annotations"), "volcano.sh/controller-out-of-sync").is_null();
  pod.partition_id = text_in(member_of(meta, "labels"), "volcano.sh/partition-id");
  pod.task_index = static_cast<std::int32_t>(task_index);
  pod.origin = std::move(origin);
  return pod;
}

/// The pods that a job has volumes for, one after the other (spec 8.2.2). `controlled` is changed as if all went well.
HookPlan plan_claims(const Job& job, const ObjectMap& existing, StringMap& controlled,
                     std::shared_ptr<const JobSpec>& new_spec) {
  HookPlan plan;
  std::shared_ptr<JobSpec> named;
  for (std::size_t i = 0; i < job.spec->volumes.size(); ++i) {
    const VolumeSpec& volume = job.spec->volumes[i];
    std::string name = volume.volume_claim_name;
    if (name.empty()) {
      std::size_t attempt = 0;
      const auto is_taken = [&] { return existing.contains({ObjectType::PersistentVolumeClaim, job.meta.ns, name}); };
      do {
        name = job.meta.name + "-pvc-" +
               derived_suffix(job.meta.uid + "/" + std::to_string(i) + "/" + std::to_string(attempt++));
      } while (is_taken());
      if (!named) named = std::make_shared<JobSpec>(*job.spec);
      named->volumes[i].volume_claim_name = name;
      if (!volume.volume_claim.is_null())
        plan.effects.emplace_back(CreateObject{
            owned_object(job, ObjectType::PersistentVolumeClaim, "v1", name, {{"spec", volume.volume_claim}})});
    } else if (!existing.contains({ObjectType::PersistentVolumeClaim, job.meta.ns, name})) {
      plan.error = "pvc " + name + " is not found, the job will be in the Pending state until the PVC is created";
      break;
    }
    controlled["volume-pvc-" + name] = name;
  }
  new_spec = std::move(named);
  return plan;
}

}  // namespace

const PodGroup* Controller::find_pod_group(const Job& job) const {
  const auto find = [this, &job](const std::string& name) {
    const auto it = pod_groups_.find(job.meta.ns + "/" + name);
    return it == pod_groups_.end() ? nullptr : &it->second;
  };
  if (const PodGroup* group = find(job.meta.name + "-" + job.meta.uid)) return group;
  return find(job.meta.name);
}

/// Readiness is read off the cached pods; upstream asks its pod lister, which the same notifications feed.
bool Controller::gate_open(const JobInfo& info, const TaskSpec& task, std::vector<std::string>& waits_for) {
  if (!task.depends_on || task.depends_on->names.empty()) return true;
  const auto ready = [&info](const std::string& name) {
    const std::int32_t index = info.policies->task_index(name);
    if (index < 0) return false;
    const std::int32_t needed = info.job->spec->tasks[static_cast<std::size_t>(index)].min_available.value_or(0);
    return info.tasks[static_cast<std::size_t>(index)].ready_slots() >= needed;
  };
  std::size_t open = 0;
  for (const std::string& name : task.depends_on->names) {
    if (ready(name))
      ++open;
    else
      waits_for.push_back(name);
  }
  const bool any_suffices = task.depends_on->names.size() > 1 && task.depends_on->iteration == "any";
  return any_suffices ? open > 0 : waits_for.empty();
}

void Controller::sync_start(Running& op, Output& output) {
  if (op.job->meta.deletion) {
    op.record.outcome = ProcessOutcome::JobDeleting;
    op.stage = Stage::Done;
    return;
  }
  const auto queue = queues_.find(op.job->spec->queue);
  if (queue == queues_.end()) {
    op.may_wait = true;
    fail(op, "queue `" + op.job->spec->queue + "` not found");
    return;
  }
  op.new_spec = nullptr;
  op.forwarding = queue->second;
  if (op.forwarding)
    sync_forward(op, Stage::SyncForwarded, output);
  else
    sync_initiate(op, output);
}

/// The job is written each time, also if it has the mark already.
void Controller::sync_forward(Running& op, Stage next, Output& output) {
  auto job = std::make_shared<Job>(*op.job);
  job->meta.annotations["volcano.sh/job-forwarding"] = "true";
  ask(op, UpdateJob{std::move(job)}, output);
  batch(op, next);
}

void Controller::sync_forwarded(Running& op, Output& output) {
  const EffectResult written = std::move(op.results.front());
  op.results.clear();
  if (written.code != ResultCode::Ok) {
    fail(op, "the job could not be written: " + std::string(to_string(written.code)));
    return;
  }
  op.job = written.job;  // with the status as it is stored: a version that is only in memory is lost
  op.status = op.job->status;
  sync_initiate(op, output);
}

void Controller::sync_initiate(Running& op, Output& output) {
  op.initiating = op.status.phase.code == JobPhase::None || op.status.phase.code == JobPhase::Pending;
  if (op.status.phase.code != JobPhase::None) {
    op.stage = Stage::SyncHooks;
    return;
  }
  op.status.phase = JobPhase::Pending;
  op.status.min_available = op.job->spec->min_available;
  write_status(op, Stage::SyncInitiated, output);
}

void Controller::sync_initiated(Running& op, Output& output) {
  if (op.results.front().code != ResultCode::Ok) {
    std::string text = "the first status could not be written: " + std::string(to_string(op.results.front().code));
    emit_event(op.record, true, "JobStatusError", text, output);
    fail(op, std::move(text));
    return;
  }
  op.job = op.results.front().job;
  if (!cache_stored(op, op.job)) return;
  op.status = op.job->status;
  op.stage = Stage::SyncHooks;
}

void Controller::sync_hooks(Running& op, Output& output) {
  plan_hooks(op, op.initiating ? Hook::JobAdd : Hook::JobUpdate);
  sync_hooked(op, output);
}

void Controller::plan_hooks(Running& op, Hook hook) {
  op.next_hook = 0;
  op.plan_of_hooks = {};
  if (op.job->spec->plugins.empty()) return;
  op.plan_of_hooks = plan_hook(hook, *op.job, cache_.plugin_objects_of(op.key), objects_, config_.ssh_keys,
                               op.status.controlled_resources, config_.quirks);
}

/// Asks for the next effect of the plan, if the last one went well. An object that a hook makes may be there already,
/// one that it deletes may be gone; a claim must be new.
Controller::HookState Controller::next_hook(Running& op, Output& output) {
  std::vector<EffectBody>& effects = op.plan_of_hooks.effects;
  if (!op.results.empty()) {
    const ResultCode code = op.results.front().code;
    op.results.clear();
    const EffectBody& done = effects[op.next_hook - 1];
    const auto* created = std::get_if<CreateObject>(&done);
    const bool is_fine =
        code == ResultCode::Ok || (code == ResultCode::NotFound && std::holds_alternative<DeleteObject>(done)) ||
        (code == ResultCode::AlreadyExists && created && created->object.id.type != ObjectType::PersistentVolumeClaim);
    if (!is_fine) {
      op.error = hook_error(*op.job, done, code);
      return HookState::Failed;
    }
  }
  if (op.next_hook < effects.size()) {
    ask(op, effects[op.next_hook++], output);
    return HookState::Asked;
  }
  op.error = op.plan_of_hooks.error;
  return op.error.empty() ? HookState::Done : HookState::Failed;
}

void Controller::sync_hooked(Running& op, Output& output) {
  switch (next_hook(op, output)) {
    case HookState::Asked: batch(op, Stage::SyncHooked); return;
    case HookState::Failed:
      emit_event(op.record, true, "PluginError", "Execute plugin when job add failed, err: " + op.error, output);
      op.stage = Stage::Done;
      return;
    case HookState::Done: break;
  }
  op.stage = Stage::SyncPodGroup;
  if (!op.initiating) return;
  op.next_hook = 0;
  op.plan_of_hooks = plan_claims(*op.job, objects_, op.status.controlled_resources, op.new_spec);
  sync_claimed(op, output);
}

void Controller::sync_claimed(Running& op, Output& output) {
  switch (next_hook(op, output)) {
    case HookState::Asked: batch(op, Stage::SyncClaimed); return;
    case HookState::Failed:
      op.may_wait = op.error == op.plan_of_hooks.error;
      emit_event(op.record, true, "PVCError", "Failed to create PVC, err: " + op.error, output);
      op.stage = Stage::Done;
      return;
    case HookState::Done: break;
  }
  op.stage = Stage::SyncPodGroup;
  if (!op.new_spec) return;
  auto job = std::make_shared<Job>(*op.job);
  job->spec = op.new_spec;
  ask(op, UpdateJob{std::move(job)}, output);
  batch(op, Stage::SyncJobWritten);
}

/// Upstream's cache hears of the generated names by the notification; here it knows them at once, so that the operation
/// goes on with the spec it wrote.
void Controller::sync_job_written(Running& op, Output& output) {
  const EffectResult written = std::move(op.results.front());
  op.results.clear();
  if (written.code != ResultCode::Ok) {
    std::string text = "the job could not be written: " + std::string(to_string(written.code));
    emit_event(op.record, true, "PVCError", "Failed to create PVC, err: " + text, output);
    fail(op, std::move(text));
    return;
  }
  op.job = written.job;
  if (cache_stored(op, op.job)) op.stage = Stage::SyncPodGroup;
}

void Controller::sync_pod_group(Running& op, Output& output) {
  const GroupFields& fields = cache_.group_fields(op.key);
  const PodGroup* found = find_pod_group(*op.job);
  op.updating_group = found != nullptr;
  if (found) {
    if (!is_up_to_date(*found, *op.job, fields)) {
      PodGroup group = *found;
      bring_up_to_date(group, *op.job, fields);
      ask(op, UpdatePodGroup{std::move(group)}, output);
    }
  } else {
    ask(op, CreatePodGroup{new_pod_group(*op.job, fields)}, output);
  }
  batch(op, Stage::SyncPodGroupWritten);
}

void Controller::sync_pod_group_written(Running& op, Output& output) {
  if (!op.results.empty()) {
    const ResultCode code = op.results.front().code;
    op.results.clear();
    if (code != ResultCode::Ok && (op.updating_group || code != ResultCode::AlreadyExists)) {
      std::string text = "the PodGroup could not be written: " + std::string(to_string(code));
      emit_event(op.record, true, "PodGroupError", text, output);
      fail(op, std::move(text));
      return;
    }
  }
  if (op.forwarding)
    sync_forward(op, Stage::SyncForwardedAgain, output);
  else
    op.stage = Stage::SyncPodGroupFound;
}

/// The answer is not looked at, unless it is an error (spec 8.1 step 5).
void Controller::sync_forwarded_again(Running& op) {
  const ResultCode code = op.results.front().code;
  op.results.clear();
  if (code == ResultCode::Ok)
    op.stage = Stage::SyncPodGroupFound;
  else
    fail(op, "the job could not be written: " + std::string(to_string(code)));
}

void Controller::sync_pod_group_found(Running& op, Output& output) {
  const PodGroup* group = find_pod_group(*op.job);
  op.record.sync.pod_group_missing = group == nullptr;
  op.record.sync.pod_group_phase = group ? group->phase : PodGroupPhase::None;
  op.record.sync.short_path = !group || !group->ready();
  if (group)
    if (std::string text = pending_text(*op.job, *group); !text.empty())
      emit_event(op.record, true, "PodGroupPending", std::move(text), output);
  op.stage = op.record.sync.short_path ? Stage::SyncShort : Stage::SyncDiff;
}

/// Spec 8.1 step 7: the status function works on the stored counts.
void Controller::sync_short(Running& op, Output& output) {
  const JobStatus stored = op.status;
  if (!has(Quirk::StoredCountsDecide)) {
    count_pods(op, op.status);
    op.record.sync.recounted = true;
  }
  op.record.reason = apply_function(op);
  if (op.status == stored) {
    op.stage = Stage::Done;
    return;
  }
  op.record.sync.written = true;
  write_status(op, Stage::StatusWritten, output);
}

/// Counts of this moment (spec 8.4).
void Controller::count_pods(Running& op, JobStatus& status) {
  const JobInfo& info = *cache_.get(op.key);
  clear_counts(status);
  status.task_counts = cache_.task_counts(op.key);
  for (const TaskPods& pods : info.tasks) {
    add_sums(status, pods.counts());
    status.terminating += pods.terminating_slots();
  }
}

bool Controller::policy_waits(const std::string& key) const {
  const JobInfo& info = *cache_.get(key);
  const Shard& shard = shards_[fnv1_32(key) % static_cast<std::uint32_t>(shards_.size())];
  return std::any_of(shard.items.begin(), shard.items.end(), [&](const Item& item) {
    const auto* request = std::get_if<Request>(&item);
    if (!request || request->job_key() != key) return false;
    const Decision decision = decide(*info.policies, info.job->meta.uid, info.version, *request, config_.quirks);
    return decision.rule.exists() && decision.delay.ns == 0;
  });
}

/// The status function on the counts as they are, and why the phase moved or stayed.
TransitionReason Controller::apply_function(Running& op) {
  const JobSpec& spec = *op.job->spec;
  const bool from_pending = op.plan.function == StatusFunction::FromPending;
  if (from_pending && op.record.sync.short_path && spec.min_available <= 0 && !has(Quirk::ZeroMinimumRuns))
    return TransitionReason::GroupNotTakenIn;
  const PhaseName before = op.status.phase;
  const SpecTotals& totals = cache_.get(op.key)->totals;
  const TransitionResult moved = apply_status_function(op.plan.function, spec, totals, op.status, config_.quirks);
  if (moved.changed && is_final(op.status.phase.code) && op.plan.function == StatusFunction::FromRunning &&
      !has(Quirk::FinishBeforePolicy) && policy_waits(op.key)) {
    op.status.phase = before;
    return TransitionReason::EventsWaiting;
  }
  return moved.reason;
}

/// Spec 8.4 and 8.6. Counts are those of this moment; pods created or deleted below are added as their answers come in.
void Controller::sync_diff(Running& op, Output& output) {
  const JobInfo& info = *cache_.get(op.key);
  const JobSpec& spec = *op.job->spec;
  JobStatus counted = op.status;
  count_pods(op, counted);
  counted.min_available = spec.min_available;
  if (has(Quirk::DurationDropped)) counted.running_duration.reset();

  op.pods.clear();
  op.doomed.clear();
  const auto any_missing = [](const TaskPods& pods) { return !pods.missing().empty(); };
  std::shared_ptr<const PodOrigin> origin;
  if (std::any_of(info.tasks.begin(), info.tasks.end(), any_missing)) {
    if (std::string wrong = pod_problem(spec, op.job->meta.name); !wrong.empty()) {
      fail(op, std::move(wrong));
      return;
    }
    origin =
        cache_.origin_for(op.key, {op.job, op.status.version, op.status.retry_count, op.forwarding, config_.quirks});
  }
  for (std::size_t i = 0; i < info.tasks.size(); ++i) {
    const TaskPods& pods = info.tasks[i];
    if (!has(Quirk::NoMarks)) {
      pods.marked().for_each([&](std::int32_t slot) {
        op.doomed.push_back(pods.slot(slot));
        if (!has(Quirk::MarkedCountedTwice)) uncount(counted, spec.tasks[i].name, pods.slot(slot)->phase);
      });
    }
    for (const auto& surplus : pods.surplus()) op.doomed.push_back(surplus.second);
    if (pods.missing().empty()) continue;

    std::vector<std::string> waits_for;
    if (!gate_open(info, spec.tasks[i], waits_for)) {
      op.record.sync.gated.emplace_back(spec.tasks[i].name, std::move(waits_for));
      continue;
    }
    const Pod first = first_pod(*op.job, i, origin);
    pods.missing().for_each([&](std::int32_t slot) {
      auto pod = std::make_shared<Pod>(first);
      pod->name = pods.slot_name(slot);
      pod->index = slot;
      if (const auto& policy = spec.tasks[i].partition_policy)
        pod->partition_id = std::to_string(partition_of(slot, policy->partition_size));
      op.pods.push_back(std::move(pod));
      ask(op, CreatePod{op.pods.back()}, output);
    });
  }
  op.status = std::move(counted);
  batch(op, Stage::SyncCreated);
}

void Controller::sync_created(Running& op, Output& output) {
  std::int64_t failed = 0;
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    const EffectResult& result = op.results[i];
    if (result.code == ResultCode::Ok) {
      const PodPhase phase = result.pod->phase;
      ++op.record.sync.created;
      PhaseCounts one;
      one[phase] = 1;
      add_counts(op.status, *op.pods[i]->task_name, one);
    } else if (result.code == ResultCode::AlreadyExists) {
      // No error, and nobody hears of it (spec 8.6): as if the pod were there and the cache had yet to learn of it.
      if (op.record.sync.taken.size() < kTraceEffectsMax) op.record.sync.taken.push_back(op.pods[i]->name);
    } else {
      ++failed;
    }
  }
  op.results.clear();
  if (failed > 0) {
    std::string text = failed_text(failed, "created");
    emit_event(op.record, true, "FailedCreate", text, output);
    if (has(Quirk::FailedCreateStopsSync)) {
      fail(op, std::move(text));
      return;
    }
    op.postponed = std::move(text);
  }
  // Kills mark what they delete; this does only where the quirk is off, and what a kill has marked is marked already.
  op.pods = std::move(op.doomed);
  if (!has(Quirk::ScaleDownEvicts) && !has(Quirk::NoMarks)) {
    for (const PodPtr& pod : op.pods)
      if (!pod->out_of_sync) ask(op, MarkPod{pod->ns, pod->name}, output);
  }
  batch(op, Stage::SyncMarked);
}

/// A pod that could not be marked is not deleted, either.
void Controller::sync_marked(Running& op, Output& output) {
  const std::vector<EffectResult> marked = std::move(op.results);
  op.results.clear();
  std::vector<PodPtr> pods;
  std::size_t asked = 0;
  std::int64_t failed = 0;
  for (const PodPtr& pod : op.pods) {
    const bool was_asked = !marked.empty() && !pod->out_of_sync;
    const ResultCode code = was_asked ? marked[asked++].code : ResultCode::Ok;
    if (code == ResultCode::Ok || code == ResultCode::NotFound)
      pods.push_back(pod);
    else
      ++failed;
  }
  if (failed > 0) {
    std::string text = failed_text(failed, "marked");
    emit_event(op.record, true, "FailedDelete", text, output);
    op.postponed += (op.postponed.empty() ? "" : ", ") + text;
  }
  op.pods = std::move(pods);
  for (const PodPtr& pod : op.pods) ask(op, DeletePod{pod->ns, pod->name}, output);
  batch(op, Stage::SyncDeleted);
}

/// Spec 8.7 and 8.9.
void Controller::sync_deleted(Running& op, Output& output) {
  std::int64_t failed = 0;
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    if (op.results[i].code == ResultCode::Ok || op.results[i].code == ResultCode::NotFound) {
      ++op.status.terminating;
      ++op.record.sync.deleted;
    } else {
      ++failed;
      resync(op.pods[i]);
    }
  }
  op.results.clear();
  if (failed > 0) {
    std::string text = failed_text(failed, "deleted");
    emit_event(op.record, true, "FailedDelete", text, output);
    fail(op, op.postponed.empty() ? std::move(text) : op.postponed + ", " + text);
    return;
  }
  const JobInfo* info = cache_.get(op.key);
  op.record.reason = apply_function(op);
  JobStatus stored = info->job->status;
  stored.version = info->version;
  stored.controlled_resources = op.status.controlled_resources;  // upstream's two statuses share this map
  // An empty count map is stored as an absent one, so upstream sees a difference each time no pod is counted
  // (spec 8.9).
  if (op.status == stored && !op.status.task_counts.empty()) {
    op.stage = Stage::Done;
    op.error = std::move(op.postponed);
    return;
  }
  op.record.sync.written = true;
  write_status(op, Stage::StatusWritten, output);
}

void Controller::status_written(Running& op) {
  if (op.results.front().code != ResultCode::Ok) {
    fail(op, "the status could not be written: " + std::string(to_string(op.results.front().code)));
    return;
  }
  if (!cache_stored(op, op.results.front().job)) return;
  op.stage = Stage::Done;
  op.error = std::move(op.postponed);
}

/// Stamps the status as changed now and asks for it to be stored.
void Controller::write_status(Running& op, Stage next, Output& output) {
  if (has(Quirk::TransitionTimeMoves) || !(op.status.phase == op.job->status.phase)) {
    op.status.last_transition = now_;
    append_condition(op.status, now_);
  }
  ask(op, UpdateJobStatus{op.job->meta.ns, op.job->meta.name, op.status, op.job->meta.resource_version}, output);
  batch(op, next);
}

}  // namespace pumice::volcano
