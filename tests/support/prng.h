// A small random generator whose numbers are the same on every platform, and the seed of a test run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace pumice::test {

/// SplitMix64.
class Prng {
 public:
  explicit Prng(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t next() noexcept {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// 0 … bound - 1.
  std::uint64_t below(std::uint64_t bound) noexcept { return next() % bound; }
  bool one_in(std::uint64_t n) noexcept { return below(n) == 0; }

  template <class T>
  const T& pick(const std::vector<T>& from) noexcept {
    return from[static_cast<std::size_t>(below(from.size()))];
  }

 private:
  std::uint64_t state_;
};

/// The seed of this run: `PUMICE_SEED` if it is set, else a fixed one, so that a plain run can be repeated.
inline std::uint64_t seed_from_environment() {
  const char* text = std::getenv("PUMICE_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 0) : 20260302u;
}

}  // namespace pumice::test
