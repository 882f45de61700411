// Any bytes are a body that an API server posts: an answer always comes, it is JSON, it fits what is told of it, and it
// is the same each time. The first byte chooses the path and whether queues and a lint configuration are there.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pumice/admission/webhook.h"
#include "pumice/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pumice;  // NOLINT(google-build-using-namespace): a whole program
  if (size == 0) return 0;
  static const admission::LintConfig kConfig =
      *admission::parse_lint_config("{apiVersion: pumice.dev/v1, kind: LintConfig, deny: [volcano.lint, job.lint]}", "")
           .value;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto paths = admission::webhook_paths();
  admission::Options options;
  options.schema = false;
  options.upstream_patch = (data[0] & 0x40U) != 0;
  if ((data[0] & 0x20U) != 0) options.queues = {{"default", "Open", ""}};
  if ((data[0] & 0x10U) != 0) options.lint_config = &kConfig;
  const std::string_view path = paths[(data[0] & 0x0FU) % paths.size()];

  const admission::WebhookAnswer answer = admission::answer_body(body, path, options);
  PUMICE_CHECK(answer.status == 200 || answer.status == 400);
  const Json json = Json::parse(answer.body, nullptr, false);
  PUMICE_CHECK(json.is_object() && json["response"]["allowed"] == answer.allowed);
  PUMICE_CHECK(answer.allowed || !json["response"]["status"]["message"].get<std::string>().empty());
  PUMICE_CHECK((answer.status == 200) == !json["response"]["uid"].get<std::string>().empty());
  std::size_t bytes = 0;
  for (const std::string& warning : answer.warnings) {
    PUMICE_CHECK(warning.size() <= 256);
    bytes += warning.size();
  }
  PUMICE_CHECK(bytes <= 4096);
  PUMICE_CHECK(admission::answer_body(body, path, options).body == answer.body);
  return 0;
}
