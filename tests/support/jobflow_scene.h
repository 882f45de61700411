// JobFlows, templates and jobs in a few words, for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pumice/jobflow/store.h"

namespace pumice::test {

inline constexpr Time kFlowTime{1'772'442'000'000'000'000};

/// `{"b", {"a"}}`: step b, which depends on a. Without a second member it has no `dependsOn`.
struct StepWords {
  std::string name;
  std::optional<std::vector<std::string>> targets{};
};

inline jobflow::JobFlow flow_of(const std::string& name, std::vector<StepWords> steps, const std::string& phase = "",
                                const std::string& policy = "") {
  jobflow::JobFlow flow;
  flow.meta.ns = "default";
  flow.meta.name = name;
  flow.meta.uid = "uid-" + name;
  flow.meta.resource_version = 1;
  jobflow::FlowSpec spec;
  for (StepWords& step : steps) spec.steps.push_back({step.name, std::move(step.targets), {}, {}});
  spec.retain_policy = policy;
  flow.spec = std::make_shared<const jobflow::FlowSpec>(std::move(spec));
  flow.status.phase = phase;
  return flow;
}

inline jobflow::JobTemplate template_of(const std::string& name) {
  jobflow::JobTemplate made;
  made.meta.ns = "default";
  made.meta.name = name;
  made.meta.resource_version = 1;
  JobSpec spec;
  spec.queue = "default";
  spec.tasks.push_back({});
  spec.tasks.front().name = "w";
  spec.tasks.front().replicas = 1;
  made.spec = std::make_shared<const JobSpec>(std::move(spec));
  return made;
}

/// The job of a step as the controller makes it, in a phase.
inline jobflow::JobPtr job_of_step(const jobflow::JobFlow& flow, const std::string& step, const std::string& phase,
                                   std::uint64_t version = 1) {
  Job job = jobflow::job_of(flow, {step, {}, {}, {}}, template_of(step));
  job.meta.uid = "uid-" + job.meta.name;
  job.meta.resource_version = version;
  job.meta.creation = kFlowTime;
  job.status.phase = volcano::PhaseName(std::string_view(phase));
  return std::make_shared<const Job>(std::move(job));
}

/// Caches, and a server that takes everything unless told otherwise.
class FlowScene final : public jobflow::Server {
 public:
  const jobflow::Reply* answer(const jobflow::Effect& effect) override {
    const std::string name(jobflow::effect_name(effect));
    asked.push_back(name);
    reply = name == failing ? failure : jobflow::Reply{};
    if (!silent) return &reply;
    return nullptr;
  }
  void put(const jobflow::JobPtr& job) { jobs[job->key()] = job; }
  void put(jobflow::JobTemplate made) {
    auto stored = std::make_shared<const jobflow::JobTemplate>(std::move(made));
    templates[stored->key()] = std::move(stored);
  }
  void put_templates(std::initializer_list<const char*> names) {
    for (const char* name : names) put(template_of(name));
  }
  jobflow::FlowOutput sync(const jobflow::JobFlow& flow) {
    jobflow::FlowOutput output;
    asked.clear();
    jobflow::sync_flow({now, quirks, &flow, &jobs, &templates}, *this, output);
    return output;
  }

  Time now = kFlowTime + seconds(10);
  jobflow::Quirks quirks = jobflow::Quirks::upstream();
  jobflow::Jobs jobs;
  jobflow::Templates templates;
  std::string failing;
  jobflow::Reply failure{jobflow::ResultCode::Other, "it broke"};
  bool silent = false;
  std::vector<std::string> asked;
  jobflow::Reply reply;
};

/// Names of the jobs that a round created.
inline std::vector<std::string> created(const jobflow::FlowOutput& output) {
  std::vector<std::string> names;
  for (const jobflow::Effect& effect : output.effects)
    if (const auto* create = std::get_if<jobflow::CreateJob>(&effect)) names.push_back(create->job->meta.name);
  return names;
}

}  // namespace pumice::test
