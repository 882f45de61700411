#include "cronjob_command.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "exit_status.h"
#include "files.h"
#include "pumice/cron/calendar.h"
#include "pumice/cron/clock_marks.h"
#include "pumice/diagnostic_json.h"
#include "system_time.h"
#include "zoneinfo.h"

namespace pumice::host {
namespace {

using cronjob::Entry;
using cronjob::Outcome;
using cronjob::Profile;
using cronjob::Timeline;

struct Loaded {
  cronjob::CronJob cronjob;
  Profile profile;  ///< of its API version
};

/// The CronJobs of a file; anything else in it is told of.
std::vector<Loaded> load(const SourceText& source, Diagnostics& findings) {
  std::vector<Loaded> loaded;
  auto documents = parse_yaml(source.text, {.limits = {}, .file = source.file});
  findings.insert(findings.end(), documents.diagnostics.begin(), documents.diagnostics.end());
  if (!documents) return loaded;
  for (YamlDocument& document : *documents.value) {
    for (const FoundObject& object : objects_of(document.root, source.file, findings)) {
      if (!cronjob::is_cronjob(object.header)) {
        findings.push_back({.severity = Severity::Warning,
                            .code = "KindNotSimulated",
                            .file = source.file,
                            .range = object.header.kind_range,
                            .field = "kind",
                            .message = "`" + object.header.type_text() + "` is not simulated here",
                            .hint = "simulated are CronJobs of batch/v1 and batch.volcano.sh/v1alpha1"});
        continue;
      }
      FieldContext context{.file = source.file};
      FieldReader reader(*object.node, context);
      cronjob::CronJob cronjob = cronjob::read_cronjob(reader, ReadMode::Manifest);
      findings.insert(findings.end(), context.diagnostics.begin(), context.diagnostics.end());
      if (has_errors(context.diagnostics)) continue;
      loaded.push_back({std::move(cronjob), cronjob::profile_of(object.header.api_version)});
    }
  }
  if (loaded.empty() && !has_errors(findings)) {
    findings.push_back({.code = "NothingToSimulate", .file = source.file, .message = "there is no CronJob"});
  }
  return loaded;
}

/// What a schedule or zone is refused for, before anything is simulated.
void check_schedules(const std::vector<Loaded>& loaded, const CronJobCommand& command, const cron::ZoneSource& zones,
                     Diagnostics& findings) {
  for (const Loaded& one : loaded) {
    const cronjob::Spec& spec = *one.cronjob.spec;
    auto schedule = cron::parse_schedule(
        spec.time_zone ? cron::with_time_zone(*spec.time_zone, spec.schedule) : spec.schedule, zones);
    fit_hints(schedule.diagnostics, command.zoneinfo);
    for (Diagnostic& finding : schedule.diagnostics) {
      finding.severity = Severity::Warning;  // the controllers have an answer to that, too
      finding.field = "spec.schedule";
      findings.push_back(std::move(finding));
    }
  }
}

cronjob::TimelineOptions options_of(const CronJobCommand& command, Profile profile, const cron::ZoneSource& zones) {
  cronjob::TimelineOptions options;
  options.profile = profile;
  options.quirks = cronjob::Quirks::of(profile);
  for (const std::size_t quirk : command.quirks_off) options.quirks.set(static_cast<cronjob::Quirk>(quirk), false);
  constexpr Duration kWeek{7 * 24 * 3600 * kSecond.ns};
  options.from = command.from.value_or(system_now());
  options.until = command.until.value_or(options.from + kWeek);
  options.outages = command.outages;
  options.plan.run = command.job_duration;
  options.zones = zones;
  return options;
}

// -- Text.

std::string local_suffix(const cronjob::CronJob& cronjob, const cronjob::TimelineOptions& options, Time time) {
  std::string ignored;
  if (!cronjob.spec->time_zone || !zone_remark(cronjob, options.profile).empty()) return {};
  const auto zone = cron::load_zone(*cronjob.spec->time_zone, options.zones, ignored);
  return zone ? "  " + local_text(*zone, time, kLocalForPeople) : "";
}

/// Many runs in a row that all started in time are one line.
constexpr std::size_t kShownInTime = 3;
/// Times that the clocks left out, told of in one simulation.
constexpr std::size_t kSkippedShown = 1000;

class TimelineText {
 public:
  TimelineText(Printer& out, const Timeline& timeline, const cronjob::TimelineOptions& options)
      : out_(out), timeline_(timeline), options_(options) {
    const cronjob::Spec& spec = *timeline.cronjob->spec;
    if (!spec.time_zone || !zone_remark(*timeline.cronjob, options.profile).empty()) return;
    auto schedule = cron::parse_schedule(cron::with_time_zone(*spec.time_zone, spec.schedule), options.zones);
    if (!schedule) return;
    schedule_ = std::move(*schedule.value);
    skipped_ = skipped_between(*schedule_, options.from, options.until, kSkippedShown);
  }

  void print() {
    const auto& entries = timeline_.entries;
    for (std::size_t i = 0; i < entries.size();) {
      std::size_t end = i;
      while (end < entries.size() && plain(entries[end])) ++end;
      if (end - i > kShownInTime) {
        told_until(entries[i]);
        out_.print(Line{{Tone::Plain, fmt::format("{} … {}  {} runs, all started in time", to_rfc3339(entries[i].run),
                                                  to_rfc3339(entries[end - 1].run), end - i)}});
        i = end;
        continue;
      }
      told_until(entries[i]);
      print(entries[i++]);
    }
    notes_until(Time{INT64_MAX});
    skipped_until(Time{INT64_MAX});
    summary();
  }

 private:
  [[nodiscard]] bool plain(const Entry& entry) const {
    const bool told = (note_ < timeline_.notes.size() && timeline_.notes[note_].at <= entry.at) ||
                      (skip_ < skipped_.size() && skipped_[skip_].change <= entry.run) || !mark_of(entry).empty();
    return entry.outcome == Outcome::Started && !is_late(entry, options_.profile) && !told;
  }

  void print(const Entry& entry) {
    const Tone tone = entry.outcome == Outcome::Started ? Tone::Plain : Tone::Warning;
    out_.print(
        Line{{Tone::Strong, to_rfc3339(entry.run)},
             {tone, "  " + sentence_of(entry, options_.profile)},
             {Tone::Muted, local_suffix(*timeline_.cronjob, options_, entry.run)},
             {Tone::Warning, mark_of(entry).empty() ? "" : fmt::format("  {}: the clocks go back", mark_of(entry))}});
  }

  [[nodiscard]] std::string_view mark_of(const Entry& entry) const {
    return schedule_ ? to_string(cron::mark_of(*schedule_, entry.run)) : "";
  }

  /// What comes before an entry: events, and times that the clocks left out.
  void told_until(const Entry& entry) {
    notes_until(entry.at);
    skipped_until(entry.run);
  }

  void skipped_until(Time time) {
    for (; skip_ < skipped_.size() && skipped_[skip_].change <= time; ++skip_)
      out_.print(Line{{Tone::Warning, fmt::format("{}  no run: {} does not exist, the clocks go forward",
                                                  to_rfc3339(skipped_[skip_].change), skipped_[skip_].local)}});
  }

  /// Equal events that follow each other are told once, with their number.
  void notes_until(Time time) {
    const auto& notes = timeline_.notes;
    while (note_ < notes.size() && notes[note_].at <= time) {
      std::size_t same = note_;
      while (same < notes.size() && notes[same].at <= time && notes[same].event == notes[note_].event) ++same;
      const auto words = words_of(notes[note_].event, options_.profile);
      const std::string times = same - note_ > 1 ? fmt::format(" ({} times)", same - note_) : "";
      out_.print(Line{{Tone::Muted, fmt::format("{}  event {}: {}{}", to_rfc3339(notes[note_].at), words.reason,
                                                printable(words.message), times)}});
      note_ = same;
    }
  }

  void summary() {
    std::map<Outcome, std::int64_t> counts;
    std::int64_t late = 0;
    for (const Entry& entry : timeline_.entries) {
      ++counts[entry.outcome];
      if (entry.outcome == Outcome::Started && is_late(entry, options_.profile)) ++late;
    }
    std::string text;
    for (const auto& [outcome, count] : counts) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(outcome));
      if (outcome == Outcome::Started && late > 0) text += fmt::format(" ({} late)", late);
    }
    out_.print(Line{{Tone::Plain, text.empty() ? "no run was due" : text}});
    if (!timeline_.stopped.empty()) out_.print("stopped: " + timeline_.stopped, Tone::Warning);
  }

  Printer& out_;
  const Timeline& timeline_;
  const cronjob::TimelineOptions& options_;
  std::size_t note_ = 0;
  std::optional<cron::Schedule> schedule_;  ///< for what clock changes do to it
  std::vector<cron::SkippedTime> skipped_;
  std::size_t skip_ = 0;
};

void print_remark(Printer& out, const cronjob::CronJob& cronjob, Profile profile) {
  const std::string remark = zone_remark(cronjob, profile);
  if (!remark.empty()) out.print(fmt::format("  {}: {}", to_string(profile), remark), Tone::Warning);
}

// -- JSON.

void emit(const Json& json, int indent) {
  fmt::print("{}\n", json.dump(indent, ' ', false, Json::error_handler_t::replace));
}

Json timeline_json(const Timeline& timeline, const cronjob::TimelineOptions& options) {
  Json runs = Json::array();
  for (const Entry& entry : timeline.entries) {
    runs.push_back(entry_json(entry, *timeline.cronjob, options.profile, options.quirks));
  }
  Json events = Json::array();
  for (const cronjob::Note& note : timeline.notes) events.push_back(note_json(note, options.profile));
  Json out{{"cronJob", timeline.cronjob->key()},
           {"profile", to_string(options.profile)},
           {"from", to_rfc3339(options.from)},
           {"until", to_rfc3339(options.until)},
           {"runs", std::move(runs)},
           {"events", std::move(events)},
           {"status", status_json(timeline.cronjob->status, options.profile)}};
  if (!timeline.stopped.empty()) out["stopped"] = timeline.stopped;
  if (std::string remark = zone_remark(*timeline.cronjob, options.profile); !remark.empty()) out["remark"] = remark;
  return out;
}

void print_lines(const Timeline& timeline, const cronjob::TimelineOptions& options) {
  for (const Entry& entry : timeline.entries) {
    Json line = entry_json(entry, *timeline.cronjob, options.profile, options.quirks);
    line["cronJob"] = timeline.cronjob->key();
    emit(line, -1);
  }
}

void add_times(const Timeline& timeline, std::vector<Time>& times) {
  for (const Entry& entry : timeline.entries) {
    if (entry.outcome == Outcome::Started) times.push_back(entry.at);
  }
}

bool all_started(const Timeline& timeline) {
  return timeline.stopped.empty() && std::all_of(timeline.entries.begin(), timeline.entries.end(),
                                                 [](const Entry& one) { return one.outcome == Outcome::Started; });
}

/// What both commands begin with; absent if the input is wrong, which is told.
struct Input {
  std::vector<Loaded> loaded;
  cron::ZoneSource zones;
};
std::optional<Input> read_input(const CronJobCommand& command) {
  Diagnostics findings;
  std::vector<SourceText> sources;
  Input input;
  auto zones = zones_of(command.zoneinfo);
  auto source = read_source(command.file);
  for (auto* list : {&zones.diagnostics, &source.diagnostics})
    findings.insert(findings.end(), list->begin(), list->end());
  if (zones && source) {
    input.zones = std::move(*zones.value);
    sources.push_back(*source.value);
    input.loaded = load(sources.back(), findings);
    check_schedules(input.loaded, command, input.zones, findings);
  }
  if (command.until && *command.until < command.from.value_or(system_now())) {
    findings.push_back({.code = "InvalidArgument", .message = "--until lies before --from"});
  }
  const bool wrong = has_errors(findings);
  if (wrong &&
      (command.output == CronJobCommand::Output::Json || command.output == CronJobCommand::Output::JsonLines)) {
    emit({{"diagnostics", to_json(findings)}}, 2);
  } else {
    Printer err(stderr, command.color);
    print_diagnostics(err, findings, sources);
  }
  return wrong ? std::nullopt : std::optional(std::move(input));
}

std::string fate(const Entry* entry, Profile profile) {
  return entry == nullptr ? "no such run" : sentence_of(*entry, profile);
}

}  // namespace

int cron_simulate(const CronJobCommand& command) {
  const auto input = read_input(command);
  if (!input) return kError;
  Printer out(stdout, command.color);
  Json all = Json::array();
  std::vector<Time> times;
  std::string title;
  Time from;
  bool fine = true;
  for (const Loaded& one : input->loaded) {
    const Profile profile = command.profiles.empty() ? one.profile : command.profiles.front();
    const auto options = options_of(command, profile, input->zones);
    const Timeline timeline = simulate(one.cronjob, {}, options);
    fine = fine && all_started(timeline);
    from = options.from;
    switch (command.output) {
      case CronJobCommand::Output::Text:
        out.print(Line{{Tone::Strong, "CronJob " + timeline.cronjob->key()},
                       {Tone::Plain, fmt::format(": {}, {} … {}", to_string(profile), to_rfc3339(options.from),
                                                 to_rfc3339(options.until))}});
        print_remark(out, *timeline.cronjob, profile);
        TimelineText(out, timeline, options).print();
        break;
      case CronJobCommand::Output::Json: all.push_back(timeline_json(timeline, options)); break;
      case CronJobCommand::Output::JsonLines: print_lines(timeline, options); break;
      case CronJobCommand::Output::Calendar:
        add_times(timeline, times);
        title += (title.empty() ? "" : ", ") + timeline.cronjob->key();
        break;
    }
  }
  if (command.output == CronJobCommand::Output::Json) emit(all, 2);
  if (command.output == CronJobCommand::Output::Calendar) fmt::print("{}", cron::to_icalendar(title, times, from));
  return fine ? kFine : kNotAsHoped;
}

int cron_compare(const CronJobCommand& command) {
  const auto input = read_input(command);
  if (!input) return kError;
  Printer out(stdout, command.color);
  Json all = Json::array();
  bool same = true;
  for (const Loaded& one : input->loaded) {
    const auto first_options = options_of(command, command.profiles.front(), input->zones);
    const auto second_options = options_of(command, command.profiles.back(), input->zones);
    const Timeline first = simulate(one.cronjob, {}, first_options);
    const Timeline second = simulate(one.cronjob, {}, second_options);
    const auto differences = compare(first, first_options.profile, second, second_options.profile);
    same = same && differences.empty();
    if (command.output == CronJobCommand::Output::Text) {
      out.print(Line{{Tone::Strong, "CronJob " + first.cronjob->key()},
                     {Tone::Plain, fmt::format(": {} runs differ between {} and {}", differences.size(),
                                               to_string(first_options.profile), to_string(second_options.profile))}});
      for (const auto* options : {&first_options, &second_options}) print_remark(out, one.cronjob, options->profile);
      for (const cronjob::Difference& difference : differences) {
        out.print(Line{{Tone::Strong, to_rfc3339(difference.run)}});
        out.print(fmt::format("  {:<16} {}", to_string(first_options.profile),
                              fate(difference.first, first_options.profile)));
        out.print(fmt::format("  {:<16} {}", to_string(second_options.profile),
                              fate(difference.second, second_options.profile)));
      }
      continue;
    }
    for (const cronjob::Difference& difference : differences) {
      Json line{{"cronJob", first.cronjob->key()}, {"run", to_rfc3339(difference.run)}};
      line[std::string(to_string(first_options.profile))] = fate(difference.first, first_options.profile);
      line[std::string(to_string(second_options.profile))] = fate(difference.second, second_options.profile);
      if (command.output == CronJobCommand::Output::JsonLines) {
        emit(line, -1);
      } else {
        all.push_back(std::move(line));
      }
    }
  }
  if (command.output == CronJobCommand::Output::Json) emit(all, 2);
  return same ? kFine : kNotAsHoped;
}

}  // namespace pumice::host
