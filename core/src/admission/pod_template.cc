#include "admission/pod_template.h"

#include <algorithm>
#include <set>

#include "admission/meta.h"
#include "admission/names.h"
#include "compose.h"

namespace pumice::admission {
namespace {

constexpr std::int64_t kGracePeriod = 30;
constexpr std::string_view kIdRange = "must be between 0 and 2147483647, inclusive";
constexpr std::string_view kNotAnAddress = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

std::string_view text_or(View object, std::string_view member, std::string_view otherwise) {
  const std::string_view text = object.text(member);
  return text.empty() ? otherwise : text;
}

void check_claim_list(Findings& out, const PodContext& pod, const Path& path) {
  const View claims = pod.spec["resourceClaims"];
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const View claim = claims.at(i);
    const Path item = path.item(i);
    const Path name_path = item.child("name");
    const std::string_view name = claim.text("name");
    if (name.empty()) {
      out.required("pod.resource-claim", name_path);
    } else if (!names.insert(name).second) {
      out.duplicate("pod.resource-claim", name_path, name);
    } else {
      out.invalid_each("pod.resource-claim", name_path, name, dns_label_problems(name));
    }
    const bool by_name = claim["resourceClaimName"].present();
    const bool by_template = claim["resourceClaimTemplateName"].present();
    if (by_name && by_template) {
      out.invalid("pod.resource-claim", item, *claim.json(),
                  "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified");
    }
    if (!by_name && !by_template) {
      out.invalid("pod.resource-claim", item, *claim.json(),
                  "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
    }
  }
}

void check_host_network_ports(Findings& out, View spec, const Path& path) {
  if (!spec["hostNetwork"].flag()) return;
  const View containers = spec["containers"];
  const Path list = path.child("containers");
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const Path item = list.item(i);
    const Path ports_path = item.child("ports");
    const View ports = containers.at(i)["ports"];
    for (std::size_t k = 0; k < ports.size(); ++k) {
      const std::int64_t host = ports.at(k)["hostPort"].integer_or(0);
      if (host == 0 || host == ports.at(k)["containerPort"].integer_or(0)) continue;
      const Path port = ports_path.item(k);
      out.invalid("pod.host-port", port.child("hostPort"), host,
                  "must match `containerPort` when `hostNetwork` is true");
    }
  }
}

void check_restart_policy(Findings& out, View spec, const Path& path) {
  const std::string_view policy = text_or(spec, "restartPolicy", "Always");
  if (policy == "Always" || policy == "OnFailure" || policy == "Never") return;
  out.unsupported("pod.restart-policy", path, policy, {"Always", "OnFailure", "Never"});
}

void check_dns_policy(Findings& out, View spec, const Path& path) {
  const std::string_view policy = text_or(spec, "dnsPolicy", "ClusterFirst");
  if (policy == "ClusterFirstWithHostNet" || policy == "ClusterFirst" || policy == "Default" || policy == "None")
    return;
  out.unsupported("pod.dns-policy", path, policy, {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"});
}

void check_id(Findings& out, std::optional<std::int64_t> id, const Path& path) {
  if (id && (*id < 0 || *id > INT32_MAX)) out.invalid("pod.security-context", path, *id, kIdRange);
}

void check_pod_security(Findings& out, View spec, const Path& path) {
  const View context = spec["securityContext"];
  check_id(out, context.integer("fsGroup"), path.child("fsGroup"));
  check_id(out, context.integer("runAsUser"), path.child("runAsUser"));
  check_id(out, context.integer("runAsGroup"), path.child("runAsGroup"));
  const View groups = context["supplementalGroups"];
  const Path groups_path = path.child("supplementalGroups");
  for (std::size_t i = 0; i < groups.size(); ++i) check_id(out, groups.at(i).integer(), groups_path.item(i));
  if (spec["shareProcessNamespace"].flag() && spec["hostPID"].flag()) {
    out.invalid("pod.security-context", path.child("shareProcessNamespace"), Shown::raw("true"),
                "ShareProcessNamespace and HostPID cannot both be enabled");
  }
  const std::string_view policy = context.text("fsGroupChangePolicy");
  if (context["fsGroupChangePolicy"].present() && policy != "Always" && policy != "OnRootMismatch") {
    out.unsupported("pod.security-context", path.child("fsGroupChangePolicy"), policy, {"Always", "OnRootMismatch"});
  }
}

// --- affinity ---

void check_node_requirement(Findings& out, View requirement, bool check_values, const Path& path) {
  const std::string_view op = requirement.text("operator");
  const View values = requirement["values"];
  const Path values_path = path.child("values");
  if (op == "In" || op == "NotIn") {
    if (values.size() == 0) {
      out.required("pod.affinity", values_path, "must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (values.size() > 0) {
      out.forbidden("pod.affinity", values_path, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else if (op == "Gt" || op == "Lt") {
    if (values.size() != 1) {
      out.required("pod.affinity", values_path, "must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
  } else {
    out.invalid("pod.affinity", path.child("operator"), op, "not a valid selector operator");
  }
  const std::string_view key = requirement.text("key");
  out.invalid_each("pod.affinity", path.child("key"), key, qualified_name_problems(key));
  for (std::size_t i = 0; i < values.size() && check_values; ++i) {
    const std::string_view value = values.at(i).text();
    out.invalid_each("pod.affinity", values_path.item(i), value, label_value_problems(value));
  }
}

void check_field_requirement(Findings& out, View requirement, const Path& path) {
  const std::string_view op = requirement.text("operator");
  const View values = requirement["values"];
  const Path values_path = path.child("values");
  if (op == "In" || op == "NotIn") {
    if (values.size() != 1) {
      out.required("pod.affinity", values_path,
                   "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
    }
  } else {
    out.invalid("pod.affinity", path.child("operator"), op, "not a valid selector operator");
  }
  if (requirement.text("key") != "metadata.name") {
    out.invalid("pod.affinity", path.child("key"), requirement.text("key"), "not a valid field selector key");
    return;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string_view value = values.at(i).text();
    out.invalid_each("pod.affinity", values_path.item(i), value, dns_subdomain_problems(value));
  }
}

void check_node_term(Findings& out, View term, bool check_values, const Path& path) {
  const View expressions = term["matchExpressions"];
  const Path expressions_path = path.child("matchExpressions");
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    check_node_requirement(out, expressions.at(i), check_values, expressions_path.item(i));
  }
  const View fields = term["matchFields"];
  const Path fields_path = path.child("matchFields");
  for (std::size_t i = 0; i < fields.size(); ++i) check_field_requirement(out, fields.at(i), fields_path.item(i));
}

/// What an affinity prefers: `check` looks at the term of each entry, beside its weight.
template <class Check>
void check_preferred(Findings& out, View affinity, const Path& path, Check check) {
  const View preferred = affinity["preferredDuringSchedulingIgnoredDuringExecution"];
  const Path preferred_path = path.child("preferredDuringSchedulingIgnoredDuringExecution");
  for (std::size_t i = 0; i < preferred.size(); ++i) {
    const Path item = preferred_path.item(i);
    const std::int64_t weight = preferred.at(i)["weight"].integer_or(0);
    if (weight < 1 || weight > 100)
      out.invalid("pod.affinity", item.child("weight"), weight, "must be in the range 1-100");
    check(preferred.at(i), item);
  }
}

void check_node_affinity(Findings& out, View affinity, const Path& path) {
  if (const View required = affinity["requiredDuringSchedulingIgnoredDuringExecution"]; required.present()) {
    const Path required_path = path.child("requiredDuringSchedulingIgnoredDuringExecution");
    const Path terms_path = required_path.child("nodeSelectorTerms");
    const View terms = required["nodeSelectorTerms"];
    if (terms.size() == 0) out.required("pod.affinity", terms_path, "must have at least one node selector term");
    for (std::size_t i = 0; i < terms.size(); ++i) check_node_term(out, terms.at(i), true, terms_path.item(i));
  }
  check_preferred(out, affinity, path, [&out](View entry, const Path& item) {
    check_node_term(out, entry["preference"], false, item.child("preference"));
  });
}

void check_pod_term(Findings& out, View term, const Path& path) {
  check_label_selector(out, "pod.affinity", term["labelSelector"], path.child("labelSelector"));
  const View namespaces = term["namespaces"];
  const Path namespaces_path = path.child("namespaces");
  for (std::size_t i = 0; i < namespaces.size(); ++i) {
    const std::string_view name = namespaces.at(i).text();
    out.invalid_each("pod.affinity", namespaces_path.item(i), name, dns_label_problems(name));
  }
  const std::string_view key = term.text("topologyKey");
  const Path key_path = path.child("topologyKey");
  if (key.empty()) out.required("pod.affinity", key_path, "can not be empty");
  out.invalid_each("pod.affinity", key_path, key, qualified_name_problems(key));
}

void check_pod_affinity(Findings& out, View affinity, const Path& path) {
  const View required = affinity["requiredDuringSchedulingIgnoredDuringExecution"];
  const Path required_path = path.child("requiredDuringSchedulingIgnoredDuringExecution");
  for (std::size_t i = 0; i < required.size(); ++i) check_pod_term(out, required.at(i), required_path.item(i));
  check_preferred(out, affinity, path, [&out](View entry, const Path& item) {
    check_pod_term(out, entry["podAffinityTerm"], item.child("podAffinityTerm"));
  });
}

void check_affinity(Findings& out, View affinity, const Path& path) {
  check_node_affinity(out, affinity["nodeAffinity"], path.child("nodeAffinity"));
  check_pod_affinity(out, affinity["podAffinity"], path.child("podAffinity"));
  check_pod_affinity(out, affinity["podAntiAffinity"], path.child("podAntiAffinity"));
}

// --- names, addresses and the rest ---

void check_address(Findings& out, RuleRef rule, std::string_view address, const Path& path) {
  if (!is_ip_address(address)) out.invalid(rule, path, address, kNotAnAddress);
}

void check_dns_config(Findings& out, const PodContext& pod, const Path& path) {
  const View config = pod.spec["dnsConfig"];
  const View servers = config["nameservers"];
  const Path servers_path = path.child("nameservers");
  if (pod.spec.text("dnsPolicy") == "None") {
    if (!config.present()) {
      out.required("pod.dns-config", path, "must provide `dnsConfig` when `dnsPolicy` is None");
      return;
    }
    if (servers.size() == 0) {
      out.required("pod.dns-config", servers_path, "must provide at least one DNS nameserver when `dnsPolicy` is None");
      return;
    }
  }
  if (servers.size() > 3) {
    out.invalid("pod.dns-config", servers_path, *servers.json(), "must not have more than 3 nameservers");
  }
  for (std::size_t i = 0; i < servers.size(); ++i) {
    check_address(out, "pod.dns-config", servers.at(i).text(), servers_path.item(i));
  }
  const View searches = config["searches"];
  const Path searches_path = path.child("searches");
  if (searches.size() > 32) {
    out.invalid("pod.dns-config", searches_path, *searches.json(), "must not have more than 32 search paths");
  }
  for (std::size_t i = 0; i < searches.size(); ++i) {
    std::string_view search = searches.at(i).text();
    if (pod.options.relaxed_dns_search && search == ".") continue;
    if (search.ends_with('.')) search.remove_suffix(1);
    std::string plain(search);
    // Newer clusters allow underscores.
    if (pod.options.relaxed_dns_search) std::replace(plain.begin(), plain.end(), '_', '-');
    out.invalid_each("pod.dns-config", searches_path.item(i), search, dns_subdomain_problems(plain));
  }
  const View options = config["options"];
  const Path options_path = path.child("options");
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (options.at(i).text("name").empty()) out.required("pod.dns-config", options_path.item(i), "must not be empty");
  }
}

void check_gates(Findings& out, View spec, const Path& path) {
  const View readiness = spec["readinessGates"];
  const Path readiness_path = path.child("readinessGates");
  for (std::size_t i = 0; i < readiness.size(); ++i) {
    const Path item = readiness_path.item(i);
    const std::string_view type = readiness.at(i).text("conditionType");
    out.invalid_each("pod.gate", item.child("conditionType"), type, qualified_name_problems(type));
  }
  const View scheduling = spec["schedulingGates"];
  const Path scheduling_path = path.child("schedulingGates");
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < scheduling.size(); ++i) {
    const std::string_view name = scheduling.at(i).text("name");
    const Path item = scheduling_path.item(i);
    out.invalid_each("pod.gate", item, name, qualified_name_problems(name));
    if (!seen.insert(name).second) out.duplicate("pod.gate", item, name);
  }
}

void check_spread(Findings& out, View list, const Path& path) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const View constraint = list.at(i);
    const Path item = path.item(i);
    const std::int64_t skew = constraint["maxSkew"].integer_or(0);
    if (skew <= 0) out.invalid("pod.topology-spread", item.child("maxSkew"), skew, "must be greater than zero");
    const std::string_view key = constraint.text("topologyKey");
    if (key.empty()) out.required("pod.topology-spread", item.child("topologyKey"), "can not be empty");
    const std::string_view action = constraint.text("whenUnsatisfiable");
    if (action != "DoNotSchedule" && action != "ScheduleAnyway") {
      out.unsupported("pod.topology-spread", item.child("whenUnsatisfiable"), action,
                      {"DoNotSchedule", "ScheduleAnyway"});
    }
    std::string pair = compose("{{}, {}}", key, action);
    if (seen.contains(pair)) out.duplicate("pod.topology-spread", item.child("{topologyKey, whenUnsatisfiable}"), pair);
    seen.insert(std::move(pair));
  }
}

void check_host_users(Findings& out, View spec, const Path& path) {
  if (!spec["hostUsers"].present() || spec["hostUsers"].flag()) return;
  // The original spells two of them with a capital.
  struct Field {
    std::string_view name;
    std::string_view called;
  };
  for (const Field& field : {Field{"hostNetwork", "hostNetwork"}, {"hostPID", "HostPID"}, {"hostIPC", "HostIPC"}}) {
    if (spec[field.name].flag()) {
      out.forbidden("pod.host-users", path.child(field.called, field.name), "when `pod.Spec.HostUsers` is false");
    }
  }
}

void check_name(Findings& out, RuleRef rule, View spec, std::string_view member, Messages (*problems)(std::string_view),
                const Path& path) {
  const std::string_view name = spec.text(member);
  if (!name.empty()) out.invalid_each(rule, path.child(member), name, problems(name));
}

void check_tolerations(Findings& out, View list, const Path& path) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const View toleration = list.at(i);
    const Path item = path.item(i);
    const std::string_view key = toleration.text("key");
    const std::string_view op = toleration.text("operator");
    const std::string_view value = toleration.text("value");
    const std::string_view effect = toleration.text("effect");
    const Path op_path = item.child("operator");
    if (!key.empty()) out.invalid_each("pod.toleration", item.child("key"), key, qualified_name_problems(key));
    if (key.empty() && op != "Exists") {
      out.invalid("pod.toleration", op_path, op,
                  "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
    }
    if (toleration["tolerationSeconds"].present() && effect != "NoExecute") {
      out.invalid("pod.toleration", item.child("effect"), effect,
                  "effect must be 'NoExecute' when `tolerationSeconds` is set");
    }
    if (op.empty() || op == "Equal") {
      std::string joined;
      for (const std::string& problem : label_value_problems(value)) joined += (joined.empty() ? "" : ";") + problem;
      if (!joined.empty()) out.invalid("pod.toleration", op_path, value, joined);
    } else if (op == "Exists") {
      if (!value.empty()) {
        out.invalid("pod.toleration", op_path, value, "value must be empty when `operator` is 'Exists'");
      }
    } else {
      out.unsupported("pod.toleration", op_path, op, {"Equal", "Exists"});
    }
    if (!effect.empty() && effect != "NoSchedule" && effect != "PreferNoSchedule" && effect != "NoExecute") {
      out.unsupported("pod.toleration", item.child("effect"), effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"});
    }
  }
}

void check_host_aliases(Findings& out, View list, const Path& path) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Path item = path.item(i);
    check_address(out, "pod.host-alias", list.at(i).text("ip"), item.child("ip"));
    const View names = list.at(i)["hostnames"];
    const Path names_path = item.child("hostnames");
    for (std::size_t k = 0; k < names.size(); ++k) {
      const std::string_view name = names.at(k).text();
      out.invalid_each("pod.host-alias", names_path.item(k), name, dns_subdomain_problems(name));
    }
  }
}

void check_os(Findings& out, View os, const Path& path) {
  const std::string_view name = os.text("name");
  const Path name_path = path.child("name");
  if (name.empty()) {
    out.required("pod.os", name_path);
  } else if (name != "linux" && name != "windows") {
    out.unsupported("pod.os", name_path, name, {"linux", "windows"});
  }
}

void check_spec(Findings& out, PodContext& pod, const Path& path) {
  const View spec = pod.spec;
  check_volumes(out, pod, path.child("volumes"));
  check_claim_list(out, pod, path.child("resourceClaims"));
  check_containers(out, pod, path.child("containers"));
  check_init_containers(out, pod, path.child("initContainers"));
  check_ephemeral_containers(out, pod, path.child("ephemeralContainers"));
  check_pod_resources(out, pod, path.child("resources"));
  check_host_network_ports(out, spec, path);
  check_restart_policy(out, spec, path.child("restartPolicy"));
  check_dns_policy(out, spec, path.child("dnsPolicy"));
  check_labels(out, "pod.node-selector", spec["nodeSelector"], path.child("nodeSelector"));
  check_pod_security(out, spec, path.child("securityContext"));
  check_affinity(out, spec["affinity"], path.child("affinity"));
  check_dns_config(out, pod, path.child("dnsConfig"));
  check_gates(out, spec, path);
  check_spread(out, spec["topologySpreadConstraints"], path.child("topologySpreadConstraints"));
  check_host_users(out, spec, path);
  check_name(out, "pod.service-account", spec, "serviceAccountName", dns_subdomain_problems, path);
  check_name(out, "pod.node-name", spec, "nodeName", dns_subdomain_problems, path);
  const auto deadline = spec.integer("activeDeadlineSeconds");
  if (deadline && (*deadline < 1 || *deadline > INT32_MAX)) {
    out.invalid("pod.deadline", path.child("activeDeadlineSeconds"), *deadline,
                "must be between 1 and 2147483647, inclusive");
  }
  check_name(out, "pod.hostname", spec, "hostname", dns_label_problems, path);
  check_name(out, "pod.hostname", spec, "subdomain", dns_label_problems, path);
  check_tolerations(out, spec["tolerations"], path.child("tolerations"));
  check_host_aliases(out, spec["hostAliases"], path.child("hostAliases"));
  check_name(out, "pod.priority-class", spec, "priorityClassName", dns_subdomain_problems, path);
  if (spec["runtimeClassName"].present()) {
    const std::string_view name = spec.text("runtimeClassName");
    out.invalid_each("pod.runtime-class", path.child("runtimeClassName"), name, dns_subdomain_problems(name));
  }
  const std::string_view preemption = spec.text("preemptionPolicy");
  if (!preemption.empty() && preemption != "PreemptLowerPriority" && preemption != "Never") {
    out.unsupported("pod.preemption-policy", path.child("preemptionPolicy"), preemption,
                    {"PreemptLowerPriority", "Never"});
  }
  if (spec["os"].present()) check_os(out, spec["os"], path.child("os"));
}

}  // namespace

void check_pod_template(Findings& out, View pod_template, const Path& path, const PodOptions& options) {
  const View meta = pod_template["metadata"];
  check_labels(out, "pod.template-label", meta["labels"], path.child("labels", "metadata.labels"));
  check_annotations(out, "pod.template-annotation", meta["annotations"],
                    path.child("annotations", "metadata.annotations"));
  PodContext pod{.spec = pod_template["spec"], .options = options, .claims = {}};
  pod.grace_period = pod.spec["terminationGracePeriodSeconds"].integer_or(kGracePeriod);
  pod.never_restarts = pod.spec.text("restartPolicy") == "Never";
  const View claims = pod.spec["resourceClaims"];
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (!claims.at(i).text("name").empty()) pod.claims.insert(claims.at(i).text("name"));
  }
  const Path spec_path = path.child("spec");
  check_spec(out, pod, spec_path);
  if (pod.spec["ephemeralContainers"].size() > 0) {
    out.forbidden("pod.ephemeral-container", spec_path.child("ephemeralContainers"),
                  "ephemeral containers not allowed in pod template");
  }
}

}  // namespace pumice::admission
