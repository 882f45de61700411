#include "webhook/command.h"

#include <fmt/format.h>

#include "options.h"

namespace pumice::host::webhook {
namespace {

constexpr const char* kServeFooter = R"(
Serves over TLS: /jobs/mutate, /jobs/validate, /cronjobs/validate and /jobflows/validate as Volcano's
own webhooks do, and /mutate and /validate for all kinds, those of batch/v1 included; /healthz, /readyz
and /metrics, which need no client certificate. Reviews change nothing and keep nothing: dry runs are
like any other. What cannot be read is refused with a reason. Files of certificates, of --config and
of --queues are read again when they change. Log: a JSON object a line on standard error, never with
anything of an object in it.

On SIGTERM /readyz says no at once; after --drain-delay no connection is taken any more, and requests
that are under way get --drain-timeout to end. A second signal ends at once.

Exit status
  0  ended by SIGINT or SIGTERM, every request answered
  1  ended, but requests were cut off
  2  could not start

Examples
  pumice webhook certificate --out certs --service pumice-webhook --namespace pumice-system
  pumice webhook --tls-cert certs/tls.crt --tls-key certs/tls.key --config policies/lint/strict.yaml
  pumice webhook --tls-cert tls.crt --tls-key tls.key --queues-from-cluster --queues-unknown closed)";

constexpr const char* kCertificateFooter = R"(
Writes ca.crt, tls.crt and tls.key; prints the authority in base64, the `caBundle` of a webhook
configuration, and nothing else on standard output. With ca.crt and ca.key in the folder (made with
--keep-ca-key) the new certificate is signed by them, and the caBundle stays the same.

Exit status
  0  done
  2  files are there already (--force replaces them), or could not be written

Example
  CA=$(pumice webhook certificate --out certs --service pumice-webhook --namespace pumice-system))";

std::string in_range(const std::string& text, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  if (CLI::detail::lexical_cast(text, value) && value >= least && value <= most) return {};
  return fmt::format("`{}` is no whole number from {} to {}", text, least, most);
}

template <class Number>
void add_number(CLI::App& app, const std::string& name, Number& target, std::int64_t least, std::int64_t most,
                const std::string& description) {
  app.add_option(name, target, description)->option_text("N")->check([least, most](const std::string& text) {
    return in_range(text, least, most);
  });
}

void add_text(CLI::App& app, const std::string& name, std::string& target, const std::string& word,
              const std::string& description) {
  app.add_option(name, target, description)->option_text(word);
}

void add_list(CLI::App& app, const std::string& name, std::vector<std::string>& target, const std::string& word,
              const std::string& description) {
  app.add_option(name, target, description)->option_text(word)->allow_extra_args(false);
}

void add_certificate(CLI::App& webhook, CertificateOptions& options) {
  CLI::App* app = webhook.add_subcommand("certificate", "Make a certificate authority and a server certificate");
  add_text(*app, "--out", options.folder, "FOLDER", "Where the files go (the current folder)");
  add_text(*app, "--service", options.service, "NAME", "The Service in front of the webhook (pumice-webhook)");
  add_text(*app, "--namespace", options.ns, "NAME", "Its namespace (pumice-system)");
  add_list(*app, "--dns", options.dns, "NAME", "One more name of the server; may be repeated");
  add_list(*app, "--ip", options.ips, "ADDRESS", "One more address of the server; may be repeated");
  add_number(*app, "--days", options.days, 1, 3650, "Days for which the certificate holds (365)");
  add_number(*app, "--ca-days", options.ca_days, 1, 36500, "Days for which the authority holds (3650)");
  app->add_flag("--keep-ca-key", options.keep_ca_key, "Write ca.key too, for later certificates of the same authority");
  app->add_flag("--force", options.force, "Replace files that are there");
  app->footer(kCertificateFooter);
}

void add_limits(CLI::App& app, Limits& limits) {
  constexpr std::int64_t kMiB = 1024 * 1024;
  add_number(app, "--threads", limits.threads, 1, 256, "Reviews at a time (2)");
  add_number(app, "--max-connections", limits.connections_max, 1, 65536, "More are closed at once (256)");
  add_number(app, "--max-header-bytes", limits.header_bytes_max, 256, kMiB, "Of one request (16384)");
  add_number(app, "--max-body-bytes", limits.body_bytes_max, 1024, admission::kReviewBytesMax,
             "Of one request (3145728)");
  add_number(app, "--max-bodies-bytes", limits.bodies_bytes_max, 1024, 1024 * kMiB,
             "Of all requests that are being read together (67108864)");
  add_duration(app, "--handshake-timeout", limits.handshake, "For the TLS handshake (10s)");
  add_duration(app, "--idle-timeout", limits.idle, "Between two requests of a connection (2m)");
  add_duration(app, "--header-timeout", limits.header,
               "From the first byte of a request to the end of its header (5s)");
  add_duration(app, "--body-timeout", limits.body, "For the body (30s)");
  add_duration(app, "--write-timeout", limits.write, "For the answer (30s)");
  add_duration(app, "--request-timeout", limits.request, "For all of a request (1m)");
  add_duration(app, "--drain-delay", limits.drain_delay, "From SIGTERM until no connection is taken (5s)");
  add_duration(app, "--drain-timeout", limits.drain, "For requests that are under way then (30s)");
}

void add_policy(CLI::App& app, ServeOptions& options) {
  add_text(app, "--config", options.config, "FILE", "Lint configuration: what denies, warns, is left out");
  app.add_flag("--no-lint", options.no_lint, "Only what a cluster refuses");
  add_list(app, "--ignore", options.ignored, "RULE", "Leave a rule out; may be repeated");
  add_text(app, "--scheduler-name", options.scheduler_name, "NAME",
           "What a Volcano Job without a scheduler gets (volcano)");
  app.add_flag("--upstream-patch", options.upstream_patch, "Patches as Volcano's own webhook writes them, whole lists");
  app.add_flag("--no-pod-level-resources", options.no_pod_level_resources,
               "The cluster's feature gate PodLevelResources is off");
  CLI::Option* files =
      app.add_option("--queues", options.queue_files, "Volcano's Queues, as kubectl prints them; may be repeated")
          ->option_text("FILE")
          ->allow_extra_args(false);
  app.add_flag("--queues-from-cluster", options.queues_from_cluster, "List and watch the Queues of the cluster")
      ->excludes(files);
  choices<WhenUnknown>(
      app.add_option(
          "--queues-unknown",
          "While the cluster's Queues are not known: leave their rules out (open), or refuse new Volcano Jobs "
          "and be not ready (closed); open by default"),
      options.queues_unknown, {{"open", WhenUnknown::Open}, {"closed", WhenUnknown::Closed}});
  add_duration(app, "--queues-max-age", options.queues_age_max,
               "Queues are not known any more when the API server was silent for so long (10m)");
  add_text(app, "--kube-api", options.kube_api, "URL", "The API server, https://HOST:PORT (that of the pod's cluster)");
  add_text(app, "--kube-ca", options.kube_ca, "FILE", "Its authority (of the pod's service account)");
  add_text(app, "--kube-token", options.kube_token, "FILE", "Token for it (of the pod's service account)");
}

}  // namespace

void add_webhook(CLI::App& app, Commands& commands) {
  ServeOptions& options = commands.serve;
  CLI::App* webhook = app.add_subcommand("webhook", "Serve as an admission webhook of a cluster");
  webhook->require_subcommand(0, 1);
  add_certificate(*webhook, commands.certificate);
  add_text(*webhook, "--address", options.address, "ADDRESS",
           "Address to listen on (0.0.0.0; `::` for all of IPv6 too)");
  webhook->add_option("--port", options.port, "Port (8443); 0 for any")
      ->option_text("PORT")
      ->check([](const std::string& text) { return in_range(text, 0, UINT16_MAX); });
  add_text(*webhook, "--tls-cert", options.certificate, "FILE", "Certificate with its chain, PEM");
  add_text(*webhook, "--tls-key", options.key, "FILE", "Its key, PEM, not encrypted");
  CLI::Option* client_ca = webhook
                               ->add_option("--client-ca", options.client_ca,
                                            "Reviews need a client certificate of one of these authorities")
                               ->option_text("FILE");
  webhook->add_option("--client-name", options.client_names, "Common name that may ask; may be repeated (all)")
      ->option_text("NAME")
      ->allow_extra_args(false)
      ->needs(client_ca);
  add_duration(*webhook, "--reload", options.reload, "How often files are looked at for changes (10s)");
  add_policy(*webhook, options);
  add_limits(*webhook, options.limits);
  choices<LogLevel>(
      webhook->add_option("--log-level", "Least level that is logged (info); reviews are logged as info"),
      options.log_level,
      {{"debug", LogLevel::Debug}, {"info", LogLevel::Info}, {"warn", LogLevel::Warn}, {"error", LogLevel::Error}});
  webhook->footer(kServeFooter);
  webhook->callback([webhook, &options] {
    if (!webhook->get_subcommands().empty()) return;
    if (options.certificate.empty()) throw CLI::RequiredError("--tls-cert");
    if (options.key.empty()) throw CLI::RequiredError("--tls-key");
    if (options.reload.ns < 1'000'000) throw CLI::ValidationError("--reload", "must be 1ms or more");
  });
}

int run_webhook(const CLI::App& app, const Commands& commands) {
  const CLI::App* webhook = app.get_subcommand("webhook");
  return webhook->got_subcommand("certificate") ? make_certificate(commands.certificate) : serve(commands.serve);
}

}  // namespace pumice::host::webhook
