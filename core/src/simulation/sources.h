// The manifests behind a simulation: the jobs as created, and where each field stands.
#pragma once

#include "pumice/simulation/simulation.h"

namespace pumice {

struct SimulationSources {
  struct Entry {
    Job job;  ///< defaults filled in, without uid
    std::string file;
    YamlNode root;
  };
  std::vector<Entry> jobs;
};

}  // namespace pumice
