// Manifests -> a simulation that has not begun (simulation.h, `Simulation::create`).
#include <algorithm>
#include <charconv>
#include <set>

#include "load_flows.h"
#include "load_kube_jobs.h"
#include "pumice/admission/review.h"
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

  /// What can be said when all objects are known.
  void finish() {
    check_queues();
    for (const SimulationSources::Flow& entry : flows) {
      simulation::warn_about_flow(entry, templates, options_.flow_quirks, diagnostics_);
      std::set<std::string_view> seen;
      for (const jobflow::Step& step : entry.flow.spec->steps) {
        if (!seen.insert(step.name).second) continue;
        for (const SimulationSources::Template& used : templates)
          if (used.made.key() == entry.flow.meta.ns + "/" + step.name) check_use(entry, step, used);
      }
    }
  }

  std::vector<SimulationSources::Entry> jobs;
  std::vector<SimulationSources::Flow> flows;
  std::vector<SimulationSources::Template> templates;
  std::map<std::string, ClusterQueue> queues;
  std::map<std::string, std::int32_t> priority_classes;
  std::map<std::string, std::int32_t> quotas;
  std::vector<SimulationSources::KubeJob> kube_jobs;

 private:
  /// A job whose queue is among the manifests is refused as the cluster refuses it.
  void check_queues() {
    admission::Options options;
    options.fill = options.schema = options.lint = false;
    options.queues.emplace();
    for (const auto& [name, queue] : queues) options.queues->push_back({name, queue.state, {}});
    for (const SimulationSources::Entry& entry : jobs) {
      if (!queues.contains(entry.job.spec->queue)) continue;
      const admission::Review review =
          admission::review(admission::Kind::VolcanoJob, to_json(entry.job), nullptr, options);
      for (const Diagnostic& finding : review.diagnostics)
        if (finding.severity == Severity::Error && finding.field == "spec.queue")
          report(Severity::Error, finding.code, entry.root, entry.file, finding.field, finding.message);
    }
  }

  void report(Severity severity, std::string code, const YamlNode& root, const std::string& file,
              const std::string& field, std::string message, std::string hint = {}) {
    diagnostics_.push_back(
        {severity, std::move(code), file, range_of(root, field), field, std::move(message), std::move(hint)});
  }

  void load_object(YamlNode root, const ObjectHeader& header, const std::string& file) {
    if (jobflow::is_job_flow(header)) {
      auto read = jobflow::read_flow(root, file);
      diagnostics_.insert(diagnostics_.end(), read.diagnostics.begin(), read.diagnostics.end());
      if (read.ok()) add_flow(std::move(*read.value), std::move(root), file);
      return;
    }
    if (jobflow::is_job_template(header)) {
      auto read = jobflow::read_template(root, file);
      diagnostics_.insert(diagnostics_.end(), read.diagnostics.begin(), read.diagnostics.end());
      if (read.ok()) add_template(std::move(*read.value), std::move(root), file);
      return;
    }
    if (simulation::is_kube_job(header)) {
      if (auto job = simulation::load_kube_job(root, file, options_, pods_, diagnostics_))
        if (is_new("batch/v1 Job", job->key(), root, file))
          kube_jobs.push_back({*std::move(job), file, std::move(root)});
      return;
    }
    if (!header.is_volcano_job()) {
      if (header.type_text() == "scheduling.volcano.sh/v1beta1/Queue") return load_queue(root, file);
      if (header.type_text() == "scheduling.k8s.io/v1/PriorityClass") return load_priority_class(root, file);
      if (header.type_text() == "v1/ResourceQuota") return load_quota(root, file);
      constexpr const char* kHint =
          "simulated are `batch/v1/Job`, `batch.volcano.sh/v1alpha1/Job`, `flow.volcano.sh/v1alpha1/JobFlow` and its "
          "`JobTemplate`; Queue, PriorityClass and ResourceQuota are looked at";
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

  void add_flow(jobflow::JobFlow flow, YamlNode root, const std::string& file) {
    note_what_is_dropped(root, file, "JobFlow");
    flow.status = {};
    flow.meta.deletion.reset();
    if (is_new("JobFlow", flow.key(), root, file)) flows.push_back({std::move(flow), file, std::move(root)});
  }

  void add_template(jobflow::JobTemplate made, YamlNode root, const std::string& file) {
    note_what_is_dropped(root, file, "JobTemplate");
    made.jobs.clear();
    made.meta.deletion.reset();
    Job job;
    job.meta = made.meta;
    job.spec = made.spec;
    const bool usable = check_spec(job, "JobTemplate", root, file);
    if (usable) templates.push_back({std::move(made), file, std::move(root)});
  }

  /// The job that a flow makes of a template: its pods count, and so do their names.
  void check_use(const SimulationSources::Flow& entry, const jobflow::Step& step,
                 const SimulationSources::Template& used) {
    const Job job = jobflow::job_of(entry.flow, step, used.made);
    JobSpec spec = *job.spec;
    volcano::apply_defaults(spec);
    const bool fits = count_pods(spec, used.root, used.file);
    if (fits) (void)names_usable(job, spec, used.root, used.file);
  }

  bool is_new(const std::string& kind, const std::string& key, const YamlNode& root, const std::string& file) {
    if (keys_.insert(kind + " " + key).second) return true;
    report(Severity::Error, "DuplicateObject", root, file, "metadata.name",
           "there are two " + kind + "s called `" + key + "`");
    return false;
  }

  bool count_pods(const JobSpec& spec, const YamlNode& root, const std::string& file) {
    for (const TaskSpec& task : spec.tasks) pods_ += std::max(task.replicas, 0);
    if (pods_ <= options_.pods_max) return true;
    report(
        Severity::Error, "LimitExceeded", root, file, "spec.tasks",
        std::to_string(pods_) + " pods are more than the " + std::to_string(options_.pods_max) + " that are simulated");
    return false;
  }

  static std::string name_in(const Json& object, const char* member) {
    const Json& name = member_of(member_of(object, "metadata"), member);
    return name.is_string() ? name.get<std::string>() : std::string();
  }

  std::optional<std::string> name_of(const Json& object, const YamlNode& root, const std::string& file) {
    std::string name = name_in(object, "name");
    if (!name.empty()) return name;
    report(Severity::Error, "MissingField", root, file, "metadata.name", "the object has no name");
    return std::nullopt;
  }

  /// A queue without a state is taken to be open: a cluster opens new ones at once.
  void load_queue(const YamlNode& root, const std::string& file) {
    const Json object = to_json(root);
    const auto name = name_of(object, root, file);
    if (!name) return;
    ClusterQueue queue;
    const Json& state = member_of(member_of(object, "status"), "state");
    if (state.is_string() && !state.get_ref<const std::string&>().empty()) queue.state = state.get<std::string>();
    const Json& extends = member_of(member_of(object, "spec"), "extendClusters");
    queue.extends = extends.is_array() && !extends.empty();
    const Json& capability = member_of(member_of(object, "spec"), "capability");
    if (capability.is_object()) {
      for (const auto& [resource, value] : capability.items()) {
        const std::string text = value.is_string() ? value.get<std::string>() : to_text(value);
        const auto quantity = parse_quantity(text);
        if (quantity)
          queue.capability[resource] = *quantity;
        else
          report(Severity::Error, "InvalidQuantity", root, file, "spec.capability." + resource,
                 "`" + text + "` is not a quantity");
      }
    }
    if (!queues.emplace(*name, std::move(queue)).second)
      report(Severity::Error, "DuplicateObject", root, file, "metadata.name",
             "there are two Queues called `" + *name + "`");
  }

  void load_priority_class(const YamlNode& root, const std::string& file) {
    const Json object = to_json(root);
    const auto name = name_of(object, root, file);
    const Json& value = member_of(object, "value");
    const bool is_good =
        value.is_number_integer() && value >= std::int64_t{INT32_MIN} && value <= std::int64_t{INT32_MAX};
    if (!is_good) {
      report(Severity::Error, "OutOfRange", root, file, "value", "a PriorityClass has a whole number as its value");
      return;
    }
    if (name) priority_classes[*name] = value.get<std::int32_t>();
  }

  /// Of quotas only the number of pods is looked at.
  void load_quota(const YamlNode& root, const std::string& file) {
    const Json object = to_json(root);
    const auto name = name_of(object, root, file);
    if (!name) return;
    std::string ns = name_in(object, "namespace");
    if (ns.empty()) ns = "default";
    const Json& hard = member_of(member_of(object, "spec"), "hard");
    bool any = false;
    for (const char* resource : {"pods", "count/pods"}) {
      const Json& value = member_of(hard, resource);
      if (value.is_null()) continue;
      const std::string text = value.is_string() ? value.get<std::string>() : to_text(value);
      std::int32_t pods = -1;
      const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), pods);
      if (error != std::errc{} || rest != text.data() + text.size()) pods = -1;
      if (pods < 0) {
        report(Severity::Error, "InvalidQuantity", root, file, std::string("spec.hard.") + resource,
               "the number of pods is a whole number, not negative");
        continue;
      }
      const auto [at, is_new] = quotas.emplace(ns, pods);
      if (!is_new) at->second = std::min(at->second, pods);
      any = true;
    }
    if (!any) report(Severity::Note, "Assumed", root, file, "spec.hard", "of a ResourceQuota only `pods` is looked at");
  }

  void add_job(Job job, YamlNode root, const std::string& file) {
    // A created object begins without status; the API server drops what a manifest says of it.
    note_what_is_dropped(root, file, "Job");
    job.status = {};
    job.meta.deletion.reset();
    if (check_spec(job, "Job", root, file)) jobs.push_back({std::move(job), file, std::move(root)});
  }

  /// Fills in the defaults of the job's spec and says what is wrong with it; false if it cannot be simulated.
  bool check_spec(Job& job, const std::string& kind, const YamlNode& root, const std::string& file) {
    JobSpec spec = *job.spec;
    volcano::apply_defaults(spec);
    bool usable = true;
    for (Diagnostic& finding : volcano::structural_errors(spec)) {
      finding.file = file;
      finding.range = range_of(root, finding.field);
      diagnostics_.push_back(std::move(finding));
      usable = false;
    }
    if (!is_new(kind, job.key(), root, file)) usable = false;
    // What a template makes is looked at where a flow uses it.
    const bool is_job = kind == "Job";
    if (is_job && !count_pods(spec, root, file)) usable = false;
    if (!counts_in_range(spec, root, file)) usable = false;
    if (is_job && !names_usable(job, spec, root, file)) usable = false;
    warn_of_unreachable_timeouts(spec, root, file);
    note_what_is_assumed(spec, root, file);
    job.spec = std::make_shared<const JobSpec>(std::move(spec));
    return usable;
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

  void note_what_is_dropped(const YamlNode& root, const std::string& file, const std::string& kind) {
    const YamlNode* status = root.find("status");
    if (status != nullptr && status->is_map() && !status->children.empty())
      diagnostics_.push_back({Severity::Note, "Dropped", file, status->key_range, "status",
                              "a " + kind + " that is created begins without status, so this is not used", ""});
    const YamlNode* metadata = root.find("metadata");
    const YamlNode* deletion = metadata == nullptr ? nullptr : metadata->find("deletionTimestamp");
    if (deletion != nullptr && !deletion->is_null())
      diagnostics_.push_back({Severity::Warning, "Dropped", file, deletion->key_range, "metadata.deletionTimestamp",
                              "a " + kind + " that is created is not being deleted, so this is not used",
                              kind == "Job" ? "delete it by an event: `delete`" : ""});
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
    if (spec.queue != "default" && !queues.contains(spec.queue))
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
        std::pair("timings.remove", timings.remove), std::pair("timings.run", timings.run),
        std::pair("timings.collect", timings.collect), std::pair("timings.tolerate", timings.tolerate)})
    check(field, span, to_string(span) + " from the start lies behind");
}

}  // namespace

Result<Simulation> Simulation::create(const std::vector<SourceText>& sources, const SimulationOptions& options) {
  Diagnostics diagnostics;
  check_times(options, diagnostics);
  Loader loader(options, diagnostics);
  for (const SourceText& source : sources) loader.load(source);
  loader.finish();
  if (has_errors(diagnostics)) return Result<Simulation>::failure(std::move(diagnostics));
  if (loader.jobs.empty() && loader.flows.empty() && loader.kube_jobs.empty()) {
    const std::string file = sources.empty() ? std::string() : sources.front().file;
    diagnostics.push_back(
        {Severity::Error,
         "NothingToSimulate",
         file,
         {{1, 1}, {}},
         "",
         loader.templates.empty()
             ? "no Job is among the documents"
             : "no Volcano Job or JobFlow is among the documents, and a JobTemplate alone does nothing",
         "a Job has `kind: Job` and `apiVersion: batch/v1` or, of Volcano, `batch.volcano.sh/v1alpha1`"});
    return Result<Simulation>::failure(std::move(diagnostics));
  }
  auto kept = std::make_shared<SimulationSources>();
  kept->jobs = std::move(loader.jobs);
  kept->flows = std::move(loader.flows);
  kept->templates = std::move(loader.templates);
  kept->kube_jobs = std::move(loader.kube_jobs);
  const auto add_namespace = [&kept](const std::string& ns) {
    // A name of its own does not make a namespace new; look at the few there are.
    if (std::find(kept->namespaces.begin(), kept->namespaces.end(), ns) == kept->namespaces.end())
      kept->namespaces.push_back(ns);
  };
  kept->queues = std::move(loader.queues);
  kept->priority_classes = std::move(loader.priority_classes);
  kept->quotas = std::move(loader.quotas);
  for (std::size_t i = 0; i < kept->jobs.size(); ++i) {
    const Job& job = kept->jobs[i].job;
    kept->by_key.emplace(job.key(), i);
    std::vector<std::string>& same_name = kept->by_name[job.meta.name];
    same_name.push_back(job.key());
    add_namespace(job.meta.ns);
  }
  for (const SimulationSources::Flow& entry : kept->flows) add_namespace(entry.flow.meta.ns);
  for (const SimulationSources::KubeJob& entry : kept->kube_jobs) add_namespace(entry.job.meta.ns);
  return Result<Simulation>::success(Simulation(std::move(kept), options), std::move(diagnostics));
}

namespace {

ClusterConfig cluster_config(const SimulationOptions& options) {
  ClusterConfig config;
  config.timings = options.timings;
  config.scheduler = config.kubelet = options.automation != Automation::Manual;
  config.collector = options.automation != Automation::Manual;
  config.finish = options.automation == Automation::Auto;
  return config;
}

}  // namespace

Simulation::Simulation(std::shared_ptr<const SimulationSources> sources, const SimulationOptions& options)
    : sources_(std::move(sources)),
      options_(options),
      controller_(options.controller),
      cluster_(cluster_config(options)),
      side_({options.flow_quirks, options.controller.requeue_max}),
      wire_(options.faults),
      kube_(simulation::kube_config(options)),
      now_(options.start) {
  for (const SimulationSources::Entry& entry : sources_->jobs) jobs_.push_back(entry.job.key());
}

std::optional<Simulation::Place> Simulation::place_of(const std::string& job_key, const std::string& field) const {
  if (const auto at = sources_->by_key.find(job_key); at != sources_->by_key.end()) {
    const SimulationSources::Entry& entry = sources_->jobs[at->second];
    return Place{entry.file, range_of(entry.root, field)};
  }
  for (const SimulationSources::KubeJob& entry : sources_->kube_jobs)
    if (entry.job.key() == job_key) return Place{entry.file, range_of(entry.root, field)};
  // The spec of a job that a flow made is that of its template.
  const volcano::JobPtr job = cluster_.last_job(job_key);
  if (!job) return std::nullopt;
  for (const SimulationSources::Template& entry : sources_->templates)
    if (jobflow::mark_of(*job, jobflow::kByTemplate) == jobflow::mark(entry.made.meta.ns, entry.made.meta.name))
      return Place{entry.file, range_of(entry.root, field)};
  return std::nullopt;
}

}  // namespace pumice
