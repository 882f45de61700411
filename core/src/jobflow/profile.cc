#include "pumice/jobflow/profile.h"

#include <array>

namespace pumice::jobflow {
namespace {

constexpr std::array<QuirkInfo, kQuirkCount> kTable{{
    {Quirk::PatchIgnored, "patch-ignored", "patch and probe of a step do nothing",
     "A step may have `patch.jobSpec` and `dependsOn.probe`; the API takes both, the controller reads neither.",
     "`patch.jobSpec` is merged over the template's spec; probes stay without effect.", "volcano-sh/volcano#4491"},
    {Quirk::MissingTemplateForgotten, "missing-template-forgotten", "a template that comes late is not noticed",
     "A step without JobTemplate blocks the whole flow; after the last attempt the flow is forgotten, and creating the "
     "template does not bring it back.",
     "A JobTemplate that is added puts the flows that name it back into the queue.", ""},
    {Quirk::DeletedJobUnnoticed, "deleted-job-unnoticed", "deleting a job of a flow triggers nothing",
     "The hole that a deleted job leaves is noticed only at the next update of another job of the flow.",
     "The deletion of a job puts its flow into the queue.", ""},
    {Quirk::RecreatedAfterSuccess, "recreated-after-success", "a flow that succeeded creates jobs again",
     "In a flow that has succeeded and keeps its jobs, a job that is missing is created again at the next update of "
     "another one.",
     "A flow that has succeeded creates nothing.", ""},
    {Quirk::ForeignJobCounts, "foreign-job-counts", "somebody else's job counts as the step's",
     "A job of the right name counts as deployed, and satisfies dependencies, whoever owns it.",
     "A job of that name that the flow does not control is an error.", ""},
    {Quirk::AbortedJobWaits, "aborted-job-waits", "an aborted job keeps its flow Running",
     "Aborted jobs count as unknown, and those neither fail nor end a flow.",
     "An aborted job fails the flow, as a terminated one does.", ""},
    {Quirk::SpecEditIgnored, "spec-edit-ignored", "edits of a flow wait for some other event",
     "A changed list of steps has no effect until one of the flow's jobs changes; then the new list is used.",
     "A changed spec puts the flow into the queue.", ""},
    {Quirk::SecondEventNeeded, "second-event-needed", "a flow needs one more event to end",
     "The round that makes a flow Running does not look whether it has ended; that takes one more event, and if all "
     "jobs have ended there may be none.",
     "The round that makes a flow Running decides at once whether it goes on to Succeed or Failed.", ""},
    {Quirk::EmptyFlowPending, "empty-flow-pending", "a flow without steps stays Pending",
     "A flow with an empty list of steps is Pending for ever: nothing queues it again.",
     "A flow without steps has succeeded.", ""},
    {Quirk::DuplicateStepsNeverDone, "duplicate-steps-never-done", "two steps of one name never end",
     "Two steps of one name share one job, and a flow ends when as many jobs are completed as it has steps.",
     "Steps of one name count once.", ""},
    {Quirk::DottedTemplateIgnored, "dotted-template-ignored", "a template with a dot lists no jobs",
     "The mark `<namespace>.<template>` is split at every dot, and more than two parts are ignored.",
     "The mark is split at its first dot.", ""},
    {Quirk::OldListKept, "old-list-kept", "a template keeps the names of jobs that went",
     "`jobDependsOnList` is written only when a job is added, and never when none is left.",
     "The deletion of a job writes the list anew, and an empty list is written too.", ""},
}};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kTable.size(); ++i)
    if (static_cast<std::size_t>(kTable[i].quirk) != i || kTable[i].title.size() > 44) return false;
  return true;
}
static_assert(is_in_order());

}  // namespace

Quirks Quirks::upstream() noexcept {
  Quirks quirks;
  for (const QuirkInfo& info : kTable) quirks.set(info.quirk, info.on);
  return quirks;
}

std::span<const QuirkInfo> quirk_table() noexcept { return kTable; }

std::optional<Quirk> quirk_from(std::string_view name) noexcept {
  for (const QuirkInfo& info : kTable)
    if (info.name == name) return info.quirk;
  return std::nullopt;
}

}  // namespace pumice::jobflow
