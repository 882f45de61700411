#include "load_kube_jobs.h"

#include <algorithm>
#include <utility>

#include "pumice/admission/review.h"
#include "pumice/kubejob/defaults.h"
#include "pumice/kubejob/names.h"
#include "pumice/kubejob/reader.h"
#include "pumice/kubeworld/kubelet.h"

namespace pumice::simulation {

bool is_kube_job(const ObjectHeader& header) noexcept {
  return header.api_version == kubejob::kApiVersion && header.kind == kubejob::kKind;
}

namespace {

/// What an API server would say of it, but for what the reader has said already.
void review(const YamlNode& root, const std::string& file, Diagnostics& diagnostics) {
  Json object = to_json(root);
  if (!object.is_object()) return;
  // A Job that is created begins without status, and whoever exported it had it named by a server.
  object.erase("status");
  admission::Options options;
  options.lint = false;
  admission::Review review = admission::review(admission::Kind::Job, object, nullptr, options);
  std::erase_if(review.diagnostics, [](const Diagnostic& one) { return one.severity != Severity::Error; });
  for (Diagnostic& finding : review.diagnostics)
    if (finding.hint.empty()) finding.hint = "the API server refuses the Job";
  admission::locate(review.diagnostics, root, file);
  diagnostics.insert(diagnostics.end(), std::make_move_iterator(review.diagnostics.begin()),
                     std::make_move_iterator(review.diagnostics.end()));
}

/// What was made by an API server before, and would be made again.
void drop_generated(kubejob::Job& job) {
  kubejob::JobSpec spec = *job.spec;
  if (spec.manual_selector.value_or(false)) return;
  spec.selector.reset();
  if (spec.pod_template.is_object() && spec.pod_template.contains("metadata")) {
    Json& metadata = spec.pod_template["metadata"];
    if (metadata.is_object() && metadata.contains("labels") && metadata["labels"].is_object()) {
      for (const char* prefix : {"", "batch.kubernetes.io/"})
        for (const char* name : {"controller-uid", "job-name"}) metadata["labels"].erase(std::string(prefix) + name);
    }
  }
  job.spec = std::make_shared<const kubejob::JobSpec>(std::move(spec));
}

}  // namespace

std::optional<kubejob::Job> load_kube_job(const YamlNode& root, const std::string& file,
                                          const SimulationOptions& options, std::int64_t& pods,
                                          Diagnostics& diagnostics) {
  auto read = kubejob::read_job(root, file);
  diagnostics.insert(diagnostics.end(), read.diagnostics.begin(), read.diagnostics.end());
  if (!read.ok()) return std::nullopt;
  const std::size_t before = diagnostics.size();
  const YamlNode* metadata = root.find("metadata");
  const bool exported = metadata != nullptr && metadata->find("uid") != nullptr;
  if (!exported) review(root, file, diagnostics);
  kubejob::Job job = *std::move(read.value);
  if (const YamlNode* status = root.find("status"); status != nullptr && status->is_map() && !status->children.empty())
    diagnostics.push_back({Severity::Note, "Dropped", file, status->key_range, "status",
                           "a Job that is created begins without status, so this is not used", ""});
  drop_generated(job);
  job.finalizers.clear();
  job.meta.deletion.reset();
  job.meta.uid.clear();

  // The pods that run at the same time, and one failed generation of them.
  kubejob::Job filled = job;
  kubejob::set_defaults(filled);
  const std::int64_t parallelism = filled.spec->parallelism.value_or(1);
  const std::int64_t completions = filled.spec->completions.value_or(1);
  pods += std::max(parallelism, completions);
  if (pods > options.pods_max)
    diagnostics.push_back(
        {Severity::Error, "LimitExceeded", file, range_of(root, "spec"), "spec",
         std::to_string(pods) + " pods are more than the " + std::to_string(options.pods_max) + " that are simulated",
         ""});
  const Json& pod = member_of(filled.spec->pod_template, "spec");
  StringMap annotations;
  const Json& written = member_of(member_of(filled.spec->pod_template, "metadata"), "annotations");
  if (written.is_object())
    for (const auto& [key, value] : written.items())
      if (value.is_string()) annotations.emplace(key, value.get<std::string>());
  Diagnostics problems;
  (void)kubeworld::plan_of(pod, annotations, &problems);
  for (Diagnostic& problem : problems) {
    problem.field = "spec.template.metadata.annotations[\"" + problem.field + "\"]";
    problem.file = file;
    problem.range = range_of(root, problem.field);
    diagnostics.push_back(std::move(problem));
  }
  const bool usable = std::none_of(diagnostics.begin() + static_cast<std::ptrdiff_t>(before), diagnostics.end(),
                                   [](const Diagnostic& one) { return one.severity == Severity::Error; });
  return usable ? std::optional(std::move(job)) : std::nullopt;
}

kubeworld::WorldConfig kube_config(const SimulationOptions& options) {
  kubeworld::WorldConfig config;
  config.quirks = options.kube_quirks;
  config.trace = options.controller.trace;
  config.pace.kubelet = options.automation != Automation::Manual;
  config.pace.finish = options.automation == Automation::Auto;
  config.pace.timings.start = options.timings.start;
  config.pace.timings.stop = options.timings.remove;
  config.pace.timings.collect = options.timings.remove;
  config.pace.timings.run = options.timings.run;
  return config;
}

}  // namespace pumice::simulation
