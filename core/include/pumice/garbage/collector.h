// Volcano's garbage collector: deletes finished Jobs that have `spec.ttlSecondsAfterFinished` when their time is up.
//
// No specification here covers it; what follows is restated from upstream's source (volcano-sh/volcano,
// pkg/controllers/garbagecollector).
//   1. A job needs clean-up if its TTL is set (0 counts), its phase is Completed, Failed or Terminated, and it has no
//      deletionTimestamp. Aborted is not finished.
//   2. An added or updated job that needs clean-up is put into the queue at once, whatever changed; a deleted one is
//      not. Equal keys collapse. There is one worker.
//   3. The worker takes the job from its cache. Gone, or no need any more: nothing. The job finished at
//      `status.state.lastTransitionTime` (whole seconds, as the API keeps it); without that it is an error. It expires
//      TTL seconds later. If that is still to come, the key comes back then; else the job is read from the API server
//      and the same is asked of it again, so that a TTL that was raised or taken away meanwhile counts.
//   4. It is deleted with that read's UID as a precondition, in the foreground: it stays, marked, until what blocks its
//      deletion (its pods) is gone.
//   5. Errors come back with growing pauses, 5 ms to 1000 s, without end; not-found on reading is no error.
//
// What follows from it, and may surprise:
//   - a TTL that is lowered counts at once, as the edit queues the job; one that is raised leaves the old wake-up in
//   the
//     queue, which finds that it is too early and waits again;
//   - a job that a retry or a command takes out of its phase again is left alone, and its time starts anew when it
//   ends;
//   - a job whose clock was ahead waits longer: its finish lies in the future (upstream logs a warning).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pumice/kubejob/delay_queue.h"
#include "pumice/volcano/effect.h"
#include "pumice/volcano/observation.h"

namespace pumice::garbage {

using volcano::JobPtr;
using volcano::ResultCode;

/// Past all caches.
struct ReadJob {
  std::string ns;
  std::string name;
};
struct DeleteJob {
  std::string ns;
  std::string name;
  std::string uid;  ///< refused if the job has another one
};
using Effect = std::variant<ReadJob, DeleteJob>;

struct Reply {
  ResultCode code = ResultCode::Ok;
  JobPtr job{};  ///< of a ReadJob
};

class Server {
 public:
  /// The answer, valid until the next call; null if it is not there yet: then the look stops, and is taken again from
  /// the start with the answers so far.
  virtual const Reply* answer(const Effect& effect) = 0;

 protected:
  ~Server() = default;
};

enum class Outcome : std::uint8_t {
  NotCached,  ///< the job is gone already
  NoNeed,     ///< not finished (any more), without TTL, or being deleted already
  TooEarly,   ///< comes back at `expires`
  GoneMeanwhile,
  Deleted,  ///< its deletion has begun
  Failed,   ///< `error` says why; tried again at `retry_at`
};
[[nodiscard]] std::string_view to_string(Outcome outcome) noexcept;

struct Record {
  std::string key;
  Outcome outcome = Outcome::NoNeed;
  std::optional<Time> finished;
  std::optional<Time> expires;
  std::int32_t ttl_seconds = 0;
  std::string phase;        ///< of the job
  bool in_future = false;   ///< it has finished behind now
  bool read_again = false;  ///< the cache said that it is due, and the API server was asked
  std::string error;
  std::optional<Time> retry_at;

  friend bool operator==(const Record&, const Record&) = default;
};
/// `the 1m0s for which job j is kept (ttlSecondsAfterFinished) end at +1m14s`, without capital and full stop.
[[nodiscard]] std::string clause(const Record& record, Time start, bool with_namespace);
[[nodiscard]] bool is_news(const Record& record) noexcept;

/// Completed, Failed or Terminated.
[[nodiscard]] bool is_finished(const Job& job) noexcept;
[[nodiscard]] bool needs_cleanup(const Job& job) noexcept;
/// Absent if the job does not say when it finished. Precondition: it needs clean-up.
[[nodiscard]] std::optional<Time> expiry(const Job& job) noexcept;

class Collector {
 public:
  Collector() : queue_(Duration{5'000'000}, seconds(1000)) {}

  void observe(const volcano::Observation& observation);
  void advance(Time now) { queue_.advance(now); }
  [[nodiscard]] bool has_work() const noexcept { return running_.has_value() || queue_.has_due(); }
  [[nodiscard]] std::optional<Time> next_deadline() const noexcept { return queue_.next_time(); }
  /// Looks at the next job. True: it is through, and its record appended. False: an answer is missing; come again.
  bool work(Time now, Server& server, std::vector<Record>& records);

  /// When the collector looks at this job next; absent if it does not.
  [[nodiscard]] std::optional<Time> next_look(const std::string& key) const { return queue_.time_of(key); }

 private:
  bool look(Time now, const std::string& key, Server& server, Record& record);
  bool is_due(Time now, const Job& job, Record& record);

  std::map<std::string, JobPtr> jobs_;
  kubejob::DelayQueue queue_;
  std::optional<std::string> running_;
};

}  // namespace pumice::garbage
