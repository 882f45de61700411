#!/usr/bin/env bash
# bootstrap.sh PUMICE [NAMESPACE]: a certificate without cert-manager. Makes an authority and a server certificate, puts the
# certificate into the cluster as Secret `pumice-webhook-tls`, and the authority into both webhook configurations. Again for a
# new certificate: running webhooks take it within a minute or two, without a restart. Uses the kubectl and context of the
# caller.
set -euo pipefail
pumice=${1:?usage: bootstrap.sh PUMICE [NAMESPACE]}
namespace=${2:-pumice-system}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bundle=$("$pumice" webhook certificate --out "$folder" --service pumice-webhook --namespace "$namespace")
kubectl --namespace "$namespace" create secret tls pumice-webhook-tls --cert "$folder/tls.crt" --key "$folder/tls.key" \
  --dry-run=client --output yaml | kubectl apply --filename -
# Every webhook of a configuration gets the authority; JSON patches name them one by one.
for kind in validatingwebhookconfiguration mutatingwebhookconfiguration; do
  count=$(kubectl get "$kind" pumice-webhook --output 'jsonpath={.webhooks[*].name}' | wc -w)
  patch=''
  for index in $(seq 0 $((count - 1))); do
    patch="$patch${patch:+,}{\"op\":\"add\",\"path\":\"/webhooks/$index/clientConfig/caBundle\",\"value\":\"$bundle\"}"
  done
  kubectl patch "$kind" pumice-webhook --type json --patch "[$patch]"
done
