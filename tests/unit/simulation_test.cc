// Events, names and time in a whole simulation.
#include <catch2/catch_test_macros.hpp>

#include <string>

#include "pumice/simulation/report.h"
#include "support/world.h"

namespace pumice {
namespace {

using test::one_task;
using test::World;

TEST_CASE("the clock is not moved behind the end of time", "[simulation][time]") {
  World world(one_task(1, "policies: [{event: PodFailed, action: RestartJob, timeout: 2562047h}]"));
  world.play_all({"until Running", "pod w-0 Failed"});
  const Time before = world.simulation.now();
  constexpr const char* kEnd = " the end of time that can be simulated, 2262-04-11T23:47:16Z";
  for (const auto& [line, refused] : {std::pair("advance 2562047h", "2562047h0m0s from now lies behind"),
                                      {"@2562047h advance 1s", "@2562047h0m0s lies behind"},
                                      {"advance next", "what comes next lies behind"},
                                      {"advance nextTimer", "the next delayed action is due behind"},
                                      {"until change", "what comes next lies behind"}}) {
    INFO(line);
    world.play(line);
    CHECK(world.last().refused == std::string(refused) + kEnd);
    CHECK(world.simulation.now() == before);
  }
  world.play("until settled");
  CHECK(world.last().refused.empty());
  CHECK(world.simulation.now() == before);
  CHECK(world.simulation.waiting().front().code == "EndOfTime");

  world.play("advance 2000000h");
  CHECK(world.last().refused.empty());
  CHECK(to_rfc3339(world.simulation.now()) == "2254-04-29T17:00:03Z");
}

TEST_CASE("a start in the far past leaves 292 years", "[simulation][time]") {
  SimulationOptions options;
  options.start = *parse_rfc3339("1700-01-01T00:00:00Z");
  World world(one_task(1), options);
  world.play_all({"advance 2500000h", "advance 2500000h"});
  CHECK(world.last().refused ==
        "2500000h0m0s from now lies behind the end of time that can be simulated, 1992-04-11T23:47:16Z");
}

TEST_CASE("a command nobody knows says what may be meant", "[simulation]") {
  World world(one_task(1));
  world.play_all({"until Running", "command restartjob"});
  CHECK(sentence(world.simulation, world.last()) ==
        "Nothing happened: command `restartjob` → that is no known action (did you mean `RestartJob`?), so the phase's "
        "default happens: the job stays Running, the only pod has not ended.");
}

}  // namespace
}  // namespace pumice
