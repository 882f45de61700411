#include "pumice/json.h"

#include <utility>

namespace pumice {

Json object_of(std::initializer_list<JsonMember> members) {
  Json object = Json::object();
  for (const JsonMember& member : members) object[member.name] = std::move(member.value);
  return object;
}

const Json& member_of(const Json& parent, const char* name) noexcept {
  static const Json kNull;
  if (!parent.is_object()) return kNull;
  const auto found = parent.find(name);
  return found == parent.end() ? kNull : *found;
}

namespace {

/// Takes everything and remembers where it went wrong.
class FaultFinder : public nlohmann::json_sax<Json> {
 public:
  std::size_t position = 0;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t at, const std::string&, const nlohmann::detail::exception&) override {
    position = at;
    return false;
  }
};

}  // namespace

std::int64_t json_fault(std::string_view text) {
  FaultFinder finder;
  Json::sax_parse(text, &finder);
  return static_cast<std::int64_t>(finder.position);
}

std::string to_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace pumice
