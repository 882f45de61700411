// AdmissionReview in, AdmissionReview out (spec/volcano-admission.md 1.4 and 1.5).
#include "admission/answer.h"

#include <algorithm>
#include <iterator>

#include "admission/review_filled.h"
#include "admission/schema.h"
#include "compose.h"
#include "pumice/admission/webhook.h"
#include "pumice/diagnostic_json.h"

namespace pumice::admission {
namespace {

struct Resource {
  std::string_view text;  ///< all of it
  std::string_view group;
  std::string_view version;
  std::string_view name;
  Kind kind;
};
constexpr Resource kResources[] = {
    {"batch.volcano.sh/v1alpha1/jobs", "batch.volcano.sh", "v1alpha1", "jobs", Kind::VolcanoJob},
    {"batch.volcano.sh/v1alpha1/cronjobs", "batch.volcano.sh", "v1alpha1", "cronjobs", Kind::VolcanoCronJob},
    {"flow.volcano.sh/v1alpha1/jobflows", "flow.volcano.sh", "v1alpha1", "jobflows", Kind::JobFlow},
    {"flow.volcano.sh/v1alpha1/jobtemplates", "flow.volcano.sh", "v1alpha1", "jobtemplates", Kind::JobTemplate},
    {"batch/v1/jobs", "batch", "v1", "jobs", Kind::Job},
    {"batch/v1/cronjobs", "batch", "v1", "cronjobs", Kind::CronJob},
};

/// The webhooks by their paths. `/validate` and `/mutate` are Pumice's own, for all kinds.
struct Endpoint {
  std::string_view path;
  bool mutates;
  bool validates;
  const Resource* resource = nullptr;  ///< the only one that it takes
};
constexpr Endpoint kEndpoints[] = {
    {"/jobs/mutate", true, false, &kResources[0]},
    {"/jobs/validate", false, true, &kResources[0]},
    {"/cronjobs/validate", false, true, &kResources[1]},
    {"/jobflows/validate", false, true, &kResources[2]},
    {"/mutate", true, false},
    {"/validate", false, true},
    {"", true, true},
};

/// Those of them that are paths, sorted.
constexpr std::string_view kPaths[] = {
    "/cronjobs/validate", "/jobflows/validate", "/jobs/mutate", "/jobs/validate", "/mutate", "/validate"};

std::string base64(std::string_view bytes) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view group = bytes.substr(i, 3);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = bits << 8U | (k < group.size() ? static_cast<unsigned char>(group[k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += k <= group.size() ? kLetters[bits >> (18 - 6 * k) & 63U] : '=';
    }
  }
  return out;
}

const Endpoint* endpoint_of(std::string_view path) {
  for (const Endpoint& endpoint : kEndpoints) {
    if (endpoint.path == path) return &endpoint;
  }
  return nullptr;
}

const Resource* resource_of(View request) {
  const View resource = request["resource"];
  for (const Resource& one : kResources) {
    if (one.group == resource.text("group") && one.version == resource.text("version") &&
        one.name == resource.text("resource")) {
      return &one;
    }
  }
  return nullptr;
}

/// Why this webhook does not take a request for that resource, empty if it does.
std::string wrong_resource(const Endpoint& endpoint, const Resource* resource) {
  if (endpoint.resource != nullptr && endpoint.resource != resource) {
    const Resource& wanted = *endpoint.resource;
    return compose("expect resource to be {{} {} {}}", wanted.group, wanted.version, wanted.name);
  }
  return resource == nullptr
             ? "expect resource to be a job, cronjob, jobflow or jobtemplate of a known group and version"
             : "";
}

/// Why it does not take the operation. The original reads the object before it looks.
std::string wrong_operation(View request, const Endpoint& endpoint, Kind kind) {
  const std::string_view operation = request.text("operation");
  const bool only_create = endpoint.mutates && !endpoint.validates;
  if (operation == "CREATE" || (operation == "UPDATE" && !only_create)) return {};
  if (request["object"].is_map()) {
    Findings findings;
    SchemaResult schema = check_schema(findings, kind, *request["object"].json(), false);
    if (schema.has_type_errors) return std::move(schema.decode_error);
  }
  // The blank at the end is the original's.
  return only_create ? "expect operation to be 'CREATE' " : "expect operation to be 'CREATE' or 'UPDATE'";
}

bool has_same_spec(View object, View old) {
  const View spec = object["spec"];
  const View old_spec = old["spec"];
  return spec.present() && old_spec.present() && *spec.json() == *old_spec.json();
}

/// Findings that deny become warnings.
void unarm(Diagnostics& diagnostics) {
  for (Diagnostic& finding : diagnostics) {
    if (finding.severity == Severity::Error) finding.severity = Severity::Warning;
  }
}

/// What the configuration says no to; empty if it says nothing.
std::string denial_of(const Diagnostics& diagnostics) {
  constexpr std::size_t kShownMax = 20;
  std::string text;
  std::size_t count = 0;
  for (const Diagnostic& finding : diagnostics) {
    if (finding.severity != Severity::Error || ++count > kShownMax) continue;
    if (!text.empty()) text += "; ";
    text += compose("{}: {} [{}]", finding.field, finding.message, finding.code);
  }
  if (count > kShownMax) text += compose("; and {} more", count - kShownMax);
  return text.empty() ? text : "denied by the lint configuration: " + text;
}

}  // namespace

Answered answer_request(View review, std::string_view path, const Options& options) {
  Answered out;
  const View request = review["request"];
  out.response["uid"] = std::string(request.text("uid"));
  const auto refused = [&out](std::string_view message) {
    refuse(out.response, message);
    return std::move(out);
  };
  if (const std::string_view version = review.text("apiVersion");
      !version.empty() && version != "admission.k8s.io/v1") {
    return refused("only AdmissionReview of admission.k8s.io/v1 is understood");
  }
  if (const std::string_view kind = review.text("kind"); !kind.empty() && kind != "AdmissionReview") {
    return refused("only an AdmissionReview is understood");
  }
  if (!request.is_map()) return refused("the AdmissionReview has no request");
  const Endpoint* const endpoint = endpoint_of(path);
  if (endpoint == nullptr) return refused(compose("there is no webhook `{}`", path));
  const Resource* const resource = resource_of(request);
  if (resource != nullptr) out.resource = resource->text;
  std::string reason = wrong_resource(*endpoint, resource);
  if (reason.empty()) reason = wrong_operation(request, *endpoint, resource->kind);
  const bool is_update = request.text("operation") == "UPDATE";
  const View object = request["object"];
  const View old = request["oldObject"];
  if (reason.empty() && !object.is_map()) reason = "the request has no object";
  if (reason.empty() && is_update && !old.is_map()) reason = "the request has no oldObject";
  if (!reason.empty()) return refused(reason);

  // What is updated has its defaults; what is only validated, too.
  const bool fill = endpoint->mutates && !is_update;
  Review result = review_filled(resource->kind, *object.json(), is_update ? old.json() : nullptr, options, fill);
  out.diagnostics = std::move(result.diagnostics);
  out.validates = endpoint->validates;
  // A webhook that only fills in never refuses what it can read.
  if (!result.allowed && (endpoint->validates || !result.readable)) return refused(result.message);
  if (endpoint->validates && result.allowed) {
    if (is_update && has_same_spec(object, old)) unarm(out.diagnostics);
    if (const std::string denial = denial_of(out.diagnostics); !denial.empty()) return refused(denial);
  }
  out.response["allowed"] = true;
  if (fill && (result.patch.is_null() || !result.patch.empty())) {
    out.response["patch"] = base64(to_text(result.patch));
    out.response["patchType"] = "JSONPatch";
  }
  return out;
}

Json review_of(Json response) {
  return object_of(
      {{"apiVersion", "admission.k8s.io/v1"}, {"kind", "AdmissionReview"}, {"response", std::move(response)}});
}

void refuse(Json& response, std::string_view message) {
  response["allowed"] = false;
  response["status"] = object_of({{"message", message}});
}

Json answer_review(const Json& review, std::string_view path, const Options& options) {
  Answered answered = answer_request(View(&review), path, options);
  return object_of(
      {{"review", review_of(std::move(answered.response))}, {"diagnostics", to_json(answered.diagnostics)}});
}

std::span<const std::string_view> webhook_paths() noexcept { return kPaths; }

bool is_webhook_path(std::string_view path) noexcept {
  return std::find(std::begin(kPaths), std::end(kPaths), path) != std::end(kPaths);
}

}  // namespace pumice::admission
