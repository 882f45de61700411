// Queues, requests and the running operation (spec/volcano-job.md 3.2, 4, 6.4).
#include "pumice/volcano/controller.h"

#include <algorithm>
#include <utility>

#include "pumice/check.h"

namespace pumice::volcano {

std::uint32_t fnv1_32(std::string_view bytes) noexcept {
  std::uint32_t hash = 2166136261U;
  for (const char byte : bytes) {
    hash *= 16777619U;
    hash ^= static_cast<unsigned char>(byte);
  }
  return hash;
}

/// Only ever used to find an equal request, so its value may differ between platforms.
std::size_t RequestHash::operator()(const Request& request) const noexcept {
  const std::hash<std::string_view> text;
  std::size_t hash = text(request.pod_name);
  const auto mix = [&hash](std::size_t value) { hash = hash * 31 + value; };
  mix(text(request.job_name));
  mix(text(request.task_name));
  mix(static_cast<std::size_t>(request.event.code));
  mix(static_cast<std::size_t>(request.action.code));
  mix(static_cast<std::size_t>(static_cast<std::uint32_t>(request.exit_code)));
  mix(static_cast<std::size_t>(static_cast<std::uint32_t>(request.job_version)));
  return hash;
}

namespace {

/// 5 ms, doubled for each failure before this one (spec 4.2).
Duration backoff(std::int32_t failures_before, Duration cap = seconds(1000)) noexcept {
  constexpr std::int64_t kBase = 5 * kMillisecond.ns;
  return {failures_before >= 18 ? cap.ns : std::min(kBase << failures_before, cap.ns)};
}

constexpr std::int32_t kResyncsMax = 10;

}  // namespace

/// Every item takes a token, also one that waits longer for its own sake.
Duration Controller::Bucket::take(Time now) noexcept {
  constexpr Duration kToken = Duration{100 * kMillisecond.ns};
  constexpr std::int64_t kBurst = 100;
  full = std::max(full, now) + kToken;
  return {std::max<std::int64_t>((full - now).ns - kBurst * kToken.ns, 0)};
}

Controller::Controller(ControllerConfig config) : config_(config), cache_(config.quirks), delayed_(config.quirks) {
  PUMICE_CHECK(config.workers > 0);
  shards_.resize(static_cast<std::size_t>(config.workers));
}

void Controller::step(const Input& input, Output& output) {
  PUMICE_CHECK(input.now >= now_);
  now_ = input.now;
  if (const auto* observation = std::get_if<Observation>(&input.event))
    observe(*observation, output);
  else if (const auto* results = std::get_if<EffectResults>(&input.event))
    take_results(*results, output);
  else if (std::holds_alternative<Tick>(input.event))
    tick(now_);
  else
    work(output);
}

bool Controller::has_work() const noexcept {
  if (waiting_for_results()) return false;
  return !commands_.empty() || !error_tasks_.empty() ||
         std::any_of(shards_.begin(), shards_.end(), [](const Shard& s) { return !s.items.empty(); });
}

std::optional<Time> Controller::next_deadline() const noexcept {
  std::optional<Time> next = delayed_.next_due();
  const auto consider = [&next](const auto& retries) {
    if (!retries.empty() && (!next || retries.begin()->first.first < *next)) next = retries.begin()->first.first;
  };
  consider(retries_);
  consider(command_retries_);
  consider(resyncs_);
  return next;
}

/// Upstream runs an expired action beside the shard's worker; here it is the next item of the job's shard, which is the
/// fixed order that spec appendix A recommends.
void Controller::tick(Time now) {
  while (!retries_.empty() && retries_.begin()->first.first <= now) {
    Request request = std::move(retries_.extract(retries_.begin()).mapped());
    retry_of_.erase(request);
    enqueue(std::move(request));
  }
  while (!resyncs_.empty() && resyncs_.begin()->first.first <= now)
    error_tasks_.push_back(std::move(resyncs_.extract(resyncs_.begin()).mapped()));
  while (!command_retries_.empty() && command_retries_.begin()->first.first <= now)
    commands_.push_back(std::move(command_retries_.extract(command_retries_.begin()).mapped()));
  while (auto expired = delayed_.take_expired(now)) {
    const auto shard = fnv1_32(expired->request.job_key()) % static_cast<std::uint32_t>(shards_.size());
    shards_[shard].items.emplace_back(Expired{std::move(*expired)});
  }
}

/// One item at a time: commands, then pods whose deletion failed, then the lowest shard that has something. This is one
/// fixed order of the many that independent workers could take.
void Controller::work(Output& output) {
  PUMICE_CHECK(!waiting_for_results());
  if (!commands_.empty()) {
    deleting_command_ = std::move(commands_.front());
    commands_.pop_front();
    output.effects.push_back({next_effect_++, DeleteCommand{deleting_command_->ns, deleting_command_->name}});
    return;
  }
  while (!error_tasks_.empty()) {
    ErrorTask task = std::move(error_tasks_.front());
    error_tasks_.pop_front();
    if (task.failures > kResyncsMax) {
      const std::pair object{task.pod->ns + "/" + task.pod->name, task.pod->resource_version};
      resync_failures_.erase(object);
      if (has(Quirk::ErrorTaskStuck)) stuck_resyncs_.insert(object);
      continue;
    }
    output.effects.push_back({next_effect_++, ReadPod{task.pod->ns, task.pod->name}});
    reading_pod_ = std::move(task);
    return;
  }
  for (Shard& shard : shards_) {
    if (shard.items.empty()) continue;
    Item item = std::move(shard.items.front());
    shard.items.pop_front();
    if (auto* request = std::get_if<Request>(&item)) {
      shard.waiting.erase(*request);
      start_request(std::move(*request), output);
    } else {
      start_expired(std::move(std::get<Expired>(item).action), output);
    }
    return;
  }
}

void Controller::command_deleted(const EffectResult& result, Output& output) {
  const Command command = std::move(*deleting_command_);
  deleting_command_.reset();
  CommandRecord rec{command, result.code == ResultCode::Ok, {}, {}, {}};
  if (result.code == ResultCode::Ok) {
    Request request;
    request.ns = command.ns;
    request.job_name = command.target->name;
    request.event = Event::CommandIssued;
    if (!has(Quirk::CommandIgnoresUid)) request.job_uid = command.target->uid;
    request.action = command.action;
    if (emit_event(request.job_key(), false, "CommandIssued",
                   "command " + std::string(command.action.text()) + " is taken up", output)) {
      rec.event = std::get<EmitEvent>(output.effects.back().body);
    }
    rec.request = request;
    enqueue(std::move(request));
    command_failures_.erase(command.ns + "/" + command.name);
  } else if (result.code != ResultCode::NotFound) {
    // Unbounded tries with the queue's back-off (spec 3.2 step 3, 4.2).
    const Duration wait = backoff(command_failures_[command.ns + "/" + command.name]++);
    rec.retry_at = now_ + std::max(wait, command_bucket_.take(now_));
    command_retries_.emplace(std::pair{*rec.retry_at, next_retry_++}, command);
  }
  record(std::move(rec), output);
}

void Controller::resync(const PodPtr& pod) { retry_resync({pod, 0}); }

void Controller::retry_resync(ErrorTask task) {
  const std::pair object{task.pod->ns + "/" + task.pod->name, task.pod->resource_version};
  if (stuck_resyncs_.contains(object)) return;
  std::int32_t& failures = resync_failures_[object];
  const Duration wait = std::max(backoff(failures, seconds(180)), resync_bucket_.take(now_));
  task.failures = ++failures;
  resyncs_.emplace(std::pair{now_ + wait, next_retry_++}, std::move(task));
}

/// Repairs the cache, and queues no request (spec 10.6).
void Controller::pod_read(const EffectResult& result, Output& output) {
  ErrorTask task = std::move(*reading_pod_);
  reading_pod_.reset();
  ObserveRecord rec{
      ObjectKind::Pod, ChangeKind::Updated, task.pod->ns, task.pod->name, ObserveOutcome::Resynced, {}, {}};
  bool repaired = false;
  if (result.code == ResultCode::NotFound) {
    rec.change = ChangeKind::Deleted;
    repaired = cache_.delete_pod(*task.pod);
  } else if (result.code == ResultCode::Ok && result.pod) {
    repaired = cache_.update_pod(result.pod);
  }
  if (!repaired) {
    rec.outcome = ObserveOutcome::ResyncFailed;
    rec.detail = to_string(result.code);
    retry_resync(std::move(task));
  }
  record(std::move(rec), output);
}

void Controller::queue_action(Request request, ActionName action, Target target) {
  const auto shard = fnv1_32(request.job_key()) % static_cast<std::uint32_t>(shards_.size());
  shards_[shard].items.emplace_front(
      Expired{DelayedAction{std::move(request), std::move(action), std::move(target), Duration{}, now_, {}}});
}

/// Where quirks are off, a PodPending timer ends with its pod, or when that is not pending any more.
void Controller::cancel_timer_of(const Request& request, std::vector<TimerRecord>& records) {
  const bool ends_with_pod = !has(Quirk::KilledPodKeepsTimer);
  const bool ends_with_phase = !has(Quirk::SucceededKeepsTimer);
  if (!ends_with_pod && !ends_with_phase) return;
  const JobInfo* info = cache_.get(request.job_key());
  if (!info || request.pod_uid.empty() || !delayed_.pending_of(request)) return;
  const PodPtr pod = JobCache::find_pod(*info, request.task_name, request.pod_name);
  const bool is_there = pod && pod->uid == request.pod_uid;
  if (is_there ? ends_with_phase && pod->phase != PodPhase::Pending : ends_with_pod)
    delayed_.cancel_pending(request, records);
}

void Controller::start_request(Request request, Output& output) {
  Running op;
  op.record.quirks = config_.quirks;
  op.key = request.job_key();
  op.record.request = request;
  op.record.job_key = op.key;
  op.item = request;
  delayed_.cancel_for(request, op.record.timers);
  cancel_timer_of(request, op.record.timers);

  const JobInfo* info = cache_.get(op.key);
  if (!info) {
    if (!has(Quirk::FailureCountSurvives)) failures_.erase(request);
    op.record.outcome = ProcessOutcome::JobNotCached;
    record(std::move(op.record), output);
    return;
  }
  const Decision decision = decide(*info->policies, info->job->meta.uid, info->version, request, config_.quirks);
  op.record.source = decision.source;
  op.record.action = decision.action == Action::Other ? ActionName(decision.action_text) : ActionName(decision.action);
  op.record.delay = decision.delay;
  op.record.rule = decision.rule;
  op.record.target = target_for(decision.action, request, config_.quirks);
  op.record.spec = info->job->spec;
  if (config_.trace)
    op.record.considered = consider(*info->policies, info->job->meta.uid, info->version, request, config_.quirks);

  if (decision.delay.ns != 0) {
    emit_event(
        op.record, false, "ExecuteAction",
        "action " + std::string(op.record.action.text()) + " will be executed after " + to_string(decision.delay),
        output);
    DelayedAction delayed{request, op.record.action, op.record.target, decision.delay, now_, decision.rule};
    delayed_.add(delayed, now_, op.record.timers);
    op.record.outcome = ProcessOutcome::Delayed;
    op.record.before = op.record.after = info->job->status;
    if (!has(Quirk::FailureCountSurvives)) failures_.erase(request);
    if (!has(Quirk::DelaySkipsSync)) {
      op.record.sync_follows = true;
      enqueue_sync(request.ns, request.job_name);
    }
    record(std::move(op.record), output);
    return;
  }
  if (decision.action != Action::SyncJob)
    emit_event(op.record, false, "ExecuteAction", "action " + std::string(op.record.action.text()) + " is executed",
               output);
  execute(std::move(op), decision.action, output);
}

/// What is asked again when a timer ends, where the quirk is off.
bool Controller::is_outdated(const DelayedAction& action, const JobInfo& info) {
  const Request& request = action.request;
  if (!request.job_uid.empty() && request.job_uid != info.job->meta.uid) return true;
  if (request.event.code != Event::PodPending) return false;
  const PodPtr pod = JobCache::find_pod(info, request.task_name, request.pod_name);
  return !pod || pod->uid != request.pod_uid || pod->phase != PodPhase::Pending;
}

void Controller::start_expired(DelayedAction action, Output& output) {
  Running op;
  op.record.quirks = config_.quirks;
  op.key = action.request.job_key();
  op.record.request = action.request;
  op.record.job_key = op.key;
  op.record.expired = true;
  op.record.source = action.rule.task >= 0 ? DecisionSource::TaskPolicy : DecisionSource::JobPolicy;
  op.record.action = action.action;
  op.record.delay = action.delay;
  op.record.rule = action.rule;
  op.record.target = action.target;

  TimerRecord expired{TimerOp::Expired,
                      op.key,
                      action.request.pod_name,
                      action.action,
                      action.request.event,
                      action.delay,
                      action.due,
                      {},
                      action.rule};
  const JobInfo* info = cache_.get(op.key);
  const TaskPods* task = info ? info->find_task(action.request.task_name) : nullptr;
  if (const PodPtr pod = task ? task->find(action.request.pod_name) : nullptr)
    expired.earlier_pod = pod->uid != action.request.pod_uid;
  op.record.timers.push_back(std::move(expired));
  if (!info) {
    if (!has(Quirk::TimerOutlivesJob)) delayed_.forget(action);
    op.record.outcome = ProcessOutcome::JobNotCached;
    record(std::move(op.record), output);
    return;
  }
  op.record.spec = info->job->spec;
  // An action that was queued by hand has no delay behind it.
  if (!has(Quirk::ExpiryUnchecked) && action.delay.ns != 0 && is_outdated(action, *info)) {
    delayed_.forget(action);
    op.record.outcome = ProcessOutcome::Outdated;
    op.record.before = op.record.after = info->job->status;
    record(std::move(op.record), output);
    return;
  }
  const Action code = action.action.code;
  op.item = Expired{std::move(action)};
  execute(std::move(op), code, output);
}

void Controller::execute(Running&& running, Action action, Output& output) {
  running.job = cache_.get(running.key)->job;
  running.plan = plan(running.job->status.phase.code, action, config_.quirks);
  running.record.plan = running.plan;
  running.stage = running.plan.operation == Operation::Sync ? Stage::SyncStart : Stage::KillStart;
  running.status = running.job->status;
  running.status.version = cache_.get(running.key)->version;
  if (config_.trace) running.record.before = running.status;
  operation_ = std::move(running);
  advance(output);
}

/// Asks for an effect whose result the running operation waits for.
void Controller::ask(Running& running, EffectBody body, Output& output) {
  const EffectId id = next_effect_++;
  if (running.first_id == 0) running.first_id = id;
  running.results.emplace_back();
  Effect effect{id, std::move(body)};
  ++running.record.effects_total;
  if (config_.trace && running.record.effects.size() < kTraceEffectsMax) running.record.effects.push_back(effect);
  output.effects.push_back(std::move(effect));
}

/// Goes on with `next` once the effects asked for since the last batch, if any, are answered.
void Controller::batch(Running& running, Stage next) { running.stage = next; }

void Controller::take_results(const EffectResults& results, Output& output) {
  if (deleting_command_) {
    PUMICE_CHECK(results.results.size() == 1);
    command_deleted(results.results.front(), output);
    return;
  }
  if (reading_pod_) {
    PUMICE_CHECK(results.results.size() == 1);
    pod_read(results.results.front(), output);
    return;
  }
  PUMICE_CHECK(operation_ && results.results.size() == operation_->results.size());
  for (const EffectResult& result : results.results) {
    PUMICE_CHECK(result.id >= operation_->first_id && result.id - operation_->first_id < operation_->results.size());
    operation_->results[static_cast<std::size_t>(result.id - operation_->first_id)] = result;
  }
  advance(output);
}

void Controller::advance(Output& output) {
  Running& op = *operation_;
  do {
    if (!still_valid(op)) op.stage = Stage::Done;
    // Each stage reads the results of the batch before it; a stage that asks for nothing leaves an empty batch.
    op.first_id = 0;
    switch (op.stage) {
      case Stage::SyncStart:
        op.results.clear();
        sync_start(op, output);
        break;
      case Stage::SyncForwarded: sync_forwarded(op, output); break;
      case Stage::SyncInitiated: sync_initiated(op, output); break;
      case Stage::SyncHooks:
        op.results.clear();
        sync_hooks(op, output);
        break;
      case Stage::SyncHooked: sync_hooked(op, output); break;
      case Stage::SyncClaimed: sync_claimed(op, output); break;
      case Stage::SyncJobWritten: sync_job_written(op, output); break;
      case Stage::SyncPodGroup:
        op.results.clear();
        sync_pod_group(op, output);
        break;
      case Stage::SyncPodGroupWritten: sync_pod_group_written(op, output); break;
      case Stage::SyncForwardedAgain: sync_forwarded_again(op); break;
      case Stage::SyncPodGroupFound: sync_pod_group_found(op, output); break;
      case Stage::SyncShort:
        op.results.clear();
        sync_short(op, output);
        break;
      case Stage::SyncDiff:
        op.results.clear();
        sync_diff(op, output);
        break;
      case Stage::SyncCreated: sync_created(op, output); break;
      case Stage::SyncMarked: sync_marked(op, output); break;
      case Stage::SyncDeleted: sync_deleted(op, output); break;
      case Stage::KillStart:
        op.results.clear();
        kill_start(op, output);
        break;
      case Stage::KillMarked: kill_marked(op, output); break;
      case Stage::KillDeleted: kill_deleted(op, output); break;
      case Stage::KillHooked: kill_hooked(op, output); break;
      case Stage::KillStatusWritten: kill_status_written(op, output); break;
      case Stage::KillGroupDeleted: kill_group_deleted(op); break;
      case Stage::StatusWritten: status_written(op); break;
      case Stage::Done: break;
    }
    if (op.first_id != 0) return;  // effects are out
    if (op.stage == Stage::Done) {
      finish(output);
      return;
    }
  } while (true);
}

/// Notifications may come in while effects are out. Upstream goes on with its clone and fails at the next write; here
/// the operation ends at once, and is tried again if the job is still there.
bool Controller::still_valid(Running& op) const {
  if (op.stage == Stage::Done) return true;
  const JobInfo* info = cache_.get(op.key);
  if (!info) {
    op.record.outcome = ProcessOutcome::JobNotCached;
    return false;
  }
  const auto& spec = info->job->spec;
  if (spec == op.job->spec || *spec == *op.job->spec) return true;
  op.error = "the spec of the job changed meanwhile";
  return false;
}

/// The status as stored goes into the cache (spec 8.2, 8.9, 9.1 step 10).
bool Controller::cache_stored(Running& op, const JobPtr& job) {
  if (cache_.update_job(job)) return true;
  fail(op, "the cache holds a newer job");
  return false;
}

void Controller::fail(Running& op, std::string error) {
  op.error = std::move(error);
  op.stage = Stage::Done;
}

/// Spec 4.3 steps 8 - 10, 4.4, 6.4 steps 4 - 5.
void Controller::finish(Output& output) {
  Running& op = *operation_;
  const Request request = op.record.request;
  const bool expired = op.record.expired;
  if (config_.trace) {
    const JobInfo* info = cache_.get(op.key);
    op.record.after = info ? info->job->status : op.status;
    if (info) op.record.after.version = info->version;
  }
  if (!op.error.empty() && !op.giving_up) {
    give_up_or_retry(output);
    // Giving up runs another operation, which ends here again, in this call or in a later one.
    if (!operation_ || operation_->giving_up) return;
  } else if (!op.giving_up) {
    failures_.erase(request);
  }
  const bool succeeded = op.error.empty() && !op.giving_up;
  const Action action = op.record.action.code;
  if (expired) failures_.erase(request);
  const bool is_unknown = action == Action::None || action == Action::Other ||
                          (action == Action::RestartPartition && has(Quirk::NoRestartPartition));
  if (is_unknown && !has(Quirk::UnknownActionActs)) {
    if (expired) delayed_.forget(std::get<Expired>(op.item).action);
  } else if (expired || (succeeded && !is_internal(action))) {
    delayed_.clean_up(op.key, action, op.record.target, op.record.timers);
  }
  Record done = std::move(op.record);
  operation_.reset();
  record(std::move(done), output);
}

void Controller::give_up_or_retry(Output& output) {
  Running& op = *operation_;
  op.record.error = op.error;
  std::int32_t& failures = failures_[op.record.request];
  const bool only_waits = op.may_wait && !has(Quirk::MissingQueueTerminates);
  if (config_.requeue_max < 0 || failures < config_.requeue_max || only_waits) {
    const Request& request = op.record.request;
    Shard& shard = shards_[fnv1_32(op.key) % static_cast<std::uint32_t>(shards_.size())];
    const Duration wait = std::max(backoff(failures), shard.bucket.take(now_));
    if (failures < INT32_MAX) ++failures;
    op.record.retry_at = now_ + wait;
    op.record.outcome = ProcessOutcome::Requeued;
    // Of several timers of equal requests the earliest counts (spec 4.2).
    const auto place = std::pair{now_ + wait, next_retry_++};
    const auto [waiting, is_new] = retry_of_.try_emplace(request, place);
    if (!is_new && waiting->second.first <= place.first) {
      op.record.retry_at = waiting->second.first;
      return;
    }
    if (!is_new) retries_.erase(std::exchange(waiting->second, place));
    retries_.emplace(place, request);
    return;
  }
  if (!has(Quirk::FailureCountSurvives)) failures_.erase(op.record.request);
  if (!has(Quirk::LimitWithoutEvent)) {
    emit_event(op.record, false, "ExecuteAction",
               "action " + std::string(op.record.action.text()) + " failed too often, the job is terminated", output);
  }
  // The same state object as the attempt that failed: the phase then decides what "terminate" means (spec 4.4).
  op.record.outcome = ProcessOutcome::GaveUp;
  op.giving_up = true;
  op.error.clear();
  op.plan = plan(op.job->status.phase.code, Action::TerminateJob, config_.quirks);
  op.record.plan = op.plan;
  op.stage = op.plan.operation == Operation::Sync ? Stage::SyncStart : Stage::KillStart;
  op.status = op.job->status;
  if (const JobInfo* info = cache_.get(op.key)) op.status.version = info->version;
  op.record.target = {};
  op.postponed.clear();
  advance(output);
}

/// Normal events need the job in the cache; warnings are only emitted by operations, which have one (spec 1.14).
bool Controller::emit_event(const std::string& key, bool warning, std::string reason, std::string message,
                            Output& output) {
  const JobInfo* info = cache_.get(key);
  if (!info) return false;
  output.effects.push_back({0, EmitEvent{info->ns, info->name, warning, std::move(reason), std::move(message)}});
  return true;
}

void Controller::emit_event(ProcessRecord& record, bool warning, std::string reason, std::string message,
                            Output& output) {
  if (!emit_event(record.job_key, warning, std::move(reason), std::move(message), output)) return;
  ++record.effects_total;
  if (config_.trace && record.effects.size() < kTraceEffectsMax) record.effects.push_back(output.effects.back());
}

void Controller::record(Record record, Output& output) {
  if (config_.trace) output.trace.push_back(std::move(record));
}

}  // namespace pumice::volcano
