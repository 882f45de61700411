// What is said about JobFlows and JobTemplates of manifests before they are simulated.
#pragma once

#include "sources.h"

namespace pumice::simulation {

/// Warnings about steps that can never be created or never end, and about fields that do nothing.
void warn_about_flow(const SimulationSources::Flow& entry, const std::vector<SimulationSources::Template>& templates,
                     jobflow::Quirks quirks, Diagnostics& diagnostics);

}  // namespace pumice::simulation
