// AdmissionReview in, AdmissionReview out (spec/volcano-admission.md 1.4 and 1.5).
#include "admission/schema.h"
#include "admission/view.h"
#include "compose.h"
#include "pumice/admission/review.h"
#include "pumice/diagnostic_json.h"

namespace pumice::admission {
namespace {

struct Resource {
  std::string_view group;
  std::string_view version;
  std::string_view name;
  Kind kind;
};
constexpr Resource kResources[] = {
    {"batch.volcano.sh", "v1alpha1", "jobs", Kind::VolcanoJob},
    {"batch.volcano.sh", "v1alpha1", "cronjobs", Kind::VolcanoCronJob},
    {"flow.volcano.sh", "v1alpha1", "jobflows", Kind::JobFlow},
    {"flow.volcano.sh", "v1alpha1", "jobtemplates", Kind::JobTemplate},
    {"batch", "v1", "jobs", Kind::Job},
    {"batch", "v1", "cronjobs", Kind::CronJob},
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

struct Reply {
  Json response = Json::object();
  Diagnostics diagnostics;

  Reply& deny(std::string_view message) {
    response["allowed"] = false;
    response["status"] = object_of({{"message", message}});
    return *this;
  }
  Json take() && {
    Json review = object_of({{"apiVersion", "admission.k8s.io/v1"}, {"kind", "AdmissionReview"}});
    review["response"] = std::move(response);
    return object_of({{"review", std::move(review)}, {"diagnostics", to_json(diagnostics)}});
  }
};

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

}  // namespace

Json answer_review(const Json& review, std::string_view path, const Options& options) {
  Reply reply;
  const View root(&review);
  const View request = root["request"];
  reply.response["uid"] = std::string(request.text("uid"));
  if (const std::string_view version = root.text("apiVersion"); !version.empty() && version != "admission.k8s.io/v1") {
    return std::move(reply.deny("only AdmissionReview of admission.k8s.io/v1 is understood")).take();
  }
  if (!request.is_map()) return std::move(reply.deny("the AdmissionReview has no request")).take();
  const Endpoint* const endpoint = endpoint_of(path);
  if (endpoint == nullptr) return std::move(reply.deny(compose("there is no webhook `{}`", path))).take();
  const Resource* const resource = resource_of(request);
  std::string reason = wrong_resource(*endpoint, resource);
  if (reason.empty()) reason = wrong_operation(request, *endpoint, resource->kind);
  const bool is_update = request.text("operation") == "UPDATE";
  if (reason.empty() && !request["object"].is_map()) reason = "the request has no object";
  if (reason.empty() && is_update && !request["oldObject"].is_map()) reason = "the request has no oldObject";
  if (!reason.empty()) return std::move(reply.deny(reason)).take();

  Options own = options;
  // What is updated has its defaults; what is only validated, too.
  own.fill = endpoint->mutates && !is_update;
  const Json* const old = is_update ? request["oldObject"].json() : nullptr;
  Review result = admission::review(resource->kind, *request["object"].json(), old, own);
  reply.diagnostics = std::move(result.diagnostics);
  // A webhook that only fills in never refuses what it can read.
  if (!result.allowed && (endpoint->validates || !result.readable)) return std::move(reply.deny(result.message)).take();
  reply.response["allowed"] = true;
  if (endpoint->mutates && !is_update && (result.patch.is_null() || !result.patch.empty())) {
    reply.response["patch"] = base64(to_text(result.patch));
    reply.response["patchType"] = "JSONPatch";
  }
  return std::move(reply).take();
}

}  // namespace pumice::admission
