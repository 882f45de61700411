// Scenarios as YAML for people.
#include <algorithm>
#include <array>

#include "scenario/words.h"
#include "scenario/write.h"
#include "utf8.h"

namespace pumice::scenario {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Words that YAML 1.1 takes for something else than a text.
bool is_reserved(std::string_view text) {
  constexpr std::array<std::string_view, 10> kReserved{"true", "false", "yes", "no",   "on",
                                                       "off",  "y",     "n",   "null", "nan"};
  std::string lower;
  for (const char c : text) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return std::find(kReserved.begin(), kReserved.end(), lower) != kReserved.end();
}

/// `1m30s`: begins with a digit and yet is no number.
bool is_span(std::string_view text) {
  return !text.empty() && is_digit(text.front()) && text.back() == 's' &&
         text.find_first_not_of("0123456789.hms") == std::string_view::npos;
}

/// A text that needs no quotes.
bool is_plain(std::string_view text) {
  if (is_span(text)) return true;
  if (text.empty() || !is_letter(text.front()) || is_reserved(text)) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter(c) || is_digit(c) || c == '-' || c == '_' || c == '.' || c == '/' || c == '*';
  });
}

std::string scalar_text(const Json& value) {
  const auto* word = value.get_ptr<const std::string*>();
  return word != nullptr && is_plain(*word) ? *word : to_text(value);
}

/// What an entry is about stands in front of what is said of it.
std::size_t rank_of(std::string_view key) {
  constexpr std::array<std::string_view, 16> kFirst{"after",     "at",   "never",    "always",    "eventually", "since",
                                                    "job",       "pod",  "podGroup", "command",   "advance",    "until",
                                                    "admission", "jobs", "phase",    "retryCount"};
  return static_cast<std::size_t>(std::find(kFirst.begin(), kFirst.end(), key) - kFirst.begin());
}

/// Texts that a block of lines can hold unchanged.
bool is_literal(std::string_view text) {
  if (text.empty() || text.front() == '\n' || text.front() == ' ' || text.front() == '\t') return false;
  for (std::size_t at = 0; at < text.size();) {
    const Character c = character_at(text, at);
    const bool is_control = (c.code < ' ' && c.code != '\n' && c.code != '\t') || (c.code >= 0x7F && c.code < 0xA0);
    if (c.length == 0 || is_control || c.code == 0x2028 || c.code == 0x2029 || c.code == 0xFEFF) return false;
    at += c.length;
  }
  // Lines of blanks only would lose them.
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (!line.empty() && line.find_first_not_of(" \t") == std::string_view::npos) return false;
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  return true;
}

std::string literal_text(const std::string& text) {
  if (!is_literal(text)) return " " + to_text(Json(text)) + "\n";
  std::string out = !text.ends_with('\n') ? " |-\n" : text.ends_with("\n\n") ? " |+\n" : " |\n";
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (!line.empty()) out += "  ";
    out += line;
    out += '\n';
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  return out;
}

void put_map(std::string& out, const Json& json, const char* name) {
  if (json.contains(name)) out += std::string(name) + ": " + flow_text(json[name]) + "\n";
}

void put_list(std::string& out, const Json& json, const char* name) {
  if (!json.contains(name)) return;
  out += std::string(name) + ":\n";
  for (const Json& item : json[name]) out += "  - " + flow_text(item) + "\n";
}

}  // namespace

std::string flow_text(const Json& value) {
  if (value.is_array()) {
    std::string out;
    for (const Json& item : value) out += (out.empty() ? "" : ", ") + flow_text(item);
    return "[" + out + "]";
  }
  if (!value.is_object()) return scalar_text(value);
  std::vector<std::string> keys;
  for (const auto& [key, member] : value.items()) keys.push_back(key);
  std::sort(keys.begin(), keys.end(), [](const std::string& a, const std::string& b) {
    return std::pair(rank_of(a), std::string_view(a)) < std::pair(rank_of(b), std::string_view(b));
  });
  std::string out;
  for (const std::string& key : keys)
    out += (out.empty() ? "" : ", ") + scalar_text(Json(key)) + ": " + flow_text(value[key]);
  return "{" + out + "}";
}

std::string to_yaml(const Scenario& scenario) {
  const Json json = to_json(scenario);
  std::string out = "apiVersion: " + std::string(kApiVersion) + "\nkind: Scenario\n";
  for (const char* name : {"metadata", "profile", "quirksOff", "clock", "automation", "pace", "timings", "made"})
    put_map(out, json, name);
  if (json.contains("objects")) out += "objects:" + literal_text(scenario.objects);
  for (const char* name : {"objectFiles", "events", "expect"}) put_list(out, json, name);
  return out;
}

}  // namespace pumice::scenario
