// The manifests behind a simulation: the jobs as created, and where each field stands.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "pumice/simulation/simulation.h"

namespace pumice {

struct SimulationSources {
  struct Entry {
    Job job;  ///< defaults filled in, without uid
    std::string file;
    YamlNode root;
  };
  std::vector<Entry> jobs;
  std::unordered_map<std::string, std::size_t> by_key;                ///< index into `jobs`
  std::unordered_map<std::string, std::vector<std::string>> by_name;  ///< keys of the jobs of a name
  std::vector<std::string> namespaces;                                ///< each once, in the order of the manifests
};

}  // namespace pumice
