// What `pumice webhook` is told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pumice/admission/webhook.h"
#include "pumice/time.h"

namespace pumice::host::webhook {

enum class LogLevel : std::uint8_t { Debug, Info, Warn, Error };
/// What becomes of the rules of queues while those of the cluster are not known.
enum class WhenUnknown : std::uint8_t { Open, Closed };

struct Limits {
  std::int64_t threads = 2;
  std::int64_t connections_max = 256;
  std::int64_t header_bytes_max = 16 * 1024;
  std::int64_t body_bytes_max = admission::kReviewBytesMax;
  std::int64_t bodies_bytes_max = 64 * 1024 * 1024;  ///< of all connections together
  Duration handshake = seconds(10);
  Duration idle = seconds(120);  ///< longer than the 90 s after which API servers close theirs
  Duration header = seconds(5);
  Duration body = seconds(30);
  Duration write = seconds(30);
  Duration request = seconds(60);  ///< from the first byte of a request to the last of its answer
  Duration drain_delay = seconds(5);
  Duration drain = seconds(30);
};

struct ServeOptions {
  std::string address = "0.0.0.0";
  std::uint16_t port = 8443;
  std::string certificate;
  std::string key;
  std::string client_ca;
  std::vector<std::string> client_names;
  Duration reload = seconds(10);

  std::string config;
  std::vector<std::string> queue_files;
  bool queues_from_cluster = false;
  WhenUnknown queues_unknown = WhenUnknown::Open;
  Duration queues_age_max = seconds(600);
  std::string kube_api;
  std::string kube_ca = "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt";
  std::string kube_token = "/var/run/secrets/kubernetes.io/serviceaccount/token";

  std::string scheduler_name = "volcano";
  bool upstream_patch = false;
  bool no_lint = false;
  bool no_pod_level_resources = false;
  std::vector<std::string> ignored;
  Limits limits;
  LogLevel log_level = LogLevel::Info;
};

struct CertificateOptions {
  std::string folder = ".";
  std::string service = "pumice-webhook";
  std::string ns = "pumice-system";
  std::vector<std::string> dns;
  std::vector<std::string> ips;
  std::int64_t days = 365;
  std::int64_t ca_days = 3650;
  bool keep_ca_key = false;
  bool force = false;
};

/// Serves until SIGTERM or SIGINT. 0: drained; 1: requests were cut off at the end of the time for draining; 2: could
/// not start.
[[nodiscard]] int serve(const ServeOptions& options);

/// Makes a certificate authority and a server certificate; prints the `caBundle`. 0: done; 2: not.
[[nodiscard]] int make_certificate(const CertificateOptions& options);

}  // namespace pumice::host::webhook
