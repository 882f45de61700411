// What scheduler, kubelets and garbage collectors do by themselves, on the virtual clock.
#include <algorithm>
#include <tuple>
#include <utility>

#include "kubeworld/kube_names.h"
#include "overloaded.h"
#include "pumice/check.h"
#include "pumice/kubejob/classify.h"
#include "pumice/kubejob/names.h"
#include "pumice/kubeworld/world.h"

namespace pumice::kubeworld {

namespace {

Action::Kind kind_of_step(PodStep step) noexcept {
  switch (step) {
    case PodStep::Start: return Action::Kind::StartPods;
    case PodStep::EndContainers: return Action::Kind::EndContainers;
    case PodStep::RestartContainers: return Action::Kind::RestartContainers;
    case PodStep::Stop: return Action::Kind::StopPods;
    case PodStep::Deadline: return Action::Kind::EndPods;
  }
  return Action::Kind::StartPods;
}

bool has_finalizer(const Job& job, std::string_view name) {
  return std::find(job.finalizers.begin(), job.finalizers.end(), name) != job.finalizers.end();
}

std::string owner_of(const Pod& pod) {
  const OwnerReference* owner = pod.controller();
  return owner == nullptr ? std::string() : owner->uid;
}

}  // namespace

/// The store numbers its pods by their uids.
World::Number World::number_of(const Pod& pod) noexcept {
  Number number = 0;
  for (const char c : pod.meta.uid)
    if (c >= '0' && c <= '9') number = number * 10 + static_cast<Number>(c - '0');
  return number;
}

// --- the agenda ---

void World::leave(Number number, PodState& state) {
  if (!state.next) return;
  const auto slot = agenda_.find({state.next->due, state.next->step});
  state.next.reset();
  if (slot == agenda_.end()) return;
  slot->second.erase(number);
  if (slot->second.empty()) agenda_.erase(slot);
}

void World::plan_next(Number number, PodState& state) {
  const std::optional<NextStep> next = next_step(state.run, config_.pace);
  if (next == state.next) return;
  leave(number, state);
  state.next = next;
  if (next) agenda_[{next->due, next->step}].insert(number);
}

// --- what the agents see ---

void World::notice(const Observation& observation, Time now) {
  std::visit(Overloaded{
                 [](const JobAdded&) {},
                 [&](const JobUpdated& seen) { job_changed(seen.after, now); },
                 [&](const JobDeleted& seen) { job_gone(seen.job, now); },
                 [&](const PodAdded& seen) { pod_changed(seen.pod, now); },
                 [&](const PodUpdated& seen) { pod_changed(seen.after, now); },
                 [&](const PodDeleted& seen) { pod_gone(*seen.pod, now); },
             },
             observation);
}

std::shared_ptr<const PodPlan> World::plan_for(const Pod& pod) {
  KnownPlan& known = plans_[owner_of(pod)];
  if (!known.plan || known.spec != pod.spec) {
    known.spec = pod.spec;
    known.plan = std::make_shared<const PodPlan>(plan_of(pod.spec ? *pod.spec : Json(), pod.meta.annotations));
  }
  return known.plan;
}

void World::pod_changed(const PodPtr& pod, Time now) {
  const Number number = number_of(*pod);
  const auto [found, is_new] = pods_.try_emplace(number);
  PodState& state = found->second;
  if (is_new) {
    state.key = pod->key();
    state.uid = pod->meta.uid;
    state.run = new_run(plan_for(*pod), now, config_.pace);
    numbers_[state.key] = number;
  }
  if (std::string owner = owner_of(*pod); is_new || owner != state.owner) {
    if (const auto before = owned_.find(state.owner); !is_new && before != owned_.end()) {
      before->second.erase(number);
      if (before->second.empty()) owned_.erase(before);
    }
    state.owner = std::move(owner);
    state.ordinal = ++ordinals_[state.owner];
    owned_[state.owner].insert(number);
  }
  const bool ended = is_ended(pod->phase);
  if (ended && !pod->meta.deletion)
    ended_.insert(number);
  else
    ended_.erase(number);
  if (pod->meta.deletion && pod->node.empty() && !ended)
    stranded_.insert(number);
  else
    stranded_.erase(number);
  if (pod->meta.deletion && !state.run.stopping) {
    // Without grace nobody waits for a kubelet.
    const bool no_grace = pod->deletion_grace_seconds.value_or(0) == 0;
    begin_stop(state.run, *pod->meta.deletion, now, config_.pace);
    if (no_grace) state.run.stopped = true;
  }
  plan_next(number, state);
  const bool wanted = static_cast<std::int64_t>(ended_.size()) > config_.ended_pods_max || !stranded_.empty();
  if (!wanted) {
    pod_gc_.reset();
  } else if (!pod_gc_) {
    const Time since = begun_.value_or(now);
    const std::int64_t rounds = (now - since).ns / kPodGcPeriod.ns + 1;
    pod_gc_ = since + Duration{rounds * kPodGcPeriod.ns};
  }
}

void World::pod_gone(const Pod& pod, Time now) {
  const Number number = number_of(pod);
  const auto found = pods_.find(number);
  if (found == pods_.end()) return;
  PodState& state = found->second;
  leave(number, state);
  ended_.erase(number);
  stranded_.erase(number);
  if (stranded_.empty() && static_cast<std::int64_t>(ended_.size()) <= config_.ended_pods_max) pod_gc_.reset();
  numbers_.erase(state.key);
  const auto owned = owned_.find(state.owner);
  bool last = false;
  if (owned != owned_.end()) {
    owned->second.erase(number);
    last = owned->second.empty();
    if (last) owned_.erase(owned);
  }
  const OwnerReference* owner = pod.controller();
  pods_.erase(found);
  if (!last || owner == nullptr) return;
  const JobPtr of = job(pod.meta.ns + "/" + owner->name);
  if (of && of->meta.uid == owner->uid && of->meta.deletion) collect_later(of->meta.uid, of->key(), now);
}

void World::collect_later(const std::string& uid, const std::string& job_key, Time now) {
  collecting_.try_emplace(uid, Collection{now + config_.pace.timings.collect, job_key});
}

void World::job_changed(const JobPtr& job, Time now) {
  if (!job->meta.deletion) return;
  if (has_finalizer(*job, kForegroundFinalizer) || has_finalizer(*job, kOrphanFinalizer))
    collect_later(job->meta.uid, job->key(), now);
}

void World::job_gone(const JobPtr& job, Time now) {
  gone_[job->key()] = job;
  plans_.erase(job->meta.uid);
  if (owned_.contains(job->meta.uid))
    collect_later(job->meta.uid, job->key(), now);
  else
    ordinals_.erase(job->meta.uid);
}

// --- what they do ---

void World::report_pod(PodState& state, Time now) {
  const PodPtr object = object_of(state);
  if (!object) return;
  Pod changed = *object;
  if (report(state.run, changed, now)) store_.update_pod(std::move(changed));
  if (state.run.stopping && state.run.stopped) store_.confirm_deleted(state.key);
}

void World::drop_finalizer(const std::string& job_key, std::string_view finalizer) {
  const JobPtr stored = job(job_key);
  if (!stored) return;
  Job changed = *stored;
  std::erase(changed.finalizers, finalizer);
  const bool goes = changed.finalizers.empty();
  store_.update_job(std::move(changed));
  if (goes) store_.remove_job(job_key);
}

/// The garbage collector: pods whose owner is gone, or is deleted in the foreground, are deleted; those of an owner
/// that is to leave them are released first.
void World::collect_owned(const std::string& uid, Time now, Action& action) {
  std::vector<std::string> keys;
  if (const auto owned = owned_.find(uid); owned != owned_.end())
    for (const Number number : owned->second) keys.push_back(pods_.at(number).key);
  const JobPtr owner = job(action.job);
  const bool exists = owner && owner->meta.uid == uid;
  if (exists && has_finalizer(*owner, kOrphanFinalizer)) {
    for (const std::string& key : keys) {
      Pod pod = *store_.pods().at(key);
      std::erase_if(pod.meta.owners, [&uid](const OwnerReference& item) { return item.uid == uid; });
      store_.update_pod(std::move(pod));
    }
    action.pods = std::move(keys);
    drop_finalizer(action.job, kOrphanFinalizer);
    return;
  }
  if (exists && keys.empty()) {
    drop_finalizer(action.job, kForegroundFinalizer);
    return;
  }
  for (const std::string& key : keys) {
    if (store_.pods().at(key)->meta.deletion) continue;
    action.pods.push_back(key);
    store_.delete_pod(key, now);
  }
}

void World::collect_pods(Time now, Action& action) {
  const std::set<Number> stranded = stranded_;
  for (const Number number : stranded) {
    PodState& state = pods_.at(number);
    action.pods.push_back(state.key);
    state.run.final_phase = PodPhase::Failed;
    state.run.stopped = true;
    Pod changed = *object_of(state);
    changed.conditions.push_back({"DisruptionTarget", "True", whole_seconds(now)});
    (void)report(state.run, changed, now);
    store_.update_pod(std::move(changed));
  }
  std::int64_t many = static_cast<std::int64_t>(ended_.size()) - config_.ended_pods_max;
  for (auto it = ended_.begin(); it != ended_.end() && many > 0; ++it, --many) {
    const std::string& key = pods_.at(*it).key;
    action.pods.push_back(key);
    store_.delete_pod(key, now);
  }
}

std::optional<Time> World::pod_gc_due() const { return up_ ? pod_gc_ : std::nullopt; }

std::optional<Time> World::next_action() const {
  std::optional<Time> next;
  const auto may_be = [&next](Time due) { next = next ? std::min(*next, due) : due; };
  if (!agenda_.empty()) may_be(agenda_.begin()->first.first);
  if (!up_ && up_at_) may_be(*up_at_);
  if (up_) {
    for (const auto& [uid, collection] : collecting_) may_be(collection.due);
    if (const auto due = pod_gc_due()) may_be(*due);
  }
  return next;
}

Action World::act(Time now) {
  const std::optional<Time> next = next_action();
  PUMICE_CHECK(next && *next <= now);
  Action action;
  if (!agenda_.empty() && agenda_.begin()->first.first <= *next) {
    const auto slot = agenda_.begin();
    action.kind = kind_of_step(slot->first.second);
    const std::set<Number> numbers = slot->second;
    for (const Number number : numbers) {
      PodState& state = pods_.at(number);
      action.pods.push_back(state.key);
      carry_on(state.run, now, config_.pace);
      plan_next(number, state);
      report_pod(state, now);
    }
    return action;
  }
  if (!up_) {
    action.kind = Action::Kind::StartControllers;
    (void)start_controllers(now);
    return action;
  }
  for (auto it = collecting_.begin(); it != collecting_.end(); ++it) {
    if (it->second.due > *next) continue;
    const std::string uid = it->first;
    action.kind = Action::Kind::CollectOwned;
    action.job = it->second.job_key;
    collecting_.erase(it);
    collect_owned(uid, now, action);
    return action;
  }
  action.kind = Action::Kind::CollectPods;
  pod_gc_.reset();
  collect_pods(now, action);
  return action;
}

std::vector<World::Upcoming> World::upcoming(std::size_t pods_max) const {
  std::vector<Upcoming> list;
  for (const auto& [slot, numbers] : agenda_) {
    Action action{kind_of_step(slot.second), {}, {}};
    for (const Number number : numbers) {
      if (action.pods.size() >= pods_max) break;
      action.pods.push_back(pods_.at(number).key);
    }
    list.push_back({slot.first, std::move(action), static_cast<std::int64_t>(numbers.size())});
  }
  if (!up_ && up_at_) list.push_back({*up_at_, {Action::Kind::StartControllers, {}, {}}, 0});
  if (up_) {
    for (const auto& [uid, collection] : collecting_)
      list.push_back({collection.due, {Action::Kind::CollectOwned, collection.job_key, {}}, 0});
    if (const auto due = pod_gc_due()) list.push_back({*due, {Action::Kind::CollectPods, {}, {}}, 0});
  }
  std::sort(list.begin(), list.end(), [](const Upcoming& a, const Upcoming& b) {
    return std::tuple(a.due, a.action.kind, a.action.job) < std::tuple(b.due, b.action.kind, b.action.job);
  });
  return list;
}

bool World::is_busy() const {
  if (up_ ? !collecting_.empty() || pod_gc_ : up_at_.has_value()) return true;
  return std::any_of(agenda_.begin(), agenda_.end(),
                     [](const auto& slot) { return slot.first.second != PodStep::EndContainers; });
}

}  // namespace pumice::kubeworld
