// The lines of an explanation. Layout: a head in columns, the sentence below it, then what the level asks for.
//
//   7  +42s     pod worker-1 Failed exit=137                 Running → Restarting, retry 1
//      worker-1 failed with exit code 137 → policies[0] of task worker matches (exitCode 137) → …
//      rules for PodFailed of worker-1
//      ✓ spec.tasks[1].policies[0]  exitCode 137 → RestartTask  job.yaml:14:7
//          matches: the exit code is 137
#include <algorithm>

#include "compose.h"
#include "pumice/simulation/report.h"
#include "simulation/kube_parts.h"
#include "simulation/words.h"
#include "utf8.h"

namespace pumice {

namespace simulation {
namespace {

using namespace volcano;

constexpr std::string_view kIndent = "     ";
constexpr std::size_t kInputWidth = 38;
/// More tables of rules than this are counted, not shown.
constexpr std::size_t kTablesMax = 12;

/// Characters, not bytes: what a terminal makes columns of.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !is_utf8_tail(c); }));
}

std::string padded(std::string text, std::size_t width) {
  const std::size_t is = width_of(text);
  if (is < width) text.append(width - is, ' ');
  return text;
}

Line line_of(std::string_view indent, std::string text, Tone tone = Tone::Plain) {
  return {{Tone::Plain, std::string(indent)}, {tone, std::move(text)}};
}

/// True if somebody may ask why no other policy acted on this request. Pods that the controller makes are PodPending
/// and changes of the PodGroup have no event: of interest only if a policy was meant for them.
bool may_interest(const ProcessRecord& record) {
  if (record.expired || record.source == DecisionSource::InternalEvent || record.source == DecisionSource::Command)
    return false;
  if (record.request.event.code != Event::PodPending && record.request.event.code != Event::None) return true;
  return std::any_of(record.considered.begin(), record.considered.end(),
                     [](const Considered& c) { return is_match(c.reason) || c.reason == RuleReason::NeedsTimeout; });
}

class Explainer {
 public:
  Explainer(const Simulation& simulation, const StepRecord& step)
      : simulation_(simulation), step_(step), scene_(scene_of(simulation, step)), fired_(fired_record(step)) {}

  std::vector<Line> run(Explain level);

 private:
  void head();
  void rules_without_records();
  void records();
  void side_records(std::size_t end);
  void side_details(const SideRecord& record, std::string_view indent);
  void flow_steps();
  void observed(std::size_t begin, std::size_t end);
  void processed(std::size_t begin, std::size_t end);
  void details(const ProcessRecord& record, bool is_fired);
  void rules(const ProcessRecord& record, std::string_view indent);
  void labelled(std::string_view label, std::string text);
  void deep(std::string_view label, const std::string& text);
  [[nodiscard]] std::size_t end_of_group(std::size_t begin) const;
  [[nodiscard]] std::string place_of(const ProcessRecord& record, RuleRef rule) const;
  [[nodiscard]] std::vector<std::string> pods_of(std::size_t begin, std::size_t end) const;

  const Simulation& simulation_;
  const StepRecord& step_;
  Scene scene_;
  std::int64_t fired_;
  std::size_t side_ = 0;  ///< the next of `StepRecord::side` to tell
  std::vector<Line> lines_;
  const std::string deep_ = std::string(kIndent) + "        ";
};

void Explainer::head() {
  std::string index = std::to_string(step_.index);
  Line line{{Tone::Muted, index.insert(0, index.size() < 3 ? 3 - index.size() : 0, ' ') + "  " +
                              padded("+" + to_string(step_.elapsed), 7)},
            {Tone::Plain, " "},
            {step_.refused.empty() ? Tone::Strong : Tone::Warning, input_line(step_, scene_)}};
  bool any = false;
  for (const JobChange& change : step_.changes) {
    const std::vector<PhaseName> phases = phases_passed(step_, change);
    if (phases.size() == 1 && change.retry_before == change.retry_after && !change.gone) continue;
    if (!any) line.back().text = padded(std::move(line.back().text), kInputWidth) + " ";
    if (any) line.push_back({Tone::Plain, "; "});
    any = true;
    if (scene_.several_jobs) line.push_back({Tone::Plain, job_text(change.job_key, scene_) + ": "});
    for (std::size_t i = 0; i < phases.size(); ++i) {
      const bool is_new = phases[i].code == JobPhase::None;
      if (i > 0) line.push_back({Tone::Plain, phases[i - 1].code == JobPhase::None ? "→ " : " → "});
      if (!is_new) line.push_back({Tone::Phase, phase_text(phases[i])});
    }
    if (change.retry_before != change.retry_after)
      line.push_back({Tone::Plain, compose(", retry {}", change.retry_after)});
    if (change.gone) line.push_back({Tone::Plain, ", deleted"});
  }
  for (const FlowChange& change : step_.flows) {
    if (!any) line.back().text = padded(std::move(line.back().text), kInputWidth) + " ";
    if (any) line.push_back({Tone::Plain, "; "});
    any = true;
    line.push_back({Tone::Plain, "JobFlow " + job_text(change.flow_key, scene_) + ": "});
    if (!change.phase_before.empty()) line.push_back({Tone::Phase, change.phase_before});
    line.push_back({Tone::Plain, change.phase_before.empty() ? "→ " : " → "});
    line.push_back({Tone::Phase, change.phase_after});
  }
  if (!any && !step_.kube.changes.empty()) line.back().text = padded(std::move(line.back().text), kInputWidth) + " ";
  add_kube_changes(step_, scene_, line, any);
  lines_.push_back(std::move(line));
  if (!step_.refused.empty()) lines_.push_back(line_of(kIndent, "refused: " + step_.refused, Tone::Warning));
}

std::string Explainer::place_of(const ProcessRecord& record, RuleRef rule) const {
  const auto place = simulation_.place_of(record.job_key, rule.path());
  if (!place || !place->range.begin.known()) return {};
  return compose("{}:{}:{}", place->file, place->range.begin.line, place->range.begin.column);
}

/// The policies that were looked at, each with its reason; in one line if none was asked.
void Explainer::rules(const ProcessRecord& record, std::string_view indent) {
  const auto unasked = [](const Considered& c) { return c.reason == RuleReason::NotConsulted; };
  if (std::all_of(record.considered.begin(), record.considered.end(), unasked)) {
    if (record.considered.empty()) return;
    const auto count = static_cast<std::int64_t>(record.considered.size());
    lines_.push_back(line_of(indent,
                             compose("{} {}", count == 1 ? "1 policy" : compose("{} policies", count),
                                     reason_text(record, record.considered.front(), scene_)),
                             Tone::Muted));
    return;
  }
  std::size_t path_width = 0;
  std::size_t policy_width = 0;
  for (const Considered& considered : record.considered) {
    const LifecyclePolicy* policy = policy_at(record.spec.get(), considered.rule);
    path_width = std::max(path_width, considered.rule.path().size());
    policy_width = std::max(policy_width, policy == nullptr ? 0 : width_of(policy_text(*policy)));
  }
  for (const Considered& considered : record.considered) {
    const bool won = is_match(considered.reason);
    const LifecyclePolicy* policy = policy_at(record.spec.get(), considered.rule);
    const std::string text = policy == nullptr ? std::string() : policy_text(*policy);
    const std::string place = place_of(record, considered.rule);
    lines_.push_back({{Tone::Plain, std::string(indent)},
                      {won ? Tone::Winner : Tone::Muted, won ? "✓ " : "· "},
                      {won ? Tone::Winner : Tone::Plain, padded(considered.rule.path(), path_width)},
                      {won ? Tone::Winner : Tone::Plain, "  " + (place.empty() ? text : padded(text, policy_width))},
                      {Tone::Muted, place.empty() ? "" : "  " + place}});
    lines_.push_back(line_of(std::string(indent) + "    ", reason_text(record, considered, scene_), Tone::Muted));
  }
}

/// Level `fails`: the tables of all requests about which policies were asked, and of the one that explains the step.
void Explainer::rules_without_records() {
  const bool nothing_happened = is_let_down(step_);
  std::vector<std::string> shown;
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < step_.records.size(); ++i) {
    const auto* process = std::get_if<ProcessRecord>(&step_.records[i]);
    if (process == nullptr || process->considered.empty()) continue;
    const bool is_fired = static_cast<std::int64_t>(i) == fired_;
    const bool asked = process->source != DecisionSource::InternalEvent && process->source != DecisionSource::Command;
    const bool asked_in_vain = process->source == DecisionSource::Command || nothing_happened;
    if (!may_interest(*process) && !(is_fired && asked_in_vain)) continue;
    // Pods of one task that meet with the same answers are told of once.
    std::string key(process->request.event.text());
    for (const Considered& considered : process->considered) {
      key += "|" + considered.rule.path() + reason_text(*process, considered, scene_);
    }
    if (std::find(shown.begin(), shown.end(), key) != shown.end()) continue;
    shown.push_back(std::move(key));
    if (shown.size() > kTablesMax) {
      ++left_out;
      continue;
    }
    if (asked) lines_.push_back(line_of(kIndent, "rules for " + request_name(process->request)));
    rules(*process, kIndent);
  }
  if (left_out > 0) {
    lines_.push_back(line_of(
        kIndent, compose("and the rules for {}", count_of(static_cast<std::int64_t>(left_out), "more request"))));
  }
}

std::vector<std::string> Explainer::pods_of(std::size_t begin, std::size_t end) const {
  std::vector<std::string> names;
  for (std::size_t i = begin; i < end; ++i) {
    if (const auto* observe = std::get_if<ObserveRecord>(&step_.records[i])) {
      names.push_back(short_name(observe->name, observe->request ? observe->request->job_name : std::string()));
    } else if (const auto* process = std::get_if<ProcessRecord>(&step_.records[i])) {
      names.push_back(short_name(process->request.pod_name, process->request.job_name));
    }
  }
  return names;
}

/// True if the record changed nothing, so that several of its kind may be told as one.
bool is_idle(const ProcessRecord& record) {
  return record.outcome == ProcessOutcome::Executed && record.effects.empty() && record.timers.empty() &&
         record.before == record.after && !record.request.pod_name.empty();
}

bool tells_the_same(const ObserveRecord& a, const ObserveRecord& b) {
  if (a.object != ObjectKind::Pod || b.object != ObjectKind::Pod) return false;
  const bool same_request =
      a.request.has_value() == b.request.has_value() &&
      (!a.request || (a.request->event == b.request->event && a.request->job_name == b.request->job_name));
  return a.ns == b.ns && a.change == b.change && a.outcome == b.outcome && a.detail == b.detail && a.muted == b.muted &&
         same_request;
}

bool tells_the_same(const ProcessRecord& a, const ProcessRecord& b) {
  return is_idle(a) && is_idle(b) && a.request.event == b.request.event && a.request.task_name == b.request.task_name &&
         a.request.exit_code == b.request.exit_code && a.job_key == b.job_key && a.source == b.source &&
         a.reason == b.reason && a.considered == b.considered && a.plan == b.plan;
}

std::size_t Explainer::end_of_group(std::size_t begin) const {
  std::size_t end = begin + 1;
  const auto joins = [&](const Record& next) {
    const Record& first = step_.records[begin];
    if (const auto* a = std::get_if<ObserveRecord>(&first)) {
      const auto* b = std::get_if<ObserveRecord>(&next);
      return b != nullptr && tells_the_same(*a, *b);
    }
    if (const auto* a = std::get_if<ProcessRecord>(&first)) {
      const auto* b = std::get_if<ProcessRecord>(&next);
      return b != nullptr && tells_the_same(*a, *b);
    }
    return false;
  };
  while (end < step_.records.size() && joins(step_.records[end])) ++end;
  return end;
}

void Explainer::labelled(std::string_view label, std::string text) {
  lines_.push_back({{Tone::Plain, std::string(kIndent)},
                    {Tone::Muted, padded(std::string(label), 8)},
                    {Tone::Plain, std::move(text)}});
}

void Explainer::observed(std::size_t begin, std::size_t end) {
  const auto& record = std::get<ObserveRecord>(step_.records[begin]);
  if (end == begin + 1) {
    labelled("notice", observe_clause(record, scene_));
    return;
  }
  ObserveRecord all = record;
  all.name = fold_names(pods_of(begin, end));
  all.ns.clear();
  if (all.request) {
    all.request->pod_name = "each";
    // The names are short already.
    all.request->job_name.clear();
  }
  std::string text = observe_clause(all, scene_);
  constexpr std::string_view kOne = "pod ";
  if (text.starts_with(kOne)) text.replace(0, kOne.size(), "pods ");
  labelled("notice", std::move(text));
}

std::string status_diff(const JobStatus& before, const JobStatus& after) {
  std::vector<std::string> parts;
  if (!(before.phase == after.phase))
    parts.push_back(compose("phase {} → {}", phase_text(before.phase), phase_text(after.phase)));
  const auto number = [&parts](std::string_view name, std::int32_t a, std::int32_t b) {
    if (a != b) parts.push_back(compose("{} {} → {}", name, a, b));
  };
  number("retryCount", before.retry_count, after.retry_count);
  number("version", before.version, after.version);
  number("minAvailable", before.min_available, after.min_available);
  number("pending", before.pending, after.pending);
  number("running", before.running, after.running);
  number("succeeded", before.succeeded, after.succeeded);
  number("failed", before.failed, after.failed);
  number("unknown", before.unknown, after.unknown);
  number("terminating", before.terminating, after.terminating);
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string plan_text(const ProcessRecord& record) {
  std::string text;
  switch (record.plan.operation) {
    case Operation::Sync:
      text = record.sync.short_path ? "sync, short: the PodGroup is not ready, so no pod is looked at" : "sync";
      break;
    case Operation::Kill:
      text = record.plan.retain == Retain::Soft || record.last_retry ? "kill the whole job, keep ended pods"
                                                                     : "kill the whole job";
      break;
    case Operation::KillTarget:
      text = compose("kill {}", to_string(record.target.scope));
      if (record.target.scope == Scope::Task) text += " " + record.target.task_name;
      if (record.target.scope == Scope::Pod) text += " " + short_name(record.target.pod_name, record.request.job_name);
      if (record.target.scope == Scope::Partition)
        text += compose(" {} of task {}", record.target.partition, record.target.task_name);
      break;
  }
  const std::string_view function = to_string(record.plan.function);
  return text + (function.empty() ? ", no status function" : compose(", status function {}", function));
}

/// A line below a record.
void Explainer::deep(std::string_view label, const std::string& text) {
  lines_.push_back({{Tone::Plain, deep_}, {Tone::Muted, padded(std::string(label), 8)}, {Tone::Plain, text}});
}

void Explainer::details(const ProcessRecord& record, bool is_fired) {
  // That internal events pass all policies by is said once, not for each of them.
  if (is_fired || record.source != DecisionSource::InternalEvent) rules(record, deep_);
  const bool ran = record.outcome == ProcessOutcome::Executed || record.outcome == ProcessOutcome::Requeued ||
                   record.outcome == ProcessOutcome::GaveUp;
  if (ran) deep("plan", plan_text(record));
  for (const EffectText& effect : effect_texts(record.effects, record.effects_total, record.request.job_name))
    deep(effect.label, effect.text);
  for (const TimerRecord& timer : record.timers) deep("timer", timer_clause(timer, scene_));
  const std::string diff = status_diff(record.before, record.after);
  if (!diff.empty()) deep("status", diff);
  const bool killed = ran && record.plan.operation != Operation::Sync;
  const bool counts_dropped =
      record.before.pending + record.before.running + record.before.succeeded + record.before.failed > 0;
  if (killed && counts_dropped) deep("", "(a kill leaves every count at 0 but terminating)");
}

void Explainer::processed(std::size_t begin, std::size_t end) {
  const auto& record = std::get<ProcessRecord>(step_.records[begin]);
  if (end == begin + 1) {
    std::string text = record_sentence(step_.records[begin], scene_);
    lines_.push_back({{Tone::Plain, std::string(kIndent)},
                      {Tone::Muted, padded(record.expired ? "timer" : "request", 8)},
                      {static_cast<std::int64_t>(begin) == fired_ ? Tone::Strong : Tone::Plain, std::move(text)}});
  } else {
    ProcessRecord all = record;
    all.request.pod_name = "each of " + fold_names(pods_of(begin, end));
    all.request.job_name.clear();
    labelled("request", record_sentence(all, scene_));
  }
  details(record, static_cast<std::int64_t>(begin) == fired_);
}

/// Why each step of a flow has a job or not.
void Explainer::side_details(const SideRecord& record, std::string_view indent) {
  const auto* flow = std::get_if<jobflow::Record>(&record.what);
  if (flow == nullptr) return;
  if (const auto* round = std::get_if<jobflow::FlowRecord>(flow)) {
    for (std::string& line : jobflow::step_lines(*round)) lines_.push_back(line_of(indent, std::move(line)));
    for (const jobflow::EmitEvent& event : round->events)
      lines_.push_back(line_of(
          indent, compose("event {} {}: {}", event.warning ? "Warning" : "Normal", event.reason, event.message)));
  }
  if (const auto* round = std::get_if<jobflow::TemplateRecord>(flow))
    for (const jobflow::EmitEvent& event : round->events)
      lines_.push_back(line_of(indent, compose("event Warning {}: {}", event.reason, event.message)));
}

/// What flows and the TTL did before the record at `end`.
void Explainer::side_records(std::size_t end) {
  for (; side_ < step_.side.size() && step_.side[side_].before <= static_cast<std::int64_t>(end); ++side_) {
    const SideRecord& record = step_.side[side_];
    const bool is_ttl = std::holds_alternative<garbage::Record>(record.what);
    labelled(is_ttl ? "ttl" : "flow", as_sentence(side_clause(record, scene_)));
    side_details(record, deep_);
  }
}

/// The last look at each flow.
void Explainer::flow_steps() {
  std::vector<const SideRecord*> last;
  for (const SideRecord& record : step_.side) {
    const auto* flow = std::get_if<jobflow::Record>(&record.what);
    const auto* round = flow == nullptr ? nullptr : std::get_if<jobflow::FlowRecord>(flow);
    if (round == nullptr || round->steps.empty()) continue;
    const auto same = std::find_if(last.begin(), last.end(), [&](const SideRecord* other) {
      return std::get<jobflow::FlowRecord>(std::get<jobflow::Record>(other->what)).key == round->key;
    });
    if (same == last.end()) last.push_back(&record);
    if (same != last.end()) *same = &record;
  }
  for (const SideRecord* record : last) {
    lines_.push_back(line_of(kIndent, as_sentence(side_clause(*record, scene_))));
    side_details(*record, std::string(kIndent) + "  ");
  }
}

void Explainer::records() {
  for (std::size_t i = 0; i < step_.records.size();) {
    side_records(i);
    const std::size_t end = end_of_group(i);
    if (std::holds_alternative<ObserveRecord>(step_.records[i])) {
      observed(i, end);
    } else if (std::holds_alternative<ProcessRecord>(step_.records[i])) {
      processed(i, end);
    } else {
      const auto& command = std::get<CommandRecord>(step_.records[i]);
      labelled("command", command_clause(command, scene_));
      if (command.event)
        for (const EffectText& effect : effect_texts({{0, *command.event}}, 1, "")) deep(effect.label, effect.text);
    }
    i = end;
  }
  side_records(std::max(step_.records.size(), kStepRecordsMax));
  const auto shown = static_cast<std::int64_t>(step_.records.size());
  if (step_.records_total > shown) {
    labelled("", compose("and {}, not kept", count_of(step_.records_total - shown, "more record")));
  }
}

std::vector<Line> Explainer::run(Explain level) {
  head();
  if (level == Explain::Off) return std::move(lines_);
  if (step_.refused.empty()) lines_.push_back(line_of(kIndent, step_sentence(step_, scene_)));
  if (level == Explain::Fails) {
    rules_without_records();
    flow_steps();
  }
  if (level == Explain::Full)
    for (const FaultRecord& fault : step_.faults) labelled("fault", fault_clause(fault));
  if (level == Explain::Full) records();
  add_kube_lines(simulation_, step_, level, lines_);
  lines_.push_back({});
  return std::move(lines_);
}

}  // namespace
}  // namespace simulation

std::vector<Line> explain(const Simulation& after, const StepRecord& step, Explain level) {
  return simulation::Explainer(after, step).run(level);
}

}  // namespace pumice
