// Rounds of a JobFlow: spec/volcano-jobflow.md 2, 4, 5 and 7.
#include <catch2/catch_test_macros.hpp>

#include "support/jobflow_scene.h"

namespace pumice::jobflow {
namespace {

using test::created;
using test::flow_of;
using test::FlowScene;
using test::job_of_step;
using test::kFlowTime;
using test::template_of;
using Names = std::vector<std::string>;

TEST_CASE("names and marks of a created job", "[jobflow]") {
  JobTemplate made = template_of("a");
  made.meta.labels = {{"own", "label"}};
  const Job job = job_of(flow_of("f", {{"a"}}), {"a", {}, {}, {}}, made);
  CHECK(job.key() == "default/f-a");
  CHECK(job.meta.labels == StringMap{{kByTemplate, "default.a"}, {kByFlow, "default.f"}});
  CHECK(job.meta.annotations == job.meta.labels);
  REQUIRE(job.meta.owners.size() == 1);
  CHECK(job.meta.owners.front() == OwnerReference{"flow.volcano.sh/v1alpha1", "JobFlow", "f", "uid-f", true});
  CHECK(job.spec == made.spec);
}

TEST_CASE("what is deployed", "[jobflow]") {
  struct Case {
    const char* name;
    std::vector<test::StepWords> steps;
    std::vector<std::pair<std::string, std::string>> jobs;  ///< step, phase
    Names creates;
  };
  const Case cases[] = {
      {"no dependsOn: at once", {{"a"}, {"b"}}, {}, {"f-a", "f-b"}},
      {"an empty list of targets counts as satisfied", {{"a", Names{}}}, {}, {"f-a"}},
      {"the job exists: nothing, whatever its phase", {{"a"}}, {{"a", "Failed"}}, {}},
      {"the target does not exist yet", {{"a"}, {"b", Names{"a"}}}, {}, {"f-a"}},
      {"the target runs", {{"a"}, {"b", Names{"a"}}}, {{"a", "Running"}}, {}},
      {"Completing is not Completed", {{"a"}, {"b", Names{"a"}}}, {{"a", "Completing"}}, {}},
      {"the target is Completed", {{"a"}, {"b", Names{"a"}}}, {{"a", "Completed"}}, {"f-b"}},
      {"every target must be", {{"a"}, {"b"}, {"c", Names{"a", "b"}}}, {{"a", "Completed"}, {"b", "Running"}}, {}},
      {"several in one round", {{"a"}, {"b", Names{"a"}}, {"c", Names{"a"}}}, {{"a", "Completed"}}, {"f-b", "f-c"}},
      {"a target that is no step", {{"a", Names{"x"}}}, {}, {}},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    FlowScene scene;
    scene.put_templates({"a", "b", "c"});
    const JobFlow flow = flow_of("f", c.steps);
    for (const auto& [step, phase] : c.jobs) scene.put(job_of_step(flow, step, phase));
    const FlowOutput output = scene.sync(flow);
    CHECK(created(output) == c.creates);
    CHECK(output.error.empty());
    CHECK(output.verdict == Verdict::Synced);
  }
}

TEST_CASE("events and errors of creation", "[jobflow]") {
  const JobFlow flow = flow_of("f", {{"a"}, {"b"}});
  SECTION("each creation has its event") {
    FlowScene scene;
    scene.put_templates({"a", "b"});
    const FlowOutput output = scene.sync(flow);
    Names events;
    for (const Effect& effect : output.effects)
      if (const auto* event = std::get_if<EmitEvent>(&effect)) events.push_back(event->reason + " " + event->message);
    CHECK(events == Names{"Created create a job named f-a!", "Created create a job named f-b!"});
  }
  SECTION("already there: success without an event") {
    FlowScene scene;
    scene.put_templates({"a", "b"});
    scene.failing = "CreateJob";
    scene.failure = {ResultCode::AlreadyExists};
    const FlowOutput output = scene.sync(flow);
    CHECK(output.error.empty());
    CHECK(output.steps[1].state == StepState::CreatedFirst);
    CHECK(scene.asked == Names{"CreateJob", "CreateJob", "WriteFlowStatus"});
  }
  SECTION("another error ends the round: later steps are not looked at, the status stays") {
    FlowScene scene;
    scene.put_templates({"a", "b"});
    scene.failing = "CreateJob";
    const FlowOutput output = scene.sync(flow);
    CHECK(output.error == "it broke");
    CHECK(scene.asked == Names{"CreateJob"});
    CHECK(output.steps[0].state == StepState::Blocked);
    CHECK(output.steps[1].state == StepState::NotReached);
  }
  SECTION("a missing template") {
    FlowScene scene;
    scene.put_templates({"b"});
    const FlowOutput output = scene.sync(flow);
    CHECK(output.error == "jobtemplate.flow.volcano.sh \"a\" not found");
    CHECK(scene.asked.empty());
  }
  SECTION("a write that fails is an error of the round") {
    FlowScene scene;
    scene.put_templates({"a", "b"});
    scene.failing = "WriteFlowStatus";
    scene.failure = {ResultCode::NotFound};
    CHECK(scene.sync(flow).error == "jobflows.flow.volcano.sh \"f\" not found");
  }
  SECTION("a mark that is too long for a label cannot be listed by") {
    FlowScene scene;
    const FlowOutput output = scene.sync(flow_of(std::string(56, 'f'), {}));
    CHECK(output.verdict == Verdict::Failed);
    CHECK(output.error.find("must be no more than 63 bytes") != std::string::npos);
    CHECK(scene.sync(flow_of(std::string(55, 'f'), {})).error.empty());
  }
}

TEST_CASE("an answer that is not there stops the round, and it goes on the same way", "[jobflow]") {
  FlowScene scene;
  scene.put_templates({"a"});
  const JobFlow flow = flow_of("f", {{"a"}});
  scene.silent = true;
  const FlowOutput stopped = scene.sync(flow);
  CHECK(stopped.waiting);
  CHECK(stopped.effects.size() == 1);
  scene.silent = false;
  const FlowOutput through = scene.sync(flow);
  CHECK(!through.waiting);
  CHECK(created(through) == Names{"f-a"});
}

TEST_CASE("which list a job's phase puts it into", "[jobflow]") {
  struct Case {
    const char* phase;
    std::vector<std::string> FlowStatus::* list;
  };
  const Case cases[] = {
      {"Pending", &FlowStatus::pending},
      {"Running", &FlowStatus::running},
      {"Completed", &FlowStatus::completed},
      {"Failed", &FlowStatus::failed},
      {"Terminated", &FlowStatus::terminated},
      {"Completing", nullptr},
      {"Terminating", nullptr},
      {"", &FlowStatus::unknown},
      {"Aborting", &FlowStatus::unknown},
      {"Aborted", &FlowStatus::unknown},
      {"Restarting", &FlowStatus::unknown},
      {"Whatever", &FlowStatus::unknown},
  };
  const JobFlow flow = flow_of("f", {{"a"}});
  for (const Case& c : cases) {
    INFO(c.phase);
    const FlowStatus status = status_of({}, {job_of_step(flow, "a", c.phase)}, kFlowTime);
    for (auto list : {&FlowStatus::pending, &FlowStatus::running, &FlowStatus::completed, &FlowStatus::failed,
                      &FlowStatus::terminated, &FlowStatus::unknown})
      CHECK((status.*list) == (list == c.list ? Names{"f-a"} : Names{}));
    CHECK(status.conditions.at("f-a").phase == c.phase);
    REQUIRE(status.jobs.size() == 1);
    CHECK(status.jobs.front().state == c.phase);
    const bool is_new = std::string_view(c.phase).empty();
    REQUIRE(status.jobs.front().histories);
    CHECK(status.jobs.front().histories->size() == (is_new ? 0U : 1U));
  }
}

TEST_CASE("times, restarts and histories of jobs", "[jobflow]") {
  const JobFlow flow = flow_of("f", {{"a"}, {"b"}});
  Job a = *job_of_step(flow, "a", "Completed");
  a.status.retry_count = 1;
  a.status.running_duration = seconds(1);
  const Time now = kFlowTime + seconds(5);
  const FlowStatus first = status_of({}, {std::make_shared<const Job>(a), job_of_step(flow, "b", "Running")}, now);
  CHECK(first.completed == Names{"f-a"});
  CHECK(first.running == Names{"f-b"});
  CHECK(first.phase.empty());
  CHECK(first.jobs[0].end == kFlowTime + seconds(1));
  CHECK(first.jobs[0].restarts == 1);
  CHECK(!first.jobs[1].end);
  CHECK(*first.jobs[1].histories == std::vector<History>{{now, {}, "Running"}});

  const Time later = now + seconds(7);
  SECTION("the same state leaves the history as it is") {
    const FlowStatus again = status_of(first, {job_of_step(flow, "b", "Running")}, later);
    CHECK(*again.jobs[1].histories == *first.jobs[1].histories);
    // The entry of a job that has vanished remains, its condition does not.
    CHECK(again.jobs[0] == first.jobs[0]);
    CHECK(again.conditions.size() == 1);
  }
  SECTION("another state closes it and begins another") {
    const FlowStatus again = status_of(first, {job_of_step(flow, "b", "Failed")}, later);
    CHECK(*again.jobs[1].histories == std::vector<History>{{now, later, "Running"}, {later, {}, "Failed"}});
  }
  SECTION("present but empty stays empty") {
    FlowStatus before = first;
    before.jobs[1].histories.emplace();
    CHECK(status_of(before, {job_of_step(flow, "b", "Failed")}, later).jobs[1].histories->empty());
  }
  SECTION("absent begins anew") {
    FlowStatus before = first;
    before.jobs[1].histories.reset();
    CHECK(status_of(before, {job_of_step(flow, "b", "Failed")}, later).jobs[1].histories->size() == 1);
  }
}

TEST_CASE("jobs are listed by their mark, not by their owner", "[jobflow]") {
  const JobFlow f = flow_of("f", {{"a"}});
  const JobFlow g = flow_of("g", {{"a"}});
  Jobs jobs;
  for (const JobPtr& job : {job_of_step(f, "a", "Running"), job_of_step(g, "a", "Running")}) jobs[job->key()] = job;
  Job adopted = *job_of_step(f, "b", "Running");
  adopted.meta.owners.clear();
  jobs["default/f-b"] = std::make_shared<const Job>(adopted);
  Job unmarked = *job_of_step(f, "c", "Running");
  unmarked.meta.labels.clear();
  jobs["default/f-c"] = std::make_shared<const Job>(unmarked);
  Job elsewhere = adopted;
  elsewhere.meta.ns = "default2";
  jobs["default2/f-b"] = std::make_shared<const Job>(elsewhere);
  const auto found = jobs_marked(jobs, "default", kByFlow, "default.f");
  REQUIRE(found.size() == 2);
  CHECK(found[0]->meta.name == "f-a");
  CHECK(found[1]->meta.name == "f-b");
}

struct Lists {
  int running = 0, completed = 0, failed = 0, terminated = 0;
};

FlowStatus lists_of(const Lists& counts) {
  FlowStatus status;
  status.running.resize(static_cast<std::size_t>(counts.running), "r");
  status.completed.resize(static_cast<std::size_t>(counts.completed), "c");
  status.failed.resize(static_cast<std::size_t>(counts.failed), "f");
  status.terminated.resize(static_cast<std::size_t>(counts.terminated), "t");
  return status;
}

TEST_CASE("states of a flow", "[jobflow]") {
  struct Case {
    Phase from;
    Lists lists;
    int steps;
    Phase to;
    int counter;  ///< +1 success, -1 failure
  };
  const Case cases[] = {
      {Phase::None, {}, 2, Phase::Pending, 0},
      {Phase::Pending, {}, 2, Phase::Pending, 0},
      {Phase::None, {.running = 1}, 2, Phase::Running, 0},
      {Phase::Pending, {.completed = 2}, 2, Phase::Running, 0},  // one more event is needed
      {Phase::Pending, {.running = 1, .failed = 1}, 2, Phase::Failed, -1},
      {Phase::Pending, {.failed = 1}, 2, Phase::Failed, -1},
      {Phase::Pending, {.terminated = 1}, 2, Phase::Failed, -1},
      {Phase::Pending, {.running = 1, .terminated = 1}, 2, Phase::Running, 0},
      {Phase::Running, {.running = 1, .terminated = 1}, 2, Phase::Failed, -1},
      {Phase::Running, {.completed = 1}, 1, Phase::Succeed, +1},
      {Phase::Running, {.failed = 1}, 1, Phase::Failed, -1},
      {Phase::Running, {.terminated = 1}, 1, Phase::Failed, -1},
      {Phase::Running, {.completed = 1}, 2, Phase::Running, 0},
      {Phase::Running, {}, 2, Phase::Running, 0},
      {Phase::Running, {.completed = 1, .failed = 1}, 1, Phase::Succeed, +1},  // completed is asked for first
      {Phase::Succeed, {.failed = 1}, 1, Phase::Succeed, 0},
      {Phase::Pending, {}, 0, Phase::Pending, 0},
  };
  for (const Case& c : cases) {
    FlowSpec spec;
    for (int i = 0; i < c.steps; ++i) spec.steps.push_back({"s" + std::to_string(i), {}, {}, {}});
    const Decision decision = decide(c.from, lists_of(c.lists), spec, Quirks::upstream());
    INFO(to_string(c.from) << " with " << c.steps << " steps: row " << (&c - cases));
    CHECK(decision.phase == c.to);
    CHECK(int{decision.counts_success} - int{decision.counts_failure} == c.counter);
  }
}

TEST_CASE("final phases, and phases nobody knows", "[jobflow]") {
  FlowScene scene;
  for (const char* phase : {"Failed", "Terminating"}) {
    const FlowOutput output = scene.sync(flow_of("f", {{"a"}}, phase));
    CHECK(output.verdict == Verdict::NothingToDo);
    CHECK(output.effects.empty());
  }
  CHECK(scene.sync(flow_of("f", {{"a"}}, "Odd")).error == "jobflow f state {Odd} is invalid");
}

TEST_CASE("a flow that has succeeded", "[jobflow]") {
  FlowScene scene;
  scene.put_templates({"a", "b"});
  const JobFlow keeps = flow_of("f", {{"a"}, {"b"}}, "Succeed", "retain");
  const JobFlow deletes = flow_of("f", {{"a"}, {"b"}}, "Succeed", "delete");
  scene.put(job_of_step(keeps, "a", "Completed"));
  SECTION("retain: a missing job is created again") {
    const FlowOutput output = scene.sync(keeps);
    CHECK(created(output) == Names{"f-b"});
    CHECK(output.after->phase == "Succeed");
    scene.quirks = scene.quirks.without(Quirk::RecreatedAfterSuccess);
    CHECK(created(scene.sync(keeps)).empty());
  }
  SECTION("delete: all of its jobs go, nothing is created, the status stays") {
    scene.put(job_of_step(keeps, "b", "Completed"));
    const FlowOutput output = scene.sync(deletes);
    CHECK(output.verdict == Verdict::JobsDeleted);
    CHECK(output.deleted == Names{"f-a", "f-b"});
    CHECK(scene.asked == Names{"DeleteJob", "DeleteJob"});
  }
  SECTION("delete: the first failure ends it, also of a job that is gone") {
    scene.put(job_of_step(keeps, "b", "Completed"));
    scene.failing = "DeleteJob";
    scene.failure = {ResultCode::NotFound};
    CHECK(scene.sync(deletes).error == "jobs.batch.volcano.sh \"f-a\" not found");
    CHECK(scene.asked.size() == 1);
  }
  SECTION("delete: a job without the mark is left alone") {
    Job other = *job_of_step(keeps, "a", "Completed");
    other.meta.labels.clear();
    scene.put(std::make_shared<const Job>(other));
    const FlowOutput output = scene.sync(deletes);
    CHECK(output.error.empty());
    CHECK(output.effects.empty());
  }
}

TEST_CASE("quirks of rounds, on and off", "[jobflow][quirks]") {
  FlowScene scene;
  scene.put_templates({"a", "b"});
  const JobFlow flow = flow_of("f", {{"a"}, {"b", Names{"a"}}});
  SECTION("foreign-job-counts") {
    Job foreign = *job_of_step(flow, "a", "Completed");
    foreign.meta.owners.clear();
    scene.put(std::make_shared<const Job>(foreign));
    const FlowOutput output = scene.sync(flow);
    CHECK(created(output) == Names{"f-b"});
    CHECK(output.steps[0].foreign);
    scene.quirks = scene.quirks.without(Quirk::ForeignJobCounts);
    CHECK(scene.sync(flow).error == "job f-a is not controlled by jobflow f");
  }
  SECTION("aborted-job-waits") {
    const JobFlow running = flow_of("f", {{"a"}}, "Running");
    scene.put(job_of_step(flow, "a", "Aborted"));
    CHECK(scene.sync(running).after->phase == "Running");
    scene.quirks = scene.quirks.without(Quirk::AbortedJobWaits);
    CHECK(scene.sync(running).after->phase == "Failed");
  }
  SECTION("second-event-needed") {
    const JobFlow one = flow_of("f", {{"a"}}, "Pending");
    scene.put(job_of_step(flow, "a", "Completed"));
    CHECK(scene.sync(one).after->phase == "Running");
    scene.quirks = scene.quirks.without(Quirk::SecondEventNeeded);
    CHECK(scene.sync(one).after->phase == "Succeed");
  }
  SECTION("empty-flow-pending") {
    CHECK(scene.sync(flow_of("f", {})).after->phase == "Pending");
    scene.quirks = scene.quirks.without(Quirk::EmptyFlowPending);
    CHECK(scene.sync(flow_of("f", {})).after->phase == "Succeed");
  }
  SECTION("duplicate-steps-never-done") {
    const JobFlow twice = flow_of("f", {{"a"}, {"a"}}, "Running");
    scene.put(job_of_step(flow, "a", "Completed"));
    CHECK(scene.sync(twice).after->phase == "Running");
    scene.quirks = scene.quirks.without(Quirk::DuplicateStepsNeverDone);
    CHECK(scene.sync(twice).after->phase == "Succeed");
  }
  SECTION("patch-ignored") {
    JobFlow patched = flow_of("f", {{"a"}});
    FlowSpec spec = *patched.spec;
    spec.steps[0].patch = Json{{"queue", "fast"}};
    patched.spec = std::make_shared<const FlowSpec>(spec);
    const auto queue = [&] {
      const FlowOutput output = scene.sync(patched);
      return std::get<CreateJob>(output.effects.front()).job->spec->queue;
    };
    CHECK(queue() == "default");
    scene.quirks = scene.quirks.without(Quirk::PatchIgnored);
    CHECK(queue() == "fast");
  }
}

TEST_CASE("quirks have names and texts", "[jobflow][quirks]") {
  CHECK(quirk_table().size() == kQuirkCount);
  for (const QuirkInfo& info : quirk_table()) {
    CHECK(quirk_from(info.name) == info.quirk);
    CHECK(!info.happens.empty());
    CHECK(!info.fix.empty());
    CHECK(Quirks::upstream().has(info.quirk) == info.on);
  }
  CHECK(!quirk_from("no-such-quirk"));
}

}  // namespace
}  // namespace pumice::jobflow
