#include "webhook/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace pumice::host::webhook {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;

Family<Counter>& counters(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}
Gauge& gauge(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add({});
}

const char* word(bool is_fine) { return is_fine ? "success" : "failure"; }

const Histogram::BucketBoundaries kSeconds{0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025,
                                           0.005,   0.01,   0.025,   0.05,   0.1,   0.5};

}  // namespace

struct Metrics::Families {
  prometheus::Registry registry;
  Family<Counter>& reviews =
      counters(registry, "pumice_webhook_reviews_total", "Reviews by path, resource, operation and answer.");
  Family<Histogram>& seconds = prometheus::BuildHistogram()
                                   .Name("pumice_webhook_review_seconds")
                                   .Help("Time from the read request to the answer.")
                                   .Register(registry);
  Family<Counter>& findings = counters(registry, "pumice_webhook_findings_total",
                                       "Reviews in which a rule had findings, by the id of the rule.");
  Family<Counter>& requests =
      counters(registry, "pumice_webhook_requests_total", "Answered HTTP requests by path and status.");
  Gauge& open = gauge(registry, "pumice_webhook_connections", "Open connections.");
  Counter& refused = counters(registry, "pumice_webhook_connections_refused_total",
                              "Connections closed at once because there were too many.")
                         .Add({});
  Counter& handshakes =
      counters(registry, "pumice_webhook_tls_handshake_failures_total", "TLS handshakes that failed.").Add({});
  Family<Counter>& timeouts =
      counters(registry, "pumice_webhook_timeouts_total", "Connections closed because a time limit passed, by phase.");
  Family<Counter>& reloads =
      counters(registry, "pumice_webhook_certificate_reloads_total", "Attempts to take changed certificate files.");
  Gauge& expires =
      gauge(registry, "pumice_webhook_certificate_expiry_timestamp_seconds", "When the served certificate expires.");
  Family<Counter>& configs =
      counters(registry, "pumice_webhook_config_reloads_total", "Attempts to take a changed lint configuration.");
  Gauge& queue_count = gauge(registry, "pumice_webhook_queues", "Queues that are known.");
  Gauge& queues_known =
      gauge(registry, "pumice_webhook_queues_known", "1 if queues are known and their rules are looked at, else 0.");
  Family<Counter>& lists =
      counters(registry, "pumice_webhook_queue_lists_total", "Attempts to list the queues of the cluster.");
};

Metrics::Metrics() : families_(std::make_unique<Families>()) {}
Metrics::~Metrics() = default;

void Metrics::review(std::string_view path, const admission::WebhookAnswer& answer, double seconds) {
  families_->reviews
      .Add({{"path", std::string(path)},
            {"resource", answer.resource},
            {"operation", answer.operation},
            {"allowed", answer.allowed ? "true" : "false"}})
      .Increment();
  families_->seconds.Add({{"path", std::string(path)}}, kSeconds).Observe(seconds);
  for (const std::string& code : answer.codes) families_->findings.Add({{"rule", code}}).Increment();
}

void Metrics::request(std::string_view path, int status) {
  families_->requests.Add({{"path", std::string(path)}, {"status", std::to_string(status)}}).Increment();
}
void Metrics::connections(std::int64_t open) { families_->open.Set(static_cast<double>(open)); }
void Metrics::connection_refused() { families_->refused.Increment(); }
void Metrics::handshake_failed() { families_->handshakes.Increment(); }
void Metrics::timed_out(std::string_view phase) {
  families_->timeouts.Add({{"phase", std::string(phase)}}).Increment();
}
void Metrics::certificate(bool is_loaded, std::int64_t expires_at) {
  families_->reloads.Add({{"result", word(is_loaded)}}).Increment();
  if (is_loaded) families_->expires.Set(static_cast<double>(expires_at));
}
void Metrics::config_reloaded(bool is_fine) { families_->configs.Add({{"result", word(is_fine)}}).Increment(); }
void Metrics::queues(std::int64_t count, bool is_known) {
  families_->queue_count.Set(static_cast<double>(count));
  families_->queues_known.Set(is_known ? 1 : 0);
}
void Metrics::queue_list(bool is_fine) { families_->lists.Add({{"result", word(is_fine)}}).Increment(); }

std::string Metrics::text() const { return prometheus::TextSerializer().Serialize(families_->registry.Collect()); }

}  // namespace pumice::host::webhook
