// Reviewing objects, as a webhook does: read already, answer not yet written.
#include <benchmark/benchmark.h>

#include <string>

#include "pumice/admission/review.h"
#include "pumice/yaml.h"

namespace pumice {
namespace {

/// A Volcano Job of ten tasks, each with policies, a volume, variables and resources.
Json ten_tasks() {
  std::string tasks;
  for (int i = 0; i < 10; ++i) {
    tasks += "- name: task" + std::to_string(i) + R"(
  replicas: 4
  policies: [{event: PodEvicted, action: RestartTask}, {exitCode: 3, action: AbortJob}]
  template:
    metadata: {labels: {app: train}}
    spec:
      restartPolicy: Never
      volumes: [{name: data, emptyDir: {}}]
      containers:
      - name: main
        image: registry.example/tool:1
        command: [run, --fast]
        env: [{name: A, value: b}, {name: POD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]
        ports: [{containerPort: 80, name: http}]
        volumeMounts: [{name: data, mountPath: /data}]
        resources: {requests: {cpu: "1", memory: 1Gi}, limits: {cpu: "2", memory: 2Gi}}
)";
  }
  const auto documents = parse_yaml(
      "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: train, namespace: team}\nspec:\n"
      "  queue: default\n  policies: [{event: PodFailed, action: RestartJob}]\n  tasks:\n" +
      [&] {
        std::string indented;
        std::size_t begin = 0;
        while (begin < tasks.size()) {
          const std::size_t end = tasks.find('\n', begin) + 1;
          indented += "  " + tasks.substr(begin, end - begin);
          begin = end;
        }
        return indented;
      }());
  return to_json(documents.value->front().root);
}

void review_of_ten_tasks(benchmark::State& state) {
  const Json job = ten_tasks();
  admission::Options options;
  options.schema = false;
  options.lint = state.range(0) != 0;
  options.fill = state.range(1) != 0;
  options.queues = {{"default", "Open", "root"}};
  for (auto _ : state) benchmark::DoNotOptimize(admission::review(admission::Kind::VolcanoJob, job, nullptr, options));
}
BENCHMARK(review_of_ten_tasks)->ArgNames({"lint", "fill"})->Args({0, 0})->Args({0, 1})->Args({1, 1});

}  // namespace
}  // namespace pumice
