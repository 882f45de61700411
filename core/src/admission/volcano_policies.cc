// Lifecycle policies (spec/volcano-admission.md 3.2).
#include <algorithm>
#include <array>
#include <set>

#include "admission/volcano.h"
#include "compose.h"
#include "cron/go_text.h"
#include "yaml/field_path.h"

namespace pumice::admission {
namespace {

constexpr std::array<std::string_view, 8> kEvents{"*",          "JobUpdated",    "PodEvicted", "PodFailed",
                                                  "PodPending", "TaskCompleted", "TaskFailed", "Unknown"};
constexpr std::array<std::string_view, 8> kActions{"AbortJob",   "CompleteJob", "RestartJob", "RestartPartition",
                                                   "RestartPod", "RestartTask", "ResumeJob",  "TerminateJob"};

template <std::size_t kSize>
bool contains(const std::array<std::string_view, kSize>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

template <std::size_t kSize>
std::string joined(const std::array<std::string_view, kSize>& words) {
  std::string text;
  for (const std::string_view word : words) text += compose("{}{}", text.empty() ? "" : " ", word);
  return text;
}

/// An event of a policy and where it stands.
struct NamedEvent {
  std::string_view name;
  std::string field;
};

std::vector<NamedEvent> events_of(View policy, const std::string& field) {
  std::vector<NamedEvent> events;
  std::set<std::string_view> known;
  const auto add = [&](std::string_view name, std::string place) {
    if (known.insert(name).second) events.push_back({name, std::move(place)});
  };
  const View list = policy["events"];
  for (std::size_t i = 0; i < list.size(); ++i) add(list.at(i).text(), compose("{}.events[{}]", field, i));
  if (!policy.text("event").empty()) add(policy.text("event"), field + ".event");
  return events;
}

/// One walk over a list of policies. The original ends it at the first problem; this goes on and only stops speaking.
class Walk {
 public:
  Walk(Answer& answer, std::string_view shown) : answer_(answer), shown_(shown) {}

  void policy(View policy, const std::string& field) {
    const bool has_events = policy["events"].size() > 0 || !policy.text("event").empty();
    const View exit_code = policy["exitCode"];
    if (has_events && exit_code.present()) {
      problem("volcano.job.policy-event-and-exit-code", field, "must not specify event and exitCode simultaneously");
    } else if (!has_events && !exit_code.present()) {
      problem("volcano.job.policy-empty", field, "either event and exitCode should be specified");
    } else if (has_events) {
      for (const NamedEvent& event : events_of(policy, field)) event_policy(event, policy.text("action"), field);
    } else {
      exit_code_policy(exit_code.integer_or(0), field + ".exitCode");
    }
  }

  void end(const std::string& field) {
    const auto is_mixed = [](const std::set<std::string_view>& events) {
      return events.contains("*") && events.size() > 1;
    };
    constexpr std::string_view kText = "if there's * here, no other policy should be here";
    if (is_mixed(said_events_)) errors_.emplace_back(kText);
    if (is_mixed(events_)) note("volcano.job.policy-any-event", field, kText, is_mixed(said_events_));
    if (errors_.empty()) return;
    answer_.append(errors_.size() == 1 ? "1 error occurred:\n" : compose("{} errors occurred:\n", errors_.size()));
    for (const std::string& error : errors_) answer_.append(compose("\t* {}\n", error));
    answer_.append(compose("\n{};", valid_words()));
  }

 private:
  void event_policy(const NamedEvent& event, std::string_view action, const std::string& field) {
    if (!contains(kEvents, event.name)) {
      problem("volcano.job.policy-event", event.field,
              compose("{}: Invalid value: {}: invalid policy event", shown_, cron::quoted(event.name)));
    } else if (!contains(kActions, action)) {
      problem("volcano.job.policy-action", field + ".action",
              compose("{}: Invalid value: {}: invalid policy action", shown_, cron::quoted(action)));
    } else if (events_.contains(event.name)) {
      problem("volcano.job.policy-event-duplicate", event.field,
              compose("duplicate event {}  across different policy", event.name));
    }
    events_.insert(event.name);
    if (!is_over_) said_events_.insert(event.name);
  }

  void exit_code_policy(std::int64_t code, const std::string& field) {
    if (code == 0) {
      problem("volcano.job.policy-exit-code", field, "0 is not a valid error code");
    } else if (!exit_codes_.insert(code).second) {
      problem("volcano.job.policy-exit-code-duplicate", field, compose("duplicate exitCode {}", code));
    }
  }

  void problem(RuleRef rule, std::string field, std::string text) {
    if (!is_over_) errors_.push_back(text);
    note(rule, std::move(field), text, !is_over_);
    is_over_ = true;
  }
  void note(RuleRef rule, std::string field, std::string_view text, bool is_said) {
    const std::size_t before = answer_.findings().size();
    answer_.note(rule, std::move(field), std::string(text));
    if (!is_said) answer_.findings().unsay(before);
  }

  Answer& answer_;
  std::string_view shown_;
  std::set<std::string_view> events_;
  std::set<std::string_view> said_events_;
  std::set<std::int64_t> exit_codes_;
  std::vector<std::string> errors_;
  bool is_over_ = false;
};

}  // namespace

std::string valid_words() {
  return compose(" valid events are [{}], valid actions are [{}]", joined(kEvents), joined(kActions));
}

void check_policies(Answer& answer, View policies, std::string_view shown, const std::string& field) {
  Walk walk(answer, shown);
  for (std::size_t i = 0; i < policies.size(); ++i) walk.policy(policies.at(i), compose("{}[{}]", field, i));
  walk.end(field);
}

}  // namespace pumice::admission
