#include "files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace pumice::host {
namespace {

Result<SourceText> failed(std::string file, std::string message) {
  Diagnostic finding;
  finding.code = "UnreadableFile";
  finding.file = std::move(file);
  finding.message = std::move(message);
  return Result<SourceText>::failure({std::move(finding)});
}

class Descriptor {
 public:
  explicit Descriptor(int number, bool owned) : number_(number), owned_(owned) {}
  ~Descriptor() {
    if (owned_ && number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
  bool owned_;
};

}  // namespace

Result<SourceText> read_source(const std::string& path) {
  const bool is_stdin = path == "-";
  const std::string name = is_stdin ? "<stdin>" : path;
  const Descriptor file(is_stdin ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC), !is_stdin);
  if (file.number() < 0) return failed(name, fmt::format("cannot be opened: {}", std::strerror(errno)));
  struct stat about{};
  if (::fstat(file.number(), &about) == 0 && S_ISDIR(about.st_mode)) return failed(name, "is a directory, not a file");

  SourceText source{name, {}};
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t got = ::read(file.number(), buffer.data(), buffer.size());
    if (got == 0) break;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed(name, fmt::format("cannot be read: {}", std::strerror(errno)));
    source.text.append(buffer.data(), static_cast<std::size_t>(got));
    if (source.text.size() > kFileBytesMax)
      return failed(name, fmt::format("is larger than {} MiB", kFileBytesMax >> 20U));
  }
  return Result<SourceText>::success(std::move(source));
}

}  // namespace pumice::host
