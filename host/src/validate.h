// `pumice validate`: will a cluster accept these manifests, what will it fill in, and what will surprise?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pumice/admission/review.h"
#include "pumice/simulation/simulation.h"
#include "terminal.h"

namespace pumice::host {

struct ValidateCommand {
  enum class Output : std::uint8_t { Text, Json, Sarif, GitHub, JUnit };
  enum class FailOn : std::uint8_t { Error, Warning, Note, Never };

  std::vector<std::string> files;  ///< files and folders; `-` is standard input
  std::vector<std::string> old_files;
  std::vector<std::string> queue_files;
  std::vector<std::string> ignored;
  std::string config;   ///< file of a lint configuration; empty for none
  std::string explain;  ///< id of a rule, or `all`
  bool show_defaults = false;
  bool no_lint = false;
  FailOn fail_on = FailOn::Error;
  Output output = Output::Text;
  Color color = Color::Auto;
};

/// One object and what was found about it.
struct ValidatedObject {
  std::string file;
  std::string kind;  ///< `batch.volcano.sh/v1alpha1/Job`
  std::string ns;
  std::string name;
  admission::Review review;
};

struct ValidateReport {
  std::vector<ValidatedObject> objects;
  std::int64_t skipped = 0;  ///< objects of other kinds
  Diagnostics unreadable;    ///< of files: not there, no YAML, no objects
  std::vector<SourceText> sources;
};

/// 0: nothing at or above the level to fail on; 1: something; 2: a file could not be read, or there was nothing to
/// validate.
[[nodiscard]] int validate(const ValidateCommand& command);

/// The report in one of the forms for programs.
[[nodiscard]] std::string to_json_text(const ValidateReport& report, bool with_defaults);
[[nodiscard]] std::string to_sarif(const ValidateReport& report);
[[nodiscard]] std::string to_github(const ValidateReport& report);
[[nodiscard]] std::string to_junit(const ValidateReport& report, ValidateCommand::FailOn fail_on);

/// True for a finding that makes the command fail.
[[nodiscard]] bool fails(const Diagnostic& finding, ValidateCommand::FailOn fail_on);

}  // namespace pumice::host
