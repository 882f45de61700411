#include "compose.h"
#include "simulation/words.h"

namespace pumice::simulation {

using namespace volcano;

std::string cancel_rule_text(const EventName& armed_by) {
  // Spec 6.3. A pod that succeeds, or that the controller itself removes, cancels nothing.
  if (armed_by.code == Event::PodPending) return "unless this very pod runs, fails or is evicted before";
  if (armed_by.code == Event::PodFailed || armed_by.code == Event::PodEvicted) {
    return "unless a pod of this name runs before";
  }
  return "and no event cancels it";
}

namespace {

/// `waits 10m0s, until +10m0s`; a negative timeout counts as one (spec 5), but is over already.
std::string wait_text(const TimerRecord& timer, const Scene& scene) {
  if (timer.delay.ns <= 0) return compose("is due at once (timeout {})", to_string(timer.delay));
  if (timer.due >= end_of_time(scene.start))
    return compose("waits {}, which lies behind {}", to_string(timer.delay), end_of_time_text(scene.start));
  return compose("waits {}, until {}", to_string(timer.delay), elapsed_text(timer.due, scene.start));
}

}  // namespace

std::string timer_clause(const TimerRecord& timer, const Scene& scene) {
  const std::string job = job_name_of(timer.job_key);
  const std::string of_pod = timer.pod_name.empty() ? "" : " of " + short_name(timer.pod_name, job);
  const std::string_view action_word = timer.action.text();
  const std::string action = action_word.empty() ? "the empty action" : std::string(action_word);
  const std::string due = elapsed_text(timer.due, scene.start);
  switch (timer.op) {
    case TimerOp::Started:
      return compose("{} {}", action, wait_text(timer, scene)) +
             (timer.delay.ns <= 0 ? "" : ", " + cancel_rule_text(timer.event));
    case TimerOp::Ignored:
      return compose("ignored: {} is already waiting for {} until {}, {} {}", action,
                     timer.pod_name.empty() ? "the job" : short_name(timer.pod_name, job), due,
                     timer.earlier_pod ? "armed by an earlier pod of this name and" : "armed by", timer.rule.path());
    case TimerOp::Replaced:
      return compose("{} {}, in the place of another action, whose timer {}", action, wait_text(timer, scene),
                     timer.stops_other ? "is stopped" : "runs on unseen and will fire too");
    case TimerOp::Cancelled:
      return compose("{} cancels the delayed {}{}, which was due at {}", timer.because_of.text(), action, of_pod, due);
    case TimerOp::Cleared:
      return compose("the delayed {}{}, due at {}, is cleared: an action of the same kind was carried out", action,
                     of_pod, due);
    case TimerOp::Expired:
      return compose("the delayed {}{} is due, armed by {}{} and {}", action, of_pod, timer.event.text(),
                     timer.earlier_pod ? " of an earlier pod of this name" : "", timer.rule.path());
  }
  return {};
}

}  // namespace pumice::simulation
