// What Prometheus reads from `/metrics`. Labels come from closed sets: no request can make new ones.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "pumice/admission/webhook.h"

namespace pumice::host::webhook {

/// Safe to use from several threads.
class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  void review(std::string_view path, const admission::WebhookAnswer& answer, double seconds);
  /// An answered request; `path` is one that is served, or `other`.
  void request(std::string_view path, int status);
  void connections(std::int64_t open);
  void connection_refused();
  void handshake_failed();
  /// A time limit passed in `handshake`, `idle`, `header`, `body` or `write`.
  void timed_out(std::string_view phase);
  void certificate(bool is_loaded, std::int64_t expires_at);
  void config_reloaded(bool is_fine);
  void queues(std::int64_t count, bool is_known);
  void queue_list(bool is_fine);

  /// The text format of Prometheus.
  [[nodiscard]] std::string text() const;

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace pumice::host::webhook
