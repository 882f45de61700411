// What the PodGroup of a job should say (spec/volcano-job.md 8.3).
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "pumice/model/job.h"
#include "pumice/model/pod.h"

namespace pumice::volcano {

/// The computed fields, kept with the job while its spec stays the same.
struct GroupFields {
  SharedMap<std::string, std::int32_t> min_task_member;
  SharedJson sub_groups;
  SharedJson min_resources;

  static GroupFields of(const JobSpec& spec, const std::map<std::string, std::int32_t>& priority_classes);
};

/// `minTask(task)`.
[[nodiscard]] std::int32_t min_task(const TaskSpec& task) noexcept;

[[nodiscard]] PodGroup new_pod_group(const Job& job, const GroupFields& fields);

/// True if `group` had to change. Queue, topology, labels and annotations never do, nor do entries of tasks that the
/// job does not have.
bool bring_up_to_date(PodGroup& group, const Job& job, const GroupFields& fields);
/// The same question without a copy.
[[nodiscard]] bool is_up_to_date(const PodGroup& group, const Job& job, const GroupFields& fields);

/// The text of the event about the newest true condition; empty if there is none, or if it is `Scheduled` (spec 8.8).
[[nodiscard]] std::string pending_text(const Job& job, const PodGroup& group);

}  // namespace pumice::volcano
