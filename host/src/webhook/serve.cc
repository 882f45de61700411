// `pumice webhook`: starting, watching files, and the way down.
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include <csignal>
#include <functional>
#include <thread>
#include <vector>

#include "exit_status.h"
#include "webhook/kube_queues.h"
#include "webhook/server.h"

namespace pumice::host::webhook {
namespace {

namespace asio = boost::asio;
using Error = boost::system::error_code;
using Clock = std::chrono::steady_clock;

std::chrono::nanoseconds span_of(Duration duration) { return std::chrono::nanoseconds(duration.ns); }

/// Calls `work` again and again, in the executor of the timer.
class Ticker {
 public:
  Ticker(const asio::any_io_executor& executor, std::chrono::nanoseconds every, std::function<void()> work)
      : timer_(executor), every_(every), work_(std::move(work)) {
    next();
  }
  void cancel() { timer_.cancel(); }

 private:
  void next() {
    timer_.expires_after(every_);
    timer_.async_wait([this](Error error) {
      if (error) return;
      work_();
      next();
    });
  }

  asio::steady_timer timer_;
  std::chrono::nanoseconds every_;
  std::function<void()> work_;
};

/// The way down: not ready at once; after a while, in which callers notice, no new connections; then what is under way
/// is finished, for a bounded time. A second signal ends it all at once.
class Shutdown {
 public:
  Shutdown(asio::io_context& io, const asio::any_io_executor& executor, const Limits& limits, Responder& responder,
           Server& server, const EventLog& log)
      : io_(io),
        signals_(executor, SIGINT, SIGTERM),
        timer_(executor),
        limits_(limits),
        responder_(responder),
        server_(server),
        log_(log) {
    wait();
  }

  [[nodiscard]] bool has_cut_off() const noexcept { return has_cut_off_; }

 private:
  void wait() {
    signals_.async_wait([this](Error error, int number) {
      if (error) return;
      if (is_draining_) {
        has_cut_off_ = server_.open_connections() > 0;
        return io_.stop();
      }
      is_draining_ = true;
      log_.info("draining", {{"signal", number}, {"connections", server_.open_connections()}});
      responder_.drain();
      timer_.expires_after(span_of(limits_.drain_delay));
      timer_.async_wait([this](Error) { drain(); });
      wait();
    });
  }
  void drain() {
    server_.drain();
    ends_at_ = Clock::now() + span_of(limits_.drain);
    poll();
  }
  void poll() {
    const std::int64_t open = server_.open_connections();
    if (open == 0 || Clock::now() >= ends_at_) {
      has_cut_off_ = open > 0;
      return io_.stop();
    }
    timer_.expires_after(std::chrono::milliseconds(20));
    timer_.async_wait([this](Error) { poll(); });
  }

  asio::io_context& io_;
  asio::signal_set signals_;
  asio::steady_timer timer_;
  const Limits& limits_;
  Responder& responder_;
  Server& server_;
  const EventLog& log_;
  Clock::time_point ends_at_{};
  bool is_draining_ = false;
  bool has_cut_off_ = false;
};

int run(const ServeOptions& options) {
  const EventLog log(options.log_level);
  Metrics metrics;
  Policy policy(options, log, metrics);
  if (!policy.start()) return kError;
  Certificates certificates(options, log, metrics);
  if (!certificates.reload()) return kError;
  Responder responder(options, log, metrics, policy, certificates);
  asio::io_context io;
  Server server(io, options.limits, responder, certificates, metrics);
  if (const std::string problem = server.listen(options.address, options.port); !problem.empty()) {
    log.error("not_listening", {{"problem", problem}});
    return kError;
  }
  server.accept();
  // One after the other: none of these is in the way of another.
  const asio::any_io_executor strand = asio::make_strand(io);
  Shutdown shutdown(io, strand, options.limits, responder, server, log);
  Ticker files(strand, span_of(options.reload), [&] {
    certificates.reload();
    policy.reload();
  });
  Ticker clock(strand, std::chrono::seconds(1), [&] { policy.tick(); });
  const std::unique_ptr<KubeQueues> queues =
      options.queues_from_cluster ? std::make_unique<KubeQueues>(options, log, metrics, policy) : nullptr;
  log.info("listening", {{"address", options.address}, {"port", server.port()}, {"threads", options.limits.threads}});

  std::vector<std::thread> threads;
  for (std::int64_t i = 1; i < options.limits.threads; ++i) threads.emplace_back([&io] { io.run(); });
  io.run();
  for (std::thread& thread : threads) thread.join();
  if (shutdown.has_cut_off()) {
    log.warn("stopped", {{"cutOff", server.open_connections()}});
    return kNotAsHoped;
  }
  log.info("stopped");
  return kFine;
}

}  // namespace

int serve(const ServeOptions& options) {
  // A connection that the other side has left is an error code here, not a signal.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return run(options);
  } catch (const std::exception& problem) {
    EventLog(options.log_level).error("failed", {{"problem", problem.what()}});
    return kError;
  }
}

}  // namespace pumice::host::webhook
