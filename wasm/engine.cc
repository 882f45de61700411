// The WebAssembly module of the page: seven calls of one Engine, JSON text in and out. What crosses is described in
// engine.d.ts.
//
// Nothing is decided here. Strings are converted by Embind (UTF-16 <-> UTF-8); no pointer and no 64-bit integer
// crosses.
#include <emscripten/bind.h>

#include <string>

#include "pumice/engine.h"

namespace {

/// The module's only instance. A page that wants a fresh one drops the whole module: that also gives its memory back.
pumice::Engine& engine() {
  static pumice::Engine instance;
  return instance;
}

std::string version() { return engine().version(); }
std::string validate(const std::string& input) { return engine().validate(input); }
std::string create(const std::string& input) { return engine().create(input); }
std::string run(const std::string& input) { return engine().run(input); }
std::string seek(const std::string& input) { return engine().seek(input); }
std::string records(const std::string& input) { return engine().records(input); }
std::string dispose(const std::string& input) { return engine().dispose(input); }

}  // namespace

EMSCRIPTEN_BINDINGS(pumice) {
  emscripten::function("version", &version);
  emscripten::function("validate", &validate);
  emscripten::function("create", &create);
  emscripten::function("run", &run);
  emscripten::function("seek", &seek);
  emscripten::function("records", &records);
  emscripten::function("dispose", &dispose);
}
