// Any text is an object to admission, created or replacing what stands behind a line `---`: an answer always comes, the
// same each time, and it fits itself.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "pumice/admission/review.h"
#include "pumice/check.h"
#include "pumice/yaml.h"

namespace {

using pumice::admission::Kind;
using pumice::admission::Review;

void look_at(Kind kind, const pumice::YamlNode& node, const pumice::Json* old) {
  const pumice::Json object = to_json(node);
  for (const bool fill : {true, false}) {
    pumice::admission::Options options;
    options.fill = fill;
    options.schema = fill;
    options.queues.emplace();
    Review review = pumice::admission::review(kind, object, old, options);
    PUMICE_CHECK(review.allowed == review.message.empty());
    PUMICE_CHECK(review.allowed || pumice::has_errors(review.diagnostics));
    pumice::admission::locate(review.diagnostics, node, "fuzz");
    for (const pumice::Diagnostic& finding : review.diagnostics) {
      PUMICE_CHECK(pumice::admission::find_rule(finding.code) != nullptr);
    }
    const Review again = pumice::admission::review(kind, object, old, options);
    PUMICE_CHECK(again.message == review.message && again.patch == review.patch);
    if (!fill || !review.readable || old != nullptr) continue;
    // Once is enough; what replaces another object has also kept what was made for that one.
    PUMICE_CHECK(pumice::admission::review(kind, review.defaulted, old, options).patch.empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto documents = pumice::parse_yaml(text);
  if (!documents) return 0;
  const auto& list = *documents.value;
  const pumice::Json old = list.size() > 1 ? to_json(list[1].root) : pumice::Json();
  for (const Kind kind :
       {Kind::VolcanoJob, Kind::VolcanoCronJob, Kind::JobFlow, Kind::JobTemplate, Kind::Job, Kind::CronJob}) {
    look_at(kind, list[0].root, list.size() > 1 && old.is_object() ? &old : nullptr);
  }
  (void)pumice::admission::answer_review(to_json(list[0].root), "", {});
  return 0;
}
