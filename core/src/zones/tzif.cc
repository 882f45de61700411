#include "zones/tzif.h"

#include <algorithm>

namespace pumice::zones {
namespace {

constexpr std::size_t kHeaderBytes = 44;

/// Big-endian numbers from the front of a text.
class Bytes {
 public:
  explicit Bytes(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool has(std::size_t count) const noexcept { return rest_.size() >= count; }
  void skip(std::size_t count) noexcept { rest_.remove_prefix(std::min(count, rest_.size())); }
  [[nodiscard]] std::string_view rest() const noexcept { return rest_; }

  std::uint8_t byte() noexcept {
    const auto value = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }
  template <class T>
  T number() noexcept {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) value = value << 8U | byte();
    return static_cast<T>(value);
  }

 private:
  std::string_view rest_;
};

struct Header {
  std::uint8_t version = 0;
  std::uint64_t utc_marks = 0, standard_marks = 0, leaps = 0, changes = 0, types = 0, abbreviation_bytes = 0;

  [[nodiscard]] std::uint64_t body_bytes(std::uint64_t time_bytes) const noexcept {
    return changes * (time_bytes + 1) + types * 6 + abbreviation_bytes + leaps * (time_bytes + 4) + standard_marks +
           utc_marks;
  }
};

std::optional<Header> take_header(Bytes& bytes) noexcept {
  if (!bytes.has(kHeaderBytes) || !bytes.rest().starts_with("TZif")) return std::nullopt;
  bytes.skip(4);
  Header header;
  header.version = bytes.byte();
  bytes.skip(15);
  for (std::uint64_t* count : {&header.utc_marks, &header.standard_marks, &header.leaps, &header.changes, &header.types,
                               &header.abbreviation_bytes}) {
    *count = bytes.number<std::uint32_t>();
  }
  return header;
}

void append(std::string& out, std::uint64_t number, unsigned bytes) {
  for (unsigned i = bytes; i-- > 0;) out += static_cast<char>(number >> (8 * i) & 0xFFU);
}

/// Counts of changes, types and letters; the others are 0.
void append_header(std::string& out, std::uint64_t changes, std::uint64_t types, std::uint64_t letters) {
  out += "TZif2";
  out.append(15 + 3 * 4, '\0');
  for (const std::uint64_t count : {changes, types, letters}) append(out, count, 4);
}

}  // namespace

std::optional<Tzif> read_tzif(std::string_view text) {
  Bytes bytes(text);
  std::optional<Header> header = take_header(bytes);
  if (!header || header->version < '2' || header->body_bytes(4) > bytes.rest().size()) return std::nullopt;
  bytes.skip(static_cast<std::size_t>(header->body_bytes(4)));
  header = take_header(bytes);
  if (!header || header->body_bytes(8) > bytes.rest().size() || header->types == 0) return std::nullopt;

  Tzif file;
  const auto changes = static_cast<std::size_t>(header->changes);
  file.changes.reserve(changes);
  // Some files begin with the origin of the universe: sums with such instants must not overflow.
  constexpr std::int64_t kFar = std::int64_t{1} << 55;
  for (std::size_t i = 0; i < changes; ++i) {
    file.changes.push_back(std::clamp(bytes.number<std::int64_t>(), -kFar, kFar));
  }
  file.change_types.reserve(changes);
  for (std::size_t i = 0; i < changes; ++i) file.change_types.push_back(bytes.byte());
  const std::string_view letters = bytes.rest().substr(static_cast<std::size_t>(header->types * 6),
                                                       static_cast<std::size_t>(header->abbreviation_bytes));
  for (std::uint64_t i = 0; i < header->types; ++i) {
    TzifType type;
    type.offset = bytes.number<std::int32_t>();
    type.is_dst = bytes.byte() != 0;
    const std::string_view word = letters.substr(std::min<std::size_t>(bytes.byte(), letters.size()));
    type.abbreviation = word.substr(0, word.find('\0'));
    // Whole days are no offsets: sums with them stay far from the ends of 64 bits.
    if (type.offset <= -93'600 || type.offset >= 93'600) return std::nullopt;
    file.types.push_back(type);
  }
  const bool known_types =
      std::ranges::all_of(file.change_types, [&](std::uint8_t type) { return type < file.types.size(); });
  if (!known_types || !std::ranges::is_sorted(file.changes)) return std::nullopt;
  bytes.skip(static_cast<std::size_t>(header->abbreviation_bytes + header->leaps * 12 + header->standard_marks +
                                      header->utc_marks));
  if (!bytes.rest().starts_with('\n')) return std::nullopt;
  bytes.skip(1);
  const std::size_t end = bytes.rest().find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  file.footer = bytes.rest().substr(0, end);
  return file;
}

std::string write_tzif(const Tzif& zone) {
  std::string letters;
  std::string types;
  for (const TzifType& type : zone.types) {
    append(types, static_cast<std::uint32_t>(type.offset), 4);
    append(types, type.is_dst ? 1 : 0, 1);
    append(types, letters.size(), 1);
    letters += type.abbreviation;
    letters += '\0';
  }
  std::string out;
  // The part for old readers has one type at least.
  append_header(out, 0, 1, 1);
  out.append(6 + 1, '\0');
  append_header(out, zone.changes.size(), zone.types.size(), letters.size());
  for (const std::int64_t change : zone.changes) append(out, static_cast<std::uint64_t>(change), 8);
  out.append(zone.change_types.begin(), zone.change_types.end());
  out += types;
  out += letters;
  out += '\n';
  out += zone.footer;
  return out + '\n';
}

}  // namespace pumice::zones
