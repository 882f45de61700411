// Index texts and pending indexes (spec/k8s-job.md 7.3, 10.2, 16.12).
#include "pumice/kubejob/intervals.h"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <set>

#include "support/prng.h"

namespace pumice::kubejob {
namespace {

TEST_CASE("texts of completed indexes", "[kubejob]") {
  struct Case {
    const char* name;
    const char* text;
    std::int32_t completions;
    const char* want;
  };
  const Case cases[] = {
      {"back and forth", "0,2-4,7", 10, "0,2-4,7"},
      {"empty", "", 10, ""},
      {"two neighbours are no range", "5-6", 10, "5,6"},
      {"neighbours are merged", "0,1,2", 10, "0-2"},
      {"a piece right behind extends the one before", "0-3,4,5-6", 10, "0-6"},
      {"garbage is skipped", "0,x,3", 10, "0,3"},
      {"an end that is garbage", "0,2-y,3", 10, "0,3"},
      {"a negative number is none", "-1,3", 10, "3"},
      {"a sign is one of Go's", "+2,3", 10, "2,3"},
      {"beyond completions reading stops", "0,12,3", 10, "0"},
      {"an end beyond is cut", "3-40", 10, "3-9"},
      {"lowered completions", "0-9", 5, "0-4"},
      {"turned around", "5-3,7", 10, "7"},
      {"more digits than fit", "99999999999999999999,3", 10, "3"},
      {"out of order", "7,2", 10, "2,7"},
      {"overlapping", "0-5,3-7", 10, "0-7"},
      {"no completions", "0-9", 0, ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Intervals set = Intervals::parse(c.text, c.completions);
    CHECK(set.text() == c.want);
    CHECK(Intervals::parse(set.text(), c.completions) == set);
  }
}

TEST_CASE("intervals behave as a set of numbers", "[kubejob]") {
  test::Prng prng(test::seed_from_environment());
  Intervals set;
  std::set<std::int32_t> plain;
  for (int i = 0; i < 20'000; ++i) {
    const auto index = static_cast<std::int32_t>(prng.below(60));
    if (prng.one_in(10)) {
      const std::int32_t last = index + static_cast<std::int32_t>(prng.below(9));
      set.insert(index, last);
      for (std::int32_t n = index; n <= last; ++n) plain.insert(n);
    } else if (prng.one_in(2)) {
      set.insert(index);
      plain.insert(index);
    } else {
      set.erase(index);
      plain.erase(index);
    }
    REQUIRE(set.total() == static_cast<std::int64_t>(plain.size()));
    const auto probe = static_cast<std::int32_t>(prng.below(70));
    REQUIRE(set.contains(probe) == plain.contains(probe));
    REQUIRE(set.max() == (plain.empty() ? -1 : *plain.rbegin()));
    std::int32_t before = -2;
    for (const auto& [first, last] : set.runs()) {
      REQUIRE(first <= last);
      REQUIRE(first > before + 1);
      before = last;
    }
  }
}

TEST_CASE("what two sets have in common", "[kubejob]") {
  const auto common = [](const char* a, const char* b) {
    return Intervals::parse(a, 100).common(Intervals::parse(b, 100));
  };
  CHECK(common("0-9", "5-20") == 5);
  CHECK(common("0,2,4", "1,3,5") == 0);
  CHECK(common("0-50", "3,5-6,49-60") == 5);
  CHECK(common("", "1") == 0);
}

TEST_CASE("pending indexes are the lowest free ones", "[kubejob]") {
  struct Case {
    const char* name;
    const char* taken;
    const char* more;
    std::int32_t completions;
    std::int64_t count;
    std::vector<std::int32_t> want;
  };
  const Case cases[] = {
      {"nothing taken", "", "", 5, 3, {0, 1, 2}},
      {"all at most", "", "", 2, 9, {0, 1}},
      {"none wanted", "", "", 5, 0, {}},
      {"gaps from the lowest", "0,2-4", "6", 10, 3, {1, 5, 7}},
      {"sets that overlap", "0-5", "3-8", 10, 3, {9}},
      {"everything taken", "0-4", "", 5, 3, {}},
      {"spec 16.2: p8 c20", "2,4-5,7-9", "0,3", 20, 6, {1, 6, 10, 11, 12, 13}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Intervals a = Intervals::parse(c.taken, 100);
    const Intervals b = Intervals::parse(c.more, 100);
    const std::array<const Intervals*, 2> sets{&a, &b};
    CHECK(first_free(sets, c.completions, c.count) == c.want);
  }
}

}  // namespace
}  // namespace pumice::kubejob
