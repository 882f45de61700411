// Any JSON is a job with pods: `job.sync` answers, twice the same, and what it answers can be asked again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "pumice/check.h"
#include "pumice/eval.h"
#include "pumice/json.h"

namespace {

using pumice::Json;

std::string ask(const Json& args) {
  Json request = Json::object();
  request["op"] = "job.sync";
  request["args"] = args;
  return pumice::eval_line(pumice::to_text(request), 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Json args = Json::parse(std::string_view(reinterpret_cast<const char*>(data), size), nullptr, false);
  if (!args.is_object()) return 0;
  const std::string text = ask(args);
  PUMICE_CHECK(ask(args) == text);
  const Json answer = Json::parse(text, nullptr, false);
  PUMICE_CHECK(answer.is_object());
  PUMICE_CHECK(answer.contains("ok") != answer.contains("error"));
  if (!answer.contains("ok")) return 0;
  const Json& ok = answer.at("ok");
  PUMICE_CHECK(ok.at("effects").is_array());
  // What the server holds afterwards is a question like any other.
  args["job"] = ok.at("job");
  args["pods"] = ok.at("pods");
  const Json again = Json::parse(ask(args), nullptr, false);
  PUMICE_CHECK(again.contains("ok"));
  return 0;
}
