// Golden traces: a scenario and the whole explanation that is expected of it, in one file of text.
//
//   # What this shows, for the reader.
//   automation: manual            (optional: manual, assist, auto; assist if absent)
//   explain: full                 (optional: off, short, fails, full; full if absent)
//   ---- manifest
//   …
//   ---- events
//   one event per line
//   ---- expect
//   …
//
// PUMICE_UPDATE_GOLDEN=1 in the environment writes what came out back into the files. Read the diff, and commit it only
// if you can say why it changed.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "pumice/simulation/report.h"

namespace pumice {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kManifest = "---- manifest\n";
constexpr std::string_view kEvents = "---- events\n";
constexpr std::string_view kExpect = "---- expect\n";

struct Golden {
  std::string head;  ///< everything before the expectation, kept as it is
  SimulationOptions options;
  Explain explain = Explain::Full;
  std::string manifest;
  std::vector<std::string> events;
  std::string expect;
};

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::stringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && !line.starts_with('#')) lines.push_back(line);
  }
  return lines;
}

Golden parse(const std::string& text) {
  const std::size_t manifest = text.find(kManifest);
  const std::size_t events = text.find(kEvents);
  const std::size_t expect = text.find(kExpect);
  REQUIRE(manifest != std::string::npos);
  REQUIRE(events != std::string::npos);
  REQUIRE(expect != std::string::npos);
  Golden golden;
  golden.head = text.substr(0, expect + kExpect.size());
  golden.manifest = text.substr(manifest + kManifest.size(), events - manifest - kManifest.size());
  golden.events = lines_of(text.substr(events + kEvents.size(), expect - events - kEvents.size()));
  golden.expect = text.substr(expect + kExpect.size());
  for (const std::string& line : lines_of(text.substr(0, manifest))) {
    const std::string value = line.substr(line.find(' ') + 1);
    if (line.starts_with("automation: ")) golden.options.automation = automation_from(value).value();
    if (line.starts_with("explain: ")) golden.explain = explain_from(value).value();
  }
  return golden;
}

/// The sum of all numbers that stand before ` pod <verb>` or ` pods <verb>`.
std::int64_t pods_told(const std::string& sentence, const std::string& verb) {
  std::int64_t sum = 0;
  const std::regex pattern("([0-9]+) pods? " + verb);
  for (std::sregex_iterator it(sentence.begin(), sentence.end(), pattern); it != std::sregex_iterator(); ++it)
    sum += std::stoll((*it)[1]);
  return sum;
}

/// A sentence tells what its step did: every phase that was reached, every pod made or deleted.
void check_sentence(const StepRecord& step, const std::string& sentence) {
  if (!step.refused.empty()) return;
  INFO(step.index << ": " << sentence);
  std::int64_t created = 0;
  std::int64_t deleted = 0;
  bool counted = false;
  for (const volcano::Record& record : step.records) {
    const auto* process = std::get_if<volcano::ProcessRecord>(&record);
    if (process == nullptr) continue;
    counted = counted || process->before.running != process->after.running ||
              process->before.terminating != process->after.terminating;
    created += process->sync.created;
    deleted += process->sync.deleted + process->killed;
  }
  CHECK(pods_told(sentence, "created") == created);
  CHECK(pods_told(sentence, "deleted") == deleted);
  bool moved = false;
  for (const JobChange& change : step.changes) {
    counted = counted || change.version_before != change.version_after;
    if (change.phase_before == change.phase_after) continue;
    moved = true;
    CHECK(sentence.find(change.phase_after.text()) != std::string::npos);
    if (step.changes.size() == 1) CHECK(sentence.find("the job stays") == std::string::npos);
  }
  if (moved || created > 0 || deleted > 0) CHECK(!sentence.starts_with("Nothing"));
  if (counted) CHECK(sentence.find("Nothing happened") == std::string::npos);
  static const std::regex kWrongNumber(R"(\b(1 pods|1 of 1|all 1 pod|1 pod (are|have|run|wait|exist))\b)");
  CHECK(!std::regex_search(sentence, kWrongNumber));
}

/// Also holds the two texts of one step, and its JSON, to what is promised of them.
std::string told(const Simulation& simulation, const StepRecord& step, Explain level) {
  check_sentence(step, sentence(simulation, step));
  const Json json = step_json(simulation, step);
  CHECK(json["sentence"] == sentence(simulation, step));
  CHECK(json["records"].size() == step.records.size());
  return explain_text(simulation, step, level);
}

std::string play(const Golden& golden, const std::string& file) {
  auto created = Simulation::create({{file, golden.manifest}}, golden.options);
  std::string text;
  for (const Diagnostic& finding : created.diagnostics) text += to_text(finding) + "\n";
  if (!created) return text;
  Simulation& simulation = *created.value;
  text += told(simulation, simulation.start(), golden.explain);
  for (const std::string& line : golden.events) {
    const auto event = parse_event(line);
    INFO(line);
    REQUIRE(event.ok());
    for (const StepRecord& step : simulation.apply(*event.value)) text += told(simulation, step, golden.explain);
  }
  for (const std::string& key : simulation.jobs()) {
    const volcano::JobPtr job = simulation.cluster().last_job(key);
    const JobStatus& status = job->status;
    text += key + ": " + std::string(status.phase.text()) + ", retryCount " + std::to_string(status.retry_count) +
            ", version " + std::to_string(status.version) +
            (simulation.cluster().jobs().contains(key) ? "\n" : ", deleted\n");
  }
  for (const std::string& key : simulation.flows()) {
    text += "JobFlow " + key + ": " + simulation.side().flows().at(key)->status.phase + "\n";
    for (const std::string& line : simulation.waiting_of_flow(key)) text += "waits: " + line + "\n";
  }
  for (const Waiting& wait : simulation.waiting()) text += "waits: " + wait.code + ": " + wait.text + "\n";
  return text;
}

TEST_CASE("golden traces", "[golden]") {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(PUMICE_SOURCE_DIR "/tests/golden")) {
    if (entry.path().string().ends_with(".golden.txt")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  REQUIRE(!files.empty());
  const char* update = std::getenv("PUMICE_UPDATE_GOLDEN");
  for (const fs::path& path : files) {
    DYNAMIC_SECTION(path.filename().string()) {
      const Golden golden = parse(read_file(path));
      const std::string name = path.stem().stem().string() + ".yaml";
      const std::string got = play(golden, name);
      if (update != nullptr && *update == '1')
        std::ofstream(path, std::ios::binary) << golden.head << got;
      else
        CHECK(got == golden.expect);
    }
  }
}

}  // namespace
}  // namespace pumice
