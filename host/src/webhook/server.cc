// The file that knows streams of TLS: their templates are slow to compile.
#include "webhook/server.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>

namespace pumice::host::webhook {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using Clock = std::chrono::steady_clock;
using Error = boost::system::error_code;

std::chrono::nanoseconds span_of(Duration duration) { return std::chrono::nanoseconds(duration.ns); }

}  // namespace

class Session;

struct Server::Shared {
  Shared(asio::io_context& context, const Limits& bounds, Responder& answers, Certificates& files, Metrics& counts)
      : io(context),
        limits(bounds),
        responder(answers),
        certificates(files),
        metrics(counts),
        acceptor(asio::make_strand(context)),
        pause(acceptor.get_executor()) {}

  /// Room for a body of so many bytes; false if there is none.
  bool take_room(std::int64_t bytes) {
    const bool has_room = body_bytes.fetch_add(bytes) + bytes <= limits.bodies_bytes_max;
    if (!has_room) body_bytes -= bytes;
    return has_room;
  }

  asio::io_context& io;
  const Limits& limits;
  Responder& responder;
  Certificates& certificates;
  Metrics& metrics;
  tcp::acceptor acceptor;
  asio::steady_timer pause;
  std::atomic<bool> is_draining = false;
  std::atomic<std::int64_t> body_bytes = 0;
  std::mutex mutex;
  std::set<Session*> sessions;
};

namespace {

/// Room that is given back in the end.
template <class Shared>
class Room {
 public:
  explicit Room(Shared& shared) : shared_(shared) {}
  ~Room() { shared_.body_bytes -= bytes_; }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  bool take(std::int64_t bytes) {
    if (!shared_.take_room(bytes)) return false;
    bytes_ += bytes;
    return true;
  }

 private:
  Shared& shared_;
  std::int64_t bytes_ = 0;
};

}  // namespace

/// One connection. All of it runs in the strand of its socket.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, std::shared_ptr<asio::ssl::context> tls, std::shared_ptr<Server::Shared> shared)
      : tls_(std::move(tls)), stream_(beast::tcp_stream(std::move(socket)), *tls_), shared_(std::move(shared)) {}
  ~Session() {
    const std::lock_guard lock(shared_->mutex);
    shared_->sessions.erase(this);
    shared_->metrics.connections(static_cast<std::int64_t>(shared_->sessions.size()));
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void start() {
    {
      const std::lock_guard lock(shared_->mutex);
      shared_->sessions.insert(this);
      shared_->metrics.connections(static_cast<std::int64_t>(shared_->sessions.size()));
    }
    asio::co_spawn(
        stream_.get_executor(), [self = shared_from_this()] { return self->run(); },
        [self = shared_from_this()](const std::exception_ptr&) {});
  }
  /// Ends the connection if no request is under way. May be called from anywhere.
  void close_if_idle() {
    asio::post(stream_.get_executor(), [self = shared_from_this()] {
      if (self->is_idle_) beast::get_lowest_layer(self->stream_).cancel();
    });
  }

 private:
  enum class Next : std::uint8_t { Request, Close, Linger, Drop };

  using Parser = http::request_parser<http::string_body>;
  using Response = http::response<http::string_body>;

  asio::awaitable<void> run() {
    Error error;
    limit(shared_->limits.handshake);
    co_await stream_.async_handshake(asio::ssl::stream_base::server, asio::redirect_error(asio::use_awaitable, error));
    if (error) {
      shared_->metrics.handshake_failed();
      note_timeout(error, "handshake");
      co_return;
    }
    client_name_ = peer_name(stream_.native_handle(), has_client_certificate_);
    Next next = Next::Request;
    while (next == Next::Request) {
      if (!co_await wait_for_request()) {
        next = Next::Close;
        break;
      }
      next = co_await serve_request();
    }
    if (next == Next::Linger) co_await linger();
    if (next == Next::Close) {
      limit(shared_->limits.handshake);
      co_await stream_.async_shutdown(asio::redirect_error(asio::use_awaitable, error));
    }
  }

  /// Until the first byte of the next request; false if none comes.
  asio::awaitable<bool> wait_for_request() {
    if (buffer_.size() > 0) co_return true;
    if (shared_->is_draining) co_return false;
    Error error;
    is_idle_ = true;
    limit(shared_->limits.idle);
    const std::size_t got =
        co_await stream_.async_read_some(buffer_.prepare(kReadBytes), asio::redirect_error(asio::use_awaitable, error));
    is_idle_ = false;
    buffer_.commit(got);
    note_timeout(error, "idle");
    co_return !error;
  }

  asio::awaitable<Next> serve_request() {
    Error error;
    request_ends_ = Clock::now() + span_of(shared_->limits.request);
    Parser parser;
    parser.header_limit(static_cast<std::uint32_t>(shared_->limits.header_bytes_max));
    parser.body_limit(static_cast<std::uint64_t>(shared_->limits.body_bytes_max));
    limit_in_request(shared_->limits.header);
    co_await http::async_read_header(stream_, buffer_, parser, asio::redirect_error(asio::use_awaitable, error));
    note_timeout(error, "header");
    if (error) co_return co_await refuse(error);

    Room room(*shared_);
    const auto length = parser.content_length();
    const std::int64_t wanted = length             ? static_cast<std::int64_t>(*length)
                                : parser.chunked() ? shared_->limits.body_bytes_max
                                                   : 0;
    if (!room.take(wanted)) co_return co_await refuse(503, std::string("too many large requests at a time"));
    if (beast::iequals(parser.get()[http::field::expect], "100-continue")) {
      http::response<http::empty_body> go_on(http::status::continue_, 11);
      co_await http::async_write(stream_, go_on, asio::redirect_error(asio::use_awaitable, error));
      if (error) co_return Next::Drop;
    }
    limit_in_request(shared_->limits.body);
    co_await http::async_read(stream_, buffer_, parser, asio::redirect_error(asio::use_awaitable, error));
    note_timeout(error, "body");
    if (error) co_return co_await refuse(error);

    const auto& request = parser.get();
    const auto content_type = request[http::field::content_type];
    HttpAnswer answer = shared_->responder.answer({
        .method = {request.method_string().data(), request.method_string().size()},
        .target = {request.target().data(), request.target().size()},
        .content_type = {content_type.data(), content_type.size()},
        .body = request.body(),
        .has_client_certificate = has_client_certificate_,
        .client_name = client_name_,
    });
    const bool keep = request.keep_alive() && !shared_->is_draining;
    const bool is_head = request.method() == http::verb::head;
    const bool is_sent = co_await send(std::move(answer), request.version(), keep, is_head);
    if (!is_sent) co_return Next::Drop;
    co_return keep ? Next::Request : Next::Close;
  }

  asio::awaitable<bool> send(HttpAnswer answer, unsigned version, bool keep, bool is_head) {
    Response response(static_cast<http::status>(answer.status), version);
    response.set(http::field::content_type, beast::string_view(answer.content_type.data(), answer.content_type.size()));
    response.set(http::field::cache_control, "no-store");
    response.set("X-Content-Type-Options", "nosniff");
    if (!answer.allow.empty())
      response.set(http::field::allow, beast::string_view(answer.allow.data(), answer.allow.size()));
    response.keep_alive(keep);
    response.content_length(answer.body.size());
    response.body() = std::move(answer.body);
    Error error;
    limit_in_request(shared_->limits.write);
    http::response_serializer<http::string_body> serializer(response);
    if (is_head) {
      co_await http::async_write_header(stream_, serializer, asio::redirect_error(asio::use_awaitable, error));
    } else {
      co_await http::async_write(stream_, serializer, asio::redirect_error(asio::use_awaitable, error));
    }
    note_timeout(error, "write");
    co_return !error;
  }

  asio::awaitable<Next> refuse(int status, std::string text) {
    const bool is_sent = co_await send(shared_->responder.refused(status, std::move(text)), 11, false, false);
    co_return is_sent ? Next::Linger : Next::Drop;
  }

  /// An answer to what could not be read, where the other side can still take one.
  asio::awaitable<Next> refuse(Error error) {
    if (error == http::error::body_limit) {
      co_return co_await refuse(413, std::string("request body too large"));
    }
    if (error == http::error::header_limit || error == http::error::buffer_overflow) {
      co_return co_await refuse(431, std::string("the header of the request is too large"));
    }
    if (error == http::error::end_of_stream || error == http::error::partial_message) co_return Next::Close;
    if (error.category() == http::make_error_code(http::error::bad_method).category()) {
      co_return co_await refuse(400, fmt::format("this is not an HTTP request: {}", error.message()));
    }
    co_return Next::Drop;
  }

  /// What is still on its way is read and thrown away: closing at once would take the answer from the other side.
  asio::awaitable<void> linger() {
    constexpr std::int64_t kBytesMax = 8 * 1024 * 1024;
    auto& socket = beast::get_lowest_layer(stream_);
    Error error;
    socket.socket().shutdown(tcp::socket::shutdown_send, error);
    socket.expires_after(std::chrono::seconds(2));
    std::array<char, 16 * 1024> sink;  // NOLINT(cppcoreguidelines-pro-type-member-init): written before it is read
    for (std::int64_t bytes = 0; !error && bytes < kBytesMax;) {
      bytes += static_cast<std::int64_t>(
          co_await socket.async_read_some(asio::buffer(sink), asio::redirect_error(asio::use_awaitable, error)));
    }
  }

  void limit(Duration duration) { beast::get_lowest_layer(stream_).expires_after(span_of(duration)); }
  void limit_in_request(Duration duration) {
    beast::get_lowest_layer(stream_).expires_at(std::min(Clock::now() + span_of(duration), request_ends_));
  }
  void note_timeout(Error error, std::string_view phase) {
    if (error == beast::error::timeout) shared_->metrics.timed_out(phase);
  }

  static constexpr std::size_t kReadBytes = 4096;

  std::shared_ptr<asio::ssl::context> tls_;
  beast::ssl_stream<beast::tcp_stream> stream_;
  std::shared_ptr<Server::Shared> shared_;
  beast::flat_buffer buffer_;
  Clock::time_point request_ends_{};
  std::string client_name_;
  bool has_client_certificate_ = false;
  bool is_idle_ = false;
};

Server::Server(asio::io_context& io, const Limits& limits, Responder& responder, Certificates& certificates,
               Metrics& metrics)
    : shared_(std::make_shared<Shared>(io, limits, responder, certificates, metrics)) {}

Server::~Server() = default;

std::string Server::listen(const std::string& address, std::uint16_t port) {
  Error error;
  const asio::ip::address host = asio::ip::make_address(address, error);
  if (error) return fmt::format("`{}` is no address", address);
  const tcp::endpoint here(host, port);
  tcp::acceptor& acceptor = shared_->acceptor;
  acceptor.open(here.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(here, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  return error ? fmt::format("{}:{} cannot be listened to: {}", address, port, error.message()) : std::string();
}

std::uint16_t Server::port() const { return shared_->acceptor.local_endpoint().port(); }

void Server::accept() {
  const std::shared_ptr<Shared> shared = shared_;
  shared->acceptor.async_accept(asio::make_strand(shared->io), [this, shared](Error error, tcp::socket socket) {
    if (error == asio::error::operation_aborted || shared->is_draining) return;
    if (error) {
      // Out of descriptors, most likely: asking again at once would not free any.
      shared->pause.expires_after(std::chrono::milliseconds(100));
      shared->pause.async_wait([this](Error) { accept(); });
      return;
    }
    if (open_connections() >= shared->limits.connections_max) {
      shared->metrics.connection_refused();
    } else {
      Error ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      std::make_shared<Session>(std::move(socket), shared->certificates.current(), shared)->start();
    }
    accept();
  });
}

void Server::drain() {
  shared_->is_draining = true;
  asio::post(shared_->acceptor.get_executor(), [shared = shared_] {
    Error ignored;
    shared->acceptor.close(ignored);
    shared->pause.cancel();
  });
  // Let go only without the lock: the last one to hold a session destroys it.
  std::vector<std::shared_ptr<Session>> alive;
  {
    const std::lock_guard lock(shared_->mutex);
    for (Session* session : shared_->sessions) {
      if (auto one = session->weak_from_this().lock()) alive.push_back(std::move(one));
    }
  }
  for (const auto& session : alive) session->close_if_idle();
}

std::int64_t Server::open_connections() const {
  const std::lock_guard lock(shared_->mutex);
  return static_cast<std::int64_t>(shared_->sessions.size());
}

}  // namespace pumice::host::webhook
