// What lies between the controller and the API server, and all that goes wrong there: effects that fail, notifications
// that come late, twice or not at all, a controller that is not there to hear them.
//
// Notifications of one kind never change their order. Everything here is a value: equal faults and equal seeds give
// equal runs.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/volcano/effect.h"
#include "pumice/volcano/observation.h"

namespace pumice {

/// What the controller watches, each kind by a connection of its own.
enum class WatchKind : std::uint8_t { Jobs, Pods, PodGroups, Commands, Queues, PriorityClasses, Objects };
inline constexpr std::size_t kWatchKindCount = 7;
inline constexpr std::array kWatchKinds{WatchKind::Jobs,     WatchKind::Pods,   WatchKind::PodGroups,
                                        WatchKind::Commands, WatchKind::Queues, WatchKind::PriorityClasses,
                                        WatchKind::Objects};
[[nodiscard]] std::string_view to_string(WatchKind kind) noexcept;  ///< `jobs`, `pods`, `podGroups` …
[[nodiscard]] WatchKind kind_of(const volcano::Observation& observation) noexcept;

/// What becomes of the notifications of a kind.
enum class WatchMode : std::uint8_t {
  Pass,    ///< each arrives at once
  Hold,    ///< they wait, in their order
  Double,  ///< each arrives twice
  Drop,    ///< none arrives, until a new list tells what has changed
};

/// Effects that are to fail.
struct EffectFault {
  std::string kind;  ///< `CreatePod` …; empty: every kind
  std::string name;  ///< of the object, in full, or its end behind a `-`; `*` stands for any characters; empty: every
  volcano::ResultCode result = volcano::ResultCode::Other;
  bool done = false;  ///< the server carries it out all the same, only the answer says otherwise: for `Timeout`
  std::int32_t times = 1;

  friend bool operator==(const EffectFault&, const EffectFault&) = default;
};

/// Faults drawn from a seed. `per_million` is how often each effect, and each notification, is struck.
struct RandomFaults {
  std::uint64_t seed = 0;
  std::int32_t per_million = 0;

  friend bool operator==(const RandomFaults&, const RandomFaults&) = default;
};

/// Something that went wrong in a step, or was mended. Equal ones in a row are one, counted.
struct FaultRecord {
  enum class Kind : std::uint8_t {
    EffectFailed,  ///< `effect` on `names`, answered with `result`
    Held,          ///< `count` notifications about `watch`
    Released,
    Doubled,
    Dropped,
    Relisted,  ///< a new list of `watch`: of its objects `added`, `changed` and `gone` were unknown
    Unheard,   ///< `count` notifications came while the controller was down
    Down,      ///< the controller crashed; `count` effects were carried out whose answers it never had
    Up,        ///< it runs, and its first lists hold `found` objects of each kind
    Passing,   ///< a hold, a doubling or a loss of `watch` ended
  };
  Kind kind = Kind::Held;
  std::optional<WatchKind> watch;
  std::int64_t count = 0;
  // EffectFailed:
  std::string effect;
  std::vector<std::string> names;  ///< at most `kFaultNamesMax`; `count` is how many there were
  volcano::ResultCode result = volcano::ResultCode::Other;
  bool done = false;
  std::string message;  ///< of the API server, if it has one
  // Relisted:
  std::int64_t added = 0;
  std::int64_t changed = 0;
  std::int64_t gone = 0;
  // Up:
  std::array<std::int64_t, kWatchKindCount> found{};
};
[[nodiscard]] std::string_view to_string(FaultRecord::Kind kind) noexcept;  ///< `effectFailed`, `held` …
inline constexpr std::size_t kFaultNamesMax = 20;
/// Kinds of effects, as faults name them.
[[nodiscard]] const std::vector<std::string_view>& effect_kinds();
/// Name of the object that an effect is about.
[[nodiscard]] std::string target_name(const volcano::EffectBody& body);
[[nodiscard]] std::string target_namespace(const volcano::EffectBody& body);

class Wire {
 public:
  explicit Wire(RandomFaults random = {});

  // -- Notifications.

  /// Takes one from the server.
  void send(volcano::Observation observation, Time now);
  /// The next one that arrives at the controller.
  [[nodiscard]] std::optional<volcano::Observation> take();
  /// Changes what becomes of a kind, until `until` if that is given. What was held is released, and what was lost is
  /// found by a new list: both arrive now, or join what is held from now on.
  void set_mode(WatchKind kind, WatchMode mode, std::optional<Time> until);
  /// Lets the first `count` of those that are held arrive; the others wait on.
  void release(WatchKind kind, std::int64_t count);
  [[nodiscard]] WatchMode mode(WatchKind kind) const noexcept { return of(kind).mode; }
  /// Notifications that are held, or objects of which the controller has lost track.
  [[nodiscard]] std::int64_t kept(WatchKind kind) const noexcept;
  [[nodiscard]] std::optional<Time> until(WatchKind kind) const noexcept { return of(kind).until; }

  // -- Effects.

  void add(EffectFault fault) { effect_faults_.push_back(std::move(fault)); }
  [[nodiscard]] const std::vector<EffectFault>& effect_faults() const noexcept { return effect_faults_; }
  struct Verdict {
    bool carried_out = true;
    std::optional<volcano::ResultCode> code;  ///< the answer instead of the server's
  };
  /// What becomes of an effect that is answered. Counts it against its fault.
  [[nodiscard]] Verdict judge(const volcano::Effect& effect);
  void note_failure(const volcano::Effect& effect, volcano::ResultCode code, bool done, std::string message);

  // -- The controller.

  [[nodiscard]] bool is_up() const noexcept { return up_; }
  [[nodiscard]] std::optional<Time> up_at() const noexcept { return up_at_; }
  /// It crashes now, and starts at `up_at` if that is given. `unanswered`: effects carried out in its last operation.
  void disconnect(std::optional<Time> up_at, std::int64_t unanswered);
  /// It is to start then: when that time has come, someone calls `connect`. Precondition: it is down.
  void start(Time at) { up_at_ = at; }
  /// It starts, and hears of everything that exists. All watches are new, so nothing is held or lost any more.
  void connect(std::vector<volcano::Observation> list);
  /// It is to crash when so many effects have been carried out.
  void crash_after(std::int32_t effects, std::optional<Duration> down_for);
  [[nodiscard]] std::optional<std::int32_t> crash_after() const noexcept { return crash_after_; }
  /// Counts an effect that was carried out; true if the controller dies of it.
  [[nodiscard]] bool count_effect();
  /// How long it then is down; absent: until someone starts it.
  [[nodiscard]] std::optional<Duration> down_for() const noexcept { return down_for_; }

  // -- Time.

  [[nodiscard]] std::optional<Time> next_due() const noexcept;
  /// Ends what is due. The controller's start is the caller's: it has the list.
  void end_due(Time now);

  /// Nothing goes wrong any more. A controller that is down stays down.
  void mend();
  /// What happened since the last call.
  [[nodiscard]] std::vector<FaultRecord> take_log();

 private:
  /// An object of which the controller knows an old state, or nothing.
  struct Missed {
    std::optional<volcano::Observation> known;   ///< as if it were added: what the controller knows
    std::optional<volcano::Observation> latest;  ///< what it would have to know; absent: the object is gone
  };
  struct Watch {
    WatchMode mode = WatchMode::Pass;
    std::optional<Time> until;
    std::deque<volcano::Observation> held;
    std::map<std::string, Missed> missed;
  };
  [[nodiscard]] const Watch& of(WatchKind kind) const noexcept { return watches_[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] Watch& of(WatchKind kind) noexcept { return watches_[static_cast<std::size_t>(kind)]; }
  void route(volcano::Observation observation);
  void log(FaultRecord::Kind kind, std::optional<WatchKind> watch, std::int64_t count);
  std::vector<volcano::Observation> relist(WatchKind kind);
  void strike(WatchKind kind, Time now);
  std::uint64_t draw() noexcept;
  [[nodiscard]] bool strikes() noexcept;

  std::array<Watch, kWatchKindCount> watches_;
  std::deque<volcano::Observation> ready_;
  std::vector<EffectFault> effect_faults_;
  bool up_ = true;
  std::optional<Time> up_at_;
  std::optional<std::int32_t> crash_after_;
  std::optional<Duration> down_for_;
  RandomFaults random_;
  std::vector<FaultRecord> log_;
};

}  // namespace pumice
