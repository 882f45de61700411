#include "pumice/check.h"

#include <cstdio>
#include <cstdlib>

namespace pumice::detail {

void check_failed(const char* expression, const char* file, int line) noexcept {
  std::fprintf(stderr, "pumice: internal error: %s does not hold (%s:%d)\n", expression, file, line);
  std::abort();
}

}  // namespace pumice::detail
