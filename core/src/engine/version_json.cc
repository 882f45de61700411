// The tables that documentation, completion and the diagram are made from.
#include "engine/arguments.h"
#include "pumice/engine.h"
#include "pumice/version.h"
#include "pumice/volcano/tables.h"
#include "pumice/zones.h"

namespace pumice {

using namespace volcano;

namespace {

Json text(std::string_view value) { return std::string(value); }

Json phases() {
  Json list = Json::array();
  for (const PhaseInfo& phase : phase_table()) {
    list.push_back(object_of({{"name", text(to_string(phase.phase))},
                              {"transitional", phase.transitional},
                              {"final", is_final(phase.phase)},
                              {"meaning", text(phase.meaning)}}));
  }
  return list;
}

Json transitions() {
  Json list = Json::array();
  for (const TransitionInfo& transition : transition_table()) {
    list.push_back(object_of({{"from", text(to_string(transition.from))},
                              {"to", text(to_string(transition.to))},
                              {"cause", text(transition.cause)}}));
  }
  return list;
}

Json events() {
  Json list = Json::array();
  for (const EventInfo& event : event_table()) {
    list.push_back(object_of({{"name", text(to_string(event.event))},
                              {"meaning", text(event.meaning)},
                              {"allowedInPolicy", event.allowed_in_policy},
                              {"internal", is_internal(event.event)}}));
  }
  return list;
}

Json actions() {
  Json list = Json::array();
  for (const ActionInfo& action : action_table()) {
    const std::string_view scope = to_string(scope_of(action.action));
    list.push_back(object_of({{"name", text(to_string(action.action))},
                              {"meaning", text(action.meaning)},
                              {"allowedInPolicy", action.allowed_in_policy},
                              {"scope", text(scope.empty() ? "job" : scope)}}));
  }
  return list;
}

Json profile_names() {
  Json list = Json::array();
  for (const auto& profile : profiles()) list.push_back(text(profile.name));
  return list;
}

}  // namespace

std::string Engine::version() const {
  return engine::success(object_of({{"pumice", text(pumice::version())},
                                    {"tzdata", text(tzdata_release())},
                                    {"profiles", profile_names()},
                                    {"phases", phases()},
                                    {"transitions", transitions()},
                                    {"events", events()},
                                    {"actions", actions()}}));
}

}  // namespace pumice
