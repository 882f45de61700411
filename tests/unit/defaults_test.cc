#include "pumice/volcano/defaults.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "pumice/model/reader.h"

namespace pumice::volcano {
namespace {

JobSpec spec_of(const std::string& text) {
  const auto documents = parse_yaml(text);
  REQUIRE(documents);
  FieldContext context;
  FieldReader reader(documents.value->front().root, context);
  JobSpec spec = read_job_spec(reader, ReadMode::Wire);
  REQUIRE(context.diagnostics.empty());
  return spec;
}

/// `field = value` for each change, one per line.
std::string changes_in(const std::string& text) {
  JobSpec spec = spec_of(text);
  std::string out;
  for (const Defaulted& entry : apply_defaults(spec)) {
    CHECK_FALSE(entry.why.empty());
    out += entry.field + " = " + entry.value.dump() + "\n";
  }
  CHECK(apply_defaults(spec).empty());  // once is enough
  return out;
}

const std::string kGiven = "{queue: q, schedulerName: s, maxRetry: 1, minAvailable: 9, ";

TEST_CASE("an empty spec gets its defaults in order", "[defaults]") {
  CHECK(changes_in("{}") == "spec.queue = \"default\"\nspec.schedulerName = \"volcano\"\nspec.maxRetry = 3\n");
  CHECK(changes_in("tasks: [{}]") ==
        "spec.queue = \"default\"\nspec.schedulerName = \"volcano\"\nspec.maxRetry = 3\n"
        "spec.tasks[0].name = \"default0\"\nspec.tasks[0].minAvailable = 0\nspec.tasks[0].maxRetry = 3\n");
}

TEST_CASE("what is given stays", "[defaults]") {
  CHECK(changes_in(
            kGiven +
            "tasks: [{name: a, replicas: 5, minAvailable: 0, maxRetry: 7}], plugins: {mpi: [x], svc: [z], ssh: []}}")
            .empty());
}

TEST_CASE("four unnamed tasks", "[defaults]") {
  JobSpec spec = spec_of(R"(tasks:
- replicas: 1
- {replicas: 2, minAvailable: 1}
- {replicas: 1, partitionPolicy: {totalPartitions: 1, partitionSize: 1, minPartitions: 1}}
- {replicas: 1, partitionPolicy: {totalPartitions: 1, partitionSize: 1}}
)");
  apply_defaults(spec);
  for (std::size_t i = 0; i < spec.tasks.size(); ++i) {
    CAPTURE(i);
    CHECK(spec.tasks[i].name == "default" + std::to_string(i));
    CHECK(spec.tasks[i].min_available == 1);
    CHECK(spec.tasks[i].max_retry == 3);
  }
  CHECK(spec.min_available == 4);
}

TEST_CASE("minAvailable of a task and of the job", "[defaults]") {
  struct Case {
    const char* name;
    const char* tasks;
    std::int32_t first;
    std::int32_t job;
  };
  const Case cases[] = {
      {"partitions count by their product",
       "{replicas: 9, partitionPolicy: {totalPartitions: 3, partitionSize: 3, minPartitions: 2}}", 6, 6},
      {"without minPartitions: replicas", "{replicas: 4, partitionPolicy: {totalPartitions: 2, partitionSize: 2}}", 4,
       4},
      {"no partitions: replicas", "{replicas: 5}", 5, 5},
      {"the sum of replicas", "{replicas: 2}, {replicas: 3}", 2, 5},
      {"a given one counts as it is", "{replicas: 2, minAvailable: 1}, {replicas: 3}", 1, 4},
      {"a given zero too", "{replicas: 2, minAvailable: 0}, {replicas: 3}", 0, 3},
      {"sums wrap around", "{replicas: 2147483647}, {replicas: 2}", 2147483647, -2147483647},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    JobSpec spec = spec_of("tasks: [" + std::string(c.tasks) + "]");
    apply_defaults(spec);
    CHECK(spec.tasks[0].min_available == c.first);
    CHECK(spec.min_available == c.job);
  }
}

TEST_CASE("plugins pull in what they need", "[defaults]") {
  const auto with_plugins = [](const std::string& plugins) {
    return changes_in(kGiven + "plugins: {" + plugins + "}}");
  };
  CHECK(with_plugins("env: []").empty());
  CHECK(with_plugins("hcclrank: []").empty());
  CHECK(with_plugins("tensorflow: []") == "spec.plugins.svc = []\n");
  CHECK(with_plugins("pytorch: []") == "spec.plugins.svc = []\n");
  CHECK(with_plugins("ray: []") == "spec.plugins.svc = []\n");
  CHECK(with_plugins("mpi: []") == "spec.plugins.svc = []\nspec.plugins.ssh = []\n");
  CHECK(with_plugins("mpi: [], svc: [--x]") == "spec.plugins.ssh = []\n");
}

TEST_CASE("pods on the host's network get the matching DNS policy", "[defaults]") {
  const auto with_pod = [](const std::string& pod) {
    return changes_in(kGiven + "tasks: [{name: a, minAvailable: 1, maxRetry: 1, template: {spec: " + pod + "}}]}");
  };
  CHECK(with_pod("{hostNetwork: true}") == "spec.tasks[0].template.spec.dnsPolicy = \"ClusterFirstWithHostNet\"\n");
  CHECK(with_pod("{hostNetwork: true, dnsPolicy: ''}") ==
        "spec.tasks[0].template.spec.dnsPolicy = \"ClusterFirstWithHostNet\"\n");
  CHECK(with_pod("{hostNetwork: true, dnsPolicy: Default}").empty());
  CHECK(with_pod("{hostNetwork: false}").empty());
  CHECK(with_pod("{hostNetwork: 'true'}").empty());
  JobSpec odd;
  for (const Json& pod_template : {Json(), Json(5), Json{{"spec", nullptr}}, Json{{"spec", {1, 2}}}})
    odd.tasks.emplace_back().pod_template = pod_template;
  apply_defaults(odd);
  CHECK(odd.tasks[2].pod_template == Json{{"spec", nullptr}});
}

TEST_CASE("network topologies are hard unless they say otherwise", "[defaults]") {
  CHECK(changes_in(kGiven +
                   "networkTopology: {highestTierAllowed: 1}, "
                   "tasks: [{name: a, minAvailable: 1, maxRetry: 1, partitionPolicy: {networkTopology: {}}}]}") ==
        "spec.networkTopology.mode = \"hard\"\nspec.tasks[0].partitionPolicy.networkTopology.mode = \"hard\"\n");
  CHECK(changes_in(kGiven + "networkTopology: {mode: soft}}").empty());
}

/// `code field: message` for each error, one per line.
std::string errors_in(const std::string& tasks) {
  std::string out;
  for (const Diagnostic& finding : structural_errors(spec_of("tasks: [" + tasks + "]"))) {
    CHECK(finding.severity == Severity::Error);
    out += finding.code + " " + finding.field + ": " + finding.message + "\n";
  }
  return out;
}

TEST_CASE("structures the controller cannot live with", "[defaults]") {
  struct Case {
    const char* name;
    const char* tasks;
    std::string errors;
  };
  const Case cases[] = {
      {"no tasks", "", "NoTasks spec.tasks: a job needs at least one task\n"},
      {"sound",
       "{name: a}, {name: b, dependsOn: {name: [a]}}, {name: c, dependsOn: {name: [a, b]}}, {name: d, dependsOn: "
       "{name: []}}",
       ""},
      {"a dependency named twice", "{name: a}, {name: b, dependsOn: {name: [a, a]}}", ""},
      {"one name twice", "{name: a}, {name: b}, {name: a}, {name: a}",
       "DuplicateTaskName spec.tasks[2].name: task name `a` is used before, by spec.tasks[0]\n"
       "DuplicateTaskName spec.tasks[3].name: task name `a` is used before, by spec.tasks[0]\n"},
      {"unknown tasks", "{name: a, dependsOn: {name: [b, a0]}}",
       "UnknownTask spec.tasks[0].dependsOn.name[0]: there is no task `b`\nUnknownTask "
       "spec.tasks[0].dependsOn.name[1]: there is no task `a0`\n"},
      {"itself", "{name: a, dependsOn: {name: [a]}}",
       "DependencyCycle spec.tasks[0].dependsOn.name: tasks wait for each other: `a` → `a`\n"},
      {"a circle, and one behind it",
       "{name: x, dependsOn: {name: [c]}}, {name: a, dependsOn: {name: [b]}}, {name: b, dependsOn: {name: [c]}}, "
       "{name: c, dependsOn: {name: [a]}}",
       "DependencyCycle spec.tasks[3].dependsOn.name: tasks wait for each other: `c` → `a` → `b` → `c`\n"},
      {"two circles",
       "{name: a, dependsOn: {name: [b]}}, {name: b, dependsOn: {name: [a]}}, {name: c, dependsOn: {name: [d]}}, "
       "{name: d, dependsOn: {name: [c]}}",
       "DependencyCycle spec.tasks[0].dependsOn.name: tasks wait for each other: `a` → `b` → `a`\n"
       "DependencyCycle spec.tasks[2].dependsOn.name: tasks wait for each other: `c` → `d` → `c`\n"},
      {"a sound dependency before the circle",
       "{name: s}, {name: a, dependsOn: {name: [s, b]}}, {name: b, dependsOn: {name: [s, a]}}",
       "DependencyCycle spec.tasks[1].dependsOn.name: tasks wait for each other: `a` → `b` → `a`\n"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(errors_in(c.tasks) == c.errors);
  }
}

TEST_CASE("long chains of dependencies are no problem", "[defaults]") {
  JobSpec spec;
  for (int i = 0; i < 20'000; ++i) {
    TaskSpec& task = spec.tasks.emplace_back();
    task.name = "t" + std::to_string(i);
    if (i > 0) task.depends_on = DependsOn{{"t" + std::to_string(i - 1)}, ""};
  }
  CHECK(structural_errors(spec).empty());
  spec.tasks[0].depends_on = DependsOn{{"t19999"}, ""};
  CHECK(structural_errors(spec).size() == 1);
}

}  // namespace
}  // namespace pumice::volcano
