// Pods from a Job's template (spec/k8s-job.md 7.4, 7.6).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/kubejob/failure_policy.h"
#include "pumice/kubejob/model.h"
#include "pumice/kubejob/profile.h"

namespace pumice::kubejob {

/// A template made ready once for all pods of a version of a job.
struct PodTemplate {
  StringMap labels;
  StringMap annotations;
  std::vector<std::string> finalizers;  ///< the tracking finalizer included
  std::shared_ptr<const Json> spec;
  std::string hostname;
  std::vector<std::string> restartable_init;
  bool restarts_on_failure = false;  ///< `restartPolicy: OnFailure`

  [[nodiscard]] static PodTemplate of(const JobSpec& spec, Quirks quirks);
};

/// `<job>-`, or just the name where that is no valid prefix.
[[nodiscard]] std::string generate_name(const std::string& job);
/// `<job>-<index>-`, the job's name cut so that it has at most 58 characters.
[[nodiscard]] std::string generate_name(const std::string& job, std::int32_t index);

/// A pod to create: without name, uid and resourceVersion. `index` is `kUnknownIndex` for NonIndexed jobs; `failed` is
/// the pod whose place it takes in a job with per-index limits, or null.
[[nodiscard]] PodPtr new_pod(const Job& job, const PodTemplate& pod_template, std::int32_t index, const Pod* failed,
                             Quirks quirks);

/// Both counts for the pod that follows `failed`: 0, 0 if that is null.
struct FailureCounts {
  std::int32_t counted = 0;
  std::int32_t ignored = 0;
};
[[nodiscard]] FailureCounts next_failure_counts(const JobSpec& spec, const Pod* failed);

}  // namespace pumice::kubejob
