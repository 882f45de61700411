// The only file that knows the network library: its templates are slow to compile.
#include "playground.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "exit_status.h"
#include "page_files.h"

namespace pumice::host {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using Error = boost::system::error_code;

constexpr int kPortsTried = 100;
constexpr int kConnectionsMax = 256;
constexpr std::chrono::seconds kIdle{30};
constexpr std::uint32_t kHeaderBytesMax = 16 * 1024;

using Request = http::request<http::empty_body>;
using Response = http::response<http::span_body<const char>>;

struct Server {
  const PlaygroundCommand& command;
  PageFiles files;
  int connections = 0;
};

void add_security_headers(Response& response, const PageFiles& files) {
  response.set("Content-Security-Policy", files.content_security_policy());
  response.set("X-Content-Type-Options", "nosniff");
  response.set("X-Frame-Options", "DENY");
  response.set("Referrer-Policy", "no-referrer");
  response.set("Cross-Origin-Opener-Policy", "same-origin");
  response.set("Cross-Origin-Resource-Policy", "same-origin");
}

Response text_response(http::status status, unsigned version, std::string_view text) {
  Response response(status, version);
  response.set(http::field::content_type, "text/plain; charset=utf-8");
  response.set(http::field::cache_control, "no-store");
  response.body() = {text.data(), text.size()};
  return response;
}

Response answer_to(const Request& request, const PageFiles& files) {
  const bool is_head = request.method() == http::verb::head;
  if (!is_head && request.method() != http::verb::get) {
    Response response =
        text_response(http::status::method_not_allowed, request.version(), "only GET and HEAD are answered here\n");
    response.set(http::field::allow, "GET, HEAD");
    return response;
  }
  const PageFile* page = files.find({request.target().data(), request.target().size()});
  if (page == nullptr) return text_response(http::status::not_found, request.version(), "there is no such file\n");
  const bool is_known = request[http::field::if_none_match] == page->etag;
  Response response(is_known ? http::status::not_modified : http::status::ok, request.version());
  response.set(http::field::content_type, page->file->content_type);
  response.set(http::field::cache_control, page->cache_control);
  response.set(http::field::etag, page->etag);
  if (!is_known) response.body() = {page->file->bytes.data(), page->file->bytes.size()};
  return response;
}

/// One connection: requests one after the other, until the other side closes, is silent for too long, or makes no
/// sense.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, Server& server) : stream_(std::move(socket)), server_(server) {
    ++server_.connections;
  }
  ~Connection() { --server_.connections; }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void read() {
    parser_.emplace();
    parser_->header_limit(kHeaderBytesMax);
    parser_->body_limit(0);
    stream_.expires_after(kIdle);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](Error error, std::size_t) { self->on_read(error); });
  }

 private:
  void on_read(Error error) {
    if (error == http::error::end_of_stream) return close();
    if (error == http::error::body_limit) {
      // A body nobody wants: answer, and do not look at what else it brings.
      return send(text_response(http::status::payload_too_large, 11, "requests have no body here\n"), false, false);
    }
    if (error.category() == http::make_error_code(http::error::bad_method).category()) {
      return send(text_response(http::status::bad_request, 11, "this is not an HTTP request\n"), false, false);
    }
    if (error) return;
    const Request& request = parser_->get();
    Response response = answer_to(request, server_.files);
    if (server_.command.log_requests) {
      spdlog::info("{} {} {}", std::string_view(request.method_string().data(), request.method_string().size()),
                   std::string_view(request.target().data(), request.target().size()), response.result_int());
    }
    send(std::move(response), request.keep_alive(), request.method() == http::verb::head);
  }

  void send(Response response, bool keep_alive, bool head_only) {
    add_security_headers(response, server_.files);
    response.keep_alive(keep_alive);
    response.content_length(response.body().size());
    if (response.result() == http::status::not_modified) response.content_length(boost::none);
    response_.emplace(std::move(response));
    serializer_.emplace(*response_);
    stream_.expires_after(kIdle);
    const auto done = [self = shared_from_this(), keep_alive](Error error, std::size_t) {
      if (error) return;
      if (!keep_alive) return self->close();
      self->read();
    };
    // The answer to HEAD has the length of the file, and no byte of it.
    if (head_only) return http::async_write_header(stream_, *serializer_, done);
    http::async_write(stream_, *serializer_, done);
  }

  void close() {
    Error ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  }

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{kHeaderBytesMax + 4096};
  std::optional<http::request_parser<http::empty_body>> parser_;
  std::optional<Response> response_;
  std::optional<http::response_serializer<http::span_body<const char>>> serializer_;
  Server& server_;
};

/// Listens on the wanted port of the loopback address, or on the next free one.
bool listen(tcp::acceptor& acceptor, std::uint16_t wanted, Error& error) {
  for (int i = 0; i < kPortsTried && wanted + i <= UINT16_MAX; ++i) {
    const tcp::endpoint here(asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(wanted + i));
    error = {};
    acceptor.open(here.protocol(), error);
    if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor.bind(here, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (!error) return true;
    Error ignored;
    acceptor.close(ignored);
    if (error != asio::error::address_in_use && error != asio::error::access_denied) return false;
  }
  return false;
}

void accept(tcp::acceptor& acceptor, Server& server) {
  acceptor.async_accept([&acceptor, &server](Error error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (!error && server.connections < kConnectionsMax) std::make_shared<Connection>(std::move(socket), server)->read();
    accept(acceptor, server);
  });
}

int serve(const PlaygroundCommand& command) {
  // Connections that are open at the end are destroyed with the context, and look at the server once more.
  Server server{command, {}, 0};
  asio::io_context io{1};
  if (server.files.empty()) {
    spdlog::error(
        "the page is not built into this program: configure with -DPUMICE_PAGE_DIR=<folder of the built page>, as "
        "scripts/run.sh does");
    return kError;
  }
  tcp::acceptor acceptor(io);
  Error error;
  if (!listen(acceptor, command.port, error)) {
    spdlog::error("no port from {} on is free on 127.0.0.1: {}", command.port, error.message());
    return kError;
  }
  const std::uint16_t port = acceptor.local_endpoint().port();
  if (command.port != 0 && port != command.port) spdlog::warn("port {} is taken", command.port);
  fmt::print("Playground: http://127.0.0.1:{}/   (Ctrl+C ends it)\n", port);
  std::fflush(stdout);

  asio::signal_set signals(io, SIGINT, SIGTERM);
  signals.async_wait([&io](Error, int) { io.stop(); });
  accept(acceptor, server);
  io.run();
  return kFine;
}

}  // namespace

int serve_playground(const PlaygroundCommand& command) {
  try {
    return serve(command);
  } catch (const std::exception& problem) {
    spdlog::error("the playground cannot be served: {}", problem.what());
    return kError;
  }
}

}  // namespace pumice::host
