#include "pumice/simulation/side_controllers.h"

#include <algorithm>

#include "overloaded.h"
#include "pumice/volcano/defaults.h"

namespace pumice {

namespace {

/// The cluster as the flow controller sees it. What it creates passes admission, as any Job does.
class FlowServer final : public jobflow::Server, private jobflow::JobServer {
 public:
  FlowServer(jobflow::Store& store, Cluster& cluster, Time now) : store_(store), cluster_(cluster), now_(now) {}

  const jobflow::Reply* answer(const jobflow::Effect& effect) override {
    reply_ = store_.execute(effect, *this);
    return &reply_;
  }

 private:
  volcano::ResultCode create_job(const Job& job) override {
    if (cluster_.jobs().contains(job.key())) return volcano::ResultCode::AlreadyExists;
    Job admitted = job;
    JobSpec spec = *job.spec;
    volcano::apply_defaults(spec);
    admitted.spec = std::make_shared<const JobSpec>(std::move(spec));
    cluster_.submit_job(std::move(admitted), now_);
    return volcano::ResultCode::Ok;
  }
  volcano::ResultCode delete_job(const std::string& key) override {
    if (!cluster_.jobs().contains(key)) return volcano::ResultCode::NotFound;
    cluster_.delete_job(key, now_);
    return volcano::ResultCode::Ok;
  }

  jobflow::Store& store_;
  Cluster& cluster_;
  Time now_;
  jobflow::Reply reply_;
};

class GarbageServer final : public garbage::Server {
 public:
  GarbageServer(Cluster& cluster, Time now) : cluster_(cluster), now_(now) {}

  const garbage::Reply* answer(const garbage::Effect& effect) override {
    reply_ = std::visit(Overloaded{[this](const garbage::ReadJob& e) { return read(e.ns + "/" + e.name); },
                                   [this](const garbage::DeleteJob& e) { return remove(e); }},
                        effect);
    return &reply_;
  }

 private:
  [[nodiscard]] garbage::Reply read(const std::string& key) const {
    const auto job = cluster_.jobs().find(key);
    if (job == cluster_.jobs().end()) return {volcano::ResultCode::NotFound};
    return {volcano::ResultCode::Ok, job->second};
  }
  garbage::Reply remove(const garbage::DeleteJob& effect) {
    const garbage::Reply found = read(effect.ns + "/" + effect.name);
    if (!found.job) return found;
    if (found.job->meta.uid != effect.uid) return {volcano::ResultCode::Conflict};
    cluster_.delete_job(found.job->key(), now_, Propagation::Foreground);
    return {};
  }

  Cluster& cluster_;
  Time now_;
  garbage::Reply reply_;
};

std::optional<Time> earlier(std::optional<Time> a, std::optional<Time> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

/// What no explanation needs: that the flow controller ignores its own writes.
bool is_noise(const jobflow::Record& record) {
  const auto* seen = std::get_if<jobflow::ObserveRecord>(&record);
  return seen != nullptr && seen->object == jobflow::Seen::Flow &&
         (seen->outcome == jobflow::ObserveOutcome::NotSucceeded ||
          seen->outcome == jobflow::ObserveOutcome::NothingChanged);
}

}  // namespace

void SideControllers::keep(std::vector<jobflow::Record>& made, std::vector<SideRecord>& records) {
  for (jobflow::Record& record : made)
    if (!is_noise(record)) records.push_back({0, std::move(record)});
  made.clear();
}

void SideControllers::deliver(std::vector<SideRecord>& records) {
  std::vector<jobflow::Record> made;
  while (auto next = store_.take_notification()) {
    flow_controller_.observe(*next, made);
    template_controller_.observe(*next, made);
  }
  keep(made, records);
}

void SideControllers::observe(const volcano::Observation& observation, std::vector<SideRecord>& records) {
  collector_.observe(observation);
  std::vector<jobflow::Record> made;
  const auto pass_on = [&](const jobflow::Observation& seen) {
    flow_controller_.observe(seen, made);
    template_controller_.observe(seen, made);
  };
  if (const auto* added = std::get_if<volcano::JobAdded>(&observation)) pass_on(*added);
  if (const auto* updated = std::get_if<volcano::JobUpdated>(&observation)) pass_on(*updated);
  if (const auto* deleted = std::get_if<volcano::JobDeleted>(&observation)) pass_on(*deleted);
  keep(made, records);
}

void SideControllers::advance(Time now) {
  flow_controller_.advance(now);
  template_controller_.advance(now);
  collector_.advance(now);
}

bool SideControllers::has_work() const noexcept {
  return flow_controller_.has_work() || template_controller_.has_work() || collector_.has_work();
}

void SideControllers::work(Cluster& cluster, Time now, std::vector<SideRecord>& records) {
  std::vector<jobflow::Record> made;
  std::vector<garbage::Record> collected;
  FlowServer flows(store_, cluster, now);
  if (template_controller_.has_work()) {
    (void)template_controller_.work(now, flows, made);
  } else if (flow_controller_.has_work()) {
    (void)flow_controller_.work(now, flows, made);
  } else {
    GarbageServer jobs(cluster, now);
    (void)collector_.work(now, jobs, collected);
  }
  keep(made, records);
  for (garbage::Record& record : collected) records.push_back({0, std::move(record)});
  deliver(records);
}

std::optional<Time> SideControllers::next_deadline() const noexcept {
  return earlier(earlier(flow_controller_.next_deadline(), template_controller_.next_deadline()),
                 collector_.next_deadline());
}

}  // namespace pumice
