// The API server as far as one CronJob and its jobs are concerned: it answers what a look asks (sync.h), at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pumice/cronjob/sync.h"

namespace pumice::cronjob {

/// True if a controller counts `job` among the CronJob's own (spec/k8s-cronjob.md 4 outer step 2 and 10 item 1,
/// spec/volcano-cronjob.md 3 step 2).
[[nodiscard]] bool is_child(const ChildJob& job, const CronJob& cronjob, Profile profile);

/// A request that fails: the effects of that name are answered with `code`, those of one object if it is named, and
/// `times` at most.
struct RequestFailure {
  std::string effect;  ///< `CreateJob` …
  std::string name{};  ///< empty: any
  ReplyCode code = ReplyCode::Other;
  std::string message{};
  std::int64_t times = INT64_MAX;
};

class Cluster final : public Server {
 public:
  Cluster(Profile profile, Quirks quirks, CronJobPtr cronjob, const std::vector<ChildJobPtr>& jobs);

  const Reply* answer(const Effect& effect) override;

  [[nodiscard]] const CronJobPtr& cronjob() const noexcept { return cronjob_; }
  void set_cronjob(CronJobPtr cronjob) { cronjob_ = std::move(cronjob); }
  /// The CronJob's own jobs, in the order of their creation.
  [[nodiscard]] const std::vector<ChildJobPtr>& jobs() const noexcept { return jobs_; }
  [[nodiscard]] const std::vector<ChildJobPtr>& other_jobs() const noexcept { return others_; }
  /// Puts another version of a job in its place, or adds it.
  void put(ChildJobPtr job);
  /// False if there is no such job.
  bool remove(const std::string& ns, const std::string& name);

  Time now;  ///< becomes the creation and start of jobs
  std::vector<RequestFailure> failures;
  /// What has changed since these were last set to false.
  bool cronjob_changed = false;
  bool jobs_changed = false;

 private:
  [[nodiscard]] const RequestFailure* failing(const Effect& effect);
  [[nodiscard]] ChildJobPtr find(const std::string& ns, const std::string& name) const;
  void create(const CreateJob& create);
  void write(const WriteStatus& write);

  Profile profile_;
  Quirks quirks_;
  CronJobPtr cronjob_;
  std::shared_ptr<const OwnerReference> owner_;
  std::vector<ChildJobPtr> jobs_;
  std::vector<ChildJobPtr> others_;
  Reply reply_;
  std::uint64_t version_ = 0;
};

}  // namespace pumice::cronjob
