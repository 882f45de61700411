// The controllers beside the Job controller: JobFlows, JobTemplates, and the collector of finished jobs. They see what
// the Job controller sees, and change Jobs through the cluster as it does.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "pumice/cluster/cluster.h"
#include "pumice/garbage/collector.h"
#include "pumice/jobflow/store.h"

namespace pumice {

/// What one of them did, and when: before the record of the Job controller with that index.
struct SideRecord {
  std::int64_t before = 0;
  std::variant<jobflow::Record, garbage::Record> what;
};

class SideControllers {
 public:
  explicit SideControllers(jobflow::Config config = {}) : flow_controller_(config), template_controller_(config) {}

  // What users do.
  void create(jobflow::JobFlow flow, Time now) { store_.create(std::move(flow), now); }
  void create(jobflow::JobTemplate made, Time now) { store_.create(std::move(made), now); }

  /// Shows the controllers what users have done.
  void deliver(std::vector<SideRecord>& records);
  /// A notification of the cluster; those about jobs concern them.
  void observe(const volcano::Observation& observation, std::vector<SideRecord>& records);
  void advance(Time now);
  [[nodiscard]] bool has_work() const noexcept;
  /// One item of one of them, in a fixed order: templates, flows, finished jobs. Precondition: `has_work`.
  void work(Cluster& cluster, Time now, std::vector<SideRecord>& records);
  [[nodiscard]] std::optional<Time> next_deadline() const noexcept;

  [[nodiscard]] const std::map<std::string, jobflow::FlowPtr>& flows() const noexcept { return store_.flows(); }
  [[nodiscard]] const jobflow::Templates& templates() const noexcept { return store_.templates(); }
  [[nodiscard]] const jobflow::FlowController& flow_controller() const noexcept { return flow_controller_; }
  /// When a finished job is deleted; absent if it is not.
  [[nodiscard]] std::optional<Time> deleted_at(const std::string& job_key) const {
    return collector_.next_look(job_key);
  }

 private:
  static void keep(std::vector<jobflow::Record>& made, std::vector<SideRecord>& records);

  jobflow::Store store_;
  jobflow::FlowController flow_controller_;
  jobflow::TemplateController template_controller_;
  garbage::Collector collector_;
};

}  // namespace pumice
