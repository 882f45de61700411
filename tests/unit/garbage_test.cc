// The collector of finished jobs (pumice/garbage/collector.h, rules 1 - 5; capability vc.ttl).
#include <catch2/catch_test_macros.hpp>

#include "pumice/garbage/collector.h"

namespace pumice::garbage {
namespace {

using Names = std::vector<std::string>;
constexpr Time kNow{1'772'442'000'000'000'000};

JobPtr job_in(const std::string& phase, std::optional<std::int32_t> ttl, std::optional<Time> ended = kNow,
              const std::string& uid = "u1") {
  Job job;
  job.meta.ns = "default";
  job.meta.name = "j";
  job.meta.uid = uid;
  job.status.phase = volcano::PhaseName(std::string_view(phase));
  job.status.last_transition = ended;
  JobSpec spec;
  spec.ttl_seconds_after_finished = ttl;
  job.spec = std::make_shared<const JobSpec>(std::move(spec));
  return std::make_shared<const Job>(std::move(job));
}

struct Api final : Server {
  const Reply* answer(const Effect& effect) override {
    if (silent) return nullptr;
    if (const auto* remove = std::get_if<DeleteJob>(&effect)) {
      asked.push_back("delete " + remove->name + " " + remove->uid);
      reply = {delete_code};
    } else {
      asked.emplace_back("read");
      reply = stored ? Reply{read_code, stored} : Reply{ResultCode::NotFound};
    }
    return &reply;
  }
  JobPtr stored;
  ResultCode read_code = ResultCode::Ok;
  ResultCode delete_code = ResultCode::Ok;
  bool silent = false;
  Names asked;
  Reply reply;
};

Record look(Collector& collector, Api& api, Time now) {
  std::vector<Record> records;
  collector.advance(now);
  REQUIRE(collector.has_work());
  REQUIRE(collector.work(now, api, records));
  REQUIRE(records.size() == 1);
  return records.front();
}

TEST_CASE("which jobs are queued", "[ttl]") {
  struct Case {
    const char* phase;
    std::optional<std::int32_t> ttl;
    bool deleting;
    bool queued;
  };
  const Case cases[] = {
      {"Completed", 10, false, true},  {"Failed", 10, false, true},    {"Terminated", 0, false, true},
      {"Aborted", 10, false, false},   {"Running", 10, false, false},  {"Completing", 10, false, false},
      {"Completed", {}, false, false}, {"Completed", 10, true, false}, {"", 10, false, false},
  };
  for (const Case& c : cases) {
    INFO(c.phase);
    Job job = *job_in(c.phase, c.ttl);
    if (c.deleting) job.meta.deletion = kNow;
    const auto shared = std::make_shared<const Job>(job);
    Collector added, updated, deleted;
    added.observe(volcano::JobAdded{shared});
    updated.observe(volcano::JobUpdated{shared, shared});
    deleted.observe(volcano::JobDeleted{shared});
    CHECK(added.has_work() == c.queued);
    CHECK(updated.has_work() == c.queued);
    CHECK(!deleted.has_work());
  }
}

TEST_CASE("the time of a finished job", "[ttl]") {
  Collector collector;
  Api api;
  api.stored = job_in("Completed", 60);
  collector.observe(volcano::JobAdded{api.stored});
  const Record early = look(collector, api, kNow + seconds(1));
  CHECK(early.outcome == Outcome::TooEarly);
  CHECK(early.expires == kNow + seconds(60));
  CHECK(api.asked.empty());  // the cache says that it is early: the server is not asked
  CHECK(collector.next_deadline() == kNow + seconds(60));
  CHECK(!collector.has_work());
  const Record due = look(collector, api, kNow + seconds(60));
  CHECK(due.outcome == Outcome::Deleted);
  CHECK(due.read_again);
  CHECK(api.asked == Names{"read", "delete j u1"});
  CHECK(!collector.next_deadline());
}

TEST_CASE("a TTL of 0 is over at once, and fractions of a second do not count", "[ttl]") {
  Collector collector;
  Api api;
  api.stored = job_in("Failed", 0, kNow + Duration{900'000'000});
  collector.observe(volcano::JobAdded{api.stored});
  CHECK(look(collector, api, kNow + Duration{900'000'000}).outcome == Outcome::Deleted);
}

TEST_CASE("the server knows better than the cache", "[ttl]") {
  Collector collector;
  Api api;
  const JobPtr cached = job_in("Completed", 10);
  collector.observe(volcano::JobAdded{cached});
  const Time due = kNow + seconds(10);
  SECTION("the TTL was raised") {
    api.stored = job_in("Completed", 100);
    const Record record = look(collector, api, due);
    CHECK(record.outcome == Outcome::TooEarly);
    CHECK(collector.next_deadline() == kNow + seconds(100));
    CHECK(api.asked == Names{"read"});
  }
  SECTION("the TTL was taken away") {
    api.stored = job_in("Completed", {});
    CHECK(look(collector, api, due).outcome == Outcome::NoNeed);
    CHECK(!collector.next_deadline());
  }
  SECTION("it runs again") {
    api.stored = job_in("Running", 10);
    CHECK(look(collector, api, due).outcome == Outcome::NoNeed);
  }
  SECTION("it is gone") { CHECK(look(collector, api, due).outcome == Outcome::GoneMeanwhile); }
  SECTION("another one of its name has expired, too: that one's uid is the precondition") {
    api.stored = job_in("Completed", 1, kNow, "u2");
    CHECK(look(collector, api, due).outcome == Outcome::Deleted);
    CHECK(api.asked == Names{"read", "delete j u2"});
  }
}

TEST_CASE("a TTL that is edited", "[ttl]") {
  Collector collector;
  Api api;
  api.stored = job_in("Completed", 60);
  collector.observe(volcano::JobAdded{api.stored});
  (void)look(collector, api, kNow);
  SECTION("lowered: it counts at once") {
    const JobPtr before = api.stored;
    api.stored = job_in("Completed", 5);
    collector.observe(volcano::JobUpdated{before, api.stored});
    CHECK(look(collector, api, kNow + seconds(2)).outcome == Outcome::TooEarly);
    CHECK(collector.next_deadline() == kNow + seconds(5));
  }
  SECTION("raised: the old wake-up finds it too early and waits again") {
    const JobPtr before = api.stored;
    api.stored = job_in("Completed", 90);
    collector.observe(volcano::JobUpdated{before, api.stored});
    CHECK(look(collector, api, kNow + seconds(2)).outcome == Outcome::TooEarly);
    CHECK(collector.next_deadline() == kNow + seconds(60));
    CHECK(look(collector, api, kNow + seconds(60)).outcome == Outcome::TooEarly);
    CHECK(collector.next_deadline() == kNow + seconds(90));
  }
  SECTION("set on a job that has long been finished: due at once") {
    Collector late;
    const JobPtr before = job_in("Completed", {});
    late.observe(volcano::JobAdded{before});
    CHECK(!late.has_work());
    late.observe(volcano::JobUpdated{before, api.stored});
    CHECK(look(late, api, kNow + seconds(3600)).outcome == Outcome::Deleted);
  }
  SECTION("the job is deleted by somebody else before") {
    collector.observe(volcano::JobDeleted{api.stored});
    CHECK(look(collector, api, kNow + seconds(60)).outcome == Outcome::NotCached);
  }
}

TEST_CASE("errors of the collector come back", "[ttl]") {
  Collector collector;
  Api api;
  SECTION("no time of finish: for ever") {
    api.stored = job_in("Completed", 1, std::nullopt);
    collector.observe(volcano::JobAdded{api.stored});
    Time now = kNow;
    Duration last{};
    for (int i = 0; i < 30; ++i) {
      const Record record = look(collector, api, now);
      CHECK(record.error == "unable to find the time when the Job default/j finished");
      CHECK(*record.retry_at - now >= last);
      last = *record.retry_at - now;
      now = *record.retry_at;
    }
    CHECK(last == seconds(1000));
  }
  SECTION("the read or the deletion fails") {
    api.stored = job_in("Completed", 0);
    collector.observe(volcano::JobAdded{api.stored});
    api.read_code = ResultCode::Timeout;
    CHECK(look(collector, api, kNow).retry_at == kNow + Duration{5'000'000});
    api.read_code = ResultCode::Ok;
    api.delete_code = ResultCode::Conflict;
    const Time next = kNow + Duration{5'000'000};
    CHECK(look(collector, api, next).retry_at == next + Duration{10'000'000});
    api.delete_code = ResultCode::Ok;
    CHECK(look(collector, api, kNow + seconds(1)).outcome == Outcome::Deleted);
  }
  SECTION("a finish in the future only takes longer") {
    api.stored = job_in("Completed", 10, kNow + seconds(30));
    collector.observe(volcano::JobAdded{api.stored});
    const Record record = look(collector, api, kNow);
    CHECK(record.in_future);
    CHECK(record.expires == kNow + seconds(40));
  }
}

TEST_CASE("an answer that is not there: the look is taken again", "[ttl]") {
  Collector collector;
  Api api;
  api.stored = job_in("Completed", 0);
  collector.observe(volcano::JobAdded{api.stored});
  api.silent = true;
  std::vector<Record> records;
  CHECK(!collector.work(kNow, api, records));
  CHECK(records.empty());
  CHECK(collector.has_work());
  api.silent = false;
  CHECK(collector.work(kNow, api, records));
  CHECK(records.at(0).outcome == Outcome::Deleted);
}

TEST_CASE("the collector in words", "[ttl]") {
  Record record;
  record.key = "default/j";
  record.phase = "Completed";
  record.ttl_seconds = 60;
  record.finished = kNow + seconds(14);
  record.expires = kNow + seconds(74);
  record.outcome = Outcome::TooEarly;
  CHECK(clause(record, kNow, false) == "job j is Completed and kept for 1m0s (ttlSecondsAfterFinished), until +1m14s");
  record.outcome = Outcome::Deleted;
  CHECK(clause(record, kNow, true) ==
        "job default/j is Completed since +14s, and the 1m0s for which it is kept (ttlSecondsAfterFinished) are over: "
        "it is deleted, what it owns first");
}

}  // namespace
}  // namespace pumice::garbage
