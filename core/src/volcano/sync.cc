// syncJob, stage by stage (spec/volcano-job.md 8): the status initialised, the PodGroup there, pods created and
// deleted, the status recounted. Claims, plugins and the pod template are filled in by the API objects' builders; what
// is decided here is which pods there should be.
#include <algorithm>

#include "pumice/check.h"
#include "pumice/volcano/controller.h"
#include "status.h"

namespace pumice::volcano {

namespace {

PodGroup new_pod_group(const Job& job, const JobInfo& info) {
  PodGroup group;
  group.ns = job.meta.ns;
  group.name = job.meta.name + "-" + job.meta.uid;
  group.owners.push_back({"batch.volcano.sh/v1alpha1", "Job", job.meta.name, job.meta.uid, true});
  group.min_member = job.spec->min_available;
  group.min_task_member = info.min_task_member;
  group.queue = job.spec->queue;
  group.priority_class_name = job.spec->priority_class_name;
  return group;
}

/// Spec 8.3, "Found": true if something had to change. Queue, topology, labels and annotations never do; nor do numbers
/// of tasks that the job does not have.
bool bring_up_to_date(PodGroup& group, const Job& job, const JobInfo& info) {
  const PodGroup before = group;
  group.priority_class_name = job.spec->priority_class_name;
  group.min_member = job.spec->min_available;
  if (!group.min_task_member.shares_with(info.min_task_member)) {
    for (const auto& [task, count] : info.min_task_member) group.min_task_member[task] = count;
  }
  return !(group == before);
}

PodPtr new_pod(const Job& job, const TaskSpec& task, std::int32_t version, std::int32_t index, std::string name) {
  auto pod = std::make_shared<Pod>();
  pod->ns = job.meta.ns;
  pod->name = std::move(name);
  pod->owner_uid = job.meta.uid;
  pod->owned_by_job = true;
  pod->job_name = job.meta.name;
  pod->task_name = task.name;
  pod->job_version = std::to_string(version);
  if (task.partition_policy) {
    const std::int32_t size = task.partition_policy->partition_size;
    pod->partition_id = std::to_string(size > 0 ? index / size : 0);
  }
  return pod;
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
  if (!queues_.contains(op.job->spec->queue)) {
    fail(op, "queue `" + op.job->spec->queue + "` not found");
    return;
  }
  if (op.status.phase.code != JobPhase::None) {
    op.stage = Stage::SyncPodGroup;
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
  op.stage = Stage::SyncPodGroup;
}

void Controller::sync_pod_group(Running& op, Output& output) {
  const JobInfo& info = *cache_.get(op.key);
  if (const PodGroup* found = find_pod_group(*op.job)) {
    PodGroup group = *found;
    if (bring_up_to_date(group, *op.job, info)) ask(op, UpdatePodGroup{std::move(group)}, output);
  } else {
    ask(op, CreatePodGroup{new_pod_group(*op.job, info)}, output);
  }
  batch(op, Stage::SyncPodGroupWritten);
}

void Controller::sync_pod_group_written(Running& op, Output& output) {
  if (!op.results.empty()) {
    const ResultCode code = op.results.front().code;
    if (code != ResultCode::Ok && code != ResultCode::AlreadyExists) {
      std::string text = "the PodGroup could not be written: " + std::string(to_string(code));
      emit_event(op.record, true, "PodGroupError", text, output);
      fail(op, std::move(text));
      return;
    }
  }
  const PodGroup* group = find_pod_group(*op.job);
  op.record.sync.pod_group_missing = group == nullptr;
  op.record.sync.pod_group_phase = group ? group->phase : PodGroupPhase::None;
  op.record.sync.short_path = !group || !group->ready();
  op.stage = op.record.sync.short_path ? Stage::SyncShort : Stage::SyncDiff;
}

/// Spec 8.1 step 7: the status function works on the stored counts.
void Controller::sync_short(Running& op, Output& output) {
  const JobInfo* info = cache_.get(op.key);
  const JobStatus stored = op.status;
  op.record.reason = apply_status_function(op.plan.function, *op.job->spec, info->totals, op.status).reason;
  if (op.status == stored) {
    op.stage = Stage::Done;
    return;
  }
  op.record.sync.written = true;
  write_status(op, Stage::StatusWritten, output);
}

/// Spec 8.4 and 8.6. Counts are those of this moment; pods created or deleted below are added as their answers come in.
void Controller::sync_diff(Running& op, Output& output) {
  const JobInfo& info = *cache_.get(op.key);
  const JobSpec& spec = *op.job->spec;
  JobStatus counted = op.status;
  clear_counts(counted);
  counted.min_available = spec.min_available;
  counted.running_duration.reset();
  counted.task_counts = cache_.task_counts(op.key);

  op.pods.clear();
  op.doomed.clear();
  for (std::size_t i = 0; i < info.tasks.size(); ++i) {
    const TaskPods& pods = info.tasks[i];
    add_sums(counted, pods.counts());
    counted.terminating += pods.terminating_slots();
    pods.marked().for_each([&](std::int32_t slot) { op.doomed.push_back(pods.slot(slot)); });
    for (const auto& surplus : pods.surplus()) op.doomed.push_back(surplus.second);
    if (pods.missing().empty()) continue;

    std::vector<std::string> waits_for;
    if (!gate_open(info, spec.tasks[i], waits_for)) {
      op.record.sync.gated.emplace_back(spec.tasks[i].name, std::move(waits_for));
      continue;
    }
    pods.missing().for_each([&](std::int32_t slot) {
      op.pods.push_back(new_pod(*op.job, spec.tasks[i], op.status.version, slot, pods.slot_name(slot)));
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
    fail(op, std::move(text));
    return;
  }
  op.pods = std::move(op.doomed);
  for (const PodPtr& pod : op.pods) ask(op, DeletePod{pod->ns, pod->name}, output);
  batch(op, Stage::SyncDeleted);
}

/// Spec 8.7 and 8.9.
void Controller::sync_deleted(Running& op, Output& output) {
  std::int64_t failed = 0;
  for (const EffectResult& result : op.results) {
    if (result.code == ResultCode::Ok || result.code == ResultCode::NotFound) {
      ++op.status.terminating;
      ++op.record.sync.deleted;
    } else {
      ++failed;
    }
  }
  op.results.clear();
  if (failed > 0) {
    std::string text = failed_text(failed, "deleted");
    emit_event(op.record, true, "FailedDelete", text, output);
    fail(op, std::move(text));
    return;
  }
  const JobInfo* info = cache_.get(op.key);
  op.record.reason = apply_status_function(op.plan.function, *op.job->spec, info->totals, op.status).reason;
  JobStatus stored = info->job->status;
  stored.version = info->version;
  // An empty count map is stored as an absent one, so upstream sees a difference each time no pod is counted
  // (spec 8.9).
  if (op.status == stored && !op.status.task_counts.empty()) {
    op.stage = Stage::Done;
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
  if (cache_stored(op, op.results.front().job)) op.stage = Stage::Done;
}

/// Stamps the status as changed now and asks for it to be stored.
void Controller::write_status(Running& op, Stage next, Output& output) {
  op.status.last_transition = now_;
  append_condition(op.status, now_);
  ask(op, UpdateJobStatus{op.job->meta.ns, op.job->meta.name, op.status}, output);
  batch(op, next);
}

}  // namespace pumice::volcano
