// What lies between the API server and the Job controller: notifications that come late, twice or not at all, and
// effects that fail. Notifications of one kind never change their order. A value: equal faults give equal runs.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/kubejob/effect.h"
#include "pumice/kubejob/observation.h"

namespace pumice::kubeworld {

enum class WatchKind : std::uint8_t { Jobs, Pods };
inline constexpr std::array kWatchKinds{WatchKind::Jobs, WatchKind::Pods};
[[nodiscard]] std::string_view to_string(WatchKind kind) noexcept;  ///< `jobs`, `pods`
[[nodiscard]] WatchKind kind_of(const kubejob::Observation& observation) noexcept;

/// What becomes of the notifications of a kind.
enum class WatchMode : std::uint8_t {
  Pass,    ///< each arrives at once
  Hold,    ///< they wait, in their order
  Double,  ///< each arrives twice, the second time as an update that changes nothing
  Drop,    ///< none arrives, until a new list tells what has changed
};
[[nodiscard]] std::string_view to_string(WatchMode mode) noexcept;  ///< `pass`, `hold`, `double`, `drop`

class Watches {
 public:
  /// Takes one from the server.
  void send(kubejob::Observation observation);
  /// The next one that arrives.
  [[nodiscard]] std::optional<kubejob::Observation> take();
  /// What was held arrives now, and so does, by a new list, what was lost; then the new mode counts.
  void set_mode(WatchKind kind, WatchMode mode);
  /// Lets the first `count` of those that are held arrive.
  void release(WatchKind kind, std::int64_t count);
  [[nodiscard]] WatchMode mode(WatchKind kind) const noexcept { return of(kind).mode; }
  /// Notifications that are held, or objects that were lost from sight.
  [[nodiscard]] std::int64_t kept(WatchKind kind) const noexcept;
  /// The listener starts anew, and hears of everything that exists. Nothing is held or lost any more.
  void restart(std::vector<kubejob::Observation> list);

 private:
  /// An object of which an old state is known, or nothing.
  struct Missed {
    std::optional<kubejob::Observation> known;   ///< as if it were added
    std::optional<kubejob::Observation> latest;  ///< likewise; absent: the object is gone
  };
  struct Watch {
    WatchMode mode = WatchMode::Pass;
    std::deque<kubejob::Observation> held;
    std::map<std::string, Missed> missed;
  };
  [[nodiscard]] const Watch& of(WatchKind kind) const noexcept { return watches_[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] Watch& of(WatchKind kind) noexcept { return watches_[static_cast<std::size_t>(kind)]; }

  std::array<Watch, kWatchKinds.size()> watches_;
  std::deque<kubejob::Observation> ready_;
};

/// Effects that are to fail.
struct EffectFault {
  std::string kind;  ///< `CreatePod` …; empty: every kind
  std::string name;  ///< of the object (of pods to create: its prefix); `*` stands for any characters; empty: every
  kubejob::ResultCode result = kubejob::ResultCode::Other;
  bool done = false;  ///< the server carries it out all the same, only the answer says otherwise: for `Timeout`
  std::int64_t times = 1;

  friend bool operator==(const EffectFault&, const EffectFault&) = default;
};
/// Kinds of effects that can fail.
[[nodiscard]] const std::vector<std::string_view>& effect_kinds();
/// Whether a fault strikes this effect.
[[nodiscard]] bool strikes(const EffectFault& fault, const kubejob::EffectBody& effect);

}  // namespace pumice::kubeworld
