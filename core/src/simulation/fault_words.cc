// What goes wrong, or is mended, in words.
#include "compose.h"
#include "list_text.h"
#include "pumice/simulation/report.h"
#include "simulation/words.h"

namespace pumice::simulation {

using namespace volcano;

std::string_view watch_noun(WatchKind kind) noexcept {
  switch (kind) {
    case WatchKind::Jobs: return "jobs";
    case WatchKind::Pods: return "pods";
    case WatchKind::PodGroups: return "PodGroups";
    case WatchKind::Commands: return "commands";
    case WatchKind::Queues: return "queues";
    case WatchKind::PriorityClasses: return "priority classes";
    case WatchKind::Objects: return "claims and the like";
  }
  return "";
}

namespace {

std::string about(const FaultRecord& record) {
  return count_of(record.count, "notification") + " about " + std::string(watch_noun(*record.watch));
}

std::string arrives(const FaultRecord& record) { return record.count == 1 ? " arrives" : " arrive"; }

std::string effect_clause(const FaultRecord& record) {
  std::vector<std::string> names;
  for (const std::string& name : record.names) names.push_back(group_text(name));
  std::string text = record.effect + " of " + fold_names(names);
  if (record.count > static_cast<std::int64_t>(names.size()))
    text += compose(" and {} more", record.count - static_cast<std::int64_t>(names.size()));
  text += compose(" {} answered with `{}`", record.count == 1 ? "is" : "are", to_string(record.result));
  if (record.done) text += ", though the server carries it out";
  if (record.result == ResultCode::Timeout && !record.done) text += ", and the server does not carry it out";
  return record.message.empty() ? text : text + " (" + record.message + ")";
}

std::string relisted_clause(const FaultRecord& record) {
  std::vector<std::string> parts;
  const auto tell = [&parts](std::int64_t count, std::string_view what) {
    if (count > 0) parts.push_back(compose("{} {}", count, what));
  };
  tell(record.added, "new");
  tell(record.changed, "changed");
  tell(record.gone, "gone");
  return compose("a new list of {} is made, and finds {}", watch_noun(*record.watch),
                 parts.empty() ? "nothing new" : list_text(parts, "and"));
}

std::string up_clause(const FaultRecord& record) {
  std::vector<std::string> parts;
  const auto tell = [&](WatchKind kind, std::string_view noun) {
    const std::int64_t count = record.found[static_cast<std::size_t>(kind)];
    if (count > 0) parts.push_back(count_of(count, noun));
  };
  tell(WatchKind::Jobs, "job");
  tell(WatchKind::Pods, "pod");
  tell(WatchKind::PodGroups, "PodGroup");
  tell(WatchKind::Commands, "command");
  std::string text = "the controller starts with nothing in its cache; its first lists hold " +
                     (parts.empty() ? "no job" : list_text(parts, "and"));
  if (record.found[static_cast<std::size_t>(WatchKind::Pods)] > 0)
    text += ", and every pod is announced as PodPending, whatever its phase";
  return text;
}

}  // namespace

std::string fault_clause(const FaultRecord& record) {
  switch (record.kind) {
    case FaultRecord::Kind::EffectFailed: return effect_clause(record);
    case FaultRecord::Kind::Held: return compose("{} {} held back", about(record), is_or_are(record.count));
    case FaultRecord::Kind::Released: return about(record) + arrives(record) + " late";
    case FaultRecord::Kind::Doubled:
      return about(record) + arrives(record) + " twice, the second time as an update that changes nothing";
    case FaultRecord::Kind::Dropped:
      return compose("{} {} lost: until there is a new list the controller does not know", about(record),
                     is_or_are(record.count));
    case FaultRecord::Kind::Relisted: return relisted_clause(record);
    case FaultRecord::Kind::Unheard:
      return compose("nobody hears of {} of {}, as the controller is down", count_of(record.count, "change"),
                     watch_noun(*record.watch));
    case FaultRecord::Kind::Down: {
      std::string text =
          "the controller crashes: its cache, its queue, its delayed actions and its counts of failures "
          "are lost";
      if (record.count > 0)
        text += compose("; it does not learn what became of {} just carried out", count_of(record.count, "effect"));
      return text;
    }
    case FaultRecord::Kind::Up: return up_clause(record);
    case FaultRecord::Kind::Passing: return compose("the watch of {} works again", watch_noun(*record.watch));
  }
  return {};
}

std::string faults_text(const StepRecord& step) {
  std::string text;
  for (const FaultRecord& record : step.faults) text += (text.empty() ? "" : "; ") + fault_clause(record);
  return text;
}

namespace {

std::string for_text(const std::optional<Duration>& duration) {
  return duration ? " for " + to_string(*duration) : std::string();
}

struct FaultTeller {
  std::string operator()(const ControllerFault& fault) const {
    using What = ControllerFault::What;
    if (fault.effects)
      return compose("the controller is going to crash once {} {} carried out", count_of(*fault.effects, "more effect"),
                     *fault.effects == 1 ? "is" : "are");
    switch (fault.what) {
      case What::Down: return "the controller goes down" + for_text(fault.duration);
      case What::Up: return "the controller is started";
      case What::Restart:
        return fault.duration ? "the controller restarts, which takes " + to_string(*fault.duration)
                              : "the controller restarts";
    }
    return {};
  }
  std::string operator()(const EffectFault& fault) const {
    std::string what = fault.kind.empty() ? "effect" : fault.kind;
    if (!fault.name.empty()) what += " of " + fault.name;
    std::string text =
        fault.times == 1 ? "the next " + what + " is" : compose("the next {} times, {} is", fault.times, what);
    text += compose(" going to be answered with `{}`", to_string(fault.result));
    if (fault.result == ResultCode::Timeout)
      text += fault.done ? ", though it is carried out" : ", and not to be carried out";
    return text;
  }
  std::string operator()(const WatchFault& fault) const {
    const std::string what = "notifications" + (fault.kind ? " about " + std::string(watch_noun(*fault.kind))
                                                           : std::string(" of all kinds"));
    switch (fault.mode) {
      case WatchFault::Mode::Hold: return "the " + what + " are held back from now on" + for_text(fault.duration);
      case WatchFault::Mode::Release:
        return fault.count ? compose("the first {} of the {} are let through", *fault.count, what)
                           : "the " + what + " are let through again";
      case WatchFault::Mode::Double: return "the " + what + " arrive twice from now on" + for_text(fault.duration);
      case WatchFault::Mode::Drop: return "the " + what + " are lost from now on" + for_text(fault.duration);
      case WatchFault::Mode::Relist: return "the " + what + " come again, after new lists";
    }
    return {};
  }
  std::string operator()(const MendFault&) const { return "nothing is going to go wrong any more"; }
  std::string operator()(const NodeFault& fault) const {
    return fault.back
               ? compose("the node of {} is back", fault.pods)
               : compose("the node of {} is lost: its pods stay as they are, until they are evicted", fault.pods);
  }
  std::string operator()(const QuotaFault& fault) const {
    const std::string where = fault.ns.empty() ? "each namespace" : "namespace " + fault.ns;
    if (!fault.pods) return compose("{} may have any number of pods again", where);
    return compose("{} may have {} that {} not ended", where, count_of(*fault.pods, "pod"),
                   *fault.pods == 1 ? "has" : "have");
  }
};

}  // namespace

std::string fault_event_text(const FaultEvent& event) { return std::visit(FaultTeller{}, event.what); }

}  // namespace pumice::simulation

namespace pumice {

std::vector<Standing> standing_faults(const Simulation& simulation) {
  using namespace pumice::simulation;
  std::vector<Standing> list;
  const Wire& wire = simulation.wire();
  const Time start = simulation.options().start;
  const auto until = [&](const std::optional<Time>& time) {
    return time ? " until " + elapsed_text(*time, start) : std::string();
  };
  if (!wire.is_up()) list.push_back({"ControllerDown", "the controller is down" + until(wire.up_at())});
  if (wire.crash_after())
    list.push_back({"CrashPending",
                    compose("the controller crashes once {} {} carried out",
                            count_of(*wire.crash_after(), "more effect"), *wire.crash_after() == 1 ? "is" : "are")});
  for (const WatchKind kind : kWatchKinds) {
    const std::string noun(watch_noun(kind));
    switch (wire.mode(kind)) {
      case WatchMode::Pass: break;
      case WatchMode::Hold:
        list.push_back({"NoticesHeld", "notifications about " + noun + " are held back" + until(wire.until(kind)) +
                                           ", " + compose("{} so far", wire.kept(kind))});
        break;
      case WatchMode::Double:
        list.push_back({"NoticesDoubled", "notifications about " + noun + " arrive twice" + until(wire.until(kind))});
        break;
      case WatchMode::Drop:
        list.push_back({"NoticesLost", "notifications about " + noun + " are lost" + until(wire.until(kind)) + ", " +
                                           compose("about {} so far", count_of(wire.kept(kind), "object"))});
        break;
    }
  }
  for (const EffectFault& fault : wire.effect_faults())
    list.push_back({"EffectFault", fault_event_text(FaultEvent{fault})});
  const std::int64_t lost = simulation.cluster().lost_pods();
  if (lost > 0) list.push_back({"NodeLost", compose("the node of {} is lost", count_of(lost, "pod"))});
  for (const auto& [ns, pods] : simulation.cluster().quotas())
    list.push_back({"Quota", compose("namespace {} may have {}, it has {}", ns, count_of(pods, "pod"),
                                     simulation.cluster().pods_alive(ns))});
  for (const auto& [name, queue] : simulation.cluster().queues())
    if (queue.state != "Open") list.push_back({"QueueNotOpen", compose("queue {} is {}", name, queue.state)});
  return list;
}

}  // namespace pumice
