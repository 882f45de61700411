// tensorflow, pytorch, mpi, ray and hcclrank: who is who in a distributed run (spec/volcano-plugins.md 5 - 9).
#include <charconv>

#include "pumice/volcano/pod_object.h"
#include "volcano/json_parts.h"
#include "volcano/plugins/plugin.h"

namespace pumice::volcano {
namespace {

constexpr auto kNumber = Option::Type::Number;

// tensorflow

constexpr Option kTensorflowOptions[] = {
    {"ps", "ps"}, {"worker", "worker"}, {"chief", "chief"}, {"evaluator", "evaluator"}, {"port", "2222", kNumber}};

/// Written by hand, because the order of its members shows.
std::string add_tensorflow(const PodPlace& place, const Arguments& arguments) {
  const JobSpec& spec = *place.job.spec;
  if (spec.tasks.size() == 1 && spec.tasks[0].replicas == 1) return {};
  const std::string port = ":" + std::to_string(arguments.number("port"));
  std::string cluster;
  std::string type = place.task.name;
  for (const Option& role : std::span(kTensorflowOptions).first(4)) {
    const std::string& task_name = arguments.text(role.name);
    if (task_name == place.task.name && type == place.task.name) type = role.name;
    const TaskSpec* task = find_task(spec, task_name);
    if (!task || task->replicas <= 0) continue;
    if (!cluster.empty()) cluster += ',';
    cluster += '"' + std::string(role.name) + "\":[";
    for (std::int32_t i = 0; i < task->replicas; ++i) {
      if (i > 0) cluster += ',';
      cluster += to_text(Json(host_of(place.job, *task, i) + port));
    }
    cluster += ']';
  }
  const std::string config = "{\"cluster\":{" + cluster + "},\"task\":{\"type\":" + to_text(Json(type)) +
                             ",\"index\":" + std::to_string(place.index) + "}}";
  for_each_container(place.spec, "containers", [&](Json& container) { append_env(container, "TF_CONFIG", config); });
  return {};
}

// pytorch

constexpr Option kPytorchOptions[] = {{"master", "master"},
                                      {"worker", "worker"},
                                      {"port", "23456", kNumber},
                                      {"wait-master-enabled", "false", Option::Type::Flag},
                                      {"wait-master-timeout", "300", kNumber},
                                      {"wait-master-image", "busybox:1.36.1"}};
constexpr const char* kWaitName = "wait-for-master";

Json waiting_container(const std::string& host, const Arguments& arguments) {
  const std::string port = std::to_string(arguments.number("port"));
  const std::string limit = std::to_string(arguments.number("wait-master-timeout"));
  const std::string script =
      "waited=0\n"
      "answers() {\n"
      "  if command -v nc >/dev/null 2>&1; then nc -z " +
      host + " " + port +
      ";\n"
      "  else (exec 3<>/dev/tcp/" +
      host + "/" + port +
      "); fi 2>/dev/null\n"
      "}\n"
      "until answers; do\n"
      "  if [ $waited -ge " +
      limit + " ]; then echo \"no answer from " + host + ":" + port +
      "\"; exit 1; fi\n"
      "  echo \"waiting for " +
      host + ":" + port +
      ", $waited s\"\n"
      "  sleep 2\n"
      "  waited=$((waited + 2))\n"
      "done\n"
      "exit 0\n";
  return object_of({{"name", kWaitName},
                    {"image", arguments.text("wait-master-image")},
                    {"command", Json::array({"sh", "-c", script})}});
}

/// A port of a name that may be the user's already.
void append_plugin_port(const PodPlace& place, Json& container, std::string_view name, std::int64_t port) {
  if (!place.quirks.has(Quirk::PortNameDoubled))
    for (const Json& known : list_in(container, "ports"))
      if (text_in(known, "name") == name) return;
  append_port(container, name, port);
}

std::string add_pytorch(const PodPlace& place, const Arguments& arguments) {
  const JobSpec& spec = *place.job.spec;
  const TaskSpec* master = find_task(spec, arguments.text("master"));
  if (!master) return {};
  const TaskSpec* worker = find_task(spec, arguments.text("worker"));
  const bool is_worker = place.task.name == arguments.text("worker");
  const std::string host = host_of(place.job, *master, 0);
  const auto world = static_cast<std::int32_t>(std::int64_t{master->replicas} + (worker ? worker->replicas : 0));

  if (is_worker && arguments.flag("wait-master-enabled")) {
    bool known = false;
    for_each_container(place.spec, "initContainers",
                       [&](const Json& container) { known = known || text_in(container, "name") == kWaitName; });
    if (!known) list_in(place.spec, "initContainers").push_back(waiting_container(host, arguments));
  }
  for_each_container(place.spec, "containers", [&](Json& container) {
    append_env(container, "MASTER_ADDR", host);
    append_env(container, "MASTER_PORT", std::to_string(arguments.number("port")));
    append_env(container, "WORLD_SIZE", std::to_string(world));
    const bool is_quirky = place.quirks.has(Quirk::MastersRankZero);
    if (is_worker)
      append_env(container, "RANK", std::to_string(std::int64_t{place.index} + (is_quirky ? 1 : master->replicas)));
    else if (&place.task == master)
      append_env(container, "RANK", std::to_string(is_quirky ? 0 : place.index));
    append_plugin_port(place, container, "pytorchjob-port", arguments.number("port"));
  });
  return {};
}

// mpi

constexpr Option kMpiOptions[] = {{"master", "master"}, {"worker", "worker"}, {"port", "22", kNumber}};

std::string add_mpi(const PodPlace& place, const Arguments& arguments) {
  const bool is_master = place.task.name == arguments.text("master");
  const TaskSpec* worker = find_task(*place.job.spec, arguments.text("worker"));
  if (is_master && !worker) return {};
  const std::string hosts = is_master ? joined_hosts(place.job, *worker, ',') : std::string();
  for (const char* list : kContainerLists) {
    for_each_container(place.spec, list, [&](Json& container) {
      if (is_master) append_env(container, "MPI_HOST", hosts);
      append_plugin_port(place, container, "mpijob-port", arguments.number("port"));
    });
  }
  return {};
}

// ray

constexpr Option kRayOptions[] = {{"head", "head"},
                                  {"headContainer", "head"},
                                  {"worker", "worker"},
                                  {"workerContainer", "worker"},
                                  {"port", "6379", kNumber},
                                  {"dashboardPort", "8265", kNumber},
                                  {"clientPort", "10001", kNumber}};

struct NamedPort {
  const char* name;
  std::string_view option;
};
constexpr NamedPort kRayPorts[] = {{"gcs", "port"}, {"dashboard", "dashboardPort"}, {"client-server", "clientPort"}};

std::string add_ray(const PodPlace& place, const Arguments& arguments) {
  const TaskSpec* head = find_task(*place.job.spec, arguments.text("head"));
  if (!head) return "job " + place.job.meta.name + " doesn't have head task " + arguments.text("head");
  const auto number = [&](std::string_view name) { return std::to_string(arguments.number(name)); };
  const bool is_head = &place.task == head;
  if (!is_head && place.task.name != arguments.text("worker")) return {};
  const std::string& meant = arguments.text(is_head ? "headContainer" : "workerContainer");
  const std::string command =
      is_head ? "ray start --head --block --dashboard-host=0.0.0.0 --port=" + number("port") +
                    " --dashboard-port=" + number("dashboardPort") + " --ray-client-server-port=" + number("clientPort")
              : "ray start --block --address=" + host_of(place.job, *head, 0) + ":" + number("port");
  for_each_container(place.spec, "containers", [&](Json& container) {
    if (text_in(container, "name") != meant) return;
    container["command"] = Json::array({"sh", "-c", command});
    if (!is_head) return;
    for (const NamedPort& port : kRayPorts) append_port(container, port.name, arguments.number(port.option));
  });
  return {};
}

void make_head_service(const Job& job, const Arguments& arguments, Quirks quirks, std::vector<PluginObject>& objects) {
  Json ports = Json::array();
  for (const NamedPort& port : kRayPorts) {
    const auto number = static_cast<std::int32_t>(arguments.number(port.option));
    Json target = quirks.has(Quirk::RayTargetsName) ? Json(port.name) : Json(number);
    ports.push_back(
        object_of({{"name", port.name}, {"port", number}, {"protocol", "TCP"}, {"targetPort", std::move(target)}}));
  }
  Json selector = job_labels(job);
  selector["volcano.sh/task-spec"] = arguments.text("head");
  objects.push_back(
      {kRayPlugin.name,
       owned_object(job, ObjectType::Service, "v1", job.meta.name + "-head-svc",
                    {{"spec", object_of({{"selector", std::move(selector)}, {"ports", std::move(ports)}})}}),
       ""});
}

// hcclrank

constexpr Option kHcclrankOptions[] = {{"master", "master"}, {"worker", "worker"}};

/// A literal RANK; what is found first decides, and an empty value counts as none.
std::string rank_of(Json& pod_spec) {
  std::string rank;
  bool found = false;
  for_each_container(pod_spec, "containers", [&](const Json& container) {
    const Json& env = member_of(container, "env");
    for (std::size_t i = 0; !found && env.is_array() && i < env.size(); ++i) {
      found = text_in(env[i], "name") == "RANK";
      if (found) rank = text_in(env[i], "value");
    }
  });
  return rank;
}

std::string add_rank(const PodPlace& place, const Arguments& arguments) {
  constexpr const char* kKey = "hccl/rankIndex";
  Json& annotations = object_in(object_in(place.pod, "metadata"), "annotations");
  if (!text_in(annotations, kKey).empty()) return {};
  std::string rank = rank_of(place.spec);
  if (rank.empty()) {
    std::int64_t index = place.index;
    if (place.task.name != arguments.text("master")) {
      if (place.task.name != arguments.text("worker")) return {};
      const TaskSpec* master = find_task(*place.job.spec, arguments.text("master"));
      index += master ? master->replicas : 0;
    }
    rank = std::to_string(index);
  }
  annotations[kKey] = rank;
  return {};
}

}  // namespace

constexpr Plugin kTensorflowPlugin{"tensorflow", kTensorflowOptions, add_tensorflow, nullptr};
constexpr Plugin kPytorchPlugin{"pytorch", kPytorchOptions, add_pytorch, nullptr};
constexpr Plugin kMpiPlugin{"mpi", kMpiOptions, add_mpi, nullptr};
constexpr Plugin kRayPlugin{"ray", kRayOptions, add_ray, make_head_service};
constexpr Plugin kHcclrankPlugin{"hcclrank", kHcclrankOptions, add_rank, nullptr, false};

}  // namespace pumice::volcano
