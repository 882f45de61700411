#include "eval_command.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include <spdlog/spdlog.h>

#include "exit_status.h"
#include "pumice/eval.h"

namespace pumice::host {
namespace {

/// Collects the bytes of a line. Of one that is too long just enough is kept for the core to see that it is.
class LineBuffer {
 public:
  explicit LineBuffer(const std::function<std::string(std::string_view, std::int64_t)>& answer) : answer_(answer) {}

  void add(std::string_view bytes) {
    const auto room = static_cast<std::size_t>(kEvalLineBytesMax) + 1 - line_.size();
    line_.append(bytes.substr(0, room));
    any_ = any_ || !bytes.empty();
  }
  [[nodiscard]] bool any() const noexcept { return any_; }
  [[nodiscard]] std::string answer() {
    if (line_.ends_with('\r')) line_.pop_back();
    std::string text = answer_(line_, ++number_) + "\n";
    line_.clear();
    any_ = false;
    return text;
  }

 private:
  const std::function<std::string(std::string_view, std::int64_t)>& answer_;
  std::string line_;
  bool any_ = false;
  std::int64_t number_ = 0;
};

bool write_out(const std::string& text) { return std::fwrite(text.data(), 1, text.size(), stdout) == text.size(); }

}  // namespace

int answer_lines(const std::function<std::string(std::string_view, std::int64_t)>& answer) {
  LineBuffer line(answer);
  static std::array<char, 1U << 16U> buffer;
  for (;;) {
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      spdlog::error("standard input cannot be read: {}", std::strerror(errno));
      return kError;
    }
    std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
    bool written = true;
    for (std::size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
      line.add(bytes.substr(0, end));
      written = written && write_out(line.answer());
      bytes.remove_prefix(end + 1);
    }
    line.add(bytes);
    if (got == 0 && line.any()) written = written && write_out(line.answer());
    // All complete lines are answered: let the reader have the answers before the next read waits.
    if (std::fflush(stdout) != 0 || !written) {
      spdlog::error("standard output cannot be written: {}", std::strerror(errno));
      return kError;
    }
    if (got == 0) return kFine;
  }
}

int eval_lines() { return answer_lines(eval_line); }

}  // namespace pumice::host
