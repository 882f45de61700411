// The job plugins (spec/volcano-plugins.md), asked through whole syncs and kills.
#include "pumice/volcano/plugins.h"

#include <catch2/catch_test_macros.hpp>

#include "support/ask.h"
#include "volcano/plugins/arguments.h"

using namespace pumice;
using namespace pumice::test;
using namespace pumice::volcano;

namespace {

/// A job with these plugins and tasks; each task has one container called like it.
Json job_of(std::string_view plugins, std::initializer_list<std::pair<const char*, int>> tasks) {
  Json job = job_with("plugins: {" + std::string(plugins) + "}");
  for (const auto& [name, replicas] : tasks) {
    Json task = from_yaml("{template: {spec: {containers: [{image: i}], initContainers: [{name: init}]}}}");
    task["name"] = task["template"]["spec"]["containers"][0]["name"] = name;
    task["replicas"] = replicas;
    job["spec"]["tasks"].push_back(task);
  }
  return job;
}

Json sync(const Json& job) { return ask("volcano.execute", sync_args(job)); }
Json pod_of(const Json& job, std::string_view name) { return created_pod(sync(job), name); }

const Json& main_of(const Json& pod) { return pod.at("spec").at("containers")[0]; }
const Json& init_of(const Json& pod) { return pod.at("spec").at("initContainers")[0]; }

/// `A=1 B=2`, in order; references to config maps as `A<map/key>`.
std::string env_of(const Json& container) {
  std::string text;
  for (const Json& entry : container.value("env", Json::array())) {
    if (!text.empty()) text += ' ';
    text += entry.at("name").get<std::string>();
    if (entry.contains("valueFrom")) {
      const Json& key = entry.at("valueFrom").at("configMapKeyRef");
      text += "<" + key.at("name").get<std::string>() + "/" + key.at("key").get<std::string>() + ">";
    } else {
      text += "=" + entry.value("value", "");
    }
  }
  return text;
}

/// `22:ssh 80:web`.
std::string ports_of(const Json& container) {
  std::string text;
  for (const Json& port : container.value("ports", Json::array()))
    text += (text.empty() ? "" : " ") + std::to_string(port.at("containerPort").get<int>()) + ":" +
            port.at("name").get<std::string>();
  return text;
}

Json object_made(const Json& answer, std::string_view kind) {
  for (const Json& effect : effects_of(answer, "CreateObject"))
    if (effect.at("kind") == kind) return effect.at("object");
  INFO(answer.dump(1));
  FAIL("no " << kind);
  return {};
}

std::string decoded(std::string_view base64) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : base64) {
    if (c == '=') break;
    bits = bits << 6U | static_cast<std::uint32_t>(kLetters.find(c));
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out += static_cast<char>(bits >> held & 255U);
  }
  return out;
}

Json kill_args(const Json& job) {
  Json args = sync_args(job);
  args["action"] = from_yaml("{action: AbortJob}");
  return args;
}

constexpr std::string_view kMarkers =
    "status: {state: {phase: Running}, controlledResources: {plugin-env: env, plugin-ssh: ssh, plugin-svc: svc, "
    "plugin-ray: ray}}";

}  // namespace

TEST_CASE("arguments are read as Go's flags") {
  constexpr Option options[] = {
      {"text", "t"}, {"number", "7", Option::Type::Number}, {"flag", "true", Option::Type::Flag}};
  struct Row {
    std::vector<std::string> items;
    std::string_view text;
    std::int64_t number;
    bool flag;
  };
  const Row rows[] = {
      {{}, "t", 7, true},
      {{"-text=a", "--number=0x10", "--flag=F"}, "a", 16, false},
      {{"--text", "a b", "-number", "-0b11", "-flag=0"}, "a b", -3, false},
      {{"--number", "0o17", "--text", "--flag"}, "--flag", 15, true},
      {{"--number=017"}, "t", 15, true},
      {{"--flag", "false", "--text=a"}, "t", 7, true},  // `false` is no option: reading stops there
      {{"--text=a", "--unknown", "--number=1"}, "a", 7, true},
      {{"--text=a", "--number=x", "--text=b"}, "a", 7, true},
      {{"--text=a", "--", "--text=b"}, "a", 7, true},
      {{"--text=a", "-", "--text=b"}, "a", 7, true},
      {{"--text=a", "---text=b"}, "a", 7, true},
      {{"--text=a", "--=b", "--text=c"}, "a", 7, true},
      {{"--text=a", "--text=b", "--text="}, "", 7, true},
      {{"--number"}, "t", 7, true},
      {{"--number=9223372036854775808"}, "t", 7, true},
      {{"--number=-9223372036854775808"}, "t", INT64_MIN, true},
      {{"--flag=maybe"}, "t", 7, true},
      {{""}, "t", 7, true},
  };
  for (const Row& row : rows) {
    INFO((row.items.empty() ? std::string() : row.items.front()));
    const Arguments arguments(options, row.items);
    CHECK(arguments.text("text") == row.text);
    CHECK(arguments.number("number") == row.number);
    CHECK(arguments.flag("flag") == row.flag);
  }
}

TEST_CASE("env: the pod's index, under both names, everywhere") {
  const Json answer = sync(job_of("env: [ignored]", {{"w", 2}}));
  const Json pod = created_pod(answer, "j-w-1");
  CHECK(env_of(main_of(pod)) == "VK_TASK_INDEX=1 VC_TASK_INDEX=1");
  CHECK(env_of(init_of(pod)) == "VK_TASK_INDEX=1 VC_TASK_INDEX=1");
  CHECK(effects_of(answer, "CreateObject").empty());
  CHECK(answer.at("job").at("status").at("controlledResources") == Json{{"plugin-env", "env"}});
}

TEST_CASE("ssh: the secret, and where it is mounted") {
  Json job = job_of("ssh: ['--ssh-port=2026']", {{"a", 2}, {"b", 3}});
  job["spec"]["tasks"][1]["template"]["spec"]["hostname"] = "h";
  job["spec"]["tasks"][1]["template"]["spec"]["subdomain"] = "s";
  const Json answer = sync(job);
  const Json secret = object_made(answer, "Secret");
  CHECK(secret.at("metadata").at("name") == "j-ssh");
  CHECK(secret.at("metadata").at("ownerReferences")[0].at("uid") == "u");
  const Json& data = secret.at("data");
  CHECK(decoded(data.at("config").get<std::string>()) ==
        "StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\n"
        "Host j-a-0\n  HostName j-a-0.j\n  Port 2026\nHost j-a-1\n  HostName j-a-1.j\n  Port 2026\n"
        "Host h\n  HostName h.s\n  Port 2026\n");
  CHECK(data.at("id_rsa.pub") == data.at("authorized_keys"));
  // Placeholders name themselves so.
  CHECK(decoded(data.at("id_rsa").get<std::string>()).find("PLACEHOLDER, NOT A KEY") != std::string::npos);
  CHECK(decoded(data.at("id_rsa.pub").get<std::string>()).find("placeholder-not-a-key") != std::string::npos);

  const Json pod = created_pod(answer, "j-a-0");
  CHECK(pod.at("spec").at("volumes")[0] == from_yaml(R"(
    name: j-ssh
    secret:
      secretName: j-ssh
      defaultMode: 384
      items:
      - {key: id_rsa, path: .ssh/id_rsa}
      - {key: id_rsa.pub, path: .ssh/id_rsa.pub}
      - {key: authorized_keys, path: .ssh/authorized_keys}
      - {key: config, path: .ssh/config})"));
  const Json mount = from_yaml("{name: j-ssh, mountPath: /root/.ssh, subPath: .ssh}");
  CHECK(main_of(pod).at("volumeMounts") == Json::array({mount}));
  CHECK(init_of(pod).at("volumeMounts") == Json::array({mount}));
}

TEST_CASE("ssh: arguments") {
  const auto secret_of = [](std::string_view items) {
    return object_made(sync(job_of("ssh: [" + std::string(items) + "]", {{"a", 1}})), "Secret").at("data");
  };
  const Json given = secret_of(R"('--ssh-private-key=a\nb', --ssh-public-key=pub)");
  CHECK(decoded(given.at("id_rsa").get<std::string>()) == "a\\nb");
  CHECK(decoded(given.at("id_rsa.pub").get<std::string>()) == "pub");
  CHECK(given.at("authorized_keys") == given.at("id_rsa.pub"));
  for (const char* port : {"-10", "0", "65536", "22"}) {
    const Json data = secret_of("'--ssh-port=" + std::string(port) + "'");
    CHECK(decoded(data.at("config").get<std::string>()).find("  Port 22\n") != std::string::npos);
  }
  const Json pod = pod_of(job_of("ssh: [--ssh-key-file-path=/home/x/.ssh]", {{"a", 1}}), "j-a-0");
  CHECK(pod.at("spec").at("volumes")[0].at("secret").at("defaultMode") == 0644);
  CHECK(main_of(pod).at("volumeMounts")[0].at("mountPath") == "/home/x/.ssh");
  CHECK(pod_of(job_of("ssh: [--no-root, --ssh-key-file-path=/x]", {{"a", 1}}), "j-a-0")
            .at("spec")
            .at("volumes")[0]
            .at("secret")
            .at("defaultMode") == 0600);
}

TEST_CASE("svc: addresses for all tasks") {
  Json job = job_of("svc: []", {{"my-task", 2}, {"b", 3}, {"none", 0}});
  job["spec"]["tasks"][1]["template"]["spec"]["hostname"] = "h";
  const Json answer = sync(job);
  CHECK(object_made(answer, "ConfigMap").at("data") == Json{{"my_task.host", "j-my-task-0.j\nj-my-task-1.j"},
                                                            {"VC_MY_TASK_HOSTS", "j-my-task-0.j,j-my-task-1.j"},
                                                            {"VC_MY_TASK_NUM", "2"},
                                                            {"b.host", "h.j"},
                                                            {"VC_B_HOSTS", "h.j"},
                                                            {"VC_B_NUM", "1"},
                                                            {"none.host", ""},
                                                            {"VC_NONE_HOSTS", ""},
                                                            {"VC_NONE_NUM", "0"}});
  CHECK(object_made(answer, "Service").at("spec") ==
        from_yaml("{clusterIP: None, selector: {volcano.sh/job-name: j, volcano.sh/job-namespace: ns}}"));
  CHECK(object_made(answer, "NetworkPolicy") == from_yaml(R"(
    apiVersion: networking.k8s.io/v1
    kind: NetworkPolicy
    metadata:
      name: j
      namespace: ns
      ownerReferences:
      - {apiVersion: batch.volcano.sh/v1alpha1, kind: Job, name: j, uid: u, controller: true, blockOwnerDeletion: true}
    spec:
      podSelector: {matchLabels: {volcano.sh/job-name: j, volcano.sh/job-namespace: ns}}
      ingress:
      - from:
        - podSelector: {matchLabels: {volcano.sh/job-name: j, volcano.sh/job-namespace: ns}}
      policyTypes: [Ingress])"));
  CHECK(effect_names(answer)[1].starts_with("CreateObject ConfigMap"));
  CHECK(effect_names(answer)[2].starts_with("CreateObject Service"));
  CHECK(effect_names(answer)[3].starts_with("CreateObject NetworkPolicy"));

  const Json pod = created_pod(answer, "j-my-task-1");
  CHECK(pod.at("spec").at("hostname") == "j-my-task-1");
  CHECK(pod.at("spec").at("subdomain") == "j");
  CHECK(created_pod(answer, "j-b-2").at("spec").at("hostname") == "h");
  const std::string env =
      "VC_MY_TASK_HOSTS<j-svc/VC_MY_TASK_HOSTS> VC_MY_TASK_NUM<j-svc/VC_MY_TASK_NUM> VC_B_HOSTS<j-svc/VC_B_HOSTS> "
      "VC_B_NUM<j-svc/VC_B_NUM> VC_NONE_HOSTS<j-svc/VC_NONE_HOSTS> VC_NONE_NUM<j-svc/VC_NONE_NUM>";
  CHECK(env_of(main_of(pod)) == env);
  CHECK(env_of(init_of(pod)) == env);
  CHECK(pod.at("spec").at("volumes")[0] == from_yaml("{name: j-svc, configMap: {name: j-svc}}"));
  CHECK(init_of(pod).at("volumeMounts")[0] == from_yaml("{name: j-svc, mountPath: /etc/volcano}"));
}

TEST_CASE("svc: arguments") {
  const Json answer = sync(job_of(
      "svc: [--disable-network-policy=true, --inject-hosts-env=false, --publish-not-ready-addresses]", {{"w", 1}}));
  CHECK(effects_of(answer, "CreateObject").size() == 2);
  CHECK(object_made(answer, "Service").at("spec").at("publishNotReadyAddresses") == true);
  CHECK(env_of(main_of(created_pod(answer, "j-w-0"))).empty());
}

TEST_CASE("tensorflow: the cluster as every container sees it") {
  const Json answer =
      sync(job_of("tensorflow: [--port=5000]", {{"ps", 2}, {"worker", 2}, {"chief", 1}, {"evaluator", 0}, {"x", 1}}));
  const std::string cluster =
      R"(TF_CONFIG={"cluster":{"ps":["j-ps-0.j:5000","j-ps-1.j:5000"],"worker":["j-worker-0.j:5000","j-worker-1.j:5000"],)"
      R"("chief":["j-chief-0.j:5000"]},"task":{"type":)";
  CHECK(env_of(main_of(created_pod(answer, "j-ps-1"))) == cluster + R"("ps","index":1}})");
  CHECK(env_of(main_of(created_pod(answer, "j-chief-0"))) == cluster + R"("chief","index":0}})");
  CHECK(env_of(main_of(created_pod(answer, "j-x-0"))) == cluster + R"("x","index":0}})");
  CHECK(env_of(init_of(created_pod(answer, "j-ps-1"))).empty());
  CHECK(ports_of(main_of(created_pod(answer, "j-ps-1"))).empty());

  CHECK(env_of(main_of(pod_of(job_of("tensorflow: []", {{"worker", 1}}), "j-worker-0"))).empty());
  const Json renamed = job_of("tensorflow: [--worker=w]", {{"w", 2}});
  CHECK(env_of(main_of(pod_of(renamed, "j-w-1"))) ==
        R"(TF_CONFIG={"cluster":{"worker":["j-w-0.j:2222","j-w-1.j:2222"]},"task":{"type":"worker","index":1}})");
  Json named = job_of("tensorflow: []", {{"worker", 2}});
  named["spec"]["tasks"][0]["template"]["spec"]["hostname"] = "h";
  CHECK(env_of(main_of(pod_of(named, "j-worker-0"))).find(R"(["h.j:2222","h.j:2222"])") != std::string::npos);
}

TEST_CASE("pytorch: addresses, ranks and ports") {
  Json job = job_of("pytorch: []", {{"master", 1}, {"worker", 2}, {"x", 2}});
  job["spec"]["tasks"][2]["template"]["spec"]["containers"][0]["ports"] =
      from_yaml("[{name: pytorchjob-port, containerPort: 123}]");
  const Json answer = sync(job);
  const std::string common = "MASTER_ADDR=j-master-0.j MASTER_PORT=23456 WORLD_SIZE=3";
  CHECK(env_of(main_of(created_pod(answer, "j-master-0"))) == common + " RANK=0");
  CHECK(env_of(main_of(created_pod(answer, "j-worker-0"))) == common + " RANK=1");
  CHECK(env_of(main_of(created_pod(answer, "j-worker-1"))) == common + " RANK=2");
  CHECK(env_of(main_of(created_pod(answer, "j-x-1"))) == common);
  CHECK(ports_of(main_of(created_pod(answer, "j-master-0"))) == "23456:pytorchjob-port");
  CHECK(ports_of(main_of(created_pod(answer, "j-x-0"))) == "123:pytorchjob-port 23456:pytorchjob-port");
  CHECK(env_of(init_of(created_pod(answer, "j-worker-0"))).empty());

  const Json none = pod_of(job_of("pytorch: []", {{"worker", 1}}), "j-worker-0");
  CHECK(env_of(main_of(none)).empty());
  CHECK(ports_of(main_of(none)).empty());
}

TEST_CASE("pytorch: workers may wait for the master") {
  Json job = job_of("pytorch: [--wait-master-enabled, --wait-master-timeout=600, --wait-master-image=im]",
                    {{"master", 1}, {"worker", 1}});
  const Json answer = sync(job);
  const Json containers = created_pod(answer, "j-worker-0").at("spec").at("initContainers");
  REQUIRE(containers.size() == 2);
  CHECK(containers[1].at("name") == "wait-for-master");
  CHECK(containers[1].at("image") == "im");
  CHECK(containers[1].size() == 3);
  CHECK(containers[1].at("command")[0] == "sh");
  CHECK(containers[1].at("command")[1] == "-c");
  const std::string script = containers[1].at("command")[2];
  CHECK(script.find("nc -z j-master-0.j 23456") != std::string::npos);
  CHECK(script.find("/dev/tcp/j-master-0.j/23456") != std::string::npos);
  CHECK(script.find("-ge 600 ") != std::string::npos);
  CHECK(created_pod(answer, "j-master-0").at("spec").at("initContainers").size() == 1);

  job["spec"]["tasks"][1]["template"]["spec"]["initContainers"][0]["name"] = "wait-for-master";
  CHECK(pod_of(job, "j-worker-0").at("spec").at("initContainers").size() == 1);
  const Json off = job_of("pytorch: []", {{"master", 1}, {"worker", 1}});
  CHECK(pod_of(off, "j-worker-0").at("spec").at("initContainers").size() == 1);
}

TEST_CASE("mpi: the master knows its workers") {
  const Json answer = sync(job_of("mpi: []", {{"master", 1}, {"worker", 2}, {"x", 1}}));
  const Json master = created_pod(answer, "j-master-0");
  CHECK(env_of(main_of(master)) == "MPI_HOST=j-worker-0.j,j-worker-1.j");
  CHECK(env_of(init_of(master)) == "MPI_HOST=j-worker-0.j,j-worker-1.j");
  for (const char* name : {"j-master-0", "j-worker-0", "j-x-0"}) {
    CHECK(ports_of(main_of(created_pod(answer, name))) == "22:mpijob-port");
    CHECK(ports_of(init_of(created_pod(answer, name))) == "22:mpijob-port");
  }
  CHECK(env_of(main_of(created_pod(answer, "j-worker-0"))).empty());

  CHECK(env_of(main_of(pod_of(job_of("mpi: [--port=5000]", {{"master", 1}, {"worker", 0}}), "j-master-0"))) ==
        "MPI_HOST=");
  const Json alone = pod_of(job_of("mpi: []", {{"master", 1}}), "j-master-0");
  CHECK(env_of(main_of(alone)).empty());
  CHECK(ports_of(main_of(alone)).empty());
  CHECK(ports_of(main_of(pod_of(job_of("mpi: [--port=5000]", {{"x", 1}}), "j-x-0"))) == "5000:mpijob-port");
}

TEST_CASE("ray: commands, ports and the service of the head") {
  const Json answer = sync(job_of("ray: []", {{"head", 1}, {"worker", 2}, {"x", 1}}));
  CHECK(main_of(created_pod(answer, "j-head-0")).at("command") ==
        Json{"sh", "-c",
             "ray start --head --block --dashboard-host=0.0.0.0 --port=6379 --dashboard-port=8265 "
             "--ray-client-server-port=10001"});
  CHECK(ports_of(main_of(created_pod(answer, "j-head-0"))) == "6379:gcs 8265:dashboard 10001:client-server");
  CHECK(main_of(created_pod(answer, "j-worker-1")).at("command") ==
        Json{"sh", "-c", "ray start --block --address=j-head-0.j:6379"});
  CHECK(ports_of(main_of(created_pod(answer, "j-worker-1"))).empty());
  CHECK_FALSE(main_of(created_pod(answer, "j-x-0")).contains("command"));
  const Json service = object_made(answer, "Service");
  CHECK(service.at("metadata").at("name") == "j-head-svc");
  CHECK(service.at("spec") == from_yaml(R"(
    selector: {volcano.sh/job-name: j, volcano.sh/job-namespace: ns, volcano.sh/task-spec: head}
    ports:
    - {name: gcs, port: 6379, protocol: TCP, targetPort: gcs}
    - {name: dashboard, port: 8265, protocol: TCP, targetPort: dashboard}
    - {name: client-server, port: 10001, protocol: TCP, targetPort: client-server})"));

  Json named =
      job_of("ray: [--head=test-head, --headContainer=c, --port=1234, --dashboardPort=3456, --clientPort=4567]",
             {{"test-head", 1}});
  named["spec"]["tasks"][0]["template"]["spec"]["containers"] =
      from_yaml("[{name: c, args: [kept], ports: [{name: mine, containerPort: 3456}]}, {name: head}]");
  const Json pod = pod_of(named, "j-test-head-0");
  CHECK(main_of(pod).at("args") == Json{"kept"});
  CHECK(ports_of(main_of(pod)) == "3456:mine 1234:gcs 4567:client-server");
  CHECK_FALSE(pod.at("spec").at("containers")[1].contains("command"));

  const Json headless = sync(job_of("ray: []", {{"worker", 1}}));
  CHECK(headless.at("error") == "job j doesn't have head task head");
  CHECK(effects_of(headless, "CreatePod").empty());
}

TEST_CASE("hcclrank: the rank is counted, unless it is there") {
  const auto rank = [](std::string_view arguments, std::initializer_list<std::pair<const char*, int>> tasks,
                       std::string_view pod, std::string_view annotation = "", std::string_view env = "") {
    Json job = job_of("hcclrank: [" + std::string(arguments) + "]", tasks);
    for (Json& task : job["spec"]["tasks"]) {
      if (!annotation.empty()) task["template"]["metadata"]["annotations"]["hccl/rankIndex"] = annotation;
      if (!env.empty()) task["template"]["spec"]["containers"] = from_yaml(env);
    }
    return pod_of(job, pod).at("metadata").at("annotations").value("hccl/rankIndex", "none");
  };
  CHECK(rank("", {{"master", 3}}, "j-master-2") == "2");
  CHECK(rank("", {{"master", 2}, {"worker", 2}}, "j-worker-1") == "3");
  CHECK(rank("--master, x, --worker, z", {{"x", 4}, {"z", 3}}, "j-z-2") == "6");
  CHECK(rank("", {{"worker", 1}}, "j-worker-0") == "0");
  CHECK(rank("", {{"x", 1}}, "j-x-0") == "none");
  CHECK(rank("", {{"master", 1}}, "j-master-0", "1") == "1");
  CHECK(rank("", {{"master", 1}}, "j-master-0", "",
             "[{name: a, env: [{name: RANK, value: '5'}]}, "
             "{name: b, env: [{name: RANK, value: '6'}]}]") == "5");
  CHECK(rank("", {{"master", 1}}, "j-master-0", "", "[{name: a, env: [{name: RANK}]}]") == "0");
  CHECK(sync(job_of("hcclrank: []", {{"x", 1}})).at("job").at("status").value("controlledResources", Json()).is_null());
}

TEST_CASE("plugins make their objects once, and again when they are gone") {
  Json job = job_of("env: [], ssh: [], svc: [], ray: []", {{"head", 1}});
  const auto objects = [](const Json& answer) {
    std::vector<std::string> names;
    for (const std::string& name : effect_names(answer))
      if (name.find("Object") != std::string::npos) names.push_back(name);
    return names;
  };
  using Names = std::vector<std::string>;
  const Names made = {"CreateObject Service j-head-svc", "CreateObject Secret j-ssh", "CreateObject ConfigMap j-svc",
                      "CreateObject Service j", "CreateObject NetworkPolicy j"};
  CHECK(objects(sync(job)) == made);
  job.merge_patch(from_yaml("{" + std::string(kMarkers) + "}"));
  // Whoever is marked is not asked again in Pending; in other phases the config map is kept up to date.
  job["status"]["state"]["phase"] = "Pending";
  CHECK(objects(sync(job)).empty());
  job["status"]["state"]["phase"] = "Running";
  CHECK(objects(sync(job)) == Names{"CreateObject ConfigMap j-svc"});

  const Json killed = ask("volcano.execute", kill_args(job));
  CHECK(objects(killed) == Names{"DeleteObject Service j-head-svc", "DeleteObject Secret j-ssh",
                                 "DeleteObject ConfigMap j-svc", "DeleteObject Service j",
                                 "DeleteObject NetworkPolicy j"});
  CHECK(killed.at("job").at("status").value("controlledResources", Json()).is_null());
  CHECK_FALSE(killed.contains("error"));
  // Without marks there is nothing to take back.
  job["status"].erase("controlledResources");
  CHECK(objects(ask("volcano.execute", kill_args(job))).empty());

  // A restart of one pod takes everything back too.
  job.merge_patch(from_yaml("{" + std::string(kMarkers) + "}"));
  Json args = kill_args(job);
  args["action"] = from_yaml("{action: RestartPod, target: {type: pod, taskName: head, podName: j-head-0}}");
  CHECK(objects(ask("volcano.execute", args)).size() == 5);
}

TEST_CASE("an unknown plugin is an error that names it, after those before it did their part") {
  const Json job = job_of("env: [], svc: [], new: []", {{"w", 1}});
  const Json answer = sync(job);
  CHECK(answer.at("error") == "failed to get plugin new");
  CHECK(effect_names(answer) == std::vector<std::string>{"UpdateJobStatus j", "EmitEvent PluginError"});
  CHECK(effects_of(answer, "EmitEvent")[0].at("message") ==
        "Execute plugin when job add failed, err: failed to get plugin new");
  Json running = job;
  running.merge_patch(from_yaml("{" + std::string(kMarkers) + "}"));
  CHECK(ask("volcano.execute", kill_args(running)).at("error") == "failed to get plugin new");
}

TEST_CASE("a plugin's effect that fails ends the sync") {
  Json args = sync_args(job_of("ssh: [], svc: []", {{"w", 1}}));
  args["failures"] = from_yaml("[{effect: CreateObject, name: j-ssh, code: Forbidden}]");
  Json answer = ask("volcano.execute", args);
  CHECK(answer.at("error") == "create secret for job <ns/j> with ssh plugin failed for forbidden");
  CHECK(effects_of(answer, "CreateObject").size() == 1);
  CHECK(answer.at("job").at("status").value("controlledResources", Json()).is_null());
  args["failures"] = from_yaml("[{effect: CreateObject, name: j-svc, code: AlreadyExists}]");
  CHECK_FALSE(ask("volcano.execute", args).contains("error"));
}

TEST_CASE("keys of one's own") {
  JobSpec spec;
  spec.plugins["ssh"] = {};
  spec.tasks.resize(1);
  spec.tasks[0].name = "w";
  Job job;
  job.meta.ns = "ns";
  job.meta.name = "j";
  job.spec = std::make_shared<const JobSpec>(spec);
  StringMap controlled;
  auto wanted = plugin_objects(job);
  const HookPlan plan =
      plan_hook(Hook::JobAdd, job, wanted, {}, [](const Job&) { return SshKeys{"secret", "open"}; }, controlled);
  REQUIRE(plan.effects.size() == 1);
  const ApiObject made = std::get<CreateObject>(plan.effects[0]).object;
  CHECK(decoded((*made.body).at("data").at("id_rsa").get<std::string>()) == "secret");

  // What is there is overwritten only if its hosts differ.
  const auto effects_with = [&](const Json& body) {
    StringMap none;
    return plan_hook(Hook::JobAdd, job, wanted, {{made.id, body}}, nullptr, none).effects;
  };
  CHECK(effects_with(*made.body).empty());
  const SharedJson kept = Json(*made.body);
  StringMap none;
  CHECK(plan_hook(Hook::JobAdd, job, wanted, {{made.id, kept}}, nullptr, none).effects.empty());
  CHECK(wanted[0].agrees.shares_with(kept));  // and need not be compared again
  Json other = *made.body;
  other["data"]["config"] = "x";
  REQUIRE(effects_with(other).size() == 1);
  CHECK(std::holds_alternative<UpdateObject>(effects_with(other)[0]));
  CHECK(effects_with(Json::object()).size() == 1);
}
