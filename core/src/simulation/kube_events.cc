// The user's events about batch/v1 Jobs and their pods.
#include <algorithm>
#include <charconv>

#include "compose.h"
#include "overloaded.h"
#include "pumice/kubejob/reader.h"
#include "pumice/simulation/simulation.h"
#include "simulation/kube_parts.h"
#include "sources.h"

namespace pumice {

namespace simulation {

kubeworld::PodChange pod_change(const PodEvent& event) {
  kubeworld::PodChange change;
  change.phase = event.phase;
  change.exit_code = event.exit_code;
  change.container = event.container;
  change.restarts = event.restarts;
  change.ready = event.ready;
  if (!event.reason.empty()) change.reason = event.reason;
  change.deleted = event.deleted;
  change.evicted = event.evicted;
  change.gone = event.gone;
  return change;
}

bool any_kube_job_is(const kubeworld::World& world, const std::string& key, std::string_view state) {
  return std::any_of(world.jobs().begin(), world.jobs().end(), [&](const std::string& one) {
    return (key.empty() || key == one) && kubeworld::state_of(world.job(one).get()) == state;
  });
}

bool kube_state_changed(const StepRecord& step, const std::string& key) {
  return std::any_of(step.kube.changes.begin(), step.kube.changes.end(), [&](const kubeworld::JobChange& change) {
    return change.state_before != change.state_after && (key.empty() || key == change.job_key);
  });
}

namespace {

/// Sets what a path such as `spec.parallelism` or `spec.template.spec.containers[main].image` names; null takes it
/// away. Returns what is wrong with it.
std::string set_field(Json& root, std::string_view path, const Json& value) {
  Json* at = &root;
  bool first = true;
  while (!path.empty()) {
    const bool bracket = path.front() == '[';
    if (bracket || path.front() == '.') path.remove_prefix(1);
    const std::size_t end = bracket ? path.find(']') : path.find_first_of(".[");
    const std::string name(path.substr(0, end));
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + (bracket ? 1 : 0));
    if (name.empty()) return "a part of the path is empty";
    if (first && name == "status") return "`status` is the controller's, not yours";
    if (first && name != "spec" && name != "metadata") at = &(*at)["spec"];
    first = false;
    if (at->is_array()) {
      std::size_t index = at->size();
      (void)std::from_chars(name.data(), name.data() + name.size(), index);
      for (std::size_t i = 0; i < at->size() && index >= at->size(); ++i)
        if (member_of((*at)[i], "name") == name) index = i;
      if (index >= at->size()) return compose("there is no item `{}`", name);
      at = &(*at)[index];
      if (path.empty()) *at = value;
      continue;
    }
    if (at->is_null()) *at = Json::object();
    if (!at->is_object()) return compose("`{}` lies within a value that has no fields", name);
    if (path.empty() && value.is_null())
      at->erase(name);
    else if (path.empty())
      (*at)[name] = value;
    else
      at = &(*at)[name];
  }
  return {};
}

std::optional<kubeworld::WatchMode> watch_mode(WatchFault::Mode mode) {
  switch (mode) {
    case WatchFault::Mode::Hold: return kubeworld::WatchMode::Hold;
    case WatchFault::Mode::Double: return kubeworld::WatchMode::Double;
    case WatchFault::Mode::Drop: return kubeworld::WatchMode::Drop;
    case WatchFault::Mode::Relist: return kubeworld::WatchMode::Pass;
    case WatchFault::Mode::Release: return std::nullopt;
  }
  return std::nullopt;
}

kubejob::ResultCode result_code(volcano::ResultCode code) {
  return kubejob::result_code_from(volcano::to_string(code)).value_or(kubejob::ResultCode::Other);
}

}  // namespace
}  // namespace simulation

bool Simulation::is_kube_pod(const std::string& key) const {
  return !cluster_.pods().contains(key) && kube_.pod(key) != nullptr;
}

std::string Simulation::find_kube_job(const std::string& name) const {
  std::string found;
  for (const std::string& key : kube_.jobs()) {
    const bool meant = name.empty() || key == name || std::string_view(key).substr(key.find('/') + 1) == name;
    if (!meant) continue;
    if (!found.empty() || (name.empty() && !jobs_.empty())) return {};
    found = key;
  }
  return found;
}

bool Simulation::is_about_kube(const UserEvent& event) const {
  if (kube_.jobs().empty()) return false;
  const auto named = [this](const std::string& job) { return !find_kube_job(job).empty(); };
  return std::visit(Overloaded{
                        [](const PodEvent&) { return false; },
                        [&](const PodGroupEvent& what) { return named(what.job); },
                        [&](const CommandEvent& what) { return named(what.job); },
                        [](const AdvanceEvent&) { return false; },
                        [](const UntilEvent&) { return false; },
                        [&](const DeleteEvent& what) { return named(what.job); },
                        [&](const CreateEvent& what) { return named(what.job); },
                        [&](const EditEvent& what) { return named(what.job); },
                        [](const QueueEvent&) { return false; },
                        // Where there are Volcano Jobs too, it is their controller that suffers.
                        [&](const FaultEvent&) { return jobs_.empty(); },
                    },
                    event.what);
}

bool Simulation::carry_out_on_kube(const UserEvent& event, std::string& refused) {
  if (!is_about_kube(event)) return false;
  if (const auto* group = std::get_if<PodGroupEvent>(&event.what)) {
    refused = "`" + name_of(find_kube_job(group->job)) + "` is a batch/v1 Job: it has no PodGroup";
  } else if (const auto* command = std::get_if<CommandEvent>(&event.what)) {
    refused = "`" + name_of(find_kube_job(command->job)) +
              "` is a batch/v1 Job: it takes no commands, but `edit` (suspend, parallelism) and `delete`";
  } else if (const auto* gone = std::get_if<DeleteEvent>(&event.what)) {
    refused =
        kube_.delete_job(find_kube_job(gone->job),
                         gone->foreground ? kubejob::Propagation::Foreground : kubejob::Propagation::Background, now_);
  } else if (const auto* made = std::get_if<CreateEvent>(&event.what)) {
    const std::string key = find_kube_job(made->job);
    for (const SimulationSources::KubeJob& entry : sources_->kube_jobs)
      if (entry.job.key() == key) refused = kube_.create_job(entry.job, now_);
  } else if (const auto* edit = std::get_if<EditEvent>(&event.what)) {
    edit_kube_job(*edit, find_kube_job(edit->job), refused);
  } else if (const auto* fault = std::get_if<FaultEvent>(&event.what)) {
    fault_kube(*fault, refused);
  }
  return true;
}

void Simulation::edit_kube_job(const EditEvent& event, const std::string& key, std::string& refused) {
  const kubejob::JobPtr job = kube_.job(key);
  if (!job) {
    refused = "the job `" + name_of(key) + "` does not exist now";
    return;
  }
  const Json before = kubejob::to_json(*job);
  Json after = before;
  for (const auto& [path, value] : event.set) {
    if (std::string problem = simulation::set_field(after, path, value); !problem.empty()) {
      refused = "`" + path + "`: " + problem;
      return;
    }
  }
  if (after == before)
    refused = "nothing changes: job `" + name_of(key) + "` is so already";
  else
    refused = kube_.update_job(key, after);
}

void Simulation::fault_kube(const FaultEvent& event, std::string& refused) {
  std::visit(
      Overloaded{
          [&](const ControllerFault& fault) {
            if (fault.effects) {
              refused = "a crash after a number of effects is not simulated for batch/v1 Jobs";
              return;
            }
            if (fault.what == ControllerFault::What::Up) {
              refused = kube_.start_controllers(now_);
              return;
            }
            refused = kube_.stop_controllers(fault.duration ? std::optional(now_ + *fault.duration) : std::nullopt);
            if (refused.empty() && fault.what == ControllerFault::What::Restart && !fault.duration)
              refused = kube_.start_controllers(now_);
          },
          [&](const EffectFault& fault) {
            const auto& kinds = kubeworld::effect_kinds();
            if (!fault.kind.empty() && std::find(kinds.begin(), kinds.end(), fault.kind) == kinds.end()) {
              refused = "no controller of batch/v1 Jobs asks for `" + fault.kind + "`";
              return;
            }
            kube_.add_fault({fault.kind, fault.name, simulation::result_code(fault.result), fault.done, fault.times});
          },
          [&](const WatchFault& fault) {
            if (fault.duration) {
              refused = "a fault of a watch with an end is not simulated for batch/v1 Jobs: mend it with `release`";
              return;
            }
            for (const kubeworld::WatchKind kind : kubeworld::kWatchKinds) {
              if (fault.kind && to_string(*fault.kind) != kubeworld::to_string(kind)) continue;
              if (const auto mode = simulation::watch_mode(fault.mode))
                kube_.set_watch(kind, *mode);
              else if (fault.count)
                kube_.release_watch(kind, *fault.count);
              else
                kube_.set_watch(kind, kubeworld::WatchMode::Pass);
            }
          },
          [&](const NodeFault& fault) {
            kubeworld::PodChange change;
            change.node_lost = !fault.back;
            bool any = false;
            for (const std::string& key : kube_.find_pods(fault.pods)) {
              std::string problem = kube_.change_pod(key, change, now_);
              any = any || problem.empty();
              if (refused.empty()) refused = std::move(problem);
            }
            if (any) refused.clear();
            if (!any && refused.empty()) refused = no_such_pod(fault.pods);
          },
          [&](const QuotaFault&) { refused = "quotas are not simulated for batch/v1 Jobs"; },
          [&](const MendFault&) {
            kube_.clear_faults();
            for (const kubeworld::WatchKind kind : kubeworld::kWatchKinds)
              kube_.set_watch(kind, kubeworld::WatchMode::Pass);
          },
      },
      event.what);
}

/// Pods by their number, and the job as a whole.
void Simulation::add_kube_palette(std::vector<PaletteEntry>& list) const {
  constexpr std::size_t kPodsMax = 24;
  for (const std::string& key : kube_.jobs()) {
    const std::string name = name_of(key);
    const auto add = [&list](std::string group, std::string label, auto what, std::string disabled) {
      list.push_back(
          {std::move(group), std::move(label), UserEvent{std::nullopt, {std::move(what)}}, std::move(disabled)});
    };
    const kubejob::JobPtr job = kube_.job(key);
    const std::string of_job = "Job " + name;
    if (!job) {
      add(of_job, "is created again", CreateEvent{name}, {});
      continue;
    }
    const bool finished = job->status.finished() != nullptr;
    const std::string why_not = finished ? "it is finished" : "";
    const bool suspended = job->spec->is_suspended();
    add(of_job, suspended ? "is resumed" : "is suspended", EditEvent{name, {{"spec.suspend", !suspended}}}, why_not);
    const std::int32_t parallelism = job->spec->parallelism.value_or(1);
    if (!job->spec->is_indexed() || job->spec->completions != job->spec->parallelism)
      add(of_job, compose("parallelism {}", parallelism + 1), EditEvent{name, {{"spec.parallelism", parallelism + 1}}},
          why_not);
    else
      add(of_job, compose("completions and parallelism {}", parallelism + 1),
          EditEvent{name, {{"spec.completions", parallelism + 1}, {"spec.parallelism", parallelism + 1}}}, why_not);
    const std::string deleting = job->meta.deletion ? "it is being deleted already" : "";
    add(of_job, "is deleted", DeleteEvent{name, false}, deleting);
    add(of_job, "is deleted in the foreground", DeleteEvent{name, true}, deleting);

    std::vector<const kubeworld::PodState*> pods = kube_.pods_of(key);
    std::erase_if(pods, [](const kubeworld::PodState* pod) { return pod->run.has_ended(); });
    for (std::size_t i = 0; i < std::min(pods.size(), kPodsMax); ++i) {
      const kubeworld::PodState& pod = *pods[i];
      const std::string full = name_of(pod.key);
      const std::string group = "Pod " + pod.key.substr(key.size() + 1) + " of " + name;
      const auto add_pod = [&](std::string label, auto change) {
        PodEvent event;
        event.pod = full;
        change(event);
        std::string disabled = kube_.impossible(pod.key, simulation::pod_change(event));
        add(group, std::move(label), std::move(event), std::move(disabled));
      };
      add_pod("runs", [](PodEvent& event) { event.phase = PodPhase::Running; });
      add_pod("succeeds", [](PodEvent& event) { event.phase = PodPhase::Succeeded; });
      for (const std::int32_t code : {1, 137, 143})
        add_pod("fails with exit code " + std::to_string(code), [code](PodEvent& event) {
          event.phase = PodPhase::Failed;
          event.exit_code = code;
        });
      if (pod.run.containers.size() > 1 || pod.run.plan->restarts_on_failure) {
        for (const kubeworld::ContainerPlan& container : pod.run.plan->containers)
          for (const std::int32_t code : {0, 1})
            add_pod(compose("container {} exits with {}", container.name, code), [&](PodEvent& event) {
              event.container = container.name;
              event.exit_code = code;
            });
      }
      for (const char* reason : {"ErrImagePull", "Unschedulable", "CreateContainerConfigError"})
        if (!pod.run.has_ended() && phase_of(pod.run) == PodPhase::Pending)
          add_pod(std::string("cannot start: ") + reason, [reason](PodEvent& event) { event.reason = reason; });
      add_pod("is evicted", [](PodEvent& event) { event.evicted = true; });
      add_pod("is deleted", [](PodEvent& event) { event.deleted = true; });
      add_pod("vanishes", [](PodEvent& event) { event.gone = true; });
    }
  }
}

}  // namespace pumice
