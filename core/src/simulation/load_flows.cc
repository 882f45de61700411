#include "load_flows.h"

#include <algorithm>
#include <map>
#include <set>

#include "compose.h"

namespace pumice::simulation {

using jobflow::Step;

namespace {

class Checker {
 public:
  Checker(const SimulationSources::Flow& entry, Diagnostics& diagnostics) : entry_(entry), diagnostics_(diagnostics) {}

  void steps(const std::vector<SimulationSources::Template>& templates) {
    std::set<std::string_view> made;
    for (const auto& known : templates)
      if (known.made.meta.ns == entry_.flow.meta.ns) made.insert(known.made.meta.name);
    std::map<std::string_view, std::size_t> names;
    const std::vector<Step>& steps = entry_.flow.spec->steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto [first, is_new] = names.emplace(steps[i].name, i);
      if (!is_new)
        report("DuplicateStep", i, ".name",
               compose("step `{}` is there before, as spec.flows[{}]: both share one job, and the flow never ends in "
                       "Succeed",
                       steps[i].name, first->second));
      if (is_new && !made.contains(steps[i].name))
        report("TemplateMissing", i, ".name",
               compose("there is no JobTemplate `{}` in namespace `{}`: without it the flow stops at this step",
                       steps[i].name, entry_.flow.meta.ns),
               "a step is named after its JobTemplate");
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
      for (const std::string& target : steps[i].targets.value_or(std::vector<std::string>{}))
        if (!names.contains(target))
          report("UnknownTarget", i, ".dependsOn.targets",
                 compose("`{}` is no step of this flow: unless there is a Completed job `{}`, step `{}` never begins",
                         target, jobflow::job_name(entry_.flow.meta.name, target), steps[i].name));
    }
    cycle(names);
  }

  void dead_fields(jobflow::Quirks quirks) {
    const std::vector<Step>& steps = entry_.flow.spec->steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (!steps[i].probe.is_null())
        report("FieldIgnored", i, ".dependsOn.probe",
               "the JobFlow controller never reads `probe`: targets are waited "
               "for until they are Completed");
      if (!steps[i].patch.is_null() && quirks.has(jobflow::Quirk::PatchIgnored))
        report("FieldIgnored", i, ".patch",
               "the JobFlow controller never applies `patch`: the template is used as it "
               "is");
    }
  }

  void marks() {
    const std::string value = jobflow::mark(entry_.flow.meta.ns, entry_.flow.meta.name);
    if (value.size() <= jobflow::kLabelValueMax) return;
    report_at("NameTooLong", "metadata.name",
              compose("no job of this flow can be created: the label value `{}` has {} characters, {} are allowed",
                      value, value.size(), jobflow::kLabelValueMax));
  }

 private:
  void report(const char* code, std::size_t step, const char* member, std::string message, std::string hint = {}) {
    report_at(code, "spec.flows[" + std::to_string(step) + "]" + member, std::move(message), std::move(hint));
  }
  void report_at(const char* code, const std::string& field, std::string message, std::string hint = {}) {
    diagnostics_.push_back({Severity::Warning, code, entry_.file, range_of(entry_.root, field), field,
                            std::move(message), std::move(hint)});
  }

  /// Steps that are left when all that can begin have ended wait for each other.
  void cycle(const std::map<std::string_view, std::size_t>& names) {
    const std::vector<Step>& steps = entry_.flow.spec->steps;
    std::vector<std::size_t> open(steps.size(), 0);
    std::vector<std::vector<std::size_t>> followers(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      for (const std::string& target : steps[i].targets.value_or(std::vector<std::string>{})) {
        const auto at = names.find(target);
        if (at == names.end()) continue;
        ++open[i];
        followers[at->second].push_back(i);
      }
    }
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < steps.size(); ++i)
      if (open[i] == 0) ready.push_back(i);
    std::size_t done = 0;
    for (; done < ready.size(); ++done)
      for (const std::size_t next : followers[ready[done]])
        if (--open[next] == 0) ready.push_back(next);
    for (std::size_t i = 0; i < steps.size() && done < steps.size(); ++i) {
      if (open[i] == 0) continue;
      report("DependencyCycle", i, ".dependsOn.targets",
             compose("step `{}` waits, in a circle, for itself or for steps that do: it never begins", steps[i].name));
      return;
    }
  }

  const SimulationSources::Flow& entry_;
  Diagnostics& diagnostics_;
};

}  // namespace

void warn_about_flow(const SimulationSources::Flow& entry, const std::vector<SimulationSources::Template>& templates,
                     jobflow::Quirks quirks, Diagnostics& diagnostics) {
  Checker checker(entry, diagnostics);
  checker.marks();
  checker.steps(templates);
  checker.dead_fields(quirks);
}

}  // namespace pumice::simulation
