// A question, or a simulation, with a quirk on and with it off.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "pumice/simulation/report.h"
#include "pumice/volcano/profile.h"
#include "support/ask.h"
#include "support/world.h"

namespace pumice::test {

inline SimulationOptions options_without(std::initializer_list<volcano::Quirk> off,
                                         volcano::Profile profile = volcano::Profile::Volcano) {
  SimulationOptions options;
  options.controller.quirks = volcano::Quirks::of(profile);
  for (const volcano::Quirk quirk : off) options.controller.quirks.set(quirk, false);
  return options;
}

/// The first with the quirk on, the second with it off.
template <class Answer>
struct OnOff {
  Answer on;
  Answer off;
  friend bool operator==(const OnOff&, const OnOff&) = default;
};

/// `look` is called with the options of a simulation, twice.
template <class Look>
auto on_and_off(volcano::Quirk quirk, Look look, volcano::Profile profile = volcano::Profile::Volcano) {
  using Answer = decltype(look(options_without({})));
  return OnOff<Answer>{look(options_without({}, profile)), look(options_without({quirk}, profile))};
}

/// The explanation of the last step, in full.
inline std::string record_text(const World& world) {
  return plain_text(explain(world.simulation, world.last(), Explain::Full));
}

inline OnOff<Json> ask_both(std::string_view op, Json args, std::string_view quirk,
                            std::string_view profile = "volcano") {
  args["profile"] = profile;
  Json on = ask(op, args);
  args["quirksOff"] = {quirk};
  return {std::move(on), ask(op, args)};
}

/// A pod `j-w-0` of job `j` (uid `u`) as the API server has it; `more` in flow style.
inline Json pod_json(std::string_view phase, std::string_view more = "", std::string_view name = "j-w-0") {
  Json out = from_yaml(
      "{metadata: {namespace: ns, resourceVersion: '5', "
      "ownerReferences: [{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, name: j, uid: u, controller: true}], "
      "annotations: {volcano.sh/job-name: j, volcano.sh/task-spec: w, volcano.sh/job-version: '0'}}}");
  out["metadata"]["name"] = name;
  out["metadata"]["uid"] = "uid-of-" + std::string(name);
  out["status"]["phase"] = phase;
  out.merge_patch(from_yaml("{" + std::string(more) + "}"));
  return out;
}

}  // namespace pumice::test
