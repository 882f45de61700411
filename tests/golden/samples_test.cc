// The samples of policies/samples do what their index says.
#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "pumice/simulation/report.h"

namespace pumice {
namespace {

const std::string kFolder = PUMICE_SOURCE_DIR "/policies/samples/";

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE(in.good());
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST_CASE("samples show what they promise", "[samples]") {
  const Json index = Json::parse(read_file(kFolder + "index.json"));
  std::set<std::string> listed{"index.json"};
  for (const Json& sample : index) {
    const std::string file = sample["file"];
    INFO(file);
    CHECK(listed.insert(file).second);
    const std::string text = read_file(kFolder + file);
    CHECK(text.starts_with("# " + sample["question"].get<std::string>() + "\n"));

    SimulationOptions options;
    options.automation = automation_from(sample.value("automation", "assist")).value();
    auto created = Simulation::create({{file, text}}, options);
    REQUIRE(created.ok());
    CHECK(created.diagnostics.empty());
    Simulation& simulation = *created.value;
    CHECK(simulation.start().refused.empty());
    for (const std::string line : sample["events"]) {
      INFO(line);
      const auto event = parse_event(line);
      REQUIRE(event.ok());
      for (const StepRecord& step : simulation.apply(*event.value)) CHECK(step.refused.empty());
    }
    const std::string ended =
        simulation.flows().empty()
            ? std::string(simulation.cluster().jobs().at(simulation.jobs().front())->status.phase.text())
            : simulation.side().flows().at(simulation.flows().front())->status.phase;
    CHECK(ended == sample["ends"].get<std::string>());
  }
  for (const auto& entry : std::filesystem::directory_iterator(kFolder))
    CHECK(listed.contains(entry.path().filename().string()));
}

}  // namespace
}  // namespace pumice
