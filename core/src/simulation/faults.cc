// The user's events about jobs, queues and faults: carried out, or refused with a reason.
#include <algorithm>
#include <charconv>

#include "compose.h"
#include "overloaded.h"
#include "pumice/admission/review.h"
#include "pumice/model/reader.h"
#include "pumice/simulation/simulation.h"
#include "pumice/volcano/defaults.h"
#include "sources.h"

namespace pumice {

using namespace volcano;

// -- Jobs.

std::string Simulation::target(const DeleteEvent& event, std::string& refused) const {
  const std::string key = find_job(event.job, refused);
  if (key.empty() || !cluster_.jobs().at(key)->meta.deletion) return key;
  refused = "job `" + name_of(key) + "` is being deleted already";
  return "";
}

void Simulation::carry_out(const DeleteEvent& event, std::string& refused) {
  const std::string key = target(event, refused);
  if (!key.empty())
    cluster_.delete_job(key, now_, event.foreground ? Propagation::Foreground : Propagation::Background);
}

std::string Simulation::target(const CreateEvent& event, std::string& refused) const {
  std::string name = event.job;
  // Without a name the one that is gone is meant, if there is just one.
  std::vector<std::string> gone;
  for (const std::string& job : jobs_)
    if (!cluster_.jobs().contains(job)) gone.push_back(job);
  if (name.empty() && gone.size() == 1) name = gone.front();
  const std::string key = find_job(name, refused, true);
  if (key.empty()) return "";
  if (cluster_.jobs().contains(key))
    refused = "job `" + name_of(key) + "` exists already";
  else if (!is_in_manifests(key))
    refused = "job `" + name_of(key) + "` is made by its JobFlow";
  else
    return key;
  return "";
}

void Simulation::carry_out(const CreateEvent& event, std::string& refused) {
  const std::string key = target(event, refused);
  if (!key.empty()) cluster_.submit_job(sources_->jobs[sources_->by_key.at(key)].job, now_);
}

namespace {

/// A step of a path: a member, an item of a list, or an item that is told by its name.
struct PathStep {
  std::string name;
  bool in_brackets = false;
};

std::vector<PathStep> split_path(const std::string& path) {
  std::vector<PathStep> steps;
  std::string part;
  bool in_brackets = false;
  const auto take = [&] {
    if (!part.empty() || in_brackets) steps.push_back({part, in_brackets});
    part.clear();
  };
  for (const char c : path) {
    if (in_brackets ? c == ']' : c == '[' || c == '.') {
      take();
      in_brackets = c == '[';
    } else {
      part += c;
    }
  }
  take();
  return steps;
}

/// The item of a list that a step in brackets names: by number, or by its member `name`.
Json* item_of(Json& list, const std::string& name) {
  std::size_t index = 0;
  const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  if (error == std::errc{} && rest == name.data() + name.size()) return index < list.size() ? &list[index] : nullptr;
  for (Json& item : list)
    if (member_of(item, "name") == name) return &item;
  return nullptr;
}

/// Sets a value; what is wrong with the path, or nothing.
std::string set_value(Json& root, const std::string& path, const Json& value) {
  std::vector<PathStep> steps = split_path(path);
  if (steps.empty()) return "`" + path + "` names no field";
  if (steps.front().name != "spec" && steps.front().name != "metadata") {
    if (steps.front().name == "status") return "`status` is the controller's, not yours";
    steps.insert(steps.begin(), {"spec", false});
  }
  Json* at = &root;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool is_last = i + 1 == steps.size();
    if (at->is_array()) {
      at = steps[i].in_brackets ? item_of(*at, steps[i].name) : nullptr;
      if (at == nullptr) return "`" + path + "`: there is no item `" + steps[i].name + "`";
      if (is_last) *at = value;
      continue;
    }
    if (at->is_null()) *at = Json::object();
    if (!at->is_object()) return "`" + path + "`: `" + steps[i].name + "` lies within a value that has no fields";
    if (is_last && value.is_null())
      at->erase(steps[i].name);
    else if (is_last)
      (*at)[steps[i].name] = value;
    else
      at = &(*at)[steps[i].name];
  }
  return {};
}

}  // namespace

/// The job as it would be, if the webhook lets it pass.
std::optional<Job> Simulation::edited(const EditEvent& event, std::string& key, std::string& refused) const {
  key = find_job(event.job, refused);
  if (key.empty()) return std::nullopt;
  const Json before = to_json(*cluster_.jobs().at(key));
  Json after = before;
  for (const auto& [path, value] : event.set) {
    refused = set_value(after, path, value);
    if (!refused.empty()) return std::nullopt;
  }
  if (after == before) {
    refused = "nothing changes: job `" + name_of(key) + "` is so already";
    return std::nullopt;
  }
  admission::Options options;
  options.fill = false;
  options.lint = false;
  const admission::Review review = admission::review(admission::Kind::VolcanoJob, after, &before, options);
  if (!review.allowed) {
    refused = "the cluster refuses the edit: " + review.message;
    return std::nullopt;
  }
  const auto tree = node_from_json(after);
  auto job = tree.ok() ? read_job(*tree.value, {}, ReadMode::Wire) : Result<Job>::failure({});
  if (!job.ok()) {
    refused = "the job cannot be read with this edit";
    if (!job.diagnostics.empty()) refused += ": " + to_text(job.diagnostics.front());
    return std::nullopt;
  }
  if (const Diagnostics wrong = structural_errors(*job.value->spec); !wrong.empty()) {
    refused = to_text(wrong.front());
    return std::nullopt;
  }
  std::int64_t pods = 0;
  for (const auto& [other_key, other] : cluster_.jobs())
    for (const TaskSpec& task : (other_key == key ? *job.value : *other).spec->tasks)
      pods += std::max(task.replicas, 0);
  if (pods > options_.pods_max) {
    refused = compose("{} pods are more than the {} that are simulated", pods, options_.pods_max);
    return std::nullopt;
  }
  return std::move(*job.value);
}

void Simulation::carry_out(const EditEvent& event, std::string& refused) {
  std::string key;
  if (std::optional<Job> job = edited(event, key, refused)) cluster_.edit_job(key, std::move(*job));
}

// -- Queues.

std::string Simulation::why_not(const QueueEvent& event) const {
  const auto queue = cluster_.queues().find(event.queue);
  if (queue == cluster_.queues().end())
    return event.deleted ? "there is no queue `" + event.queue + "`" : std::string();
  if (event.deleted || queue->second.state != event.state) return {};
  return "queue `" + event.queue + "` is " + event.state + " already";
}

void Simulation::carry_out(const QueueEvent& event, std::string& refused) {
  refused = why_not(event);
  if (!refused.empty()) return;
  if (event.deleted) {
    cluster_.delete_queue(event.queue);
    return;
  }
  const auto known = cluster_.queues().find(event.queue);
  ClusterQueue queue = known == cluster_.queues().end() ? ClusterQueue{} : known->second;
  queue.state = event.state;
  cluster_.set_queue(event.queue, std::move(queue));
}

// -- Faults.

std::vector<std::string> Simulation::targets(const NodeFault& fault, std::string& refused) const {
  std::vector<std::string> keys = find_pods(fault.pods, refused);
  if (keys.empty()) return keys;
  std::erase_if(keys, [&](const std::string& key) { return cluster_.pods().at(key).lost != fault.back; });
  if (keys.empty())
    refused =
        "`" + fault.pods + "`: " + (fault.back ? "no node of these pods is lost" : "their nodes are lost already");
  return keys;
}

std::string Simulation::why_not(const FaultEvent& event) const {
  constexpr const char* kIsDown = "the controller is down; `fault controllerUp` starts it";
  const bool up = wire_.is_up();
  return std::visit(
      Overloaded{
          [&](const ControllerFault& fault) -> std::string {
            if (fault.what != ControllerFault::What::Up) return up ? "" : kIsDown;
            return up ? "the controller runs already" : "";
          },
          [](const EffectFault&) { return std::string(); },
          [](const MendFault&) { return std::string(); },
          [&](const WatchFault& fault) -> std::string {
            if (!up) return std::string("nothing is watched: ") + kIsDown;
            const auto is_in = [&](WatchMode mode) {
              return std::any_of(kWatchKinds.begin(), kWatchKinds.end(), [&](WatchKind kind) {
                return (!fault.kind || *fault.kind == kind) && wire_.mode(kind) == mode;
              });
            };
            const std::string about = fault.kind ? " about " + std::string(to_string(*fault.kind)) : std::string();
            if (fault.mode == WatchFault::Mode::Release && !is_in(WatchMode::Hold) &&
                (fault.count || !is_in(WatchMode::Double)))
              return "no notifications" + about + " are held back";
            if (fault.mode == WatchFault::Mode::Relist && !is_in(WatchMode::Drop))
              return "no notifications" + about + " are lost, so a new list would tell nothing new";
            return "";
          },
          [&](const NodeFault& fault) {
            std::string refused;
            (void)targets(fault, refused);
            return refused;
          },
          [&](const QuotaFault& fault) -> std::string {
            const std::vector<std::string>& known = sources_->namespaces;
            if (!fault.ns.empty() && std::find(known.begin(), known.end(), fault.ns) == known.end())
              return "no job is in namespace `" + fault.ns + "`";
            if (fault.pods) return "";
            const bool any = fault.ns.empty() ? !cluster_.quotas().empty() : cluster_.quotas().contains(fault.ns);
            return any ? "" : "there is no quota";
          },
      },
      event.what);
}

void Simulation::carry_out(const FaultEvent& event, std::string& refused) {
  refused = why_not(event);
  if (!refused.empty()) return;
  std::visit(Overloaded{
                 [&](const ControllerFault& fault) {
                   using What = ControllerFault::What;
                   std::optional<Duration> down_for = fault.duration;
                   if (fault.what == What::Restart && !down_for) down_for = Duration{};
                   if (fault.what == What::Up)
                     wire_.start(now_);
                   else if (fault.effects)
                     wire_.crash_after(*fault.effects, down_for);
                   else
                     stop_controller(down_for, 0);
                 },
                 [&](const EffectFault& fault) { wire_.add(fault); },
                 [&](const MendFault&) { wire_.mend(); },
                 [&](const WatchFault& fault) {
                   using Mode = WatchFault::Mode;
                   std::optional<Time> until;
                   if (fault.duration) until = now_ + *fault.duration;
                   for (const WatchKind kind : kWatchKinds) {
                     if (fault.kind && *fault.kind != kind) continue;
                     const WatchMode mode = wire_.mode(kind);
                     switch (fault.mode) {
                       case Mode::Hold: wire_.set_mode(kind, WatchMode::Hold, until); break;
                       case Mode::Double: wire_.set_mode(kind, WatchMode::Double, until); break;
                       case Mode::Drop: wire_.set_mode(kind, WatchMode::Drop, until); break;
                       case Mode::Release:
                         if (fault.count)
                           wire_.release(kind, *fault.count);
                         else if (mode == WatchMode::Hold || mode == WatchMode::Double)
                           wire_.set_mode(kind, WatchMode::Pass, std::nullopt);
                         break;
                       case Mode::Relist:
                         if (mode == WatchMode::Drop) wire_.set_mode(kind, WatchMode::Pass, std::nullopt);
                         break;
                     }
                   }
                 },
                 [&](const NodeFault& fault) {
                   std::string none;
                   for (const std::string& key : targets(fault, none)) cluster_.set_pod_lost(key, !fault.back, now_);
                 },
                 [&](const QuotaFault& fault) {
                   for (const std::string& ns : sources_->namespaces)
                     if (fault.ns.empty() || fault.ns == ns) cluster_.set_quota(ns, fault.pods);
                 },
             },
             event.what);
}

}  // namespace pumice
