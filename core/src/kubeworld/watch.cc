#include "pumice/kubeworld/watch.h"

#include <algorithm>
#include <utility>

#include "overloaded.h"
#include "pattern.h"

namespace pumice::kubeworld {
namespace {

using kubejob::JobAdded;
using kubejob::JobDeleted;
using kubejob::JobUpdated;
using kubejob::Observation;
using kubejob::PodAdded;
using kubejob::PodDeleted;
using kubejob::PodUpdated;

/// The object before and after, both as if they were added.
struct Change {
  std::string key;
  std::optional<Observation> before;
  std::optional<Observation> after;
};

Change change_of(const Observation& observation) {
  return std::visit(
      Overloaded{
          [](const JobAdded& seen) { return Change{seen.job->key(), std::nullopt, seen}; },
          [](const JobUpdated& seen) { return Change{seen.after->key(), JobAdded{seen.before}, JobAdded{seen.after}}; },
          [](const JobDeleted& seen) { return Change{seen.job->key(), JobAdded{seen.job}, std::nullopt}; },
          [](const PodAdded& seen) { return Change{seen.pod->key(), std::nullopt, seen}; },
          [](const PodUpdated& seen) { return Change{seen.after->key(), PodAdded{seen.before}, PodAdded{seen.after}}; },
          [](const PodDeleted& seen) { return Change{seen.pod->key(), PodAdded{seen.pod}, std::nullopt}; },
      },
      observation);
}

/// What a new list says to somebody who knows `known`; an object of the same name with another uid is another object,
/// which an update tells as well.
std::optional<Observation> difference(const std::optional<Observation>& known,
                                      const std::optional<Observation>& latest) {
  if (!known) return latest;
  if (const auto* job = std::get_if<JobAdded>(&*known)) {
    if (!latest) return JobDeleted{job->job};
    return JobUpdated{job->job, std::get<JobAdded>(*latest).job};
  }
  const auto& pod = std::get<PodAdded>(*known).pod;
  if (!latest) return PodDeleted{pod};
  return PodUpdated{pod, std::get<PodAdded>(*latest).pod};
}

/// The second time that one hears of something; absent: an informer would not tell it again.
std::optional<Observation> again(const Observation& observation) {
  const Change change = change_of(observation);
  if (!change.after) return std::nullopt;
  return difference(change.after, change.after);
}

}  // namespace

WatchKind kind_of(const Observation& observation) noexcept {
  const bool of_job = std::holds_alternative<JobAdded>(observation) ||
                      std::holds_alternative<JobUpdated>(observation) ||
                      std::holds_alternative<JobDeleted>(observation);
  return of_job ? WatchKind::Jobs : WatchKind::Pods;
}

void Watches::send(Observation observation) {
  Watch& watch = of(kind_of(observation));
  switch (watch.mode) {
    case WatchMode::Pass: ready_.push_back(std::move(observation)); return;
    case WatchMode::Hold: watch.held.push_back(std::move(observation)); return;
    case WatchMode::Double: {
      std::optional<Observation> second = again(observation);
      ready_.push_back(std::move(observation));
      if (second) ready_.push_back(*std::move(second));
      return;
    }
    case WatchMode::Drop: {
      Change change = change_of(observation);
      const auto [found, is_new] = watch.missed.try_emplace(std::move(change.key));
      if (is_new) found->second.known = std::move(change.before);
      found->second.latest = std::move(change.after);
      return;
    }
  }
}

std::optional<Observation> Watches::take() {
  if (ready_.empty()) return std::nullopt;
  Observation next = std::move(ready_.front());
  ready_.pop_front();
  return next;
}

void Watches::release(WatchKind kind, std::int64_t count) {
  Watch& watch = of(kind);
  for (; count > 0 && !watch.held.empty(); --count) {
    ready_.push_back(std::move(watch.held.front()));
    watch.held.pop_front();
  }
}

void Watches::set_mode(WatchKind kind, WatchMode mode) {
  Watch& watch = of(kind);
  release(kind, kept(kind));
  for (auto& [key, missed] : watch.missed)
    if (auto seen = difference(missed.known, missed.latest)) ready_.push_back(*std::move(seen));
  watch.missed.clear();
  watch.mode = mode;
}

std::int64_t Watches::kept(WatchKind kind) const noexcept {
  return static_cast<std::int64_t>(of(kind).held.size() + of(kind).missed.size());
}

void Watches::restart(std::vector<Observation> list) {
  watches_ = {};
  ready_.assign(std::make_move_iterator(list.begin()), std::make_move_iterator(list.end()));
}

std::string_view to_string(WatchKind kind) noexcept {
  switch (kind) {
    case WatchKind::Jobs: return "jobs";
    case WatchKind::Pods: return "pods";
  }
  return "";
}

std::string_view to_string(WatchMode mode) noexcept {
  switch (mode) {
    case WatchMode::Pass: return "pass";
    case WatchMode::Hold: return "hold";
    case WatchMode::Double: return "double";
    case WatchMode::Drop: return "drop";
  }
  return "";
}

const std::vector<std::string_view>& effect_kinds() {
  static const std::vector<std::string_view> kKinds{"CreatePod",  "DeletePod", "RemoveFinalizer", "AdoptPod",
                                                    "ReleasePod", "GetJob",    "UpdateJobStatus", "DeleteJob"};
  return kKinds;
}

bool strikes(const EffectFault& fault, const kubejob::EffectBody& effect) {
  if (std::holds_alternative<kubejob::EmitEvent>(effect)) return false;
  if (!fault.kind.empty() && fault.kind != kubejob::effect_name(effect)) return false;
  if (fault.name.empty()) return true;
  const std::string name = std::visit(Overloaded{
                                          [](const kubejob::CreatePod& body) { return body.pod->generate_name; },
                                          [](const kubejob::EmitEvent& body) { return body.job; },
                                          [](const auto& body) { return body.name; },
                                      },
                                      effect);
  return matches_pattern(fault.name, name) ||
         (std::holds_alternative<kubejob::CreatePod>(effect) && matches_pattern(fault.name + "*", name));
}

}  // namespace pumice::kubeworld
