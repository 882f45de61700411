#include "pumice/scenario/run.h"

#include <algorithm>
#include <list>

#include "compose.h"
#include "pumice/diagnostic_json.h"
#include "scenario/admit.h"
#include "scenario/evaluate.h"
#include "scenario/words.h"

namespace pumice::scenario {
namespace {

using When = Expectation::When;

/// An expectation on its way.
struct Open {
  const Expectation* expectation = nullptr;
  Scope scope;
  bool done = false;
  bool reached = false;          ///< Eventually: it held; At: its time has come
  std::vector<Failure> pending;  ///< At: what is wrong up to now
};

bool is_for_admission_alone(const Scenario& scenario, const RunOptions& options) {
  const auto asks = [](const Expectation& e) { return e.admission.has_value(); };
  const bool any = !scenario.expect.empty() || !options.more.empty();
  return any && scenario.events.empty() && std::all_of(scenario.expect.begin(), scenario.expect.end(), asks) &&
         std::all_of(options.more.begin(), options.more.end(), asks);
}

class Runner {
 public:
  Runner(const Scenario& scenario, const RunOptions& options) : scenario_(scenario), options_(options) {}

  Outcome run() {
    auto sources = sources_of(scenario_, options_.loader);
    take(std::move(sources.diagnostics));
    if (!sources) return error();
    for (const auto* list : {&scenario_.expect, &options_.more})
      for (const Expectation& expectation : *list) {
        out_.checks += static_cast<std::int64_t>(expectation.checks.size()) + (expectation.admission ? 1 : 0);
        if (!expectation.admission) open_.push_back({&expectation, Scope(expectation.checks)});
      }
    ask_admission(*sources.value);
    if (is_for_admission_alone(scenario_, options_)) return finished();
    auto world = make_world(scenario_, *sources.value);
    std::erase_if(world.diagnostics, [](const Diagnostic& finding) {
      return finding.code == "KindNotSimulated" && finding.message.find("/Queue`") != std::string::npos;
    });
    take(std::move(world.diagnostics));
    if (!world) return error();
    world_ = *std::move(world.value);
    if (!check_events()) return error();
    play();
    out_.elapsed = world_->now() - scenario_.start;
    if (out_.verdict == Verdict::Error) return std::move(out_);
    return finished();
  }

 private:
  void take(Diagnostics diagnostics) {
    out_.diagnostics.insert(out_.diagnostics.end(), std::make_move_iterator(diagnostics.begin()),
                            std::make_move_iterator(diagnostics.end()));
  }
  Outcome error() {
    out_.verdict = Verdict::Error;
    return std::move(out_);
  }
  Outcome finished() {
    if (!out_.failures.empty()) out_.verdict = Verdict::Failed;
    std::sort(out_.failures.begin(), out_.failures.end(), [](const Failure& a, const Failure& b) {
      const auto key = [](const Failure& f) {
        return std::tie(f.place.file, f.place.range.begin.line, f.place.range.begin.column, f.place.field, f.expected);
      };
      return key(a) < key(b);
    });
    return std::move(out_);
  }

  void ask_admission(const std::vector<SourceText>& sources) {
    const std::vector<Admitted> objects = admit(sources);
    bool asked = false;
    for (const auto* list : {&scenario_.expect, &options_.more}) {
      for (const Expectation& expectation : *list) {
        if (!expectation.admission) continue;
        asked = true;
        for (Mismatch& mismatch : mismatches(*expectation.admission, objects)) {
          Failure failure;
          failure.place = expectation.place;
          failure.when = "at admission";
          failure.expected = std::move(mismatch.expected);
          failure.seen = std::move(mismatch.seen);
          out_.failures.push_back(std::move(failure));
        }
      }
    }
    if (asked) return;
    for (const Admitted& object : objects)
      if (!object.review.allowed)
        out_.diagnostics.push_back({Severity::Warning, "AdmissionDenied", object.file, object.range, "",
                                    compose("a cluster would refuse {}: {}", object.name, object.review.message),
                                    "expect `admission` to say that this is meant"});
  }

  /// Expectations of a suite's case were read without knowing how many events there are.
  bool check_events() {
    const auto count = static_cast<std::int64_t>(scenario_.events.size());
    for (const Expectation& expectation : options_.more) {
      const std::int64_t event = std::max(expectation.event, expectation.since.value_or(0));
      if (event <= count) continue;
      const Place& place = expectation.place;
      out_.diagnostics.push_back(
          {Severity::Error, std::string(kInvalidScenario), place.file, place.range, place.field,
           compose("there is no event {}, there {}", event, count == 1 ? "is 1" : compose("are {}", count)), ""});
    }
    return !has_errors(out_.diagnostics);
  }

  [[nodiscard]] std::string when_text(const Expectation& expectation) const {
    switch (expectation.when) {
      case When::End: return "at the end";
      case When::After: return after_text(expectation.event);
      case When::At:
        return "at " + (expectation.time_is_absolute ? to_rfc3339(expectation.time)
                                                     : "+" + to_string(expectation.time - Time{}));
      case When::Never:
      case When::Always:
      case When::Eventually: {
        std::string text(to_string(expectation.when));
        if (expectation.since) text += compose(" since event {}", *expectation.since);
        return text;
      }
    }
    return "";
  }
  [[nodiscard]] std::string after_text(std::int64_t event) const {
    if (event == 0) return "after the objects were created";
    return compose("after event {} ({})", event, to_line(scenario_.events[static_cast<std::size_t>(event) - 1].event));
  }
  [[nodiscard]] Time time_of(const Expectation& expectation) const {
    return expectation.time_is_absolute ? expectation.time : scenario_.start + (expectation.time - Time{});
  }

  Failure failure(const Expectation& expectation, const Place& place, Mismatch mismatch, bool this_step) const {
    Failure failure;
    failure.place = place;
    failure.when = when_text(expectation);
    failure.expected = std::move(mismatch.expected);
    failure.seen = std::move(mismatch.seen);
    const Deciding& step = this_step || deciding_.index == 0 ? last_ : deciding_;
    failure.step = step.index;
    failure.elapsed = step.elapsed;
    failure.explanation = step.text;
    return failure;
  }

  /// Everything of an expectation that does not hold now.
  std::vector<Failure> judge(const Open& open, const Scope& scope, bool at_end, bool this_step) const {
    std::vector<Failure> failures;
    const std::vector<Check>& checks = open.expectation->checks;
    for (std::size_t i = 0; i < checks.size(); ++i) {
      auto mismatch =
          is_about_steps(checks[i].wanted) ? scope.mismatch(i, *world_, at_end) : state_mismatch(checks[i], *world_);
      if (mismatch) failures.push_back(failure(*open.expectation, checks[i].place, std::move(*mismatch), this_step));
    }
    return failures;
  }

  void fail(std::vector<Failure> failures) {
    out_.failures.insert(out_.failures.end(), std::make_move_iterator(failures.begin()),
                         std::make_move_iterator(failures.end()));
  }

  /// What holds of every single step, or of one at least.
  void on_step_of_trace(Open& open, const Frame& frame) {
    const Expectation& expectation = *open.expectation;
    if (open.done || event_ < expectation.since.value_or(0)) return;
    Scope scope(expectation.checks);
    scope.add(frame, *world_);
    std::vector<Failure> failures = judge(open, scope, false, true);
    const bool holds = failures.empty();
    if (expectation.when == When::Eventually) {
      open.done = holds;
    } else if (expectation.when == When::Never && holds) {
      Mismatch mismatch;
      for (const Check& check : expectation.checks)
        mismatch.expected += (mismatch.expected.empty() ? "never " : " with ") + text_of(check);
      mismatch.seen = compose("so it is in step {}", frame.index);
      out_.failures.push_back(failure(expectation, expectation.place, std::move(mismatch), true));
      open.done = true;
    } else if (expectation.when == When::Always && !holds) {
      fail(std::move(failures));
      open.done = true;
    }
  }

  void before_step_at(Time time) {
    for (Open& open : open_) {
      if (open.expectation->when != When::At || open.done || time <= time_of(*open.expectation)) continue;
      fail(std::move(open.pending));
      open.done = true;
    }
  }

  bool on_step(const Frame& frame) {
    ++out_.steps;
    before_step_at(frame.time);
    last_ = {frame.index, frame.elapsed, plain_text(world_->explain(Explain::Fails))};
    if (frame.changed || deciding_.index == 0) deciding_ = last_;
    out_.coverage.add(frame, *world_);
    if (options_.on_step) options_.on_step(*world_);
    for (Open& open : open_) {
      switch (open.expectation->when) {
        case When::End: open.scope.add(frame, *world_); break;
        case When::After:
          if (in_event_ && open.expectation->event == event_) open.scope.add(frame, *world_);
          break;
        case When::At:
          if (open.done) break;
          if (frame.time == time_of(*open.expectation)) open.scope.add(frame, *world_);
          open.pending = judge(open, open.scope, false, false);
          break;
        case When::Never:
        case When::Always:
        case When::Eventually: on_step_of_trace(open, frame); break;
      }
    }
    if (out_.steps < kStepsMax) return true;
    out_.diagnostics.push_back({Severity::Error, "LimitExceeded", scenario_.place.file, scenario_.place.range, "",
                                compose("the run has more than {} steps", kStepsMax), ""});
    out_.verdict = Verdict::Error;
    return false;
  }

  /// Refusals that nobody expects end the run.
  bool was_refused(const std::string& refused, const Place& place, std::string expected) {
    if (refused.empty()) return false;
    const bool is_expected = std::any_of(open_.begin(), open_.end(), [&](const Open& open) {
      if (open.expectation->when != When::After || open.expectation->event != event_ || !in_event_) return false;
      return std::any_of(open.expectation->checks.begin(), open.expectation->checks.end(),
                         [](const Check& check) { return std::holds_alternative<RefusedWanted>(check.wanted); });
    });
    if (is_expected) return false;
    Failure failure;
    failure.place = place;
    failure.when = after_text(event_);
    failure.expected = std::move(expected);
    failure.seen = "refused: " + refused;
    failure.step = last_.index;
    failure.elapsed = last_.elapsed;
    out_.failures.push_back(std::move(failure));
    return true;
  }

  /// Lets happen what happens by itself while `more()`; false if the run is over.
  template <class More>
  bool run_while(More more) {
    for (std::int64_t steps = 0; more(); ++steps) {
      std::string refused;
      const bool went_on = world_->next([&](const Frame& frame) {
        refused = frame.refused;
        return on_step(frame);
      });
      if (out_.verdict == Verdict::Error) return false;
      if (!went_on) return true;
      if (steps == SimulationOptions{}.steps_max) refused = "it may go on like this for ever";
      if (was_refused(refused, scenario_.place, "the cluster comes to rest")) return false;
    }
    return true;
  }
  bool calm_down() {
    return run_while([this] { return world_->is_busy(); });
  }

  void judge_event() {
    for (Open& open : open_)
      if (open.expectation->when == When::After && open.expectation->event == event_)
        fail(judge(open, open.scope, false, false));
  }

  bool play_event(const ScenarioEvent& event) {
    if (scenario_.pace == Pace::Calm && waits_for_calm(event.event) && !calm_down()) return false;
    ++event_;
    in_event_ = true;
    std::string refused;
    world_->apply(event.event, [&](const Frame& frame) {
      if (refused.empty()) refused = frame.refused;
      return on_step(frame);
    });
    if (out_.verdict == Verdict::Error) return false;
    if (was_refused(refused, event.place, "event " + std::to_string(event_) + " can happen")) return false;
    judge_event();
    in_event_ = false;
    return true;
  }

  void play() {
    in_event_ = true;
    world_->start([this](const Frame& frame) {
      out_.coverage.add_rules(*world_);
      return on_step(frame);
    });
    judge_event();
    in_event_ = false;
    for (const ScenarioEvent& event : scenario_.events)
      if (!play_event(event)) return;
    if (scenario_.pace == Pace::Calm) {
      const bool is_over = scenario_.automation == Automation::Auto ? !run_while([] { return true; }) : !calm_down();
      if (is_over) return;
    }
    judge_end();
  }

  void judge_end() {
    for (Open& open : open_) {
      if (open.done) continue;
      const Expectation& expectation = *open.expectation;
      switch (expectation.when) {
        case When::End: fail(judge(open, open.scope, true, false)); break;
        case When::At:
          if (world_->now() >= time_of(expectation)) {
            fail(std::move(open.pending));
          } else {
            out_.failures.push_back(failure(
                expectation, expectation.place,
                {"the clock comes to this time", "the run ends at +" + to_string(world_->now() - scenario_.start)},
                true));
          }
          break;
        case When::Eventually: {
          Mismatch mismatch;
          for (const Check& check : expectation.checks)
            mismatch.expected += (mismatch.expected.empty() ? "" : " with ") + text_of(check);
          mismatch.seen = "in no step; the last is shown";
          out_.failures.push_back(failure(expectation, expectation.place, std::move(mismatch), true));
          break;
        }
        case When::After:
        case When::Never:
        case When::Always: break;
      }
    }
  }

  struct Deciding {
    std::int64_t index = 0;
    Duration elapsed;
    std::string text;
  };

  const Scenario& scenario_;
  const RunOptions& options_;
  Outcome out_;
  std::list<Open> open_;
  std::shared_ptr<World> world_;
  std::int64_t event_ = 0;
  bool in_event_ = false;
  Deciding last_;
  Deciding deciding_;  ///< the last step that changed a job
};

}  // namespace

std::string_view to_string(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::Passed: return "passed";
    case Verdict::Failed: return "failed";
    case Verdict::Error: return "error";
  }
  return "";
}

Outcome run(const Scenario& scenario, const RunOptions& options) { return Runner(scenario, options).run(); }

Json to_json(const Outcome& outcome) {
  Json failures = Json::array();
  for (const Failure& failure : outcome.failures) {
    Json json = object_of({{"when", failure.when},
                           {"expected", failure.expected},
                           {"seen", failure.seen},
                           {"step", failure.step},
                           {"elapsed", to_string(failure.elapsed)},
                           {"explanation", failure.explanation}});
    if (!failure.place.file.empty()) json["file"] = failure.place.file;
    if (!failure.place.field.empty()) json["field"] = failure.place.field;
    if (failure.place.range.begin.known()) {
      json["line"] = failure.place.range.begin.line;
      json["column"] = failure.place.range.begin.column;
    }
    failures.push_back(std::move(json));
  }
  return object_of({{"verdict", std::string(to_string(outcome.verdict))},
                    {"steps", outcome.steps},
                    {"checks", outcome.checks},
                    {"elapsed", to_string(outcome.elapsed)},
                    {"failures", std::move(failures)},
                    {"diagnostics", to_json(outcome.diagnostics)}});
}

}  // namespace pumice::scenario
