#include "pumice/volcano/delayed.h"

#include <algorithm>

namespace pumice::volcano {

namespace {

TimerRecord record_of(TimerOp op, const DelayedAction& action) {
  TimerRecord record;
  record.op = op;
  record.job_key = action.request.job_key();
  record.pod_name = action.request.pod_name;
  record.action = action.action;
  record.event = action.request.event;
  record.delay = action.delay;
  record.due = action.due;
  record.rule = action.rule;
  return record;
}

/// The table of spec 6.3.
bool cancels(const Request& incoming, const DelayedAction& stored) {
  const Event event = incoming.event.code;
  const Event armed_by = stored.request.event.code;
  if (armed_by == Event::PodPending) return event != Event::PodPending && incoming.pod_uid == stored.request.pod_uid;
  if (armed_by == Event::PodFailed || armed_by == Event::PodEvicted) return event == Event::PodRunning;
  return false;
}

}  // namespace

/// The table of spec 6.5. For partitions the task is not compared: partition "0" of one task clears "0" of another.
bool DelayedActions::clears(Action executed, const Target& target, const DelayedAction& stored) const {
  const Scope scope = scope_in(quirks_, executed);
  if (scope == Scope::Job && !quirks_.has(Quirk::RestartKeepsTimers)) return true;
  if (scope_in(quirks_, stored.action.code) != scope) return false;
  switch (scope) {
    case Scope::Job: return true;
    case Scope::Task: return stored.request.task_name == target.task_name;
    case Scope::Pod: return stored.request.pod_name == target.pod_name;
    case Scope::Partition:
      if (!quirks_.has(Quirk::PartitionClearsOthers) && stored.request.task_name != target.task_name) return false;
      return stored.request.partition_id == target.partition;
  }
  return false;
}

void DelayedActions::add(const DelayedAction& action, Time now, std::vector<TimerRecord>& records) {
  DelayedAction entry = action;
  // A negative delay is over at once (spec 5), not before.
  entry.due = now + Duration{std::max<std::int64_t>(action.delay.ns, 0)};
  auto& pods = entries_[action.request.job_key()];
  const auto it = pods.find(action.request.pod_name);
  if (it != pods.end() && it->second.action.action == action.action) {
    records.push_back(record_of(TimerOp::Ignored, it->second.action));
    records.back().earlier_pod = it->second.action.request.pod_uid != action.request.pod_uid;
    return;
  }
  records.push_back(record_of(it == pods.end() ? TimerOp::Started : TimerOp::Replaced, entry));
  if (it != pods.end() && !quirks_.has(Quirk::ReplacedTimerFires)) {
    records.back().stops_other = true;
    stop(it->second);
  }
  const std::uint64_t id = next_id_++;
  timers_.emplace(std::pair{entry.due, id}, entry);
  pods.insert_or_assign(action.request.pod_name, Entry{std::move(entry), id});
}

void DelayedActions::stop(const Entry& entry) { timers_.erase({entry.action.due, entry.timer}); }

void DelayedActions::cancel_for(const Request& request, std::vector<TimerRecord>& records) {
  if (!is_pod_event(request.event.code)) return;
  const auto job = entries_.find(request.job_key());
  if (job == entries_.end()) return;
  const auto it = job->second.find(request.pod_name);
  if (it != job->second.end() && cancels(request, it->second.action))
    cancel(job->first, request.pod_name, request.event, records);
}

void DelayedActions::cancel(const std::string& job_key, const std::string& pod_name, const EventName& event,
                            std::vector<TimerRecord>& records) {
  auto& pods = entries_.at(job_key);
  const auto it = pods.find(pod_name);
  records.push_back(record_of(TimerOp::Cancelled, it->second.action));
  records.back().because_of = event;
  stop(it->second);
  pods.erase(it);
}

const DelayedAction* DelayedActions::pending_of(const Request& request) const {
  const auto job = entries_.find(request.job_key());
  if (job == entries_.end()) return nullptr;
  const auto it = job->second.find(request.pod_name);
  if (it == job->second.end()) return nullptr;
  const Request& armed_by = it->second.action.request;
  return armed_by.event.code == Event::PodPending && armed_by.pod_uid == request.pod_uid ? &it->second.action : nullptr;
}

void DelayedActions::cancel_pending(const Request& request, std::vector<TimerRecord>& records) {
  cancel(request.job_key(), request.pod_name, request.event, records);
}

void DelayedActions::forget(const DelayedAction& expired) {
  const auto job = entries_.find(expired.request.job_key());
  if (job == entries_.end()) return;
  const auto it = job->second.find(expired.request.pod_name);
  if (it == job->second.end() || !(it->second.action == expired)) return;
  if (!timers_.contains({it->second.action.due, it->second.timer})) job->second.erase(it);
}

void DelayedActions::clean_up(const std::string& job_key, Action action, const Target& target,
                              std::vector<TimerRecord>& records) {
  const auto job = entries_.find(job_key);
  if (job == entries_.end()) return;
  for (auto it = job->second.begin(); it != job->second.end();) {
    if (!clears(action, target, it->second.action)) {
      ++it;
      continue;
    }
    // An entry whose own timer has just expired is only removed: there is nothing left to clear.
    if (timers_.contains({it->second.action.due, it->second.timer}))
      records.push_back(record_of(TimerOp::Cleared, it->second.action));
    stop(it->second);
    it = job->second.erase(it);
  }
}

std::optional<Time> DelayedActions::next_due() const noexcept {
  if (timers_.empty()) return std::nullopt;
  return timers_.begin()->first.first;
}

std::optional<DelayedAction> DelayedActions::take_expired(Time now) {
  if (timers_.empty() || timers_.begin()->first.first > now) return std::nullopt;
  return std::move(timers_.extract(timers_.begin()).mapped());
}

std::vector<DelayedActions::Pending> DelayedActions::pending() const {
  std::vector<Pending> list;
  list.reserve(timers_.size());
  for (const auto& [key, action] : timers_) {
    const auto job = entries_.find(action.request.job_key());
    bool seen = false;
    if (job != entries_.end()) {
      const auto it = job->second.find(action.request.pod_name);
      seen = it != job->second.end() && it->second.timer == key.second;
    }
    list.push_back({action, !seen});
  }
  return list;
}

}  // namespace pumice::volcano
