#include "pumice/quantity.h"

#include <algorithm>
#include <charconv>

namespace pumice {
namespace {

using Limbs = std::vector<std::uint32_t>;
constexpr std::uint32_t kBase = 1'000'000'000;

void trim(Limbs& limbs) {
  while (!limbs.empty() && limbs.back() == 0) limbs.pop_back();
}

void multiply_add(Limbs& limbs, std::uint32_t factor, std::uint32_t addend) {
  std::uint64_t carry = addend;
  for (std::uint32_t& limb : limbs) {
    carry += std::uint64_t{limb} * factor;
    limb = static_cast<std::uint32_t>(carry % kBase);
    carry /= kBase;
  }
  for (; carry != 0; carry /= kBase) limbs.push_back(static_cast<std::uint32_t>(carry % kBase));
}

/// Returns the remainder.
std::uint32_t divide(Limbs& limbs, std::uint32_t divisor) {
  std::uint64_t rest = 0;
  for (std::size_t i = limbs.size(); i-- > 0;) {
    rest = rest * kBase + limbs[i];
    limbs[i] = static_cast<std::uint32_t>(rest / divisor);
    rest %= divisor;
  }
  trim(limbs);
  return static_cast<std::uint32_t>(rest);
}

bool divides(const Limbs& limbs, std::uint32_t divisor) {
  std::uint64_t rest = 0;
  for (std::size_t i = limbs.size(); i-- > 0;) rest = (rest * kBase + limbs[i]) % divisor;
  return rest == 0;
}

int compare(const Limbs& a, const Limbs& b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  for (std::size_t i = a.size(); i-- > 0;)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

Limbs product(const Limbs& a, const Limbs& b) {
  Limbs out(a.size() + b.size(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < b.size() || carry != 0; ++j) {
      carry += out[i + j] + (j < b.size() ? std::uint64_t{a[i]} * b[j] : 0);
      out[i + j] = static_cast<std::uint32_t>(carry % kBase);
      carry /= kBase;
    }
  }
  trim(out);
  return out;
}

/// a + b, or a - b for a >= b.
Limbs sum(Limbs a, const Limbs& b, bool subtract) {
  if (a.size() < b.size()) a.resize(b.size());
  std::int64_t carry = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::int64_t other = i < b.size() ? b[i] : 0;
    carry += std::int64_t{a[i]} + (subtract ? -other : other);
    const bool borrow = carry < 0;
    a[i] = static_cast<std::uint32_t>(borrow ? carry + kBase : carry % kBase);
    carry = borrow ? -1 : carry / kBase;
  }
  if (carry > 0) a.push_back(static_cast<std::uint32_t>(carry));
  trim(a);
  return a;
}

Limbs limbs_of(std::uint64_t value) {
  Limbs limbs;
  for (; value != 0; value /= kBase) limbs.push_back(static_cast<std::uint32_t>(value % kBase));
  return limbs;
}

std::uint64_t magnitude(std::int64_t value) noexcept {
  return value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

std::string digits_of(const Limbs& limbs) {
  std::string out;
  for (std::size_t i = limbs.size(); i-- > 0;) {
    const std::string part = std::to_string(limbs[i]);
    if (!out.empty()) out.append(9 - part.size(), '0');
    out += part;
  }
  return out;
}

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

constexpr std::string_view kDecimalSuffixes = "num kMGTPE";  // 10^-9 to 10^18; the blank stands for none
constexpr std::string_view kBinarySuffixes = "KMGTPE";       // 2^10 to 2^60, each with an `i` behind it
constexpr std::int32_t kNano = -9;

struct Suffix {
  Quantity::Format format = Quantity::Format::DecimalSI;
  std::int32_t exponent = 0;  ///< of ten, or of two
};

std::optional<Suffix> suffix_from(std::string_view text) {
  using Format = Quantity::Format;
  if (text.empty()) return Suffix{};
  if (text.size() == 2 && text[1] == 'i') {
    const std::size_t place = kBinarySuffixes.find(text[0]);
    if (place == std::string_view::npos) return std::nullopt;
    return Suffix{Format::BinarySI, 10 * static_cast<std::int32_t>(place + 1)};
  }
  if (text.size() == 1) {
    const std::size_t place = kDecimalSuffixes.find(text[0]);
    if (place == std::string_view::npos) return std::nullopt;
    return Suffix{Format::DecimalSI, 3 * static_cast<std::int32_t>(place) + kNano};
  }
  if (text[0] != 'e' && text[0] != 'E') return std::nullopt;
  text.remove_prefix(text[1] == '+' ? 2 : 1);
  std::int64_t exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return Suffix{Format::DecimalExponent, static_cast<std::int32_t>(exponent)};  // upstream cuts it to 32 bits too
}

constexpr std::string_view kWrongForm =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr std::string_view kWrongNumber = "unable to parse numeric part of quantity";
constexpr std::string_view kWrongSuffix = "unable to parse quantity's suffix";
constexpr std::string_view kTooLong = "quantities of more than 1000 digits are not read here";

}  // namespace

Quantity::Quantity(std::int64_t value) : limbs_(limbs_of(magnitude(value))), negative_(value < 0) { normalize(); }

void Quantity::normalize() {
  trim(limbs_);
  while (!limbs_.empty() && divides(limbs_, 10)) {
    divide(limbs_, 10);
    ++exponent_;
  }
  if (limbs_.empty()) {
    negative_ = false;
    exponent_ = 0;
  }
}

Quantity::Limbs Quantity::scaled_to(std::int32_t exponent) const {
  Limbs out = limbs_;
  for (std::int32_t i = exponent_; i > exponent; --i) multiply_add(out, 10, 0);
  return out;
}

std::optional<Quantity> parse_quantity(std::string_view text, std::string_view* problem) {
  const auto refuse = [problem](std::string_view why) -> std::optional<Quantity> {
    if (problem) *problem = why;
    return std::nullopt;
  };
  if (text.empty()) return refuse(kWrongForm);
  if (text.size() > static_cast<std::size_t>(kQuantityDigitsMax)) return refuse(kTooLong);

  // Sign, digits, dot and digits, letters, sign and digits: what is behind that is an error, whatever it is.
  std::size_t at = text[0] == '-' || text[0] == '+' ? 1 : 0;
  const auto digits = [&] {
    const std::size_t begin = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return text.substr(begin, at - begin);
  };
  std::string_view whole = digits();
  bool has_digit = !whole.empty() || at == text.size();
  whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
  if (whole.empty()) whole = "0";
  std::string_view fraction;
  if (at < text.size() && text[at] == '.') {
    ++at;
    fraction = digits();
    has_digit = has_digit || !fraction.empty();
  }
  const std::size_t suffix_at = at;
  while (at < text.size() && std::string_view("eEinumkKMGTP").find(text[at]) != std::string_view::npos) ++at;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  digits();
  if (at != text.size()) return refuse(kWrongForm);
  const std::optional<Suffix> suffix = suffix_from(text.substr(suffix_at));
  if (!suffix) return refuse(kWrongSuffix);

  Quantity out;
  out.format_ = suffix->format;
  out.negative_ = text[0] == '-';
  for (const std::string_view part : {whole, fraction})
    for (const char c : part) multiply_add(out.limbs_, 10, static_cast<std::uint32_t>(c - '0'));
  trim(out.limbs_);
  const auto fraction_size = static_cast<std::int32_t>(fraction.size());
  const auto size = static_cast<std::int32_t>(whole.size()) + fraction_size;
  out.exponent_ = -fraction_size;

  // Upstream's short way keeps the text if it looks canonical; the long way does not.
  bool short_way = false;
  if (suffix->format == Quantity::Format::BinarySI) {
    short_way = fraction.empty() && 14 - size - suffix->exponent * 3 / 10 >= 0;
    const bool odd = !out.limbs_.empty() && (out.limbs_[0] & 7U) != 0;  // 10^9 is a multiple of 8
    if (short_way && odd) out.kept_ = text;
    for (std::int32_t i = 0; i < suffix->exponent; i += 10) multiply_add(out.limbs_, 1024, 0);
  } else {
    const std::int64_t exponent = std::int64_t{suffix->exponent} - fraction_size;
    short_way = size <= 18 && exponent >= kNano;
    const std::string shifted = std::string(whole) + std::string(fraction);
    if (short_way && exponent % 3 == 0 && !shifted.ends_with("000") && shifted[0] != '0') out.kept_ = text;
    if (exponent > kQuantityDigitsMax && !out.limbs_.empty()) return refuse(kTooLong);
    out.exponent_ = static_cast<std::int32_t>(std::max<std::int64_t>(exponent, -4 * std::int64_t{kQuantityDigitsMax}));
  }
  if (text == "0") out.kept_ = text;
  if (!short_way && !has_digit) return refuse(kWrongNumber);

  if (out.exponent_ < kNano && !out.limbs_.empty()) {
    bool inexact = false;
    for (; out.exponent_ < kNano; ++out.exponent_) inexact = divide(out.limbs_, 10) != 0 || inexact;
    if (inexact) out.limbs_ = sum(std::move(out.limbs_), {1}, false);
  }
  const bool was_negative = out.negative_;
  out.negative_ = false;
  out.normalize();
  if (out.format_ == Quantity::Format::BinarySI) {
    if (compare(out, Quantity(INT64_MAX)) > 0) {
      out.limbs_ = limbs_of(INT64_MAX);
      out.exponent_ = 0;
    }
    if (!out.is_zero() && compare(out, Quantity(1)) < 0) out.format_ = Quantity::Format::DecimalSI;
  }
  out.negative_ = was_negative && !out.is_zero();
  return out;
}

std::string Quantity::text() const {
  if (!kept_.empty()) return kept_;
  if (is_zero()) return "0";
  std::string out = negative_ ? "-" : "";
  if (format_ == Format::BinarySI && exponent_ >= 0) {
    Limbs whole = scaled_to(0);
    if (compare(whole, {1024}) >= 0) {
      std::size_t power = 0;
      for (; divides(whole, 1024); ++power) divide(whole, 1024);
      out += digits_of(whole);
      // There is no suffix beyond `Ei`, and upstream writes none.
      if (power > 0 && power <= kBinarySuffixes.size()) (out += kBinarySuffixes[power - 1]) += 'i';
      return out;
    }
  }
  const std::int32_t exponent = exponent_ - ((exponent_ % 3) + 3) % 3;
  out += digits_of(scaled_to(exponent));
  if (exponent == 0) return out;
  const std::int32_t place = (exponent - kNano) / 3;
  if (format_ == Format::DecimalExponent || place < 0 || place >= static_cast<std::int32_t>(kDecimalSuffixes.size()))
    return out + "e" + std::to_string(exponent);
  return out + kDecimalSuffixes[static_cast<std::size_t>(place)];
}

int compare(const Quantity& a, const Quantity& b) {
  if (a.sign() != b.sign()) return a.sign() < b.sign() ? -1 : 1;
  const std::int32_t exponent = std::min(a.exponent_, b.exponent_);
  const int order = compare(a.scaled_to(exponent), b.scaled_to(exponent));
  return a.negative_ ? -order : order;
}

void Quantity::add(const Quantity& other) {
  kept_.clear();
  if (is_zero()) format_ = other.format_;
  if (other.is_zero()) return;
  const std::int32_t exponent = is_zero() ? other.exponent_ : std::min(exponent_, other.exponent_);
  Limbs mine = scaled_to(exponent);
  Limbs theirs = other.scaled_to(exponent);
  if (is_zero() || negative_ == other.negative_) {
    limbs_ = sum(std::move(mine), theirs, false);
    negative_ = other.negative_;
  } else if (compare(mine, theirs) >= 0) {
    limbs_ = sum(std::move(mine), theirs, true);
  } else {
    limbs_ = sum(std::move(theirs), mine, true);
    negative_ = other.negative_;
  }
  exponent_ = exponent;
  normalize();
}

void Quantity::multiply(std::int64_t times) {
  kept_.clear();
  limbs_ = product(limbs_, limbs_of(magnitude(times)));
  negative_ = negative_ != (times < 0);
  normalize();
}

}  // namespace pumice
