// A review whose caller knows for each object whether defaults are filled in, without a copy of the options.
#pragma once

#include "pumice/admission/review.h"

namespace pumice::admission {

/// `review`, with `fill` in place of the option of that name.
[[nodiscard]] Review review_filled(Kind kind, const Json& object, const Json* old, const Options& options, bool fill);

}  // namespace pumice::admission
