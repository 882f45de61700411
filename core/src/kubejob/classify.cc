#include "pumice/kubejob/classify.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

#include "pumice/kubejob/names.h"

namespace pumice::kubejob {
namespace {

/// A whole number in an annotation, as Go's `strconv.Atoi` reads it; -1 if it is missing, none, or negative.
std::int64_t number_in(const StringMap& annotations, std::string_view name) noexcept {
  const auto found = std::find_if(annotations.begin(), annotations.end(),
                                  [name](const auto& annotation) { return annotation.first == name; });
  if (found == annotations.end()) return -1;
  const char* begin = found->second.data();
  const char* const end = begin + found->second.size();
  if (begin != end && *begin == '+') {
    ++begin;
    if (begin != end && *begin == '-') return -1;
  }
  std::int64_t value = -1;
  const auto [rest, error] = std::from_chars(begin, end, value);
  return error == std::errc{} && rest == end ? value : -1;
}

std::int32_t count_in(const StringMap& annotations, std::string_view name) noexcept {
  const std::int64_t value = number_in(annotations, name);
  return value < 0 || value > std::numeric_limits<std::int32_t>::max() ? 0 : static_cast<std::int32_t>(value);
}

/// Spec 11, finish time 1: a container that runs on takes away what others gave.
void latest_finish(std::optional<Time>& latest, const ContainerStatus& container, bool& complete) noexcept {
  if (!container.terminated || !container.finished) {
    latest.reset();
    complete = false;
  } else if (!latest || *latest < *container.finished) {
    latest = container.finished;
  }
}

std::optional<Time> container_finish(const Pod& pod, bool sidecars) noexcept {
  std::optional<Time> latest;
  for (const ContainerStatus& container : pod.containers) {
    bool complete = true;
    latest_finish(latest, container, complete);
    if (!complete) break;
  }
  if (!sidecars) return latest;
  for (const ContainerStatus& container : pod.init_containers) {
    if (std::find(pod.restartable_init.begin(), pod.restartable_init.end(), container.name) ==
        pod.restartable_init.end())
      continue;
    bool complete = true;
    latest_finish(latest, container, complete);
    if (!complete) break;
  }
  return latest;
}

}  // namespace

bool is_active(const Pod& pod) noexcept { return !is_ended(pod.phase) && !pod.meta.deletion; }
bool is_terminating(const Pod& pod) noexcept { return !is_ended(pod.phase) && pod.meta.deletion; }

bool is_ready(const Pod& pod) noexcept {
  const PodCondition* ready = pod.condition("Ready");
  return ready != nullptr && ready->status == "True";
}

bool only_replaces_failed(const JobSpec& spec, Quirks quirks) noexcept {
  if (spec.pod_failure_policy) return true;
  return !quirks.has(Quirk::NoReplacementPolicy) && spec.pod_replacement_policy == "Failed";
}

bool is_considered_failed(const Pod& pod, const JobSpec& spec, Quirks quirks) noexcept {
  if (pod.phase == PodPhase::Failed) return true;
  const bool waits =
      quirks.has(Quirk::DeletingIsFailed) ? spec.pod_failure_policy.has_value() : only_replaces_failed(spec, quirks);
  return !waits && pod.meta.deletion && pod.phase != PodPhase::Succeeded;
}

bool has_per_index_limit(const JobSpec& spec, Quirks quirks) noexcept {
  return spec.backoff_limit_per_index.has_value() && !quirks.has(Quirk::NoPerIndexLimits);
}

Duration active_deadline(const JobSpec& spec) noexcept {
  constexpr std::int64_t kMost = 9'000'000'000;
  return seconds(std::clamp(spec.active_deadline_seconds.value_or(0), -kMost, kMost));
}

std::int32_t completion_index(const Pod& pod) noexcept {
  const std::int64_t value = number_in(pod.meta.annotations, kCompletionIndex);
  // Beyond 32 bits no job has completions: such an index is as invalid as the greatest one.
  if (value < 0) return kUnknownIndex;
  return static_cast<std::int32_t>(std::min<std::int64_t>(value, std::numeric_limits<std::int32_t>::max()));
}

bool is_valid_index(std::int32_t index, const JobSpec& spec) noexcept {
  return index != kUnknownIndex && index < spec.completions.value_or(0);
}

std::int32_t failure_count(const Pod& pod) noexcept { return count_in(pod.meta.annotations, kFailureCount); }
std::int32_t ignored_failure_count(const Pod& pod) noexcept {
  return count_in(pod.meta.annotations, kIgnoredFailureCount);
}
std::int64_t total_failure_count(const Pod& pod) noexcept {
  return std::int64_t{failure_count(pod)} + ignored_failure_count(pod);
}

std::int64_t counted_restarts(const Pod& pod) noexcept {
  if (pod.phase != PodPhase::Running && pod.phase != PodPhase::Pending) return 0;
  std::int64_t sum = 0;
  for (const ContainerStatus& container : pod.init_containers) sum += container.restart_count;
  for (const ContainerStatus& container : pod.containers) sum += container.restart_count;
  return sum;
}

Time finish_time(const Pod& pod, Quirks quirks) noexcept {
  if (const auto finished = container_finish(pod, !quirks.has(Quirk::MainContainersFinishOnly))) return *finished;
  const PodCondition* ready = pod.condition("Ready");
  if (ready != nullptr && ready->status == "False" && ready->last_transition) return *ready->last_transition;
  if (pod.meta.deletion) {
    const std::int64_t grace = std::clamp<std::int64_t>(pod.deletion_grace_seconds.value_or(0), 0, 1'000'000'000);
    return *pod.meta.deletion + Duration{-grace * kSecond.ns};
  }
  return pod.meta.creation;
}

}  // namespace pumice::kubejob
