#include "simulation/words.h"

#include <algorithm>

#include "compose.h"

namespace pumice::simulation {
namespace {

/// Names listed one by one before a list is cut short.
constexpr std::size_t kNamesMax = 4;

struct Numbered {
  std::string_view stem;
  std::int64_t number = -1;  ///< -1: the name does not end in a number
};

Numbered split_number(std::string_view name) {
  std::size_t begin = name.size();
  while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9') --begin;
  const std::string_view digits = name.substr(begin);
  if (digits.empty() || digits.size() > 9 || (digits.size() > 1 && digits.front() == '0')) return {name, -1};
  std::int64_t number = 0;
  for (const char c : digits) number = number * 10 + (c - '0');
  return {name.substr(0, begin), number};
}

}  // namespace

std::string short_name(std::string_view pod, std::string_view job) {
  const bool is_own = !job.empty() && pod.size() > job.size() + 1 && pod.starts_with(job) && pod[job.size()] == '-';
  return std::string(is_own ? pod.substr(job.size() + 1) : pod);
}

std::string_view is_or_are(std::int64_t count) noexcept { return count == 1 ? "is" : "are"; }

std::string fold_names(const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < names.size();) {
    const Numbered first = split_number(names[i]);
    std::size_t end = i + 1;
    while (first.number >= 0 && end < names.size()) {
      const Numbered next = split_number(names[end]);
      if (next.stem != first.stem || next.number != first.number + static_cast<std::int64_t>(end - i)) break;
      ++end;
    }
    if (end - i >= 3) {
      parts.push_back(compose("{} … {}", names[i], first.number + static_cast<std::int64_t>(end - i) - 1));
      i = end;
    } else {
      parts.push_back(names[i++]);
    }
  }
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i == kNamesMax && parts.size() > kNamesMax + 1) return text + compose(" and {} more", parts.size() - i);
    text += (i > 0 ? ", " : "") + parts[i];
  }
  return text;
}

std::string elapsed_text(Time time, Time start) { return (time < start ? "" : "+") + to_string(time - start); }

std::string phase_text(const volcano::PhaseName& phase) {
  const std::string_view text = phase.text();
  return text.empty() ? "new" : std::string(text);
}

std::string group_text(std::string_view name) {
  constexpr std::size_t kUidLength = 36;
  if (name.size() <= kUidLength) return std::string(name);
  const std::string_view uid = name.substr(name.size() - kUidLength);
  for (std::size_t i = 0; i < uid.size(); ++i) {
    const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
    const bool is_hex = (uid[i] >= '0' && uid[i] <= '9') || (uid[i] >= 'a' && uid[i] <= 'f');
    if (is_dash ? uid[i] != '-' : !is_hex) return std::string(name);
  }
  return std::string(name.substr(0, name.size() - kUidLength)) + "…";
}

std::string job_name_of(std::string_view job_key) {
  const std::size_t slash = job_key.find('/');
  return std::string(slash == std::string_view::npos ? job_key : job_key.substr(slash + 1));
}

std::string name_text(std::string_view ns, std::string_view name, const Scene& scene) {
  return (scene.several_namespaces ? std::string(ns) + "/" : std::string()) + std::string(name);
}

std::string job_text(std::string_view job_key, const Scene& scene) {
  return scene.several_namespaces ? std::string(job_key) : job_name_of(job_key);
}

std::string as_sentence(std::string clause) {
  // A clause may begin with a name, whose letters are sacred; our own words are followed by a blank, which names never
  // hold.
  for (const std::string_view word :
       {"the ", "command ", "job ", "time ", "all ", "a ", "containers ", "pod ", "each ", "more "}) {
    if (!clause.starts_with(word)) continue;
    clause.front() = static_cast<char>(clause.front() - 'a' + 'A');
    break;
  }
  if (!clause.empty() && clause.back() != '.') clause += '.';
  return clause;
}

Scene scene_of(const Simulation& simulation, const StepRecord& step) {
  return {.start = simulation.options().start,
          .several_jobs = simulation.jobs().size() + simulation.kube().jobs().size() > 1,
          .several_namespaces = simulation.has_several_namespaces(),
          .simulation = &simulation,
          .step = &step};
}

}  // namespace pumice::simulation
