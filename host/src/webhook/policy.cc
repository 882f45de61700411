#include "webhook/policy.h"

#include <algorithm>

#include <fmt/format.h>

#include "files.h"
#include "pumice/yaml.h"
#include "system_time.h"

namespace pumice::host::webhook {
namespace {

/// Schedules are held against the clock changes of the two years behind the last of these.
constexpr std::chrono::hours kTimeMovesEvery{24};

/// The text of a file, or nothing and what is wrong.
std::optional<std::string> read(const std::string& file, std::string& problem) {
  Result<SourceText> source = read_source(file);
  if (!source) {
    problem = problem_text(source.diagnostics);
    return std::nullopt;
  }
  return std::move(source.value->text);
}

}  // namespace

std::string problem_text(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& finding : diagnostics) {
    if (finding.severity != Severity::Error) continue;
    text += (text.empty() ? "" : "; ") + to_text(finding);
  }
  return text;
}

Policy::Policy(const ServeOptions& options, const EventLog& log, Metrics& metrics)
    : options_(options), log_(log), metrics_(metrics) {}

bool Policy::start() {
  const std::lock_guard lock(mutex_);
  if (!options_.config.empty() && !read_config(true)) return false;
  if (!options_.queue_files.empty() && !read_queues(true)) return false;
  rebuild();
  return true;
}

std::shared_ptr<const Policy::InForce> Policy::in_force() const {
  const std::lock_guard lock(mutex_);
  return in_force_;
}

bool Policy::read_config(bool is_first) {
  std::string problem;
  const auto text = read(options_.config, problem);
  if (text && *text == config_text_ && !is_first) return false;
  if (text) {
    Result<admission::LintConfig> config = admission::parse_lint_config(*text, options_.config);
    config_text_ = *text;
    if (config) {
      lint_ = std::move(*config.value);
    } else {
      problem = problem_text(config.diagnostics);
    }
  }
  metrics_.config_reloaded(problem.empty());
  if (problem.empty()) {
    log_.info("config_loaded", {{"file", options_.config}});
  } else {
    log_.error("config_not_loaded", {{"file", options_.config}, {"problem", problem}});
  }
  return problem.empty();
}

bool Policy::read_queues(bool is_first) {
  std::vector<std::string> texts;
  std::vector<admission::Queue> queues;
  std::string problem;
  for (const std::string& file : options_.queue_files) {
    auto text = read(file, problem);
    if (!text) break;
    texts.push_back(std::move(*text));
  }
  if (problem.empty() && !is_first && texts == queue_texts_) return false;
  if (problem.empty()) queue_texts_ = std::move(texts);
  for (std::size_t i = 0; problem.empty() && i < queue_texts_.size(); ++i) {
    const auto documents = parse_yaml(queue_texts_[i], {.limits = {}, .file = options_.queue_files[i]});
    if (!documents) {
      problem = problem_text(documents.diagnostics);
      break;
    }
    for (const YamlDocument& document : *documents.value) {
      for (admission::Queue& queue : admission::queues_from(to_json(document.root))) queues.push_back(std::move(queue));
    }
  }
  if (problem.empty()) {
    queues_ = std::move(queues);
    log_.info("queues_loaded", {{"count", queues_->size()}});
  } else {
    log_.error("queues_not_loaded", {{"problem", problem}});
  }
  return problem.empty();
}

void Policy::reload() {
  const std::lock_guard lock(mutex_);
  const bool has_config = !options_.config.empty() && read_config(false);
  const bool has_queues = !options_.queue_files.empty() && read_queues(false);
  if (has_config || has_queues) rebuild();
}

bool Policy::are_known() const {
  if (!queues_) return false;
  if (!options_.queues_from_cluster) return true;
  return Clock::now() - seen_ <= std::chrono::nanoseconds(options_.queues_age_max.ns);
}

void Policy::rebuild() {
  auto next = std::make_shared<InForce>();
  next->lint = lint_;
  admission::Options& options = next->options;
  options.scheduler_name = options_.scheduler_name;
  options.upstream_patch = options_.upstream_patch;
  options.pod_level_resources = !options_.no_pod_level_resources;
  options.lint = !options_.no_lint;
  options.ignored = options_.ignored;
  options.after = system_now();
  // The API server has read the object, and held it against the schema of its definition.
  options.schema = false;
  options.lint_config = &next->lint;
  was_known_ = are_known();
  if (was_known_) {
    options.queues = queues_;
  } else if (options_.queues_from_cluster && options_.queues_unknown == WhenUnknown::Closed) {
    options.queues_missing = failure_.empty() ? "the API server has not answered for too long" : failure_;
  }
  built_ = Clock::now();
  metrics_.queues(queues_ ? static_cast<std::int64_t>(queues_->size()) : 0, was_known_);
  in_force_ = std::move(next);
}

void Policy::tick() {
  const std::lock_guard lock(mutex_);
  const bool knows = are_known();
  if (knows != was_known_ && options_.queues_from_cluster) {
    log_.warn(knows ? "queues_known" : "queues_unknown", {{"problem", failure_}});
  }
  if (knows != was_known_ || Clock::now() - built_ > kTimeMovesEvery) rebuild();
}

void Policy::set_queues(std::vector<admission::Queue> queues) {
  const std::lock_guard lock(mutex_);
  queues_ = std::move(queues);
  seen_ = Clock::now();
  failure_.clear();
  rebuild();
}

void Policy::change_queue(const admission::Queue& queue) {
  const std::lock_guard lock(mutex_);
  if (!queues_) return;
  const auto known = std::find_if(queues_->begin(), queues_->end(),
                                  [&](const admission::Queue& one) { return one.name == queue.name; });
  if (known == queues_->end()) {
    queues_->push_back(queue);
  } else {
    *known = queue;
  }
  seen_ = Clock::now();
  rebuild();
}

void Policy::remove_queue(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (!queues_) return;
  std::erase_if(*queues_, [&](const admission::Queue& one) { return one.name == name; });
  seen_ = Clock::now();
  rebuild();
}

void Policy::queues_seen() {
  const std::lock_guard lock(mutex_);
  seen_ = Clock::now();
}

void Policy::queues_failed(std::string why) {
  const std::lock_guard lock(mutex_);
  const bool is_news = why != failure_;
  failure_ = std::move(why);
  if (is_news && !was_known_) rebuild();
}

std::string Policy::queues_text() const {
  const std::lock_guard lock(mutex_);
  if (!options_.queues_from_cluster) {
    return queues_ ? fmt::format("{} queues from files", queues_->size()) : std::string();
  }
  if (are_known()) return fmt::format("{} queues of the cluster", queues_->size());
  return fmt::format(
      "queues of the cluster unknown ({}): {}", failure_.empty() ? "too old" : failure_,
      options_.queues_unknown == WhenUnknown::Open ? "their rules are left out" : "new Volcano Jobs are refused");
}

bool Policy::ready() const {
  const std::lock_guard lock(mutex_);
  return !options_.queues_from_cluster || options_.queues_unknown == WhenUnknown::Open || are_known();
}

}  // namespace pumice::host::webhook
