#include "webhook/tls.h"

#include <boost/asio/buffer.hpp>

#include <ctime>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "files.h"
#include "webhook/policy.h"

namespace pumice::host::webhook {
namespace {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;

/// With TLS 1.2 only what has forward secrecy and authenticates what it encrypts; TLS 1.3 has nothing else.
constexpr const char* kCiphers = "ECDHE+AESGCM:ECDHE+CHACHA20";

std::string read(const std::string& file, std::string& problem) {
  Result<SourceText> source = read_source(file);
  if (!source) {
    problem = problem_text(source.diagnostics);
    return {};
  }
  return std::move(source.value->text);
}

std::shared_ptr<ssl::context> context_of(const std::string& certificate, const std::string& key,
                                         const std::string& client_ca) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  SSL_CTX* const raw = context->native_handle();
  SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(raw, kCiphers);
  // A resumed session would remember a client that the current authorities do not know any more.
  SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(raw, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_num_tickets(raw, 0);
  // An encrypted key would be asked for at a terminal.
  context->set_password_callback([](std::size_t, ssl::context::password_purpose) { return std::string(); });
  context->use_certificate_chain(asio::buffer(certificate));
  context->use_private_key(asio::buffer(key), ssl::context::pem);
  if (SSL_CTX_check_private_key(raw) != 1) throw std::runtime_error("the key does not belong to the certificate");
  if (!client_ca.empty()) {
    context->add_certificate_authority(asio::buffer(client_ca));
    // Probes of the kubelet and Prometheus have no certificate; reviews ask for one further up.
    context->set_verify_mode(ssl::verify_peer);
  }
  return context;
}

std::int64_t expiry_of(SSL_CTX* context) {
  const X509* const certificate = SSL_CTX_get0_certificate(context);
  std::tm time{};
  if (certificate == nullptr || ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &time) != 1) return 0;
  return timegm(&time);
}

}  // namespace

bool Certificates::reload() {
  Files files;
  std::string problem;
  files.certificate = read(options_.certificate, problem);
  if (problem.empty()) files.key = read(options_.key, problem);
  if (problem.empty() && !options_.client_ca.empty()) files.client_ca = read(options_.client_ca, problem);
  {
    const std::lock_guard lock(mutex_);
    if (problem.empty() && context_ && files == files_) return false;
  }
  std::shared_ptr<ssl::context> context;
  if (problem.empty()) {
    try {
      context = context_of(files.certificate, files.key, files.client_ca);
    } catch (const std::exception& wrong) {
      problem = wrong.what();
      ERR_clear_error();
    }
  }
  if (!context) {
    metrics_.certificate(false, 0);
    log_.error("certificate_not_loaded",
               {{"certificate", options_.certificate}, {"key", options_.key}, {"problem", problem}});
    return false;
  }
  const std::int64_t expires_at = expiry_of(context->native_handle());
  metrics_.certificate(true, expires_at);
  log_.info("certificate_loaded",
            {{"certificate", options_.certificate}, {"expires", to_rfc3339({expires_at * kSecond.ns})}});
  const std::lock_guard lock(mutex_);
  context_ = std::move(context);
  files_ = std::move(files);
  expires_at_ = expires_at;
  return true;
}

std::shared_ptr<ssl::context> Certificates::current() const {
  const std::lock_guard lock(mutex_);
  return context_;
}

bool Certificates::is_valid() const {
  const std::lock_guard lock(mutex_);
  return context_ && expires_at_ > std::time(nullptr);
}

std::string peer_name(SSL* ssl, bool& has_certificate) {
  X509* const certificate = SSL_get0_peer_certificate(ssl);
  has_certificate = certificate != nullptr && SSL_get_verify_result(ssl) == X509_V_OK;
  if (!has_certificate) return {};
  char name[256] = {};
  const int length = X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name, sizeof name);
  return length > 0 ? std::string(name, static_cast<std::size_t>(length)) : std::string();
}

}  // namespace pumice::host::webhook
