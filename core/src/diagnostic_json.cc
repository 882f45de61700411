#include "pumice/diagnostic_json.h"

namespace pumice {
namespace {

void put_text(Json& out, const char* name, const std::string& text) {
  if (!text.empty()) out[name] = text;
}

void put_position(Json& out, const char* line, const char* column, const Position& position) {
  if (!position.known()) return;
  out[line] = position.line;
  if (position.column > 0) out[column] = position.column;
}

}  // namespace

Json to_json(const Diagnostic& diagnostic) {
  Json out = Json::object();
  out["severity"] = to_string(diagnostic.severity);
  out["code"] = diagnostic.code;
  out["message"] = diagnostic.message;
  put_text(out, "hint", diagnostic.hint);
  put_text(out, "file", diagnostic.file);
  put_text(out, "field", diagnostic.field);
  put_position(out, "line", "column", diagnostic.range.begin);
  put_position(out, "endLine", "endColumn", diagnostic.range.end);
  return out;
}

Json to_json(const Diagnostics& diagnostics) {
  Json out = Json::array();
  for (const Diagnostic& diagnostic : diagnostics) out.push_back(to_json(diagnostic));
  return out;
}

}  // namespace pumice
