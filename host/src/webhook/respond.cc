#include "webhook/respond.h"

#include <algorithm>
#include <cctype>
#include <chrono>

#include <fmt/format.h>

#include "webhook/tls.h"

namespace pumice::host::webhook {
namespace {

constexpr std::string_view kJson = "application/json";

/// `application/json`, with parameters or without.
bool is_json(std::string_view type) {
  type = type.substr(0, type.find(';'));
  while (type.ends_with(' ') || type.ends_with('\t')) type.remove_suffix(1);
  return std::equal(type.begin(), type.end(), kJson.begin(), kJson.end(),
                    [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

HttpAnswer text_answer(int status, std::string text) {
  HttpAnswer out;
  out.status = status;
  out.body = std::move(text);
  if (!out.body.ends_with('\n')) out.body += '\n';
  return out;
}

}  // namespace

HttpAnswer Responder::refused(int status, std::string text) {
  metrics_.request("other", status);
  return text_answer(status, std::move(text));
}

HttpAnswer Responder::ready() const {
  const bool has_certificate = certificates_.is_valid();
  const bool has_queues = policy_.ready();
  std::string text = fmt::format("certificate: {}\n", has_certificate ? "valid" : "expired");
  if (const std::string queues = policy_.queues_text(); !queues.empty()) text += fmt::format("queues: {}\n", queues);
  if (is_draining_) text += "draining\n";
  const bool is_ready = has_certificate && has_queues && !is_draining_;
  return text_answer(is_ready ? 200 : 503, (is_ready ? "ready\n" : "not ready\n") + text);
}

HttpAnswer Responder::review(std::string_view path, const HttpRequest& request) {
  const auto started = std::chrono::steady_clock::now();
  const auto policy = policy_.in_force();
  admission::WebhookAnswer answer = admission::answer_body(request.body, path, policy->options);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  metrics_.review(path, answer, took.count());
  if (log_.writes(LogLevel::Info)) {
    Json fields{{"uid", answer.uid},
                {"path", path},
                {"resource", answer.resource},
                {"operation", answer.operation},
                {"namespace", answer.ns},
                {"allowed", answer.allowed},
                {"codes", answer.codes},
                {"warnings", answer.warnings.size()},
                {"durationUs", static_cast<std::int64_t>(took.count() * 1e6)}};
    if (answer.dry_run) fields["dryRun"] = true;
    log_.info("review", std::move(fields));
  }
  HttpAnswer out;
  out.status = answer.status;
  out.content_type = kJson;
  out.body = std::move(answer.body);
  return out;
}

HttpAnswer Responder::answer(const HttpRequest& request) {
  const std::string_view path = request.target.substr(0, request.target.find('?'));
  const bool is_review = admission::is_webhook_path(path);
  const bool is_page = path == "/healthz" || path == "/readyz" || path == "/metrics";
  HttpAnswer out;
  if (!is_review && !is_page) {
    out = text_answer(404, "there is no such path");
  } else if (is_page && request.method != "GET" && request.method != "HEAD") {
    out = text_answer(405, "only GET is answered here");
    out.allow = "GET, HEAD";
  } else if (is_review && request.method != "POST") {
    out = text_answer(405, "a review is asked for with POST");
    out.allow = "POST";
  } else if (path == "/healthz") {
    out = text_answer(200, "ok");
  } else if (path == "/readyz") {
    out = ready();
  } else if (path == "/metrics") {
    out = text_answer(200, metrics_.text());
    out.content_type = "text/plain; version=0.0.4; charset=utf-8";
  } else if (!options_.client_ca.empty() && !request.has_client_certificate) {
    out = text_answer(403, "a client certificate is needed");
  } else if (!options_.client_names.empty() && std::find(options_.client_names.begin(), options_.client_names.end(),
                                                         request.client_name) == options_.client_names.end()) {
    out = text_answer(403, "the client certificate has a name that may not ask");
  } else if (!is_json(request.content_type)) {
    out = text_answer(415, "the body must be application/json");
  } else {
    out = review(path, request);
  }
  metrics_.request(is_review || is_page ? path : "other", out.status);
  return out;
}

}  // namespace pumice::host::webhook
