#include "simulation/event_reader.h"

#include <limits>

#include "simulation/event_words.h"
#include "yaml/characters.h"

namespace pumice::simulation {

/// Names of objects have at most 253 characters; there is room for those that are wrong.
constexpr std::size_t kWordBytesMax = 512;

std::string json_kind(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null: return "null";
    case Json::value_t::boolean: return "a boolean";
    case Json::value_t::string: return "a string";
    case Json::value_t::array: return "a list";
    case Json::value_t::object: return "a mapping";
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
    case Json::value_t::number_float: return "a number";
    case Json::value_t::binary:
    case Json::value_t::discarded: return "something else";
  }
  return "something else";
}

std::string word_problem(const std::string& word) {
  if (word.size() > kWordBytesMax) return "is longer than " + std::to_string(kWordBytesMax) + " bytes";
  const auto problem = yaml::find_bad_character(word);
  return problem ? problem->message : std::string();
}

void MemberReader::error(std::string member, std::string message, std::string hint) {
  diagnostics.push_back({.severity = Severity::Error,
                         .code = std::string(kInvalidEvent),
                         .field = std::move(member),
                         .message = std::move(message),
                         .hint = std::move(hint)});
}

std::optional<std::string> MemberReader::text(const char* member) {
  const Json* value = find(member);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) {
    error(member, "must be a string, is " + json_kind(*value));
    return std::nullopt;
  }
  const auto& word = value->get_ref<const std::string&>();
  if (std::string problem = word_problem(word); !problem.empty()) {
    error(member, std::move(problem));
    return std::nullopt;
  }
  return word;
}

std::optional<bool> MemberReader::flag(const char* member) {
  const Json* value = find(member);
  if (value == nullptr) return std::nullopt;
  if (value->is_boolean()) return value->get<bool>();
  error(member, "must be `true` or `false`, is " + json_kind(*value));
  return std::nullopt;
}

std::optional<std::int32_t> MemberReader::number(const char* member) {
  const Json* value = find(member);
  if (value == nullptr) return std::nullopt;
  // A number too large for 64 bits arrives as a floating-point one, so this covers all of them.
  if (value->is_number_integer()) {
    const bool huge = value->is_number_unsigned() && value->get<std::uint64_t>() > std::uint64_t{1} << 62U;
    const std::int64_t whole = huge ? std::numeric_limits<std::int64_t>::max() : value->get<std::int64_t>();
    if (whole >= std::numeric_limits<std::int32_t>::min() && whole <= std::numeric_limits<std::int32_t>::max()) {
      return static_cast<std::int32_t>(whole);
    }
    error(member, "does not fit into 32 bits");
    return std::nullopt;
  }
  error(member, value->is_number() ? "must be a whole number" : "must be a number, is " + json_kind(*value));
  return std::nullopt;
}

std::optional<Duration> MemberReader::duration(const char* member) {
  const auto word = text(member);
  if (!word) return std::nullopt;
  const auto value = parse_duration(*word);
  if (!value) {
    error(member, "`" + *word + "` " + std::string(duration_problem(*word)), "write it as `90s`, `1m30s` or `2h`");
  } else if (value->ns < 0) {
    error(member, "must not be negative: time does not run backwards");
    return std::nullopt;
  }
  return value;
}

void MemberReader::allow_only(const std::vector<std::string_view>& known) {
  for (const auto& [name, value] : object_.items()) {
    bool is_known = false;
    for (const std::string_view word : known) is_known = is_known || word == name;
    if (!is_known) error(name, "unknown member `" + name + "`", did_you_mean(name, known));
  }
}

const Json* MemberReader::find(const char* member) const {
  const auto at = object_.find(member);
  return at == object_.end() || at->is_null() ? nullptr : &*at;
}

}  // namespace pumice::simulation
