// The types as tables, from the insides of pods outwards.
#pragma once

#include "admission/schema.h"

namespace pumice::admission::types {

using T = ValueType;

// --- limits of Volcano's definitions ---

inline constexpr Limit kNotNegative{.least = 0};
inline constexpr Limit kPositive{.least = 1};
inline constexpr Limit kRequiredPositive{.least = 1, .is_required = true};
inline constexpr Limit kName{.bytes_max = 253, .form = Limit::Form::DnsSubdomain};
inline constexpr Limit kLong{.bytes_max = 253};
inline constexpr Limit kShort{.bytes_max = 63};
inline constexpr Limit kTaskName{.bytes_max = 63, .form = Limit::Form::DnsLabel};
inline constexpr Limit kMountPath{.bytes_min = 1, .form = Limit::Form::NoColon, .is_required = true};
inline constexpr Limit kSomeItems{.items_min = 1};
inline constexpr Limit kRequired{.is_required = true};
inline constexpr Limit kFlowName{.bytes_min = 1, .is_required = true};
inline constexpr std::string_view kTopologyWords[] = {"none", "best-effort", "restricted", "single-numa-node"};
inline constexpr Limit kTopologyPolicy{.words = kTopologyWords};
inline constexpr std::string_view kModeWords[] = {"hard", "soft"};
inline constexpr Limit kTopologyMode{.words = kModeWords};
inline constexpr std::string_view kEventWords[] = {
    "*",         "PodPending",    "PodRunning", "PodFailed", "PodEvicted", "Unknown", "TaskCompleted",
    "OutOfSync", "CommandIssued", "JobUpdated", "TaskFailed"};
inline constexpr Limit kEvent{.words = kEventWords};
inline constexpr std::string_view kConcurrencyWords[] = {"Allow", "Forbid", "Replace"};
inline constexpr Limit kConcurrency{.words = kConcurrencyWords};
inline constexpr std::string_view kRetainWords[] = {"retain", "delete"};
inline constexpr Limit kRetain{.words = kRetainWords};

// --- core/v1 ---

inline constexpr FieldInfo kOwnerReferenceFields[] = {{"apiVersion", T::String}, {"kind", T::String},
                                                      {"name", T::String},       {"uid", T::String},
                                                      {"controller", T::Bool},   {"blockOwnerDeletion", T::Bool}};
inline constexpr TypeInfo kOwnerReference{"v1.OwnerReference", kOwnerReferenceFields};
inline constexpr FieldInfo kObjectMetaFields[] = {
    {"name", T::String},
    {"generateName", T::String},
    {"namespace", T::String},
    {"selfLink", T::String},
    {"uid", T::String},
    {"resourceVersion", T::String},
    {"generation", T::Int64},
    {"creationTimestamp", T::String},
    {"deletionTimestamp", T::String},
    {"deletionGracePeriodSeconds", T::Int64},
    {"labels", T::StringMap},
    {"annotations", T::StringMap},
    {"ownerReferences", T::List, &kOwnerReference},
    {"finalizers", T::Strings},
    {"managedFields", T::Any},
};
inline constexpr TypeInfo kObjectMeta{"v1.ObjectMeta", kObjectMetaFields};

inline constexpr FieldInfo kRequirementFields[] = {{"key", T::String}, {"operator", T::String}, {"values", T::Strings}};
inline constexpr TypeInfo kRequirement{"v1.LabelSelectorRequirement", kRequirementFields};
inline constexpr FieldInfo kLabelSelectorFields[] = {{"matchLabels", T::StringMap},
                                                     {"matchExpressions", T::List, &kRequirement}};
inline constexpr TypeInfo kLabelSelector{"v1.LabelSelector", kLabelSelectorFields};

inline constexpr FieldInfo kKeySelectorFields[] = {{"name", T::String}, {"key", T::String}, {"optional", T::Bool}};
inline constexpr TypeInfo kConfigMapKeySelector{"v1.ConfigMapKeySelector", kKeySelectorFields};
inline constexpr TypeInfo kSecretKeySelector{"v1.SecretKeySelector", kKeySelectorFields};
inline constexpr FieldInfo kFieldSelectorFields[] = {{"apiVersion", T::String}, {"fieldPath", T::String}};
inline constexpr TypeInfo kFieldSelector{"v1.ObjectFieldSelector", kFieldSelectorFields};
inline constexpr FieldInfo kResourceSelectorFields[] = {
    {"containerName", T::String}, {"resource", T::String}, {"divisor", T::Quantity}};
inline constexpr TypeInfo kResourceSelector{"v1.ResourceFieldSelector", kResourceSelectorFields};
inline constexpr FieldInfo kEnvSourceFields[] = {{"fieldRef", T::Object, &kFieldSelector},
                                                 {"resourceFieldRef", T::Object, &kResourceSelector},
                                                 {"configMapKeyRef", T::Object, &kConfigMapKeySelector},
                                                 {"secretKeyRef", T::Object, &kSecretKeySelector},
                                                 {"fileKeyRef", T::Any}};
inline constexpr TypeInfo kEnvSource{"v1.EnvVarSource", kEnvSourceFields};
inline constexpr FieldInfo kEnvVarFields[] = {
    {"name", T::String}, {"value", T::String}, {"valueFrom", T::Object, &kEnvSource}};
inline constexpr TypeInfo kEnvVar{"v1.EnvVar", kEnvVarFields};
inline constexpr FieldInfo kNamedRefFields[] = {{"name", T::String}, {"optional", T::Bool}};
inline constexpr TypeInfo kConfigMapEnvSource{"v1.ConfigMapEnvSource", kNamedRefFields};
inline constexpr TypeInfo kSecretEnvSource{"v1.SecretEnvSource", kNamedRefFields};
inline constexpr FieldInfo kEnvFromFields[] = {{"prefix", T::String},
                                               {"configMapRef", T::Object, &kConfigMapEnvSource},
                                               {"secretRef", T::Object, &kSecretEnvSource}};
inline constexpr TypeInfo kEnvFrom{"v1.EnvFromSource", kEnvFromFields};

inline constexpr FieldInfo kPortFields[] = {{"name", T::String},
                                            {"hostPort", T::Int32},
                                            {"containerPort", T::Int32},
                                            {"protocol", T::String, nullptr, nullptr, "v1.Protocol"},
                                            {"hostIP", T::String}};
inline constexpr TypeInfo kPort{"v1.ContainerPort", kPortFields};
inline constexpr FieldInfo kResourceClaimFields[] = {{"name", T::String}, {"request", T::String}};
inline constexpr TypeInfo kResourceClaim{"v1.ResourceClaim", kResourceClaimFields};
inline constexpr FieldInfo kResourcesFields[] = {
    {"limits", T::QuantityMap}, {"requests", T::QuantityMap}, {"claims", T::List, &kResourceClaim}};
inline constexpr TypeInfo kResources{"v1.ResourceRequirements", kResourcesFields};
inline constexpr FieldInfo kMountFields[] = {
    {"name", T::String},    {"readOnly", T::Bool},           {"recursiveReadOnly", T::String}, {"mountPath", T::String},
    {"subPath", T::String}, {"mountPropagation", T::String}, {"subPathExpr", T::String}};
inline constexpr TypeInfo kMount{"v1.VolumeMount", kMountFields};
inline constexpr FieldInfo kDeviceFields[] = {{"name", T::String}, {"devicePath", T::String}};
inline constexpr TypeInfo kDevice{"v1.VolumeDevice", kDeviceFields};

inline constexpr FieldInfo kExecFields[] = {{"command", T::Strings}};
inline constexpr TypeInfo kExec{"v1.ExecAction", kExecFields};
inline constexpr FieldInfo kHeaderFields[] = {{"name", T::String}, {"value", T::String}};
inline constexpr TypeInfo kHeader{"v1.HTTPHeader", kHeaderFields};
inline constexpr FieldInfo kHttpGetFields[] = {{"path", T::String},
                                               {"port", T::IntOrString},
                                               {"host", T::String},
                                               {"scheme", T::String, nullptr, nullptr, "v1.URIScheme"},
                                               {"httpHeaders", T::List, &kHeader}};
inline constexpr TypeInfo kHttpGet{"v1.HTTPGetAction", kHttpGetFields};
inline constexpr FieldInfo kTcpSocketFields[] = {{"port", T::IntOrString}, {"host", T::String}};
inline constexpr TypeInfo kTcpSocket{"v1.TCPSocketAction", kTcpSocketFields};
inline constexpr FieldInfo kGrpcFields[] = {{"port", T::Int32}, {"service", T::String}};
inline constexpr TypeInfo kGrpc{"v1.GRPCAction", kGrpcFields};
inline constexpr FieldInfo kSleepFields[] = {{"seconds", T::Int64}};
inline constexpr TypeInfo kSleep{"v1.SleepAction", kSleepFields};
inline constexpr FieldInfo kProbeFields[] = {
    {"exec", T::Object, &kExec},           {"httpGet", T::Object, &kHttpGet},
    {"tcpSocket", T::Object, &kTcpSocket}, {"grpc", T::Object, &kGrpc},
    {"initialDelaySeconds", T::Int32},     {"timeoutSeconds", T::Int32},
    {"periodSeconds", T::Int32},           {"successThreshold", T::Int32},
    {"failureThreshold", T::Int32},        {"terminationGracePeriodSeconds", T::Int64}};
inline constexpr TypeInfo kProbe{"v1.Probe", kProbeFields};
inline constexpr FieldInfo kHandlerFields[] = {{"exec", T::Object, &kExec},
                                               {"httpGet", T::Object, &kHttpGet},
                                               {"tcpSocket", T::Object, &kTcpSocket},
                                               {"sleep", T::Object, &kSleep}};
inline constexpr TypeInfo kHandler{"v1.LifecycleHandler", kHandlerFields};
inline constexpr FieldInfo kLifecycleFields[] = {
    {"postStart", T::Object, &kHandler}, {"preStop", T::Object, &kHandler}, {"stopSignal", T::String}};
inline constexpr TypeInfo kLifecycle{"v1.Lifecycle", kLifecycleFields};
inline constexpr FieldInfo kCapabilitiesFields[] = {{"add", T::Strings}, {"drop", T::Strings}};
inline constexpr TypeInfo kCapabilities{"v1.Capabilities", kCapabilitiesFields};
inline constexpr FieldInfo kSecurityFields[] = {{"capabilities", T::Object, &kCapabilities},
                                                {"privileged", T::Bool},
                                                {"seLinuxOptions", T::Any},
                                                {"windowsOptions", T::Any},
                                                {"runAsUser", T::Int64},
                                                {"runAsGroup", T::Int64},
                                                {"runAsNonRoot", T::Bool},
                                                {"readOnlyRootFilesystem", T::Bool},
                                                {"allowPrivilegeEscalation", T::Bool},
                                                {"procMount", T::String},
                                                {"seccompProfile", T::Any},
                                                {"appArmorProfile", T::Any}};
inline constexpr TypeInfo kSecurity{"v1.SecurityContext", kSecurityFields};
inline constexpr FieldInfo kResizeFields[] = {{"resourceName", T::String}, {"restartPolicy", T::String}};
inline constexpr TypeInfo kResize{"v1.ContainerResizePolicy", kResizeFields};
inline constexpr FieldInfo kContainerFields[] = {
    {"name", T::String},
    {"image", T::String},
    {"command", T::Strings},
    {"args", T::Strings},
    {"workingDir", T::String},
    {"ports", T::List, &kPort},
    {"envFrom", T::List, &kEnvFrom},
    {"env", T::List, &kEnvVar},
    {"resources", T::Object, &kResources},
    {"resizePolicy", T::List, &kResize},
    {"restartPolicy", T::String, nullptr, nullptr, "v1.ContainerRestartPolicy"},
    {"restartPolicyRules", T::Any},
    {"volumeMounts", T::List, &kMount},
    {"volumeDevices", T::List, &kDevice},
    {"livenessProbe", T::Object, &kProbe},
    {"readinessProbe", T::Object, &kProbe},
    {"startupProbe", T::Object, &kProbe},
    {"lifecycle", T::Object, &kLifecycle},
    {"terminationMessagePath", T::String},
    {"terminationMessagePolicy", T::String, nullptr, nullptr, "v1.TerminationMessagePolicy"},
    {"imagePullPolicy", T::String, nullptr, nullptr, "v1.PullPolicy"},
    {"securityContext", T::Object, &kSecurity},
    {"stdin", T::Bool},
    {"stdinOnce", T::Bool},
    {"tty", T::Bool},
    {"targetContainerName", T::String}};
inline constexpr TypeInfo kContainer{"v1.Container", kContainerFields};

inline constexpr FieldInfo kKeyToPathFields[] = {{"key", T::String}, {"path", T::String}, {"mode", T::Int32}};
inline constexpr TypeInfo kKeyToPath{"v1.KeyToPath", kKeyToPathFields};
inline constexpr FieldInfo kEmptyDirFields[] = {{"medium", T::String}, {"sizeLimit", T::Quantity}};
inline constexpr TypeInfo kEmptyDir{"v1.EmptyDirVolumeSource", kEmptyDirFields};
inline constexpr FieldInfo kHostPathFields[] = {{"path", T::String}, {"type", T::String}};
inline constexpr TypeInfo kHostPath{"v1.HostPathVolumeSource", kHostPathFields};
inline constexpr FieldInfo kSecretVolumeFields[] = {
    {"secretName", T::String}, {"items", T::List, &kKeyToPath}, {"defaultMode", T::Int32}, {"optional", T::Bool}};
inline constexpr TypeInfo kSecretVolume{"v1.SecretVolumeSource", kSecretVolumeFields};
inline constexpr FieldInfo kConfigMapVolumeFields[] = {
    {"name", T::String}, {"items", T::List, &kKeyToPath}, {"defaultMode", T::Int32}, {"optional", T::Bool}};
inline constexpr TypeInfo kConfigMapVolume{"v1.ConfigMapVolumeSource", kConfigMapVolumeFields};
inline constexpr FieldInfo kClaimVolumeFields[] = {{"claimName", T::String}, {"readOnly", T::Bool}};
inline constexpr TypeInfo kClaimVolume{"v1.PersistentVolumeClaimVolumeSource", kClaimVolumeFields};
inline constexpr FieldInfo kNfsFields[] = {{"server", T::String}, {"path", T::String}, {"readOnly", T::Bool}};
inline constexpr TypeInfo kNfs{"v1.NFSVolumeSource", kNfsFields};
inline constexpr FieldInfo kDownwardFileFields[] = {{"path", T::String},
                                                    {"fieldRef", T::Object, &kFieldSelector},
                                                    {"resourceFieldRef", T::Object, &kResourceSelector},
                                                    {"mode", T::Int32}};
inline constexpr TypeInfo kDownwardFile{"v1.DownwardAPIVolumeFile", kDownwardFileFields};
inline constexpr FieldInfo kDownwardFields[] = {{"items", T::List, &kDownwardFile}, {"defaultMode", T::Int32}};
inline constexpr TypeInfo kDownward{"v1.DownwardAPIVolumeSource", kDownwardFields};
inline constexpr FieldInfo kVolumeFields[] = {{"name", T::String},
                                              {"emptyDir", T::Object, &kEmptyDir},
                                              {"hostPath", T::Object, &kHostPath},
                                              {"secret", T::Object, &kSecretVolume},
                                              {"configMap", T::Object, &kConfigMapVolume},
                                              {"persistentVolumeClaim", T::Object, &kClaimVolume},
                                              {"nfs", T::Object, &kNfs},
                                              {"downwardAPI", T::Object, &kDownward},
                                              {"projected", T::Any},
                                              {"csi", T::Any},
                                              {"ephemeral", T::Any},
                                              {"image", T::Any},
                                              {"gitRepo", T::Any},
                                              {"gcePersistentDisk", T::Any},
                                              {"awsElasticBlockStore", T::Any},
                                              {"iscsi", T::Any},
                                              {"glusterfs", T::Any},
                                              {"flocker", T::Any},
                                              {"rbd", T::Any},
                                              {"cinder", T::Any},
                                              {"cephfs", T::Any},
                                              {"quobyte", T::Any},
                                              {"fc", T::Any},
                                              {"flexVolume", T::Any},
                                              {"azureFile", T::Any},
                                              {"vsphereVolume", T::Any},
                                              {"photonPersistentDisk", T::Any},
                                              {"portworxVolume", T::Any},
                                              {"azureDisk", T::Any},
                                              {"storageos", T::Any},
                                              {"scaleIO", T::Any}};
inline constexpr TypeInfo kVolume{"v1.Volume", kVolumeFields};

inline constexpr FieldInfo kTolerationFields[] = {{"key", T::String},
                                                  {"operator", T::String, nullptr, nullptr, "v1.TolerationOperator"},
                                                  {"value", T::String},
                                                  {"effect", T::String, nullptr, nullptr, "v1.TaintEffect"},
                                                  {"tolerationSeconds", T::Int64}};
inline constexpr TypeInfo kToleration{"v1.Toleration", kTolerationFields};
inline constexpr FieldInfo kNodeTermFields[] = {{"matchExpressions", T::List, &kRequirement},
                                                {"matchFields", T::List, &kRequirement}};
inline constexpr TypeInfo kNodeTerm{"v1.NodeSelectorTerm", kNodeTermFields};
inline constexpr FieldInfo kNodeSelectorFields[] = {{"nodeSelectorTerms", T::List, &kNodeTerm}};
inline constexpr TypeInfo kNodeSelector{"v1.NodeSelector", kNodeSelectorFields};
inline constexpr FieldInfo kPreferredNodeFields[] = {{"weight", T::Int32}, {"preference", T::Object, &kNodeTerm}};
inline constexpr TypeInfo kPreferredNode{"v1.PreferredSchedulingTerm", kPreferredNodeFields};
inline constexpr FieldInfo kNodeAffinityFields[] = {
    {"requiredDuringSchedulingIgnoredDuringExecution", T::Object, &kNodeSelector},
    {"preferredDuringSchedulingIgnoredDuringExecution", T::List, &kPreferredNode}};
inline constexpr TypeInfo kNodeAffinity{"v1.NodeAffinity", kNodeAffinityFields};
inline constexpr FieldInfo kPodTermFields[] = {{"labelSelector", T::Object, &kLabelSelector},
                                               {"namespaces", T::Strings},
                                               {"topologyKey", T::String},
                                               {"namespaceSelector", T::Object, &kLabelSelector},
                                               {"matchLabelKeys", T::Strings},
                                               {"mismatchLabelKeys", T::Strings}};
inline constexpr TypeInfo kPodTerm{"v1.PodAffinityTerm", kPodTermFields};
inline constexpr FieldInfo kPreferredPodFields[] = {{"weight", T::Int32}, {"podAffinityTerm", T::Object, &kPodTerm}};
inline constexpr TypeInfo kPreferredPod{"v1.WeightedPodAffinityTerm", kPreferredPodFields};
inline constexpr FieldInfo kPodAffinityFields[] = {
    {"requiredDuringSchedulingIgnoredDuringExecution", T::List, &kPodTerm},
    {"preferredDuringSchedulingIgnoredDuringExecution", T::List, &kPreferredPod}};
inline constexpr TypeInfo kPodAffinity{"v1.PodAffinity", kPodAffinityFields};
inline constexpr FieldInfo kAffinityFields[] = {{"nodeAffinity", T::Object, &kNodeAffinity},
                                                {"podAffinity", T::Object, &kPodAffinity},
                                                {"podAntiAffinity", T::Object, &kPodAffinity}};
inline constexpr TypeInfo kAffinity{"v1.Affinity", kAffinityFields};
inline constexpr FieldInfo kSpreadFields[] = {{"maxSkew", T::Int32},
                                              {"topologyKey", T::String},
                                              {"whenUnsatisfiable", T::String},
                                              {"labelSelector", T::Object, &kLabelSelector},
                                              {"minDomains", T::Int32},
                                              {"nodeAffinityPolicy", T::String},
                                              {"nodeTaintsPolicy", T::String},
                                              {"matchLabelKeys", T::Strings}};
inline constexpr TypeInfo kSpread{"v1.TopologySpreadConstraint", kSpreadFields};
inline constexpr FieldInfo kLocalRefFields[] = {{"name", T::String}};
inline constexpr TypeInfo kLocalRef{"v1.LocalObjectReference", kLocalRefFields};
inline constexpr TypeInfo kSchedulingGate{"v1.PodSchedulingGate", kLocalRefFields};
inline constexpr FieldInfo kReadinessGateFields[] = {{"conditionType", T::String}};
inline constexpr TypeInfo kReadinessGate{"v1.PodReadinessGate", kReadinessGateFields};
inline constexpr FieldInfo kHostAliasFields[] = {{"ip", T::String}, {"hostnames", T::Strings}};
inline constexpr TypeInfo kHostAlias{"v1.HostAlias", kHostAliasFields};
inline constexpr FieldInfo kDnsOptionFields[] = {{"name", T::String}, {"value", T::String}};
inline constexpr TypeInfo kDnsOption{"v1.PodDNSConfigOption", kDnsOptionFields};
inline constexpr FieldInfo kDnsConfigFields[] = {
    {"nameservers", T::Strings}, {"searches", T::Strings}, {"options", T::List, &kDnsOption}};
inline constexpr TypeInfo kDnsConfig{"v1.PodDNSConfig", kDnsConfigFields};
inline constexpr FieldInfo kPodClaimFields[] = {
    {"name", T::String}, {"resourceClaimName", T::String}, {"resourceClaimTemplateName", T::String}};
inline constexpr TypeInfo kPodClaim{"v1.PodResourceClaim", kPodClaimFields};
inline constexpr FieldInfo kPodSecurityFields[] = {{"seLinuxOptions", T::Any},
                                                   {"windowsOptions", T::Any},
                                                   {"runAsUser", T::Int64},
                                                   {"runAsGroup", T::Int64},
                                                   {"runAsNonRoot", T::Bool},
                                                   {"supplementalGroups", T::Int64s},
                                                   {"supplementalGroupsPolicy", T::String},
                                                   {"fsGroup", T::Int64},
                                                   {"sysctls", T::Any},
                                                   {"fsGroupChangePolicy", T::String},
                                                   {"seccompProfile", T::Any},
                                                   {"appArmorProfile", T::Any},
                                                   {"seLinuxChangePolicy", T::String}};
inline constexpr TypeInfo kPodSecurity{"v1.PodSecurityContext", kPodSecurityFields};
inline constexpr FieldInfo kPodOsFields[] = {{"name", T::String}};
inline constexpr TypeInfo kPodOs{"v1.PodOS", kPodOsFields};
inline constexpr FieldInfo kPodSpecFields[] = {{"volumes", T::List, &kVolume},
                                               {"initContainers", T::List, &kContainer},
                                               {"containers", T::List, &kContainer},
                                               {"ephemeralContainers", T::List, &kContainer},
                                               {"restartPolicy", T::String, nullptr, nullptr, "v1.RestartPolicy"},
                                               {"terminationGracePeriodSeconds", T::Int64},
                                               {"activeDeadlineSeconds", T::Int64},
                                               {"dnsPolicy", T::String, nullptr, nullptr, "v1.DNSPolicy"},
                                               {"nodeSelector", T::StringMap},
                                               {"serviceAccountName", T::String},
                                               {"serviceAccount", T::String},
                                               {"automountServiceAccountToken", T::Bool},
                                               {"nodeName", T::String},
                                               {"hostNetwork", T::Bool},
                                               {"hostPID", T::Bool},
                                               {"hostIPC", T::Bool},
                                               {"shareProcessNamespace", T::Bool},
                                               {"securityContext", T::Object, &kPodSecurity},
                                               {"imagePullSecrets", T::List, &kLocalRef},
                                               {"hostname", T::String},
                                               {"subdomain", T::String},
                                               {"affinity", T::Object, &kAffinity},
                                               {"schedulerName", T::String},
                                               {"tolerations", T::List, &kToleration},
                                               {"hostAliases", T::List, &kHostAlias},
                                               {"priorityClassName", T::String},
                                               {"priority", T::Int32},
                                               {"dnsConfig", T::Object, &kDnsConfig},
                                               {"readinessGates", T::List, &kReadinessGate},
                                               {"runtimeClassName", T::String},
                                               {"enableServiceLinks", T::Bool},
                                               {"preemptionPolicy", T::String, nullptr, nullptr, "v1.PreemptionPolicy"},
                                               {"overhead", T::QuantityMap},
                                               {"topologySpreadConstraints", T::List, &kSpread},
                                               {"setHostnameAsFQDN", T::Bool},
                                               {"os", T::Object, &kPodOs},
                                               {"hostUsers", T::Bool},
                                               {"schedulingGates", T::List, &kSchedulingGate},
                                               {"resourceClaims", T::List, &kPodClaim},
                                               {"resources", T::Object, &kResources},
                                               {"hostnameOverride", T::String},
                                               {"workloadRef", T::Any},
                                               {"schedulingGroup", T::Any}};
inline constexpr TypeInfo kPodSpec{"v1.PodSpec", kPodSpecFields};
inline constexpr FieldInfo kPodTemplateFields[] = {{"metadata", T::Object, &kObjectMeta},
                                                   {"spec", T::Object, &kPodSpec}};
inline constexpr TypeInfo kPodTemplate{"v1.PodTemplateSpec", kPodTemplateFields};

// --- batch/v1 ---

inline constexpr FieldInfo kOnExitCodesFields[] = {
    {"containerName", T::String}, {"operator", T::String}, {"values", T::Int32s}};
inline constexpr TypeInfo kOnExitCodes{"v1.PodFailurePolicyOnExitCodesRequirement", kOnExitCodesFields};
inline constexpr FieldInfo kOnConditionFields[] = {{"type", T::String}, {"status", T::String}};
inline constexpr TypeInfo kOnCondition{"v1.PodFailurePolicyOnPodConditionsPattern", kOnConditionFields};
inline constexpr FieldInfo kFailureRuleFields[] = {
    {"action", T::String}, {"onExitCodes", T::Object, &kOnExitCodes}, {"onPodConditions", T::List, &kOnCondition}};
inline constexpr TypeInfo kFailureRule{"v1.PodFailurePolicyRule", kFailureRuleFields};
inline constexpr FieldInfo kFailurePolicyFields[] = {{"rules", T::List, &kFailureRule}};
inline constexpr TypeInfo kFailurePolicy{"v1.PodFailurePolicy", kFailurePolicyFields};
inline constexpr FieldInfo kSuccessRuleFields[] = {{"succeededIndexes", T::String}, {"succeededCount", T::Int32}};
inline constexpr TypeInfo kSuccessRule{"v1.SuccessPolicyRule", kSuccessRuleFields};
inline constexpr FieldInfo kSuccessPolicyFields[] = {{"rules", T::List, &kSuccessRule}};
inline constexpr TypeInfo kSuccessPolicy{"v1.SuccessPolicy", kSuccessPolicyFields};
inline constexpr FieldInfo kJobSpecFields[] = {
    {"parallelism", T::Int32},
    {"completions", T::Int32},
    {"activeDeadlineSeconds", T::Int64},
    {"podFailurePolicy", T::Object, &kFailurePolicy},
    {"successPolicy", T::Object, &kSuccessPolicy},
    {"backoffLimit", T::Int32},
    {"backoffLimitPerIndex", T::Int32},
    {"maxFailedIndexes", T::Int32},
    {"selector", T::Object, &kLabelSelector},
    {"manualSelector", T::Bool},
    {"template", T::Object, &kPodTemplate},
    {"ttlSecondsAfterFinished", T::Int32},
    {"completionMode", T::String, nullptr, nullptr, "v1.CompletionMode"},
    {"suspend", T::Bool},
    {"podReplacementPolicy", T::String, nullptr, nullptr, "v1.PodReplacementPolicy"},
    {"managedBy", T::String}};
inline constexpr TypeInfo kJobSpec{"v1.JobSpec", kJobSpecFields};
inline constexpr FieldInfo kJobFields[] = {{"apiVersion", T::String},
                                           {"kind", T::String},
                                           {"metadata", T::Object, &kObjectMeta},
                                           {"spec", T::Object, &kJobSpec},
                                           {"status", T::Any}};
inline constexpr TypeInfo kJob{"v1.Job", kJobFields};
inline constexpr FieldInfo kJobTemplateFields[] = {{"metadata", T::Object, &kObjectMeta},
                                                   {"spec", T::Object, &kJobSpec}};
inline constexpr TypeInfo kJobTemplate{"v1.JobTemplateSpec", kJobTemplateFields};
inline constexpr FieldInfo kCronJobSpecFields[] = {
    {"schedule", T::String},
    {"timeZone", T::String},
    {"startingDeadlineSeconds", T::Int64},
    {"concurrencyPolicy", T::String, nullptr, nullptr, "v1.ConcurrencyPolicy"},
    {"suspend", T::Bool},
    {"jobTemplate", T::Object, &kJobTemplate},
    {"successfulJobsHistoryLimit", T::Int32},
    {"failedJobsHistoryLimit", T::Int32}};
inline constexpr TypeInfo kCronJobSpec{"v1.CronJobSpec", kCronJobSpecFields};
inline constexpr FieldInfo kCronJobFields[] = {{"apiVersion", T::String},
                                               {"kind", T::String},
                                               {"metadata", T::Object, &kObjectMeta},
                                               {"spec", T::Object, &kCronJobSpec},
                                               {"status", T::Any}};
inline constexpr TypeInfo kCronJob{"v1.CronJob", kCronJobFields};

// --- batch.volcano.sh/v1alpha1 ---

inline constexpr FieldInfo kTopologyFields[] = {
    {"mode", T::String, nullptr, &kTopologyMode, "v1alpha1.NetworkTopologyMode"},
    {"highestTierAllowed", T::Int64, nullptr, &kNotNegative, "int"},
    {"highestTierName", T::String, nullptr, &kLong}};
inline constexpr TypeInfo kTopology{"v1alpha1.NetworkTopologySpec", kTopologyFields};
inline constexpr FieldInfo kPolicyFields[] = {{"action", T::String, nullptr, nullptr, "v1alpha1.Action"},
                                              {"event", T::String, nullptr, &kEvent, "v1alpha1.Event"},
                                              {"events", T::Strings, nullptr, &kEvent, "[]v1alpha1.Event"},
                                              {"exitCode", T::Int32},
                                              {"timeout", T::Duration}};
inline constexpr TypeInfo kPolicy{"v1alpha1.LifecyclePolicy", kPolicyFields};
inline constexpr FieldInfo kDependsOnFields[] = {{"name", T::Strings}, {"iteration", T::String}};
inline constexpr TypeInfo kDependsOn{"v1alpha1.DependsOn", kDependsOnFields};
inline constexpr FieldInfo kPartitionFields[] = {{"totalPartitions", T::Int32, nullptr, &kRequiredPositive},
                                                 {"partitionSize", T::Int32, nullptr, &kRequiredPositive},
                                                 {"minPartitions", T::Int32, nullptr, &kNotNegative},
                                                 {"networkTopology", T::Object, &kTopology}};
inline constexpr TypeInfo kPartition{"v1alpha1.PartitionPolicySpec", kPartitionFields};
inline constexpr FieldInfo kTaskFields[] = {
    {"name", T::String, nullptr, &kTaskName},
    {"replicas", T::Int32, nullptr, &kNotNegative},
    {"minAvailable", T::Int32, nullptr, &kNotNegative},
    {"template", T::Object, &kPodTemplate},
    {"policies", T::List, &kPolicy},
    {"topologyPolicy", T::String, nullptr, &kTopologyPolicy, "v1alpha1.NumaPolicy"},
    {"maxRetry", T::Int32, nullptr, &kNotNegative},
    {"dependsOn", T::Object, &kDependsOn},
    {"partitionPolicy", T::Object, &kPartition}};
inline constexpr TypeInfo kTask{"v1alpha1.TaskSpec", kTaskFields};
inline constexpr FieldInfo kVolcanoVolumeFields[] = {{"mountPath", T::String, nullptr, &kMountPath},
                                                     {"volumeClaimName", T::String, nullptr, &kLong},
                                                     {"volumeClaim", T::Any}};
inline constexpr TypeInfo kVolcanoVolume{"v1alpha1.VolumeSpec", kVolcanoVolumeFields};
inline constexpr FieldInfo kVolcanoJobSpecFields[] = {{"schedulerName", T::String, nullptr, &kShort},
                                                      {"minAvailable", T::Int32, nullptr, &kNotNegative},
                                                      {"volumes", T::List, &kVolcanoVolume},
                                                      {"tasks", T::List, &kTask, &kSomeItems},
                                                      {"policies", T::List, &kPolicy},
                                                      {"plugins", T::ListMap},
                                                      {"runningEstimate", T::Duration},
                                                      {"queue", T::String, nullptr, &kName},
                                                      {"maxRetry", T::Int32, nullptr, &kNotNegative},
                                                      {"ttlSecondsAfterFinished", T::Int32, nullptr, &kNotNegative},
                                                      {"priorityClassName", T::String, nullptr, &kName},
                                                      {"minSuccess", T::Int32, nullptr, &kPositive},
                                                      {"networkTopology", T::Object, &kTopology}};
inline constexpr TypeInfo kVolcanoJobSpec{"v1alpha1.JobSpec", kVolcanoJobSpecFields};
inline constexpr FieldInfo kVolcanoJobFields[] = {{"apiVersion", T::String},
                                                  {"kind", T::String},
                                                  {"metadata", T::Object, &kObjectMeta},
                                                  {"spec", T::Object, &kVolcanoJobSpec},
                                                  {"status", T::Any}};
inline constexpr TypeInfo kVolcanoJob{"v1alpha1.Job", kVolcanoJobFields};
inline constexpr FieldInfo kVolcanoTemplateFields[] = {{"metadata", T::Object, &kObjectMeta},
                                                       {"spec", T::Object, &kVolcanoJobSpec}};
inline constexpr TypeInfo kVolcanoTemplate{"v1alpha1.JobTemplateSpec", kVolcanoTemplateFields};
inline constexpr FieldInfo kVolcanoCronSpecFields[] = {
    {"schedule", T::String, nullptr, &kRequired},
    {"timeZone", T::String},
    {"startingDeadlineSeconds", T::Int64, nullptr, &kNotNegative},
    {"concurrencyPolicy", T::String, nullptr, &kConcurrency, "v1alpha1.ConcurrencyPolicy"},
    {"suspend", T::Bool},
    {"jobTemplate", T::Object, &kVolcanoTemplate, &kRequired},
    {"successfulJobsHistoryLimit", T::Int32, nullptr, &kNotNegative},
    {"failedJobsHistoryLimit", T::Int32, nullptr, &kNotNegative}};
inline constexpr TypeInfo kVolcanoCronSpec{"v1alpha1.CronJobSpec", kVolcanoCronSpecFields};
inline constexpr FieldInfo kVolcanoCronFields[] = {{"apiVersion", T::String},
                                                   {"kind", T::String},
                                                   {"metadata", T::Object, &kObjectMeta},
                                                   {"spec", T::Object, &kVolcanoCronSpec},
                                                   {"status", T::Any}};
inline constexpr TypeInfo kVolcanoCron{"v1alpha1.CronJob", kVolcanoCronFields};

// --- flow.volcano.sh/v1alpha1 ---

inline constexpr FieldInfo kFlowDependsFields[] = {{"targets", T::Strings}, {"probe", T::Any}};
inline constexpr TypeInfo kFlowDepends{"v1alpha1.DependsOn", kFlowDependsFields};
inline constexpr FieldInfo kFlowPatchFields[] = {{"jobSpec", T::Any}};
inline constexpr TypeInfo kFlowPatch{"v1alpha1.Patch", kFlowPatchFields};
inline constexpr FieldInfo kFlowStepFields[] = {{"name", T::String, nullptr, &kFlowName},
                                                {"dependsOn", T::Object, &kFlowDepends},
                                                {"patch", T::Object, &kFlowPatch}};
inline constexpr TypeInfo kFlowStep{"v1alpha1.Flow", kFlowStepFields};
inline constexpr FieldInfo kFlowSpecFields[] = {
    {"flows", T::List, &kFlowStep}, {"jobRetainPolicy", T::String, nullptr, &kRetain, "v1alpha1.RetainPolicy"}};
inline constexpr TypeInfo kFlowSpec{"v1alpha1.JobFlowSpec", kFlowSpecFields};
inline constexpr FieldInfo kFlowFields[] = {{"apiVersion", T::String},
                                            {"kind", T::String},
                                            {"metadata", T::Object, &kObjectMeta},
                                            {"spec", T::Object, &kFlowSpec},
                                            {"status", T::Any}};
inline constexpr TypeInfo kFlow{"v1alpha1.JobFlow", kFlowFields};
inline constexpr TypeInfo kFlowTemplate{"v1alpha1.JobTemplate", kVolcanoJobFields};

}  // namespace pumice::admission::types
