#include "pumice/jobflow/sync.h"

#include <array>

#include "compose.h"

namespace pumice::jobflow {
namespace {

constexpr std::array<std::string_view, 5> kEffects{"CreateJob", "DeleteJob", "WriteFlowStatus", "WriteTemplateStatus",
                                                   "EmitEvent"};
constexpr std::array<std::string_view, 7> kStates{"exists",  "created",    "createdFirst", "waits",
                                                  "blocked", "notReached", "ended"};
constexpr std::array<std::string_view, 5> kVerdicts{"synced", "jobsDeleted", "nothingToDo", "noFlow", "failed"};

/// What Kubernetes says where the server gave no words.
std::string error_text(const Reply& reply, std::string_view resource, std::string_view name) {
  if (!reply.message.empty()) return reply.message;
  const std::string object = compose("{} \"{}\"", resource, name);
  switch (reply.code) {
    case ResultCode::Ok: return {};
    case ResultCode::NotFound: return object + " not found";
    case ResultCode::AlreadyExists: return object + " already exists";
    case ResultCode::Conflict:
      return compose(
          "Operation cannot be fulfilled on {}: the object has been modified; please apply your changes to "
          "the latest version and try again",
          object);
    case ResultCode::Forbidden: return object + " is forbidden";
    case ResultCode::Timeout: return "the request timed out";
    case ResultCode::Other: break;
  }
  return "the request failed";
}

constexpr std::string_view kJobs = "jobs.batch.volcano.sh";
constexpr std::string_view kFlows = "jobflows.flow.volcano.sh";
constexpr std::string_view kTemplates = "jobtemplates.flow.volcano.sh";

/// What the selector library says of a value that is no label value; upstream's wording of a release, so derived.
std::string selector_error(const char* label, const std::string& value) {
  if (value.size() <= kLabelValueMax) return {};
  return compose("values[0][{}]: Invalid value: \"{}\": must be no more than {} bytes", label, value, kLabelValueMax);
}

class FlowRound {
 public:
  FlowRound(const FlowInput& input, Server& server, FlowOutput& output)
      : input_(input), flow_(*input.flow), server_(server), output_(output) {}

  void run() {
    const Phase phase = phase_from(flow_.status.phase);
    if (phase == Phase::Other) {
      // The error of an unknown phase is not wrapped as the others are; Go prints the struct with braces.
      fail(compose("jobflow {} state {} is invalid", flow_.meta.name, "{" + flow_.status.phase + "}"));
      return;
    }
    output_.decision.phase = phase;
    if (phase == Phase::Failed || phase == Phase::Terminating) return;
    if (phase == Phase::Succeed && flow_.spec->deletes_jobs()) {
      if (delete_jobs()) output_.verdict = Verdict::JobsDeleted;
      return;
    }
    if (!deploy()) return;
    write_status(phase);
  }

 private:
  /// Null: the round stops here, as the answer is not there.
  const Reply* ask(Effect effect) {
    output_.effects.push_back(std::move(effect));
    const Reply* reply = server_.answer(output_.effects.back());
    output_.waiting = reply == nullptr;
    return reply;
  }
  bool fail(std::string error) {
    output_.verdict = Verdict::Failed;
    output_.error = std::move(error);
    return false;
  }

  /// One after the other; the first failure ends it, also of a job that is gone already.
  bool delete_jobs() {
    const std::string value = mark(flow_.meta.ns, flow_.meta.name);
    if (std::string error = selector_error(kByFlow, value); !error.empty()) return fail(std::move(error));
    for (const JobPtr& job : jobs_marked(*input_.jobs, flow_.meta.ns, kByFlow, value)) {
      const Reply* reply = ask(DeleteJob{job->meta.ns, job->meta.name});
      if (reply == nullptr) return false;
      if (reply->code != ResultCode::Ok) return fail(error_text(*reply, kJobs, job->meta.name));
      output_.deleted.push_back(job->meta.name);
    }
    return true;
  }

  [[nodiscard]] JobPtr cached_job(const std::string& step) const {
    const auto job = input_.jobs->find(flow_.meta.ns + "/" + job_name(flow_.meta.name, step));
    return job == input_.jobs->end() ? nullptr : job->second;
  }
  [[nodiscard]] bool is_own(const Job& job) const {
    for (const OwnerReference& owner : job.meta.owners)
      if (owner.controller) return owner.uid == flow_.meta.uid;
    return false;
  }

  bool deploy() {
    for (const Step& step : flow_.spec->steps) output_.steps.push_back({step.name});
    for (std::size_t i = 0; i < output_.steps.size(); ++i)
      if (!deploy(flow_.spec->steps[i], output_.steps[i])) return false;
    return true;
  }

  bool deploy(const Step& step, StepLook& look) {
    if (const JobPtr job = cached_job(step.name)) {
      look.state = StepState::Exists;
      look.foreign = !is_own(*job);
      if (!look.foreign || input_.quirks.has(Quirk::ForeignJobCounts)) return true;
      look.state = StepState::Blocked;
      return fail(compose("job {} is not controlled by jobflow {}", job->meta.name, flow_.meta.name));
    }
    if (flow_.status.phase == to_string(Phase::Succeed) && !input_.quirks.has(Quirk::RecreatedAfterSuccess)) {
      look.state = StepState::Ended;
      return true;
    }
    if (!is_ready(step, look)) return true;
    look.state = StepState::Blocked;
    const auto found = input_.templates->find(flow_.meta.ns + "/" + step.name);
    if (found == input_.templates->end())
      return fail(compose("jobtemplate.flow.volcano.sh \"{}\" not found", step.name));
    Job job = input_.quirks.has(Quirk::PatchIgnored) ? job_of(flow_, step, *found->second)
                                                     : patched_job_of(flow_, step, *found->second);
    const std::string name = job.meta.name;
    const Reply* reply = ask(CreateJob{std::make_shared<const Job>(std::move(job))});
    if (reply == nullptr) return false;
    if (reply->code == ResultCode::AlreadyExists) {
      look.state = StepState::CreatedFirst;
      return true;
    }
    if (reply->code != ResultCode::Ok) return fail(error_text(*reply, kJobs, name));
    look.state = StepState::Created;
    output_.effects.emplace_back(EmitEvent{false, "Created", compose("create a job named {}!", name)});
    return true;
  }

  /// True if every target's job is Completed; else the first that is not is noted.
  bool is_ready(const Step& step, StepLook& look) const {
    if (!step.targets) return true;
    for (const std::string& target : *step.targets) {
      const JobPtr job = cached_job(target);
      if (job && job->status.phase.code == volcano::JobPhase::Completed) continue;
      look.state = StepState::Waits;
      look.target = target;
      look.target_exists = job != nullptr;
      if (job) look.target_phase = job->status.phase.text();
      return false;
    }
    return true;
  }

  void write_status(Phase phase) {
    const std::string value = mark(flow_.meta.ns, flow_.meta.name);
    if (std::string error = selector_error(kByFlow, value); !error.empty()) {
      fail(std::move(error));
      return;
    }
    FlowStatus status = status_of(flow_.status, jobs_marked(*input_.jobs, flow_.meta.ns, kByFlow, value), input_.now);
    output_.decision = decide(phase, status, *flow_.spec, input_.quirks);
    status.phase = to_string(output_.decision.phase);
    output_.after = status;
    const Reply* reply =
        ask(WriteFlowStatus{flow_.meta.ns, flow_.meta.name, std::move(status), flow_.meta.resource_version});
    if (reply == nullptr) return;
    if (reply->code != ResultCode::Ok) {
      fail(error_text(*reply, kFlows, flow_.meta.name));
      return;
    }
    output_.verdict = Verdict::Synced;
  }

  const FlowInput& input_;
  const JobFlow& flow_;
  Server& server_;
  FlowOutput& output_;
};

}  // namespace

std::string_view effect_name(const Effect& effect) noexcept { return kEffects[effect.index()]; }
std::string_view to_string(StepState state) noexcept { return kStates[static_cast<std::size_t>(state)]; }
std::string_view to_string(Verdict verdict) noexcept { return kVerdicts[static_cast<std::size_t>(verdict)]; }

void sync_flow(const FlowInput& input, Server& server, FlowOutput& output) {
  output = {};
  FlowRound(input, server, output).run();
}

void sync_template(const JobTemplate& made, const Jobs& jobs, Quirks quirks, Server& server, TemplateOutput& output) {
  output = {};
  const std::string value = mark(made.meta.ns, made.meta.name);
  output.error = selector_error(kByTemplate, value);
  if (!output.error.empty()) return;
  for (const JobPtr& job : jobs_marked(jobs, made.meta.ns, kByTemplate, value)) output.jobs.push_back(job->meta.name);
  if (output.jobs.empty() && (quirks.has(Quirk::OldListKept) || made.jobs.empty())) return;
  output.effects.emplace_back(
      WriteTemplateStatus{made.meta.ns, made.meta.name, output.jobs, made.meta.resource_version});
  const Reply* reply = server.answer(output.effects.back());
  output.waiting = reply == nullptr;
  if (output.waiting) return;
  output.written = reply->code == ResultCode::Ok;
  if (!output.written) output.error = error_text(*reply, kTemplates, made.meta.name);
}

}  // namespace pumice::jobflow
