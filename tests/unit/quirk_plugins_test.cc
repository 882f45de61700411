// Quirks of the job plugins, each on and off (spec/volcano-plugins.md).
#include <catch2/catch_test_macros.hpp>

#include "support/ask.h"
#include "support/quirks.h"

using namespace pumice;
using namespace pumice::test;

namespace {

Json job_of(std::string_view plugins, std::initializer_list<std::pair<const char*, int>> tasks,
            std::string_view ports = "") {
  Json job = job_with("plugins: {" + std::string(plugins) + "}");
  for (const auto& [name, replicas] : tasks) {
    Json task = from_yaml("{template: {spec: {containers: [{image: i" + std::string(ports) + "}]}}}");
    task["name"] = task["template"]["spec"]["containers"][0]["name"] = name;
    task["replicas"] = replicas;
    job["spec"]["tasks"].push_back(task);
  }
  return job;
}

std::string rank_of(const Json& answer, std::string_view pod) {
  const Json made = created_pod(answer, pod);
  for (const Json& entry : made.at("spec").at("containers")[0].at("env"))
    if (entry.at("name") == "RANK") return entry.at("value");
  return "none";
}

std::vector<std::string> ports_of(const Json& answer, std::string_view pod) {
  std::vector<std::string> list;
  const Json made = created_pod(answer, pod);
  for (const Json& port : made.at("spec").at("containers")[0].at("ports"))
    list.push_back(port.at("name").get<std::string>() + " " + std::to_string(port.at("containerPort").get<int>()));
  return list;
}

OnOff<Json> sync_both(std::string_view quirk, const Json& job) {
  return ask_both("volcano.execute", sync_args(job), quirk);
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("masters-rank-zero", "[quirks]") {
  const auto synced = sync_both("masters-rank-zero", job_of("pytorch: []", {{"master", 2}, {"worker", 2}}));
  const auto ranks = [](const Json& answer) {
    return Texts{rank_of(answer, "j-master-0"), rank_of(answer, "j-master-1"), rank_of(answer, "j-worker-0"),
                 rank_of(answer, "j-worker-1")};
  };
  CHECK(ranks(synced.on) == Texts{"0", "0", "1", "2"});
  CHECK(ranks(synced.off) == Texts{"0", "1", "2", "3"});
}

TEST_CASE("port-name-doubled", "[quirks]") {
  for (const auto& [plugin, port, number] :
       {std::tuple{"pytorch", "pytorchjob-port", "23456"}, std::tuple{"mpi", "mpijob-port", "22"}}) {
    const std::string own = std::string(port) + " 123";
    const auto synced =
        sync_both("port-name-doubled", job_of(std::string(plugin) + ": []", {{"master", 1}, {"worker", 1}},
                                              ", ports: [{name: " + std::string(port) + ", containerPort: 123}]"));
    CHECK(ports_of(synced.on, "j-master-0") == Texts{own, std::string(port) + " " + number});
    CHECK(ports_of(synced.off, "j-master-0") == Texts{own});
    const auto plain =
        sync_both("port-name-doubled", job_of(std::string(plugin) + ": []", {{"master", 1}, {"worker", 1}}));
    CHECK(ports_of(plain.off, "j-worker-0") == Texts{std::string(port) + " " + number});
  }
}

TEST_CASE("ray-targets-name", "[quirks]") {
  const auto synced = sync_both("ray-targets-name", job_of("ray: []", {{"head", 1}}));
  const auto targets = [](const Json& answer) {
    Json list = Json::array();
    const Json made = effects_of(answer, "CreateObject").at(0).at("object");
    for (const Json& port : made.at("spec").at("ports")) list.push_back(port.at("targetPort"));
    return list;
  };
  CHECK(targets(synced.on) == Json{"gcs", "dashboard", "client-server"});
  CHECK(targets(synced.off) == Json{6379, 8265, 10001});
}

TEST_CASE("ssh-hosts-stale", "[quirks]") {
  using namespace volcano;
  Job job;
  job.meta.ns = "ns";
  job.meta.name = "j";
  job.meta.uid = "u";
  JobSpec spec;
  spec.plugins = {{"ssh", {}}};
  spec.tasks.resize(1);
  spec.tasks[0].name = "w";
  spec.tasks[0].replicas = 2;
  job.spec = std::make_shared<const JobSpec>(spec);
  auto wanted = plugin_objects(job);
  REQUIRE(wanted.size() == 1);
  // A Secret of one host, with keys of its own.
  const Json stored = from_yaml("{data: {config: b2xk, id_rsa: a2V5, id_rsa.pub: cHVi, authorized_keys: cHVi}}");
  const ObjectMap existing{{wanted[0].object.id, stored}};
  StringMap controlled{{"plugin-ssh", "ssh"}};
  const auto plan = [&](Quirks quirks) {
    return plan_hook(Hook::JobUpdate, job, wanted, existing, nullptr, controlled, quirks).effects;
  };
  CHECK(plan(kVolcanoQuirks).empty());
  const auto effects = plan(kVolcanoQuirks.without(Quirk::SshHostsStale));
  REQUIRE(effects.size() == 1);
  const Json data = std::get<UpdateObject>(effects[0]).object.body.operator*().at("data");
  CHECK(data.at("id_rsa") == "a2V5");
  CHECK(data.at("authorized_keys") == "cHVi");
  CHECK(data.at("config") != "b2xk");
  // Up to date: nothing is written.
  const ObjectMap fresh{{wanted[0].object.id, *std::get<UpdateObject>(effects[0]).object.body}};
  CHECK(
      plan_hook(Hook::JobUpdate, job, wanted, fresh, nullptr, controlled, kVolcanoQuirks.without(Quirk::SshHostsStale))
          .effects.empty());
}
