#include "compose.h"
#include "simulation/words.h"

namespace pumice::simulation {

using namespace volcano;

namespace {

std::string object_of(const ObserveRecord& record, const Scene& scene) {
  const std::string job = record.request ? record.request->job_name : std::string();
  switch (record.object) {
    case ObjectKind::Job: return "job " + name_text(record.ns, record.name, scene);
    case ObjectKind::Pod:
      // Of several pods told as one the names are short, and none is theirs in full.
      return "pod " + (record.ns.empty() || !scene.several_namespaces ? short_name(record.name, job)
                                                                      : name_text(record.ns, record.name, scene));
    case ObjectKind::PodGroup: return "PodGroup " + name_text(record.ns, group_text(record.name), scene);
    case ObjectKind::Command: return "command " + record.detail;
    case ObjectKind::Queue: return "queue " + record.name;
  }
  return record.name;
}

std::string muted_text(const ObserveRecord& record) {
  return record.muted == Event::None ? "" : compose(" (marked, so no {})", to_string(record.muted));
}

std::string became_of(const ObserveRecord& record) {
  const std::string request = record.request ? request_name(*record.request) : std::string();
  switch (record.outcome) {
    case ObserveOutcome::Queued: return compose("{} is queued", request) + muted_text(record);
    case ObserveOutcome::Merged: return compose("{} is waiting already", request) + muted_text(record);
    case ObserveOutcome::CommandTaken: return "it waits for the command worker";
    case ObserveOutcome::SameResourceVersion: return "nothing has changed, so it is dropped";
    case ObserveOutcome::NotOfAJob: return "no Volcano Job controls it, so it is dropped";
    case ObserveOutcome::AnnotationMissing:
      return compose("the annotation {} is missing, so it is dropped", record.detail);
    case ObserveOutcome::VersionUnreadable:
      return compose("its job version `{}` is not a 32-bit number, so it is dropped", record.detail);
    case ObserveOutcome::SpecAndPhaseSame: return "spec and phase are the same, so no request";
    case ObserveOutcome::PhaseSame: return "its phase is the same, so no request";
    case ObserveOutcome::NoCallback: return "the controller only takes note, no request";
    case ObserveOutcome::Resynced: return "read again because its deletion failed, the cache agrees now";
    case ObserveOutcome::ResyncFailed: return "it was to be read again because its deletion failed; later";
    case ObserveOutcome::NotForAJob: return "its target is no Volcano Job, so it is dropped";
  }
  return {};
}

bool shows_detail(const ObserveRecord& record) {
  return !record.detail.empty() && record.object != ObjectKind::Command &&
         record.outcome != ObserveOutcome::AnnotationMissing && record.outcome != ObserveOutcome::VersionUnreadable;
}

/// `Pending -> Running` as people read it; the empty phase has a name.
std::string detail_text(std::string detail) {
  const std::size_t arrow = detail.find("->");
  if (arrow == std::string::npos) return detail;
  detail.replace(arrow, 2, "→");
  return arrow == 0 || detail.starts_with(" ") ? "new" + std::string(detail.starts_with(" ") ? "" : " ") + detail
                                               : detail;
}

}  // namespace

const ObserveRecord* notice_of(const Request& request, const Scene& scene) {
  if (scene.step == nullptr) return nullptr;
  const ObserveRecord* last = nullptr;
  for (const Record& record : scene.step->records) {
    const auto* notice = std::get_if<ObserveRecord>(&record);
    // Pod names tell most requests apart.
    if (notice == nullptr || !notice->request || notice->request->pod_name != request.pod_name) continue;
    if (*notice->request == request) last = notice;
  }
  return last;
}

std::string observe_clause(const ObserveRecord& record, const Scene& scene) {
  std::string text = object_of(record, scene) + " " + std::string(to_string(record.change));
  if (shows_detail(record)) text += " (" + detail_text(record.detail) + ")";
  return text + ": " + became_of(record);
}

std::string command_clause(const CommandRecord& record, const Scene& scene) {
  const std::string_view action = record.command.action.text();
  const std::string name = action.empty() ? "with the empty action" : std::string(action);
  if (record.retry_at) {
    return compose("command {}: it could not be taken, this is tried again at {}", name,
                   elapsed_text(*record.retry_at, scene.start));
  }
  if (!record.consumed) return compose("command {}: someone else took it first, so it is never carried out", name);
  return compose("command {}: taken and removed, its request is queued", name);
}

}  // namespace pumice::simulation
