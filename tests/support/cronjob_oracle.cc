#include "support/cronjob_oracle.h"

#include <algorithm>
#include <optional>
#include <set>

namespace pumice::test {
namespace {

using namespace cronjob;

/// Versions, and the UIDs of jobs that are made, are the server's business.
std::string text_of(Status status, Profile profile) {
  for (Reference& one : status.active) {
    one.resource_version = 0;
    if (one.uid.starts_with("job-")) one.uid = "made";
  }
  return status_json(status, profile).dump();
}

/// Seconds since 1970; year 1, "no time", lies before all others.
constexpr std::int64_t kZero = -62'135'596'800;
std::int64_t seconds_of(Time time) {
  return (time.ns - ((time.ns % kSecond.ns) + kSecond.ns) % kSecond.ns) / kSecond.ns;
}

struct Plain {
  const PlainInput& in;
  PlainLook out;
  Status status;
  std::vector<ChildJob> own;
  std::vector<ChildJob> server;
  bool dirty = false;
  std::optional<cron::Schedule> schedule;

  explicit Plain(const PlainInput& input) : in(input), status(input.cronjob.status), server(input.server) {
    for (const ChildJob& job : in.cache) {
      if (is_child(job, in.cronjob, in.profile)) own.push_back(job);
    }
  }

  [[nodiscard]] const Spec& spec() const { return *in.cronjob.spec; }
  [[nodiscard]] bool volcano() const { return in.profile == Profile::Volcano; }
  [[nodiscard]] bool legacy() const { return in.profile == Profile::Legacy; }
  void event(const std::string& text) { out.actions.push_back("event " + text); }
  [[nodiscard]] static bool listed(const Status& where, const std::string& uid) {
    for (const Reference& one : where.active) {
      if (one.uid == uid) return true;
    }
    return false;
  }
  void unlist(const std::string& uid) {
    std::vector<Reference> rest;
    for (const Reference& one : status.active) {
      if (one.uid != uid) rest.push_back(one);
    }
    status.active = rest;
    dirty = true;
  }
  [[nodiscard]] bool finished(const ChildJob& job) const {
    if (volcano()) {
      return job.finish == Finish::Complete || job.finish == Finish::Failed || job.finish == Finish::Terminated;
    }
    return job.finish == Finish::Complete || job.finish == Finish::Failed;
  }
  [[nodiscard]] const ChildJob* on_server(const std::string& ns, const std::string& name) const {
    for (const ChildJob& job : server) {
      if (job.ns == ns && job.name == name) return &job;
    }
    return nullptr;
  }
  bool erase(const std::string& ns, const std::string& name) {
    for (auto job = server.begin(); job != server.end(); ++job) {
      if (job->ns != ns || job->name != name) continue;
      server.erase(job);
      return true;
    }
    return false;
  }
  bool del(const std::string& ns, const std::string& name, const std::string& uid) {
    out.actions.push_back("delete " + name);
    if (!erase(ns, name)) {
      event("Warning FailedDelete");
      return false;
    }
    unlist(uid);
    event("Normal SuccessfulDelete");
    return true;
  }

  // Spec 7.1, Volcano 3.1.
  void clean_up() {
    for (const Finish kind : {Finish::Complete, Finish::Failed}) {
      const auto limit = kind == Finish::Complete ? spec().successful_limit : spec().failed_limit;
      if (!limit) continue;
      std::vector<ChildJob> list;
      for (const ChildJob& job : own) {
        if (job.finish == kind) list.push_back(job);
      }
      const auto key = [&](const ChildJob& job) { return volcano() ? job.creation : job.start; };
      while (static_cast<std::int64_t>(list.size()) > *limit) {
        std::size_t oldest = 0;
        for (std::size_t i = 1; i < list.size(); ++i) {
          const auto a = key(list[i]);
          const auto b = key(list[oldest]);
          const bool older = a && b ? (*a < *b || (*a == *b && list[i].name < list[oldest].name))
                                    : (a && !b) || (!a && !b && list[i].name < list[oldest].name);
          if (older) oldest = i;
        }
        (void)del(list[oldest].ns, list[oldest].name, list[oldest].uid);
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(oldest));
      }
    }
  }

  void saw_end(const ChildJob& job) {
    if (listed(status, job.uid)) {
      unlist(job.uid);
      event("Normal SawCompletedJob");
    }
    if (legacy() || job.finish != Finish::Complete) return;
    if (!status.last_successful) {
      status.last_successful = job.completion;
      dirty = true;
    }
    if (job.completion && *job.completion > *status.last_successful) {
      status.last_successful = job.completion;
      dirty = true;
    }
  }

  // Spec 5.
  bool read_schedule() {
    std::string text = spec().schedule;
    if (!legacy()) {
      std::string error;
      const bool loads = spec().time_zone && cron::load_zone(*spec().time_zone, {}, error).has_value();
      if (text.find("TZ") != std::string::npos) {
        event("Warning UnsupportedSchedule");
      } else if (loads) {
        text = "TZ=" + *spec().time_zone + " " + text;
      }
    }
    auto read = cron::parse_schedule(text);
    if (read) schedule = std::move(read.value);
    return schedule.has_value();
  }

  /// Behind "no time" comes no time (spec 6.1 item 6): what upstream's search finds from year 1 on is left out.
  std::int64_t next(std::int64_t after) const {
    if (after == kZero) return kZero;
    const auto at = schedule->next({after * kSecond.ns});
    return at ? at->ns / kSecond.ns : kZero;
  }

  struct Recent {
    std::int64_t earliest = 0;
    std::optional<std::int64_t> time;
    int missed = 0;  ///< none, few, many
    bool failed = false;
  };
  // Spec 6.1; times in whole seconds, `now` cut down. A start of the look with a fraction leads to the same next times.
  Recent recent(bool use_deadline) const {
    Recent result;
    const std::int64_t now = seconds_of(in.now);
    result.earliest = seconds_of(status.last_schedule.value_or(in.cronjob.meta->creation));
    const bool cut = use_deadline && spec().starting_deadline_seconds.has_value();
    if (cut) result.earliest = std::max(result.earliest, now - *spec().starting_deadline_seconds);
    const std::int64_t t1 = next(result.earliest);
    const std::int64_t t2 = next(t1);
    if (now < t1) return result;
    if (now < t2) {
      result.time = t1;
      return result;
    }
    const std::int64_t step = t2 - t1;
    if (step < 1) {
      result.failed = true;
      return result;
    }
    const std::int64_t n = (now - t1) / step + 1;
    for (std::int64_t t = next(t1 + (n - 2) * step); t <= now && t != kZero; t = next(t)) result.time = t;
    result.missed = n > 100 ? 2 : 1;
    return result;
  }

  // Spec 6.3.
  void set_delay() {
    const Recent found = recent(false);
    std::int64_t base = seconds_of(in.now);
    if (!found.failed) base = found.time ? *found.time : found.missed == 0 ? found.earliest : base;
    const Time then{next(base) * kSecond.ns};
    out.delay = next(base) == kZero ? to_string(Duration{INT64_MIN})
                                    : to_string(Duration{(then - in.now).ns + 100 * kMillisecond.ns});
  }

  void write() { out.actions.push_back("write " + text_of(status, in.profile)); }

  Reference reference(const ChildJob& job) const {
    return {.ns = job.ns, .name = job.name, .uid = job.uid, .resource_version = job.resource_version};
  }

  /// A name that the server has, or makes now. Absent: it was there.
  std::optional<ChildJob> create(const std::string& name) {
    out.actions.push_back("create " + name);
    if (on_server(in.cronjob.meta->ns, name) != nullptr) return std::nullopt;
    std::uint64_t version = in.cronjob.resource_version;
    for (const ChildJob& job : in.server) version = std::max(version, job.resource_version);
    ++version;
    return ChildJob{
        .ns = in.cronjob.meta->ns, .name = name, .uid = "job-" + std::to_string(version), .resource_version = version};
  }

  // Spec 4.
  void v2() {
    clean_up();
    const bool go_on = v2_inner();
    (void)go_on;
    if (dirty) write();
  }
  bool v2_inner() {
    // No other copy is live here: step 1 comes to its end.
    for (const ChildJob& job : own) {
      if (!finished(job) && !listed(status, job.uid)) event("Warning UnexpectedJob");
      if (finished(job)) saw_end(job);
    }
    for (const Reference& one : std::vector<Reference>(status.active)) {
      bool child = false;
      for (const ChildJob& job : own) child = child || job.uid == one.uid;
      if (child || on_server(one.ns, one.name) != nullptr) continue;
      event("Normal MissingJob");
      unlist(one.uid);
    }
    if (in.cronjob.meta->deletion) return false;
    std::string error;
    if (spec().time_zone && !cron::load_zone(*spec().time_zone, {}, error)) {
      event("Warning UnknownTimeZone");
      return false;
    }
    if (spec().suspend) return false;
    if (!read_schedule()) {
      event("Warning UnparseableSchedule");
      return false;
    }
    const Recent due = recent(true);
    if (due.failed) {
      event("Warning InvalidSchedule");
      return false;
    }
    if (due.time && due.missed == 2) event("Warning TooManyMissedTimes");
    if (!due.time) {
      set_delay();
      return false;
    }
    const std::string name = in.cronjob.meta->name + "-" + std::to_string(*due.time / 60);
    const Time run{*due.time * kSecond.ns};
    bool handled = status.last_schedule == run;
    for (const Reference& one : status.active) handled = handled || (one.name == name && one.ns == in.cronjob.meta->ns);
    if (handled) {
      set_delay();
      return false;
    }
    if (spec().policy == ConcurrencyPolicy::Forbid && !status.active.empty()) {
      event("Normal JobAlreadyActive");
      set_delay();
      return false;
    }
    if (spec().policy == ConcurrencyPolicy::Replace) {
      for (const Reference& one : std::vector<Reference>(status.active)) {
        const ChildJob* job = on_server(one.ns, one.name);
        if (job == nullptr) {
          event("Warning FailedGet");
          out.failed = true;
          return false;
        }
        if (!del(one.ns, one.name, std::string(job->uid))) {
          out.failed = true;
          return false;
        }
      }
    }
    std::optional<ChildJob> job = create(name);
    if (!job) {
      const ChildJob& there = *on_server(in.cronjob.meta->ns, name);
      if (!there.controller || there.controller->uid != in.cronjob.meta->uid) return false;
      if (listed(status, there.uid)) return false;
      job = there;
    } else {
      event("Normal SuccessfulCreate");
    }
    status.active.push_back(reference(*job));
    status.last_schedule = run;
    dirty = true;
    set_delay();
    return true;
  }

  // Spec 10.
  void legacy_look() {
    legacy_inner();
    if (!spec().successful_limit && !spec().failed_limit) return;
    clean_up();
    write();
  }
  void legacy_inner() {
    for (const ChildJob& job : own) {
      if (!finished(job) && !listed(status, job.uid)) event("Warning UnexpectedJob");
      if (finished(job)) saw_end(job);
    }
    for (const Reference& one : std::vector<Reference>(status.active)) {
      bool child = false;
      for (const ChildJob& job : own) child = child || job.uid == one.uid;
      if (child) continue;
      event("Normal MissingJob");
      unlist(one.uid);
    }
    write();
    if (in.cronjob.meta->deletion || spec().suspend) return;
    if (!read_schedule()) return event("Warning FailedNeedsStart");
    const std::int64_t now = seconds_of(in.now);
    std::int64_t earliest = seconds_of(status.last_schedule.value_or(in.cronjob.meta->creation));
    if (spec().starting_deadline_seconds) earliest = std::max(earliest, now - *spec().starting_deadline_seconds);
    std::vector<std::int64_t> times;
    if (earliest <= now) {
      for (std::int64_t t = next(earliest); t <= now; t = t == kZero ? kZero : next(t)) {
        times.push_back(t);
        if (times.size() > 100) return event("Warning FailedNeedsStart");
      }
    }
    if (times.empty()) return;
    if (spec().policy == ConcurrencyPolicy::Forbid && !status.active.empty()) return;
    if (spec().policy == ConcurrencyPolicy::Replace) {
      for (const Reference& one : std::vector<Reference>(status.active)) {
        const ChildJob* job = on_server(one.ns, one.name);
        if (job == nullptr) return event("Warning FailedGet");
        if (!del(one.ns, one.name, std::string(job->uid))) return;
      }
    }
    const std::optional<ChildJob> job = create(in.cronjob.meta->name + "-" + std::to_string(times.back()));
    if (!job) return event("Warning FailedCreate");
    event("Normal SuccessfulCreate");
    status.active.push_back(reference(*job));
    status.last_schedule = Time{times.back() * kSecond.ns};
    write();
  }

  // Volcano 3.
  void volcano_look() {
    if (in.cronjob.meta->deletion) return;
    volcano_inner();
    if (!out.failed && dirty) write();
  }
  /// The list as a Go slice whose entries are removed in place under a walk.
  struct Slice {
    std::vector<Reference> memory;
    std::size_t length;
    explicit Slice(const std::vector<Reference>& list) : memory(list), length(list.size()) {}
    void remove(const std::string& uid) {
      for (std::size_t i = 0; i < length; ++i) {
        if (memory[i].uid != uid) continue;
        for (std::size_t j = i; j + 1 < length; ++j) memory[j] = memory[j + 1];
        --length;
        return;
      }
    }
  };
  void volcano_inner() {
    for (const ChildJob& job : own) {
      if (finished(job)) saw_end(job);
    }
    clean_up();
    for (const ChildJob& job : own) {
      if (!finished(job) && !listed(status, job.uid)) event("Warning OrphanedJob");
    }
    Slice slice(status.active);
    for (std::size_t i = 0; i < slice.memory.size(); ++i) {
      const Reference one = slice.memory[i];
      bool child = false;
      for (const ChildJob& job : own) child = child || job.uid == one.uid;
      if (child) continue;
      // First the CronJob's own jobs are looked through, then the others: names are unique, so the order is no matter.
      const ChildJob* cached = nullptr;
      for (const ChildJob& job : in.cache) {
        if (job.name == one.name && job.ns == one.ns) cached = &job;
      }
      if (cached != nullptr && cached->uid == one.uid) continue;
      event("Warning StaleReference");
      unlist(one.uid);
      slice.remove(one.uid);
    }
    if (spec().suspend) return;
    std::string error;
    if (spec().time_zone && !cron::load_zone(*spec().time_zone, {}, error)) {
      event("Warning InvalidTimeZone");
      out.failed = true;
      return;
    }
    if (!read_schedule()) {
      out.failed = true;
      return;
    }
    const Recent due = recent(true);
    if (due.failed) {
      event("Warning InvalidSchedule");
      out.failed = true;
      return;
    }
    if (due.time && due.missed == 2) event("Warning TooManyMissedTimes");
    if (!due.time) return set_delay();
    const std::string name = in.cronjob.meta->name + "-" + std::to_string(*due.time / 60);
    const Time run{*due.time * kSecond.ns};
    bool handled = status.last_schedule == run;
    for (const Reference& one : status.active) handled = handled || (one.name == name && one.ns == in.cronjob.meta->ns);
    if (handled) return set_delay();
    if (spec().policy == ConcurrencyPolicy::Forbid && !status.active.empty()) {
      event("Warning ForbidConcurrent");
      return set_delay();
    }
    if (spec().policy == ConcurrencyPolicy::Replace && !status.active.empty()) {
      event("Warning ReplaceConcurrent");
      Slice walk(status.active);
      for (std::size_t i = 0; i < walk.memory.size(); ++i) {
        const Reference one = walk.memory[i];
        const ChildJob* job = on_server(one.ns, one.name);
        if (job == nullptr) {
          event("Warning FailedGet");
          out.failed = true;
          return;
        }
        const std::string uid = job->uid;
        if (!del(one.ns, one.name, uid)) {
          out.failed = true;
          return;
        }
        walk.remove(uid);
      }
    }
    const std::optional<ChildJob> job = create(name);
    if (!job) {
      out.failed = true;  // looked for without a namespace, and never found (8.4)
      return;
    }
    event("Normal SuccessfulCreate");
    status.active.push_back(reference(*job));
    status.last_schedule = run;
    dirty = true;
    set_delay();
  }
};

}  // namespace

PlainLook plain_look(const PlainInput& input) {
  Plain plain(input);
  plain.out.delay = "none";
  switch (input.profile) {
    case Profile::V2: plain.v2(); break;
    case Profile::Legacy: plain.legacy_look(); break;
    case Profile::Volcano: plain.volcano_look(); break;
  }
  return std::move(plain.out);
}

PlainLook core_look(const PlainInput& input) {
  std::vector<ChildJobPtr> own;
  std::vector<ChildJobPtr> others;
  std::vector<ChildJobPtr> server;
  for (const ChildJob& job : input.cache) {
    (is_child(job, input.cronjob, input.profile) ? own : others).push_back(std::make_shared<const ChildJob>(job));
  }
  for (const ChildJob& job : input.server) server.push_back(std::make_shared<const ChildJob>(job));
  CronJob live = input.cronjob;
  live.status = input.live;
  const Quirks quirks = Quirks::of(input.profile);
  Cluster cluster(input.profile, quirks, std::make_shared<const CronJob>(live), server);
  cluster.now = input.now;
  const cron::ZoneSource zones;
  SyncOutput output;
  sync({.profile = input.profile,
        .quirks = quirks,
        .now = input.now,
        .cronjob = &input.cronjob,
        .jobs = own,
        .other_jobs = others,
        .zones = &zones},
       cluster, output);
  PlainLook look;
  for (const Effect& effect : output.effects) {
    if (const auto* create = std::get_if<CreateJob>(&effect)) look.actions.push_back("create " + create->name);
    if (const auto* del = std::get_if<DeleteJob>(&effect)) look.actions.push_back("delete " + del->name);
    if (const auto* write = std::get_if<WriteStatus>(&effect)) {
      look.actions.push_back("write " + text_of(write->status, input.profile));
    }
    if (const auto* emit = std::get_if<EmitEvent>(&effect)) {
      const EventWords words = words_of(emit->event, input.profile);
      look.actions.push_back(std::string("event ") + (words.warning ? "Warning " : "Normal ") +
                             std::string(words.reason));
    }
  }
  look.delay = output.requeue_after ? to_string(*output.requeue_after) : "none";
  look.failed = output.failed();
  return look;
}

}  // namespace pumice::test
