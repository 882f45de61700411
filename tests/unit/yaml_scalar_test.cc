// What scalars mean: YAML 1.1 with the types of Kubernetes' reader.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/yaml.h"

namespace pumice {
namespace {

/// `json` is the expected value; empty if the text must be refused.
struct Case {
  std::string_view name;
  std::string_view yaml;
  std::string_view json;
};

void check(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const Result<Json> got = yaml_to_json(c.yaml);
    INFO(c.name << ": " << c.yaml);
    for (const Diagnostic& diagnostic : got.diagnostics) UNSCOPED_INFO(to_text(diagnostic));
    if (c.json.empty()) {
      CHECK_FALSE(got.ok());
      CHECK(has_errors(got.diagnostics));
    } else {
      REQUIRE(got.ok());
      CHECK(*got.value == Json::parse(c.json));
    }
  }
}

TEST_CASE("YAML 1.1 booleans and nulls in their fixed spellings", "[yaml]") {
  check({
      {"true", "[y, Y, yes, Yes, YES, on, On, ON, true, True, TRUE]",
       "[true,true,true,true,true,true,true,true,true,true,true]"},
      {"false", "[n, N, no, No, NO, off, Off, OFF, false, False, FALSE]",
       "[false,false,false,false,false,false,false,false,false,false,false]"},
      {"null", "[~, null, Null, NULL]", "[null,null,null,null]"},
      {"absent", "a:\nb: \nc: # nothing", R"({"a":null,"b":null,"c":null})"},
      {"other spellings are strings", "[yES, oN, tRUE, nULL, t, f, none, True.]",
       R"(["yES","oN","tRUE","nULL","t","f","none","True."])"},
      {"quotes make strings", R"(["yes", 'no', "~", 'null', "1", ''])", R"(["yes","no","~","null","1",""])"},
  });
}

TEST_CASE("integers in all bases, with signs and underscores", "[yaml]") {
  check({
      {"decimal", "[0, 1, -1, +1, -0, +0]", "[0,1,-1,1,0,0]"},
      {"a leading zero means octal", "[0777, 0137, -010, 00]", "[511,95,-8,0]"},
      {"unless a digit is not octal", "[08, 09, 0789]", "[8,9,789]"},
      {"prefixes in either case", "[0x1F, 0X1f, -0x10, +0x10, 0o17, 0O17, 0b101, 0B11, -0b11]",
       "[31,31,-16,16,15,15,5,3,-3]"},
      {"prefix without digits", "[0x, 0o, 0b, 0xG, 0o8, 0b2]", R"(["0x","0o","0b","0xG","0o8","0b2"])"},
      {"underscores count for nothing", "[1_000, 1__0, 1_, 0x_1F, 0_7, +_1]", "[1000,10,1,31,7,1]"},
      {"but cannot come first", "[_1, _]", R"(["_1","_"])"},
      {"a sign within a binary number", "[0b+1, 0b-11]", "[1,-3]"},
      {"64 bits", "[9223372036854775807, -9223372036854775808, 18446744073709551615]",
       "[9223372036854775807,-9223372036854775808,18446744073709551615]"},
      {"what does not fit becomes a float", "[18446744073709551616, -9223372036854775809]",
       "[18446744073709551616.0,-9223372036854775809.0]"},
      {"in hexadecimal it stays a string", "0x10000000000000000", R"("0x10000000000000000")"},
      {"not numbers", "[1k, 100m, 1Gi, 1a, -1a, 1.2.3, 1:20, 190:20:30, 0x1p4, -, +, --, +-]",
       R"(["1k","100m","1Gi","1a","-1a","1.2.3","1:20","190:20:30","0x1p4","-","+","--","+-"])"},
  });
}

TEST_CASE("floats", "[yaml]") {
  check({
      {"forms", "[1.5, .5, -.5, +.5, 1., 1e3, 1E3, 1e+3, 1e-3, 5.e3, .5e3, 00.5]",
       "[1.5,0.5,-0.5,0.5,1,1000,1000,1000,0.001,5000,500,0.5]"},
      {"whole floats are integers, as in JSON", "replicas: 3.0", R"({"replicas":3})"},
      {"digits are kept", "[0.1, 0.30000000000000004, 1.7976931348623157e308, 5e-324]",
       "[0.1,0.30000000000000004,1.7976931348623157e308,5e-324]"},
      {"too small is zero", "1e-400", "0.0"},
      {"too large is a string", "[1e400, -1e400]", R"(["1e400","-1e400"])"},
      {"underscores", "[1_000.5, 1_.5, 1._5, 1e_3]", "[1000.5,1.5,1.5,1000]"},
      {"behind a leading point they must stand between digits", "[.5_0, ._5, .5_, .5__0]",
       R"([0.5,"._5",".5_",".5__0"])"},
      {"not numbers", "[1e, 1e+, e1, ., .., ..., .e5, inf, nan, Infinity]",
       R"(["1e","1e+","e1",".","..","...",".e5","inf","nan","Infinity"])"},
      {"a commit hash may look like a float", "12e45678", R"("12e45678")"},
  });
}

TEST_CASE("JSON has no infinite numbers", "[yaml]") {
  check({
      {"plus", "a: .inf", ""},
      {"signed", "a: +.Inf", ""},
      {"minus", "a: -.INF", ""},
      {"nan", "a: .nan", ""},
      {"other spellings are strings", "[.iNf, .nAn, +.inF]", R"([".iNf",".nAn","+.inF"])"},
      {"replaced before it matters", "a: .inf\na: 1", R"({"a":1})"},
  });
}

TEST_CASE("dates and times stay strings", "[yaml]") {
  check({
      {"dates", "[2001-01-01, 2001-1-1, 12:30, 2001-12-14t21:59:43.10-05:00]",
       R"(["2001-01-01","2001-1-1","12:30","2001-12-14t21:59:43.10-05:00"])"},
      {"with the tag", "[!!timestamp 2001-1-1, !!timestamp '2001-12-14 21:59:43.1', !!timestamp 2001-12-14T21:59:43Z]",
       R"(["2001-1-1","2001-12-14 21:59:43.1","2001-12-14T21:59:43Z"])"},
      {"no such month", "!!timestamp 2001-13-01", ""},
      {"no such day", "!!timestamp 2001-02-30", ""},
      {"leap day", "!!timestamp 2004-02-29", R"("2004-02-29")"},
      {"no date", "!!timestamp 1", ""},
      {"zone missing", "!!timestamp 2001-12-14T21:59:43", ""},
  });
}

TEST_CASE("tags promise a type", "[yaml]") {
  check({
      {"str", "[!!str yes, !!str 0777, !!str ~, !!str 1.50]", R"(["yes","0777","~","1.50"])"},
      {"str of nothing", "a: !!str\nb: 1", R"({"a":"","b":1})"},
      {"int", "[!!int 0x1F, !!int '12']", "[31,12]"},
      {"int of a float", "!!int 1.5", ""},
      {"int of nothing", "a: !!int", ""},
      {"float", "[!!float 1, !!float 1e3, !!float .5]", "[1,1000,0.5]"},
      {"float of a large integer", "!!float 18446744073709551615", ""},
      {"bool", "[!!bool yes, !!bool 'off']", "[true,false]"},
      {"bool of a number", "!!bool 1", ""},
      {"null", "[!!null ~, !!null '']", "[null,null]"},
      {"null of a word", "!!null x", ""},
      {"other tags make strings", "[!custom 1, !!foo ~, ! 0x1F, !<x> yes, !<tag:yaml.org,2002:int> 0x1F]",
       R"(["1","~","0x1F","yes",31])"},
      {"tags of collections mean nothing", "[!!map [1], !!seq {a: 1}, !!set {x, y}, !!omap [x: 1]]",
       R"([[1],{"a":1},{"x":null,"true":null},[{"x":1}]])"},
      {"unusual characters", "[!a,b c, !a[b] c, !%41 c]", R"(["c","c","c"])"},
      {"a declared handle", "%TAG !y! tag:yaml.org,2002:\n---\n!y!int 0x10", "16"},
      {"an undeclared handle", "!a!b c", ""},
  });
}

TEST_CASE("binary values are decoded", "[yaml]") {
  check({
      {"text", "!!binary aGVsbG8=", R"("hello")"},
      {"over several lines", "a: !!binary |\n  aGVs\n  bG8=\n", R"({"a":"hello"})"},
      {"nothing", "a: !!binary", R"({"a":""})"},
      {"bytes that are no UTF-8 are replaced", "!!binary /v8=", "\"\\ufffd\\ufffd\""},
      {"padding is required", "!!binary aGVsbG8", ""},
      {"padding in the middle", "!!binary YQ==YQ==", ""},
      {"only padding", "!!binary ====", ""},
      {"not base64", "!!binary '*'", ""},
  });
}

TEST_CASE("quoted scalars", "[yaml]") {
  check({
      {"escapes", R"("\0\a\b\t\n\v\f\r\e\ \"\'\\\N\_\L\P\x41\u00e9\U0001F30B")",
       "\"\\u0000\\u0007\\b\\t\\n\\u000b\\f\\r\\u001b \\\"'\\\\\\u0085\\u00a0\\u2028\\u2029A\\u00e9\\ud83c\\udf0b\""},
      {"unknown escape", R"("\q")", ""},
      {"a slash cannot be escaped", R"("\/")", ""},
      {"surrogates are no characters", R"("\ud83c\udf0b")", ""},
      {"beyond Unicode", R"("\U00110000")", ""},
      {"too few digits", R"("\x4")", ""},
      {"backslashes mean nothing in single quotes", R"('a\nb')", R"("a\\nb")"},
      {"doubled quote", "'it''s'", R"("it's")"},
      {"lines are folded", "\"a\n  b\n\n  c\"", R"("a b\nc")"},
      {"lines of blanks only", "\"\n  \n  \"", R"("\n")"},
      {"an escaped line break", "\"a\\\n  b\"", R"("ab")"},
      {"blanks at the ends are kept", "' a '", R"(" a ")"},
      {"not closed", "a: \"b", ""},
      {"ended by a document", "'a\n---\n'", ""},
      {"a line separator stays",
       "\"a\xE2\x80\xA8"
       "b\"",
       "\"a\\u2028b\""},
      {"a next-line character is a line break",
       "\"a\xC2\x85"
       "b\"",
       R"("a b")"},
  });
}

TEST_CASE("plain scalars", "[yaml]") {
  check({
      {"over several lines", "a: x\n y\n\n z", R"({"a":"x y\nz"})"},
      {"over several lines behind a tag in a list", "- !!str x\n y\n", R"(["x y"])"},
      {"over line separators", "x\xE2\x80\xA8y\xC2\x85z", "\"x\\u2028y z\""},
      {"colons, hashes and quotes inside", "[a:b, http://x:80/p, a#b, a'b]", R"(["a:b","http://x:80/p","a#b","a'b"])"},
      {"a comment needs a blank", "a: 1# c\nb: 1 # c", R"({"a":"1# c","b":1})"},
      {"a colon before a bracket belongs to the text", "[a:, {b:}]", R"(["a:",{"b:":null}])"},
      {"characters that cannot start one", "a: @x", ""},
      {"backtick", "a: `x", ""},
      {"percent", "a: %x", ""},
      {"asterisk", "schedule: */5 * * * *", ""},
      {"quoted, an asterisk is fine", "schedule: \"*/5 * * * *\"", R"({"schedule":"*/5 * * * *"})"},
      {"question mark", "a: ? b", ""},
      {"not a key", "a: b: c", ""},
      {"characters beyond ASCII", "é: 🌋", R"({"é":"🌋"})"},
      {"a mark in the middle is text",
       "a: \xEF\xBB\xBF"
       "1",
       "{\"a\":\"\\ufeff1\"}"},
      {"a mark at the front is none",
       "\xEF\xBB\xBF"
       "a: 1",
       R"({"a":1})"},
  });
}

TEST_CASE("block scalars", "[yaml]") {
  check({
      {"literal", "a: |\n  x\n   y\n\n  z\n", R"({"a":"x\n y\n\nz\n"})"},
      {"folded", "a: >\n  x\n  y\n\n  z\n   w\n  v\n", R"({"a":"x y\nz\n w\nv\n"})"},
      {"stripped", "a: |-\n  x\n\nb: 1", R"({"a":"x","b":1})"},
      {"kept", "a: |+\n  x\n\nb: 1", R"({"a":"x\n\n","b":1})"},
      {"kept when folded", "a: >+\n  x\n\n", R"({"a":"x\n\n"})"},
      {"the text ends without a line break", "a: |\n  x", R"({"a":"x"})"},
      {"blanks on the last line", "a: >\n  x\n  y\n\n  z\n  ", R"({"a":"x y\nz\n"})"},
      {"indentation given", "a: |1\n  x\n", R"({"a":" x\n"})"},
      {"both indicators", "[a: 1]\n", R"([{"a":1}])"},
      {"indicators in either order", "- |2-\n   x\n- |-2\n   x\n", R"([" x"," x"])"},
      {"zero indentation", "a: |0\n x", ""},
      {"text on the same line", "a: |x\n  y", ""},
      {"comment on the same line", "a: | # c\n  y\n", R"({"a":"y\n"})"},
      {"empty", "a: |\nb: >\n", R"({"a":"","b":""})"},
      {"only line breaks", "a: |+\n\n\n", R"({"a":"\n\n"})"},
      {"a tab as indentation", "a: |\n\tx", ""},
      {"nor before the indentation is known", "a: |\n  \tx\n", ""},
      {"a tab behind it", "a: |2\n  \tx\n", R"({"a":"\tx\n"})"},
      {"a hash is text", "a: |\n  # x\n # c\n", R"({"a":"# x\n"})"},
      {"at the top", "--- |\n x\n", R"("x\n")"},
      {"behind a tag or an anchor in a list", "- !!str |\n  x\n- &a >\n  y\n  z\n", R"(["x\n","y z\n"])"},
      {"a hash behind a tag", "? !x >\n #\n: 1", R"({"#\n":1})"},
      {"line separators end lines", "a: |\n  x\xE2\x80\xA8  y\xC2\x85  z\n", "{\"a\":\"x\\u2028y\\nz\\n\"}"},
  });
}

}  // namespace
}  // namespace pumice
