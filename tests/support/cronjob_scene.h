// A CronJob, its jobs and one look at them, in a few lines.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/cronjob/cluster.h"

namespace pumice::test {

/// A time that is known to be one.
inline Time time_of(std::string_view text) { return parse_rfc3339(text).value(); }
inline Duration duration_of(std::string_view text) { return parse_duration(text).value(); }

struct CronScene {
  explicit CronScene(cronjob::Profile of = cronjob::Profile::V2) : profile(of), quirks(cronjob::Quirks::of(of)) {
    meta.ns = "default";
    meta.name = "c";
    meta.uid = "cron-uid";
    spec.schedule = "0 * * * *";
  }

  /// A job of the CronJob's, in the caches; `listed`: in `status.active`, too.
  cronjob::ChildJob& job(const std::string& name, cronjob::Finish finish, bool listed) {
    cronjob::ChildJob child{.ns = meta.ns, .name = name, .uid = name + "-uid", .finish = finish};
    child.controller = owner();
    jobs.push_back(child);
    if (listed) list(name);
    return jobs.back();
  }
  void list(const std::string& name) { status.active.push_back({.ns = meta.ns, .name = name, .uid = name + "-uid"}); }
  [[nodiscard]] std::shared_ptr<const OwnerReference> owner() const {
    cronjob::CronJob self;
    self.meta = std::make_shared<const ObjectMeta>(meta);
    return std::make_shared<const OwnerReference>(cronjob::owner_of(self, profile));
  }
  [[nodiscard]] cronjob::CronJobPtr object(const cronjob::Status& with) const {
    auto object = std::make_shared<cronjob::CronJob>();
    object->meta = std::make_shared<const ObjectMeta>(meta);
    object->spec = std::make_shared<const cronjob::Spec>(spec);
    object->status = with;
    return object;
  }

  void look(Time now) {
    cached = object(status);
    std::vector<cronjob::ChildJobPtr> cache;
    for (const cronjob::ChildJob& one : jobs) cache.push_back(std::make_shared<const cronjob::ChildJob>(one));
    std::vector<cronjob::ChildJobPtr> there = cache;
    for (const cronjob::ChildJob& one : only_on_server) there.push_back(std::make_shared<const cronjob::ChildJob>(one));
    cluster.emplace(profile, quirks, object(server_status.value_or(status)), there);
    cluster->failures = failures;
    cluster->now = now;
    std::vector<cronjob::ChildJobPtr> own;
    std::vector<cronjob::ChildJobPtr> others;
    for (const auto& one : cache) (cronjob::is_child(*one, *cached, profile) ? own : others).push_back(one);
    cronjob::sync({.profile = profile,
                   .quirks = quirks,
                   .now = now,
                   .cronjob = cached.get(),
                   .jobs = own,
                   .other_jobs = others,
                   .zones = &zones},
                  *cluster, output);
  }

  template <class Kind>
  [[nodiscard]] std::vector<Kind> effects() const {
    std::vector<Kind> found;
    for (const cronjob::Effect& effect : output.effects) {
      if (const auto* one = std::get_if<Kind>(&effect)) found.push_back(*one);
    }
    return found;
  }
  /// `Warning UnexpectedJob`, one an event.
  [[nodiscard]] std::vector<std::string> events() const {
    std::vector<std::string> list;
    for (const auto& emit : effects<cronjob::EmitEvent>()) {
      const auto words = words_of(emit.event, profile);
      list.push_back((words.warning ? "Warning " : "Normal ") + std::string(words.reason));
    }
    return list;
  }
  [[nodiscard]] std::vector<std::string> messages() const {
    std::vector<std::string> list;
    for (const auto& emit : effects<cronjob::EmitEvent>()) list.push_back(words_of(emit.event, profile).message);
    return list;
  }
  [[nodiscard]] std::int64_t warnings() const {
    const auto list = events();
    return std::count_if(list.begin(), list.end(), [](const std::string& one) { return one.starts_with("Warning"); });
  }
  /// The status as it is behind the look.
  [[nodiscard]] const cronjob::Status& after() const { return output.written ? *output.after : cached->status; }
  /// The delay as text, `none`.
  [[nodiscard]] std::string delay() const { return output.requeue_after ? to_string(*output.requeue_after) : "none"; }

  cronjob::Profile profile;
  cronjob::Quirks quirks;
  ObjectMeta meta;
  cronjob::Spec spec;
  cronjob::Status status;
  std::vector<cronjob::ChildJob> jobs;
  std::vector<cronjob::ChildJob> only_on_server;
  std::optional<cronjob::Status> server_status;  ///< the live one, where it differs from the cached one
  std::vector<cronjob::RequestFailure> failures;
  cron::ZoneSource zones;
  cronjob::CronJobPtr cached;
  std::optional<cronjob::Cluster> cluster;
  cronjob::SyncOutput output;
};

}  // namespace pumice::test
