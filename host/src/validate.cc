#include "validate.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "exit_status.h"
#include "files.h"
#include "folders.h"
#include "pumice/admission/ignore_comments.h"
#include "pumice/model/reader.h"
#include "system_time.h"

namespace pumice::host {
namespace {

namespace fs = std::filesystem;

Diagnostic problem(std::string code, std::string file, std::string message, std::string hint = {}) {
  Diagnostic finding;
  finding.code = std::move(code);
  finding.file = std::move(file);
  finding.message = std::move(message);
  finding.hint = std::move(hint);
  return finding;
}

std::vector<std::string> all_files(const std::vector<std::string>& given, Diagnostics& problems) {
  std::vector<std::string> files;
  for (const std::string& path : given) {
    std::error_code unknown;
    if (path != "-" && fs::is_directory(path, unknown)) {
      const std::size_t before = files.size();
      if (list_folder(path, files, problems) && files.size() == before)
        problems.push_back(problem("NothingToValidate", path, "holds no file that ends with .yaml, .yml or .json"));
    } else {
      files.push_back(path);
    }
  }
  return files;
}

/// An object of a file, with its place.
struct Manifest {
  std::string file;
  std::shared_ptr<const std::vector<YamlDocument>> documents;  ///< what `node` stands in
  std::shared_ptr<const std::vector<admission::IgnoreComment>> ignored;
  const YamlNode* node = nullptr;
  ObjectHeader header;
};

/// The objects of a text. What is wrong with the text goes to `problems`.
std::vector<Manifest> manifests_of(const SourceText& source, Diagnostics& problems) {
  std::vector<Manifest> out;
  Result<std::vector<YamlDocument>> parsed = parse_yaml(source.text, {.limits = {}, .file = source.file});
  problems.insert(problems.end(), parsed.diagnostics.begin(), parsed.diagnostics.end());
  if (!parsed) return out;
  const auto documents = std::make_shared<std::vector<YamlDocument>>(std::move(*parsed.value));
  admission::IgnoreComments comments = admission::ignore_comments(source.text, *documents, source.file);
  problems.insert(problems.end(), comments.diagnostics.begin(), comments.diagnostics.end());
  const auto ignored = std::make_shared<const std::vector<admission::IgnoreComment>>(std::move(comments.comments));
  for (YamlDocument& document : *documents) {
    for (FoundObject& found : objects_of(document.root, source.file, problems)) {
      out.push_back({source.file, documents, ignored, found.node, std::move(found.header)});
    }
  }
  return out;
}

std::string key_of(const ObjectHeader& header) {
  const std::string ns = header.ns.empty() ? "default" : header.ns;
  return header.type_text() + " " + ns + "/" + header.name;
}

/// Everything that is read before anything is looked at.
struct Inputs {
  std::vector<Manifest> manifests;
  std::vector<std::pair<std::string, Json>> old;
  std::optional<std::vector<admission::Queue>> queues;
};

Inputs read_inputs(const ValidateCommand& command, ValidateReport& report) {
  Inputs in;
  std::int64_t stdin_uses = 0;
  for (const auto* list : {&command.files, &command.old_files, &command.queue_files}) {
    stdin_uses += std::count(list->begin(), list->end(), "-");
  }
  if (stdin_uses > 1) {
    report.unreadable.push_back(problem("InvalidArgument", "", "standard input (`-`) can be read only once"));
    return in;
  }
  const auto each = [&](const std::vector<std::string>& given, auto&& take) {
    for (const std::string& path : all_files(given, report.unreadable)) {
      auto source = read_source(path);
      report.unreadable.insert(report.unreadable.end(), source.diagnostics.begin(), source.diagnostics.end());
      if (!source) continue;
      report.sources.push_back(std::move(*source.value));
      for (Manifest& manifest : manifests_of(report.sources.back(), report.unreadable)) take(manifest);
    }
  };
  each(command.files, [&](Manifest& manifest) { in.manifests.push_back(std::move(manifest)); });
  each(command.old_files,
       [&](Manifest& manifest) { in.old.emplace_back(key_of(manifest.header), to_json(*manifest.node)); });
  if (!command.queue_files.empty()) in.queues.emplace();
  each(command.queue_files, [&](Manifest& manifest) {
    for (admission::Queue& queue : admission::queues_from(to_json(*manifest.node)))
      in.queues->push_back(std::move(queue));
  });
  return in;
}

void validate_one(const Manifest& manifest, const Inputs& in, const admission::Options& options,
                  ValidateReport& report) {
  const auto kind = admission::kind_of(manifest.header.api_version, manifest.header.kind);
  if (!kind) {
    ++report.skipped;
    return;
  }
  const auto old = std::find_if(in.old.begin(), in.old.end(),
                                [&](const auto& entry) { return entry.first == key_of(manifest.header); });
  ValidatedObject object{
      manifest.file, manifest.header.type_text(), manifest.header.ns, manifest.header.name,
      admission::review(*kind, to_json(*manifest.node), old == in.old.end() ? nullptr : &old->second, options)};
  admission::locate(object.review.diagnostics, *manifest.node, manifest.file);
  admission::drop_commented(object.review.diagnostics, *manifest.node, *manifest.ignored);
  report.objects.push_back(std::move(object));
}

std::string counted(std::size_t count, const char* one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string title_of(const ValidatedObject& object) {
  return fmt::format("{} {}{}", object.kind, object.ns.empty() ? "" : object.ns + "/",
                     object.name.empty() ? "(without a name)" : object.name);
}

/// The API server's words begin with the field, and so do the lines that are printed.
Diagnostics without_doubled_fields(Diagnostics findings) {
  for (Diagnostic& finding : findings) {
    if (finding.message.starts_with(finding.field + ": ")) finding.field.clear();
  }
  return findings;
}

const char* verdict_of(const admission::Review& review) {
  if (!review.allowed) return "  refused";
  return has_errors(review.diagnostics) ? "  denied by the lint configuration" : "  accepted";
}

void print_text(const ValidateCommand& command, const ValidateReport& report) {
  Printer out(stdout, command.color);
  print_diagnostics(out, report.unreadable, report.sources);
  std::size_t refused = 0;
  std::size_t errors = 0;
  std::size_t warnings = 0;
  for (const ValidatedObject& object : report.objects) {
    const Diagnostics& findings = object.review.diagnostics;
    if (!findings.empty() || (command.show_defaults && !object.review.defaults.empty())) {
      out.print(Line{{Tone::Strong, printable(title_of(object))}, {Tone::Muted, verdict_of(object.review)}});
    }
    print_diagnostics(out, without_doubled_fields(findings), report.sources);
    if (!object.review.allowed) {
      out.print("The cluster would say:", Tone::Muted);
      out.print("  " + printable(object.review.message));
    }
    if (command.show_defaults) {
      for (const admission::Default& value : object.review.defaults) {
        out.print(Line{{Tone::Winner, "  + "},
                       {Tone::Plain, fmt::format("{}: {}", value.field, to_text(value.value))},
                       {Tone::Muted, "  " + value.why}});
      }
    }
    if (!findings.empty() || command.show_defaults) out.print("");
    refused += object.review.allowed ? 0 : 1;
    for (const Diagnostic& finding : findings) {
      errors += finding.severity == Severity::Error ? 1 : 0;
      warnings += finding.severity == Severity::Warning ? 1 : 0;
    }
  }
  out.print(fmt::format("{}, {} refused: {}, {}{}", counted(report.objects.size(), "object"), refused,
                        counted(errors, "error"), counted(warnings, "warning"),
                        report.skipped > 0 ? fmt::format("; {} of other kinds left out", report.skipped) : ""));
  out.flush();
}

void print_rule(const admission::Rule& rule) {
  fmt::print("## {}\n\n{}\n\n", rule.id, rule.explanation);
  fmt::print("- severity: {}\n- found by: {}\n- field: `{}`\n- what to do: {}\n", to_string(rule.severity),
             to_string(rule.source), rule.field, rule.fix);
  if (!rule.upstream.empty()) fmt::print("- in the cluster's words: `{}`\n", rule.upstream);
  if (rule.source == admission::RuleSource::Lint) {
    fmt::print("- to leave it out: annotation `pumice.dev/ignore: {0}`, or `--ignore {0}`\n", rule.id);
  }
  fmt::print("\n");
}

int explain_rule(const std::string& id) {
  if (id == "all") {
    for (const admission::Rule& rule : admission::rules()) print_rule(rule);
    return kFine;
  }
  if (const admission::Rule* rule = admission::find_rule(id)) {
    print_rule(*rule);
    return kFine;
  }
  std::vector<std::string_view> known;
  for (const admission::Rule& rule : admission::rules()) known.push_back(rule.id);
  const std::string_view meant = nearest_name(id, known);
  fmt::print(stderr, "`{}` is no rule{}\n", id, meant.empty() ? "" : fmt::format(", did you mean `{}`?", meant));
  return kError;
}

/// The lint configuration, if one is named and can be read.
std::optional<admission::LintConfig> read_config(const ValidateCommand& command, ValidateReport& report) {
  if (command.config.empty()) return std::nullopt;
  const auto take = [&](const Diagnostics& problems) {
    report.unreadable.insert(report.unreadable.end(), problems.begin(), problems.end());
  };
  auto source = read_source(command.config);
  take(source.diagnostics);
  if (!source) return std::nullopt;
  auto config = admission::parse_lint_config(source.value->text, source.value->file);
  take(config.diagnostics);
  report.sources.push_back(std::move(*source.value));
  return std::move(config.value);
}

int exit_status(const ValidateCommand& command, const ValidateReport& report) {
  if (has_errors(report.unreadable) || report.objects.empty()) return kError;
  for (const ValidatedObject& object : report.objects) {
    for (const Diagnostic& finding : object.review.diagnostics) {
      if (fails(finding, command.fail_on)) return kNotAsHoped;
    }
  }
  return kFine;
}

}  // namespace

bool fails(const Diagnostic& finding, ValidateCommand::FailOn fail_on) {
  switch (fail_on) {
    case ValidateCommand::FailOn::Error: return finding.severity == Severity::Error;
    case ValidateCommand::FailOn::Warning: return finding.severity != Severity::Note;
    case ValidateCommand::FailOn::Note: return true;
    case ValidateCommand::FailOn::Never: break;
  }
  return false;
}

int validate(const ValidateCommand& command) {
  if (!command.explain.empty()) return explain_rule(command.explain);
  ValidateReport report;
  const std::optional<admission::LintConfig> config = read_config(command, report);
  const Inputs in = read_inputs(command, report);
  admission::Options options;
  options.lint_config = config ? &*config : nullptr;
  options.queues = in.queues;
  options.lint = !command.no_lint;
  options.ignored = command.ignored;
  options.after = system_now();
  for (const Manifest& manifest : in.manifests) validate_one(manifest, in, options, report);
  if (report.objects.empty() && !has_errors(report.unreadable)) {
    report.unreadable.push_back(problem("NothingToValidate", "", "there is no Job, CronJob, JobFlow or JobTemplate",
                                        "kinds are told by `apiVersion` and `kind`"));
  }
  switch (command.output) {
    case ValidateCommand::Output::Text: print_text(command, report); break;
    case ValidateCommand::Output::Json: fmt::print("{}\n", to_json_text(report, command.show_defaults)); break;
    case ValidateCommand::Output::Sarif: fmt::print("{}\n", to_sarif(report)); break;
    case ValidateCommand::Output::GitHub: fmt::print("{}", to_github(report)); break;
    case ValidateCommand::Output::JUnit: fmt::print("{}", to_junit(report, command.fail_on)); break;
  }
  return exit_status(command, report);
}

}  // namespace pumice::host
