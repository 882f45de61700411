// The WebAssembly module of `pumice eval`: JSON lines in and out, many in one call. What they say is described in
// pumice/eval.h, the module in eval.d.ts.
#include <emscripten/bind.h>

#include <string>

#include "pumice/eval.h"

namespace {

std::string eval(const std::string& lines) { return pumice::eval_lines(lines); }

}  // namespace

EMSCRIPTEN_BINDINGS(pumice_eval) { emscripten::function("eval", &eval); }
