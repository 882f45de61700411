// Events from the command line and from files.
#pragma once

#include <string>
#include <vector>

#include "pumice/result.h"
#include "pumice/simulation/event.h"
#include "pumice/simulation/simulation.h"

namespace pumice::host {

/// An event and where it stands, so that it can be pointed at when it cannot be carried out.
struct PlacedEvent {
  UserEvent event;
  std::string file;
  Range range;
};

/// The events of a text, in order. Two forms, told apart by the first line that says something:
///   - YAML or JSON: a list of events, or a document with such a list under `events` (its other members are not used
///   here,
///     which a note says);
///   - else one event per line, `#` begins a comment.
/// All that is wrong is reported, each with file, line and column.
[[nodiscard]] Result<std::vector<PlacedEvent>> read_events(const SourceText& source);

/// One event as given to `--event`: a line, or a mapping in braces.
[[nodiscard]] Result<PlacedEvent> read_event_argument(const SourceText& source);

}  // namespace pumice::host
