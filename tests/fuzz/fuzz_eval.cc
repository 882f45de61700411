// Any bytes are a line to `pumice eval`: the answer is one line of JSON, and a request that was understood gets its id
// back.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "pumice/check.h"
#include "pumice/eval.h"
#include "pumice/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  const std::string text = pumice::eval_line(line, 1);
  PUMICE_CHECK(text.find('\n') == std::string::npos);
  const pumice::Json answer = pumice::Json::parse(text, nullptr, false);
  PUMICE_CHECK(answer.is_object());
  PUMICE_CHECK(answer.contains("ok") != answer.contains("error"));
  PUMICE_CHECK(answer.contains("error") == answer.contains("line"));
  PUMICE_CHECK(pumice::eval_line(line, 1) == text);
  return 0;
}
