// Resource quantities; upstream's own answers are compared in tests/vectors.
#include "pumice/quantity.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

namespace pumice {
namespace {

std::string canonical(std::string_view text) {
  std::string_view problem;
  const auto quantity = parse_quantity(text, &problem);
  return quantity ? quantity->text() : "! " + std::string(problem);
}

std::string sum(std::string_view a, std::string_view b) {
  Quantity out = *parse_quantity(a);
  out.add(*parse_quantity(b));
  return out.text();
}

std::string product(std::string_view a, std::int64_t times) {
  Quantity out = *parse_quantity(a);
  out.multiply(times);
  return out.text();
}

}  // namespace

TEST_CASE("quantities in canonical form") {
  struct Row {
    std::string_view text;
    std::string_view want;
  };
  const std::string_view wrong_form =
      "! quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  const std::string_view wrong_suffix = "! unable to parse quantity's suffix";
  const std::string_view wrong_number = "! unable to parse numeric part of quantity";
  const Row rows[] = {
      {"0", "0"},
      {"-0", "0"},
      {"0Gi", "0"},
      {"1000", "1k"},
      {"1000000", "1M"},
      {"1024Ki", "1Mi"},
      {"1023Ki", "1023Ki"},
      {"512", "512"},
      {"0.5Ki", "512"},
      {"1.5Gi", "1536Mi"},
      {"0.1Ki", "102400m"},
      {"0.0001Ki", "102400u"},
      {"-1500m", "-1500m"},
      {"-2000m", "-2"},
      {"0.1n", "1n"},
      {"-0.1n", "-1n"},
      {"1e-12", "1e-9"},
      {"1.0000000001", "1000000001n"},
      {"12e6", "12e6"},
      {"1e3", "1e3"},
      {"10e3", "10e3"},
      {"1E3", "1E3"},
      {"1E", "1E"},
      {"1000E", "1e21"},
      {"8Ei", "9223372036854775807"},
      {"-8Ei", "-9223372036854775807"},
      {"18446744073709551616", "18446744073709551616"},
      // As good as canonical: kept as written.
      {"+5", "+5"},
      {"5.", "5."},
      {"00100", "00100"},
      {"1105.664M", "1105.664M"},
      {"1.664M", "1.664M"},
      {"1105.66M", "1105660k"},
      // The number may be missing where the short way is taken.
      {"", wrong_form},
      {"+", "0"},
      {".", "0"},
      {"Ki", "0"},
      {"e-10", wrong_number},
      {".e-10", wrong_number},
      {"1..2", wrong_form},
      {"1 ", wrong_form},
      {"--1", wrong_suffix},
      {"1e", wrong_suffix},
      {"1e+", wrong_suffix},
      {"1e3e", wrong_form},
      {"1ee3", wrong_suffix},
      {"1KiKi", wrong_suffix},
      {"1i", wrong_suffix},
      {"1e1001", "! quantities of more than 1000 digits are not read here"},
      {"0e999999999", "0"},
      {"1e-999999999", "1e-9"},
      {"1e4294967299", "1e4294967299"},  // the exponent has 32 bits: this is 1e3, and as good as canonical
  };
  for (const Row& row : rows) {
    INFO(row.text);
    CHECK(canonical(row.text) == row.want);
  }
  CHECK(canonical(std::string(1001, '1')).starts_with("! "));
  CHECK(canonical(std::string(1000, '1')) == std::string(1000, '1'));
}

TEST_CASE("sums and products of quantities") {
  CHECK(sum("0", "1Gi") == "1Gi");
  CHECK(sum("0Ki", "1500m") == "1500m");
  CHECK(sum("1Gi", "1M") == "1074741824");
  CHECK(sum("1M", "1Gi") == "1074741824");
  CHECK(sum("1Gi", "-1Gi") == "0");
  CHECK(sum("1", "-3") == "-2");
  CHECK(sum("-3", "1") == "-2");
  CHECK(sum("-1", "-2") == "-3");
  CHECK(sum("999999999999999999", "1") == "1E");
  CHECK(product("250m", 4) == "1");
  CHECK(product("1Gi", 0) == "0");
  CHECK(product("3Mi", -2) == "-6Mi");
  CHECK(product("-9223372036854775807", INT64_MIN) == "85070591730234615856620279821087277056");
  CHECK(product("4Ei", 256) == "1");  // 2^70 has no suffix; upstream drops the power, and so do we
  CHECK(compare(*parse_quantity("1Ki"), *parse_quantity("1024")) == 0);
  CHECK(compare(*parse_quantity("1n"), *parse_quantity("-1E")) > 0);
  CHECK(compare(*parse_quantity("-2"), *parse_quantity("-1")) < 0);
  CHECK(compare(*parse_quantity("1e900"), *parse_quantity("1E")) > 0);
  CHECK(Quantity(INT64_MIN).text() == "-9223372036854775808");
}

}  // namespace pumice
