// Streams as small as the YAML reader needs them, in the place of the standard ones.
//
// The standard streams bring the whole locale library along, 45 KB of a compressed WebAssembly module, for reading a
// string and putting numbers into messages. This header is included ahead of everything in the files of the YAML
// library and in the one file of the core that calls it: it takes in all standard headers first, then renames the
// streams for what follows.
#pragma once

#include <algorithm>
#include <cassert>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <fstream>
#include <functional>
#include <iomanip>
#include <ios>
#include <iosfwd>
#include <iostream>
#include <istream>
#include <iterator>
#include <limits>
#include <list>
#include <locale>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <queue>
#include <set>
#include <sstream>
#include <stack>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace pumice_streams {

/// A text to read from.
class streambuf {
 public:
  std::streamsize sgetn(char* to, std::streamsize count) {
    const std::streamsize got = std::min(count, static_cast<std::streamsize>(end_ - next_));
    std::copy(next_, next_ + got, to);
    next_ += got;
    return got;
  }
  int sbumpc() { return next_ < end_ ? static_cast<unsigned char>(*next_++) : -1; }
  int sgetc() const { return next_ < end_ ? static_cast<unsigned char>(*next_) : -1; }
  void sungetc() {
    if (next_ > begin_) --next_;
  }

 protected:
  void setg(char* begin, char* next, char* end) {
    begin_ = begin;
    next_ = next;
    end_ = end;
  }

 private:
  char* begin_ = nullptr;
  char* next_ = nullptr;
  char* end_ = nullptr;
};

class istream {
 public:
  using traits_type = std::char_traits<char>;
  using int_type = traits_type::int_type;

  explicit istream(streambuf* buffer) : buffer_(buffer) {}

  streambuf* rdbuf() const { return buffer_; }
  bool good() const { return state_ == std::ios_base::goodbit; }
  explicit operator bool() const { return (state_ & (std::ios_base::failbit | std::ios_base::badbit)) == 0; }
  bool operator!() const { return !static_cast<bool>(*this); }
  void clear() { state_ = std::ios_base::goodbit; }
  void setstate(std::ios_base::iostate state) { state_ |= state; }

  int_type get() {
    const int_type got = good() ? buffer_->sbumpc() : traits_type::eof();
    if (got == traits_type::eof()) setstate(std::ios_base::eofbit | std::ios_base::failbit);
    return got;
  }
  int_type peek() {
    const int_type got = good() ? buffer_->sgetc() : traits_type::eof();
    if (got == traits_type::eof()) setstate(std::ios_base::eofbit);
    return got;
  }
  istream& putback(char) {
    buffer_->sungetc();
    return *this;
  }
  istream& operator>>(int& value) {
    while (good() && std::isspace(buffer_->sgetc()) != 0) buffer_->sbumpc();
    std::string digits;
    if (const int sign = buffer_->sgetc(); sign == '-' || sign == '+') digits += static_cast<char>(buffer_->sbumpc());
    while (good() && std::isdigit(buffer_->sgetc()) != 0) digits += static_cast<char>(buffer_->sbumpc());
    if (buffer_->sgetc() == traits_type::eof()) setstate(std::ios_base::eofbit);
    const long long read = std::strtoll(digits.c_str(), nullptr, 10);
    if (digits.empty() || digits == "-" || digits == "+" || read < std::numeric_limits<int>::min() ||
        read > std::numeric_limits<int>::max()) {
      setstate(std::ios_base::failbit);
    } else {
      value = static_cast<int>(read);
    }
    return *this;
  }

 private:
  streambuf* buffer_;
  std::ios_base::iostate state_ = std::ios_base::goodbit;
};

class ostream {
 public:
  ostream& operator<<(const std::string& text) {
    text_ += text;
    return *this;
  }
  ostream& operator<<(const char* text) {
    text_ += text;
    return *this;
  }
  ostream& operator<<(char character) {
    text_ += character;
    return *this;
  }
  template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
  ostream& operator<<(Number number) {
    text_ += std::to_string(number);
    return *this;
  }
  std::string str() const { return text_; }

 protected:
  std::string text_;
};

/// Written to or read from, not both at once.
class stringstream : private streambuf, public istream, public ostream {
 public:
  stringstream() : istream(this) {}
  explicit stringstream(const std::string& text) : istream(this) {
    text_ = text;
    setg(text_.data(), text_.data(), text_.data() + text_.size());
  }
  stringstream(const stringstream&) = delete;
  stringstream& operator=(const stringstream&) = delete;
};

}  // namespace pumice_streams

namespace std {
using pumice_istream = ::pumice_streams::istream;
using pumice_ostream = ::pumice_streams::ostream;
using pumice_streambuf = ::pumice_streams::streambuf;
using pumice_stringstream = ::pumice_streams::stringstream;
}  // namespace std

#define istream pumice_istream
#define ostream pumice_ostream
#define streambuf pumice_streambuf
#define stringstream pumice_stringstream
