// AdmissionReview in, response out: what `answer_review` and `answer_body` share.
#pragma once

#include <string_view>

#include "admission/view.h"
#include "pumice/admission/review.h"

namespace pumice::admission {

struct Answered {
  Json response = Json::object();
  Diagnostics diagnostics;
  std::string_view resource = "other";  ///< `batch/v1/jobs`, a literal
  bool validates = false;               ///< findings are for the one who made the request
};

[[nodiscard]] Answered answer_request(View review, std::string_view path, const Options& options);

/// The AdmissionReview around a response.
[[nodiscard]] Json review_of(Json response);

/// A response that refuses.
void refuse(Json& response, std::string_view message);

}  // namespace pumice::admission
