// Descriptions of quirks, profiles, and the set that holds which are on.
#include <catch2/catch_test_macros.hpp>
#include <set>

#include "pumice/cronjob/cronjob.h"
#include "pumice/kubejob/profile.h"
#include "pumice/quirk.h"
#include "pumice/volcano/profile.h"

namespace pumice {
namespace {

bool is_sentence(std::string_view text) { return !text.empty() && (text.ends_with('.') || text.ends_with(".)")); }

TEST_CASE("every quirk is described, under a name of its own", "[quirks]") {
  std::set<std::string_view> names;
  std::set<std::string_view> titles;
  std::size_t first = 0;
  for (const QuirkFamily& family : quirk_families()) {
    CHECK(family.first_profile == first);
    first += family.profiles.size();
    for (const QuirkInfo& quirk : family.quirks) {
      CAPTURE(quirk.name);
      CHECK(names.insert(quirk.name).second);
      CHECK(titles.insert(quirk.title).second);
      CHECK(quirk.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string_view::npos);
      CHECK(quirk.title.size() <= kQuirkTitleMax);
      CHECK_FALSE(quirk.title.ends_with('.'));
      CHECK(is_sentence(quirk.happens));
      CHECK(is_sentence(quirk.fix));
      // In profiles of its own controller only.
      const unsigned own = ((1U << family.profiles.size()) - 1U) << family.first_profile;
      CHECK((quirk.profiles & ~own) == 0);
      CHECK((quirk.profiles != 0 || quirk.name == "consistency-check"));
    }
  }
  CHECK(first == all_profiles().size());
  CHECK(names.size() == volcano::kQuirkCount + kubejob::kQuirkCount + cronjob::kQuirkCount);
}

TEST_CASE("places of profiles are those of their bits", "[quirks]") {
  const auto name_of = [](ProfileBits bit) {
    std::size_t place = 0;
    while ((bit >> place) != 1U) ++place;
    return all_profiles()[place].name;
  };
  CHECK(name_of(profile_bit::kVolcano) == "volcano");
  CHECK(name_of(profile_bit::kVolcanoClassic) == "volcano-classic");
  CHECK(name_of(profile_bit::kJob) == "job");
  CHECK(name_of(profile_bit::kJob127) == "job-1.27");
  CHECK(name_of(profile_bit::kCronJob) == "cronjob");
  CHECK(name_of(profile_bit::kCronJobLegacy) == "cronjob-legacy");
  CHECK(name_of(profile_bit::kVolcanoCronJob) == "volcano-cronjob");
  for (const ProfileInfo& profile : profiles()) CHECK(to_string(*volcano::profile_from(profile.name)) == profile.name);
  for (const ProfileInfo& profile : kube_job_profiles()) CHECK(kubejob::profile_from(profile.name));
  for (const ProfileInfo& profile : cronjob_profiles()) CHECK(cronjob::profile_from(profile.name));
  CHECK_FALSE(volcano::profile_from("job"));
}

TEST_CASE("a set switches one quirk at a time", "[quirks]") {
  using volcano::Quirk;
  using volcano::Quirks;
  const Quirks all = Quirks::of(volcano::Profile::Volcano);
  for (std::size_t i = 0; i < volcano::kQuirkCount; ++i) {
    const auto quirk = static_cast<Quirk>(i);
    CAPTURE(to_string(quirk));
    CHECK(volcano::quirk_from(to_string(quirk)) == quirk);
    Quirks one;
    one.set(quirk, true);
    CHECK(one.has(quirk));
    CHECK_FALSE(one == Quirks());
    CHECK(one.without(quirk) == Quirks());
    const Quirks rest = all.without(quirk);
    for (std::size_t j = 0; j < volcano::kQuirkCount; ++j)
      CHECK(rest.has(static_cast<Quirk>(j)) == (j != i && all.has(static_cast<Quirk>(j))));
  }
  CHECK_FALSE(volcano::quirk_from("no-such-quirk"));
}

TEST_CASE("profiles as their tables have them", "[quirks]") {
  for (std::size_t i = 0; i < kubejob::kQuirkCount; ++i) {
    const QuirkInfo& info = kubejob::quirk_table()[i];
    CHECK(kubejob::job_profile().has(static_cast<kubejob::Quirk>(i)) == ((info.profiles & profile_bit::kJob) != 0));
    CHECK(kubejob::job_1_27_profile().has(static_cast<kubejob::Quirk>(i)) ==
          ((info.profiles & profile_bit::kJob127) != 0));
  }
  for (std::size_t i = 0; i < cronjob::kQuirkCount; ++i) {
    const QuirkInfo& info = cronjob::quirk_table()[i];
    const auto quirk = static_cast<cronjob::Quirk>(i);
    using cronjob::Quirks;
    CHECK(Quirks::of(cronjob::Profile::V2).has(quirk) == ((info.profiles & profile_bit::kCronJob) != 0));
    CHECK(Quirks::of(cronjob::Profile::Legacy).has(quirk) == ((info.profiles & profile_bit::kCronJobLegacy) != 0));
    CHECK(Quirks::of(cronjob::Profile::Volcano).has(quirk) == ((info.profiles & profile_bit::kVolcanoCronJob) != 0));
  }
}

TEST_CASE("a wrong name is told with the one that is meant", "[quirks]") {
  const auto names = volcano::quirk_names();
  CHECK_FALSE(quirk_problem(names, "kill-clears-counts"));
  const auto near = quirk_problem(names, "kill-clear-counts");
  REQUIRE(near);
  CHECK(near->message == "there is no quirk `kill-clear-counts`");
  CHECK(near->hint == "did you mean `kill-clears-counts`?");
  CHECK(quirk_problem(names, "zzz")->hint.empty());
  CHECK_FALSE(profile_problem(profiles(), "volcano-classic"));
  CHECK(profile_problem(profiles(), "job")->message == "`job` is none of volcano, volcano-classic");
  CHECK(profile_problem(profiles(), "volcano-clasic")->hint == "did you mean `volcano-classic`?");
}

}  // namespace
}  // namespace pumice
