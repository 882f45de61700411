// Counts calls of the global operator new: linked into a program, allocations.cc replaces it.
#pragma once

#include <cstdint>

namespace pumice::test {

/// Allocations since the program started.
[[nodiscard]] std::int64_t allocation_count() noexcept;

}  // namespace pumice::test
