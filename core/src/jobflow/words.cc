// Records of flows and templates in words.
#include "compose.h"
#include "list_text.h"
#include "pumice/jobflow/trace.h"

namespace pumice::jobflow {
namespace {

std::string name_of(const std::string& key, const Scene& scene) {
  return scene.with_namespace ? key : key.substr(key.find('/') + 1);
}

std::string phase_text(const std::string& phase) { return phase.empty() ? "new" : phase; }

std::string job_of_step(const FlowRecord& record, const std::string& step) {
  return job_name(record.key.substr(record.key.find('/') + 1), step);
}

std::string jobs_text(const std::vector<std::string>& names, std::string_view verb) {
  constexpr std::size_t kShown = 8;
  if (names.size() > kShown)
    return count_of(static_cast<std::int64_t>(names.size()), "job") + " are " + std::string(verb);
  return compose("{} {} {} {}", names.size() == 1 ? "job" : "jobs", list_text(names, "and"),
                 names.size() == 1 ? "is" : "are", verb);
}

std::string why(const FlowRecord& record) {
  const Decision& decision = record.decision;
  switch (decision.reason) {
    case PhaseReason::None: return {};
    case PhaseReason::JobRuns: return compose("job {} runs or has completed and none has failed", decision.job);
    case PhaseReason::JobFailed: return compose("job {} is Failed", decision.job);
    case PhaseReason::JobTerminated: return compose("job {} is Terminated", decision.job);
    case PhaseReason::JobAborted: return compose("job {} is Aborted", decision.job);
    case PhaseReason::AllCompleted:
      return record.steps.size() == 1
                 ? "its one job is Completed"
                 : compose("all its {} are Completed", count_of(static_cast<std::int64_t>(record.steps.size()), "job"));
    case PhaseReason::NothingRuns: return "no job of it runs or has completed";
    case PhaseReason::Unfinished: return "fewer jobs are Completed than it has steps";
    case PhaseReason::NoSteps: return "it has no steps";
  }
  return {};
}

std::string retry_text(std::int64_t attempt, const std::optional<Time>& retry_at, bool gave_up, std::string_view lost,
                       const Scene& scene) {
  if (retry_at)
    return compose("; attempt {} failed, the next is at +{}", attempt, pumice::to_string(*retry_at - scene.start));
  if (!gave_up) return {};
  return compose("; attempt {} was the last, so {}", attempt, lost);
}

struct Teller {
  const Scene& scene;

  std::string operator()(const ObserveRecord& record) const {
    constexpr std::string_view kObjects[] = {"JobFlow", "JobTemplate", "job"};
    const std::string_view for_whom = record.of_template ? "JobTemplate" : "JobFlow";
    std::string text = compose("{} {} {}: ", kObjects[static_cast<std::size_t>(record.object)],
                               name_of(record.key, scene), volcano::to_string(record.change));
    switch (record.outcome) {
      case ObserveOutcome::Queued: return text + compose("{} {} is queued", for_whom, name_of(record.queued, scene));
      case ObserveOutcome::Merged:
        return text + compose("{} {} is in the queue already", for_whom, name_of(record.queued, scene));
      case ObserveOutcome::NotSucceeded:
        return text + "edits of a JobFlow that has not just succeeded with policy delete are ignored";
      case ObserveOutcome::NothingChanged: return text + "nothing has changed, so it is dropped";
      case ObserveOutcome::NoCallback: return text + "the JobFlow controller only takes note";
      case ObserveOutcome::DottedMark:
        return text + "its mark createdByJobTemplate does not have two parts, so no JobTemplate is queued";
    }
    return text;
  }

  std::string operator()(const FlowRecord& record) const {
    const std::string flow = "JobFlow " + name_of(record.key, scene);
    switch (record.verdict) {
      case Verdict::NoFlow: return flow + " is gone: nothing to do";
      case Verdict::NothingToDo: return compose("{} is {}: nothing is done about it any more", flow, record.before);
      case Verdict::JobsDeleted:
        if (record.deleted.empty()) return flow + " has succeeded: its policy is delete, and no job is left";
        return compose("{} has succeeded and its policy is delete: {}", flow, jobs_text(record.deleted, "deleted"));
      case Verdict::Failed:
        return compose("{}: {}", flow, record.error) + deeds(record) +
               retry_text(record.attempt, record.retry_at, record.gave_up,
                          "it is forgotten until one of its jobs changes", scene);
      case Verdict::Synced: break;
    }
    const std::string reason = why(record);
    const std::string because = reason.empty() ? "" : ", as " + reason;
    if (record.before != record.after)
      return compose("{} goes from {} to {}", flow, phase_text(record.before), record.after) + because + deeds(record);
    return compose("{} stays {}", flow, phase_text(record.after)) + because + deeds(record);
  }

  std::string operator()(const TemplateRecord& record) const {
    const std::string made = "JobTemplate " + name_of(record.key, scene);
    if (record.missing) return made + " does not exist: nothing to do";
    if (!record.error.empty())
      return compose("{}: {}", made, record.error) +
             retry_text(record.attempt, record.retry_at, record.gave_up, "it is forgotten", scene);
    if (!record.written) return made + ": no job is made from it, so nothing is written";
    return compose("{}: its status lists {}", made, record.jobs.empty() ? "no job" : list_text(record.jobs, "and"));
  }

  static std::string deeds(const FlowRecord& record) {
    std::vector<std::string> created;
    for (const StepLook& look : record.steps)
      if (look.state == StepState::Created) created.push_back(job_of_step(record, look.step));
    std::string text = created.empty() ? "" : "; " + jobs_text(created, "created");
    if (!record.deleted.empty()) text += "; " + jobs_text(record.deleted, "deleted");
    return text;
  }
};

struct News {
  bool operator()(const ObserveRecord&) const { return false; }
  bool operator()(const FlowRecord& record) const {
    if (!record.error.empty() || record.before != record.after || !record.deleted.empty()) return true;
    for (const StepLook& look : record.steps)
      if (look.state == StepState::Created) return true;
    return false;
  }
  bool operator()(const TemplateRecord& record) const { return !record.error.empty(); }
};

}  // namespace

std::string_view to_string(ObserveOutcome outcome) noexcept {
  switch (outcome) {
    case ObserveOutcome::Queued: return "Queued";
    case ObserveOutcome::Merged: return "Merged";
    case ObserveOutcome::NotSucceeded: return "NotSucceeded";
    case ObserveOutcome::NothingChanged: return "NothingChanged";
    case ObserveOutcome::NoCallback: return "NoCallback";
    case ObserveOutcome::DottedMark: return "DottedMark";
  }
  return "";
}

std::string clause(const Record& record, const Scene& scene) { return std::visit(Teller{scene}, record); }

bool is_news(const Record& record) { return std::visit(News{}, record); }

std::vector<std::string> step_lines(const FlowRecord& record) {
  std::vector<std::string> lines;
  for (const StepLook& look : record.steps) {
    std::string text = "step " + look.step + ": ";
    switch (look.state) {
      case StepState::Exists:
        text += compose("job {} exists", job_of_step(record, look.step));
        if (look.foreign) text += ", and counts although the flow does not control it";
        break;
      case StepState::Created: text += compose("job {} is created", job_of_step(record, look.step)); break;
      case StepState::CreatedFirst:
        text += compose("job {} was created by somebody else meanwhile", job_of_step(record, look.step));
        break;
      case StepState::Waits:
        text += compose("waits for {}, ", look.target);
        text += !look.target_exists ? "whose job does not exist"
                                    : compose("whose job is {} and not Completed", phase_text(look.target_phase));
        break;
      case StepState::Blocked: text += compose("fails: {}", record.error); break;
      case StepState::NotReached: text += "not looked at, as the round ended before"; break;
      case StepState::Ended: text += "not created, as the flow has succeeded"; break;
    }
    lines.push_back(std::move(text));
  }
  return lines;
}

}  // namespace pumice::jobflow
