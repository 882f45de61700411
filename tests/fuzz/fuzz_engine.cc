// The border takes anything. The first byte chooses:
//   v c r s d e   one call with the rest as its input
//   k             a run against a small batch/v1 Job
//   anything else a run: lines of events against a small job, then every step is looked at again and must be what it
//   was
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "pumice/check.h"
#include "pumice/engine.h"
#include "pumice/json.h"

namespace {

using pumice::Engine;
using pumice::Json;

constexpr const char* kManifest = R"(apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: j}
spec:
  minAvailable: 2
  maxRetry: 4
  policies:
    - {event: PodPending, action: RestartTask, timeout: 20s}
    - {event: PodFailed, action: RestartJob, timeout: 5s}
    - {event: Unknown, action: AbortJob}
    - {exitCode: 3, action: RestartPod}
    - {event: "*", action: TerminateJob, timeout: 1h}
  tasks:
    - name: m
      replicas: 1
      minAvailable: 1
      policies: [{event: TaskCompleted, action: CompleteJob}, {event: PodEvicted, action: RestartPod}]
      template: {spec: {containers: [{name: a, image: i}, {name: b, image: i}]}}
    - name: w
      replicas: 2
      minAvailable: 1
      maxRetry: 2
      dependsOn: {name: [m]}
      policies: [{events: [TaskFailed, PodFailed], action: RestartPartition}]
      partitionPolicy: {totalPartitions: 2, partitionSize: 1}
      template: {spec: {containers: [{name: a, image: i}]}}
)";

constexpr const char* kKubeManifest = R"(apiVersion: batch/v1
kind: Job
metadata: {name: k}
spec:
  completionMode: Indexed
  completions: 4
  parallelism: 3
  backoffLimitPerIndex: 1
  maxFailedIndexes: 2
  activeDeadlineSeconds: 900
  ttlSecondsAfterFinished: 60
  podFailurePolicy:
    rules:
      - {action: Ignore, onPodConditions: [{type: DisruptionTarget}]}
      - {action: FailIndex, onExitCodes: {operator: In, values: [3]}}
  template:
    spec:
      restartPolicy: Never
      initContainers: [{name: s, image: i, restartPolicy: Always}, {name: n, image: i}]
      containers: [{name: a, image: i}, {name: b, image: i}]
)";

Json parsed(const std::string& text) {
  Json answer = Json::parse(text, nullptr, false);
  PUMICE_CHECK(answer.is_object());
  return answer;
}

Json checked(const std::string& text) {
  Json answer = parsed(text);
  PUMICE_CHECK(answer["type"] == "success" || !answer["diagnostics"].empty());
  return answer;
}

void one_call(char call, const std::string& input) {
  Engine engine;
  switch (call) {
    case 'v': checked(engine.validate(input)); break;
    case 'c': checked(engine.create(input)); break;
    case 'r': checked(engine.run(input)); break;
    case 's': checked(engine.seek(input)); break;
    case 'q': checked(engine.records(input)); break;
    default: checked(engine.dispose(input)); break;
  }
}

void run(std::string_view script, const char* manifest) {
  Engine engine;
  Json create{{"text", manifest}};
  create["automation"] = script.size() % 3 == 0 ? "manual" : script.size() % 3 == 1 ? "assist" : "auto";
  const Json created = checked(engine.create(create.dump()));
  PUMICE_CHECK(created["type"] == "success");
  const Json session = created["session"];
  std::map<std::int64_t, Json> views{{1, created["view"]}};
  std::int64_t total = 1;
  for (int events = 0; !script.empty() && events < 60; ++events) {
    const std::string_view line = script.substr(0, script.find('\n'));
    script.remove_prefix(std::min(script.size(), line.size() + 1));
    const Json input{{"session", session}, {"events", {std::string(line)}}};
    const Json answer = checked(engine.run(input.dump(-1, ' ', false, Json::error_handler_t::replace)));
    if (answer["type"] != "success") continue;
    total = answer["total"];
    // Views of hundreds of steps are compared; a run that is longer proves nothing more.
    if (total > 400) return;
    views[total] = answer["view"];
  }
  for (const auto& [step, view] : views) {
    const Json moment = checked(engine.seek(Json{{"session", session}, {"step", step}, {"explain", "full"}}.dump()));
    PUMICE_CHECK(moment["type"] == "success" && moment["view"] == view);
    const Json records = checked(engine.records(Json{{"session", session}, {"step", step}, {"detail", true}}.dump()));
    PUMICE_CHECK(records["type"] == "success");
  }
  const std::int64_t middle = 1 + total / 2;
  if (middle > total) return;
  const Json back = checked(engine.run(Json{{"session", session}, {"from", middle}, {"events", Json::array()}}.dump()));
  PUMICE_CHECK(back["type"] == "success" && back["total"] == middle);
  PUMICE_CHECK(!views.contains(middle) || views[middle] == back["view"]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (std::string_view("vcrsqd").find(text.front()) != std::string_view::npos) {
    one_call(text.front(), std::string(text.substr(1)));
  } else {
    run(text.substr(1), text.front() == 'k' ? kKubeManifest : kManifest);
  }
  return 0;
}
