// What a manifest does that its author may not expect, although every cluster accepts it: spec/volcano-job.md 12,
// spec/volcano-cronjob.md 8, spec/volcano-jobflow.md 8 and their kin for the kinds of Kubernetes, as far as the
// manifest alone shows it.
#pragma once

#include "admission/findings.h"
#include "admission/view.h"
#include "pumice/admission/review.h"

namespace pumice::admission {

/// `object` has its defaults; `given` is what was written.
void lint(Findings& out, Kind kind, View object, View given, const Options& options);

// Parts: a Volcano Job's spec and a batch/v1 Job's spec, which stand at `path` of their object.
void lint_volcano_spec(Findings& out, View spec, View given, const std::string& path, std::string_view job_name);
void lint_kube_spec(Findings& out, View spec, View given, const std::string& path);

}  // namespace pumice::admission
