// A look at a CronJob, as JSON.
#pragma once

#include "pumice/cronjob/sync.h"
#include "pumice/json.h"

namespace pumice::cronjob {

/// {"effect": "CreateJob", …}: members by kind.
[[nodiscard]] Json effect_json(const Effect& effect, const CronJob& cronjob, Profile profile, Quirks quirks,
                               const Zone& zone);
/// What was found and decided: {verdict, reason, schedule?, earliest?, due?, missed?, missedCount?}
[[nodiscard]] Json trace_json(const SyncOutput& output, const ScheduleMemo& memo);
/// One sentence on how a look ended.
[[nodiscard]] std::string_view sentence_of(Verdict verdict) noexcept;

}  // namespace pumice::cronjob
