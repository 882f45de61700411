// The worked traces of spec/volcano-job.md, appendix B, row by row, and what the phases must be along the way.
#include <catch2/catch_test_macros.hpp>

#include "../support/world.h"

using namespace pumice;
using namespace pumice::test;
using Phases = std::vector<std::string>;

TEST_CASE("B1: abort and resume by command") {
  World world(one_task(2));
  world.play("until Running");
  CHECK(world.status().running == 2);
  CHECK(world.status().version == 0);

  world.play("command AbortJob");
  // The command's own kill, then one for each pod's notices and one for the phase change.
  CHECK(world.phase() == "Aborting");
  CHECK(world.status().version == 4);
  CHECK(world.status().terminating == 2);
  CHECK(world.simulation.cluster().pod_groups().empty());

  SECTION("pods gone one after the other") {
    world.play("pod w-0 gone");
    CHECK(world.phase() == "Aborting");
    CHECK(world.status().version == 5);
    CHECK(world.status().terminating == 1);
    world.play("pod w-1 gone");
    CHECK(world.phase() == "Aborted");
    CHECK(world.status().version == 7);  // 6 by the last pod, 7 by the phase change
    CHECK(world.status().terminating == 0);

    world.play("command ResumeJob");
    CHECK(world.status().retry_count == 1);
    CHECK(world.status().version == 8);
    CHECK(world.phase() == "Pending");
    world.play("podgroup Inqueue");
    CHECK(world.phase() == "Pending");
    CHECK(world.status().pending == 2);
    CHECK(world.pod("j-w-0")->job_version == "8");
    CHECK(world.phases() == Phases{"Pending", "Running", "Aborting", "Aborted", "Restarting", "Pending"});
  }
}

TEST_CASE("B2: RestartJob until the retries are used up") {
  World world(one_task(2, "maxRetry: 3, policies: [{event: PodFailed, action: RestartJob}]"));
  world.play("until Running");
  for (int round = 1; round <= 2; ++round) {
    world.play("pod w-0 Failed exit=1");
    CHECK(world.phase() == "Restarting");
    CHECK(world.status().version == round);
    CHECK(world.status().retry_count == round);
    CHECK(world.status().terminating == 2);
    world.play("until Pending");
    world.play("until Running");
    CHECK(world.status().version == round);
  }
  world.play("pod w-0 Failed exit=1");
  // The last restart keeps the failed pod, deletes the running one, and the next sync finds the retries used up.
  CHECK(world.phase() == "Failed");
  CHECK(world.status().retry_count == 3);
  REQUIRE(world.pod("j-w-0"));
  CHECK(world.pod("j-w-0")->phase == PodPhase::Failed);
  CHECK_FALSE(world.pod("j-w-0")->deletion);
  CHECK(world.pod("j-w-1")->deletion);
  CHECK(world.status().terminating == 1);
  world.play("until settled");
  CHECK(world.status().terminating == 0);
  CHECK(world.phase() == "Failed");
}

TEST_CASE("B3: RestartPod") {
  World world(one_task(2, "maxRetry: 3, policies: [{event: PodFailed, action: RestartPod}]"));
  world.play("until Running");
  const std::string group = world.simulation.cluster().pod_groups().begin()->first;
  world.play("pod w-0 Failed exit=1");
  CHECK(world.phase() == "Restarting");
  CHECK(world.status().version == 0);
  CHECK(world.status().retry_count == 1);
  CHECK(world.status().running == 1);
  CHECK(world.status().terminating == 1);
  REQUIRE(world.simulation.cluster().pod_groups().size() == 1);
  CHECK(world.simulation.cluster().pod_groups().begin()->first == group);

  world.play("pod w-0 gone");
  CHECK(world.phase() == "Pending");
  CHECK(world.status().pending == 1);
  CHECK(world.status().running == 1);
  world.play("until Running");

  world.play("pod w-0 Failed exit=1");
  world.play("until Running");
  CHECK(world.status().retry_count == 2);
  world.play("pod w-0 Failed exit=1");
  CHECK(world.phase() == "Failed");
  CHECK(world.status().retry_count == 3);
  CHECK(world.status().version > 0);  // the finished state kills the other pod, as a whole-job kill
}

TEST_CASE("B5: minSuccess") {
  World world(one_task(2, "minSuccess: 1"));
  world.play("until Running");
  world.play("pod w-0 Succeeded");
  CHECK(world.phase() == "Completed");
  // The phase change kills pod 1 (1), the notices of its marking and deletion are one more request (2).
  CHECK(world.status().version == 2);
  CHECK(world.status().succeeded == 0);
  CHECK(world.status().terminating == 1);
  world.play("until settled");
  CHECK(world.status().terminating == 0);
  CHECK(world.pod("j-w-0"));
  CHECK_FALSE(world.pod("j-w-1"));
}

TEST_CASE("an evicted pod restarts the job once") {
  World world(one_task(6, "minAvailable: 3, maxRetry: 5, policies: [{event: PodEvicted, action: RestartJob}]"));
  world.play("until Running");
  world.play("pod w-0 evicted");
  CHECK(world.phase() == "Running");  // deletion has only begun
  world.play("until Restarting");
  world.play("until Running");
  world.play("until settled");
  CHECK(world.status().retry_count == 1);
  CHECK(world.status().version == 1);
  CHECK(world.status().running == 6);
  CHECK(world.phases() == Phases{"Pending", "Running", "Restarting", "Pending", "Running"});
}
