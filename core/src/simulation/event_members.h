// Events whose line form is their mapping in another dress, `fault watch pods hold for=10s`: faults, and what is done
// to jobs and queues. The line's words become members and the other way round, so there is one reader for both forms.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/simulation/event.h"
#include "simulation/event_reader.h"

namespace pumice::simulation {

[[nodiscard]] DeleteEvent read_delete(MemberReader& in);
[[nodiscard]] CreateEvent read_create(MemberReader& in);
[[nodiscard]] EditEvent read_edit(MemberReader& in);
[[nodiscard]] QueueEvent read_queue(MemberReader& in);
[[nodiscard]] FaultEvent read_fault(MemberReader& in);

[[nodiscard]] Json members_of(const DeleteEvent& event);
[[nodiscard]] Json members_of(const CreateEvent& event);
[[nodiscard]] Json members_of(const EditEvent& event);
[[nodiscard]] Json members_of(const QueueEvent& event);
[[nodiscard]] Json members_of(const FaultEvent& event);

[[nodiscard]] bool is_written_as_mapping(std::string_view kind) noexcept;

/// A word of the line: `for=10s` has a key, `hold` has none.
struct LineWord {
  std::size_t place = 0;  ///< which word of the line it is
  std::string key;
  std::string text;
};

/// Makes a mapping of the words behind the first.
struct LineMembers {
  std::vector<LineWord> words;
  Json object = Json::object();
  std::size_t place = 0;  ///< of the word that is wrong
  std::string hint;

  /// What is wrong; empty if nothing is.
  [[nodiscard]] std::string arrange(std::string kind);
  /// The word that gave a member; the first word if none did.
  [[nodiscard]] std::size_t place_of(const std::string& member) const;

 private:
  std::string put(const std::string& member, Json value, std::size_t at);
  std::map<std::string, std::size_t> places_;
};

/// The words of a mapping, the kind of event first.
[[nodiscard]] std::vector<LineWord> line_words(const Json& members);

/// The words of fields, for messages and help.
[[nodiscard]] const std::vector<std::string_view>& fault_words();
[[nodiscard]] const std::vector<std::string_view>& queue_states();
/// `conflict`, `notFound` …; the last is `error`, of which no more is known.
[[nodiscard]] std::string_view result_word(volcano::ResultCode code) noexcept;

}  // namespace pumice::simulation
