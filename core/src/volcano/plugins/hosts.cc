#include "pumice/volcano/pod_object.h"
#include "volcano/json_parts.h"
#include "volcano/plugins/plugin.h"

namespace pumice::volcano {
namespace {

const Json& template_spec(const TaskSpec& task) { return member_of(task.pod_template, "spec"); }

}  // namespace

const TaskSpec* find_task(const JobSpec& spec, std::string_view name) noexcept {
  for (const TaskSpec& task : spec.tasks)
    if (task.name == name) return &task;
  return nullptr;
}

std::string host_name_of(const Job& job, const TaskSpec& task, std::int32_t index) {
  std::string name = text_in(template_spec(task), "hostname");
  return name.empty() ? job.meta.name + "-" + task.name + "-" + std::to_string(index) : name;
}

std::string host_of(const Job& job, const TaskSpec& task, std::int32_t index) {
  const std::string subdomain = text_in(template_spec(task), "subdomain");
  return host_name_of(job, task, index) + "." + (subdomain.empty() ? job.meta.name : subdomain);
}

std::int32_t host_count(const TaskSpec& task) noexcept {
  if (task.replicas <= 0) return 0;
  const auto* name = member_of(template_spec(task), "hostname").get_ptr<const std::string*>();
  return name && !name->empty() ? 1 : task.replicas;
}

std::string joined_hosts(const Job& job, const TaskSpec& task, char separator) {
  std::string hosts;
  const std::int32_t count = host_count(task);
  for (std::int32_t i = 0; i < count; ++i) {
    if (i > 0) hosts += separator;
    hosts += host_of(job, task, i);
  }
  return hosts;
}

ApiObject owned_object(const Job& job, ObjectType type, std::string_view api_version, const std::string& name,
                       std::initializer_list<JsonMember> members) {
  Json body = object_of(members);
  body["apiVersion"] = api_version;
  body["kind"] = to_string(type);
  body["metadata"] =
      object_of({{"name", name}, {"namespace", job.meta.ns}, {"ownerReferences", Json::array({owner_json(job)})}});
  return {{type, job.meta.ns, name}, std::move(body)};
}

Json job_labels(const Job& job) {
  return object_of({{"volcano.sh/job-name", job.meta.name}, {"volcano.sh/job-namespace", job.meta.ns}});
}

}  // namespace pumice::volcano
