// In place of the webhook, where it is not built in.
#include <cstdio>

#include <fmt/format.h>

#include "exit_status.h"
#include "webhook/serve_options.h"

namespace pumice::host::webhook {
namespace {

int missing() {
  fmt::print(stderr,
             "the webhook is not built into this program: it needs OpenSSL and prometheus-cpp, and "
             "-DPUMICE_WEBHOOK=ON when the build is configured\n");
  return kError;
}

}  // namespace

int serve(const ServeOptions& /*options*/) { return missing(); }
int make_certificate(const CertificateOptions& /*options*/) { return missing(); }

}  // namespace pumice::host::webhook
