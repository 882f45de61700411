// `cron.sync` at the border of `pumice eval`, and reading CronJobs.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "pumice/cronjob/cronjob.h"
#include "pumice/eval.h"
#include "pumice/json.h"
#include "pumice/version.h"
#include "pumice/yaml.h"

namespace pumice {
namespace {

Json ask(const Json& args) { return Json::parse(eval_line(Json{{"op", "cron.sync"}, {"args", args}}.dump(), 1)); }

Json cronjob() {
  return Json::parse(R"({"apiVersion": "batch/v1", "kind": "CronJob", "extra": 1,
    "metadata": {"name": "report", "namespace": "n", "uid": "u", "creationTimestamp": "2026-03-02T08:30:00Z"},
    "spec": {"schedule": "0 10 * * *", "timeZone": "Europe/Berlin", "concurrencyPolicy": "Replace",
             "jobTemplate": {"metadata": {"labels": {"a": "b"}}, "spec": {"parallelism": 2}}},
    "status": {"active": [{"kind": "Job", "namespace": "n", "name": "old", "uid": "j1", "apiVersion": "batch/v1"}]}})");
}
Json job(const std::string& name, const std::string& uid) {
  return Json{{"metadata",
               {{"name", name},
                {"namespace", "n"},
                {"uid", uid},
                {"ownerReferences",
                 {{{"apiVersion", "batch/v1"},
                   {"kind", "CronJob"},
                   {"name", "report"},
                   {"uid", "u"},
                   {"controller", true}}}}}}};
}

TEST_CASE("cron.sync", "[cronjob][eval]") {
  const Json ok = ask({{"profile", "cronjob"},
                       {"cronJob", cronjob()},
                       {"jobs", {job("old", "j1")}},
                       {"now", "2026-03-02T09:00:30Z"}})
                      .at("ok");
  CHECK(ok.at("requeueAfter") == "23h59m30.1s");
  CHECK_FALSE(ok.contains("error"));
  CHECK(ok.at("trace") == Json::parse(R"({"verdict": "Started", "reason": "the job of the due run was created",
      "schedule": "TZ=Europe/Berlin 0 10 * * *", "earliest": "2026-03-02T08:30:00Z", "due": "2026-03-02T09:00:00Z",
      "missed": "none", "missedCount": 1, "cutByDeadline": false})"));
  std::vector<std::string> names;
  for (const Json& effect : ok.at("effects")) names.push_back(effect.at("effect"));
  CHECK(names ==
        std::vector<std::string>{"ReadJob", "DeleteJob", "EmitEvent", "CreateJob", "EmitEvent", "WriteStatus"});
  CHECK(ok.at("effects")[1] ==
        Json::parse(R"({"effect": "DeleteJob", "namespace": "n", "name": "old", "propagationPolicy": "Background"})"));
  CHECK(ok.at("effects")[3].at("job").at("metadata").at("name") == "report-29540700");
  CHECK(ok.at("effects")[3].at("job").at("spec") == Json{{"parallelism", 2}});
  CHECK(ok.at("effects")[4] == Json::parse(R"({"effect": "EmitEvent", "type": "Normal", "reason": "SuccessfulCreate",
                        "message": "Created job report-29540700"})"));
  // What nobody here knows is kept; the status is the new one.
  CHECK(ok.at("cronJob").at("extra") == 1);
  CHECK(ok.at("cronJob").at("status").at("lastScheduleTime") == "2026-03-02T09:00:00Z");
  CHECK(ok.at("cronJob").at("status").at("active").size() == 1);
  CHECK(ok.at("cronJob").at("status").at("active")[0].at("name") == "report-29540700");
}

TEST_CASE("cron.sync with a server that knows more", "[cronjob][eval]") {
  Json args{{"profile", "cronjob"}, {"cronJob", cronjob()}, {"now", "2026-03-02T08:45:00Z"}};
  // In the list, in no cache, found live.
  args["server"] = {{"jobs", {job("old", "j1")}}};
  CHECK(ask(args).at("ok").at("effects").size() == 1);
  args["server"] = {{"jobs", Json::array()}};
  const Json lost = ask(args).at("ok");
  CHECK(lost.at("effects")[1].at("reason") == "MissingJob");
  CHECK(lost.at("cronJob").at("status") == Json::object());
  args["failures"] = {{{"effect", "ReadJob"}, {"code", "Other"}, {"message", "no luck"}}};
  CHECK(ask(args).at("ok").at("error") == "no luck");
}

TEST_CASE("cron.sync without quirks", "[cronjob][eval]") {
  Json object = cronjob();
  object["spec"]["concurrencyPolicy"] = "Forbid";
  Json args{{"profile", "cronjob"}, {"cronJob", object}, {"jobs", {job("old", "j1")}}, {"now", "2026-03-02T09:00:30Z"}};
  CHECK(ask(args).at("ok").at("trace").at("verdict") == "Forbidden");
  CHECK_FALSE(ask(args).at("ok").at("cronJob").at("status").contains("lastScheduleTime"));
  args["quirksOff"] = {"forbid-postpones"};
  CHECK(ask(args).at("ok").at("cronJob").at("status").contains("lastScheduleTime"));
}

TEST_CASE("what is wrong with a question to cron.sync", "[cronjob][eval]") {
  const Json good{{"profile", "cronjob"}, {"cronJob", cronjob()}, {"now", "2026-03-02T08:45:00Z"}};
  const auto with = [&](const char* name, const Json& value) {
    Json args = good;
    args[name] = value;
    return ask(args).at("error").at("message").get<std::string>();
  };
  CHECK(ask({{"profile", "cronjob"}}).at("error").at("code") == "MissingArgument");
  CHECK(with("profile", "cron") == "args.profile: `cron` is none of cronjob, cronjob-legacy, volcano-cronjob");
  CHECK(with("now", "9999-01-01T00:00:00Z").starts_with("args.now: "));
  CHECK(with("quirksOff", {"old-time"}) ==
        "args.quirksOff[0]: there is no quirk `old-time`, did you mean `old-timer`?");
  CHECK(with("failures", {{{"effect", "ReadJob"}, {"code", "Teapot"}}}).starts_with("args.failures[0].code: "));
  CHECK(with("cronJob", {{"spec", {{"schedule", 5}}}}).starts_with("args.cronJob.spec.schedule: expected a string"));
  CHECK(with("cronjob", 1) == "args.cronjob: there is no such argument, did you mean `cronJob`?");
  // Nothing at all is an object, too.
  CHECK(ask({{"profile", "volcano-cronjob"}, {"cronJob", Json::object()}, {"now", "2026-03-02T08:45:00Z"}})
            .at("ok")
            .at("error") == "empty spec string");
}

cronjob::CronJob read(const std::string& text, Diagnostics& findings) {
  const auto documents = parse_yaml(text);
  FieldContext context;
  FieldReader reader(documents.value->front().root, context);
  cronjob::CronJob read = cronjob::read_cronjob(reader, ReadMode::Manifest);
  findings = context.diagnostics;
  return read;
}

TEST_CASE("a CronJob of a person", "[cronjob][reader]") {
  Diagnostics findings;
  const auto made = read(
      "{apiVersion: batch/v1, kind: CronJob, metadata: {name: a}, "
      "spec: {schedule: '@daily', jobTemplate: {spec: {}}}}",
      findings);
  CHECK(findings.empty());
  CHECK(made.spec->successful_limit == 3);  // the API server's defaults
  CHECK(made.spec->failed_limit == 1);
  CHECK(made.spec->policy == cronjob::ConcurrencyPolicy::Allow);
  CHECK(made.meta->ns == "default");

  (void)read(
      "{apiVersion: batch/v1, kind: CronJob, metadata: {name: a}, "
      "spec: {concurrencyPolicy: forbid, startingDeadlineSeconds: -1, shedule: x}}",
      findings);
  std::vector<std::string> texts;
  for (const Diagnostic& finding : findings) texts.push_back(finding.code + " " + finding.field);
  CHECK(texts == std::vector<std::string>{"MissingField spec.jobTemplate",
                                          "UnknownConcurrencyPolicy spec.concurrencyPolicy",
                                          "MissingField spec.schedule", "InvalidValue spec.startingDeadlineSeconds",
                                          "UnknownField spec.shedule"});
}

TEST_CASE("names of quirks and profiles", "[cronjob]") {
  using namespace cronjob;
  using cronjob::Profile;
  for (const std::string_view name : quirk_names()) {
    REQUIRE(quirk_from(name));
    CHECK(to_string(*quirk_from(name)) == name);
    // Each belongs to a profile.
    CHECK((Quirks::of(Profile::V2).has(*quirk_from(name)) || Quirks::of(Profile::Legacy).has(*quirk_from(name)) ||
           Quirks::of(Profile::Volcano).has(*quirk_from(name))));
  }
  for (const Profile profile : {Profile::V2, Profile::Legacy, Profile::Volcano}) {
    CHECK(profile_from(to_string(profile)) == profile);
  }
  for (const ProfileInfo& profile : cronjob_profiles()) CHECK(profile_from(profile.name));
  CHECK_FALSE(profile_from("job"));
  CHECK(profile_of("batch.volcano.sh/v1alpha1") == Profile::Volcano);
  CHECK(profile_of("batch/v1") == Profile::V2);
}

}  // namespace
}  // namespace pumice
