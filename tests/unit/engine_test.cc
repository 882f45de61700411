#include "pumice/engine.h"

#include <catch2/catch_test_macros.hpp>

#include <set>

#include "pumice/json.h"
#include "pumice/version.h"
#include "pumice/volcano/tables.h"
#include "pumice/volcano/transition.h"

namespace pumice {
namespace {

constexpr const char* kManifest = R"(apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata:
  name: train
spec:
  minAvailable: 2
  maxRetry: 50
  policies:
    - event: PodFailed
      action: RestartJob
  tasks:
    - name: w
      replicas: 2
      template: {spec: {restartPolicy: Never, containers: [{name: main, image: tool}]}}
)";

class Client {
 public:
  Json create(Json more = Json::object()) {
    more["text"] = kManifest;
    return Json::parse(engine.create(more.dump()));
  }
  Json run(std::int64_t session, const Json& events, Json more = Json::object()) {
    more["session"] = session;
    more["events"] = events;
    return Json::parse(engine.run(more.dump()));
  }
  Json seek(std::int64_t session, std::int64_t step, const std::string& explain = "full") {
    return Json::parse(engine.seek(Json{{"session", session}, {"step", step}, {"explain", explain}}.dump()));
  }

  Engine engine;
};

std::string code_of(const Json& answer) {
  REQUIRE(answer["type"] == "failure");
  return answer["diagnostics"].at(0)["code"];
}

TEST_CASE("version names release, zone data and the tables", "[engine]") {
  const Json answer = Json::parse(Engine().version());
  CHECK(answer["type"] == "success");
  CHECK(answer["pumice"] == version());
  CHECK(answer["tzdata"].get<std::string>().size() >= 5);
  CHECK(answer["profiles"] == Json{"volcano", "volcano-classic"});
  CHECK(answer["phases"].size() == 10);
  CHECK(answer["transitions"].size() == volcano::transition_table().size());
  CHECK(answer["events"].size() == volcano::event_table().size());
  CHECK(answer["actions"].size() == volcano::action_table().size());
}

/// The tables and the state machine must agree on which transitions exist (spec 7.6): every status that matters is
/// tried.
TEST_CASE("the table of transitions is the state machine's", "[engine][tables]") {
  using namespace volcano;
  std::set<std::pair<JobPhase, JobPhase>> found;
  JobSpec spec;
  spec.max_retry = 3;
  spec.min_available = 2;
  spec.tasks.resize(1);
  spec.tasks[0].name = "w";
  spec.tasks[0].replicas = 4;
  spec.tasks[0].min_available = 2;
  const SpecTotals totals = SpecTotals::of(spec);
  const auto try_all = [&](JobPhase phase, Action action) {
    for (int counts = 0; counts < 4 * 4 * 5 * 5 * 3 * 2; ++counts) {
      int rest = counts;
      const auto take = [&rest](int n) {
        const int value = rest % n;
        rest /= n;
        return value;
      };
      JobStatus status;
      status.phase = phase;
      status.min_available = spec.min_available;
      status.pending = take(4);
      status.running = take(4);
      status.succeeded = take(5);
      status.failed = take(5);
      status.terminating = take(3) * 2;
      status.retry_count = take(2) * 3;
      status.task_counts["w"][PodPhase::Succeeded] = status.succeeded;
      apply_status_function(plan(phase, action).function, spec, totals, status);
      if (!(status.phase == PhaseName(phase))) found.emplace(phase, status.phase.code);
    }
  };
  for (std::size_t phase = 0; phase < kJobPhaseCount - 1; ++phase) {
    for (std::size_t action = 0; action < kActionCount; ++action) {
      try_all(static_cast<JobPhase>(phase), static_cast<Action>(action));
    }
  }
  // A new job is written as Pending before the status function runs, so its first step is not found here, and what the
  // function does then is a step from Pending.
  found.erase({JobPhase::None, JobPhase::Running});
  found.emplace(JobPhase::None, JobPhase::Pending);
  std::set<std::pair<JobPhase, JobPhase>> listed;
  for (const TransitionInfo& transition : transition_table()) {
    CHECK(listed.emplace(transition.from, transition.to).second);
    CHECK(!transition.cause.empty());
  }
  CHECK(found == listed);
  for (const PhaseInfo& phase : phase_table()) CHECK(!phase.meaning.empty());
}

TEST_CASE("validate looks at any text", "[engine]") {
  Engine engine;
  const auto validate = [&](const std::string& text) {
    return Json::parse(engine.validate(Json{{"text", text}, {"file", "a.yaml"}}.dump()));
  };
  SECTION("a good one") {
    const Json answer = validate(kManifest);
    CHECK(answer["type"] == "success");
    REQUIRE(answer["documents"].size() == 1);
    CHECK(answer["documents"][0] == Json{{"apiVersion", "batch.volcano.sh/v1alpha1"},
                                         {"kind", "Job"},
                                         {"name", "train"},
                                         {"namespace", ""},
                                         {"line", 1},
                                         {"simulated", true}});
  }
  SECTION("another kind, and nothing to simulate") {
    const Json answer = validate("apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n");
    CHECK(answer["type"] == "success");
    CHECK(answer["documents"][0]["simulated"] == false);
    CHECK(answer["diagnostics"].size() == 2);
    CHECK(answer["diagnostics"][0]["code"] == "KindNotSimulated");
    CHECK(answer["diagnostics"][0]["line"] == 2);
  }
  SECTION("no YAML") {
    const Json answer = validate("a: [1, 2");
    CHECK(answer["type"] == "success");
    CHECK(answer["documents"].empty());
    CHECK(answer["diagnostics"][0]["severity"] == "error");
    CHECK(answer["diagnostics"][0]["file"] == "a.yaml");
  }
  SECTION("nothing") { CHECK(validate("")["type"] == "success"); }
}

TEST_CASE("create makes the jobs, run carries out events", "[engine]") {
  Client client;
  const Json created = client.create();
  REQUIRE(created["type"] == "success");
  const std::int64_t session = created["session"];
  REQUIRE(created["steps"].size() == 1);
  CHECK(created["steps"][0]["index"] == 1);
  CHECK(created["view"]["jobs"][0]["phase"] == "Pending");

  const Json ran =
      client.run(session, {{{"until", "Running"}}, {{"pod", "w-0"}, {"phase", "Failed"}, {"exitCode", 3}}});
  REQUIRE(ran["type"] == "success");
  CHECK(ran["total"] == 1 + static_cast<int>(ran["steps"].size()));
  const Json& job = ran["view"]["jobs"][0];
  CHECK(job["phase"] == "Restarting");
  CHECK(job["retryCount"] == 1);
  CHECK(job["possible"] == Json{"Pending", "Failed"});
  const Json& step = ran["steps"].back();
  REQUIRE(step["fired"].is_number());
  const Json& fired = step["record"];
  CHECK(fired["decision"]["rule"] == "spec.policies[0]");
  CHECK(fired["decision"]["action"] == "RestartJob");
  CHECK(fired["considered"][0]["outcome"] == "matched");
  CHECK(fired["considered"][0]["line"] == 9);
  CHECK(fired["sentence"].get<std::string>().starts_with("w-0 failed with exit code 3 → "));
  CHECK(step["changes"][0]["phase"] == Json{{"from", "Running"}, {"to", "Restarting"}});
}

TEST_CASE("events come as lines, too", "[engine]") {
  Client client;
  const std::int64_t session = client.create()["session"];
  CHECK(client.run(session, {"until Running", "command AbortJob"})["view"]["jobs"][0]["phase"] == "Aborting");
}

TEST_CASE("an unreadable event fails the call and runs nothing", "[engine]") {
  Client client;
  const std::int64_t session = client.create()["session"];
  const Json answer = client.run(session, {"until Running", Json{{"pod", "w-0"}, {"phase", "Broken"}}, 7});
  REQUIRE(answer["type"] == "failure");
  REQUIRE(answer["diagnostics"].size() == 2);
  CHECK(answer["diagnostics"][0]["field"] == "events[1].phase");
  CHECK(answer["diagnostics"][1]["field"] == "events[2]");
  CHECK(client.run(session, Json::array())["total"] == 1);
}

TEST_CASE("a refused event is a step that says why", "[engine]") {
  Client client;
  const std::int64_t session = client.create()["session"];
  const Json answer = client.run(session, {"pod nobody-0 Running"});
  REQUIRE(answer["type"] == "success");
  CHECK(answer["steps"][0]["refused"].get<std::string>().find("nobody-0") != std::string::npos);
  CHECK(answer["total"] == 2);
}

/// Everything that a run of some hundred steps can hold: things that happen by themselves, events, refusals, the
/// clock.
Json long_run(Client& client, std::int64_t session) {
  Json events = Json::array();
  for (int i = 0; i < 40; ++i) {
    events.push_back("until Running");
    events.push_back("pod w-0 Failed exit=1");
    events.push_back("pod nobody Failed");
    events.push_back("advance 1s");
    events.push_back("advance nextTimer");
  }
  return client.run(session, events);
}

TEST_CASE("seek shows each step as it was", "[engine]") {
  Client live;
  const std::int64_t session = live.create()["session"];
  const Json ran = long_run(live, session);
  REQUIRE(ran["type"] == "success");
  const std::int64_t total = ran["total"];
  REQUIRE(total > 200);

  // Views as they were, one event at a time, in a session of its own.
  Client witness;
  const std::int64_t other = witness.create()["session"];
  std::map<std::int64_t, Json> views;
  for (int i = 0; i < 40; ++i) {
    for (const char* event :
         {"until Running", "pod w-0 Failed exit=1", "pod nobody Failed", "advance 1s", "advance nextTimer"}) {
      const Json one = witness.run(other, {event});
      views[one["total"]] = one["view"];
    }
  }
  // Backwards, forwards and across checkpoints.
  for (const std::int64_t step : {total, total - 1, std::int64_t{200}, std::int64_t{65}, std::int64_t{64},
                                  std::int64_t{63}, std::int64_t{128}, std::int64_t{1}, total - 2}) {
    INFO(step);
    const Json moment = live.seek(session, step);
    REQUIRE(moment["type"] == "success");
    if (views.contains(step)) CHECK(moment["view"] == views[step]);
    const std::string text = moment["text"];
    CHECK(text.find(std::to_string(step) + "  +") != std::string::npos);
  }
  for (const auto& [step, view] : views) CHECK(live.seek(session, step)["view"] == view);
  CHECK(live.seek(session, total)["view"] == ran["view"]);
}

TEST_CASE("records come when they are asked for", "[engine]") {
  Client client;
  const std::int64_t session = client.create()["session"];
  const Json step = client.run(session, {"until Running", "pod w-0 Failed exit=1"})["steps"].back();
  const auto records = [&](Json more) {
    if (!more.contains("session")) more["session"] = session;
    if (!more.contains("step")) more["step"] = step["index"];
    return Json::parse(client.engine.records(more.dump()));
  };
  CHECK_FALSE(step.contains("records"));
  CHECK(step["moves"] == Json{{{"job", "default/train"}, {"from", "Running"}, {"to", "Restarting"}}});
  const std::int64_t total = step["recordsTotal"];
  REQUIRE(total > 2);

  const Json rows = records(Json::object())["records"];
  const Json details = records({{"detail", true}})["records"];
  REQUIRE(rows.size() == static_cast<std::size_t>(total));
  REQUIRE(details.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(rows[i] == Json{{"kind", details[i]["kind"]}, {"sentence", details[i]["sentence"]}});
  }
  CHECK(details[step["fired"].get<std::size_t>()] == step["record"]);
  CHECK(records({{"from", 1}, {"count", 1}, {"detail", true}})["records"] == Json::array({details[1]}));
  CHECK(records({{"from", total}})["records"].empty());
  CHECK(records({{"from", 1'000'000'000'000}, {"count", 1'000'000'000'000}})["records"].empty());

  // A step of the past has the records that it had.
  client.run(session, {"until Running"});
  CHECK(records({{"detail", true}})["records"] == details);

  CHECK(code_of(records({{"from", -1}})) == "InvalidInput");
  CHECK(code_of(records({{"detail", 1}})) == "InvalidInput");
  CHECK(code_of(records({{"step", 0}})) == "InvalidInput");
  CHECK(code_of(records({{"session", session + 1}})) == "UnknownSession");
}

TEST_CASE("the lines of an explanation join to its text", "[engine]") {
  Client client;
  const std::int64_t session = client.create()["session"];
  client.run(session, {"until Running", "pod w-0 Failed exit=1"});
  for (const char* level : {"off", "short", "fails", "full"}) {
    const Json moment = client.seek(session, 4, level);
    std::string joined;
    for (const Json& line : moment["lines"]) {
      for (const Json& span : line) joined += span["text"].get<std::string>();
      joined += "\n";
    }
    CHECK(joined == moment["text"]);
  }
  const Json before = client.seek(session, 0);
  CHECK(before["text"] == "");
  CHECK(before["view"]["jobs"].empty());
}

TEST_CASE("going back drops what came after, and the same events give the same bytes", "[engine]") {
  Client client;
  const std::int64_t session = client.create()["session"];
  const Json first = long_run(client, session);
  const Json events{"pod w-1 Failed exit=2", "until Running"};
  const Json once = client.run(session, events, {{"from", 4}});
  REQUIRE(once["type"] == "success");
  const Json twice = client.run(session, events, {{"from", 4}});
  CHECK(once == twice);
  CHECK(once["total"] < first["total"]);
  CHECK(client.seek(session, 4)["type"] == "success");
  CHECK(code_of(client.seek(session, once["total"].get<std::int64_t>() + 1)) == "InvalidInput");
  // Two sessions, two engines: the same answers.
  Client other;
  const std::int64_t same = other.create()["session"];
  CHECK(long_run(other, same) == first);
}

TEST_CASE("options of a session", "[engine]") {
  Client client;
  const Json created = client.create({{"automation", "manual"},
                                      {"start", "2030-01-01T00:00:00Z"},
                                      {"timings", {{"run", "1m"}}},
                                      {"profile", "volcano"},
                                      {"file", "job.yaml"}});
  REQUIRE(created["type"] == "success");
  CHECK(created["view"]["automation"] == "manual");
  CHECK(created["view"]["now"] == "2030-01-01T00:00:00Z");
  CHECK(created["view"]["upcoming"].empty());
  const Json wrong = client.create(
      {{"automation", "full"}, {"start", "soon"}, {"timings", {{"run", "-1s"}, {"admit", 3}}}, {"profile", "x"}});
  REQUIRE(wrong["type"] == "failure");
  std::set<std::string> fields;
  for (const Json& finding : wrong["diagnostics"]) fields.insert(finding["field"].get<std::string>());
  CHECK(fields == std::set<std::string>{"automation", "start", "timings.run", "timings.admit", "profile"});
}

TEST_CASE("anything may come over the border", "[engine]") {
  Engine engine;
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  for (const std::string& input :
       {std::string(), std::string("{"), std::string("[]"), std::string("null"), std::string("7"),
        std::string(R"({"text":7})"), std::string(R"({"session":"x","step":1.5,"events":{}})"),
        std::string(R"({"session":1e300,"step":-1})"), std::string("\xff\xfe"), deep}) {
    for (const std::string& answer :
         {engine.validate(input), engine.create(input), engine.run(input), engine.seek(input), engine.dispose(input)}) {
      CHECK(Json::parse(answer)["type"] == "failure");
    }
  }
  CHECK(code_of(Json::parse(engine.run(R"({"session":9,"events":[]})"))) == "UnknownSession");
  CHECK(code_of(Json::parse(engine.seek(R"({"session":9,"step":0})"))) == "UnknownSession");
  CHECK(code_of(Json::parse(engine.create(deep))) == "LimitExceeded");
}

TEST_CASE("sessions are limited, and disposing of one twice is no error", "[engine]") {
  Client client;
  std::vector<std::int64_t> sessions;
  for (int i = 0; i < 32; ++i) sessions.push_back(client.create()["session"]);
  CHECK(code_of(client.create()) == "LimitExceeded");
  const std::string dispose = Json{{"session", sessions.front()}}.dump();
  CHECK(Json::parse(client.engine.dispose(dispose))["type"] == "success");
  CHECK(Json::parse(client.engine.dispose(dispose))["type"] == "success");
  CHECK(client.create()["type"] == "success");
}

}  // namespace
}  // namespace pumice
