#include <algorithm>
#include <utility>

#include "model/fields.h"
#include "pumice/model/reader.h"

namespace pumice {
namespace {

constexpr std::string_view kVolcanoBatch = "batch.volcano.sh/v1alpha1";

bool is_lower_alphanumeric(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

void check_names(FieldReader& reader, ObjectMeta& meta) {
  if (meta.name.empty()) {
    const bool generated = reader.has("generateName");
    reader.report_at("name", Severity::Error, "MissingField", "an object needs a name",
                     generated ? "`generateName` is turned into a name by the API server only: write `name`" : "");
  } else if (meta.name.size() > 253 || !is_dns_subdomain(meta.name)) {
    reader.report_at(
        "name", Severity::Error, "InvalidName", in_backticks(meta.name) + " is not a valid name",
        "at most 253 lower-case letters, digits, `-` and `.`, beginning and ending with a letter or digit");
  }
  if (meta.ns.empty()) {
    meta.ns = "default";
  } else if (meta.ns.size() > 63 || !is_dns_label(meta.ns)) {
    reader.report_at("namespace", Severity::Error, "InvalidName", in_backticks(meta.ns) + " is not a valid namespace",
                     "at most 63 lower-case letters, digits and `-`, beginning and ending with a letter or digit");
  }
}

OwnerReference read_owner(FieldReader& reader, ReadMode mode) {
  OwnerReference owner;
  owner.api_version = reader.string("apiVersion").value_or("");
  owner.kind = reader.string("kind").value_or("");
  owner.name = reader.string("name").value_or("");
  owner.uid = reader.string("uid").value_or("");
  owner.controller = reader.boolean("controller").value_or(false);
  reader.ignore({"blockOwnerDeletion"});
  if (mode == ReadMode::Manifest) reader.finish();
  return owner;
}

void read_name(const YamlNode& object, ObjectHeader& header) {
  const YamlNode* metadata = object.find("metadata");
  if (metadata == nullptr) return;
  const auto text_of = [metadata](std::string_view name) {
    const YamlNode* node = metadata->find(name);
    const std::string* text = node == nullptr ? nullptr : node->scalar.get_ptr<const std::string*>();
    return text == nullptr ? std::string() : *text;
  };
  header.name = text_of("name");
  header.ns = text_of("namespace");
}

}  // namespace

bool is_dns_label(std::string_view text) noexcept {
  return !text.empty() && is_lower_alphanumeric(text.front()) && is_lower_alphanumeric(text.back()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_lower_alphanumeric(c) || c == '-'; });
}

bool is_dns_subdomain(std::string_view text) noexcept {
  while (true) {
    const std::size_t dot = text.find('.');
    if (!is_dns_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool ObjectHeader::is_volcano_job() const noexcept { return api_version == kVolcanoBatch && kind == "Job"; }

Result<ObjectHeader> read_header(const YamlNode& object, std::string_view file) {
  FieldContext context;
  context.file = std::string(file);
  FieldReader reader(object, context);
  ObjectHeader header;
  if (!object.is_map()) {
    reader.report(Severity::Error, "WrongType",
                  "expected a Kubernetes object, found " + std::string(to_string(object.kind)),
                  "an object is a map with `apiVersion`, `kind` and `metadata`");
    return Result<ObjectHeader>::failure(std::move(context.diagnostics));
  }
  for (const auto& [name, member] : {std::pair("apiVersion", &header.api_version), std::pair("kind", &header.kind)}) {
    const std::size_t findings = context.diagnostics.size();
    *member = reader.string(name).value_or("");
    if (!member->empty() || context.diagnostics.size() != findings) continue;
    reader.report_at(name, Severity::Error, "MissingField", "`" + std::string(name) + "` is missing",
                     "every Kubernetes object says what it is by `apiVersion` and `kind`");
  }
  if (const YamlNode* kind = object.find("kind")) header.kind_range = kind->range;
  read_name(object, header);
  if (has_errors(context.diagnostics)) return Result<ObjectHeader>::failure(std::move(context.diagnostics));
  return Result<ObjectHeader>::success(std::move(header), std::move(context.diagnostics));
}

namespace {

void add_objects_of(YamlNode& node, std::string_view file, std::string path, bool of_job_list, Diagnostics& findings,
                    std::vector<FoundObject>& found) {
  // What a JobList holds need not say so; that is how the API server sends it.
  if (of_job_list && node.is_map() && node.find("apiVersion") == nullptr && node.find("kind") == nullptr) {
    ObjectHeader header;
    header.api_version = kVolcanoBatch;
    header.kind = "Job";
    read_name(node, header);
    found.push_back({&node, std::move(path), std::move(header)});
    return;
  }
  auto header = read_header(node, file);
  for (Diagnostic& finding : header.diagnostics) {
    if (!path.empty()) finding.field = path + (finding.field.empty() ? "" : "." + finding.field);
    findings.push_back(std::move(finding));
  }
  if (!header) return;
  if (!header.value->is_list()) {
    found.push_back({&node, std::move(path), std::move(*header.value)});
    return;
  }
  const auto items = std::find_if(node.children.begin(), node.children.end(),
                                  [](const YamlNode& member) { return member.key == "items"; });
  if (items == node.children.end() || items->is_null()) return;
  const std::string items_path = field_path(path, "items");
  if (!items->is_list()) {
    findings.push_back({.severity = Severity::Error,
                        .code = "WrongType",
                        .file = std::string(file),
                        .range = items->range,
                        .field = items_path,
                        .message = "expected a list, found " + std::string(to_string(items->kind))});
    return;
  }
  const bool is_job_list = header.value->kind == "JobList";
  for (std::size_t i = 0; i < items->children.size(); ++i)
    add_objects_of(items->children[i], file, field_path(items_path, static_cast<std::int64_t>(i)), is_job_list,
                   findings, found);
}

}  // namespace

bool ObjectHeader::is_list() const noexcept {
  return (api_version == "v1" && kind == "List") || (api_version == kVolcanoBatch && kind == "JobList");
}

std::vector<FoundObject> objects_of(YamlNode& root, std::string_view file, Diagnostics& findings) {
  std::vector<FoundObject> found;
  if (!root.is_null()) add_objects_of(root, file, "", false, findings, found);
  return found;
}

ObjectMeta read_meta(FieldReader& reader, ReadMode mode) {
  ObjectMeta meta;
  meta.ns = reader.string("namespace").value_or("");
  meta.name = reader.string("name").value_or("");
  meta.uid = reader.string("uid").value_or("");
  meta.resource_version = read_resource_version(reader);
  meta.creation = read_time(reader, "creationTimestamp").value_or(Time{});
  meta.deletion = read_time(reader, "deletionTimestamp");
  meta.labels = reader.string_map("labels");
  meta.annotations = reader.string_map("annotations");
  for (FieldReader& owner : reader.list("ownerReferences")) meta.owners.push_back(read_owner(owner, mode));
  if (mode == ReadMode::Manifest) {
    check_names(reader, meta);
    reader.ignore({"clusterName", "deletionGracePeriodSeconds", "finalizers", "generateName", "generation",
                   "managedFields", "selfLink"});
    reader.finish();
  }
  return meta;
}

}  // namespace pumice
