// What the API server adds to a Job (spec/k8s-job.md 2.1, D-1 - D-6).
#pragma once

#include <string_view>

#include "pumice/kubejob/model.h"

namespace pumice::kubejob {

/// D-1, D-2, D-3 and the column "Default". Doing it twice changes nothing more.
void set_defaults(Job& job);

/// D-4: status wiped, generation 1, generated labels and selector unless `manualSelector` is true. The uid must be set.
void prepare_create(Job& job);

/// D-4, the labels and the selector alone.
void generate_selector(Job& job);

/// D-5: what is stored when `wanted` is written over `stored`. The main resource cannot change the status, and a
/// changed spec raises the generation.
[[nodiscard]] Job prepare_update(const Job& stored, const Job& wanted);
/// D-5: the status sub-resource cannot change anything else.
[[nodiscard]] Job prepare_status_update(const Job& stored, const JobStatus& status);

enum class Propagation : std::uint8_t { Default, Orphan, Background, Foreground };
/// D-6: what a deletion does to the pods when nobody says.
[[nodiscard]] constexpr Propagation effective_propagation(Propagation asked) noexcept {
  return asked == Propagation::Default ? Propagation::Orphan : asked;
}

}  // namespace pumice::kubejob
