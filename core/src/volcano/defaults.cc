#include "pumice/volcano/defaults.h"

#include <algorithm>
#include <map>
#include <utility>

namespace pumice::volcano {
namespace {

constexpr std::int32_t kMaxRetry = 3;

std::int32_t wrapping(std::uint32_t value) noexcept { return static_cast<std::int32_t>(value); }

/// Writes a value and keeps a record of it.
class Recorder {
 public:
  template <class Field, class Value>
  void set(Field& field, std::string path, Value value, std::string why) {
    entries_.push_back({std::move(path), Json(value), std::move(why)});
    field = std::move(value);
  }
  void note(std::string path, Json value, std::string why) {
    entries_.push_back({std::move(path), std::move(value), std::move(why)});
  }
  [[nodiscard]] std::vector<Defaulted> take() && { return std::move(entries_); }

 private:
  std::vector<Defaulted> entries_;
};

/// A default of the schema, so also where the webhook is off.
void default_topology_mode(Recorder& record, Json& topology, const std::string& path) {
  if (!topology.is_object() || topology.contains("mode")) return;
  topology["mode"] = "hard";
  record.note(path + ".networkTopology.mode", "hard", "absent: the schema's default");
}

void default_dns_policy(Recorder& record, Json& pod_template, const std::string& path) {
  if (!pod_template.is_object()) return;
  const auto spec = pod_template.find("spec");
  if (spec == pod_template.end() || !spec->is_object()) return;
  const auto host_network = spec->find("hostNetwork");
  if (host_network == spec->end() || *host_network != true) return;
  const auto policy = spec->find("dnsPolicy");
  if (policy != spec->end() && !policy->is_null() && *policy != "") return;
  (*spec)["dnsPolicy"] = "ClusterFirstWithHostNet";
  record.note(path + ".template.spec.dnsPolicy", "ClusterFirstWithHostNet", "absent: the pod uses the host's network");
}

void default_task(Recorder& record, TaskSpec& task, std::size_t index) {
  const std::string path = "spec.tasks[" + std::to_string(index) + "]";
  if (task.name.empty()) {
    record.set(task.name, path + ".name", "default" + std::to_string(index), "absent: made from the task's index");
  }
  default_dns_policy(record, task.pod_template, path);
  if (!task.min_available) {
    const auto& partition = task.partition_policy;
    if (partition && partition->min_partitions > 0) {
      const auto product =
          static_cast<std::uint32_t>(partition->min_partitions) * static_cast<std::uint32_t>(partition->partition_size);
      record.set(task.min_available, path + ".minAvailable", wrapping(product),
                 "absent: minPartitions times partitionSize");
    } else {
      record.set(task.min_available, path + ".minAvailable", task.replicas, "absent: taken from replicas");
    }
  }
  if (task.max_retry == 0) record.set(task.max_retry, path + ".maxRetry", kMaxRetry, "absent or 0");
  if (task.partition_policy) {
    default_topology_mode(record, task.partition_policy->network_topology, path + ".partitionPolicy");
  }
}

std::int32_t sum_of_min_available(const JobSpec& spec) noexcept {
  std::uint32_t sum = 0;
  for (const TaskSpec& task : spec.tasks) sum += static_cast<std::uint32_t>(task.min_available.value_or(0));
  return wrapping(sum);
}

void default_plugins(Recorder& record, JobSpec& spec) {
  const auto require = [&](const std::string& name, const char* by) {
    if (!spec.plugins.emplace(name, std::vector<std::string>()).second) return;
    record.note("spec.plugins." + name, Json::array(), "needed by plugin `" + std::string(by) + "`");
  };
  for (const char* name : {"tensorflow", "mpi", "pytorch", "ray"}) {
    if (spec.plugins.contains(name)) require("svc", name);
  }
  if (spec.plugins.contains("mpi")) require("ssh", "mpi");
}

Diagnostic error_at(std::string field, std::string code, std::string message, std::string hint = {}) {
  Diagnostic out;
  out.code = std::move(code);
  out.field = std::move(field);
  out.message = std::move(message);
  out.hint = std::move(hint);
  return out;
}

using TaskIndex = std::map<std::string_view, std::size_t>;

/// Task names to the first task of that name; says where a name is used again.
TaskIndex index_names(const JobSpec& spec, Diagnostics& out) {
  TaskIndex names;
  for (std::size_t i = 0; i < spec.tasks.size(); ++i) {
    const auto [first, is_new] = names.emplace(spec.tasks[i].name, i);
    if (is_new) continue;
    out.push_back(error_at(
        "spec.tasks[" + std::to_string(i) + "].name", "DuplicateTaskName",
        "task name `" + spec.tasks[i].name + "` is used before, by spec.tasks[" + std::to_string(first->second) + "]",
        "pods are named after their task, so names must differ"));
  }
  return names;
}

std::string depends_path(std::size_t task) { return "spec.tasks[" + std::to_string(task) + "].dependsOn.name"; }

/// The tasks each task waits for; says which of the names belong to no task.
std::vector<std::vector<std::size_t>> dependencies(const JobSpec& spec, const TaskIndex& names, Diagnostics& out) {
  std::vector<std::vector<std::size_t>> edges(spec.tasks.size());
  for (std::size_t i = 0; i < spec.tasks.size(); ++i) {
    const auto& depends_on = spec.tasks[i].depends_on;
    for (std::size_t n = 0; depends_on && n < depends_on->names.size(); ++n) {
      const auto found = names.find(depends_on->names[n]);
      if (found != names.end()) {
        edges[i].push_back(found->second);
      } else {
        out.push_back(error_at(depends_path(i) + "[" + std::to_string(n) + "]", "UnknownTask",
                               "there is no task `" + depends_on->names[n] + "`"));
      }
    }
  }
  return edges;
}

/// Takes away tasks that wait for nothing until none is left to take; what remains waits in a circle or behind one. Of
/// those, following any edge long enough ends on a circle, which is reported once per connected rest.
void find_cycles(const JobSpec& spec, const std::vector<std::vector<std::size_t>>& edges, Diagnostics& out) {
  std::vector<std::size_t> waits_for(edges.size());
  std::vector<std::vector<std::size_t>> waiters(edges.size());
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    waits_for[i] = edges[i].size();
    for (const std::size_t target : edges[i]) waiters[target].push_back(i);
    if (edges[i].empty()) ready.push_back(i);
  }
  while (!ready.empty()) {
    const std::size_t done = ready.back();
    ready.pop_back();
    for (const std::size_t waiter : waiters[done]) {
      if (--waits_for[waiter] == 0) ready.push_back(waiter);
    }
  }

  constexpr std::size_t kUnseen = 0;
  std::vector<std::size_t> walk_of(edges.size(), kUnseen);
  for (std::size_t start = 0; start < edges.size(); ++start) {
    if (waits_for[start] == 0 || walk_of[start] != kUnseen) continue;
    const std::size_t walk = start + 1;
    std::vector<std::size_t> way;
    std::size_t at = start;
    while (walk_of[at] == kUnseen) {
      walk_of[at] = walk;
      way.push_back(at);
      at = *std::find_if(edges[at].begin(), edges[at].end(), [&](std::size_t next) { return waits_for[next] != 0; });
    }
    if (walk_of[at] != walk) continue;  // ran into the rest of an earlier walk, whose circle is known
    constexpr std::ptrdiff_t kShown = 8;
    std::string circle;
    const auto begin = std::find(way.begin(), way.end(), at);
    for (auto step = begin; step != way.end() && step - begin < kShown; ++step) {
      circle += "`" + spec.tasks[*step].name + "` → ";
    }
    if (way.end() - begin > kShown) circle += "… → ";
    out.push_back(error_at(depends_path(at), "DependencyCycle",
                           "tasks wait for each other: " + circle + "`" + spec.tasks[at].name + "`",
                           "none of them would ever be started"));
  }
}

}  // namespace

std::vector<Defaulted> apply_defaults(JobSpec& spec) {
  Recorder record;
  if (spec.queue.empty()) record.set(spec.queue, "spec.queue", std::string("default"), "absent");
  if (spec.scheduler_name.empty()) {
    record.set(spec.scheduler_name, "spec.schedulerName", std::string("volcano"), "absent");
  }
  if (spec.max_retry == 0) record.set(spec.max_retry, "spec.maxRetry", kMaxRetry, "absent or 0");
  default_topology_mode(record, spec.network_topology, "spec");
  for (std::size_t i = 0; i < spec.tasks.size(); ++i) default_task(record, spec.tasks[i], i);
  if (spec.min_available == 0) {
    const std::int32_t sum = sum_of_min_available(spec);
    if (sum != 0) record.set(spec.min_available, "spec.minAvailable", sum, "absent or 0: the sum over the tasks");
  }
  default_plugins(record, spec);
  return std::move(record).take();
}

Diagnostics structural_errors(const JobSpec& spec) {
  Diagnostics out;
  if (spec.tasks.empty()) {
    out.push_back(error_at("spec.tasks", "NoTasks", "a job needs at least one task"));
    return out;
  }
  const TaskIndex names = index_names(spec, out);
  const auto edges = dependencies(spec, names, out);
  find_cycles(spec, edges, out);
  return out;
}

}  // namespace pumice::volcano
