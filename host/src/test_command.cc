#include "test_command.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <thread>

#include <fmt/format.h>

#include "exit_status.h"

namespace pumice::host {
namespace {

namespace fs = std::filesystem;
using namespace scenario;

std::atomic<bool> stopped{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may use nothing else");

TestResult run_one(const TestCommand& command, const TestCase& one, Printer& out) {
  RunOptions options;
  options.loader = loader_beside(one.file);
  options.more = one.more;
  if (command.explain && command.output == TestCommand::Output::Text) {
    out.print(Line{{Tone::Strong, one.name}});
    options.on_step = [&](const World& world) { out.print(world.explain(*command.explain)); };
  }
  return {one.name, one.scenario.title, one.file, run(one.scenario, options)};
}

int status_of(const TestReport& report) {
  if (has_errors(report.problems) || report.count(Verdict::Error) > 0) return kError;
  return report.count(Verdict::Failed) > 0 ? kNotAsHoped : kFine;
}

/// All tests once. `watched` gets the files that were looked at.
int run_all(const TestCommand& command, std::vector<std::string>& watched) {
  Printer out(stdout, command.color);
  const bool as_text = command.output == TestCommand::Output::Text;
  TestReport report;
  std::string problem;
  const auto wanted = Pattern::compile(command.run, problem);
  if (!wanted) {
    fmt::print(stderr, "--run: `{}` is no regular expression: {}\n", command.run, problem);
    return kError;
  }
  TestFiles files = read_tests(command.files);
  watched = files.watched;
  report.problems = std::move(files.problems);
  report.texts = std::move(files.texts);
  const std::size_t all = files.cases.size();
  std::erase_if(files.cases, [&](const TestCase& one) { return !wanted->found_in(one.name); });
  report.left_out = static_cast<std::int64_t>(all - files.cases.size());
  if (files.cases.empty() && !has_errors(report.problems)) {
    report.problems.push_back({.code = "NothingToTest",
                               .message = all > 0 ? fmt::format("no test is called like `{}`", command.run)
                                                  : "there is no Scenario and no Suite",
                               .hint = all > 0 ? "" : "both have `apiVersion: pumice.dev/v1`"});
  }
  for (const TestCase& one : files.cases) {
    const bool failed = report.count(Verdict::Failed) + report.count(Verdict::Error) > 0;
    if (stopped || (command.fail_fast && failed)) {
      ++report.left_out;
      continue;
    }
    report.results.push_back(run_one(command, one, out));
    report.coverage.merge(report.results.back().outcome.coverage);
    if (as_text) print_result(out, report.results.back(), report.texts);
  }
  const int status = status_of(report);
  const bool with_coverage = command.coverage != TestCommand::Coverage::None;
  switch (command.output) {
    case TestCommand::Output::Text: print_totals(out, command, report); break;
    case TestCommand::Output::Json: fmt::print("{}\n", to_json_text(report, with_coverage, status)); break;
    case TestCommand::Output::JUnit: fmt::print("{}", to_junit(report)); break;
  }
  std::fflush(stdout);
  return status;
}

/// When each of the files, and of those in given folders, was written last.
std::map<std::string, fs::file_time_type> times_of(const TestCommand& command,
                                                   const std::vector<std::string>& watched) {
  std::map<std::string, fs::file_time_type> times;
  const auto look = [&times](const fs::path& path) {
    std::error_code unknown;
    const auto time = fs::last_write_time(path, unknown);
    if (!unknown) times[path.string()] = time;
  };
  for (const std::string& path : watched) look(path);
  for (const std::string& path : command.files) {
    std::error_code unknown;
    if (!fs::is_directory(path, unknown)) continue;
    fs::recursive_directory_iterator at(path, fs::directory_options::skip_permission_denied, unknown);
    for (; !unknown && at != fs::recursive_directory_iterator(); at.increment(unknown)) look(at->path());
  }
  return times;
}

int watch(const TestCommand& command) {
  std::signal(SIGINT, [](int) { stopped = true; });
  std::signal(SIGTERM, [](int) { stopped = true; });
  std::vector<std::string> watched;
  int status = kFine;
  while (!stopped) {
    // Taken first: what is changed while the tests run makes them run again.
    auto before = times_of(command, watched);
    status = run_all(command, watched);
    for (auto& [path, time] : times_of(command, watched)) before.try_emplace(path, time);
    fmt::print(stderr, "waiting for changes; Ctrl+C ends\n");
    while (!stopped && times_of(command, watched) == before)
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  return status;
}

}  // namespace

std::int64_t TestReport::count(Verdict verdict) const {
  return std::count_if(results.begin(), results.end(),
                       [verdict](const TestResult& result) { return result.outcome.verdict == verdict; });
}

int test(const TestCommand& command) {
  if (command.watch) return watch(command);
  std::vector<std::string> watched;
  return run_all(command, watched);
}

}  // namespace pumice::host
