// When flows and templates are looked at: spec/volcano-jobflow.md 3, 6, 7 and 8; reading and the store.
#include <catch2/catch_test_macros.hpp>

#include "support/jobflow_scene.h"

namespace pumice::jobflow {
namespace {

using test::flow_of;
using test::FlowScene;
using test::job_of_step;
using test::kFlowTime;
using test::template_of;
using Names = std::vector<std::string>;

FlowPtr shared(JobFlow flow) { return std::make_shared<const JobFlow>(std::move(flow)); }
TemplatePtr shared(JobTemplate made) { return std::make_shared<const JobTemplate>(std::move(made)); }

/// What became of a notification; `none` if no callback said anything.
std::string outcome(FlowController& controller, const Observation& observation) {
  std::vector<Record> records;
  controller.observe(observation, records);
  return records.empty() ? "none" : std::string(to_string(std::get<ObserveRecord>(records.back()).outcome));
}

TEST_CASE("what puts a flow into the queue", "[jobflow]") {
  JobFlow flow = flow_of("f", {{"a"}}, "Running", "delete");
  const auto updated = [&](const char* phase, const char* policy, std::uint64_t version) {
    JobFlow after = flow_of("f", {{"a"}, {"b"}}, phase, policy);
    after.meta.resource_version = version;
    return FlowUpdated{shared(flow), shared(after)};
  };
  const JobPtr before = job_of_step(flow, "a", "Pending", 1);
  const JobPtr after = job_of_step(flow, "a", "Running", 2);
  struct Case {
    const char* name;
    Observation observation;
    const char* outcome;
  };
  const Case cases[] = {
      {"flow added", FlowAdded{shared(flow)}, "Queued"},
      {"into Succeed with delete", updated("Succeed", "delete", 2), "Queued"},
      {"into Succeed with retain", updated("Succeed", "retain", 2), "NotSucceeded"},
      {"a changed spec", updated("Running", "delete", 2), "NotSucceeded"},
      {"the same resourceVersion", updated("Succeed", "delete", 1), "NothingChanged"},
      {"flow deleted", FlowDeleted{shared(flow)}, "NoCallback"},
      {"template added", TemplateAdded{shared(template_of("a"))}, "none"},
      {"job added", volcano::JobAdded{after}, "NoCallback"},
      {"job updated", volcano::JobUpdated{before, after}, "Queued"},
      {"job updated, same resourceVersion", volcano::JobUpdated{after, after}, "NothingChanged"},
      {"job deleted", volcano::JobDeleted{after}, "NoCallback"},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    FlowController controller;
    CHECK(outcome(controller, c.observation) == c.outcome);
    CHECK(controller.has_work() == (std::string_view(c.outcome) == "Queued"));
  }
}

TEST_CASE("equal requests collapse, different ones do not", "[jobflow]") {
  FlowController controller;
  FlowScene scene;
  CHECK(outcome(controller, FlowAdded{shared(flow_of("f", {}))}) == "Queued");
  CHECK(outcome(controller, FlowAdded{shared(flow_of("f", {}))}) == "Merged");
  CHECK(outcome(controller, FlowAdded{shared(flow_of("g", {}))}) == "Queued");
  std::vector<Record> records;
  int rounds = 0;
  for (; controller.has_work(); ++rounds) CHECK(controller.work(scene.now, scene, records));
  CHECK(rounds == 2);
}

TEST_CASE("the flow of a job", "[jobflow]") {
  struct Case {
    std::vector<OwnerReference> owners;
    const char* flow;
  };
  const std::string api = "flow.volcano.sh/v1alpha1";
  const Case cases[] = {
      {{{api, "JobFlow", "jobflowtest", "u", true}}, "jobflowtest"},
      {{{api, "JobFlow", "f", "u", false}}, ""},  // no controller reference
      {{{"v1", "JobFlow", "f", "u", true}}, ""},
      {{{api, "Job", "f", "u", true}}, ""},
      {{{"my.volcano.io/v1", "JobFlow", "first", "u", false}, {api, "JobFlow", "f", "u", true}}, "first"},
      {{}, ""},
  };
  for (const Case& c : cases) {
    Job job;
    job.meta.owners = c.owners;
    CHECK(flow_name_of(job) == c.flow);
  }
}

TEST_CASE("the template of a job", "[jobflow]") {
  for (const auto& [value, key] : {std::pair("default.a", "default/a"),
                                   {"default", ""},
                                   {"default.a.b", ""},
                                   {"", ""},
                                   {"volcano.sh/createdByJobTemplate", "volcano/sh/createdByJobTemplate"}}) {
    Job job;
    job.meta.labels = {{kByTemplate, value}};
    CHECK(template_key_of(job) == key);
  }
}

TEST_CASE("errors are tried again with growing pauses, and then forgotten", "[jobflow]") {
  FlowController controller;
  FlowScene scene;
  std::vector<Record> records;
  controller.observe(FlowAdded{shared(flow_of("f", {{"a"}}))}, records);
  records.clear();
  Time now = kFlowTime;
  std::vector<Duration> pauses;
  while (true) {
    CHECK(controller.work(now, scene, records));
    const auto& record = std::get<FlowRecord>(records.back());
    CHECK(record.attempt == static_cast<std::int64_t>(records.size()));
    if (!record.retry_at) break;
    CHECK(!controller.has_work());
    pauses.push_back(*record.retry_at - now);
    now = *controller.next_deadline();
    controller.advance(now);
  }
  REQUIRE(pauses.size() == 15);
  CHECK(pauses[0] == Duration{5'000'000});
  CHECK(pauses[1] == Duration{10'000'000});
  CHECK(pauses[14] == Duration{81'920'000'000});
  const auto& last = std::get<FlowRecord>(records.back());
  CHECK(last.gave_up);
  REQUIRE(last.events.size() == 1);
  CHECK(last.events[0] ==
        EmitEvent{true, "SyncJobFlow",
                  "SyncJobFlow JobFlow failed for sync jobflow f failed for jobtemplate.flow.volcano.sh \"a\" not "
                  "found, event is OutOfSync, action is SyncJobFlow"});
  CHECK(!controller.next_deadline());
  // A template that comes now does not bring the flow back; the event of a job does, and its attempts count anew.
  CHECK(outcome(controller, TemplateAdded{shared(template_of("a"))}) == "none");
  CHECK(!controller.has_work());
}

TEST_CASE("limits of attempts", "[jobflow]") {
  for (const std::int32_t most : {0, 3, -1}) {
    FlowController controller({Quirks::upstream(), most});
    FlowScene scene;
    std::vector<Record> records;
    controller.observe(FlowAdded{shared(flow_of("f", {{"a"}}))}, records);
    records.clear();
    Time now = kFlowTime;
    for (int i = 0; i < 20 && controller.has_work(); ++i) {
      (void)controller.work(now, scene, records);
      if (controller.next_deadline()) now = *controller.next_deadline();
      controller.advance(now);
    }
    CHECK(records.size() == (most < 0 ? 20U : static_cast<std::size_t>(most) + 1));
  }
}

TEST_CASE("an unknown phase is an error of its own", "[jobflow]") {
  FlowController controller({Quirks::upstream(), 0});
  FlowScene scene;
  std::vector<Record> records;
  controller.observe(FlowAdded{shared(flow_of("f", {}, "Odd"))}, records);
  (void)controller.work(kFlowTime, scene, records);
  CHECK(std::get<FlowRecord>(records.back()).events.front().message ==
        "SyncJobFlow JobFlow failed for jobflow f state {Odd} is invalid");
}

TEST_CASE("a flow that is gone, and the counters", "[jobflow]") {
  FlowController controller;
  FlowScene scene;
  std::vector<Record> records;
  const JobFlow flow = flow_of("f", {{"a"}}, "Running");
  controller.observe(FlowAdded{shared(flow)}, records);
  controller.observe(volcano::JobAdded{job_of_step(flow, "a", "Completed")}, records);
  (void)controller.work(kFlowTime, scene, records);
  CHECK(controller.counters().at("default") == Counters{1, 0});
  CHECK(std::get<FlowRecord>(records.back()).after == "Succeed");
  controller.observe(FlowAdded{shared(flow)}, records);
  controller.observe(FlowDeleted{shared(flow)}, records);
  (void)controller.work(kFlowTime, scene, records);
  CHECK(std::get<FlowRecord>(records.back()).verdict == Verdict::NoFlow);
  CHECK(std::get<FlowRecord>(records.back()).error.empty());
}

TEST_CASE("quirks of the queue, on and off", "[jobflow][quirks]") {
  const JobFlow flow = flow_of("f", {{"a"}});
  JobFlow edited = flow_of("f", {{"a"}, {"b"}});
  edited.meta.resource_version = 2;
  const std::pair<Quirk, Observation> cases[] = {
      {Quirk::MissingTemplateForgotten, TemplateAdded{shared(template_of("a"))}},
      {Quirk::DeletedJobUnnoticed, volcano::JobDeleted{job_of_step(flow, "a", "Running")}},
      {Quirk::SpecEditIgnored, FlowUpdated{shared(flow), shared(edited)}},
  };
  for (const auto& [quirk, observation] : cases) {
    for (const bool on : {true, false}) {
      Quirks quirks = Quirks::upstream();
      quirks.set(quirk, on);
      FlowController controller({quirks, 15});
      FlowScene scene;
      scene.put_templates({"a", "b"});
      std::vector<Record> records;
      controller.observe(FlowAdded{shared(flow)}, records);
      (void)controller.work(kFlowTime, scene, records);
      for (Time now = kFlowTime; controller.has_work();) (void)controller.work(now, scene, records);
      controller.observe(observation, records);
      CHECK(controller.has_work() == !on);
    }
  }
}

/// Runs the template controller until it is quiet.
std::vector<Record> run(TemplateController& controller, FlowScene& scene) {
  std::vector<Record> records;
  while (controller.has_work()) REQUIRE(controller.work(kFlowTime, scene, records));
  return records;
}

TEST_CASE("the template controller", "[jobflow]") {
  FlowScene scene;
  std::vector<Record> seen;
  const JobFlow flow = flow_of("f", {{"a"}});
  TemplateController controller;
  controller.observe(TemplateAdded{shared(template_of("a"))}, seen);
  SECTION("no job: nothing is written") {
    const auto records = run(controller, scene);
    REQUIRE(records.size() == 1);
    CHECK(!std::get<TemplateRecord>(records[0]).written);
    CHECK(scene.asked.empty());
  }
  SECTION("one job with its mark: its name is written") {
    (void)run(controller, scene);
    controller.observe(volcano::JobAdded{job_of_step(flow, "a", "")}, seen);
    const auto records = run(controller, scene);
    REQUIRE(records.size() == 1);
    CHECK(std::get<TemplateRecord>(records[0]).jobs == Names{"f-a"});
    CHECK(scene.asked == Names{"WriteTemplateStatus"});
  }
  SECTION("updates and deletions trigger nothing") {
    const JobPtr job = job_of_step(flow, "a", "Running");
    controller.observe(volcano::JobAdded{job}, seen);
    (void)run(controller, scene);
    controller.observe(volcano::JobUpdated{job, job_of_step(flow, "a", "Completed", 2)}, seen);
    controller.observe(volcano::JobDeleted{job}, seen);
    controller.observe(TemplateUpdated{shared(template_of("a"))}, seen);
    CHECK(!controller.has_work());
  }
  SECTION("a template that does not exist is no error") {
    controller.observe(TemplateDeleted{shared(template_of("a"))}, seen);
    const auto records = run(controller, scene);
    CHECK(std::get<TemplateRecord>(records.at(0)).missing);
  }
  SECTION("a template with a dot in its name is ignored, or not") {
    (void)run(controller, scene);
    Job job = *job_of_step(flow, "a.b", "");
    controller.observe(volcano::JobAdded{std::make_shared<const Job>(job)}, seen);
    CHECK(!controller.has_work());
    CHECK(std::get<ObserveRecord>(seen.back()).outcome == ObserveOutcome::DottedMark);
    TemplateController fixed({Quirks::upstream().without(Quirk::DottedTemplateIgnored), 15});
    fixed.observe(volcano::JobAdded{std::make_shared<const Job>(job)}, seen);
    CHECK(fixed.has_work());
  }
  SECTION("an old list is kept, or not") {
    for (const bool keeps : {true, false}) {
      Quirks quirks = Quirks::upstream();
      quirks.set(Quirk::OldListKept, keeps);
      TemplateController other({quirks, 15});
      JobTemplate made = template_of("a");
      made.jobs = {"f-a"};
      other.observe(TemplateAdded{shared(made)}, seen);
      FlowScene fresh;
      (void)run(other, fresh);
      CHECK(fresh.asked == (keeps ? Names{} : Names{"WriteTemplateStatus"}));
    }
  }
  SECTION("its warning has an empty reason") {
    TemplateController impatient({Quirks::upstream(), 0});
    impatient.observe(volcano::JobAdded{job_of_step(flow, "a", "")}, seen);
    impatient.observe(TemplateAdded{shared(template_of("a"))}, seen);
    scene.failing = "WriteTemplateStatus";
    const auto records = run(impatient, scene);
    const auto& record = std::get<TemplateRecord>(records.at(0));
    CHECK(record.gave_up);
    CHECK(record.events.front() ==
          EmitEvent{true, "", " JobTemplate failed for sync jobTemplate  failed for it broke, event is , action is "});
  }
}

struct NoJobs final : JobServer {
  ResultCode create_job(const Job& job) override {
    created.push_back(job.meta.name);
    return ResultCode::Ok;
  }
  ResultCode delete_job(const std::string&) override { return ResultCode::NotFound; }
  Names created;
};

TEST_CASE("the store of flows and templates", "[jobflow]") {
  Store store;
  NoJobs jobs;
  store.create(flow_of("f", {{"a"}}), kFlowTime);
  store.create(template_of("a"), kFlowTime);
  const FlowPtr flow = store.flows().at("default/f");
  CHECK(flow->meta.creation == kFlowTime);
  FlowStatus status;
  status.phase = "Pending";
  status.jobs.push_back({"f-a", "", kFlowTime, {}, 0, std::vector<History>{}});
  CHECK(store.execute(WriteFlowStatus{"default", "f", status, 99}, jobs).code == ResultCode::Conflict);
  CHECK(store.execute(WriteFlowStatus{"default", "f", status, flow->meta.resource_version}, jobs).code ==
        ResultCode::Ok);
  const FlowPtr written = store.flows().at("default/f");
  CHECK(written->status.phase == "Pending");
  CHECK(!written->status.jobs[0].histories);  // empty lists are not sent
  CHECK(written->meta.resource_version > flow->meta.resource_version);
  // A write that changes nothing is none.
  CHECK(store.execute(WriteFlowStatus{"default", "f", status, written->meta.resource_version}, jobs).code ==
        ResultCode::Ok);
  CHECK(store.flows().at("default/f") == written);
  int notices = 0;
  while (store.take_notification()) ++notices;
  CHECK(notices == 3);

  const auto create = [&](const std::string& flow_name, const std::string& step) {
    Job job = job_of(flow_of(flow_name, {}), {step, {}, {}, {}}, template_of(step));
    return store.execute(CreateJob{std::make_shared<const Job>(std::move(job))}, jobs);
  };
  CHECK(create("f", "a").code == ResultCode::Ok);
  const Reply too_long = create(std::string(56, 'f'), "a");
  CHECK(too_long.code == ResultCode::Other);
  CHECK(too_long.message.find("metadata.labels") != std::string::npos);
  CHECK(create("f", "A_b").code == ResultCode::Other);
  CHECK(jobs.created == Names{"f-a"});
}

TEST_CASE("flows and templates are read and written", "[jobflow]") {
  const std::string text =
      "{apiVersion: flow.volcano.sh/v1alpha1, kind: JobFlow, metadata: {name: f}, spec: {jobRetainPolicy: delete, "
      "flows: [{name: a}, {name: b, dependsOn: {targets: [a], probe: {tcpSocketList: [{port: 1}]}}, patch: {jobSpec: "
      "{queue: q}}}, {name: c, dependsOn: {targets: []}}]}, status: {state: {phase: Running}, pendingJobs: [f-b], "
      "jobStatusList: [{name: f-a, state: Completed, startTimestamp: \"2026-03-02T09:00:00Z\", runningHistories: "
      "[{startTimestamp: \"2026-03-02T09:00:00Z\", state: Completed}]}], conditions: {f-a: {phase: Completed, "
      "createTime: \"2026-03-02T09:00:00Z\", runningDuration: 1s, taskStatusCount: {w: {phase: {Running: 2}}}}}}}";
  const auto documents = parse_yaml(text, {});
  REQUIRE(documents.ok());
  const auto read = read_flow(documents.value->front().root, "f.yaml");
  for (const Diagnostic& finding : read.diagnostics) FAIL_CHECK(to_text(finding));
  REQUIRE(read.ok());
  const JobFlow& flow = *read.value;
  CHECK(flow.spec->deletes_jobs());
  REQUIRE(flow.spec->steps.size() == 3);
  CHECK(!flow.spec->steps[0].targets);
  CHECK(flow.spec->steps[1].targets == Names{"a"});
  CHECK(flow.spec->steps[2].targets == Names{});
  CHECK(flow.status.conditions.at("f-a").task_counts.at("w")[PodPhase::Running] == 2);
  const std::string written = to_json(flow).dump();
  const auto again = parse_yaml(written, {});
  REQUIRE(again.ok());
  const auto back = read_flow(again.value->front().root, "f.json");
  REQUIRE(back.ok());
  CHECK(*back.value->spec == *flow.spec);
  CHECK(back.value->status == flow.status);
  CHECK(to_json(*back.value).dump() == written);
}

TEST_CASE("what is wrong with a flow or a template is said", "[jobflow]") {
  struct Case {
    const char* spec;
    const char* finding;
  };
  const Case cases[] = {
      {"{flows: [{}]}", "error: spec.flows[0].name: a step needs the name of a JobTemplate"},
      {"{flows: [{name: 1}]}", "error: spec.flows[0].name:"},
      {"{flows: {}}", "error: spec.flows: expected a list, found map"},
      {"{flows: [{name: a, dependsOn: {targets: a}}]}", "error: spec.flows[0].dependsOn.targets:"},
      {"{jobRetainPolicy: keep}", "warning: spec.jobRetainPolicy:"},
      {"{flow: []}", "warning: spec.flow: unknown field `flow` is ignored"},
  };
  for (const Case& c : cases) {
    const auto documents = parse_yaml(
        std::string("{apiVersion: flow.volcano.sh/v1alpha1, kind: JobFlow, metadata: {name: f}, spec: ") + c.spec + "}",
        {});
    REQUIRE(documents.ok());
    const auto read = read_flow(documents.value->front().root, "f.yaml");
    std::string all;
    for (const Diagnostic& finding : read.diagnostics) all += to_text(finding) + "\n";
    INFO(all);
    CHECK(all.find(c.finding) != std::string::npos);
  }
}

}  // namespace
}  // namespace pumice::jobflow
