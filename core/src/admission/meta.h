// Metadata of objects, labels and selectors, as Kubernetes checks them.
#pragma once

#include "admission/findings.h"
#include "admission/path.h"
#include "admission/view.h"

namespace pumice::admission {

/// Name, namespace, labels and annotations of an object that is created.
void check_meta(Findings& out, View meta, const Path& path);
/// Of an object that is updated: name, namespace and uid stay.
void check_meta_update(Findings& out, View meta, View old, const Path& path);

void check_labels(Findings& out, RuleRef rule, View labels, const Path& path);
void check_annotations(Findings& out, RuleRef rule, View annotations, const Path& path);

void check_label_selector(Findings& out, RuleRef rule, View selector, const Path& path);
/// True if the selector is one and selects an object with these labels; an absent selector selects nothing.
[[nodiscard]] bool selects(View selector, const Json& labels);
/// False if `check_label_selector` would find something.
[[nodiscard]] bool is_valid_selector(View selector);

/// Kubernetes' "semantic" equality: absent, null and empty lists and maps are equal, quantities compare by value.
[[nodiscard]] bool semantically_equal(const Json& a, const Json& b);
/// Of values that may be absent.
[[nodiscard]] bool semantically_equal(View a, View b);

}  // namespace pumice::admission
