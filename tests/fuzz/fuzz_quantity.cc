// Any text is a quantity or not; what is one survives being printed and read again, and sums agree with comparisons.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "pumice/check.h"
#include "pumice/quantity.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t half = text.find('\n');
  const auto a = pumice::parse_quantity(text.substr(0, half));
  if (!a) return 0;
  const std::string canonical = a->text();
  const auto again = pumice::parse_quantity(canonical);
  // A value of nearly the longest length may grow a digit too many when its suffix is written out.
  if (canonical.size() + 30 < pumice::kQuantityDigitsMax) PUMICE_CHECK(again && compare(*a, *again) == 0);
  if (half == std::string_view::npos) return 0;
  const auto b = pumice::parse_quantity(text.substr(half + 1));
  if (!b) return 0;
  pumice::Quantity sum = *a;
  sum.add(*b);
  PUMICE_CHECK(compare(sum, *a) == b->sign());
  pumice::Quantity other = *b;
  other.add(*a);
  PUMICE_CHECK(compare(sum, other) == 0);
  sum.multiply(-1);
  sum.add(*a);
  sum.add(*b);
  PUMICE_CHECK(sum.is_zero());
  return 0;
}
