// Volcano Jobs from documents, and back (spec/volcano-job.md 1.1 - 1.5).
//
// Reading finds everything that is wrong with an object at once: each finding has file, line, column and field path.
// A wrong type, a number out of range or a malformed time is an error; an unknown field or an unknown word (event,
// action, plugin …) is a warning with the nearest known name, and the word is kept. What the admission layer would
// refuse or change is no business of the reader.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/field_reader.h"
#include "pumice/json.h"
#include "pumice/model/job.h"
#include "pumice/model/meta.h"
#include "pumice/model/pod.h"
#include "pumice/result.h"
#include "pumice/yaml.h"

namespace pumice {

/// What every Kubernetes object says about itself.
struct ObjectHeader {
  std::string api_version;
  std::string kind;
  std::string ns;    ///< as written, may be empty
  std::string name;  ///< as written, may be empty
  Range kind_range;  ///< where `kind` stands

  /// `batch.volcano.sh/v1alpha1`, `Job`.
  [[nodiscard]] bool is_volcano_job() const noexcept;
  /// `v1`, `List`, as `kubectl get -o yaml` writes it; or `batch.volcano.sh/v1alpha1`, `JobList`.
  [[nodiscard]] bool is_list() const noexcept;
  /// `batch.volcano.sh/v1alpha1/Job`, as messages name a kind.
  [[nodiscard]] std::string type_text() const { return api_version + "/" + kind; }
};

/// Fails if `object` is no map, or `apiVersion` or `kind` is missing or no string. Anything else is read leniently.
[[nodiscard]] Result<ObjectHeader> read_header(const YamlNode& object, std::string_view file = {});

/// An object within a document.
struct FoundObject {
  YamlNode* node = nullptr;
  std::string path;  ///< `items[3]` within a list; empty for the document itself
  ObjectHeader header;
};
/// The objects of a document in the order of the text: itself, or what the list that it is holds, lists within it
/// included; none if it is null. What has no usable header is reported to `findings` and left out.
[[nodiscard]] std::vector<FoundObject> objects_of(YamlNode& root, std::string_view file, Diagnostics& findings);

/// DNS-1123 label: lower-case letters, digits and `-`, the ends alphanumeric. The length is not looked at.
[[nodiscard]] bool is_dns_label(std::string_view text) noexcept;
/// DNS-1123 subdomain: labels joined by `.`.
[[nodiscard]] bool is_dns_subdomain(std::string_view text) noexcept;

enum class ReadMode : std::uint8_t {
  /// What a person wrote: names and a usable pod template are required, unknown fields and words are reported.
  Manifest,
  /// What a program sent: types are checked, and nothing else. Everything may be absent.
  Wire,
};

/// A Job. In manifest mode the namespace defaults to `default`; a missing `metadata.uid` stays empty for the caller to
/// assign.
[[nodiscard]] Result<Job> read_job(const YamlNode& object, std::string_view file = {},
                                   ReadMode mode = ReadMode::Manifest);

// The parts, for objects that contain others. Findings go to the reader's context, a part that is wrong counts as
// absent.
[[nodiscard]] Job read_job(FieldReader& object, ReadMode mode);
[[nodiscard]] ObjectMeta read_meta(FieldReader& meta, ReadMode mode);
[[nodiscard]] JobSpec read_job_spec(FieldReader& spec, ReadMode mode);
[[nodiscard]] JobStatus read_job_status(FieldReader& status, ReadMode mode);

// Other objects, as programs send them: types are checked, and nothing else.
[[nodiscard]] Pod read_pod(FieldReader& object);
[[nodiscard]] PodGroup read_pod_group(FieldReader& object);
[[nodiscard]] Command read_command(FieldReader& object);

/// Where the value called `field_path` (as diagnostics and traces name it: `spec.tasks[1].policies[0]`) stands. If the
/// document does not have it, the nearest part that encloses it; if that is the root, its range.
[[nodiscard]] Range range_of(const YamlNode& root, std::string_view field_path);
/// The value itself that `range_of` tells the place of.
[[nodiscard]] const YamlNode& node_of(const YamlNode& root, std::string_view field_path);

// In the form of the API. Zero and empty members are left out, times have whole seconds.
[[nodiscard]] Json to_json(const Job& job);
[[nodiscard]] Json to_json(const ObjectMeta& meta);
[[nodiscard]] Json to_json(const JobSpec& spec);
[[nodiscard]] Json to_json(const LifecyclePolicy& policy);
[[nodiscard]] Json status_to_json(const JobStatus& status);
[[nodiscard]] Json to_json(const PodGroup& group);
[[nodiscard]] Json time_json(Time time);

}  // namespace pumice
