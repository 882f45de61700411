// Containers of a pod: names, images, ports, environment, mounts, probes and what else stands in them.
#include <algorithm>
#include <set>

#include "admission/names.h"
#include "admission/pod_template.h"
#include "compose.h"

namespace pumice::admission {
namespace {

using NameSet = std::set<std::string_view>;

constexpr std::string_view kPortRange = "must be between 1 and 65535, inclusive";
constexpr std::string_view kIdRange = "must be between 0 and 2147483647, inclusive";

bool is_port(std::int64_t number) { return number >= 1 && number <= 65535; }

std::string_view text_or(View object, std::string_view member, std::string_view otherwise) {
  const std::string_view text = object.text(member);
  return text.empty() ? otherwise : text;
}

// --- ports ---

void check_ports(Findings& out, View ports, const Path& path) {
  NameSet names;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const View port = ports.at(i);
    const Path item = path.item(i);
    if (const std::string_view name = port.text("name"); !name.empty()) {
      const Messages problems = port_name_problems(name);
      const Path name_path = item.child("name");
      out.invalid_each("pod.port-name", name_path, name, problems);
      if (problems.empty() && !names.insert(name).second) out.duplicate("pod.port-name", name_path, name);
    }
    const std::int64_t number = port["containerPort"].integer_or(0);
    if (number == 0) {
      out.required("pod.port-number", item.child("containerPort"));
    } else if (!is_port(number)) {
      out.invalid("pod.port-number", item.child("containerPort"), number, kPortRange);
    }
    const std::int64_t host = port["hostPort"].integer_or(0);
    if (host != 0 && !is_port(host)) out.invalid("pod.port-number", item.child("hostPort"), host, kPortRange);
    const std::string_view protocol = text_or(port, "protocol", "TCP");
    if (protocol != "TCP" && protocol != "UDP" && protocol != "SCTP") {
      out.unsupported("pod.port-protocol", item.child("protocol"), protocol, {"SCTP", "TCP", "UDP"});
    }
  }
}

using HostPorts = std::set<std::string>;

void check_host_ports(Findings& out, View container, const Path& path, HostPorts& taken) {
  const View ports = container["ports"];
  const Path list = path.child("ports");
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::int64_t host = ports.at(i)["hostPort"].integer_or(0);
    if (host == 0) continue;
    std::string key = compose("{}/{}/{}", text_or(ports.at(i), "protocol", "TCP"), ports.at(i).text("hostIP"), host);
    const Path item = list.item(i);
    if (taken.contains(key)) out.duplicate("pod.host-port", item.child("hostPort"), key);
    taken.insert(std::move(key));
  }
}

// --- environment ---

void check_key_ref(Findings& out, View ref, const Path& path) {
  const Path name = path.child("name");
  out.invalid_each("pod.env-source", name, ref.text("name"), dns_subdomain_problems(ref.text("name")));
  const Path key = path.child("key");
  if (ref.text("key").empty()) {
    out.required("pod.env-source", key);
  } else {
    out.invalid_each("pod.env-source", key, ref.text("key"), config_key_problems(ref.text("key")));
  }
}

/// `metadata.labels['app']` in its two parts; no subscript if it has none.
std::pair<std::string_view, std::optional<std::string_view>> split_subscript(std::string_view path) {
  if (!path.ends_with("']")) return {path, std::nullopt};
  const std::size_t open = path.find("['");
  if (open == std::string_view::npos || open == 0) return {path, std::nullopt};
  return {path.substr(0, open), path.substr(open + 2, path.size() - open - 4)};
}

void check_field_ref(Findings& out, View ref, const Path& path) {
  const std::string_view field = ref.text("fieldPath");
  const Path field_path = path.child("fieldPath");
  if (field.empty()) {
    out.required("pod.env-source", field_path);
    return;
  }
  constexpr std::string_view kFields[] = {
      "metadata.name",   "metadata.namespace", "metadata.uid",       "spec.nodeName", "spec.serviceAccountName",
      "status.hostIP",   "status.hostIPs",     "status.podIP",       "status.podIPs", "metadata.annotations",
      "metadata.labels", "spec.restartPolicy", "spec.schedulerName", "status.phase",  "spec.host"};
  constexpr std::size_t kUsable = 9;
  const auto [plain, subscript] = split_subscript(field);
  if (subscript) {
    if (plain == "metadata.annotations" || plain == "metadata.labels") {
      out.invalid_each("pod.env-source", path, *subscript, qualified_name_problems(*subscript));
      return;
    }
    out.invalid("pod.env-source", field_path, field,
                compose("error converting fieldPath: field label does not support subscript: {}", field));
    return;
  }
  const auto* const found = std::find(std::begin(kFields), std::end(kFields), plain);
  if (found == std::end(kFields)) {
    out.invalid("pod.env-source", field_path, field,
                compose("error converting fieldPath: field label not supported: {}", field));
  } else if (found >= std::begin(kFields) + kUsable) {
    out.unsupported("pod.env-source", field_path, plain,
                    {"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
                     "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"});
  }
}

void check_resource_ref(Findings& out, View ref, const Path& path) {
  const std::string_view resource = ref.text("resource");
  const Path resource_path = path.child("resource");
  constexpr std::string_view kResources[] = {"limits.cpu",   "limits.ephemeral-storage",   "limits.memory",
                                             "requests.cpu", "requests.ephemeral-storage", "requests.memory"};
  if (resource.empty()) {
    out.required("pod.env-source", resource_path);
  } else if (std::find(std::begin(kResources), std::end(kResources), resource) == std::end(kResources) &&
             !resource.starts_with("limits.hugepages-") && !resource.starts_with("requests.hugepages-")) {
    out.unsupported("pod.env-source", resource_path, resource,
                    {"limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu",
                     "requests.ephemeral-storage", "requests.memory"});
  }
}

void check_env_source(Findings& out, View variable, const Path& path) {
  const View from = variable["valueFrom"];
  if (!from.present()) return;
  int sources = 0;
  const auto source = [&](std::string_view name, void (*check)(Findings&, View, const Path&)) {
    if (!from[name].present()) return;
    ++sources;
    const Path source_path = path.child(name);
    check(out, from[name], source_path);
  };
  source("fieldRef", check_field_ref);
  source("resourceFieldRef", check_resource_ref);
  source("configMapKeyRef", check_key_ref);
  source("secretKeyRef", check_key_ref);
  if (from["fileKeyRef"].present()) ++sources;
  if (sources == 0) {
    out.invalid("pod.env-source", path, "",
                "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`");
  } else if (!variable.text("value").empty()) {
    out.invalid("pod.env-source", path, "", "may not be specified when `value` is not empty");
  } else if (sources > 1) {
    out.invalid("pod.env-source", path, "", "may not have more than one field specified at a time");
  }
}

void check_env(Findings& out, View variables, const PodContext& pod, const Path& path) {
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const View variable = variables.at(i);
    const Path item = path.item(i);
    const Path name = item.child("name");
    if (variable.text("name").empty()) {
      out.required("pod.env-name", name);
    } else {
      out.invalid_each("pod.env-name", name, variable.text("name"),
                       env_name_problems(variable.text("name"), pod.options.relaxed_env_names));
    }
    const Path from = item.child("valueFrom");
    check_env_source(out, variable, from);
  }
}

void check_env_from(Findings& out, View sources, const PodContext& pod, const Path& path) {
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const View source = sources.at(i);
    const Path item = path.item(i);
    if (const std::string_view prefix = source.text("prefix"); !prefix.empty()) {
      out.invalid_each("pod.env-name", item.child("prefix"), prefix,
                       env_name_problems(prefix, pod.options.relaxed_env_names));
    }
    int count = 0;
    for (const std::string_view name : {"configMapRef", "secretRef"}) {
      if (!source[name].present()) continue;
      ++count;
      const Path ref = item.child(name);
      const std::string_view target = source[name].text("name");
      if (target.empty()) {
        out.required("pod.env-from", ref.child("name"));
      } else {
        out.invalid_each("pod.env-from", ref.child("name"), target, name_prefix_problems(target));
      }
    }
    if (count == 0) {
      out.invalid("pod.env-from", path, "", "must specify one of: `configMapRef` or `secretRef`");
    } else if (count > 1) {
      out.invalid("pod.env-from", path, "", "may not have more than one field specified at a time");
    }
  }
}

// --- volumes ---

NameSet members_of(View list, std::string_view member) {
  NameSet names;
  for (std::size_t i = 0; i < list.size(); ++i) names.insert(list.at(i).text(member));
  return names;
}

void check_propagation(Findings& out, View mount, View container, const Path& path) {
  if (!mount["mountPropagation"].present()) return;
  const std::string_view mode = mount.text("mountPropagation");
  if (mode != "Bidirectional" && mode != "HostToContainer" && mode != "None") {
    out.unsupported("pod.mount-propagation", path, mode, {"Bidirectional", "HostToContainer", "None"});
  }
  if (mode == "Bidirectional" && !container["securityContext"]["privileged"].flag()) {
    out.forbidden("pod.mount-propagation", path,
                  "Bidirectional mount propagation is available only to privileged containers");
  }
}

void check_mounts(Findings& out, View container, const PodContext& pod, const Path& path) {
  const View mounts = container["volumeMounts"];
  const NameSet devices = members_of(container["volumeDevices"], "name");
  const NameSet device_paths = members_of(container["volumeDevices"], "devicePath");
  NameSet taken;
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    const View mount = mounts.at(i);
    const Path item = path.item(i);
    const Path name_path = item.child("name");
    const Path mount_path = item.child("mountPath");
    const std::string_view name = mount.text("name");
    const std::string_view target = mount.text("mountPath");
    const auto volume = pod.volumes.find(name);
    if (name.empty()) out.required("pod.mount-volume", name_path);
    if (volume == pod.volumes.end()) out.not_found("pod.mount-volume", name_path, name);
    if (target.empty()) out.required("pod.mount-path", mount_path);
    if (!taken.insert(target).second) out.invalid("pod.mount-path", mount_path, target, "must be unique");
    if (devices.contains(name)) {
      out.invalid("pod.mount-device", name_path, name, "must not already exist in volumeDevices");
    }
    if (device_paths.contains(target)) {
      out.invalid("pod.mount-device", mount_path, target, "must not already exist as a path in volumeDevices");
    }
    const std::string_view sub = mount.text("subPath");
    const std::string_view expression = mount.text("subPathExpr");
    if (volume != pod.volumes.end() && volume->second["image"].present()) {
      if (!sub.empty())
        out.invalid("pod.mount-sub-path", item.child("subPath"), sub, "not allowed in image volume sources");
      if (!expression.empty()) {
        out.invalid("pod.mount-sub-path", item.child("subPathExpr"), expression, "not allowed in image volume sources");
      }
    }
    // The original leaves the index out of these.
    if (!sub.empty()) check_sub_path(out, "pod.mount-sub-path", sub, path.child("subPath"));
    if (!expression.empty()) {
      if (!sub.empty()) {
        out.invalid("pod.mount-sub-path", item.child("subPathExpr"), expression,
                    "subPathExpr and subPath are mutually exclusive");
      }
      check_sub_path(out, "pod.mount-sub-path", expression, path.child("subPathExpr"));
    }
    check_propagation(out, mount, container, path.child("mountPropagation"));
  }
}

void check_devices(Findings& out, View container, const PodContext& pod, const Path& path) {
  const View devices = container["volumeDevices"];
  const NameSet mounts = members_of(container["volumeMounts"], "name");
  NameSet names;
  NameSet paths;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const View device = devices.at(i);
    const Path item = path.item(i);
    const Path name_path = item.child("name");
    const Path device_path = item.child("devicePath");
    const std::string_view name = device.text("name");
    const std::string_view target = device.text("devicePath");
    const auto volume = pod.volumes.find(name);
    if (name.empty()) out.required("pod.mount-volume", name_path);
    if (!names.insert(name).second) out.invalid("pod.mount-device", name_path, name, "must be unique");
    if (volume == pod.volumes.end()) {
      out.not_found("pod.mount-volume", name_path, name);
    } else if (!volume->second["persistentVolumeClaim"].present() && !volume->second["ephemeral"].present()) {
      out.invalid("pod.mount-device", name_path, name,
                  "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode");
    }
    if (target.empty()) out.required("pod.mount-device", device_path);
    if (!paths.insert(target).second) out.invalid("pod.mount-device", device_path, target, "must be unique");
    if (mounts.contains(name)) {
      out.invalid("pod.mount-device", name_path, name, "must not already exist in volumeMounts");
    }
  }
}

// --- probes and hooks ---

void check_port_number_or_name(Findings& out, RuleRef rule, View port, const Path& path) {
  if (port.is_text()) {
    out.invalid_each(rule, path, port.text(), port_name_problems(port.text()));
  } else if (!is_port(port.integer_or(0))) {
    out.invalid(rule, path, port.integer_or(0), kPortRange);
  }
}

void check_http_get(Findings& out, RuleRef rule, View action, const Path& path) {
  check_port_number_or_name(out, rule, action["port"], path.child("port"));
  const std::string_view scheme = text_or(action, "scheme", "HTTP");
  if (scheme != "HTTP" && scheme != "HTTPS") {
    out.unsupported(rule, path.child("scheme"), scheme, {"HTTP", "HTTPS"});
  }
  const View headers = action["httpHeaders"];
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const std::string_view name = headers.at(i).text("name");
    out.invalid_each(rule, path.child("httpHeaders"), name, header_name_problems(name));
  }
}

/// Exactly one of the ways to look or to act.
void check_handler(Findings& out, RuleRef rule, View handler, bool is_probe, const PodContext& pod, const Path& path) {
  int count = 0;
  const auto begin = [&](std::string_view name) {
    if (!handler[name].present()) return false;
    if (count++ == 0) return true;
    out.forbidden(rule, path.child(name), "may not specify more than 1 handler type");
    return false;
  };
  if (begin("exec") && handler["exec"]["command"].size() == 0) {
    const Path exec = path.child("exec");
    out.required(rule, exec.child("command"));
  }
  if (begin("httpGet")) check_http_get(out, rule, handler["httpGet"], path.child("httpGet"));
  if (begin("tcpSocket")) {
    const Path action = path.child("tcpSocket");
    check_port_number_or_name(out, rule, handler["tcpSocket"]["port"], action.child("port"));
  }
  if (is_probe && begin("grpc")) {
    const Path action = path.child("grpc");
    check_port_number_or_name(out, rule, handler["grpc"]["port"], action.child("port"));
  }
  if (!is_probe && begin("sleep")) {
    const std::int64_t seconds = handler["sleep"]["seconds"].integer_or(0);
    const std::int64_t least = pod.options.zero_sleep ? 0 : 1;
    if (seconds < least || seconds > pod.grace_period) {
      const Path action = path.child("sleep");
      if (pod.options.zero_sleep) {
        out.invalid(rule, action, seconds,
                    compose("must be non-negative and less than terminationGracePeriodSeconds ({})", pod.grace_period));
      } else {
        out.invalid(rule, action, seconds,
                    compose("must be greater than 0 and less than terminationGracePeriodSeconds ({}). Enable "
                            "AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep.",
                            pod.grace_period));
      }
    }
  }
  if (count == 0) out.required(rule, path, "must specify a handler type");
}

void check_lifecycle(Findings& out, View lifecycle, const PodContext& pod, const Path& path) {
  for (const std::string_view name : {"postStart", "preStop"}) {
    if (lifecycle[name].present()) check_handler(out, "pod.lifecycle", lifecycle[name], false, pod, path.child(name));
  }
}

enum class ProbeKind : std::uint8_t { Liveness, Readiness, Startup };

void check_probe(Findings& out, View probe, ProbeKind kind, const PodContext& pod, const Path& path) {
  if (!probe.present()) return;
  check_handler(out, "pod.probe", probe, true, pod, path);
  for (const std::string_view name :
       {"initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"}) {
    out.not_negative("pod.probe", path.child(name), probe.integer(name));
  }
  const Path grace = path.child("terminationGracePeriodSeconds");
  const auto period = probe.integer("terminationGracePeriodSeconds");
  if (period && *period <= 0) out.invalid("pod.probe", grace, *period, "must be greater than 0");
  // 0 means that it was not given, so 1.
  std::int64_t successes = probe["successThreshold"].integer_or(0);
  if (successes == 0) successes = 1;
  if (kind == ProbeKind::Readiness) {
    if (period) out.invalid("pod.probe", grace, *period, "must not be set for readinessProbes");
  } else if (successes != 1) {
    out.invalid("pod.probe", path.child("successThreshold"), successes, "must be 1");
  }
}

void check_probes(Findings& out, View container, const PodContext& pod, const Path& path) {
  if (container["lifecycle"].present()) check_lifecycle(out, container["lifecycle"], pod, path.child("lifecycle"));
  check_probe(out, container["livenessProbe"], ProbeKind::Liveness, pod, path.child("livenessProbe"));
  check_probe(out, container["readinessProbe"], ProbeKind::Readiness, pod, path.child("readinessProbe"));
  check_probe(out, container["startupProbe"], ProbeKind::Startup, pod, path.child("startupProbe"));
}

// --- the rest of a container ---

void check_pull_policy(Findings& out, View container, const Path& path) {
  const std::string_view policy = container.text("imagePullPolicy");
  if (policy.empty() || policy == "Always" || policy == "IfNotPresent" || policy == "Never") return;
  out.unsupported("pod.image-pull-policy", path, policy, {"Always", "IfNotPresent", "Never"});
}

void check_resize_policy(Findings& out, View list, const PodContext& pod, const Path& path) {
  NameSet names;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string_view name = list.at(i).text("resourceName");
    const std::string_view policy = list.at(i).text("restartPolicy");
    if (!names.insert(name).second) out.duplicate("pod.resize-policy", path.item(i), name);
    if (name.empty()) {
      out.required("pod.resize-policy", path);
    } else if (name != "cpu" && name != "memory") {
      out.unsupported("pod.resize-policy", path, name, {"cpu", "memory"});
    }
    if (policy.empty()) {
      out.required("pod.resize-policy", path);
    } else if (policy != "NotRequired" && policy != "RestartContainer") {
      out.unsupported("pod.resize-policy", path, policy, {"NotRequired", "RestartContainer"});
    }
    if (pod.never_restarts && policy != "NotRequired") {
      out.invalid("pod.resize-policy", path, policy, "must be 'NotRequired' when `restartPolicy` is 'Never'");
    }
  }
}

void check_security_context(Findings& out, View context, const Path& path) {
  if (!context.present()) return;
  for (const std::string_view name : {"runAsUser", "runAsGroup"}) {
    const auto id = context.integer(name);
    if (id && (*id < 0 || *id > INT32_MAX)) out.invalid("pod.security-context", path.child(name), *id, kIdRange);
  }
  const View escalation = context["allowPrivilegeEscalation"];
  if (!escalation.present() || escalation.flag()) return;
  if (context["privileged"].flag()) {
    out.invalid("pod.security-context", path, *context.json(),
                "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
  }
  const View added = context["capabilities"]["add"];
  for (std::size_t i = 0; i < added.size(); ++i) {
    if (added.at(i).text() != "CAP_SYS_ADMIN") continue;
    out.invalid("pod.security-context", path, *context.json(),
                "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN");
    break;
  }
}

/// What all kinds of containers have in common.
void check_container(Findings& out, View container, const PodContext& pod, const Path& path) {
  const Path name = path.child("name");
  if (container.text("name").empty()) {
    out.required("pod.container-name", name);
  } else {
    out.invalid_each("pod.container-name", name, container.text("name"), dns_label_problems(container.text("name")));
  }
  if (container.text("image").empty()) out.required("pod.image", path.child("image"));
  const std::string_view policy = text_or(container, "terminationMessagePolicy", "File");
  if (policy != "File" && policy != "FallbackToLogsOnError") {
    out.unsupported("pod.termination-message", path.child("terminationMessagePolicy"), policy,
                    {"File", "FallbackToLogsOnError"});
  }
  check_ports(out, container["ports"], path.child("ports"));
  check_env(out, container["env"], pod, path.child("env"));
  check_env_from(out, container["envFrom"], pod, path.child("envFrom"));
  check_mounts(out, container, pod, path.child("volumeMounts"));
  check_devices(out, container, pod, path.child("volumeDevices"));
  check_pull_policy(out, container, path.child("imagePullPolicy"));
  check_resources(out, container["resources"], ResourcesOf::Container, pod, path.child("resources"));
  check_resize_policy(out, container["resizePolicy"], pod, path.child("resizePolicy"));
  check_security_context(out, container["securityContext"], path.child("securityContext"));
}

}  // namespace

void check_containers(Findings& out, const PodContext& pod, const Path& path) {
  const View containers = pod.spec["containers"];
  if (containers.size() == 0) {
    out.required("pod.container-missing", path);
    return;
  }
  NameSet names;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const View container = containers.at(i);
    const Path item = path.item(i);
    check_container(out, container, pod, item);
    if (!names.insert(container.text("name")).second) {
      out.duplicate("pod.container-name-duplicate", item.child("name"), container.text("name"));
    }
    check_probes(out, container, pod, item);
    if (container["restartPolicy"].present()) {
      out.forbidden("pod.container-restart-policy", item.child("restartPolicy"),
                    "may not be set for non-init containers");
    }
  }
  HostPorts taken;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const Path item = path.item(i);
    check_host_ports(out, containers.at(i), item, taken);
  }
}

void check_init_containers(Findings& out, const PodContext& pod, const Path& path) {
  const View containers = pod.spec["initContainers"];
  NameSet names;
  for (std::size_t i = 0; i < pod.spec["containers"].size(); ++i)
    names.insert(pod.spec["containers"].at(i).text("name"));
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const View container = containers.at(i);
    const Path item = path.item(i);
    const std::string_view name = container.text("name");
    check_container(out, container, pod, item);
    const std::string_view policy = container.text("restartPolicy");
    if (container["restartPolicy"].present() && policy != "Always") {
      out.unsupported("pod.container-restart-policy", item.child("restartPolicy"), policy, {"Always"});
    }
    if (names.contains(name)) {
      out.duplicate("pod.container-name-duplicate", item.child("name"), name);
    } else if (!name.empty()) {
      names.insert(name);
    }
    // One container at a time: ports collide only within it. The original counts it as the first of the list.
    HostPorts taken;
    const Path first = path.item(0);
    check_host_ports(out, container, first, taken);
    if (policy == "Always") {
      check_probes(out, container, pod, item);
      continue;
    }
    for (const std::string_view member : {"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"}) {
      if (!container[member].present()) continue;
      out.forbidden("pod.init-container", item.child(member),
                    "may not be set for init containers without restartPolicy=Always");
    }
  }
}

void check_ephemeral_containers(Findings& out, const PodContext& pod, const Path& path) {
  const View containers = pod.spec["ephemeralContainers"];
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const Path item = path.item(i);
    check_container(out, containers.at(i), pod, item);
  }
}

}  // namespace pumice::admission
