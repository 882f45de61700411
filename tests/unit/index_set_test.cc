#include "pumice/volcano/index_set.h"

#include <catch2/catch_test_macros.hpp>
#include <set>

#include "../support/prng.h"

using pumice::volcano::IndexSet;

TEST_CASE("an index set behaves as an ordered set of integers") {
  for (const std::int32_t capacity : {0, 1, 63, 64, 65, 4096, 4097, 300'000}) {
    INFO("capacity " << capacity);
    IndexSet set(capacity);
    CHECK(set.next(0) == -1);
    if (capacity == 0) continue;
    std::set<std::int32_t> model;
    pumice::test::Prng random(static_cast<std::uint64_t>(capacity));
    for (int round = 0; round < 3'000; ++round) {
      const auto index = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(capacity)));
      if (random.below(3) == 0) {
        set.erase(index);
        model.erase(index);
      } else {
        set.insert(index);
        model.insert(index);
      }
      const auto from = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(capacity)));
      const auto next = model.lower_bound(from);
      REQUIRE(set.next(from) == (next == model.end() ? -1 : *next));
      REQUIRE(set.contains(from) == model.contains(from));
    }
    CHECK(set.size() == static_cast<std::int32_t>(model.size()));
    std::vector<std::int32_t> walked;
    set.for_each([&](std::int32_t i) { walked.push_back(i); });
    CHECK(walked == std::vector<std::int32_t>(model.begin(), model.end()));
    CHECK_FALSE(set.contains(-1));
    CHECK_FALSE(set.contains(capacity));
  }
}
