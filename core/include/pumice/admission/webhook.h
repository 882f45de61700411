// A webhook as a function: the body of an HTTP request in, the answer and what is worth a log line out. Whatever holds
// sockets calls this and decides nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/admission/review.h"

namespace pumice::admission {

/// Paths that are answered: those of Volcano's own webhooks, and `/mutate` and `/validate` for all kinds. Sorted.
[[nodiscard]] std::span<const std::string_view> webhook_paths() noexcept;
[[nodiscard]] bool is_webhook_path(std::string_view path) noexcept;

/// Bounds of a body. A webhook of Volcano takes 3 MiB (spec/volcano-admission.md 1.3).
inline constexpr std::size_t kReviewBytesMax = 3 * 1024 * 1024;
inline constexpr int kReviewDepthMax = 256;

struct WebhookAnswer {
  /// Of HTTP: 200 with an AdmissionReview; 400 if not even the request's `uid` could be read, as an API server throws
  /// away an answer without it.
  int status = 200;
  std::string body;  ///< JSON
  bool allowed = false;
  bool dry_run = false;
  // What stands in the request, cut to what a log line takes. Never anything of the object.
  std::string uid;
  std::string ns;
  std::string resource;               ///< `batch.volcano.sh/v1alpha1/jobs`; `other` for what is not answered here
  std::string operation;              ///< `CREATE`, `UPDATE`, `DELETE`, `CONNECT` or `other`
  std::vector<std::string> codes;     ///< ids of the rules with findings, each once, in their order; at most 50
  std::vector<std::string> warnings;  ///< as sent
};

/// Answers a body that came to `path`. Nothing is kept between calls, so a dry run needs no care. An object that
/// cannot be read is refused with a reason: the webhook fails closed.
[[nodiscard]] WebhookAnswer answer_body(std::string_view body, std::string_view path, const Options& options);

/// Findings as an API server passes them on to its client: those that are no errors and no notes, `text [rule]`, each
/// at most 256 characters, together at most 4096, without control characters. What does not fit is counted.
[[nodiscard]] std::vector<std::string> api_warnings(const Diagnostics& diagnostics);

}  // namespace pumice::admission
