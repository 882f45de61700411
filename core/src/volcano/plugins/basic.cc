// env, ssh and svc: names, keys and addresses for any job (spec/volcano-plugins.md 2 - 4).
#include <algorithm>

#include "pumice/volcano/pod_object.h"
#include "volcano/json_parts.h"
#include "volcano/plugins/plugin.h"

namespace pumice::volcano {
namespace {

// env

std::string add_index(const PodPlace& place, const Arguments&) {
  const std::string index = std::to_string(place.index);
  for (const char* list : kContainerLists) {
    for_each_container(place.spec, list, [&](Json& container) {
      append_env(container, "VK_TASK_INDEX", index);
      append_env(container, "VC_TASK_INDEX", index);
    });
  }
  return {};
}

// ssh

constexpr std::string_view kRootKeys = "/root/.ssh";
constexpr Option kSshOptions[] = {{"ssh-key-file-path", kRootKeys},
                                  {"ssh-private-key", ""},
                                  {"ssh-public-key", ""},
                                  {"ssh-port", "22", Option::Type::Number}};
constexpr std::string_view kKeyFiles[] = {"id_rsa", "id_rsa.pub", "authorized_keys", "config"};

std::string mount_keys(const PodPlace& place, const Arguments& arguments) {
  const std::string secret = place.job.meta.name + "-ssh";
  const std::string& path = arguments.text("ssh-key-file-path");
  Json items = Json::array();
  for (const std::string_view file : kKeyFiles)
    items.push_back(object_of({{"key", file}, {"path", ".ssh/" + std::string(file)}}));
  list_in(place.spec, "volumes")
      .push_back(object_of({{"name", secret},
                            {"secret", object_of({{"secretName", secret},
                                                  {"items", std::move(items)},
                                                  {"defaultMode", path == kRootKeys ? 0600 : 0644}})}}));
  for (const char* list : kContainerLists) {
    for_each_container(place.spec, list, [&](Json& container) {
      append_mount(container, secret, path);
      container["volumeMounts"].back()["subPath"] = ".ssh";
    });
  }
  return {};
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t group = 0;
    for (std::size_t i = at; i < at + 3; ++i)
      group = group << 8U | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i) out += at + i > bytes.size() ? '=' : kLetters[group >> (18 - 6 * i) & 63U];
  }
  return out;
}

/// The keys are put in when the secret is made: each time it is, they are new ones.
void make_secret(const Job& job, const Arguments& arguments, Quirks, std::vector<PluginObject>& objects) {
  std::int64_t port = arguments.number("ssh-port");
  if (port <= 0 || port > 65535) port = 22;
  std::string config = "StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\n";
  for (const TaskSpec& task : job.spec->tasks) {
    const std::int32_t hosts = host_count(task);
    for (std::int32_t i = 0; i < hosts; ++i) {
      config += "Host " + host_name_of(job, task, i) + "\n  HostName " + host_of(job, task, i) + "\n  Port " +
                std::to_string(port) + "\n";
    }
  }
  Json data = object_of({{"config", base64(config)}});
  if (const std::string& given = arguments.text("ssh-private-key"); !given.empty()) {
    const std::string public_key = base64(arguments.text("ssh-public-key"));
    data["id_rsa"] = base64(given);
    data["id_rsa.pub"] = data["authorized_keys"] = public_key;
  }
  objects.push_back({kSshPlugin.name,
                     owned_object(job, ObjectType::Secret, "v1", job.meta.name + "-ssh", {{"data", std::move(data)}}),
                     "/data/config"});
}

// svc

constexpr Option kSvcOptions[] = {{"publish-not-ready-addresses", "false", Option::Type::Flag},
                                  {"disable-network-policy", "false", Option::Type::Flag},
                                  {"inject-hosts-env", "true", Option::Type::Flag}};

/// `VC_<TASK>_`.
std::string variable_prefix(std::string task) {
  for (char& c : task) {
    if (c == '-') c = '_';
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return "VC_" + task + "_";
}

std::string add_service(const PodPlace& place, const Arguments& arguments) {
  const Job& job = place.job;
  const std::string map = job.meta.name + "-svc";
  if (text_in(place.spec, "hostname").empty()) place.spec["hostname"] = text_in(place.pod["metadata"], "name");
  if (text_in(place.spec, "subdomain").empty()) place.spec["subdomain"] = job.meta.name;

  list_in(place.spec, "volumes").push_back(object_of({{"name", map}, {"configMap", object_of({{"name", map}})}}));
  const bool injects = arguments.flag("inject-hosts-env");
  for (const char* list : kContainerLists) {
    for_each_container(place.spec, list, [&](Json& container) {
      for (std::size_t i = 0; injects && i < job.spec->tasks.size(); ++i) {
        for (const char* what : {"HOSTS", "NUM"}) {
          const std::string name = variable_prefix(job.spec->tasks[i].name) + what;
          Json source = object_of({{"configMapKeyRef", object_of({{"name", map}, {"key", name}})}});
          list_in(container, "env").push_back(object_of({{"name", name}, {"valueFrom", std::move(source)}}));
        }
      }
      append_mount(container, map, "/etc/volcano");
    });
  }
  return {};
}

void make_service(const Job& job, const Arguments& arguments, Quirks, std::vector<PluginObject>& objects) {
  Json data = Json::object();
  for (const TaskSpec& task : job.spec->tasks) {
    std::string file = task.name;
    std::replace(file.begin(), file.end(), '-', '_');
    const std::string prefix = variable_prefix(task.name);
    data[file + ".host"] = joined_hosts(job, task, '\n');
    data[prefix + "HOSTS"] = joined_hosts(job, task, ',');
    data[prefix + "NUM"] = std::to_string(host_count(task));
  }
  const std::string_view name = kSvcPlugin.name;
  objects.push_back(
      {name, owned_object(job, ObjectType::ConfigMap, "v1", job.meta.name + "-svc", {{"data", std::move(data)}}),
       "/data"});

  Json service = object_of({{"clusterIP", "None"}, {"selector", job_labels(job)}});
  if (arguments.flag("publish-not-ready-addresses")) service["publishNotReadyAddresses"] = true;
  objects.push_back(
      {name, owned_object(job, ObjectType::Service, "v1", job.meta.name, {{"spec", std::move(service)}}), ""});

  if (arguments.flag("disable-network-policy")) return;
  const Json pods = object_of({{"matchLabels", job_labels(job)}});
  const Json from = object_of({{"from", Json::array({object_of({{"podSelector", pods}})})}});
  Json policy =
      object_of({{"podSelector", pods}, {"ingress", Json::array({from})}, {"policyTypes", Json::array({"Ingress"})}});
  objects.push_back({name,
                     owned_object(job, ObjectType::NetworkPolicy, "networking.k8s.io/v1", job.meta.name,
                                  {{"spec", std::move(policy)}}),
                     ""});
}

}  // namespace

SshKeys placeholder_keys(const Job& job) {
  std::string letters;
  for (const char* part : {"/a", "/b", "/c", "/d"})
    letters += derived_suffix(job.meta.uid + "/" + std::to_string(job.status.version) + part);
  const std::string title = "PUMICE PLACEHOLDER, NOT A KEY";
  return {"-----BEGIN " + title + "-----\n" + letters + "\n-----END " + title + "-----\n",
          "pumice-placeholder-not-a-key " + letters + "\n"};
}

/// Only here are texts of a secret put into the form of the API.
Json with_keys(const Json& secret, const SshKeys& keys) {
  Json out = secret;
  Json& data = out["data"];
  if (data.contains("id_rsa")) return out;
  data["id_rsa"] = base64(keys.private_key);
  data["id_rsa.pub"] = data["authorized_keys"] = base64(keys.public_key);
  return out;
}

Json with_keys_of(const Json& secret, const Json& stored) {
  Json out = secret;
  for (const std::string_view file : kKeyFiles) {
    const std::string name(file);
    const std::string kept = text_in(member_of(stored, "data"), name.c_str());
    if (file != "config" && !kept.empty()) out["data"][name] = kept;
  }
  return out;
}

constexpr Plugin kEnvPlugin{"env", {}, add_index, nullptr};
constexpr Plugin kSshPlugin{"ssh", kSshOptions, mount_keys, make_secret};
constexpr Plugin kSvcPlugin{"svc", kSvcOptions, add_service, make_service, true, true};

}  // namespace pumice::volcano
