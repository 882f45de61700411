// The API server's validation of batch/v1 Jobs and CronJobs (spec/k8s-job.md 14, spec/k8s-cronjob.md 9).
//
// Not looked at: changes of the status (14.3), which a manifest does not have.
#pragma once

#include "admission/findings.h"
#include "admission/pod_template.h"
#include "admission/view.h"

namespace pumice::admission {

/// `job` has its defaults; of a job that is created also the selector and the labels that the API server makes.
void check_kube_job(Findings& out, View job, const PodOptions& options);
void check_kube_job_update(Findings& out, View job, View old, const PodOptions& options);

/// The `jobTemplate` of a CronJob: a Job, but for its selector.
void check_job_template(Findings& out, View job_template, const PodOptions& options, const Path& path);

void check_kube_cron_job(Findings& out, View cron_job, const PodOptions& options);
void check_kube_cron_job_update(Findings& out, View cron_job, View old, const PodOptions& options);

}  // namespace pumice::admission
