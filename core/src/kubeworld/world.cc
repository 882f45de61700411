// Controllers and API server in turn, and what there is to look at.
#include "pumice/kubeworld/world.h"

#include <algorithm>
#include <utility>

#include "compose.h"
#include "kubeworld/kube_names.h"
#include "overloaded.h"
#include "pattern.h"
#include "pumice/admission/review.h"
#include "pumice/check.h"
#include "pumice/kubejob/classify.h"
#include "pumice/kubejob/names.h"
#include "pumice/kubejob/reader.h"
#include "pumice/yaml.h"

namespace pumice::kubeworld {

namespace {

constexpr auto kNoticesMax = static_cast<std::int64_t>(kRecordsMax / 2);

}  // namespace

World::World(WorldConfig config)
    : config_(config), controller_({.quirks = config.quirks, .trace = config.trace}), ttl_(config.trace) {}

// --- what people do to jobs ---

std::string World::create_job(Job job, Time now) {
  const std::string key = job.key();
  if (store_.jobs().contains(key)) return compose("there is a Job `{}` already", key);
  if (!begun_) begun_ = now;
  job.meta.uid = "job-" + std::to_string(next_job_++);
  job.meta.creation = whole_seconds(now);
  job.meta.deletion.reset();
  set_defaults(job);
  prepare_create(job);
  store_.put_job(std::move(job));
  if (gone_.erase(key) == 0) order_.push_back(key);
  return {};
}

std::string World::update_job(const std::string& key, const Json& wanted) {
  const JobPtr stored = job(key);
  if (!stored) return compose("there is no Job `{}` now", key);
  const Json before = to_json(*stored);
  Json after = wanted;
  after["status"] = before.contains("status") ? before["status"] : Json::object();
  admission::Options options;
  options.fill = true;
  options.lint = false;
  const admission::Review review = admission::review(admission::Kind::Job, after, &before, options);
  if (!review.allowed) return "the API server refuses it: " + review.message;
  const auto node = node_from_json(after);
  if (!node.ok()) return "the object cannot be read: " + node.diagnostics.front().message;
  auto read = kubejob::read_job(*node.value, {}, ReadMode::Wire);
  if (!read.ok()) return "the object cannot be read: " + read.diagnostics.front().message;
  Job changed = *std::move(read.value);
  set_defaults(changed);
  changed.meta.ns = stored->meta.ns;
  changed.meta.name = stored->meta.name;
  changed.meta.deletion = stored->meta.deletion;
  const bool goes = changed.meta.deletion && changed.finalizers.empty();
  store_.update_job(prepare_update(*stored, changed));
  if (goes) store_.remove_job(key);
  return {};
}

std::string World::delete_job(const std::string& key, Propagation propagation, Time now) {
  const JobPtr stored = job(key);
  if (!stored) return compose("there is no Job `{}` now", key);
  if (stored->meta.deletion) return compose("the Job `{}` is being deleted already", key);
  Job changed = *stored;
  if (propagation == Propagation::Orphan) changed.finalizers.emplace_back(kOrphanFinalizer);
  if (propagation == Propagation::Foreground) changed.finalizers.emplace_back(kForegroundFinalizer);
  if (changed.finalizers.empty()) {
    store_.remove_job(key);
    return {};
  }
  changed.meta.deletion = whole_seconds(now);
  store_.update_job(std::move(changed));
  return {};
}

// --- what goes wrong with controllers ---

std::string World::stop_controllers(std::optional<Time> up_at) {
  if (!up_) return "the controllers are down already";
  up_ = false;
  up_at_ = up_at;
  return {};
}

std::string World::start_controllers(Time now) {
  if (up_) return "the controllers run already";
  up_ = true;
  up_at_.reset();
  controller_ = Controller(controller_.config());
  ttl_ = TtlController(config_.trace);
  start_listing(now);
  return {};
}

/// Jobs and pods as their lists show them, by name.
void World::start_listing(Time now) {
  // What the store still has to tell, the agents have to hear; the list tells it to the controllers.
  while (auto seen = store_.take_notification()) notice(*seen, now);
  std::vector<Observation> list;
  for (const auto& [key, job] : store_.jobs()) list.emplace_back(JobAdded{job});
  for (const auto& [key, pod] : store_.pods()) list.emplace_back(PodAdded{pod});
  watches_.restart(std::move(list));
}

// --- one run ---

void World::keep(Output& output, Outcome& outcome) {
  outcome.records_total += static_cast<std::int64_t>(output.trace.size());
  for (Record& record : output.trace) {
    if (const auto* sync = std::get_if<SyncRecord>(&record)) {
      SyncRecord& last = last_sync_[sync->key];
      last = *sync;
      last.effects.clear();
    }
    // Half of the room is for what the controllers do.
    const bool is_notice = std::holds_alternative<ObserveRecord>(record);
    if (outcome.records.size() >= kRecordsMax || (is_notice && outcome.notices >= kNoticesMax)) continue;
    if (is_notice) ++outcome.notices;
    outcome.records.push_back(std::move(record));
  }
  output.trace.clear();
}

void World::deliver(const Observation& observation, Time now, Outcome& outcome) {
  Output output;
  controller_.step({now, observation}, output);
  if (kind_of(observation) == WatchKind::Jobs) ttl_.step({now, observation}, output);
  keep(output, outcome);
}

/// What the store has to tell goes to the agents at once, and to the controllers by their watches.
void World::pump(Time now, Outcome& outcome, std::map<std::string, JobPtr>& touched) {
  for (;;) {
    while (auto seen = store_.take_notification()) {
      if (const auto* added = std::get_if<JobAdded>(&*seen)) touched.emplace(added->job->key(), nullptr);
      if (const auto* updated = std::get_if<JobUpdated>(&*seen))
        touched.emplace(updated->after->key(), updated->before);
      if (const auto* deleted = std::get_if<JobDeleted>(&*seen)) touched.emplace(deleted->job->key(), deleted->job);
      notice(*seen, now);
      if (up_)
        watches_.send(*std::move(seen));
      else
        ++outcome.unheard;
    }
    const std::optional<Observation> next = up_ ? watches_.take() : std::nullopt;
    if (!next) return;
    deliver(*next, now, outcome);
  }
}

EffectResult World::carry_out(const Effect& effect, Time now, Outcome& outcome) {
  const auto fault = std::find_if(faults_.begin(), faults_.end(),
                                  [&effect](const EffectFault& item) { return strikes(item, effect.body); });
  if (effect.id == 0 || fault == faults_.end()) return store_.execute(effect, now).value_or(EffectResult{});
  EffectResult answer;
  answer.id = effect.id;
  answer.code = fault->result;
  if (fault->done) (void)store_.execute(effect, now);
  if (--fault->times <= 0) faults_.erase(fault);
  ++outcome.effects_failed;
  return answer;
}

template <class Of>
void World::work(Of& controller, Time now, Outcome& outcome) {
  Output output;
  controller.step({now, Work{}}, output);
  while (!output.effects.empty()) {
    EffectResults answers;
    for (const Effect& effect : output.effects) {
      EffectResult answer = carry_out(effect, now, outcome);
      if (effect.id != 0) answers.results.push_back(std::move(answer));
    }
    output.effects.clear();
    if (controller.waiting_for_results()) controller.step({now, std::move(answers)}, output);
  }
  keep(output, outcome);
}

void World::run(Time now, Outcome& outcome) {
  std::map<std::string, JobPtr> touched;  // as each job was before; null if it did not exist
  if (up_) {
    Output output;
    controller_.step({now, Tick{}}, output);
    ttl_.step({now, Tick{}}, output);
  }
  const std::int64_t most = kSyncsMax * static_cast<std::int64_t>(store_.jobs().size() + 1);
  for (std::int64_t syncs = 0;; ++syncs) {
    pump(now, outcome, touched);
    if (!up_ || (!controller_.has_work() && !ttl_.has_work())) break;
    if (syncs >= most) {
      outcome.endless = "the controllers find no rest without time passing; the step ends here";
      break;
    }
    if (controller_.has_work())
      work(controller_, now, outcome);
    else
      work(ttl_, now, outcome);
  }

  for (const auto& [key, before] : touched) {
    const JobPtr after = job(key);
    JobChange change;
    change.job_key = key;
    change.state_before = state_of(before.get());
    change.state_after = after ? std::string(state_of(after.get())) : "Deleted";
    if (before) {
      change.failed_before = before->status.failed;
      change.succeeded_before = before->status.succeeded;
    }
    if (after) {
      change.failed_after = after->status.failed;
      change.succeeded_after = after->status.succeeded;
    }
    const bool differs =
        !before || !after || !(before->status == after->status) || before->meta.deletion != after->meta.deletion;
    if (differs) outcome.changes.push_back(std::move(change));
  }
}

// --- time ---

std::optional<Time> World::next_timer() const {
  if (!up_) return std::nullopt;
  const std::optional<Time> jobs = controller_.next_deadline();
  const std::optional<Time> ttl = ttl_.next_deadline();
  if (!jobs || !ttl) return jobs ? jobs : ttl;
  return std::min(*jobs, *ttl);
}

std::optional<Time> World::next_due() const {
  const std::optional<Time> action = next_action();
  const std::optional<Time> timer = next_timer();
  if (!action || !timer) return action ? action : timer;
  return std::min(*action, *timer);
}

// --- what there is ---

JobPtr World::job(const std::string& key) const {
  const auto found = store_.jobs().find(key);
  return found == store_.jobs().end() ? nullptr : found->second;
}

JobPtr World::last_job(const std::string& key) const {
  if (JobPtr found = job(key)) return found;
  const auto gone = gone_.find(key);
  return gone == gone_.end() ? nullptr : gone->second;
}

const PodState* World::pod(const std::string& key) const {
  const auto number = numbers_.find(key);
  return number == numbers_.end() ? nullptr : &pods_.at(number->second);
}

PodState* World::find_state(const std::string& key) {
  const auto number = numbers_.find(key);
  return number == numbers_.end() ? nullptr : &pods_.at(number->second);
}

PodPtr World::object_of(const PodState& pod) const {
  const auto found = store_.pods().find(pod.key);
  return found == store_.pods().end() ? nullptr : found->second;
}

std::vector<const PodState*> World::pods_of(const std::string& key) const {
  std::vector<const PodState*> list;
  const JobPtr owner = last_job(key);
  if (!owner) return list;
  const auto found = owned_.find(owner->meta.uid);
  if (found == owned_.end()) return list;
  list.reserve(found->second.size());
  for (const Number number : found->second) list.push_back(&pods_.at(number));
  return list;
}

std::int64_t World::count_pods_of(const std::string& key) const {
  const JobPtr owner = last_job(key);
  const auto found = owner ? owned_.find(owner->meta.uid) : owned_.end();
  return found == owned_.end() ? 0 : static_cast<std::int64_t>(found->second.size());
}

std::vector<const PodState*> World::left_over() const {
  std::set<std::string_view> known;
  for (const auto& [key, job] : store_.jobs()) known.insert(job->meta.uid);
  std::set<Number> numbers;
  for (const auto& [number, state] : pods_)
    if (!known.contains(state.owner)) numbers.insert(number);
  std::vector<const PodState*> list;
  for (const Number number : numbers) list.push_back(&pods_.at(number));
  return list;
}

std::vector<std::string> World::find_pods(std::string_view pattern) const {
  const std::size_t slash = pattern.find('/');
  const std::string_view ns = slash == std::string_view::npos ? "*" : pattern.substr(0, slash);
  const std::string_view name = slash == std::string_view::npos ? pattern : pattern.substr(slash + 1);
  const bool wild = name.find('*') != std::string_view::npos;
  const auto number_in = [](std::string_view text) -> std::optional<std::int64_t> {
    if (text.empty() || text.size() > 10) return std::nullopt;
    std::int64_t value = 0;
    for (const char c : text) {
      if (c < '0' || c > '9') return std::nullopt;
      value = value * 10 + (c - '0');
    }
    return value;
  };
  std::vector<std::string> keys;
  std::vector<std::string> exact;
  for (const std::string& key : order_) {
    const std::size_t at = key.find('/');
    if (!matches_pattern(ns, std::string_view(key).substr(0, at))) continue;
    const std::string prefix = key.substr(at + 1) + "-";
    std::string_view tail = name;
    if (tail.starts_with(prefix)) tail.remove_prefix(prefix.size());
    const std::optional<std::int64_t> index = number_in(tail);
    const std::optional<std::int64_t> ordinal = tail.starts_with('p') ? number_in(tail.substr(1)) : std::nullopt;
    std::string of_index;
    bool index_lives = false;
    for (const PodState* state : pods_of(key)) {
      const std::string_view full = std::string_view(state->key).substr(at + 1);
      if (!wild && full == name) exact.push_back(state->key);
      if (matches_pattern(name, full) ||
          (full.starts_with(prefix) && matches_pattern(name, full.substr(prefix.size())))) {
        keys.push_back(state->key);
      } else if (ordinal && *ordinal == state->ordinal) {
        keys.push_back(state->key);
      } else if (index) {
        // The newest that still lives, else the newest.
        const PodPtr object = object_of(*state);
        if (!object || completion_index(*object) != *index) continue;
        const bool lives = is_active(*object);
        if (lives || !index_lives) of_index = state->key;
        index_lives = index_lives || lives;
      }
    }
    if (!of_index.empty()) keys.push_back(std::move(of_index));
  }
  return exact.empty() ? keys : exact;
}

bool World::all_ended() const {
  return std::all_of(order_.begin(), order_.end(), [this](const std::string& key) {
    const JobPtr found = job(key);
    return !found || found->status.finished() != nullptr;
  });
}

const SyncRecord* World::last_sync(const std::string& key) const {
  const auto found = last_sync_.find(key);
  return found == last_sync_.end() ? nullptr : &found->second;
}

/// With limits per index the wait is that of the index whose pod may come first.
std::optional<Time> World::next_retry(const std::string& key, Time now) const {
  const JobPtr found = job(key);
  if (!found || found->status.finished() != nullptr || found->spec->is_suspended()) return std::nullopt;
  const Quirks& quirks = controller_.config().quirks;
  const Duration cap = quirks.has(Quirk::ShortBackoffCap) ? kOldPodBackoffMax : kPodBackoffMax;
  if (!has_per_index_limit(*found->spec, quirks)) {
    const BackoffRecord* record = controller_.backoff(key);
    if (record == nullptr) return std::nullopt;
    const Duration left = remaining_backoff(record->failures, record->last_failure, now, cap);
    return left.ns > 0 ? std::optional(now + left) : std::nullopt;
  }
  const JobPods* pods = controller_.pods_of(found->meta.uid);
  std::optional<Time> next;
  if (pods == nullptr) return next;
  for (const PodPtr& pod : pods->sets().ended) {
    const std::int32_t index = completion_index(*pod);
    if (pod->phase != PodPhase::Failed || !pod->is_tracked() || pods->sets().active_indexes.contains(index)) continue;
    const Duration left =
        remaining_backoff(total_failure_count(*pod) + 1, kubejob::finish_time(*pod, quirks), now, cap);
    if (left.ns > 0 && (!next || now + left < *next)) next = now + left;
  }
  return next;
}

// --- words of the vocabulary ---

std::string_view state_of(const Job* job) noexcept {
  if (job == nullptr) return "";
  const JobStatus& status = job->status;
  if (const Condition* finished = status.finished()) return finished->type == "Complete" ? "Complete" : "Failed";
  if (job->meta.deletion) return "Deleting";
  if (status.find_true("SuccessCriteriaMet") != nullptr) return "SuccessCriteriaMet";
  if (status.find_true("FailureTarget") != nullptr) return "FailureTarget";
  if (status.find_true("Suspended") != nullptr) return "Suspended";
  return "Active";
}

const std::vector<std::string_view>& job_states() {
  static const std::vector<std::string_view> kStates{
      "Active", "Suspended", "SuccessCriteriaMet", "FailureTarget", "Complete", "Failed", "Deleting"};
  return kStates;
}

const std::vector<StateChange>& state_changes() {
  static const std::vector<StateChange> kChanges{
      {"Active", "Suspended"},
      {"Suspended", "Active"},
      {"Active", "SuccessCriteriaMet"},
      {"Active", "FailureTarget"},
      {"Suspended", "SuccessCriteriaMet"},
      {"Suspended", "FailureTarget"},
      {"SuccessCriteriaMet", "Complete"},
      {"FailureTarget", "Failed"},
  };
  return kChanges;
}

std::string_view to_string(Action::Kind kind) noexcept {
  switch (kind) {
    case Action::Kind::StartPods: return "StartPods";
    case Action::Kind::EndContainers: return "EndContainers";
    case Action::Kind::RestartContainers: return "RestartContainers";
    case Action::Kind::StopPods: return "StopPods";
    case Action::Kind::EndPods: return "EndPods";
    case Action::Kind::StartControllers: return "StartControllers";
    case Action::Kind::CollectOwned: return "CollectOwned";
    case Action::Kind::CollectPods: return "CollectPods";
  }
  return "";
}

}  // namespace pumice::kubeworld
