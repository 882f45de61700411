// The orphan worker: finalizers off pods that no running job will account for (spec/k8s-job.md 12).
#include <algorithm>
#include <utility>

#include "pumice/kubejob/controller.h"
#include "pumice/kubejob/names.h"

namespace pumice::kubejob {
namespace {

// Keys of the queue: what, namespace, and name or selector. A namespace holds no line end.
constexpr std::string_view kByName = "pod\n";
constexpr std::string_view kBySelector = "selector\n";

}  // namespace

void Controller::queue_orphan(const Pod& pod) {
  if (pod.is_tracked()) orphans_.add(std::string(kByName) + pod.meta.ns + "\n" + pod.meta.name);
}

void Controller::queue_orphans_of(const Job& job) {
  if (!job.spec->selector || !job.spec->selector->is_usable()) return;
  const std::string key = std::string(kBySelector) + job.meta.ns + "\n" + job.spec->selector->text();
  selectors_[key] = {job.meta.ns, *job.spec->selector};
  orphans_.add(key);
}

/// The single-pod rule.
bool Controller::keeps_finalizer(const Pod& pod) const {
  const OwnerReference* owner = pod.controller();
  if (owner == nullptr) return false;
  const bool lax = has(Quirk::LaxOrphanWorker);
  if (owner->kind != kKind || (!lax && owner->api_version != kApiVersion)) return true;
  const Job* job = resolve(pod.meta.ns, owner);
  if (job == nullptr) return false;
  const auto& manager = job->spec->managed_by;
  if (!lax && manager && *manager != kBuiltInController) return true;
  return job->status.finished() == nullptr;
}

void Controller::start_orphan(const std::string& key, Output& output) {
  orphan_ = OrphanWork();
  OrphanWork& work = *orphan_;
  work.key = key;
  work.by_name = key.starts_with(kByName);
  const std::size_t from = key.find('\n') + 1;
  const std::size_t to = key.find('\n', from);
  work.record.ns = key.substr(from, to - from);
  work.record.what = key.substr(to + 1);
  std::vector<PodPtr> pods;
  if (work.by_name) {
    if (PodPtr pod = cached_pod(work.record.ns, work.record.what)) pods.push_back(std::move(pod));
  } else if (const auto selector = selectors_.find(key); selector != selectors_.end()) {
    for (const auto& [name, pod] : pods_[work.record.ns])
      if (selector->second.selector.matches(pod->meta.labels)) pods.push_back(pod);
    std::sort(pods.begin(), pods.end(), ByAge{});
    selectors_.erase(selector);
  }
  work.record.looked_at = static_cast<std::int64_t>(pods.size());
  for (PodPtr& pod : pods) {
    if (!pod->is_tracked() || keeps_finalizer(*pod)) continue;
    ask(RemoveFinalizer{pod->meta.ns, pod->meta.name, pod->meta.uid}, output);
    work.removing.push_back(std::move(pod));
  }
  results_.clear();
  if (!waiting_for_results()) finish_orphan(output);
}

void Controller::finish_orphan(Output& output) {
  OrphanWork work = *std::move(orphan_);
  orphan_.reset();
  for (std::size_t i = 0; i < results_.size(); ++i) {
    if (results_[i].code == ResultCode::Ok) {
      ++work.record.removed;
    } else if (results_[i].code != ResultCode::NotFound) {
      if (work.record.error.empty()) work.record.error = results_[i].error_text();
      const Pod& pod = *work.removing[i];
      const std::string key = std::string(kByName) + pod.meta.ns + "\n" + pod.meta.name;
      work.record.retry_at = now_ + orphans_.add_rate_limited(key, now_);
    }
  }
  if (!work.by_name || work.record.error.empty()) orphans_.forget(work.key);
  orphans_.done(work.key);
  record(std::move(work.record), output);
}

}  // namespace pumice::kubejob
