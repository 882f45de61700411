// The simulated cluster: API server, gang scheduler and kubelets, as far as a Volcano Job can tell.
//
// It is an executor of the controller's effects and a source of its observations. What it does by itself is scheduled
// on the virtual clock as a ClusterAction, so it can be listed before it happens.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "pumice/model/job.h"
#include "pumice/model/pod.h"
#include "pumice/quantity.h"
#include "pumice/volcano/effect.h"
#include "pumice/volcano/index_set.h"
#include "pumice/volcano/observation.h"

namespace pumice {

/// How long the cluster takes for what it does by itself.
struct ClusterTimings {
  Duration admit = seconds(1);       ///< PodGroup Pending -> Inqueue
  Duration start = seconds(2);       ///< pods of a complete gang: Pending -> Running
  Duration remove = seconds(1);      ///< deleted pod -> gone
  Duration run = seconds(10);        ///< Running -> Succeeded, with `Auto` only
  Duration collect = seconds(1);     ///< a job is gone -> its pods are deleted, its other objects gone
  Duration tolerate = seconds(300);  ///< a node is lost -> its pods are evicted (tolerationSeconds)

  friend bool operator==(const ClusterTimings&, const ClusterTimings&) = default;
};

/// One thing the cluster does by itself.
struct ClusterAction {
  enum class Kind : std::uint8_t {
    AdmitPodGroup,  ///< the scheduler takes the group in: Inqueue
    StartPods,      ///< the gang is complete: the group's waiting pods run
    RemovePods,     ///< kubelets have stopped the deleted pods: the objects vanish
    FinishPods,     ///< running pods succeed
    EvictPods,      ///< pods of a lost node have been tolerated long enough: their deletion begins
    CollectJob,     ///< the garbage collector takes what a deleted job has left behind
  };
  Kind kind = Kind::AdmitPodGroup;
  std::string ns;
  std::string pod_group;          ///< AdmitPodGroup, StartPods
  std::string job;                ///< CollectJob: its name
  std::string owner_uid;          ///< CollectJob: the job's uid
  std::vector<std::string> pods;  ///< names, for RemovePods and FinishPods; for StartPods filled when it happens
  std::vector<std::string> uids;  ///< of these pods: a successor of the same name is not meant

  friend bool operator==(const ClusterAction&, const ClusterAction&) = default;
};
[[nodiscard]] std::string_view to_string(ClusterAction::Kind kind) noexcept;

/// What the cluster does by itself.
struct ClusterConfig {
  ClusterTimings timings;
  bool scheduler = true;  ///< takes in PodGroups and starts the pods of complete gangs
  bool kubelet = true;    ///< removes deleted pods
  bool finish = false;    ///< running pods succeed after `timings.run`
  bool collector = true;  ///< takes what deleted jobs leave behind after `timings.collect`; else at once
};

/// A pod together with where it belongs.
struct StoredPod {
  PodPtr pod;
  std::int32_t task = 0;   ///< index of its task in the job's spec
  std::int32_t index = 0;  ///< index within the task
  std::string job_key;
  std::optional<Time> finish;  ///< when it succeeds by itself, while it runs
  std::string held_up;         ///< why it cannot start: `ImagePullBackOff` …
  std::optional<Time> evict;   ///< when it is evicted by itself, while its node is lost
  bool lost = false;           ///< its node is lost: nobody stops it, and its end is not heard of
};

/// What becomes of the things an object owns when it is deleted.
enum class Propagation : std::uint8_t {
  Background,  ///< the object vanishes at once, the garbage collector then sees to what it owned (`kubectl delete`)
  Foreground,  ///< the object stays, marked as being deleted, until its pods are gone
};

/// A Queue, as far as it decides about PodGroups.
struct ClusterQueue {
  std::string state = "Open";
  bool extends = false;                        ///< it has extend clusters
  std::map<std::string, Quantity> capability;  ///< `spec.capability`; what is absent is unlimited
};

/// By key `namespace/name`. For look-ups only: its order means nothing.
using PodMap = std::unordered_map<std::string, StoredPod>;

/// Why a PodGroup's pods do not start.
struct GangState {
  std::int32_t needed = 0;    ///< minMember
  std::int32_t existing = 0;  ///< pods that exist and have not failed
  std::int32_t waiting = 0;   ///< of these, not started
  std::string short_task;     ///< the first task with fewer pods than its minTaskMember, if that is what is missing
  std::int32_t short_needed = 0;
  std::int32_t short_existing = 0;
  bool complete = false;
};

/// Why the scheduler does not take a PodGroup in.
struct QueueState {
  bool known = true;
  bool open = true;
  std::string resource;  ///< the first of which there is not enough; empty: there is
  Quantity capability;
  Quantity used;       ///< by groups that are taken in, and by those that come first
  Quantity requested;  ///< by this one

  [[nodiscard]] bool admits() const noexcept { return known && open && resource.empty(); }
};

class Cluster {
 public:
  explicit Cluster(ClusterConfig config = {});

  // What users and their tools do. Each call leaves notifications behind.
  void create_queue(const std::string& name, bool extends = false);
  /// Makes it or changes it.
  void set_queue(const std::string& name, ClusterQueue queue);
  void delete_queue(const std::string& name);
  /// A ResourceQuota of a namespace: so many pods that have not ended. Absent: none.
  void set_quota(const std::string& ns, std::optional<std::int32_t> pods);
  void create_priority_class(const std::string& name, std::int32_t value);
  /// Of these kinds a user may make objects too: claims above all. Nothing happens if there is one of that name.
  void create_object(ApiObject object);
  /// Gives the job its uid, resourceVersion and creation time.
  void create_job(Job job, Time now);
  /// The same, with the queue and the claims that the job names, which are taken to exist.
  void submit_job(Job job, Time now);
  /// Its objects follow by the garbage collector: after a while, or at once and before the job if in the foreground.
  /// Nothing happens if there is no such job, or if it is being deleted in that way already.
  void delete_job(const std::string& key, Time now, Propagation propagation = Propagation::Background);
  /// Another spec, as a user writes it; labels and annotations too.
  void edit_job(const std::string& key, Job edited);
  void create_command(const std::string& job_key, volcano::ActionName action);
  // What scheduler, kubelets and nodes do. Preconditions: the object exists.
  void set_pod_group_phase(const std::string& key, PodGroupPhase phase);
  void set_pod_group_conditions(const std::string& key, std::vector<PodGroupCondition> conditions);
  void set_pod_phase(const std::string& key, PodPhase phase, std::optional<std::int32_t> exit_code,
                     const std::string& container, Time now);
  void set_pod_restarts(const std::string& key, std::int32_t restarts, const std::string& container);
  void set_pod_ready(const std::string& key, bool ready, const std::string& container);
  void delete_pod(const std::string& key, Time now);
  void remove_pod(const std::string& key);
  /// It stays Pending until it is said to run. Precondition: it is Pending.
  void hold_up_pod(const std::string& key, const std::string& reason);
  /// Its node is lost, or comes back; then what is being deleted ends.
  void set_pod_lost(const std::string& key, bool lost, Time now);

  /// Carries out an effect of the controller. Absent for effects that are not answered.
  std::optional<volcano::EffectResult> execute(const volcano::Effect& effect, Time now);
  /// Everything that exists, as a controller hears of it when it starts: each object as added, kind by kind, by name.
  [[nodiscard]] std::vector<volcano::Observation> list() const;
  /// The next notification for the controller, in the order of the writes.
  std::optional<volcano::Observation> take_notification();

  /// Schedules what the last changes make possible, and takes away what they leave without object: an action that is
  /// next has something to do. To be called when the controller is quiet.
  void settle(Time now);
  [[nodiscard]] std::optional<Time> next_due() const noexcept;
  /// True if something other than the end of running pods is to come.
  [[nodiscard]] bool is_busy() const noexcept;
  struct Upcoming {
    Time due;
    ClusterAction action;
  };
  [[nodiscard]] std::vector<Upcoming> upcoming() const;
  /// Does the next scheduled action; returns what was done. Precondition: it is due.
  ClusterAction act(Time now);

  [[nodiscard]] const std::map<std::string, volcano::JobPtr>& jobs() const noexcept { return jobs_; }
  /// Jobs that are gone, as they were last. A successor of the same name takes the entry away.
  [[nodiscard]] const std::map<std::string, volcano::JobPtr>& gone_jobs() const noexcept { return gone_jobs_; }
  /// The job of that key, else what it was before it went; null if there never was one.
  [[nodiscard]] volcano::JobPtr last_job(const std::string& key) const;
  /// True if the pod is one of the job that has its name now, not of an earlier one.
  [[nodiscard]] bool is_own(const StoredPod& stored) const;
  [[nodiscard]] const PodMap& pods() const noexcept { return pods_; }
  [[nodiscard]] const std::map<std::string, PodGroup>& pod_groups() const noexcept { return groups_; }
  [[nodiscard]] const ObjectMap& objects() const noexcept { return objects_; }
  [[nodiscard]] const std::map<std::string, ClusterQueue>& queues() const noexcept { return queues_; }
  /// Pods that namespaces may have; those without a quota are absent.
  [[nodiscard]] const std::map<std::string, std::int32_t>& quotas() const noexcept { return quotas_; }
  [[nodiscard]] std::int64_t lost_pods() const noexcept { return lost_; }
  /// Pods of a namespace that have not ended.
  [[nodiscard]] std::int64_t pods_alive(const std::string& ns) const;
  /// The pods of a job in task and index order, those that a predecessor of its name has left included.
  [[nodiscard]] std::vector<const StoredPod*> pods_of(const std::string& job_key) const;
  /// Names of the containers in a pod's template.
  [[nodiscard]] std::vector<std::string> containers_of(const std::string& key) const;
  /// The PodGroup of a job, or nullptr.
  [[nodiscard]] const PodGroup* pod_group_of(const std::string& job_key) const;
  [[nodiscard]] GangState gang(const PodGroup& group) const;
  /// Whether the scheduler takes a group in, as its queue stands.
  [[nodiscard]] QueueState queue_state(const PodGroup& group) const;

 private:
  /// The pods of one task that exist, and those that wait to be started (Pending and not deleted).
  struct TaskMembers {
    std::string prefix;  ///< `<namespace>/<job>-<task>-`: a pod's key without its index
    volcano::IndexSet existing;
    volcano::IndexSet waiting;
    std::int32_t alive = 0;  ///< neither failed nor being deleted

    [[nodiscard]] std::string key(std::int32_t index) const { return prefix + std::to_string(index); }
  };
  void publish(volcano::Observation observation) { notifications_.push_back(std::move(observation)); }
  void replace_pod(const std::string& key, Pod pod);
  void count(const StoredPod& stored, int sign);
  volcano::EffectResult create_pod(const volcano::CreatePod& effect, Time now);
  using ScheduleKey = std::pair<Time, std::uint64_t>;
  ScheduleKey schedule(Time due, ClusterAction action);
  /// Schedules an action of a job's PodGroup if it is `wanted`, takes it away if it is not.
  void want(std::map<std::string, ScheduleKey>& scheduled, const std::string& job_key, bool wanted, Time due,
            ClusterAction::Kind kind);
  void drop_stale();
  void schedule_all(std::map<std::pair<Time, std::string>, ClusterAction>& collected);
  /// Key of the `i`-th pod of an action if it can still be carried out on that very pod, else empty. What cannot be
  /// carried out any more never can again.
  [[nodiscard]] std::string still_there(Time due, const ClusterAction& action, std::size_t i) const;
  void rebuild_members(const std::string& job_key);
  void collect_job(const std::string& job_key, const std::string& uid, Time now);
  /// Sees to objects whose owner does not exist.
  void collect_later(const std::string& job_key, const std::string& uid, Time now);
  void drop_pod_group(const std::string& key);
  void reserve_index(const Pod& pod, const std::string& job_key);
  void finish_deletion(const std::string& job_key);
  void drop_job(const std::string& job_key);
  void touch(const std::string& job_key) { touched_.insert(job_key); }
  void touch_queue(const std::string& queue);
  [[nodiscard]] std::string quota_problem(const Pod& pod) const;
  [[nodiscard]] std::int32_t priority_of(const PodGroup& group) const;
  std::string next_uid();
  ContainerStatus& container_of(Pod& pod, const std::string& name) const;
  void fill_containers(Pod& pod) const;

  ClusterConfig config_;
  std::map<std::string, volcano::JobPtr> jobs_;
  std::map<std::string, volcano::JobPtr> gone_jobs_;
  PodMap pods_;
  std::map<std::string, PodGroup> groups_;
  ObjectMap objects_;
  std::map<std::string, Command> commands_;
  std::map<std::string, ClusterQueue> queues_;
  std::map<std::string, std::int32_t> priority_classes_;
  std::map<std::string, std::int32_t> quotas_;               ///< pods by namespace
  std::map<std::string, std::int64_t> pods_alive_;           ///< by namespace
  std::set<std::string> foreground_;                         ///< jobs that go when their objects are gone
  std::map<std::string, std::vector<TaskMembers>> members_;  ///< by job key, in task order
  std::deque<volcano::Observation> notifications_;
  std::map<ScheduleKey, ClusterAction> scheduled_;
  std::map<std::string, ScheduleKey> admitting_;  ///< jobs for whose PodGroup AdmitPodGroup is scheduled
  std::map<std::string, ScheduleKey> starting_;   ///< jobs for whose PodGroup StartPods is scheduled
  std::int64_t deleting_ = 0;                     ///< pods that are being deleted, and not on a lost node
  std::int64_t lost_ = 0;                         ///< pods on lost nodes
  std::int64_t collecting_ = 0;                   ///< CollectJob actions that are scheduled
  std::set<std::string> touched_;                 ///< jobs to look at in `settle`
  using Due = std::pair<Time, std::string>;       ///< when, namespace
  std::map<Due, ClusterAction> removing_;         ///< deletions of this step, not yet scheduled
  std::map<Due, ClusterAction> finishing_;        ///< likewise pods that will succeed
  std::map<Due, ClusterAction> evicting_;         ///< likewise pods of lost nodes
  std::uint64_t resource_version_ = 0;
  std::uint64_t next_uid_ = 1;
  std::uint64_t next_action_ = 1;
  std::uint64_t next_command_ = 1;
};

}  // namespace pumice
