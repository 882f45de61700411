#include "pumice/admission/webhook.h"

#include <algorithm>

#include "admission/answer.h"
#include "compose.h"
#include "json_depth.h"
#include "utf8.h"

namespace pumice::admission {
namespace {

constexpr std::size_t kLoggedBytesMax = 128;
constexpr std::size_t kCodesMax = 50;
// The API server cuts single warnings and drops what is beyond the sum.
constexpr std::size_t kWarningBytesMax = 256;
constexpr std::size_t kWarningsBytesMax = 4096;
constexpr std::string_view kCut = "…";

/// At most so many bytes, whole characters.
std::string cut(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return std::string(text);
  std::size_t end = bytes_max - kCut.size();
  while (end > 0 && is_utf8_tail(text[end])) --end;
  return std::string(text.substr(0, end)) + std::string(kCut);
}

/// Looks for `request.uid` in a text that is no JSON as a whole, up to where it stops being it.
class UidFinder : public nlohmann::json_sax<Json> {
 public:
  std::string uid;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t& value) override {
    if (depth_ == 2 && in_request_ && key_ == "uid") {
      uid = value;
      return false;
    }
    return true;
  }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override {
    if (depth_ == 1) in_request_ = key_ == "request";
    ++depth_;
    return true;
  }
  bool key(string_t& name) override {
    if (depth_ <= 2) key_ = name;
    return true;
  }
  bool end_object() override {
    --depth_;
    return true;
  }
  bool start_array(std::size_t) override {
    if (depth_ == 1) in_request_ = false;
    ++depth_;
    return true;
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  std::int64_t depth_ = 0;
  bool in_request_ = false;
  std::string key_;
};

std::string uid_in(std::string_view body) {
  UidFinder finder;
  (void)Json::sax_parse(body, &finder);
  return finder.uid;
}

WebhookAnswer undecodable(std::string_view body, std::string_view reason) {
  WebhookAnswer out;
  out.resource = "other";
  out.operation = "other";
  const std::string uid = uid_in(body);
  out.uid = cut(uid, kLoggedBytesMax);
  out.status = uid.empty() ? 400 : 200;
  Json response = object_of({{"uid", uid}});
  refuse(response, reason);
  out.body = to_text(review_of(std::move(response)));
  return out;
}

std::string_view operation_of(View request) {
  for (const std::string_view known : {"CREATE", "UPDATE", "DELETE", "CONNECT"}) {
    if (request.text("operation") == known) return known;
  }
  return "other";
}

std::vector<std::string> codes_of(const Diagnostics& diagnostics) {
  std::vector<std::string> codes;
  for (const Diagnostic& finding : diagnostics) {
    if (codes.size() >= kCodesMax) break;
    if (std::find(codes.begin(), codes.end(), finding.code) == codes.end()) codes.push_back(finding.code);
  }
  return codes;
}

}  // namespace

std::vector<std::string> api_warnings(const Diagnostics& diagnostics) {
  std::vector<std::string> texts;
  for (const Diagnostic& finding : diagnostics) {
    if (finding.severity != Severity::Warning) continue;
    std::string text = finding.field.empty() ? finding.message : compose("{}: {}", finding.field, finding.message);
    for (char& c : text) {
      if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
    }
    // The rule stays whole: it is what one can look up.
    const std::string rule = compose(" [{}]", finding.code);
    texts.push_back(cut(text, kWarningBytesMax - rule.size()) + rule);
  }
  const std::size_t all = texts.size();
  const auto more = [&](std::size_t kept) { return compose("and {} more warnings", all - kept); };
  std::size_t bytes = 0;
  std::size_t kept = 0;
  while (kept < all && bytes + texts[kept].size() + more(kept).size() <= kWarningsBytesMax)
    bytes += texts[kept++].size();
  if (kept < all) {
    texts.resize(kept);
    texts.push_back(more(kept));
  }
  return texts;
}

WebhookAnswer answer_body(std::string_view body, std::string_view path, const Options& options) {
  if (body.size() > kReviewBytesMax) {
    return undecodable(body.substr(0, kReviewBytesMax), compose("the body is larger than {} bytes", kReviewBytesMax));
  }
  if (is_nested_deeper(body, kReviewDepthMax)) {
    return undecodable(body, compose("the body is nested deeper than {} levels", kReviewDepthMax));
  }
  const Json review = Json::parse(body, nullptr, false);
  if (!review.is_object()) {
    return undecodable(body, body.empty() ? "the body is empty: an AdmissionReview is expected"
                                          : "the body is no JSON object: an AdmissionReview is expected");
  }
  const View root(&review);
  const View request = root["request"];
  Answered answered = answer_request(root, path, options);
  WebhookAnswer out;
  out.allowed = View(&answered.response)["allowed"].flag();
  out.dry_run = request["dryRun"].flag();
  out.uid = cut(request.text("uid"), kLoggedBytesMax);
  out.ns = cut(request.text("namespace"), kLoggedBytesMax);
  out.resource = answered.resource;
  out.operation = operation_of(request);
  out.codes = codes_of(answered.diagnostics);
  if (answered.validates) out.warnings = api_warnings(answered.diagnostics);
  if (!out.warnings.empty()) answered.response["warnings"] = out.warnings;
  if (out.uid.empty()) out.status = 400;
  out.body = to_text(review_of(std::move(answered.response)));
  return out;
}

}  // namespace pumice::admission
