#include "pumice/simulation/report.h"

#include "simulation/words.h"

namespace pumice {

std::string_view to_string(Explain level) noexcept {
  switch (level) {
    case Explain::Off: return "off";
    case Explain::Short: return "short";
    case Explain::Fails: return "fails";
    case Explain::Full: return "full";
  }
  return "";
}

std::optional<Explain> explain_from(std::string_view text) noexcept {
  for (const Explain level : {Explain::Off, Explain::Short, Explain::Fails, Explain::Full}) {
    if (to_string(level) == text) return level;
  }
  return std::nullopt;
}

std::string sentence(const Simulation& after, const StepRecord& step) {
  return simulation::step_sentence(step, simulation::scene_of(after, step));
}

std::string plain_text(const std::vector<Line>& lines) {
  std::string text;
  for (const Line& line : lines) {
    for (const Span& span : line) text += span.text;
    text += '\n';
  }
  return text;
}

std::string explain_text(const Simulation& after, const StepRecord& step, Explain level) {
  return plain_text(explain(after, step, level));
}

}  // namespace pumice
