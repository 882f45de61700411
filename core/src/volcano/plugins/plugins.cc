// The hooks of all plugins (spec/volcano-plugins.md 1).
#include "pumice/volcano/plugins.h"

#include "volcano/json_parts.h"
#include "volcano/plugins/plugin.h"

namespace pumice::volcano {

Json with_keys(const Json& secret, const SshKeys& keys);    // basic.cc
Json with_keys_of(const Json& secret, const Json& stored);  // the same

namespace {

std::string unknown(const std::string& name) { return "failed to get plugin " + name; }

std::string_view marker_prefix() { return "plugin-"; }

bool differs(const SharedJson& stored, PluginObject& wanted) {
  if (wanted.compared.empty() || stored.shares_with(wanted.object.body) || stored.shares_with(wanted.agrees))
    return false;
  const Json::json_pointer place{std::string(wanted.compared)};
  if (!(*stored).contains(place) || (*stored)[place] != (*wanted.object.body)[place]) return true;
  wanted.agrees = stored;
  return false;
}

/// Asks for what is needed so that an object is there as it is wanted.
void ensure(const Job& job, PluginObject& wanted, const ObjectMap& existing, SshKeyGenerator generate,
            std::vector<EffectBody>& effects) {
  const auto found = existing.find(wanted.object.id);
  if (found != existing.end() && !differs(found->second, wanted)) return;
  ApiObject object = wanted.object;
  if (object.id.type == ObjectType::Secret)
    object.body = with_keys(*object.body, generate ? generate(job) : placeholder_keys(job));
  if (found == existing.end())
    effects.emplace_back(CreateObject{std::move(object)});
  else
    effects.emplace_back(UpdateObject{std::move(object)});
}

/// The list of hosts of a Secret that is there; its keys stay.
void refresh_hosts(PluginObject& wanted, const ObjectMap& existing, std::vector<EffectBody>& effects) {
  const auto found = existing.find(wanted.object.id);
  if (found == existing.end() || !differs(found->second, wanted)) return;
  ApiObject object = wanted.object;
  object.body = with_keys_of(*object.body, *found->second);
  effects.emplace_back(UpdateObject{std::move(object)});
}

}  // namespace

const Plugin* find_plugin(std::string_view name) noexcept {
  for (const Plugin* plugin : {&kEnvPlugin, &kHcclrankPlugin, &kMpiPlugin, &kPytorchPlugin, &kRayPlugin, &kSshPlugin,
                               &kSvcPlugin, &kTensorflowPlugin})
    if (plugin->name == name) return plugin;
  return nullptr;
}

std::vector<PluginObject> plugin_objects(const Job& job, Quirks quirks) {
  std::vector<PluginObject> objects;
  for (const auto& [name, items] : job.spec->plugins) {
    const Plugin* plugin = find_plugin(name);
    if (plugin && plugin->make_objects) plugin->make_objects(job, Arguments(plugin->options, items), quirks, objects);
  }
  return objects;
}

HookPlan plan_hook(Hook hook, const Job& job, std::vector<PluginObject>& wanted, const ObjectMap& existing,
                   SshKeyGenerator generate, StringMap& controlled, Quirks quirks) {
  HookPlan plan;
  for (const auto& entry : job.spec->plugins) {
    const std::string& name = entry.first;
    const Plugin* plugin = find_plugin(name);
    if (!plugin) {
      plan.error = unknown(name);
      return plan;
    }
    const std::string key = std::string(marker_prefix()) + name;
    const auto marker = controlled.find(key);
    const bool marked = marker != controlled.end() && marker->second == name;
    bool first = true;
    for (PluginObject& object : wanted) {
      if (object.plugin != name) continue;
      switch (hook) {
        case Hook::JobAdd:
          if (!marked) ensure(job, object, existing, generate, plan.effects);
          break;
        case Hook::JobUpdate:
          if (first && plugin->updates_first) ensure(job, object, existing, generate, plan.effects);
          if (plugin == &kSshPlugin && !quirks.has(Quirk::SshHostsStale)) refresh_hosts(object, existing, plan.effects);
          break;
        case Hook::JobDelete:
          if (marked) plan.effects.emplace_back(DeleteObject{object.object.id});
          break;
      }
      first = false;
    }
    if (!plugin->marks) continue;
    if (hook == Hook::JobAdd) controlled[key] = name;
    if (hook == Hook::JobDelete && marked) controlled.erase(marker);
  }
  return plan;
}

std::string hook_error(const Job& job, const EffectBody& effect, ResultCode code) {
  const ObjectName* id = nullptr;
  if (const auto* create = std::get_if<CreateObject>(&effect)) id = &create->object.id;
  if (const auto* update = std::get_if<UpdateObject>(&effect)) id = &update->object.id;
  const std::string why(to_string(code));
  if (id && id->type == ObjectType::Secret)
    return "create secret for job <" + job.key() + "> with ssh plugin failed for " + why;
  if (const auto* deletion = std::get_if<DeleteObject>(&effect)) id = &deletion->id;
  return id ? std::string(to_string(id->type)) + " " + id->name + ": " + why : why;
}

std::string add_to_pod(const Job& job, std::int32_t task, std::int32_t index, Json& pod, Quirks quirks) {
  const PodPlace place{job,   job.spec->tasks[static_cast<std::size_t>(task)], index, pod, object_in(pod, "spec"),
                       quirks};
  for (const auto& [name, items] : job.spec->plugins) {
    const Plugin* plugin = find_plugin(name);
    if (!plugin) return unknown(name);
    if (!plugin->add_to_pod) continue;
    if (std::string wrong = plugin->add_to_pod(place, Arguments(plugin->options, items)); !wrong.empty()) return wrong;
  }
  return {};
}

/// Names and numbers of the controller's own pods are always readable, so only two things can go wrong.
std::string pod_problem(const JobSpec& spec, const std::string& job_name) {
  for (const auto& [name, items] : spec.plugins) {
    const Plugin* plugin = find_plugin(name);
    if (!plugin) return unknown(name);
    if (plugin != &kRayPlugin) continue;
    const Arguments arguments(plugin->options, items);
    if (!find_task(spec, arguments.text("head")))
      return "job " + job_name + " doesn't have head task " + arguments.text("head");
  }
  return {};
}

}  // namespace pumice::volcano
