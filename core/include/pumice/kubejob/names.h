// Words and numbers of the Job controller's contract (spec/k8s-job.md 1, 10.5).
#pragma once

#include <cstdint>
#include <string_view>

#include "pumice/time.h"

namespace pumice::kubejob {

inline constexpr std::string_view kApiVersion = "batch/v1";
inline constexpr std::string_view kKind = "Job";
inline constexpr std::string_view kTrackingFinalizer = "batch.kubernetes.io/job-tracking";
inline constexpr std::string_view kCompletionIndex = "batch.kubernetes.io/job-completion-index";
inline constexpr std::string_view kFailureCount = "batch.kubernetes.io/job-index-failure-count";
inline constexpr std::string_view kIgnoredFailureCount = "batch.kubernetes.io/job-index-ignored-failure-count";
inline constexpr std::string_view kBuiltInController = "kubernetes.io/job-controller";
inline constexpr std::string_view kIndexVariable = "JOB_COMPLETION_INDEX";

inline constexpr Duration kBatchPeriod = seconds(1);
inline constexpr Duration kRetryBase = seconds(1);
inline constexpr Duration kRetryMax = seconds(60);
inline constexpr Duration kPodBackoffBase = seconds(10);
inline constexpr Duration kPodBackoffMax = seconds(600);
inline constexpr Duration kOldPodBackoffMax = seconds(360);
inline constexpr Duration kExpectationsTimeout = seconds(300);
inline constexpr std::int32_t kUncountedMax = 500;
inline constexpr std::int32_t kPodsPerSyncMax = 500;
inline constexpr std::int32_t kUnknownIndex = -1;
inline constexpr std::size_t kGeneratedNameBaseMax = 58;

}  // namespace pumice::kubejob
