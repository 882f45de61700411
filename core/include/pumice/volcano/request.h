// The unit of work of the controller (spec/volcano-job.md 1.12) and what is decided about it.
#pragma once

#include <cstdint>
#include <string>

#include "pumice/volcano/names.h"
#include "pumice/volcano/profile.h"

namespace pumice::volcano {

/// Two requests are the same queue item exactly if all members are equal.
struct Request {
  std::string ns;
  std::string job_name;
  std::string job_uid;  ///< pod callbacks only
  std::string task_name;
  std::string pod_name;
  std::string pod_uid;
  std::string partition_id;
  EventName event;
  std::int32_t exit_code = 0;  ///< pod updates only
  ActionName action;           ///< commands only
  std::int32_t job_version = 0;

  [[nodiscard]] std::string job_key() const { return ns + "/" + job_name; }
  friend bool operator==(const Request&, const Request&) = default;
};

/// What an action is aimed at. All strings are empty for `Scope::Job` (spec 2.2).
struct Target {
  Scope scope = Scope::Job;
  std::string task_name;
  std::string pod_name;
  std::string partition;

  friend bool operator==(const Target&, const Target&) = default;
};

/// What an action is aimed at where RestartPartition may not exist.
[[nodiscard]] Scope scope_in(Quirks quirks, Action action) noexcept;
/// The target of `action` for the names carried by `request` (spec 2.2, last column).
[[nodiscard]] Target target_for(Action action, const Request& request, Quirks quirks = kVolcanoQuirks);

}  // namespace pumice::volcano
