// Operations of admission.
#include "eval/operation.h"
#include "pumice/admission/review.h"

namespace pumice::eval {

Answer admission_review(FieldReader& args) {
  admission::Options options;
  // A webhook is asked here, and behind an API server no object breaks the schema.
  options.schema = false;
  std::string path;
  if (const auto queues = args.raw("queues")) options.queues = admission::queues_from(*queues);
  if (std::optional<FieldReader> config = args.object("config")) {
    options.schema = config->boolean("schema").value_or(false);
    options.lint = config->boolean("lint").value_or(true);
    options.pod_level_resources = config->boolean("podLevelResources").value_or(true);
    options.scheduler_name = config->string("schedulerName").value_or(options.scheduler_name);
    options.ignored = config->string_list("ignore");
    path = config->string("path").value_or("");
    const std::string patch = config->string("patch").value_or("minimal");
    options.upstream_patch = patch == "upstream";
    if (patch != "minimal" && patch != "upstream") {
      config->report_at("patch", Severity::Error, "InvalidArgument", "`" + patch + "` is none of minimal, upstream");
    }
    if (const auto after = config->string("after")) {
      options.after = parse_rfc3339(*after);
      if (!options.after) {
        config->report_at("after", Severity::Error, "InvalidTime", "`" + *after + "` is not a time",
                          "write it as 2026-03-02T09:00:00Z");
      }
    }
  }
  const auto review = args.raw("review");
  if (!args.context().diagnostics.empty()) return Json();
  return admission::answer_review(review.value_or(Json()), path, options);
}

}  // namespace pumice::eval
