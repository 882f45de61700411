// The narrow border to other languages: JSON text in, JSON text out (style.md 8). A wasm module binds exactly these
// calls.
//
// Every answer is {"type": "success", …} or {"type": "failure", "diagnostics": […]}, where a diagnostic is
// {severity, code, message, hint?, file?, field?, line?, column?, endLine?, endColumn?}. No call throws.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace pumice {

namespace engine {
class Arguments;
class History;
}  // namespace engine

class Engine {
 public:
  Engine();
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// {pumice, tzdata, profiles: […], phases: [{name, transitional, final}], transitions: [{from, to, cause}]
  /// (spec 7.6),
  ///  events: [{name, meaning, allowedInPolicy, internal}], actions: [{name, meaning, scope}]}
  [[nodiscard]] std::string version() const;
  /// In: {text, file?}. Out: {diagnostics: […], documents: [{apiVersion, kind, name, namespace, line, simulated}]};
  /// success even with findings: the call succeeds if it could look at the text.
  [[nodiscard]] std::string validate(std::string_view input) const;
  /// In: {text, file?, automation?, start?, timings?: {admit, start, remove, run}, profile?, quirksOff?, quirksOn?}:
  /// `profile` is one of `version`'s, the others are lists of names of quirks (quirk.h).
  /// Out: {session, steps: [step 1], view, diagnostics} or failure.
  [[nodiscard]] std::string create(std::string_view input);
  /// In: {session, events: [event…], from?: step index to go back to first (the steps behind it are dropped)}.
  /// Out: {steps: [the new ones], total, view}. An event that cannot be read fails the whole call, nothing is run.
  [[nodiscard]] std::string run(std::string_view input);
  /// In: {session, step, explain?}. Out: {view at that step, text: the explanation of the step at level `explain`,
  /// lines:
  /// [[{tone, text}…]…]}. Step 0 is the moment before step 1. Works from checkpoints kept every 64 steps.
  [[nodiscard]] std::string seek(std::string_view input);
  /// In: {session, step, from?: 0, count?: 100, detail?: false}. Out: {records: [{kind, sentence}…], or whole records
  /// (report.h) with `detail`}. Answers of `create` and `run` hold only the record that explains a step best.
  [[nodiscard]] std::string records(std::string_view input);
  /// In: {session}. Unknown sessions are not an error.
  [[nodiscard]] std::string dispose(std::string_view input);

 private:
  struct Session;
  engine::History* find(engine::Arguments& in, std::optional<std::int64_t> id) const;
  engine::History* find_step(engine::Arguments& in, std::int64_t& step, std::int64_t first) const;

  std::map<std::int64_t, std::unique_ptr<Session>> sessions_;
  std::int64_t next_session_ = 1;
};

}  // namespace pumice
