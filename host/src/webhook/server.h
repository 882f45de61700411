// HTTPS connections: TLS, HTTP/1.1 with kept-alive and pipelined requests, limits of size and time, an orderly end.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <memory>
#include <string>

#include "webhook/respond.h"
#include "webhook/tls.h"

namespace pumice::host::webhook {

class Session;

/// Everything is to be called by threads that run `io`, but for construction and `listen`.
class Server {
 public:
  Server(boost::asio::io_context& io, const Limits& limits, Responder& responder, Certificates& certificates,
         Metrics& metrics);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Empty, or why nobody can be listened to.
  [[nodiscard]] std::string listen(const std::string& address, std::uint16_t port);
  [[nodiscard]] std::uint16_t port() const;
  void accept();

  /// No new connections; those without a request are closed, the others when theirs is answered.
  void drain();
  [[nodiscard]] std::int64_t open_connections() const;

 private:
  friend class Session;
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace pumice::host::webhook
