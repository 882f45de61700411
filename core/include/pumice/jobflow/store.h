// The API server as far as JobFlows and JobTemplates are concerned: keeps them, tells of every write, and carries out
// the effects of their controllers. Jobs are somebody else's: creating and deleting them is passed on.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "pumice/jobflow/controller.h"

namespace pumice::jobflow {

/// Where Jobs are kept.
class JobServer {
 public:
  virtual ResultCode create_job(const Job& job) = 0;
  virtual ResultCode delete_job(const std::string& key) = 0;

 protected:
  ~JobServer() = default;
};

class Store {
 public:
  /// Gives the object its uid, resourceVersion and creation time. Nothing happens if there is one of that name.
  void create(JobFlow flow, Time now);
  void create(JobTemplate made, Time now);
  void edit(const std::string& key, FlowSpec spec);  ///< nothing happens if there is no such flow
  void remove_flow(const std::string& key);
  void remove_template(const std::string& key);

  [[nodiscard]] Reply execute(const Effect& effect, JobServer& jobs);
  /// In the order of the writes.
  [[nodiscard]] std::optional<Observation> take_notification();

  [[nodiscard]] const std::map<std::string, FlowPtr>& flows() const noexcept { return flows_; }
  [[nodiscard]] const Templates& templates() const noexcept { return templates_; }

 private:
  [[nodiscard]] std::string next_uid();
  void publish(const FlowPtr& before, JobFlow after);
  Reply create_job(const CreateJob& effect, JobServer& jobs);
  Reply write(const WriteFlowStatus& effect);
  Reply write(const WriteTemplateStatus& effect);

  std::map<std::string, FlowPtr> flows_;
  Templates templates_;
  std::deque<Observation> notifications_;
  std::uint64_t resource_version_ = 0;
  std::uint64_t next_uid_ = 1;
};

/// What the API server says of a Job's marks that are no label values; empty if they are.
[[nodiscard]] std::string label_error(const Job& job);

}  // namespace pumice::jobflow
