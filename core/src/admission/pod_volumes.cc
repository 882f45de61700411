// Volumes of a pod.
#include <algorithm>
#include <array>

#include "admission/names.h"
#include "admission/pod_template.h"
#include "compose.h"
#include "pumice/quantity.h"

namespace pumice::admission {
namespace {

constexpr std::string_view kFileMode = "must be a number between 0 and 0777 (octal), both inclusive";

void check_mode(Findings& out, View mode, const Path& path) {
  const auto value = mode.integer();
  if (value && (*value < 0 || *value > 0777)) out.invalid("pod.volume-source", path, *value, kFileMode);
}

void check_no_backsteps(Findings& out, RuleRef rule, std::string_view text, const Path& path) {
  for (std::string_view rest = text;;) {
    const std::string_view part = rest.substr(0, rest.find('/'));
    if (part == "..") {
      out.invalid(rule, path, text, "must not contain '..'");
      return;
    }
    if (part.size() == rest.size()) return;
    rest.remove_prefix(part.size() + 1);
  }
}

/// A path inside a volume, of a file that is made there.
void check_file_path(Findings& out, std::string_view text, const Path& path) {
  check_sub_path(out, "pod.volume-source", text, path);
  if (text.starts_with("..") && !text.starts_with("../") && text != "..") {
    out.invalid("pod.volume-source", path, text, "must not start with '..'");
  }
}

/// `key` and `path` of what a ConfigMap or Secret shows as files.
void check_key_items(Findings& out, View items, const Path& path) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    const View item = items.at(i);
    const Path item_path = path.item(i);
    if (item.text("key").empty()) out.required("pod.volume-source", item_path.child("key"));
    const Path file = item_path.child("path");
    if (item.text("path").empty()) out.required("pod.volume-source", file);
    check_file_path(out, item.text("path"), file);
    check_mode(out, item["mode"], item_path.child("mode"));
  }
}

void check_empty_dir(Findings& out, View source, const Path& path) {
  const auto limit = parse_quantity(quantity_text(source["sizeLimit"]));
  if (limit && limit->sign() < 0) {
    out.forbidden("pod.volume-source", path.child("sizeLimit"), "SizeLimit field must be a valid resource quantity");
  }
}

void check_host_path(Findings& out, View source, const Path& path) {
  const Path path_path = path.child("path");
  if (source.text("path").empty()) {
    out.required("pod.volume-source", path_path);
    return;
  }
  check_no_backsteps(out, "pod.volume-source", source.text("path"), path_path);
  constexpr std::array<std::string_view, 8> kTypes{
      "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"};
  const std::string_view type = source.text("type");
  if (std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end()) {
    out.unsupported(
        "pod.volume-source", path.child("type"), type,
        {"", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"});
  }
}

void check_secret(Findings& out, View source, const Path& path) {
  if (source.text("secretName").empty()) out.required("pod.volume-source", path.child("secretName"));
  check_mode(out, source["defaultMode"], path.child("defaultMode"));
  const Path items = path.child("items");
  check_key_items(out, source["items"], items);
}

void check_config_map(Findings& out, View source, const Path& path) {
  if (source.text("name").empty()) out.required("pod.volume-source", path.child("name"));
  check_mode(out, source["defaultMode"], path.child("defaultMode"));
  const Path items = path.child("items");
  check_key_items(out, source["items"], items);
}

void check_nfs(Findings& out, View source, const Path& path) {
  if (source.text("server").empty()) out.required("pod.volume-source", path.child("server"));
  const Path path_path = path.child("path");
  const std::string_view text = source.text("path");
  if (text.empty()) out.required("pod.volume-source", path_path);
  if (!text.starts_with('/')) out.invalid("pod.volume-source", path_path, text, "must be an absolute path");
}

void check_claim(Findings& out, View source, const Path& path) {
  if (source.text("claimName").empty()) out.required("pod.volume-source", path.child("claimName"));
}

void check_downward(Findings& out, View source, const Path& path) {
  check_mode(out, source["defaultMode"], path.child("defaultMode"));
  const View items = source["items"];
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Path file = path.child("path");
    if (items.at(i).text("path").empty()) out.required("pod.volume-source", file);
    check_file_path(out, items.at(i).text("path"), file);
    if (!items.at(i)["fieldRef"].present() && !items.at(i)["resourceFieldRef"].present()) {
      out.required("pod.volume-source", path, "one of fieldRef and resourceFieldRef is required");
    }
    check_mode(out, items.at(i)["mode"], path.child("mode"));
  }
}

void check_csi(Findings& out, View source, const Path& path) {
  if (source.text("driver").empty()) out.required("pod.volume-source", path.child("driver"));
}

void check_ephemeral(Findings& out, View source, const Path& path) {
  if (!source["volumeClaimTemplate"].present()) {
    out.required("pod.volume-source", path.child("volumeClaimTemplate"));
  }
}

void check_projected(Findings& out, View source, const Path& path) {
  check_mode(out, source["defaultMode"], path.child("defaultMode"));
  const View sources = source["sources"];
  const Path list = path.child("sources");
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources.at(i).size() > 1) {
      out.forbidden("pod.volume-source", list.item(i), "may not specify more than 1 volume type per source");
    }
  }
}

/// The kinds of volumes in the order in which the original looks at them.
struct SourceKind {
  std::string_view name;
  void (*check)(Findings& out, View source, const Path& path) = nullptr;
  std::string_view called{};  ///< in one message, where the original has it otherwise
};
constexpr SourceKind kSources[] = {
    {"emptyDir", check_empty_dir},
    {"hostPath", check_host_path},
    {"gitRepo"},
    {"gcePersistentDisk"},
    {"awsElasticBlockStore"},
    {"secret", check_secret},
    {"nfs", check_nfs},
    {"iscsi"},
    {"glusterfs"},
    {"flocker"},
    {"persistentVolumeClaim", check_claim},
    {"rbd"},
    {"cinder"},
    {"cephfs", nullptr, "cephFS"},
    {"quobyte"},
    {"downwardAPI", check_downward, "downwarAPI"},
    {"fc"},
    {"flexVolume"},
    {"configMap", check_config_map},
    {"azureFile"},
    {"vsphereVolume"},
    {"photonPersistentDisk"},
    {"portworxVolume"},
    {"azureDisk"},
    {"storageos"},
    {"projected", check_projected},
    {"scaleIO"},
    {"csi", check_csi},
    {"ephemeral", check_ephemeral},
    {"image"},
};

void check_source(Findings& out, View volume, const Path& path) {
  bool has_one = false;
  for (const SourceKind& kind : kSources) {
    const View source = volume[kind.name];
    if (!source.present()) continue;
    const Path source_path = path.child(kind.name);
    if (has_one) {
      out.forbidden("pod.volume-source", path.child(kind.called.empty() ? kind.name : kind.called, kind.name),
                    "may not specify more than 1 volume type");
    } else if (kind.check != nullptr) {
      kind.check(out, source, source_path);
    }
    has_one = true;
  }
  // A volume without a source is an emptyDir by default.
}

}  // namespace

void check_sub_path(Findings& out, RuleRef rule, std::string_view text, const Path& path) {
  if (text.starts_with('/')) out.invalid(rule, path, text, "must be a relative path");
  check_no_backsteps(out, rule, text, path);
}

void check_volumes(Findings& out, PodContext& pod, const Path& path) {
  const View volumes = pod.spec["volumes"];
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    const View volume = volumes.at(i);
    const std::size_t before = out.size();
    const Path item = path.item(i);
    const Path name_path = item.child("name");
    const std::string_view name = volume.text("name");
    check_source(out, volume, item);
    if (name.empty()) {
      out.required("pod.volume-name", name_path);
    } else {
      out.invalid_each("pod.volume-name", name_path, name, dns_label_problems(name));
    }
    if (pod.volumes.contains(name)) out.duplicate("pod.volume-name", name_path, name);
    if (out.size() == before) pod.volumes.emplace(name, volume);
  }
}

}  // namespace pumice::admission
