// Pod templates (spec/volcano-admission.md 3.3), and the forms of names.
#include <catch2/catch_test_macros.hpp>

#include <string>

#include "admission/names.h"
#include "support/admission.h"

namespace pumice::admission {
namespace {

using test::one_container;
using test::review_of;
using test::verdict_of;
using test::webhook;

const std::string kName =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. "
    "'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const std::string kLabel =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an "
    "alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const std::string kSubdomain =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with "
    "an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const std::string kValue =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with "
    "an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

TEST_CASE("forms of names", "[admission]") {
  CHECK(dns_label_problems("a-1").empty());
  CHECK(dns_label_problems("a.b") == Messages{"must not contain dots"});
  CHECK(dns_label_problems(std::string(64, 'a')) == Messages{"must be no more than 63 bytes"});
  CHECK(dns_label_problems("-") == Messages{kLabel});
  CHECK(dns_subdomain_problems("a.b-c").empty());
  CHECK(dns_subdomain_problems("A") == Messages{kSubdomain});
  CHECK(dns_subdomain_problems(std::string(254, 'a')) == Messages{"must be no more than 253 bytes"});
  CHECK(name_prefix_problems("a-").empty());
  CHECK(name_prefix_problems("-") == Messages{kSubdomain});
  CHECK(qualified_name_problems("a.io/N_1").empty());
  CHECK(qualified_name_problems("") == Messages{"name part must be non-empty", "name part " + kName});
  CHECK(qualified_name_problems("/n") == Messages{"prefix part must be non-empty"});
  CHECK(qualified_name_problems("A/n") == Messages{"prefix part " + kSubdomain});
  CHECK(qualified_name_problems("a/b/c") ==
        Messages{"a qualified name " + kName +
                 " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"});
  CHECK(qualified_name_problems(std::string(64, 'a')) == Messages{"name part must be no more than 63 bytes"});
  CHECK(label_value_problems("").empty());
  CHECK(label_value_problems("a b") == Messages{kValue});
  const std::string env =
      "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not "
      "start "
      "with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is "
      "'[-._a-zA-Z][-._a-zA-Z0-9]*')";
  CHECK(env_name_problems("A_1", false).empty());
  CHECK(env_name_problems("1A", false) == Messages{env});
  CHECK(env_name_problems(".", false) == Messages{"must not be '.'"});
  CHECK(env_name_problems("..", false) == Messages{"must not be '..'"});
  CHECK(env_name_problems("..a", false) == Messages{"must not start with '..'"});
  CHECK(env_name_problems("1 A", true).empty());
  CHECK(env_name_problems("a=b", true) ==
        Messages{"a valid environment variable name must consist only of printable ASCII characters other than '='"});
  CHECK(port_name_problems("http-1").empty());
  CHECK(port_name_problems("8080") == Messages{"must contain at least one letter (a-z)"});
  CHECK(port_name_problems("a--b") == Messages{"must not contain consecutive hyphens"});
  CHECK(port_name_problems("-a") == Messages{"must not begin or end with a hyphen"});
  CHECK(port_name_problems(std::string(16, 'a')) == Messages{"must be no more than 15 bytes"});
  CHECK(port_name_problems("Http") ==
        Messages{"must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"});
  CHECK(config_key_problems("a_b.c-D").empty());
  CHECK(config_key_problems("a/b") ==
        Messages{"a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or "
                 "'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"});
  CHECK(go_list({"a", "b"}) == "[a b]");
}

TEST_CASE("addresses", "[admission]") {
  for (const char* good : {"10.9.8.7", "0.0.0.0", "255.255.255.255", "::", "::1", "2001:db8::ffff", "1:2:3:4:5:6:7:8",
                           "::ffff:10.0.0.1", "1::", "1:2:3:4:5:6:10.0.0.1"}) {
    CAPTURE(good);
    CHECK(is_ip_address(good));
  }
  for (const char* bad : {"", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "1.2.3.a", ":", ":::", "1:2:3:4:5:6:7",
                          "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "1.2.3.4:1", "::1.2.3", "g::"}) {
    CAPTURE(bad);
    CHECK_FALSE(is_ip_address(bad));
  }
}

struct Case {
  std::string manifest;
  std::string want;  ///< behind `spec.task[0].template.`, without the last dot; empty: allowed
};

void check(std::initializer_list<Case> cases) {
  for (const Case& one : cases) {
    CAPTURE(one.manifest);
    CHECK(verdict_of(review_of(one.manifest, webhook())) ==
          (one.want.empty() ? "allowed" : "spec.task[0].template." + one.want + "."));
  }
}

Case of_container(const std::string& more, const std::string& want, const std::string& pod = {}) {
  return {one_container("name: m, image: i, " + more, pod), want.empty() ? want : "spec.containers[0]." + want};
}
Case of_pod(const std::string& pod, const std::string& want) {
  return {one_container("name: m, image: i", pod), want.empty() ? want : "spec." + want};
}

TEST_CASE("names and images", "[admission]") {
  check({
      {one_container("image: i"), "spec.containers[0].name: Required value"},
      {one_container("name: M, image: i"), "spec.containers[0].name: Invalid value: \"M\": " + kLabel},
      {one_container("name: m"), "spec.containers[0].image: Required value"},
      {one_container("name: m, image: i}, {name: m, image: i"), "spec.containers[1].name: Duplicate value: \"m\""},
      of_pod("initContainers: [{name: m, image: i}]", "initContainers[0].name: Duplicate value: \"m\""),
      of_container("imagePullPolicy: Sometimes",
                   "imagePullPolicy: Unsupported value: \"Sometimes\": supported values: \"Always\", \"IfNotPresent\", "
                   "\"Never\""),
      of_container("terminationMessagePolicy: Log",
                   "terminationMessagePolicy: Unsupported value: \"Log\": supported values: \"File\", "
                   "\"FallbackToLogsOnError\""),
      of_container("restartPolicy: Always", "restartPolicy: Forbidden: may not be set for non-init containers"),
      of_pod("initContainers: [{name: second, image: i, restartPolicy: Never}]",
             "initContainers[0].restartPolicy: Unsupported value: \"Never\": supported values: \"Always\""),
      of_pod("initContainers: [{name: second, image: i, livenessProbe: {tcpSocket: {port: 1}}}]",
             "initContainers[0].livenessProbe: Forbidden: may not be set for init containers without "
             "restartPolicy=Always"),
      of_pod("initContainers: [{name: second, image: i, restartPolicy: Always, livenessProbe: {tcpSocket: {port: 1}}}]",
             ""),
      of_pod("ephemeralContainers: [{name: e, image: i}]",
             "ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template"),
  });
}

TEST_CASE("ports", "[admission]") {
  check({
      of_container("ports: [{containerPort: 80, name: http}]", ""),
      of_container("ports: [{name: http}]", "ports[0].containerPort: Required value"),
      of_container("ports: [{containerPort: 70000}]",
                   "ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive"),
      of_container("ports: [{containerPort: 80, hostPort: -1}]",
                   "ports[0].hostPort: Invalid value: -1: must be between 1 and 65535, inclusive"),
      of_container("ports: [{containerPort: 80, name: a}, {containerPort: 81, name: a}]",
                   "ports[1].name: Duplicate value: \"a\""),
      of_container("ports: [{containerPort: 80, name: '8080'}]",
                   "ports[0].name: Invalid value: \"8080\": must contain at least one letter (a-z)"),
      of_container("ports: [{containerPort: 80, protocol: HTTP}]",
                   "ports[0].protocol: Unsupported value: \"HTTP\": supported values: \"SCTP\", \"TCP\", \"UDP\""),
      of_container("ports: [{containerPort: 80, hostPort: 80}, {containerPort: 81, hostPort: 80}]",
                   "ports[1].hostPort: Duplicate value: \"TCP//80\""),
      of_container("ports: [{containerPort: 80, hostPort: 81}]",
                   "ports[0].hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is true",
                   "hostNetwork: true"),
  });
}

TEST_CASE("environment", "[admission]") {
  const std::string from = "env[0].valueFrom";
  check({
      of_container("env: [{name: A, value: b}]", ""),
      of_container("env: [{value: b}]", "env[0].name: Required value"),
      of_container(
          "env: [{name: A, valueFrom: {}}]",
          from + ": Invalid value: \"\": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or "
                 "`secretKeyRef`"),
      of_container("env: [{name: A, value: b, valueFrom: {secretKeyRef: {name: s, key: k}}}]",
                   from + ": Invalid value: \"\": may not be specified when `value` is not empty"),
      of_container("env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}, configMapKeyRef: {name: s, key: k}}}]",
                   from + ": Invalid value: \"\": may not have more than one field specified at a time"),
      of_container("env: [{name: A, valueFrom: {secretKeyRef: {name: s}}}]",
                   from + ".secretKeyRef.key: Required value"),
      of_container("env: [{name: A, valueFrom: {configMapKeyRef: {name: S, key: k}}}]",
                   from + ".configMapKeyRef.name: Invalid value: \"S\": " + kSubdomain),
      of_container("env: [{name: A, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]", ""),
      of_container("env: [{name: A, valueFrom: {fieldRef: {fieldPath: \"metadata.labels['app']\"}}}]", ""),
      of_container("env: [{name: A, valueFrom: {fieldRef: {}}}]", from + ".fieldRef.fieldPath: Required value"),
      of_container(
          "env: [{name: A, valueFrom: {fieldRef: {fieldPath: spec.color}}}]",
          from + ".fieldRef.fieldPath: Invalid value: \"spec.color\": error converting fieldPath: field label not "
                 "supported: spec.color"),
      of_container(
          "env: [{name: A, valueFrom: {fieldRef: {fieldPath: metadata.labels}}}]",
          from + ".fieldRef.fieldPath: Unsupported value: \"metadata.labels\": supported values: \"metadata.name\", "
                 "\"metadata.namespace\", \"metadata.uid\", \"spec.nodeName\", \"spec.serviceAccountName\", "
                 "\"status.hostIP\", \"status.hostIPs\", \"status.podIP\", \"status.podIPs\""),
      of_container(
          "env: [{name: A, valueFrom: {resourceFieldRef: {resource: limits.gpu}}}]",
          from + ".resourceFieldRef.resource: Unsupported value: \"limits.gpu\": supported values: \"limits.cpu\", "
                 "\"limits.ephemeral-storage\", \"limits.memory\", \"requests.cpu\", \"requests.ephemeral-storage\", "
                 "\"requests.memory\""),
      of_container("envFrom: [{secretRef: {name: s}}]", ""),
      of_container("envFrom: [{secretRef: {}}]", "envFrom[0].secretRef.name: Required value"),
      of_container("envFrom: [{}]", "envFrom: Invalid value: \"\": must specify one of: `configMapRef` or `secretRef`"),
      of_container("envFrom: [{secretRef: {name: s}, configMapRef: {name: s}}]",
                   "envFrom: Invalid value: \"\": may not have more than one field specified at a time"),
  });
  // The API server itself is less strict than Volcano's webhook.
  const std::string pod =
      "{spec: {restartPolicy: Never, containers: [{name: m, image: i, env: [{name: '1 A', value: b}]}]}}";
  CHECK(review_of(test::kube_job("template: " + pod), test::cluster()).allowed);
  CHECK_FALSE(
      review_of(test::volcano_job("{tasks: [{name: w, replicas: 1, template: " + pod + "}]}"), webhook()).allowed);
}

TEST_CASE("volumes and mounts", "[admission]") {
  const auto volume = [](const std::string& text) { return "volumes: [" + text + "]"; };
  const std::string v = "{name: v, emptyDir: {}}";
  check({
      of_container("volumeMounts: [{name: v, mountPath: /a}]", "", volume(v)),
      of_container("volumeMounts: [{name: v, mountPath: /a}]", "", volume("{name: v}")),
      of_container("volumeMounts: [{name: x, mountPath: /a}]", "volumeMounts[0].name: Not found: \"x\"", volume(v)),
      of_container(
          "volumeMounts: [{mountPath: /a}]",
          "volumeMounts[0].name: Required value. template.spec.containers[0].volumeMounts[0].name: Not found: \"\"",
          volume(v)),
      of_container("volumeMounts: [{name: v}]", "volumeMounts[0].mountPath: Required value", volume(v)),
      of_container("volumeMounts: [{name: v, mountPath: /a}, {name: v, mountPath: /a}]",
                   "volumeMounts[1].mountPath: Invalid value: \"/a\": must be unique", volume(v)),
      of_container("volumeMounts: [{name: v, mountPath: /a, subPath: /b}]",
                   "volumeMounts.subPath: Invalid value: \"/b\": must be a relative path", volume(v)),
      of_container("volumeMounts: [{name: v, mountPath: /a, subPath: b/../c}]",
                   "volumeMounts.subPath: Invalid value: \"b/../c\": must not contain '..'", volume(v)),
      of_container(
          "volumeMounts: [{name: v, mountPath: /a, mountPropagation: Bidirectional}]",
          "volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged "
          "containers",
          volume(v)),
      of_pod(volume("{emptyDir: {}}"), "volumes[0].name: Required value"),
      of_pod(volume(v + ", " + v), "volumes[1].name: Duplicate value: \"v\""),
      of_pod(volume("{name: V, emptyDir: {}}"), "volumes[0].name: Invalid value: \"V\": " + kLabel),
      of_pod(volume("{name: v, emptyDir: {}, hostPath: {path: /a}}"),
             "volumes[0].hostPath: Forbidden: may not specify more than 1 volume type"),
      of_pod(volume("{name: v, hostPath: {}}"), "volumes[0].hostPath.path: Required value"),
      of_pod(volume("{name: v, hostPath: {path: /a, type: Disk}}"),
             "volumes[0].hostPath.type: Unsupported value: \"Disk\": supported values: \"\", \"BlockDevice\", "
             "\"CharDevice\", "
             "\"Directory\", \"DirectoryOrCreate\", \"File\", \"FileOrCreate\", \"Socket\""),
      of_pod(volume("{name: v, secret: {}}"), "volumes[0].secret.secretName: Required value"),
      of_pod(volume("{name: v, configMap: {name: c, defaultMode: 512}}"),
             "volumes[0].configMap.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both "
             "inclusive"),
      of_pod(volume("{name: v, configMap: {name: c, items: [{path: a}]}}"),
             "volumes[0].configMap.items[0].key: Required value"),
      of_pod(volume("{name: v, persistentVolumeClaim: {}}"),
             "volumes[0].persistentVolumeClaim.claimName: Required value"),
      of_pod(volume("{name: v, nfs: {server: s, path: a}}"),
             "volumes[0].nfs.path: Invalid value: \"a\": must be an absolute path"),
      of_pod(volume("{name: v, emptyDir: {sizeLimit: -1Gi}}"),
             "volumes[0].emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity"),
  });
}

TEST_CASE("resources of containers", "[admission]") {
  const auto resources = [](const std::string& text, const std::string& want) {
    return of_container("resources: {" + text + "}", want.empty() ? want : "resources." + want);
  };
  check({
      resources("requests: {cpu: 1, memory: 1Gi, ephemeral-storage: 1Gi}, limits: {cpu: 2}", ""),
      resources("requests: {cpu: 2}, limits: {cpu: 1}",
                "requests: Invalid value: \"2\": must be less than or equal to cpu limit of 1"),
      resources("requests: {gpu: 1}",
                "requests[gpu]: Invalid value: \"gpu\": must be a standard resource type or fully qualified. "
                "template.spec.containers[0].resources.requests[gpu]: Invalid value: \"gpu\": must be a standard "
                "resource for "
                "containers"),
      resources("limits: {nvidia.com/gpu: 1}, requests: {nvidia.com/gpu: 1}", ""),
      resources("requests: {nvidia.com/gpu: 1}",
                "limits: Required value: Limit must be set for non overcommitable resources"),
      resources("limits: {nvidia.com/gpu: 2}, requests: {nvidia.com/gpu: 1}",
                "requests: Invalid value: \"1\": must be equal to nvidia.com/gpu limit of 2"),
      resources("limits: {nvidia.com/gpu: 0.5}",
                "limits[nvidia.com/gpu]: Invalid value: resource.Quantity{i:resource.int64Amount{value:5, scale:-1}, "
                "d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:\"\", Format:\"DecimalSI\"}: must be an integer"),
      resources("limits: {nvidia.com/gpu: 500m}",
                "limits[nvidia.com/gpu]: Invalid value: resource.Quantity{i:resource.int64Amount{value:500, scale:-3}, "
                "d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:\"500m\", Format:\"DecimalSI\"}: must be an integer"),
      resources("limits: {hugepages-2Mi: 4Mi, memory: 1Gi}", ""),
      resources("limits: {hugepages-2Mi: 3Mi, memory: 1Gi}",
                "limits[hugepages-2Mi]: Invalid value: \"3Mi\": 3Mi is not positive integer multiple of hugepages-2Mi"),
      of_container("resources: {limits: {hugepages-2Mi: 4Mi}}",
                   "resources: Forbidden: HugePages require cpu or memory"),
      resources("claims: [{name: c}]",
                "claims[0]: Not found: \"c\": must be one of the names in pod.spec.resourceClaims which is empty"),
  });
}

TEST_CASE("probes and hooks", "[admission]") {
  const auto probe = [](const std::string& text, const std::string& want) {
    return of_container("livenessProbe: {" + text + "}", want.empty() ? want : "livenessProbe" + want);
  };
  check({
      probe("exec: {command: [x]}", ""),
      probe("", ": Required value: must specify a handler type"),
      probe("exec: {}", ".exec.command: Required value"),
      probe("exec: {command: [x]}, tcpSocket: {port: 1}",
            ".tcpSocket: Forbidden: may not specify more than 1 handler type"),
      probe("httpGet: {port: http}", ""),
      probe("httpGet: {}", ".httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive"),
      probe("httpGet: {port: 80, scheme: FTP}",
            ".httpGet.scheme: Unsupported value: \"FTP\": supported values: \"HTTP\", \"HTTPS\""),
      probe("tcpSocket: {port: 1}, periodSeconds: -1",
            ".periodSeconds: Invalid value: -1: must be greater than or equal to 0"),
      probe("tcpSocket: {port: 1}, successThreshold: 2", ".successThreshold: Invalid value: 2: must be 1"),
      probe("tcpSocket: {port: 1}, terminationGracePeriodSeconds: 0",
            ".terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0"),
      of_container("readinessProbe: {tcpSocket: {port: 1}, successThreshold: 2}", ""),
      of_container(
          "readinessProbe: {tcpSocket: {port: 1}, terminationGracePeriodSeconds: 5}",
          "readinessProbe.terminationGracePeriodSeconds: Invalid value: 5: must not be set for readinessProbes"),
      of_container("lifecycle: {preStop: {}}", "lifecycle.preStop: Required value: must specify a handler type"),
      of_container(
          "lifecycle: {preStop: {sleep: {seconds: 31}}}",
          "lifecycle.preStop.sleep: Invalid value: 31: must be greater than 0 and less than "
          "terminationGracePeriodSeconds (30). Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero "
          "sleep."),
  });
}

TEST_CASE("labels and annotations of the template", "[admission]") {
  const auto meta = [](const std::string& text) {
    return test::volcano_job("{tasks: [{name: w, replicas: 1, template: {metadata: {" + text +
                             "}, spec: {restartPolicy: Never, containers: [{name: m, image: i}]}}}]}");
  };
  check({
      {meta("labels: {a: 'b c'}"), "labels: Invalid value: \"b c\": " + kValue},
      {meta("labels: {'a b': c}"), "labels: Invalid value: \"a b\": name part " + kName},
      {meta("annotations: {'a b': c}"), "annotations: Invalid value: \"a b\": name part " + kName},
      {meta("annotations: {a: " + std::string(262144, 'x') + "}"),
       "annotations: Too long: may not be more than 262144 bytes"},
  });
  const Review review = review_of(meta("labels: {a: 'b c'}"), webhook());
  REQUIRE(review.diagnostics.size() == 1);
  CHECK(review.diagnostics[0].field == "spec.tasks[0].template.metadata.labels");
}

TEST_CASE("the pod's own fields", "[admission]") {
  const std::string term =
      "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
      "[{matchExpressions: [";
  const std::string at = "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
  check({
      of_pod("dnsPolicy: Mine",
             "dnsPolicy: Unsupported value: \"Mine\": supported values: \"ClusterFirstWithHostNet\", "
             "\"ClusterFirst\", \"Default\", \"None\""),
      of_pod("dnsPolicy: None", "dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"),
      of_pod("dnsConfig: {nameservers: [a]}",
             "dnsConfig.nameservers[0]: Invalid value: \"a\": must be a valid IP address, (e.g. 10.9.8.7 or "
             "2001:db8::ffff)"),
      of_pod("nodeSelector: {disk: 'a b'}", "nodeSelector: Invalid value: \"a b\": " + kValue),
      of_pod("securityContext: {runAsUser: -1}",
             "securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive"),
      of_pod("hostPID: true, shareProcessNamespace: true",
             "securityContext.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot "
             "both be "
             "enabled"),
      of_pod(
          term + "{key: k, operator: In}]}]}}}",
          at + "[0].matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"),
      of_pod(term + "{key: k, operator: Is}]}]}}}",
             at + "[0].matchExpressions[0].operator: Invalid value: \"Is\": not a valid selector operator"),
      of_pod("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {}}}",
             at + ": Required value: must have at least one node selector term"),
      of_pod("affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {}}]}}",
             "affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Required value: "
             "can not be "
             "empty. "
             "template.spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: "
             "Invalid "
             "value: \"\": name part must be non-empty. "
             "template.spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: "
             "Invalid value: "
             "\"\": name part " +
                 kName),
      of_pod("schedulingGates: [{name: a}, {name: a}]", "schedulingGates[1]: Duplicate value: \"a\""),
      of_pod("topologySpreadConstraints: [{topologyKey: k, whenUnsatisfiable: DoNotSchedule}]",
             "topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero"),
      of_pod("hostUsers: false, hostIPC: true", "HostIPC: Forbidden: when `pod.Spec.HostUsers` is false"),
      of_pod("serviceAccountName: A", "serviceAccountName: Invalid value: \"A\": " + kSubdomain),
      of_pod("nodeName: A", "nodeName: Invalid value: \"A\": " + kSubdomain),
      of_pod("activeDeadlineSeconds: 0",
             "activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive"),
      of_pod("hostname: a.b", "hostname: Invalid value: \"a.b\": must not contain dots"),
      of_pod("subdomain: A", "subdomain: Invalid value: \"A\": " + kLabel),
      of_pod("tolerations: [{operator: Exists}]", ""),
      of_pod("tolerations: [{}]",
             "tolerations[0].operator: Invalid value: \"\": operator must be Exists when `key` is empty, "
             "which means \"match all values and all keys\""),
      of_pod("tolerations: [{key: k, operator: Exists, value: v}]",
             "tolerations[0].operator: Invalid value: \"v\": value must be empty when `operator` is 'Exists'"),
      of_pod("tolerations: [{key: k, operator: In}]",
             "tolerations[0].operator: Unsupported value: \"In\": supported values: \"Equal\", \"Exists\""),
      of_pod("tolerations: [{key: k, effect: Never}]",
             "tolerations[0].effect: Unsupported value: \"Never\": supported values: \"NoSchedule\", "
             "\"PreferNoSchedule\", "
             "\"NoExecute\""),
      of_pod("tolerations: [{key: k, tolerationSeconds: 5}]",
             "tolerations[0].effect: Invalid value: \"\": effect must be 'NoExecute' when `tolerationSeconds` is set"),
      of_pod("hostAliases: [{ip: a}]",
             "hostAliases[0].ip: Invalid value: \"a\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"),
      of_pod("priorityClassName: A", "priorityClassName: Invalid value: \"A\": " + kSubdomain),
      of_pod("runtimeClassName: A", "runtimeClassName: Invalid value: \"A\": " + kSubdomain),
      of_pod("preemptionPolicy: Always",
             "preemptionPolicy: Unsupported value: \"Always\": supported values: \"PreemptLowerPriority\", \"Never\""),
      of_pod("os: {name: beos}", "os.name: Unsupported value: \"beos\": supported values: \"linux\", \"windows\""),
      of_pod("resourceClaims: [{name: c}]",
             "resourceClaims[0]: Invalid value: {\"name\":\"c\"}: must specify one of: `resourceClaimName`, "
             "`resourceClaimTemplateName`"),
  });
}

}  // namespace
}  // namespace pumice::admission
