// One HTTP request in, one answer out: paths, methods, the health of the webhook. Knows nothing of sockets.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "webhook/event_log.h"
#include "webhook/metrics.h"
#include "webhook/policy.h"

namespace pumice::host::webhook {

class Certificates;

struct HttpRequest {
  std::string_view method;
  std::string_view target;
  std::string_view content_type;
  std::string_view body;
  bool has_client_certificate = false;
  std::string_view client_name;
};

struct HttpAnswer {
  int status = 200;
  std::string_view content_type = "text/plain; charset=utf-8";
  std::string body;
  std::string_view allow;  ///< methods, for status 405
};

/// Safe to use from several threads.
class Responder {
 public:
  Responder(const ServeOptions& options, const EventLog& log, Metrics& metrics, Policy& policy,
            Certificates& certificates)
      : options_(options), log_(log), metrics_(metrics), policy_(policy), certificates_(certificates) {}

  [[nodiscard]] HttpAnswer answer(const HttpRequest& request);
  /// An answer to what is no request, or too large a one.
  [[nodiscard]] HttpAnswer refused(int status, std::string text);
  /// From now on `/readyz` says no.
  void drain() { is_draining_ = true; }

 private:
  HttpAnswer review(std::string_view path, const HttpRequest& request);
  HttpAnswer ready() const;

  const ServeOptions& options_;
  const EventLog& log_;
  Metrics& metrics_;
  Policy& policy_;
  Certificates& certificates_;
  std::atomic<bool> is_draining_ = false;
};

}  // namespace pumice::host::webhook
