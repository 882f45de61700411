// Jobs and pods from documents, and back. Findings and leniency as in model/reader.h.
#pragma once

#include "pumice/field_reader.h"
#include "pumice/json.h"
#include "pumice/kubejob/model.h"
#include "pumice/model/reader.h"

namespace pumice::kubejob {

/// Findings go to the reader's context, a part that is wrong counts as absent.
[[nodiscard]] Job read_job(FieldReader& object, ReadMode mode);
[[nodiscard]] Pod read_pod(FieldReader& object);
[[nodiscard]] Result<Job> read_job(const YamlNode& object, std::string_view file = {},
                                   ReadMode mode = ReadMode::Manifest);

// In the form of the API: members at their zero value are left out, times have whole seconds.
[[nodiscard]] Json to_json(const Job& job);
[[nodiscard]] Json to_json(const JobSpec& spec);
[[nodiscard]] Json to_json(const JobStatus& status);
[[nodiscard]] Json to_json(const Pod& pod);

}  // namespace pumice::kubejob
