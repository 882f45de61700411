#include "scenario_files.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "files.h"
#include "folders.h"

namespace pumice::host {
namespace {

namespace fs = std::filesystem;
using namespace scenario;

std::string beside(const std::string& document, const std::string& path) {
  if (document.empty() || document == "<stdin>") return path;
  return (fs::path(document).parent_path() / path).lexically_normal().string();
}

std::string same_file_key(const std::string& path) {
  std::error_code unknown;
  const fs::path whole = fs::weakly_canonical(path, unknown);
  return unknown ? path : whole.string();
}

class TestReader {
 public:
  TestFiles run(const std::vector<std::string>& given) {
    std::vector<std::string> files;
    std::set<std::string> explicitly;
    for (const std::string& path : given) {
      std::error_code unknown;
      if (path != "-" && fs::is_directory(path, unknown)) {
        list_folder(path, files, out_.problems);
      } else {
        files.push_back(path);
        explicitly.insert(same_file_key(path));
      }
    }
    for (const std::string& file : files) read(file);
    for (const auto& [file, suite] : suites_) add_suite(file, suite);
    for (auto& [file, scenario] : scenarios_) {
      if (in_suites_.contains(same_file_key(file)) && !explicitly.contains(same_file_key(file))) continue;
      std::string name = scenario.name.empty() ? fs::path(file).stem().string() : scenario.name;
      out_.cases.push_back({std::move(name), file, std::move(scenario), {}});
    }
    return std::move(out_);
  }

 private:
  /// The documents of a file. Its text is kept for findings.
  std::vector<Document> documents_of(const std::string& path) {
    auto source = read_source(path);
    out_.problems.insert(out_.problems.end(), source.diagnostics.begin(), source.diagnostics.end());
    out_.watched.push_back(path);
    if (!source) return {};
    out_.texts.push_back(std::move(*source.value));
    const SourceText& text = out_.texts.back();
    auto documents = read_documents(text.text, text.file, &out_.others);
    out_.problems.insert(out_.problems.end(), documents.diagnostics.begin(), documents.diagnostics.end());
    return documents ? std::move(*documents.value) : std::vector<Document>{};
  }

  void read(const std::string& path) {
    for (Document& document : documents_of(path)) {
      if (auto* scenario = std::get_if<Scenario>(&document)) scenarios_.emplace_back(path, std::move(*scenario));
      if (auto* suite = std::get_if<Suite>(&document)) suites_.emplace_back(path, std::move(*suite));
    }
  }

  void add_suite(const std::string& file, const Suite& suite) {
    for (const SuiteTest& test : suite.tests) {
      for (const SuiteCase& one : test.cases) {
        const std::string path = beside(file, one.scenario);
        in_suites_.insert(same_file_key(path));
        std::vector<Scenario> found;
        const auto known = std::any_of(scenarios_.begin(), scenarios_.end(), [&](const auto& entry) {
          return same_file_key(entry.first) == same_file_key(path);
        });
        if (known) {
          for (const auto& [at, scenario] : scenarios_)
            if (same_file_key(at) == same_file_key(path)) found.push_back(scenario);
        } else if (std::error_code unknown; !fs::exists(path, unknown)) {
          out_.problems.push_back({Severity::Error, "UnreadableFile", one.scenario_place.file, one.scenario_place.range,
                                   one.scenario_place.field, fmt::format("`{}` does not exist", path), ""});
          continue;
        } else {
          for (Document& document : documents_of(path))
            if (auto* scenario = std::get_if<Scenario>(&document)) found.push_back(std::move(*scenario));
        }
        for (Scenario& scenario : found) {
          std::string name = fmt::format("{}/{}/{}", suite.name.empty() ? fs::path(file).stem().string() : suite.name,
                                         test.name, one.name.empty() ? scenario.name : one.name);
          if (!one.name.empty() && found.size() > 1) name += "/" + scenario.name;
          out_.cases.push_back({std::move(name), path, std::move(scenario), one.expect});
        }
      }
    }
  }

  TestFiles out_;
  std::vector<std::pair<std::string, Scenario>> scenarios_;
  std::vector<std::pair<std::string, Suite>> suites_;
  std::set<std::string> in_suites_;
};

}  // namespace

FileLoader loader_beside(const std::string& document) {
  return [document](const std::string& path) { return read_source(beside(document, path)); };
}

TestFiles read_tests(const std::vector<std::string>& given) { return TestReader().run(given); }

std::optional<Result<Scenario>> scenario_of(const SourceText& source) {
  if (source.text.find("pumice.dev") == std::string::npos) return std::nullopt;
  const auto parsed = parse_yaml(source.text, {.limits = {}, .file = source.file});
  if (!parsed) return std::nullopt;
  const bool any = std::any_of(parsed.value->begin(), parsed.value->end(),
                               [](const YamlDocument& document) { return is_ours(document.root); });
  if (!any) return std::nullopt;
  std::int64_t others = 0;
  auto documents = read_documents(source.text, source.file, &others);
  if (!documents) return Result<Scenario>::failure(std::move(documents.diagnostics));
  auto* scenario =
      documents.value->size() == 1 && others == 0 ? std::get_if<Scenario>(&documents.value->front()) : nullptr;
  if (scenario != nullptr) return Result<Scenario>::success(std::move(*scenario), std::move(documents.diagnostics));
  return Result<Scenario>::failure({{.code = "InvalidScenario",
                                     .file = source.file,
                                     .message = "one scenario is simulated at a time, and nothing beside it",
                                     .hint = "`pumice test` runs files with several, and suites"}});
}

}  // namespace pumice::host
