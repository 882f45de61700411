// The manifests behind a simulation: the jobs as created, and where each field stands.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "pumice/jobflow/model.h"
#include "pumice/kubejob/model.h"
#include "pumice/simulation/simulation.h"

namespace pumice {

struct SimulationSources {
  struct Entry {
    Job job;  ///< defaults filled in, without uid
    std::string file;
    YamlNode root;
  };
  struct Flow {
    jobflow::JobFlow flow;
    std::string file;
    YamlNode root;
  };
  struct Template {
    jobflow::JobTemplate made;
    std::string file;
    YamlNode root;
  };
  struct KubeJob {
    kubejob::Job job;  ///< as written
    std::string file;
    YamlNode root;
  };
  std::vector<Entry> jobs;
  std::vector<KubeJob> kube_jobs;
  std::vector<Flow> flows;
  std::vector<Template> templates;
  std::unordered_map<std::string, std::size_t> by_key;                ///< index into `jobs`
  std::unordered_map<std::string, std::vector<std::string>> by_name;  ///< keys of the jobs of a name
  std::map<std::string, ClusterQueue> queues;
  std::map<std::string, std::int32_t> priority_classes;
  std::map<std::string, std::int32_t> quotas;  ///< pods by namespace
  std::vector<std::string> namespaces;         ///< each once, in the order of the manifests
};

}  // namespace pumice
