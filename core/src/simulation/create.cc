// Manifests -> a simulation that has not begun (simulation.h, `Simulation::create`).
#include <set>

#include "pumice/model/reader.h"
#include "pumice/simulation/simulation.h"
#include "pumice/volcano/defaults.h"
#include "sources.h"

namespace pumice {

std::string_view to_string(Automation automation) noexcept {
  switch (automation) {
    case Automation::Manual: return "manual";
    case Automation::Assist: return "assist";
    case Automation::Auto: return "auto";
  }
  return "";
}

std::optional<Automation> automation_from(std::string_view text) noexcept {
  for (const auto automation : {Automation::Manual, Automation::Assist, Automation::Auto})
    if (to_string(automation) == text) return automation;
  return std::nullopt;
}

namespace {

class Loader {
 public:
  Loader(const SimulationOptions& options, Diagnostics& diagnostics) : options_(options), diagnostics_(diagnostics) {}

  void load(const SourceText& source) {
    auto documents = parse_yaml(source.text, {.limits = {}, .file = source.file});
    diagnostics_.insert(diagnostics_.end(), documents.diagnostics.begin(), documents.diagnostics.end());
    if (!documents.ok()) return;
    for (YamlDocument& document : *documents.value) {
      for (FoundObject& object : objects_of(document.root, source.file, diagnostics_)) {
        const std::size_t before = diagnostics_.size();
        load_object(std::move(*object.node), object.header, source.file);
        // Within an object fields are called as if it stood alone.
        for (std::size_t i = before; !object.path.empty() && i < diagnostics_.size(); ++i)
          diagnostics_[i].field = object.path + (diagnostics_[i].field.empty() ? "" : "." + diagnostics_[i].field);
      }
    }
  }

  std::vector<SimulationSources::Entry> jobs;

 private:
  void report(Severity severity, std::string code, const YamlNode& root, const std::string& file,
              const std::string& field, std::string message, std::string hint = {}) {
    diagnostics_.push_back(
        {severity, std::move(code), file, range_of(root, field), field, std::move(message), std::move(hint)});
  }

  void load_object(YamlNode root, const ObjectHeader& header, const std::string& file) {
    if (!header.is_volcano_job()) {
      constexpr const char* kHint = "simulated is `batch.volcano.sh/v1alpha1/Job`";
      constexpr const char* kCronHint = "what becomes of its runs is told by `pumice cron simulate`";
      diagnostics_.push_back({Severity::Warning, "KindNotSimulated", file, header.kind_range, "kind",
                              "`" + header.type_text() + "` is not simulated",
                              header.kind == "CronJob" ? kCronHint : kHint});
      return;
    }
    auto read = read_job(root, file);
    diagnostics_.insert(diagnostics_.end(), read.diagnostics.begin(), read.diagnostics.end());
    if (read.ok()) add_job(std::move(*read.value), std::move(root), file);
  }

  void add_job(Job job, YamlNode root, const std::string& file) {
    // A created object begins without status; the API server drops what a manifest says of it.
    note_what_is_dropped(root, file);
    job.status = {};
    job.meta.deletion.reset();
    JobSpec spec = *job.spec;
    volcano::apply_defaults(spec);
    bool usable = true;
    for (Diagnostic& finding : volcano::structural_errors(spec)) {
      finding.file = file;
      finding.range = range_of(root, finding.field);
      diagnostics_.push_back(std::move(finding));
      usable = false;
    }
    if (!keys_.insert(job.key()).second) {
      report(Severity::Error, "DuplicateObject", root, file, "metadata.name",
             "there are two Jobs called `" + job.key() + "`");
      usable = false;
    }
    for (const TaskSpec& task : spec.tasks) pods_ += std::max(task.replicas, 0);
    if (pods_ > options_.pods_max) {
      report(Severity::Error, "LimitExceeded", root, file, "spec.tasks",
             std::to_string(pods_) + " pods are more than the " + std::to_string(options_.pods_max) +
                 " that are simulated");
      usable = false;
    }
    if (!counts_in_range(spec, root, file)) usable = false;
    if (!names_usable(job, spec, root, file)) usable = false;
    warn_of_unreachable_timeouts(spec, root, file);
    note_what_is_assumed(spec, root, file);
    job.spec = std::make_shared<const JobSpec>(std::move(spec));
    if (usable) jobs.push_back({std::move(job), file, std::move(root)});
  }

  /// The schema of the API refuses negative counts; sums beyond 32 bits wrap around to such.
  bool counts_in_range(const JobSpec& spec, const YamlNode& root, const std::string& file) {
    bool good = true;
    const auto check = [&](std::int64_t value, const std::string& field) {
      if (value >= 0) return;
      report(Severity::Error, "OutOfRange", root, file, field, std::to_string(value) + " is negative",
             "counts are 0 to 2147483647, and so are their sums");
      good = false;
    };
    check(spec.min_available, "spec.minAvailable");
    check(spec.max_retry, "spec.maxRetry");
    for (std::size_t i = 0; i < spec.tasks.size(); ++i) {
      const std::string task = "spec.tasks[" + std::to_string(i) + "]";
      check(spec.tasks[i].replicas, task + ".replicas");
      check(spec.tasks[i].min_available.value_or(0), task + ".minAvailable");
    }
    return good;
  }

  void note_what_is_dropped(const YamlNode& root, const std::string& file) {
    const YamlNode* status = root.find("status");
    if (status != nullptr && status->is_map() && !status->children.empty())
      diagnostics_.push_back({Severity::Note, "Dropped", file, status->key_range, "status",
                              "a Job that is created begins without status, so this is not used", ""});
    const YamlNode* metadata = root.find("metadata");
    const YamlNode* deletion = metadata == nullptr ? nullptr : metadata->find("deletionTimestamp");
    if (deletion != nullptr && !deletion->is_null())
      diagnostics_.push_back({Severity::Warning, "Dropped", file, deletion->key_range, "metadata.deletionTimestamp",
                              "a Job that is created is not being deleted, so this is not used",
                              "the deletion of Jobs is not simulated"});
  }

  /// Pods are called `<job>-<task>-<index>`. The API server refuses a pod whose name is no DNS-1123 subdomain, and the
  /// webhook of Volcano a task whose name is no DNS-1123 label.
  bool names_usable(const Job& job, const JobSpec& spec, const YamlNode& root, const std::string& file) {
    constexpr std::size_t kNameBytesMax = 253;
    bool good = true;
    for (std::size_t i = 0; i < spec.tasks.size(); ++i) {
      const TaskSpec& task = spec.tasks[i];
      const std::string field = "spec.tasks[" + std::to_string(i) + "].name";
      const std::string pod =
          job.meta.name + "-" + task.name + "-" + std::to_string(std::max<std::int32_t>(task.replicas, 1) - 1);
      if (!is_dns_subdomain(pod)) {
        report(Severity::Error, "InvalidName", root, file, field,
               "pods of task `" + task.name + "` cannot be created: the API server refuses names such as `" + pod + "`",
               "lower-case letters, digits and `-` are allowed");
        good = false;
      } else if (pod.size() > kNameBytesMax) {
        report(Severity::Error, "InvalidName", root, file, field,
               "pods of this task cannot be created: their names would have " + std::to_string(pod.size()) +
                   " characters, " + std::to_string(kNameBytesMax) + " are allowed");
        good = false;
      } else if (!is_dns_label(task.name) || task.name.size() > 63) {
        report(Severity::Warning, "InvalidName", root, file, field,
               "Volcano's webhook refuses the task name `" + task.name + "`; without the webhook it can be used",
               "at most 63 lower-case letters, digits and `-`, beginning and ending with a letter or digit");
      }
    }
    return good;
  }

  /// A delayed action behind the end of time never runs. In a cluster it does not either, within anybody's life.
  void warn_of_unreachable_timeouts(const JobSpec& spec, const YamlNode& root, const std::string& file) {
    const auto check = [&](const std::vector<LifecyclePolicy>& policies, const std::string& path) {
      for (std::size_t i = 0; i < policies.size(); ++i) {
        const auto& timeout = policies[i].timeout;
        if (!timeout || options_.start + *timeout < end_of_time(options_.start)) continue;
        report(Severity::Warning, "OutOfRange", root, file, path + ".policies[" + std::to_string(i) + "].timeout",
               "a timeout of " + to_string(*timeout) + " never expires here: it leads behind " +
                   end_of_time_text(options_.start));
      }
    };
    check(spec.policies, "spec");
    for (std::size_t i = 0; i < spec.tasks.size(); ++i)
      check(spec.tasks[i].policies, "spec.tasks[" + std::to_string(i) + "]");
  }

  void note_what_is_assumed(const JobSpec& spec, const YamlNode& root, const std::string& file) {
    if (spec.queue != "default")
      report(Severity::Note, "Assumed", root, file, "spec.queue",
             "queue `" + spec.queue + "` is taken to exist and to be open");
    if (!spec.volumes.empty())
      report(Severity::Note, "Assumed", root, file, "spec.volumes", "claims that are named are taken to exist");
    for (std::size_t i = 0; i < spec.tasks.size(); ++i) {
      const Json::json_pointer place("/spec/restartPolicy");
      const Json& pod = spec.tasks[i].pod_template;
      if (pod.contains(place) && pod[place].is_string() && pod[place] != "Always") continue;
      report(Severity::Note, "Assumed", root, file, "spec.tasks[" + std::to_string(i) + "].template.spec.restartPolicy",
             options_.automation == Automation::Auto ? "with restartPolicy Always a kubelet starts ended containers "
                                                       "again, so such pods never end by themselves; here they do"
                                                     : "with restartPolicy Always a kubelet starts ended containers "
                                                       "again, so such pods never end by themselves",
             "set `restartPolicy: OnFailure` or `Never`");
    }
  }

  const SimulationOptions& options_;
  Diagnostics& diagnostics_;
  std::set<std::string> keys_;
  std::int64_t pods_ = 0;
};

}  // namespace

namespace {

/// Options with which the simulation could not even begin; fields are called as in `SimulationOptions`.
void check_times(const SimulationOptions& options, Diagnostics& diagnostics) {
  const auto check = [&](const char* field, Duration span, const std::string& message) {
    if (options.start + span < end_of_time(options.start)) return true;
    diagnostics.push_back({.severity = Severity::Error,
                           .code = "OutOfRange",
                           .field = field,
                           .message = message + " " + end_of_time_text(options.start)});
    return false;
  };
  if (!check("start", seconds(24 * 3600), to_rfc3339(options.start) + " is less than a day before")) return;
  const ClusterTimings& timings = options.timings;
  for (const auto& [field, span] :
       {std::pair("timings.admit", timings.admit), std::pair("timings.start", timings.start),
        std::pair("timings.remove", timings.remove), std::pair("timings.run", timings.run)})
    check(field, span, to_string(span) + " from the start lies behind");
}

}  // namespace

Result<Simulation> Simulation::create(const std::vector<SourceText>& sources, const SimulationOptions& options) {
  Diagnostics diagnostics;
  check_times(options, diagnostics);
  Loader loader(options, diagnostics);
  for (const SourceText& source : sources) loader.load(source);
  if (has_errors(diagnostics)) return Result<Simulation>::failure(std::move(diagnostics));
  if (loader.jobs.empty()) {
    const std::string file = sources.empty() ? std::string() : sources.front().file;
    diagnostics.push_back({Severity::Error,
                           "NothingToSimulate",
                           file,
                           {{1, 1}, {}},
                           "",
                           "no Volcano Job is among the documents",
                           "a Job has `apiVersion: batch.volcano.sh/v1alpha1` and `kind: Job`"});
    return Result<Simulation>::failure(std::move(diagnostics));
  }
  auto kept = std::make_shared<SimulationSources>();
  kept->jobs = std::move(loader.jobs);
  for (std::size_t i = 0; i < kept->jobs.size(); ++i) {
    const Job& job = kept->jobs[i].job;
    kept->by_key.emplace(job.key(), i);
    std::vector<std::string>& same_name = kept->by_name[job.meta.name];
    same_name.push_back(job.key());
    // A name of its own does not make a namespace new; look at the few there are.
    if (std::find(kept->namespaces.begin(), kept->namespaces.end(), job.meta.ns) == kept->namespaces.end())
      kept->namespaces.push_back(job.meta.ns);
  }
  return Result<Simulation>::success(Simulation(std::move(kept), options), std::move(diagnostics));
}

namespace {

ClusterConfig cluster_config(const SimulationOptions& options) {
  ClusterConfig config;
  config.timings = options.timings;
  config.scheduler = config.kubelet = options.automation != Automation::Manual;
  config.finish = options.automation == Automation::Auto;
  return config;
}

}  // namespace

Simulation::Simulation(std::shared_ptr<const SimulationSources> sources, const SimulationOptions& options)
    : sources_(std::move(sources)),
      options_(options),
      controller_(options.controller),
      cluster_(cluster_config(options)),
      now_(options.start) {
  for (const SimulationSources::Entry& entry : sources_->jobs) jobs_.push_back(entry.job.key());
}

std::optional<Simulation::Place> Simulation::place_of(const std::string& job_key, const std::string& field) const {
  const auto at = sources_->by_key.find(job_key);
  if (at == sources_->by_key.end()) return std::nullopt;
  const SimulationSources::Entry& entry = sources_->jobs[at->second];
  return Place{entry.file, range_of(entry.root, field)};
}

}  // namespace pumice
