// Volcano's webhook for Jobs (spec/volcano-admission.md 3 and 4).
#include <algorithm>
#include <map>
#include <set>

#include "admission/meta.h"
#include "admission/names.h"
#include "admission/pod_template.h"
#include "admission/volcano.h"
#include "compose.h"
#include "cron/go_text.h"
#include "pumice/field_reader.h"
#include "pumice/quantity.h"

namespace pumice::admission {
namespace {

std::string task_field(std::size_t index, std::string_view member) {
  return compose("spec.tasks[{}].{}", index, member);
}

std::int32_t wrapped(std::int64_t value) noexcept {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::uint64_t>(value)));
}

/// The name that the job will have. One that the API server makes ends with five letters.
std::string job_name(View job) {
  const View meta = job["metadata"];
  if (!meta.text("name").empty()) return std::string(meta.text("name"));
  return meta.text("generateName").empty() ? std::string() : std::string(meta.text("generateName")) + "xxxxx";
}

/// The value of a flag among a plugin's arguments, read as Go's flags are.
std::string flag_of(View arguments, std::string_view flag, std::string_view otherwise) {
  std::string value(otherwise);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string_view text = arguments.at(i).text();
    if (text.size() < 2 || text.front() != '-' || text == "--") break;
    text.remove_prefix(text.starts_with("--") ? 2 : 1);
    const std::size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    if (name != "master" && name != "worker" && name != "port") break;
    std::string_view given;
    if (equals != std::string_view::npos) {
      given = text.substr(equals + 1);
    } else if (i + 1 < arguments.size()) {
      given = arguments.at(++i).text();
    } else {
      break;
    }
    if (name == flag) value = given;
  }
  return value;
}

bool has_task(View tasks, std::string_view name) {
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (tasks.at(i).text("name") == name) return true;
  }
  return false;
}

// --- tasks ---

/// Whether a container asks for a whole number of CPUs, at least one; by its limits if it asks for nothing.
bool asks_for_whole_cpus(View container) {
  const View resources = container["resources"];
  const View amounts = resources["requests"].size() > 0 ? resources["requests"] : resources["limits"];
  const auto cpu = parse_quantity(quantity_text(amounts["cpu"]));
  if (!cpu || cpu->sign() <= 0) return false;
  Quantity plain = *cpu;
  plain.multiply(1);
  const std::string text = plain.text();
  return text.find("e-") == std::string::npos && std::string_view("mun").find(text.back()) == std::string_view::npos;
}

void check_cpu_topology(Answer& answer, View task, std::size_t index) {
  const std::string_view policy = task.text("topologyPolicy");
  if (policy.empty() || policy == "none") return;
  const View spec = task["template"]["spec"];
  std::size_t number = 0;
  for (const std::string_view list : {"containers", "initContainers"}) {
    for (std::size_t i = 0; i < spec[list].size(); ++i, ++number) {
      if (asks_for_whole_cpus(spec[list].at(i))) continue;
      answer.say("volcano.job.cpu-whole", task_field(index, compose("template.spec.{}[{}].resources", list, i)),
                 compose("the cpu request isn't an integer in spec.task[{}] container[{}].", index, number));
      return;
    }
  }
}

void check_template(Answer& answer, View task, std::size_t index, const PodOptions& options) {
  Findings& out = answer.findings();
  const std::size_t before = out.size();
  // The template is checked as a PodTemplate of its own that has the task's name.
  const std::string task_place = compose("spec.tasks[{}]", index);
  const Path meta("metadata", task_place);
  const std::string_view name = task.text("name");
  if (name.empty()) {
    out.required("volcano.job.task-name", meta.child("name"), "name or generateName is required");
  } else {
    out.invalid_each("volcano.job.task-name", meta.child("name"), name, dns_subdomain_problems(name));
  }
  const std::string template_place = task_place + ".template";
  const Path root("template", template_place);
  check_pod_template(out, task["template"], root, options);
  if (out.size() == before) {
    check_cpu_topology(answer, task, index);
    return;
  }
  answer.append(compose("spec.task[{}].", index));
  for (std::size_t i = before; i < out.size(); ++i) answer.append(out.all()[i].message + ". ");
  if (!answer.speaks()) out.unsay(before);
}

void check_partition(Answer& answer, View task, std::size_t index, std::string_view name) {
  const View policy = task["partitionPolicy"];
  if (!policy.present()) return;
  if (const PartitionProblem problem = partition_problem(task, name); problem.rule != nullptr) {
    answer.append(problem.text);
    answer.findings().take({problem.rule, task_field(index, problem.field), problem.text, {}, answer.speaks()});
  }
  if (const std::string text = topology_problem(policy["networkTopology"]); !text.empty()) {
    answer.say("volcano.job.topology-tiers", task_field(index, "partitionPolicy.networkTopology"), text);
  }
}

/// What the loop over the tasks finds out for later rules.
struct TaskTotals {
  std::int32_t replicas = 0;
  bool has_dependencies = false;
};

TaskTotals check_tasks(Answer& answer, View tasks, std::string_view name, const Options& options) {
  TaskTotals totals;
  std::set<std::string_view> names;
  // The loop of the original ends at the first name that comes again; what follows is looked at without it.
  Answer silent(answer.findings());
  silent.stop();
  bool is_over = false;
  const PodOptions pod_options{.pod_level_resources = options.pod_level_resources};
  for (std::size_t i = 0; i < tasks.size() && !answer.findings().full(); ++i) {
    const View task = tasks.at(i);
    const std::string_view task_name = task.text("name");
    const std::int64_t replicas = task["replicas"].integer_or(0);
    const auto minimum = task.integer("minAvailable");
    Answer& speaker = is_over ? silent : answer;
    if (!is_over) totals.has_dependencies = totals.has_dependencies || task["dependsOn"].present();
    if (minimum && *minimum > replicas) {
      speaker.say("volcano.job.task-min-available", task_field(i, "minAvailable"),
                  compose(" 'minAvailable' is greater than 'replicas' in task: {}, job: {};", task_name, name));
    }
    if (!is_over) totals.replicas = wrapped(std::int64_t{totals.replicas} + replicas);
    if (!names.insert(task_name).second) {
      speaker.say("volcano.job.task-name-duplicate", task_field(i, "name"),
                  compose(" duplicated task name {};", task_name));
      is_over = true;
    }
    Answer& rest = is_over ? silent : answer;
    check_policies(rest, task["policies"], "spec.tasks.policies", task_field(i, "policies"));
    const std::string pod_name = compose("{}-{}-{}", name, task_name, i);
    if (const Messages problems = qualified_name_problems(pod_name); !problems.empty()) {
      rest.say("volcano.job.pod-name", task_field(i, "name"),
               compose("create pod with name {} validate failed {};", pod_name, go_list(problems)));
    }
    check_template(rest, task, i, pod_options);
    check_partition(rest, task, i, name);
  }
  return totals;
}

/// Kahn's algorithm with the original's notions of a degree and of an edge.
bool is_acyclic(View tasks) {
  std::map<std::string_view, std::size_t> waits_for;
  std::map<std::string_view, std::set<std::string_view>> waiters;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::string_view name = tasks.at(i).text("name");
    const View targets = tasks.at(i)["dependsOn"]["name"];
    waits_for[name] = targets.size();
    for (std::size_t k = 0; k < targets.size(); ++k) waiters[targets.at(k).text()].insert(name);
  }
  std::vector<std::string_view> ready;
  for (const auto& [name, count] : waits_for) {
    if (count == 0) ready.push_back(name);
  }
  std::size_t popped = 0;
  while (!ready.empty()) {
    const std::string_view name = ready.back();
    ready.pop_back();
    ++popped;
    for (const std::string_view waiter : waiters[name]) {
      if (--waits_for[waiter] == 0) ready.push_back(waiter);
    }
  }
  return popped == tasks.size();
}

/// Where to look for what is wrong with the dependencies.
std::string dependency_field(View tasks) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < tasks.size(); ++i) names.insert(tasks.at(i).text("name"));
  std::string first = "spec.tasks";
  for (std::size_t i = tasks.size(); i-- > 0;) {
    const View targets = tasks.at(i)["dependsOn"]["name"];
    if (targets.size() > 0) first = task_field(i, "dependsOn");
    for (std::size_t k = targets.size(); k-- > 0;) {
      const std::string_view target = targets.at(k).text();
      if (!names.contains(target) || target == tasks.at(i).text("name")) {
        return task_field(i, compose("dependsOn.name[{}]", k));
      }
    }
  }
  return first;
}

// --- the job itself ---

void check_plugins(Answer& answer, View plugins) {
  constexpr std::string_view kPlugins[] = {"ssh", "env", "svc", "tensorflow", "mpi", "pytorch", "hcclrank", "ray"};
  if (!plugins.is_map()) return;
  for (const auto& [name, arguments] : plugins.json()->items()) {
    if (std::find(std::begin(kPlugins), std::end(kPlugins), name) != std::end(kPlugins)) continue;
    std::vector<std::string_view> known(std::begin(kPlugins), std::end(kPlugins));
    answer.say("volcano.job.plugin", field_path("spec.plugins", name), compose(" unable to find job plugin: {};", name),
               meant_hint(name, known));
  }
}

void check_volumes(Answer& answer, View volumes) {
  Answer silent(answer.findings());
  silent.stop();
  std::set<std::string_view> paths;
  bool is_over = false;
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    const View volume = volumes.at(i);
    const auto field = [&](std::string_view member) { return compose("spec.volumes[{}]{}", i, member); };
    const std::string_view path = volume.text("mountPath");
    const std::string_view claim = volume.text("volumeClaimName");
    const bool makes_claim = volume["volumeClaim"].present();
    const auto say = [&](RuleRef rule, std::string_view member, std::string_view text) {
      (is_over ? silent : answer).say(rule, field(member), text);
      is_over = true;
    };
    if (path.empty()) {
      say("volcano.job.volume-mount-path", ".mountPath", " mountPath is required;");
    } else if (!paths.insert(path).second) {
      say("volcano.job.volume-mount-path-duplicate", ".mountPath", compose(" duplicated mountPath: {};", path));
    }
    if (claim.empty() && !makes_claim) {
      say("volcano.job.volume-claim-missing", "", " either VolumeClaim or VolumeClaimName must be specified;");
    } else if (!claim.empty() && makes_claim) {
      say("volcano.job.volume-claim-conflict", ".volumeClaimName",
          "conflict: If you want to use an existing PVC, just specify VolumeClaimName.If you want to create a new PVC, "
          "you do not need to specify VolumeClaimName");
    } else if (!claim.empty()) {
      if (const Messages problems = dns_subdomain_problems(claim); !problems.empty()) {
        say("volcano.job.volume-claim-name", ".volumeClaimName",
            compose("invalid VolumeClaimName {} : {}", claim, go_list(problems)));
      }
    }
  }
}

void check_queue(Answer& answer, std::string_view name, const std::vector<Queue>& queues) {
  const std::string field = "spec.queue";
  const auto queue = std::find_if(queues.begin(), queues.end(), [&](const Queue& one) { return one.name == name; });
  if (queue == queues.end()) {
    std::vector<std::string_view> known;
    for (const Queue& one : queues) known.emplace_back(one.name);
    answer.say("volcano.job.queue-not-found", field,
               compose(" unable to find job queue: queue.scheduling.volcano.sh {} not found;", cron::quoted(name)),
               meant_hint(name, known));
    return;
  }
  if (queue->state != "Open") {
    answer.say(
        "volcano.job.queue-not-open", field,
        compose(" can only submit job to queue with state `Open`, queue `{}` status is `{}`;", name, queue->state));
  }
  if (name == "root") {
    answer.say("volcano.job.queue-root", field, " can not submit job to root queue;");
    return;
  }
  const auto children =
      std::count_if(queues.begin(), queues.end(), [&](const Queue& one) { return one.parent == name; });
  if (children > 0) {
    answer.say("volcano.job.queue-not-leaf", field,
               compose(" can only submit job to leaf queue, queue `{}` has {} child queues;", name, children));
  }
}

void check_early_exits(Answer& answer, View spec) {
  const View tasks = spec["tasks"];
  if (tasks.size() == 0) {
    answer.say("volcano.job.no-tasks", "spec.tasks", "No task specified in job spec");
    answer.stop();
    return;
  }
  const View mpi = spec["plugins"]["mpi"];
  const auto plugins = spec["plugins"];
  const bool has_mpi = plugins.is_map() && plugins.json()->contains("mpi");
  if (has_mpi && !has_task(tasks, flag_of(mpi, "master", "master"))) {
    answer.say("volcano.job.mpi-master", "spec.plugins.mpi", "The specified mpi master task was not found");
    answer.stop();
  }
}

// --- updates ---

/// Members of the spec that differ, and of its tasks where those do.
std::vector<std::string> changed_fields(const Json& spec, const Json& old) {
  std::vector<std::string> fields;
  const auto compare_members = [&](const Json& a, const Json& b, const std::string& path, const auto& skip) {
    std::set<std::string> names;
    for (const Json* side : {&a, &b}) {
      for (const auto& member : side->items()) names.insert(member.key());
    }
    for (const std::string& name : names) {
      if (skip(name)) continue;
      if (!semantically_equal(View(&a)[name], View(&b)[name])) fields.push_back(field_path(path, name));
    }
  };
  compare_members(spec, old, "spec", [](const std::string& name) { return name == "tasks"; });
  const View tasks = View(&spec)["tasks"];
  const View old_tasks = View(&old)["tasks"];
  for (std::size_t i = 0; i < std::min(tasks.size(), old_tasks.size()); ++i) {
    compare_members(*tasks.at(i).json(), *old_tasks.at(i).json(), compose("spec.tasks[{}]", i),
                    [](const std::string&) { return false; });
  }
  return fields;
}

/// A spec without what may change.
Json frozen_part(View spec) {
  Json part = spec.is_map() ? *spec.json() : Json::object();
  part.erase("minAvailable");
  part.erase("priorityClassName");
  if (const auto tasks = part.find("tasks"); tasks != part.end() && tasks->is_array()) {
    for (Json& task : *tasks) {
      if (!task.is_object()) task = Json::object();
      task.erase("replicas");
      task.erase("minAvailable");
    }
  }
  if (const auto volumes = part.find("volumes"); volumes != part.end() && volumes->is_array()) {
    for (Json& volume : *volumes) {
      // The controller itself fills in the name of a claim that it makes.
      if (View(&volume)["volumeClaim"].present()) volume.erase("volumeClaimName");
    }
  }
  return part;
}

}  // namespace

void Answer::say(RuleRef rule, std::string field, std::string_view text, std::string hint) {
  append(text);
  std::string_view message = text;
  while (message.starts_with(' ')) message.remove_prefix(1);
  note(rule, std::move(field), std::string(message), std::move(hint));
}

void Answer::note(RuleRef rule, std::string field, std::string message, std::string hint) {
  const std::size_t before = out_.size();
  out_.add(rule, std::move(field), std::move(message), std::move(hint));
  if (!speaks_) out_.unsay(before);
}

std::string Answer::text() const { return std::string(cron::trimmed(text_)); }

std::string topology_problem(View topology) {
  if (!topology["highestTierAllowed"].present() || topology.text("highestTierName").empty()) return {};
  return "must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology simultaneously";
}

PartitionProblem partition_problem(View task, std::string_view job_name) {
  const View policy = task["partitionPolicy"];
  const std::string_view name = task.text("name");
  const std::int64_t total = policy["totalPartitions"].integer_or(0);
  const std::int64_t size = policy["partitionSize"].integer_or(0);
  const std::int64_t least = policy["minPartitions"].integer_or(0);
  const auto problem = [&](RuleRef rule, std::string_view text, std::string_view field) {
    return PartitionProblem{&rule.rule(), compose("{} in task: {}, job: {}", text, name, job_name), field};
  };
  if (total <= 0) {
    return problem("volcano.job.partition-total", "'TotalPartitions' must be greater than 0",
                   "partitionPolicy.totalPartitions");
  }
  if (size <= 0) {
    return problem("volcano.job.partition-size", "'PartitionSize' must be greater than 0",
                   "partitionPolicy.partitionSize");
  }
  if (task["replicas"].integer_or(0) != wrapped(total * size)) {
    return problem("volcano.job.partition-replicas", "'Replicas' are not equal to TotalPartitions*PartitionSize",
                   "replicas");
  }
  const auto minimum = task.integer("minAvailable");
  if (minimum && least > 0 && wrapped(least * size) != *minimum) {
    return problem("volcano.job.partition-min-available", "'MinAvailable' is not equal to MinPartitions*PartitionSize",
                   "minAvailable");
  }
  return {};
}

std::string check_volcano_job(Findings& out, View job, const Options& options) {
  Answer answer(out);
  const View spec = job["spec"];
  const View tasks = spec["tasks"];
  const std::string name = job_name(job);
  check_early_exits(answer, spec);
  if (const std::string text = topology_problem(spec["networkTopology"]); !text.empty()) {
    answer.say("volcano.job.topology-tiers", "spec.networkTopology", text);
  }
  const TaskTotals totals = check_tasks(answer, tasks, name, options);
  if (const Messages problems = qualified_name_problems(name); !problems.empty()) {
    answer.say("volcano.job.name", "metadata.name",
               compose("create job with name {} validate failed {}", name, go_list(problems)));
  }
  if (totals.replicas < spec["minAvailable"].integer_or(0)) {
    answer.say("volcano.job.min-available", "spec.minAvailable",
               " job 'minAvailable' should not be greater than total replicas in tasks;");
  }
  check_policies(answer, spec["policies"], "spec.policies", "spec.policies");
  check_plugins(answer, spec["plugins"]);
  check_volumes(answer, spec["volumes"]);
  if (options.queues) {
    check_queue(answer, spec.text("queue"), *options.queues);
  } else if (!options.queues_missing.empty()) {
    answer.say("volcano.job.queue-unknown", "spec.queue",
               compose(" the queues of the cluster are not known: {};", options.queues_missing));
  }
  if (totals.has_dependencies && !is_acyclic(tasks)) {
    answer.say("volcano.job.dependencies", dependency_field(tasks),
               " job has dependencies between tasks, but doesn't form a directed acyclic graph(DAG);");
  }
  return answer.text();
}

std::string check_volcano_job_update(Findings& out, View job, View old) {
  std::string message;
  const auto say = [&](RuleRef rule, std::string field, std::string text, std::string hint = {}) {
    const std::size_t before = out.size();
    out.add(rule, std::move(field), text, std::move(hint));
    if (message.empty()) {
      message = std::move(text);
    } else {
      out.unsay(before);
    }
  };
  const View spec = job["spec"];
  const View old_spec = old["spec"];
  const View tasks = spec["tasks"];
  const std::string name = job_name(job);
  std::int32_t total = 0;
  for (std::size_t i = 0; i < tasks.size() && !out.full(); ++i) {
    const View task = tasks.at(i);
    const std::string_view task_name = task.text("name");
    const std::int64_t replicas = task["replicas"].integer_or(0);
    const auto minimum = task.integer("minAvailable");
    if (replicas < 0) {
      say("volcano.job.update-replicas", task_field(i, "replicas"),
          compose("'replicas' must be >= 0 in task: {}", task_name));
    }
    if (minimum && *minimum < 0) {
      say("volcano.job.update-task-min-available", task_field(i, "minAvailable"),
          compose("'minAvailable' must be >= 0 in task: {}", task_name));
    } else if (minimum && *minimum > replicas) {
      say("volcano.job.update-task-min-available", task_field(i, "minAvailable"),
          compose("'minAvailable' must be <= 'replicas' in task: {}", task_name));
    }
    if (task["partitionPolicy"].present()) {
      const PartitionProblem problem = partition_problem(task, name);
      const std::string topology = topology_problem(task["partitionPolicy"]["networkTopology"]);
      if (problem.rule != nullptr || !topology.empty()) {
        say("volcano.job.update-partition", task_field(i, problem.rule != nullptr ? problem.field : "partitionPolicy"),
            problem.text + topology);
      }
    }
    total = wrapped(std::int64_t{total} + replicas);
  }
  const std::int64_t least = spec["minAvailable"].integer_or(0);
  if (least > total) {
    say("volcano.job.update-min-available", "spec.minAvailable",
        "job 'minAvailable' must not be greater than total replicas");
  }
  if (least < 0) say("volcano.job.update-min-available", "spec.minAvailable", "job 'minAvailable' must be >= 0");
  if (const std::string text = topology_problem(spec["networkTopology"]); !text.empty()) {
    say("volcano.job.topology-tiers", "spec.networkTopology", text);
  }
  if (tasks.size() != old_spec["tasks"].size()) {
    say("volcano.job.update-tasks", "spec.tasks", "job updates may not add or remove tasks");
    return message;
  }
  for (const std::string& field : changed_fields(frozen_part(spec), frozen_part(old_spec))) {
    say("volcano.job.update-field", field,
        "job updates may not change fields other than `minAvailable`, `tasks[*].replicas under spec` and "
        "`PriorityClassName`",
        compose("`{}` cannot be changed: delete the job and create it anew", field));
  }
  return message;
}

}  // namespace pumice::admission
