#include "pumice/kubejob/pod_template.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "pumice/kubejob/classify.h"
#include "pumice/kubejob/names.h"
#include "pumice/model/reader.h"

namespace pumice::kubejob {
namespace {

const Json* member(const Json* object, const char* name) {
  if (object == nullptr || !object->is_object()) return nullptr;
  const auto found = object->find(name);
  return found == object->end() ? nullptr : &*found;
}

std::string text_of(const Json* object, const char* name) {
  const Json* found = member(object, name);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

StringMap map_of(const Json* object) {
  StringMap map;
  if (object == nullptr || !object->is_object()) return map;
  for (const auto& [key, value] : object->items())
    if (value.is_string()) map.emplace(key, value.get<std::string>());
  return map;
}

/// Adds the variable with the completion index unless the container defines it.
void add_index_variable(Json& spec, const char* list, bool from_annotation) {
  const auto containers = spec.find(list);
  if (containers == spec.end() || !containers->is_array()) return;
  for (Json& container : *containers) {
    if (!container.is_object()) continue;
    Json& env = container["env"];
    if (!env.is_array()) env = Json::array();
    const bool defined =
        std::any_of(env.begin(), env.end(), [](const Json& item) { return text_of(&item, "name") == kIndexVariable; });
    if (defined) continue;
    std::string path = from_annotation ? "metadata.annotations['" : "metadata.labels['";
    path += std::string(kCompletionIndex) + "']";
    Json source = object_of({{"fieldRef", object_of({{"fieldPath", std::move(path)}})}});
    env.push_back(object_of({{"name", kIndexVariable}, {"valueFrom", std::move(source)}}));
  }
}

}  // namespace

PodTemplate PodTemplate::of(const JobSpec& spec, Quirks quirks) {
  PodTemplate out;
  const Json* metadata = member(&spec.pod_template, "metadata");
  out.labels = map_of(member(metadata, "labels"));
  out.annotations = map_of(member(metadata, "annotations"));
  if (const Json* finalizers = member(metadata, "finalizers"); finalizers != nullptr && finalizers->is_array()) {
    for (const Json& finalizer : *finalizers)
      if (finalizer.is_string()) out.finalizers.push_back(finalizer.get<std::string>());
  }
  if (std::find(out.finalizers.begin(), out.finalizers.end(), kTrackingFinalizer) == out.finalizers.end())
    out.finalizers.emplace_back(kTrackingFinalizer);
  const Json* pod_spec = member(&spec.pod_template, "spec");
  Json filled = pod_spec != nullptr && pod_spec->is_object() ? *pod_spec : Json::object();
  out.hostname = text_of(&filled, "hostname");
  filled.erase("hostname");
  out.restarts_on_failure = text_of(&filled, "restartPolicy") == "OnFailure";
  if (const Json* containers = member(&filled, "initContainers"); containers != nullptr && containers->is_array()) {
    for (const Json& container : *containers)
      if (text_of(&container, "restartPolicy") == "Always") out.restartable_init.push_back(text_of(&container, "name"));
  }
  if (spec.is_indexed()) {
    for (const char* list : {"initContainers", "containers"})
      add_index_variable(filled, list, quirks.has(Quirk::IndexFromAnnotation));
  }
  out.spec = std::make_shared<const Json>(std::move(filled));
  return out;
}

/// The server checks a prefix by its shape with the last letter and the dash replaced, so only a name that is none
/// makes a difference.
std::string generate_name(const std::string& job) {
  if (job.empty()) return job;
  const std::string masked = job.substr(0, job.size() - 1) + "a";
  return masked.size() <= 253 && is_dns_subdomain(masked) ? job + "-" : job;
}

std::string generate_name(const std::string& job, std::int32_t index) {
  const std::string tail = "-" + std::to_string(index) + "-";
  std::string name = job + tail;
  if (name.size() > kGeneratedNameBaseMax) name = job.substr(0, kGeneratedNameBaseMax - tail.size()) + tail;
  return name;
}

FailureCounts next_failure_counts(const JobSpec& spec, const Pod* failed) {
  FailureCounts counts;
  if (failed == nullptr) return counts;
  counts = {failure_count(*failed), ignored_failure_count(*failed)};
  std::int32_t& count = match_failure(spec, *failed).counts() ? counts.counted : counts.ignored;
  // As upstream's 32-bit sum: beyond the end it wraps, and is read as 0 the next time.
  count = static_cast<std::int32_t>(static_cast<std::uint32_t>(count) + 1U);
  return counts;
}

PodPtr new_pod(const Job& job, const PodTemplate& pod_template, std::int32_t index, const Pod* failed, Quirks quirks) {
  auto pod = std::make_shared<Pod>();
  pod->meta.ns = job.meta.ns;
  pod->meta.labels = pod_template.labels;
  pod->meta.annotations = pod_template.annotations;
  pod->meta.owners.push_back({std::string(kApiVersion), std::string(kKind), job.meta.name, job.meta.uid, true});
  pod->finalizers = pod_template.finalizers;
  pod->spec = pod_template.spec;
  pod->hostname = pod_template.hostname;
  pod->restartable_init = pod_template.restartable_init;
  if (index == kUnknownIndex) {
    pod->generate_name = generate_name(job.meta.name);
    return pod;
  }
  const std::string text = std::to_string(index);
  const std::string key(kCompletionIndex);
  pod->generate_name = generate_name(job.meta.name, index);
  pod->hostname = job.meta.name + "-" + text;
  pod->meta.annotations[key] = text;
  if (!quirks.has(Quirk::IndexFromAnnotation)) pod->meta.labels[key] = text;
  if (has_per_index_limit(*job.spec, quirks)) {
    const FailureCounts counts = next_failure_counts(*job.spec, failed);
    pod->meta.annotations[std::string(kFailureCount)] = std::to_string(counts.counted);
    if (counts.ignored > 0) pod->meta.annotations[std::string(kIgnoredFailureCount)] = std::to_string(counts.ignored);
  }
  return pod;
}

}  // namespace pumice::kubejob
