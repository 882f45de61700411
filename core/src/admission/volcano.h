// Volcano's validating webhooks (spec/volcano-admission.md 3, 4, 6; spec/volcano-jobflow.md 1.3). Each function returns
// what the webhook answers, empty if it allows the object, and adds its findings.
#pragma once

#include <string>
#include <vector>

#include "admission/findings.h"
#include "admission/view.h"
#include "pumice/admission/review.h"

namespace pumice::admission {

[[nodiscard]] std::string check_volcano_job(Findings& out, View job, const Options& options);
[[nodiscard]] std::string check_volcano_job_update(Findings& out, View job, View old);
[[nodiscard]] std::string check_volcano_cron_job(Findings& out, View cron_job);
[[nodiscard]] std::string check_job_flow(Findings& out, View flow);

/// Collects the webhook's text and the findings that it is made of.
class Answer {
 public:
  explicit Answer(Findings& out) : out_(out) {}

  /// One problem; `text` with the blanks and semicolons that join it to others.
  void say(RuleRef rule, std::string field, std::string_view text, std::string hint = {});
  /// A problem that stands in the answer in another form, or not at all.
  void note(RuleRef rule, std::string field, std::string message, std::string hint = {});
  /// Text of an answer whose problems are noted.
  void append(std::string_view text) {
    if (speaks_) text_ += text;
  }
  /// From here on findings are no part of the answer.
  void stop() { speaks_ = false; }
  [[nodiscard]] bool speaks() const noexcept { return speaks_; }
  [[nodiscard]] Findings& findings() noexcept { return out_; }
  /// Without white space around it.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }

 private:
  Findings& out_;
  std::string text_;
  bool speaks_ = true;
};

/// Parts that creation and update have in common.
[[nodiscard]] std::string topology_problem(View topology);
/// The text of spec 3.4, empty if the policy is in order; `topology` is that of 3.5.
struct PartitionProblem {
  const Rule* rule = nullptr;
  std::string text;
  std::string_view field;
};
[[nodiscard]] PartitionProblem partition_problem(View task, std::string_view job_name);

void check_policies(Answer& answer, View policies, std::string_view shown, const std::string& field);

/// Texts of `[…]` lists, sorted: the original has them in the order of a hash map.
[[nodiscard]] std::string valid_words();

}  // namespace pumice::admission
