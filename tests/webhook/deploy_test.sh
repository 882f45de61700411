#!/usr/bin/env bash
# deploy_test.sh BINARY SOURCE NODE: every manifest of deploy/ parses and says what it must; kubectl builds the overlays where it is.
. "$(dirname "$0")/../host/lib.sh"
pumice=$1
source=$2
node=$3
cd "$source/deploy" || exit 1

kustomizations=$(find . -name kustomization.yaml | sort)
if command -v kubectl >/dev/null && kubectl kustomize --help >/dev/null 2>&1; then
  for file in $kustomizations; do
    run kubectl kustomize "$(dirname "$file")"
    expect_status 0
    expect_silent_err
    for kind in Deployment PodDisruptionBudget Service ServiceAccount ClusterRole ClusterRoleBinding ConfigMap \
      MutatingWebhookConfiguration ValidatingWebhookConfiguration; do
      expect_out "kind: $kind"
    done
    # Names and selectors belong together only when all of it has been put together.
    expect_out 'namespace: pumice-system'
    expect_no_out 'selector: {}'
  done
else
  echo 'kubectl was not found: the overlays were not built'
fi

# Without kubectl too: the YAML, and the promises of deploy/README.md.
run env PUMICE_BIN="$pumice" "$node" "$source/tests/webhook/deploy_check.mjs" "$source/deploy"
expect_status 0
run bash -n bootstrap.sh
expect_status 0
finish
