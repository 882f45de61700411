// `pumice webhook certificate`: an authority and a server certificate signed by it, for clusters without cert-manager.
#include <arpa/inet.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include "exit_status.h"
#include "webhook/serve_options.h"

namespace pumice::host::webhook {
namespace {

namespace fs = std::filesystem;

template <auto kFree>
struct Freed {
  template <class Object>
  void operator()(Object* object) const noexcept {
    kFree(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Bio = std::unique_ptr<BIO, Freed<BIO_free_all>>;
using Extension = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>>;

/// What has gone wrong, for people.
struct Failure {
  std::string message;
};

[[noreturn]] void fail(const std::string& what) {
  const unsigned long code = ERR_get_error();
  char text[256] = {};
  if (code != 0) ERR_error_string_n(code, text, sizeof text);
  throw Failure{code == 0 ? what : fmt::format("{}: {}", what, text)};
}

void need(bool is_fine, const char* what) {
  if (!is_fine) fail(what);
}

Key new_key() {
  Key key(EVP_EC_gen("P-256"));
  need(key != nullptr, "a key could not be made");
  return key;
}

void add_extension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  need(extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1,
       "a field of the certificate could not be written");
}

struct Subject {
  std::string name;
  std::string alternatives;  ///< `DNS:a,IP:127.0.0.1`; empty for an authority
  std::int64_t days = 0;
};

/// A certificate for `key`, signed by `issuer` with its key, or by itself.
Certificate certificate_for(const Subject& subject, EVP_PKEY* key, X509* issuer, EVP_PKEY* issuer_key) {
  constexpr std::int64_t kDaySeconds = 86'400;
  constexpr long kClocksDiffer = 300;
  Certificate out(X509_new());
  X509* const certificate = out.get();
  need(certificate != nullptr && X509_set_version(certificate, X509_VERSION_3) == 1, "no certificate could be made");
  unsigned char serial[16] = {};
  need(RAND_bytes(serial, sizeof serial) == 1, "there are no random numbers");
  serial[0] &= 0x7FU;
  serial[0] |= 0x40U;
  const std::unique_ptr<BIGNUM, Freed<BN_free>> number(BN_bin2bn(serial, sizeof serial, nullptr));
  BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate));
  X509_gmtime_adj(X509_getm_notBefore(certificate), -kClocksDiffer);
  X509_time_adj_ex(X509_getm_notAfter(certificate), static_cast<int>(subject.days), 0, nullptr);
  static_assert(kDaySeconds > kClocksDiffer);
  X509_NAME* const name = X509_get_subject_name(certificate);
  const auto* const text = reinterpret_cast<const unsigned char*>(subject.name.c_str());
  need(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, text, -1, -1, 0) == 1, "the name cannot be used");
  X509* const by = issuer == nullptr ? certificate : issuer;
  X509_set_issuer_name(certificate, X509_get_subject_name(by));
  X509_set_pubkey(certificate, key);
  const bool is_authority = subject.alternatives.empty();
  add_extension(certificate, by, NID_basic_constraints,
                is_authority ? "critical,CA:TRUE,pathlen:0" : "critical,CA:FALSE");
  add_extension(certificate, by, NID_key_usage,
                is_authority ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature");
  add_extension(certificate, by, NID_subject_key_identifier, "hash");
  add_extension(certificate, by, NID_authority_key_identifier, "keyid:always");
  if (!is_authority) {
    add_extension(certificate, by, NID_ext_key_usage, "serverAuth");
    add_extension(certificate, by, NID_subject_alt_name, subject.alternatives);
  }
  need(X509_sign(certificate, issuer_key, EVP_sha256()) > 0, "the certificate could not be signed");
  return out;
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string pem_of(X509* certificate) {
  const Bio bio(BIO_new(BIO_s_mem()));
  need(PEM_write_bio_X509(bio.get(), certificate) == 1, "the certificate could not be written");
  return text_of(bio.get());
}

std::string pem_of(EVP_PKEY* key) {
  const Bio bio(BIO_new(BIO_s_mem()));
  need(PEM_write_bio_PKCS8PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1,
       "the key could not be written");
  return text_of(bio.get());
}

std::string base64_of(const std::string& text) {
  std::string out((text.size() + 2) / 3 * 4 + 1, '\0');
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()), reinterpret_cast<const unsigned char*>(text.data()),
                      static_cast<int>(text.size()));
  out.resize(static_cast<std::size_t>(length));
  return out;
}

/// Writes a file whole or not at all; what is secret is never readable by others, not even for a moment.
void write_file(const fs::path& path, const std::string& text, bool is_secret) {
  const fs::path part = path.string() + ".part";
  std::error_code ignored;
  fs::remove(part, ignored);
  const int file = ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, is_secret ? 0600 : 0644);
  if (file < 0) throw Failure{fmt::format("{} cannot be written: {}", path.string(), std::strerror(errno))};
  const bool is_written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (::close(file) != 0 || !is_written || ::rename(part.c_str(), path.c_str()) != 0) {
    throw Failure{fmt::format("{} cannot be written: {}", path.string(), std::strerror(errno))};
  }
}

/// An authority that was kept, or nothing.
bool read_authority(const fs::path& folder, Certificate& certificate, Key& key) {
  const fs::path certificate_file = folder / "ca.crt";
  const fs::path key_file = folder / "ca.key";
  if (!fs::exists(key_file) || !fs::exists(certificate_file)) return false;
  const auto no_password = [](char*, int, int, void*) { return 0; };
  const Bio certificate_bio(BIO_new_file(certificate_file.c_str(), "r"));
  certificate.reset(certificate_bio ? PEM_read_bio_X509(certificate_bio.get(), nullptr, nullptr, nullptr) : nullptr);
  need(certificate != nullptr, "ca.crt cannot be read");
  const Bio key_bio(BIO_new_file(key_file.c_str(), "r"));
  key.reset(key_bio ? PEM_read_bio_PrivateKey(key_bio.get(), nullptr, no_password, nullptr) : nullptr);
  need(key != nullptr, "ca.key cannot be read");
  need(X509_check_private_key(certificate.get(), key.get()) == 1, "ca.key does not belong to ca.crt");
  if (X509_cmp_current_time(X509_get0_notAfter(certificate.get())) < 0) {
    throw Failure{"ca.crt has expired: delete it and ca.key for a new authority"};
  }
  return true;
}

/// OpenSSL takes the names as one text, in which commas and colons mean something.
void check_name(const std::string& name) {
  const bool is_plain = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
           c == '*';
  });
  if (!is_plain) throw Failure{fmt::format("`{}` is no name of a server", name)};
}

void check_address(const std::string& address) {
  unsigned char bytes[sizeof(in6_addr)];
  if (::inet_pton(AF_INET, address.c_str(), bytes) == 1 || ::inet_pton(AF_INET6, address.c_str(), bytes) == 1) return;
  throw Failure{fmt::format("`{}` is no address", address)};
}

std::string alternatives_of(const CertificateOptions& options) {
  check_name(options.service);
  check_name(options.ns);
  for (const std::string& name : options.dns) check_name(name);
  for (const std::string& ip : options.ips) check_address(ip);
  std::string text =
      fmt::format("DNS:{0}.{1}.svc,DNS:{0}.{1}.svc.cluster.local,DNS:{0}.{1}", options.service, options.ns);
  for (const std::string& name : options.dns) text += ",DNS:" + name;
  for (const std::string& ip : options.ips) text += ",IP:" + ip;
  return text;
}

int make(const CertificateOptions& options) {
  const std::string alternatives = alternatives_of(options);
  const fs::path folder = options.folder;
  std::error_code wrong;
  fs::create_directories(folder, wrong);
  if (wrong) throw Failure{fmt::format("{} cannot be made: {}", options.folder, wrong.message())};
  Certificate authority;
  Key authority_key;
  const bool is_kept = read_authority(folder, authority, authority_key);
  for (const char* name : {"tls.crt", "tls.key", "ca.crt"}) {
    if (options.force || !fs::exists(folder / name) || (is_kept && std::string_view(name) == "ca.crt")) continue;
    throw Failure{fmt::format("{} exists: --force replaces it", (folder / name).string())};
  }
  if (!is_kept) {
    authority_key = new_key();
    authority = certificate_for({"pumice webhook authority", "", options.ca_days}, authority_key.get(), nullptr,
                                authority_key.get());
  }
  const Key key = new_key();
  // A common name holds 64 characters; names that count stand among the alternatives.
  const std::string name = fmt::format("{}.{}.svc", options.service, options.ns).substr(0, 64);
  const Certificate server =
      certificate_for({name, alternatives, options.days}, key.get(), authority.get(), authority_key.get());
  const std::string authority_pem = pem_of(authority.get());
  // Last the certificate: a webhook that looks on takes neither before both fit.
  if (!is_kept) write_file(folder / "ca.crt", authority_pem, false);
  if (!is_kept && options.keep_ca_key) write_file(folder / "ca.key", pem_of(authority_key.get()), true);
  write_file(folder / "tls.key", pem_of(key.get()), true);
  write_file(folder / "tls.crt", pem_of(server.get()), false);
  fmt::print(stderr, "{} in {}: tls.crt and tls.key, {} days, for {}\n",
             is_kept ? "signed by the authority" : "ca.crt, and signed by it", options.folder, options.days,
             alternatives);
  fmt::print("{}\n", base64_of(authority_pem));
  return kFine;
}

}  // namespace

int make_certificate(const CertificateOptions& options) {
  try {
    return make(options);
  } catch (const Failure& failure) {
    fmt::print(stderr, "{}\n", failure.message);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "{}\n", problem.what());
  }
  return kError;
}

}  // namespace pumice::host::webhook
