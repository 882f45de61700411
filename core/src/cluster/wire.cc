#include "pumice/cluster/wire.h"

#include <algorithm>
#include <utility>

#include "overloaded.h"
#include "pattern.h"
#include "pumice/check.h"

namespace pumice {

using namespace volcano;

std::string_view to_string(WatchKind kind) noexcept {
  switch (kind) {
    case WatchKind::Jobs: return "jobs";
    case WatchKind::Pods: return "pods";
    case WatchKind::PodGroups: return "podGroups";
    case WatchKind::Commands: return "commands";
    case WatchKind::Queues: return "queues";
    case WatchKind::PriorityClasses: return "priorityClasses";
    case WatchKind::Objects: return "objects";
  }
  return "";
}

std::string_view to_string(FaultRecord::Kind kind) noexcept {
  switch (kind) {
    case FaultRecord::Kind::EffectFailed: return "effectFailed";
    case FaultRecord::Kind::Held: return "held";
    case FaultRecord::Kind::Released: return "released";
    case FaultRecord::Kind::Doubled: return "doubled";
    case FaultRecord::Kind::Dropped: return "dropped";
    case FaultRecord::Kind::Relisted: return "relisted";
    case FaultRecord::Kind::Unheard: return "unheard";
    case FaultRecord::Kind::Down: return "down";
    case FaultRecord::Kind::Up: return "up";
    case FaultRecord::Kind::Passing: return "passing";
  }
  return "";
}

WatchKind kind_of(const Observation& observation) noexcept {
  return std::visit(Overloaded{
                        [](const JobAdded&) { return WatchKind::Jobs; },
                        [](const JobUpdated&) { return WatchKind::Jobs; },
                        [](const JobDeleted&) { return WatchKind::Jobs; },
                        [](const PodAdded&) { return WatchKind::Pods; },
                        [](const PodUpdated&) { return WatchKind::Pods; },
                        [](const PodDeleted&) { return WatchKind::Pods; },
                        [](const PodGroupAdded&) { return WatchKind::PodGroups; },
                        [](const PodGroupUpdated&) { return WatchKind::PodGroups; },
                        [](const PodGroupDeleted&) { return WatchKind::PodGroups; },
                        [](const CommandAdded&) { return WatchKind::Commands; },
                        [](const QueueAdded&) { return WatchKind::Queues; },
                        [](const QueueDeleted&) { return WatchKind::Queues; },
                        [](const ObjectSeen&) { return WatchKind::Objects; },
                        [](const ObjectGone&) { return WatchKind::Objects; },
                        [](const PriorityClassSeen&) { return WatchKind::PriorityClasses; },
                        [](const PriorityClassGone&) { return WatchKind::PriorityClasses; },
                    },
                    observation);
}

namespace {

std::string key_of(const std::string& ns, const std::string& name) { return ns + "/" + name; }
std::string key_of(const Pod& pod) { return key_of(pod.ns, pod.name); }
std::string key_of(const PodGroup& group) { return key_of(group.ns, group.name); }
std::string key_of(const ObjectName& id) { return std::string(to_string(id.type)) + "/" + key_of(id.ns, id.name); }

/// What a notification is about.
std::string key_of(const Observation& observation) {
  return std::visit(Overloaded{
                        [](const JobAdded& o) { return o.job->key(); },
                        [](const JobUpdated& o) { return o.after->key(); },
                        [](const JobDeleted& o) { return o.job->key(); },
                        [](const PodAdded& o) { return key_of(*o.pod); },
                        [](const PodUpdated& o) { return key_of(*o.after); },
                        [](const PodDeleted& o) { return key_of(*o.pod); },
                        [](const PodGroupAdded& o) { return key_of(o.group); },
                        [](const PodGroupUpdated& o) { return key_of(o.after); },
                        [](const PodGroupDeleted& o) { return key_of(o.group); },
                        [](const CommandAdded& o) { return key_of(o.command.ns, o.command.name); },
                        [](const QueueAdded& o) { return o.name; },
                        [](const QueueDeleted& o) { return o.name; },
                        [](const ObjectSeen& o) { return key_of(o.object.id); },
                        [](const ObjectGone& o) { return key_of(o.id); },
                        [](const PriorityClassSeen& o) { return o.name; },
                        [](const PriorityClassGone& o) { return o.name; },
                    },
                    observation);
}

using Maybe = std::optional<Observation>;

/// The object before the change, as if it were added; absent if there was none.
Maybe before_of(const Observation& observation) {
  return std::visit(Overloaded{
                        [](const JobUpdated& o) -> Maybe { return JobAdded{o.before}; },
                        [](const JobDeleted& o) -> Maybe { return JobAdded{o.job}; },
                        [](const PodUpdated& o) -> Maybe { return PodAdded{o.before}; },
                        [](const PodDeleted& o) -> Maybe { return PodAdded{o.pod}; },
                        [](const PodGroupUpdated& o) -> Maybe { return PodGroupAdded{o.before}; },
                        [](const PodGroupDeleted& o) -> Maybe { return PodGroupAdded{o.group}; },
                        [](const QueueDeleted& o) -> Maybe { return QueueAdded{o.name, false}; },
                        [](const ObjectGone& o) -> Maybe { return ObjectSeen{{o.id, {}}}; },
                        [](const PriorityClassGone& o) -> Maybe { return PriorityClassSeen{o.name, 0}; },
                        [](const auto&) -> Maybe { return std::nullopt; },
                    },
                    observation);
}

/// Likewise the object behind the change.
Maybe after_of(const Observation& observation) {
  return std::visit(Overloaded{
                        [](const JobUpdated& o) -> Maybe { return JobAdded{o.after}; },
                        [](const PodUpdated& o) -> Maybe { return PodAdded{o.after}; },
                        [](const PodGroupUpdated& o) -> Maybe { return PodGroupAdded{o.after}; },
                        [](const JobDeleted&) -> Maybe { return std::nullopt; },
                        [](const PodDeleted&) -> Maybe { return std::nullopt; },
                        [](const PodGroupDeleted&) -> Maybe { return std::nullopt; },
                        [](const QueueDeleted&) -> Maybe { return std::nullopt; },
                        [](const ObjectGone&) -> Maybe { return std::nullopt; },
                        [](const PriorityClassGone&) -> Maybe { return std::nullopt; },
                        [](const auto& o) -> Maybe { return o; },
                    },
                    observation);
}

/// What a new list tells of an object that was known as `known`, nothing if it is unknown still. It is compared by
/// name: a successor of the same name counts as an update, as in upstream's informers.
Maybe difference(const std::string& key, WatchKind kind, const Maybe& known, const Maybe& latest) {
  if (known && latest) {
    return std::visit(
        Overloaded{
            [](const JobAdded& a, const JobAdded& b) -> Maybe { return JobUpdated{a.job, b.job}; },
            [](const PodAdded& a, const PodAdded& b) -> Maybe { return PodUpdated{a.pod, b.pod}; },
            [](const PodGroupAdded& a, const PodGroupAdded& b) -> Maybe { return PodGroupUpdated{a.group, b.group}; },
            [&latest](const auto&, const auto&) -> Maybe { return latest; },
        },
        *known, *latest);
  }
  if (latest) return latest;
  // Of kinds that only fill a lister, one deletion too many does no harm.
  if (kind == WatchKind::Queues) return QueueDeleted{key};
  if (kind == WatchKind::PriorityClasses) return PriorityClassGone{key};
  if (!known) return std::nullopt;
  return std::visit(Overloaded{
                        [](const JobAdded& o) -> Maybe { return JobDeleted{o.job}; },
                        [](const PodAdded& o) -> Maybe { return PodDeleted{o.pod}; },
                        [](const PodGroupAdded& o) -> Maybe { return PodGroupDeleted{o.group}; },
                        [](const ObjectSeen& o) -> Maybe { return ObjectGone{o.object.id}; },
                        [](const auto&) -> Maybe { return std::nullopt; },
                    },
                    *known);
}

/// A notification that comes a second time: the informer has the object already, so it tells of an update that changes
/// nothing; of what it has removed already it tells nothing, nor of commands, which have no callback for updates.
Maybe echo_of(const Observation& observation) {
  const Maybe after = after_of(observation);
  if (!after || std::holds_alternative<CommandAdded>(*after)) return std::nullopt;
  return difference("", kind_of(observation), after, after);
}

struct NameOf {
  bool of_namespace = false;

  template <class Effect>
  std::string operator()(const Effect& e) const {
    return of_namespace ? e.ns : e.name;
  }
  std::string operator()(const CreatePod& e) const { return of_namespace ? e.pod->ns : e.pod->name; }
  std::string operator()(const CreatePodGroup& e) const { return of_namespace ? e.group.ns : e.group.name; }
  std::string operator()(const UpdatePodGroup& e) const { return of_namespace ? e.group.ns : e.group.name; }
  std::string operator()(const CreateObject& e) const { return of_namespace ? e.object.id.ns : e.object.id.name; }
  std::string operator()(const UpdateObject& e) const { return of_namespace ? e.object.id.ns : e.object.id.name; }
  std::string operator()(const DeleteObject& e) const { return of_namespace ? e.id.ns : e.id.name; }
  std::string operator()(const UpdateJob& e) const { return of_namespace ? e.job->meta.ns : e.job->meta.name; }
  std::string operator()(const EmitEvent& e) const { return of_namespace ? e.ns : e.job; }
};

bool is_meant(const EffectFault& fault, const Effect& effect) {
  if (!fault.kind.empty() && fault.kind != effect_name(effect.body)) return false;
  if (fault.name.empty()) return true;
  const std::string name = target_name(effect.body);
  const std::size_t slash = fault.name.find('/');
  if (slash != std::string::npos && !matches_pattern(fault.name.substr(0, slash), target_namespace(effect.body)))
    return false;
  const std::string pattern = slash == std::string::npos ? fault.name : fault.name.substr(slash + 1);
  return matches_pattern(pattern, name) || matches_pattern("*-" + pattern, name);
}

}  // namespace

std::string target_name(const EffectBody& body) { return std::visit(NameOf{false}, body); }
std::string target_namespace(const EffectBody& body) { return std::visit(NameOf{true}, body); }

const std::vector<std::string_view>& effect_kinds() {
  static const std::vector<std::string_view> kinds = [] {
    std::vector<std::string_view> all;
    for (const EffectBody& body :
         {EffectBody(CreatePod{}), EffectBody(MarkPod{}), EffectBody(DeletePod{}), EffectBody(ReadPod{}),
          EffectBody(CreatePodGroup{}), EffectBody(UpdatePodGroup{}), EffectBody(DeletePodGroup{}),
          EffectBody(CreateObject{}), EffectBody(UpdateObject{}), EffectBody(DeleteObject{}), EffectBody(UpdateJob{}),
          EffectBody(UpdateJobStatus{}), EffectBody(DeleteCommand{})})
      all.push_back(effect_name(body));
    return all;
  }();
  return kinds;
}

Wire::Wire(RandomFaults random) : random_(random) {}

/// SplitMix64.
std::uint64_t Wire::draw() noexcept {
  random_.seed += 0x9e3779b97f4a7c15U;
  std::uint64_t z = random_.seed;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

bool Wire::strikes() noexcept {
  return random_.per_million > 0 && draw() % 1'000'000U < static_cast<std::uint64_t>(random_.per_million);
}

void Wire::log(FaultRecord::Kind kind, std::optional<WatchKind> watch, std::int64_t count) {
  for (auto it = log_.rbegin(); it != log_.rend() && it->kind != FaultRecord::Kind::Down; ++it) {
    if (it->kind != kind || it->watch != watch) continue;
    it->count += count;
    return;
  }
  FaultRecord record;
  record.kind = kind;
  record.watch = watch;
  record.count = count;
  log_.push_back(std::move(record));
}

void Wire::route(Observation observation) {
  const WatchKind kind = kind_of(observation);
  Watch& watch = of(kind);
  switch (watch.mode) {
    case WatchMode::Pass: ready_.push_back(std::move(observation)); return;
    case WatchMode::Hold:
      log(FaultRecord::Kind::Held, kind, 1);
      watch.held.push_back(std::move(observation));
      return;
    case WatchMode::Double: {
      log(FaultRecord::Kind::Doubled, kind, 1);
      Maybe echo = echo_of(observation);
      ready_.push_back(std::move(observation));
      if (echo) ready_.push_back(std::move(*echo));
      return;
    }
    case WatchMode::Drop: {
      log(FaultRecord::Kind::Dropped, kind, 1);
      const auto [place, is_new] = watch.missed.try_emplace(key_of(observation));
      if (is_new) place->second.known = before_of(observation);
      place->second.latest = after_of(observation);
      return;
    }
  }
}

/// Random faults on a connection: it stalls, stutters or breaks for some seconds.
void Wire::strike(WatchKind kind, Time now) {
  if (of(kind).mode != WatchMode::Pass || !strikes()) return;
  const std::uint64_t what = draw();
  const Duration span{(1 + static_cast<std::int64_t>(what % 50U)) * 100 * kMillisecond.ns};
  const std::array modes{WatchMode::Hold, WatchMode::Hold, WatchMode::Double, WatchMode::Drop};
  set_mode(kind, modes[static_cast<std::size_t>((what >> 8U) % modes.size())], now + span);
}

void Wire::send(Observation observation, Time now) {
  if (!up_) {
    log(FaultRecord::Kind::Unheard, kind_of(observation), 1);
    return;
  }
  strike(kind_of(observation), now);
  route(std::move(observation));
}

std::optional<Observation> Wire::take() {
  if (ready_.empty()) return std::nullopt;
  Observation next = std::move(ready_.front());
  ready_.pop_front();
  return next;
}

std::vector<Observation> Wire::relist(WatchKind kind) {
  FaultRecord record;
  record.kind = FaultRecord::Kind::Relisted;
  record.watch = kind;
  std::vector<Observation> news;
  for (const auto& [key, missed] : of(kind).missed) {
    Maybe found = difference(key, kind, missed.known, missed.latest);
    if (!found) continue;
    ++(!missed.latest ? record.gone : missed.known ? record.changed : record.added);
    news.push_back(std::move(*found));
  }
  of(kind).missed.clear();
  log_.push_back(std::move(record));
  return news;
}

void Wire::set_mode(WatchKind kind, WatchMode mode, std::optional<Time> until) {
  Watch& watch = of(kind);
  std::vector<Observation> late;
  switch (watch.mode) {
    case WatchMode::Hold:
      if (mode == WatchMode::Hold) break;
      if (!watch.held.empty()) log(FaultRecord::Kind::Released, kind, static_cast<std::int64_t>(watch.held.size()));
      late.assign(std::make_move_iterator(watch.held.begin()), std::make_move_iterator(watch.held.end()));
      watch.held.clear();
      break;
    case WatchMode::Drop:
      if (mode != WatchMode::Drop) late = relist(kind);
      break;
    case WatchMode::Pass:
    case WatchMode::Double: break;
  }
  watch.mode = mode;
  watch.until = mode == WatchMode::Pass ? std::nullopt : until;
  for (Observation& observation : late) {
    // What comes late comes once.
    if (mode == WatchMode::Double)
      ready_.push_back(std::move(observation));
    else
      route(std::move(observation));
  }
}

void Wire::release(WatchKind kind, std::int64_t count) {
  Watch& watch = of(kind);
  std::int64_t released = 0;
  while (released < count && !watch.held.empty()) {
    ready_.push_back(std::move(watch.held.front()));
    watch.held.pop_front();
    ++released;
  }
  if (released > 0) log(FaultRecord::Kind::Released, kind, released);
}

std::int64_t Wire::kept(WatchKind kind) const noexcept {
  return static_cast<std::int64_t>(of(kind).held.size() + of(kind).missed.size());
}

Wire::Verdict Wire::judge(const Effect& effect) {
  for (auto it = effect_faults_.begin(); it != effect_faults_.end(); ++it) {
    if (!is_meant(*it, effect)) continue;
    const Verdict verdict{it->done, it->result};
    if (--it->times <= 0) effect_faults_.erase(it);
    return verdict;
  }
  if (!strikes()) return {};
  const std::uint64_t what = draw() % 10U;
  if (what < 4) return {false, ResultCode::Timeout};
  if (what < 7) return {true, ResultCode::Timeout};
  return {false, what < 9 ? ResultCode::Conflict : ResultCode::Other};
}

void Wire::note_failure(const Effect& effect, ResultCode code, bool done, std::string message) {
  const std::string_view name = effect_name(effect.body);
  for (auto it = log_.rbegin(); it != log_.rend() && it->kind == FaultRecord::Kind::EffectFailed; ++it) {
    if (it->effect != name || it->result != code || it->done != done) continue;
    ++it->count;
    if (it->names.size() < kFaultNamesMax) it->names.push_back(target_name(effect.body));
    return;
  }
  FaultRecord record;
  record.kind = FaultRecord::Kind::EffectFailed;
  record.count = 1;
  record.effect = name;
  record.names.push_back(target_name(effect.body));
  record.result = code;
  record.done = done;
  record.message = std::move(message);
  log_.push_back(std::move(record));
}

void Wire::disconnect(std::optional<Time> up_at, std::int64_t unanswered) {
  up_ = false;
  up_at_ = up_at;
  crash_after_.reset();
  down_for_.reset();
  ready_.clear();
  for (Watch& watch : watches_) watch = {};
  log(FaultRecord::Kind::Down, std::nullopt, unanswered);
}

void Wire::connect(std::vector<Observation> list) {
  PUMICE_CHECK(!up_);
  up_ = true;
  up_at_.reset();
  FaultRecord record;
  record.kind = FaultRecord::Kind::Up;
  for (Observation& observation : list) {
    ++record.found[static_cast<std::size_t>(kind_of(observation))];
    ready_.push_back(std::move(observation));
  }
  log_.push_back(std::move(record));
}

void Wire::crash_after(std::int32_t effects, std::optional<Duration> down_for) {
  crash_after_ = effects;
  down_for_ = down_for;
}

bool Wire::count_effect() {
  if (crash_after_) return --*crash_after_ <= 0;
  // A crash is rarer than a failed effect.
  if (random_.per_million <= 0 || draw() % 20U != 0 || !strikes()) return false;
  down_for_ = Duration{static_cast<std::int64_t>(draw() % 10U) * kSecond.ns};
  return true;
}

std::optional<Time> Wire::next_due() const noexcept {
  std::optional<Time> next = up_at_;
  for (const Watch& watch : watches_)
    if (watch.until && (!next || *watch.until < *next)) next = watch.until;
  return next;
}

void Wire::end_due(Time now) {
  for (const WatchKind kind : kWatchKinds) {
    if (!of(kind).until || *of(kind).until > now) continue;
    log(FaultRecord::Kind::Passing, kind, 0);
    set_mode(kind, WatchMode::Pass, std::nullopt);
  }
}

void Wire::mend() {
  for (const WatchKind kind : kWatchKinds) set_mode(kind, WatchMode::Pass, std::nullopt);
  effect_faults_.clear();
  crash_after_.reset();
  random_.per_million = 0;
}

std::vector<FaultRecord> Wire::take_log() { return std::exchange(log_, {}); }

}  // namespace pumice
