// Jobs and pods as an API server keeps them: carries out effects, and leaves a notification for each change.
//
// What it does by itself is what every API server does: resource versions, names from prefixes, graceful deletion, and
// objects that vanish when nothing holds them any more. Nobody schedules or runs pods here.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "pumice/kubejob/effect.h"
#include "pumice/kubejob/model.h"
#include "pumice/kubejob/observation.h"

namespace pumice::kubejob {

class Store {
 public:
  // What users, nodes and other controllers do.
  void put_job(Job job);  ///< stored as it is, with a new resourceVersion, and a uid if it has none
  void put_pod(Pod pod);
  /// Writes a changed pod over the stored one. Nothing if there is none.
  void update_pod(Pod pod);
  void update_job(Job job);
  void delete_pod(const std::string& key, Time now);
  /// The kubelet's last word about a pod that is being deleted: its object goes if no finalizer holds it.
  void confirm_deleted(const std::string& key);
  /// Somebody takes the finalizers off by hand and deletes the pod without grace: its object goes.
  void remove_pod(const std::string& key, Time now);
  /// The object goes; pods are left to whoever collects garbage.
  void remove_job(const std::string& key);

  /// Carries out an effect. Absent for effects that are not answered.
  std::optional<EffectResult> execute(const Effect& effect, Time now);
  /// The next notification, in the order of the writes.
  std::optional<Observation> take_notification();

  [[nodiscard]] const std::map<std::string, JobPtr>& jobs() const noexcept { return jobs_; }
  [[nodiscard]] const std::map<std::string, PodPtr>& pods() const noexcept { return pods_; }

 private:
  EffectResult run(const EffectBody& body, Time now);
  EffectResult create_pod(const Pod& wanted, Time now);
  EffectResult update_status(const UpdateJobStatus& effect);
  void replace(const PodPtr& before, Pod after);
  [[nodiscard]] PodPtr find_pod(const std::string& ns, const std::string& name) const;

  std::map<std::string, JobPtr> jobs_;
  std::map<std::string, PodPtr> pods_;
  std::deque<Observation> notifications_;
  std::uint64_t resource_version_ = 0;
  std::uint64_t next_uid_ = 1;
};

}  // namespace pumice::kubejob
