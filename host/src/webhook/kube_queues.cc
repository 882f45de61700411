#include "webhook/kube_queues.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

#include <array>
#include <cstdlib>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "files.h"

namespace pumice::host::webhook {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using Clock = std::chrono::steady_clock;
using Error = boost::system::error_code;

constexpr std::chrono::seconds kConnect{10};
constexpr std::chrono::seconds kAnswer{30};
constexpr std::int64_t kWatchSeconds = 290;
/// A watch that says nothing for longer than it may last is dead.
constexpr std::chrono::seconds kSilence{kWatchSeconds + 30};
constexpr std::chrono::minutes kListEvery{30};
constexpr std::chrono::milliseconds kBackoffMin{1000};
constexpr std::chrono::milliseconds kBackoffMax{60'000};
constexpr std::uint64_t kListBytesMax = 32UL * 1024 * 1024;
constexpr std::size_t kEventBytesMax = 4UL * 1024 * 1024;
constexpr int kPagesMax = 1000;
constexpr std::string_view kQueues = "/apis/scheduling.volcano.sh/v1beta1/queues";

/// Why something did not work; `is_stale`: only a new list helps, and nothing is wrong.
struct Failure {
  std::string why;
  bool is_stale = false;
};

struct Target {
  std::string host;
  std::string port;
};

std::optional<Target> target_of(std::string url) {
  if (url.empty()) {
    const char* const host = std::getenv("KUBERNETES_SERVICE_HOST");
    const char* const port = std::getenv("KUBERNETES_SERVICE_PORT");
    if (host == nullptr || port == nullptr) return std::nullopt;
    return Target{host, port};
  }
  constexpr std::string_view kScheme = "https://";
  if (!url.starts_with(kScheme)) return std::nullopt;
  url.erase(0, kScheme.size());
  while (url.ends_with('/')) url.pop_back();
  Target target{url, "443"};
  const std::size_t colon = url.rfind(':');
  if (colon != std::string::npos && url.find(']', colon) == std::string::npos && !url.ends_with(']')) {
    target = {url.substr(0, colon), url.substr(colon + 1)};
  }
  if (target.host.starts_with('[') && target.host.ends_with(']')) {
    target.host = target.host.substr(1, target.host.size() - 2);
  }
  return target.host.empty() || target.port.empty() ? std::nullopt : std::optional(target);
}

std::string read(const std::string& file) {
  Result<SourceText> source = read_source(file);
  if (!source) throw Failure{problem_text(source.diagnostics)};
  std::string text = std::move(source.value->text);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

void need(Error error, const char* what) {
  if (error) throw Failure{fmt::format("{}: {}", what, error.message())};
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_plain =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
    out += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

const std::string& text_of(const Json& object, const char* name) {
  static const std::string kEmpty;
  const Json& value = member_of(object, name);
  return value.is_string() ? value.get_ref<const std::string&>() : kEmpty;
}

/// One connection to the API server, for one request.
class Connection {
 public:
  Connection(asio::io_context& io, const Target& target, const std::string& authority)
      : target_(target), tls_(context_of(authority)), resolver_(io), stream_(io, tls_) {}

  asio::awaitable<void> open() {
    Error error;
    auto& socket = beast::get_lowest_layer(stream_);
    const auto found =
        co_await resolver_.async_resolve(target_.host, target_.port, asio::redirect_error(asio::use_awaitable, error));
    need(error, "the API server's address is not found");
    socket.expires_after(kConnect);
    co_await socket.async_connect(found, asio::redirect_error(asio::use_awaitable, error));
    need(error, "the API server is not reached");
    socket.socket().set_option(asio::socket_base::keep_alive(true), error);
    Error no_address;
    (void)asio::ip::make_address(target_.host, no_address);
    if (no_address) SSL_set_tlsext_host_name(stream_.native_handle(), target_.host.c_str());
    stream_.set_verify_mode(asio::ssl::verify_peer);
    stream_.set_verify_callback(asio::ssl::host_name_verification(target_.host));
    socket.expires_after(kConnect);
    co_await stream_.async_handshake(asio::ssl::stream_base::client, asio::redirect_error(asio::use_awaitable, error));
    need(error, "the API server's certificate or TLS");
  }

  asio::awaitable<void> ask(const std::string& path, const std::string& token) {
    http::request<http::empty_body> request(http::verb::get, path, 11);
    request.set(http::field::host, target_.host);
    request.set(http::field::user_agent, "pumice-webhook");
    request.set(http::field::accept, "application/json");
    if (!token.empty()) request.set(http::field::authorization, "Bearer " + token);
    Error error;
    beast::get_lowest_layer(stream_).expires_after(kAnswer);
    co_await http::async_write(stream_, request, asio::redirect_error(asio::use_awaitable, error));
    need(error, "the API server takes no request");
  }

  asio::awaitable<Json> answer() {
    http::response_parser<http::string_body> parser;
    parser.body_limit(kListBytesMax);
    Error error;
    beast::get_lowest_layer(stream_).expires_after(kAnswer);
    co_await http::async_read(stream_, buffer_, parser, asio::redirect_error(asio::use_awaitable, error));
    need(error, "the API server's answer");
    check(parser.get().result_int());
    Json json = Json::parse(parser.get().body(), nullptr, false);
    if (!json.is_object()) throw Failure{"the API server's answer is no JSON object"};
    co_return json;
  }

  /// Calls `take` with each line of an answer that goes on.
  template <class Take>
  asio::awaitable<void> lines(Take take) {
    http::response_parser<http::buffer_body> parser;
    parser.body_limit(boost::none);
    Error error;
    beast::get_lowest_layer(stream_).expires_after(kAnswer);
    co_await http::async_read_header(stream_, buffer_, parser, asio::redirect_error(asio::use_awaitable, error));
    need(error, "the API server's answer");
    check(parser.get().result_int());
    std::string pending;
    std::array<char, 16 * 1024> chunk{};
    while (!parser.is_done()) {
      parser.get().body().data = chunk.data();
      parser.get().body().size = chunk.size();
      beast::get_lowest_layer(stream_).expires_after(kSilence);
      co_await http::async_read_some(stream_, buffer_, parser, asio::redirect_error(asio::use_awaitable, error));
      if (error == http::error::need_buffer) error = {};
      pending.append(chunk.data(), chunk.size() - parser.get().body().size);
      std::size_t begin = 0;
      for (std::size_t end = pending.find('\n'); end != std::string::npos; end = pending.find('\n', begin)) {
        if (end > begin) take(std::string_view(pending).substr(begin, end - begin));
        begin = end + 1;
      }
      pending.erase(0, begin);
      if (error == http::error::partial_message || error == http::error::end_of_stream) break;
      need(error, "the watch of queues broke off");
      if (pending.size() > kEventBytesMax) throw Failure{"an event of the watch is too large"};
    }
  }

 private:
  static asio::ssl::context context_of(const std::string& authority) {
    asio::ssl::context context(asio::ssl::context::tls_client);
    SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
    Error error;
    context.add_certificate_authority(asio::buffer(authority), error);
    need(error, "the cluster's authority cannot be used");
    return context;
  }
  static void check(unsigned status) {
    if (status == 410) throw Failure{"", true};
    if (status == 401 || status == 403) {
      throw Failure{
          fmt::format("the API server answers {}: the service account may not list and watch queues", status)};
    }
    if (status == 404) throw Failure{"the API server answers 404: it has no queues.scheduling.volcano.sh"};
    if (status != 200) throw Failure{fmt::format("the API server answers {}", status)};
  }

  const Target& target_;
  asio::ssl::context tls_;
  tcp::resolver resolver_;
  beast::ssl_stream<beast::tcp_stream> stream_;
  beast::flat_buffer buffer_;
};

}  // namespace

class KubeQueues::Follower {
 public:
  Follower(const ServeOptions& options, const EventLog& log, Metrics& metrics, Policy& policy)
      : options_(options), log_(log), metrics_(metrics), policy_(policy), timer_(io_) {
    asio::co_spawn(io_, follow_for_ever(), [this](const std::exception_ptr& problem) {
      if (problem) log_.error("queues_not_followed");
    });
    thread_ = std::thread([this] { io_.run(); });
  }
  ~Follower() {
    io_.stop();
    thread_.join();
  }
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

 private:
  asio::awaitable<void> follow_for_ever() {
    std::chrono::milliseconds backoff = kBackoffMin;
    for (;;) {
      Failure failure;
      const auto started = Clock::now();
      try {
        co_await follow();
      } catch (const Failure& problem) {
        failure = problem;
      } catch (const std::exception& problem) {
        failure.why = problem.what();
      }
      if (failure.is_stale || failure.why.empty()) {
        backoff = kBackoffMin;
      } else {
        metrics_.queue_list(false);
        log_.warn("queues_not_followed", {{"problem", failure.why}, {"againInMs", backoff.count()}});
        policy_.queues_failed(failure.why);
        // What has worked for a while begins again with a short pause.
        if (Clock::now() - started > kBackoffMax) backoff = kBackoffMin;
      }
      Error ignored;
      timer_.expires_after(failure.why.empty() ? kBackoffMin / 10 : backoff);
      co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
      if (!failure.why.empty()) backoff = std::min(backoff * 2, kBackoffMax);
    }
  }

  /// Lists and watches until everything is to be listed again.
  asio::awaitable<void> follow() {
    const auto target = target_of(options_.kube_api);
    if (!target) throw Failure{"this is no pod of a cluster, and --kube-api does not name an API server"};
    target_ = *target;
    std::string version = co_await list();
    const auto listed = Clock::now();
    while (Clock::now() - listed < kListEvery) version = co_await watch(version);
  }

  asio::awaitable<std::string> list() {
    std::vector<admission::Queue> queues;
    std::string version;
    std::string next;
    for (int page = 0; page < kPagesMax; ++page) {
      Connection connection(io_, target_, read(options_.kube_ca));
      co_await connection.open();
      std::string path = std::string(kQueues) + "?limit=500";
      if (!next.empty()) path += "&continue=" + escaped(next);
      co_await connection.ask(path, token());
      const Json answer = co_await connection.answer();
      for (admission::Queue& queue : admission::queues_from(answer)) queues.push_back(std::move(queue));
      version = text_of(member_of(answer, "metadata"), "resourceVersion");
      next = text_of(member_of(answer, "metadata"), "continue");
      if (next.empty()) break;
    }
    metrics_.queue_list(true);
    log_.info("queues_listed", {{"count", queues.size()}});
    policy_.set_queues(std::move(queues));
    co_return version;
  }

  asio::awaitable<std::string> watch(std::string version) {
    Connection connection(io_, target_, read(options_.kube_ca));
    co_await connection.open();
    co_await connection.ask(fmt::format("{}?watch=1&allowWatchBookmarks=true&timeoutSeconds={}&resourceVersion={}",
                                        kQueues, kWatchSeconds, escaped(version)),
                            token());
    co_await connection.lines([&](std::string_view line) { take(line, version); });
    policy_.queues_seen();
    co_return version;
  }

  void take(std::string_view line, std::string& version) {
    const Json event = Json::parse(line, nullptr, false);
    const Json& object = member_of(event, "object");
    const std::string& type = text_of(event, "type");
    if (type == "ERROR") {
      const Json& code = member_of(object, "code");
      if (code.is_number_integer() && code.get<std::int64_t>() == 410) throw Failure{"", true};
      throw Failure{fmt::format("the watch of queues says: {}", text_of(object, "message"))};
    }
    const std::vector<admission::Queue> queues = admission::queues_from(object);
    if (type == "ADDED" || type == "MODIFIED") {
      for (const admission::Queue& queue : queues) policy_.change_queue(queue);
    } else if (type == "DELETED") {
      for (const admission::Queue& queue : queues) policy_.remove_queue(queue.name);
    } else if (type != "BOOKMARK") {
      throw Failure{"the watch of queues says what is no event"};
    }
    policy_.queues_seen();
    if (const std::string& next = text_of(member_of(object, "metadata"), "resourceVersion"); !next.empty())
      version = next;
  }

  [[nodiscard]] std::string token() const { return options_.kube_token.empty() ? "" : read(options_.kube_token); }

  const ServeOptions& options_;
  const EventLog& log_;
  Metrics& metrics_;
  Policy& policy_;
  asio::io_context io_{1};
  asio::steady_timer timer_;
  Target target_;
  std::thread thread_;
};

KubeQueues::KubeQueues(const ServeOptions& options, const EventLog& log, Metrics& metrics, Policy& policy)
    : follower_(std::make_unique<Follower>(options, log, metrics, policy)) {}

KubeQueues::~KubeQueues() = default;

}  // namespace pumice::host::webhook
