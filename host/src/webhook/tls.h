// The certificate that is served, and who may ask: TLS 1.2 and newer, files that may change while the webhook runs.
#pragma once

#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "webhook/event_log.h"
#include "webhook/metrics.h"
#include "webhook/serve_options.h"

namespace pumice::host::webhook {

/// Safe to use from several threads.
class Certificates {
 public:
  Certificates(const ServeOptions& options, const EventLog& log, Metrics& metrics)
      : options_(options), log_(log), metrics_(metrics) {}

  /// Reads the files if their contents have changed. Files that do not fit each other, as in the middle of a change,
  /// leave the certificate that is served; they are tried again at the next call. False if there was nothing to take.
  bool reload();
  /// For a new connection. Connections that are open keep theirs.
  [[nodiscard]] std::shared_ptr<boost::asio::ssl::context> current() const;
  /// False once the served certificate has expired.
  [[nodiscard]] bool is_valid() const;

 private:
  struct Files {
    std::string certificate;
    std::string key;
    std::string client_ca;
    friend bool operator==(const Files&, const Files&) = default;
  };

  const ServeOptions& options_;
  const EventLog& log_;
  Metrics& metrics_;
  mutable std::mutex mutex_;
  std::shared_ptr<boost::asio::ssl::context> context_;
  Files files_;
  std::int64_t expires_at_ = 0;
};

/// The common name of the certificate that the other side has shown and that was verified; empty if there is none.
/// `has_certificate` tells a nameless one from none.
[[nodiscard]] std::string peer_name(SSL* ssl, bool& has_certificate);

}  // namespace pumice::host::webhook
