#include "engine/history.h"

#include <algorithm>

#include "pumice/check.h"

namespace pumice::engine {

History::History(Simulation initial) : latest_(std::move(initial)) {
  checkpoints_.emplace(0, latest_);
  latest_record_ = std::make_shared<const StepRecord>(latest_.start());
  moves_.push_back({.kind = Kind::Start});
}

std::vector<StepRecord> History::apply(const UserEvent& event) {
  std::vector<StepRecord> steps = latest_.apply(event);
  const auto index = static_cast<std::uint32_t>(events_.size());
  events_.push_back(event);
  for (const StepRecord& step : steps) remember(step, index);
  if (!steps.empty()) latest_record_ = std::make_shared<const StepRecord>(steps.back());
  if (total() - checkpoints_.rbegin()->first >= spacing_) keep(total(), latest_);
  return steps;
}

void History::remember(const StepRecord& step, std::uint32_t event) {
  switch (step.source) {
    case StepSource::User: moves_.push_back({.kind = Kind::Event, .event = event}); break;
    case StepSource::Cluster:
    case StepSource::Fault:
    case StepSource::Timer: moves_.push_back({.kind = Kind::ByItself}); break;
    case StepSource::Clock:
      moves_.push_back({.kind = Kind::Clock,
                        .event = event,
                        .shows_event = step.event.has_value(),
                        .time = step.time,
                        .refused = step.refused});
      break;
  }
}

StepRecord History::play(Simulation& simulation, const Move& move) const {
  switch (move.kind) {
    case Kind::Start: return simulation.start();
    case Kind::ByItself: {
      auto step = simulation.next();
      PUMICE_CHECK(step.has_value());
      return std::move(*step);
    }
    // The clock has reached the event's own time already.
    case Kind::Event: return simulation.apply_now(events_[move.event]);
    case Kind::Clock: break;
  }
  StepRecord step = simulation.clock_step(move.time, move.refused);
  if (move.shows_event) step.event = events_[move.event];
  return step;
}

void History::keep(std::int64_t step, const Simulation& state) {
  checkpoints_.emplace(step, state);
  const std::size_t all = state.cluster().pods().size() + state.kube().store().pods().size();
  const auto pods = std::max<std::int64_t>(1, static_cast<std::int64_t>(all));
  const std::int64_t room = std::max<std::int64_t>(4, kCheckpointPodsMax / pods);
  if (static_cast<std::int64_t>(checkpoints_.size()) <= room) return;
  // Every second one goes, and from now on they are made half as often.
  spacing_ *= 2;
  bool drop = false;
  for (auto it = std::next(checkpoints_.begin()); it != checkpoints_.end();) {
    it = drop ? checkpoints_.erase(it) : std::next(it);
    drop = !drop;
  }
}

void History::go_back(std::int64_t step) {
  PUMICE_CHECK(step >= 1 && step <= total());
  if (step == total()) return;
  const Moment moment = at(step);
  latest_ = *moment.state;
  latest_record_ = moment.record;
  sought_ = -1;
  moves_.resize(static_cast<std::size_t>(step));
  checkpoints_.erase(checkpoints_.upper_bound(step), checkpoints_.end());
  // Events that no step refers to any more are at the end.
  std::uint32_t used = 0;
  for (const Move& move : moves_) {
    if (move.kind == Kind::Event || move.kind == Kind::Clock) used = std::max(used, move.event + 1);
  }
  events_.resize(used);
}

History::Moment History::at(std::int64_t step) {
  PUMICE_CHECK(step >= 0 && step <= total());
  if (step == total()) return {{std::shared_ptr<void>(), &latest_}, latest_record_};
  if (step == sought_) return moment_;
  // The record of a step comes from playing it, so one must begin before it.
  const auto from = std::prev(checkpoints_.upper_bound(std::max<std::int64_t>(step - 1, 0)));
  std::int64_t played = from->first;
  auto state = std::make_shared<Simulation>(from->second);
  std::optional<StepRecord> record;
  while (played < step) {
    record = play(*state, moves_[static_cast<std::size_t>(played)]);
    ++played;
    const bool is_due = played % spacing_ == 0 && played < step && !checkpoints_.contains(played);
    if (is_due) keep(played, *state);
  }
  sought_ = step;
  moment_ = {std::move(state), record ? std::make_shared<const StepRecord>(std::move(*record)) : nullptr};
  return moment_;
}

}  // namespace pumice::engine
