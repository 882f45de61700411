// Operations of the CronJob controllers.
#include "cronjob/json.h"
#include "eval/operation.h"
#include "eval/quirks.h"
#include "model/fields.h"
#include "pumice/cronjob/cluster.h"

namespace pumice::eval {
namespace {

using namespace pumice::cronjob;

void report(FieldReader& reader, std::string_view name, const std::string& text, const std::string& known) {
  reader.report_at(name, Severity::Error, "UnknownName", in_backticks(text) + " is none of " + known);
}

Profile read_profile(FieldReader& args) {
  return profile_from(read_profile_name(args, cronjob_profiles(), "")).value_or(Profile::V2);
}

CronJobPtr read_cronjob_in(FieldReader& parent) {
  std::optional<FieldReader> reader = parent.object("cronJob");
  return std::make_shared<const CronJob>(reader ? read_cronjob(*reader, ReadMode::Wire) : CronJob());
}

std::vector<ChildJobPtr> read_jobs_in(FieldReader& parent, Profile profile) {
  std::vector<ChildJobPtr> jobs;
  for (FieldReader& item : parent.list("jobs")) {
    jobs.push_back(std::make_shared<const ChildJob>(read_child(item, profile)));
  }
  return jobs;
}

void read_failures(FieldReader& args, std::vector<RequestFailure>& failures) {
  for (FieldReader& item : args.list("failures")) {
    RequestFailure failure;
    failure.effect = item.string("effect").value_or("");
    failure.name = item.string("name").value_or("");
    failure.message = item.string("message").value_or("");
    const std::string code = item.string("code").value_or("Other");
    if (const auto known = reply_code_from(code); known && *known != ReplyCode::Ok) {
      failure.code = *known;
    } else {
      report(item, "code", code, "NotFound, AlreadyExists, NamespaceTerminating, Conflict, Other");
    }
    failures.push_back(std::move(failure));
  }
}

Json answer_of(const SyncOutput& output, const SyncInput& input, const ScheduleMemo& memo, Json cronjob) {
  Json effects = Json::array();
  for (const Effect& effect : output.effects) {
    effects.push_back(effect_json(effect, *input.cronjob, input.profile, input.quirks, memo.zone()));
  }
  if (output.written) cronjob["status"] = status_json(*output.after, input.profile);
  Json out = object_of(
      {{"effects", std::move(effects)}, {"cronJob", std::move(cronjob)}, {"trace", trace_json(output, memo)}});
  if (output.requeue_after) out["requeueAfter"] = to_string(*output.requeue_after);
  if (output.failed()) out["error"] = output.error;
  return out;
}

}  // namespace

Answer cron_sync(FieldReader& args) {
  const Profile profile = read_profile(args);
  const Quirks quirks = switched<Quirk>(args, quirk_names(), Quirks::of(profile));
  const CronJobPtr cronjob = read_cronjob_in(args);
  const std::vector<ChildJobPtr> jobs = read_jobs_in(args, profile);
  const std::optional<Time> now = read_time(args, "now");
  // What the caches show is what the server has, unless it is given.
  std::optional<FieldReader> server = args.object("server");
  const bool has_cronjob = server && server->has("cronJob");
  const bool has_jobs = server && server->has("jobs");
  Cluster cluster(profile, quirks, has_cronjob ? read_cronjob_in(*server) : cronjob,
                  has_jobs ? read_jobs_in(*server, profile) : jobs);
  read_failures(args, cluster.failures);
  if (!now || has_errors(args.context().diagnostics)) return Json();
  cluster.now = *now;

  std::vector<ChildJobPtr> own;
  std::vector<ChildJobPtr> others;
  for (const ChildJobPtr& job : jobs) (is_child(*job, *cronjob, profile) ? own : others).push_back(job);
  const cron::ZoneSource zones;
  ScheduleMemo memo;
  const SyncInput input{.profile = profile,
                        .quirks = quirks,
                        .now = *now,
                        .cronjob = cronjob.get(),
                        .jobs = own,
                        .other_jobs = others,
                        .zones = &zones,
                        .memo = &memo};
  SyncOutput output;
  sync(input, cluster, output);
  return answer_of(output, input, memo, args.raw("cronJob").value_or(Json::object()));
}

}  // namespace pumice::eval
