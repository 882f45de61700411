#include "pumice/jobflow/model.h"

#include <array>

namespace pumice::jobflow {
namespace {

constexpr std::array<std::string_view, 6> kPhases{"", "Pending", "Running", "Succeed", "Failed", "Terminating"};

}  // namespace

std::string_view to_string(Phase phase) noexcept {
  return phase == Phase::Other ? std::string_view() : kPhases[static_cast<std::size_t>(phase)];
}

Phase phase_from(std::string_view text) noexcept {
  for (std::size_t i = 0; i < kPhases.size(); ++i)
    if (kPhases[i] == text) return static_cast<Phase>(i);
  return Phase::Other;
}

std::string job_name(std::string_view flow, std::string_view step) {
  return std::string(flow) + "-" + std::string(step);
}

std::string mark(std::string_view ns, std::string_view name) { return std::string(ns) + "." + std::string(name); }

std::string_view mark_of(const Job& job, const char* name) noexcept {
  const auto label = job.meta.labels.find(name);
  return label == job.meta.labels.end() ? std::string_view() : std::string_view(label->second);
}

Job job_of(const JobFlow& flow, const Step& step, const JobTemplate& job_template) {
  Job job;
  job.meta.ns = flow.meta.ns;
  job.meta.name = job_name(flow.meta.name, step.name);
  job.meta.labels = {{kByTemplate, mark(flow.meta.ns, step.name)}, {kByFlow, mark(flow.meta.ns, flow.meta.name)}};
  job.meta.annotations = job.meta.labels;
  job.meta.owners.push_back({std::string(kApiVersion), "JobFlow", flow.meta.name, flow.meta.uid, true});
  job.spec = job_template.spec;
  return job;
}

Job patched_job_of(const JobFlow& flow, const Step& step, const JobTemplate& job_template) {
  Job job = job_of(flow, step, job_template);
  if (!step.patch.is_object()) return job;
  Json merged = to_json(*job_template.spec);
  merged.merge_patch(step.patch);
  const auto documents = parse_yaml(to_text(merged), {});
  if (!documents.ok() || documents.value->size() != 1) return job;
  FieldContext context;
  FieldReader reader(documents.value->front().root, context);
  JobSpec spec = read_job_spec(reader, ReadMode::Wire);
  if (!has_errors(context.diagnostics)) job.spec = std::make_shared<const JobSpec>(std::move(spec));
  return job;
}

}  // namespace pumice::jobflow
