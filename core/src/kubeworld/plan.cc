// What a pod's template says about the life of its containers.
#include <algorithm>
#include <string>

#include "compose.h"
#include "pumice/kubeworld/kubelet.h"

namespace pumice::kubeworld {
namespace {

constexpr std::string_view kPrefix = "pumice.dev/";
constexpr std::string_view kRunFor = "run-for";
constexpr std::string_view kExitCode = "exit-code";
constexpr std::string_view kSigterm = "sigterm-exit-code";
/// Longer graces and deadlines are for ever.
constexpr std::int64_t kSecondsMax = 9'000'000'000;

std::string text_in(const Json& object, const char* name) {
  const Json& found = member_of(object, name);
  return found.is_string() ? found.get<std::string>() : std::string();
}

std::int64_t seconds_in(const Json& object, const char* name, std::int64_t otherwise) {
  const Json& found = member_of(object, name);
  if (!found.is_number_integer()) return otherwise;
  return std::clamp<std::int64_t>(found.get<std::int64_t>(), 0, kSecondsMax);
}

std::optional<std::int32_t> exit_code_from(std::string_view text) {
  if (text.empty() || text.size() > 3) return std::nullopt;
  std::int32_t code = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    code = code * 10 + (c - '0');
  }
  return code <= 255 ? std::optional(code) : std::nullopt;
}

/// Empty if `value` is understood.
std::string take(ContainerPlan& plan, std::string_view what, const std::string& value) {
  if (what == kRunFor) {
    const auto span = parse_duration(value);
    plan.runs_forever = value == "forever";
    if (span && span->ns >= 0) plan.run_for = span;
    if (plan.runs_forever || plan.run_for) return {};
    return compose("`{}` is neither a duration such as `30s` nor `forever`", value);
  }
  const auto code = exit_code_from(value);
  if (what == kExitCode) {
    plan.exit_code = code;
    return code ? std::string() : compose("`{}` is no exit code: a number from 0 to 255", value);
  }
  plan.ignores_sigterm = value == "ignored";
  if (code) plan.sigterm_exit_code = *code;
  if (code || plan.ignores_sigterm) return {};
  return compose("`{}` is neither an exit code (0 to 255) nor `ignored`", value);
}

void read_annotations(PodPlan& plan, const StringMap& annotations, Diagnostics* problems) {
  const auto report = [problems](const std::string& key, std::string message, std::string hint = {}) {
    if (problems == nullptr) return;
    problems->push_back({.severity = Severity::Warning,
                         .code = "InvalidAnnotation",
                         .field = key,
                         .message = std::move(message),
                         .hint = std::move(hint)});
  };
  // The general ones come first, so that those for one container win.
  for (const bool general : {true, false}) {
    for (auto it = annotations.lower_bound(std::string(kPrefix));
         it != annotations.end() && it->first.starts_with(kPrefix); ++it) {
      const std::string_view name = std::string_view(it->first).substr(kPrefix.size());
      const std::size_t dot = name.find('.');
      if ((dot == std::string_view::npos) != general) continue;
      const std::string_view what = name.substr(0, dot);
      if (what != kRunFor && what != kExitCode && what != kSigterm) continue;
      std::string problem;
      bool meant = false;
      for (ContainerPlan& container : plan.containers) {
        if (general ? container.kind != ContainerKind::Main && what != kSigterm
                    : container.name != name.substr(dot + 1))
          continue;
        meant = true;
        problem = take(container, what, it->second);
      }
      if (!problem.empty()) report(it->first, std::move(problem));
      if (!meant) report(it->first, "the pod has no such container");
    }
  }
}

}  // namespace

PodPlan plan_of(const Json& spec, const StringMap& annotations, Diagnostics* problems) {
  PodPlan plan;
  plan.restarts_on_failure = text_in(spec, "restartPolicy") == "OnFailure";
  plan.grace_seconds = seconds_in(spec, "terminationGracePeriodSeconds", 30);
  if (const std::int64_t deadline = seconds_in(spec, "activeDeadlineSeconds", -1); deadline >= 0)
    plan.deadline = seconds(deadline);
  for (const char* list : {"initContainers", "containers"}) {
    const Json& containers = member_of(spec, list);
    if (!containers.is_array()) continue;
    const bool init = std::string_view(list) == "initContainers";
    for (const Json& container : containers) {
      ContainerPlan item;
      item.name = text_in(container, "name");
      if (init)
        item.kind = text_in(container, "restartPolicy") == "Always" ? ContainerKind::Sidecar : ContainerKind::Init;
      plan.containers.push_back(std::move(item));
    }
  }
  read_annotations(plan, annotations, problems);
  return plan;
}

std::size_t first_main(const PodPlan& plan) noexcept {
  for (std::size_t i = 0; i < plan.containers.size(); ++i)
    if (plan.containers[i].kind == ContainerKind::Main) return i;
  return 0;
}

std::optional<std::size_t> find_container(const PodPlan& plan, std::string_view name) noexcept {
  for (std::size_t i = 0; i < plan.containers.size(); ++i)
    if (plan.containers[i].name == name) return i;
  return std::nullopt;
}

const std::vector<std::string_view>& obstacle_words() {
  static const std::vector<std::string_view> kWords{"Unschedulable",     "ErrImagePull",
                                                    "ImagePullBackOff",  "InvalidImageName",
                                                    "ContainerCreating", "CreateContainerConfigError"};
  return kWords;
}

std::string_view to_string(ContainerKind kind) noexcept {
  switch (kind) {
    case ContainerKind::Init: return "init";
    case ContainerKind::Sidecar: return "sidecar";
    case ContainerKind::Main: return "main";
  }
  return "";
}

std::string_view to_string(ContainerState state) noexcept {
  switch (state) {
    case ContainerState::Waiting: return "waiting";
    case ContainerState::Running: return "running";
    case ContainerState::Terminated: return "terminated";
  }
  return "";
}

std::string_view to_string(PodStep step) noexcept {
  switch (step) {
    case PodStep::Start: return "StartPods";
    case PodStep::EndContainers: return "EndContainers";
    case PodStep::RestartContainers: return "RestartContainers";
    case PodStep::Stop: return "StopPods";
    case PodStep::Deadline: return "EndPods";
  }
  return "";
}

}  // namespace pumice::kubeworld
