#!/usr/bin/env bash
# validate_test.sh BINARY: `pumice validate` as people and pipelines run it.
. "$(dirname "$0")/lib.sh"
pumice=$1
dir=$work/manifests
mkdir -p "$dir/inner"

cat >"$dir/good.yaml" <<'END'
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: good, namespace: team}
spec:
  tasks:
  - name: w
    replicas: 2
    template: {spec: {restartPolicy: Never, containers: [{name: m, image: "i:1"}]}}
END
cat >"$dir/bad.yaml" <<'END'
apiVersion: v1
kind: ConfigMap
metadata: {name: c}
---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: bad, namespace: team}
spec:
  minAvailable: 5
  queue: blue
  plugins:
    svcs: []
  policies:
  - {event: PodPending, action: AbortJob}
  tasks:
  - name: w
    replicas: 2
    template: {spec: {restartPolicy: Never, containers: [{name: m, image: "i:1"}]}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: kube}
spec:
  parallelism: -1
  template: {spec: {restartPolicy: Never, containers: [{name: m, image: "i:1"}]}}
END
cp "$dir/good.yaml" "$dir/inner/also.yml"
printf 'this is text\n' >"$dir/notes.txt"
cat >"$work/queues.yaml" <<'END'
apiVersion: v1
kind: List
items:
- {apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: default}, status: {state: Open}}
- {apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: blues}, status: {state: Closed}}
END

# --- what is said, and how it ends -----------------------------------------------------------------------------------
run "$pumice" validate "$dir/good.yaml"
expect_status 0
expect_out '1 object, 0 refused: 0 errors, 0 warnings'
expect_silent_err
run "$pumice" validate "$dir/bad.yaml"
expect_status 1
expect_out 'error[volcano.job.min-available]: spec.minAvailable: job '"'minAvailable' should not be greater than total replicas in tasks;"
expect_out "  --> $dir/bad.yaml:9:17"
expect_out '  minAvailable: 5'
expect_out '   |                 ^'
expect_out 'error[volcano.job.plugin]: spec.plugins.svcs: unable to find job plugin: svcs;'
expect_out 'did you mean `svc`?'
expect_out 'warning[volcano.lint.pending-without-timeout]'
expect_out 'The cluster would say:'
expect_out 'Job.batch "kube" is invalid: spec.parallelism: Invalid value: -1: must be greater than or equal to 0'
expect_out '2 objects, 2 refused: 3 errors, 1 warning; 1 of other kinds left out'
run "$pumice" validate "$dir"
expect_status 1
expect_out '4 objects, 2 refused'
run "$pumice" validate "$dir/inner" "$dir/good.yaml"
expect_status 0
expect_out '2 objects, 0 refused'
run_with "$(cat "$dir/bad.yaml")" "$pumice" validate -
expect_status 1
expect_out '<stdin>:9:17'

# --- options ---------------------------------------------------------------------------------------------------------
run "$pumice" validate "$dir/bad.yaml" --fail-on never
expect_status 0
cat >"$work/warning.yaml" <<'END'
{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: j}, spec: {policies: [{event: PodPending, action: AbortJob}],
 tasks: [{name: w, replicas: 1, template: {spec: {restartPolicy: Never, containers: [{name: m, image: "i:1"}]}}}]}}
END
run "$pumice" validate "$work/warning.yaml"
expect_status 0
run "$pumice" validate "$work/warning.yaml" --fail-on warning
expect_status 1
run "$pumice" validate "$work/warning.yaml" --fail-on warning --ignore volcano.lint
expect_status 0
run "$pumice" validate "$work/warning.yaml" --fail-on note --no-lint
expect_status 0
run "$pumice" validate "$dir/bad.yaml" --queues "$work/queues.yaml"
expect_status 1
expect_out 'unable to find job queue: queue.scheduling.volcano.sh "blue" not found;'
expect_out 'did you mean `blues`?'
run "$pumice" validate "$dir/good.yaml" --queues "$work/queues.yaml"
expect_status 0
run "$pumice" validate "$dir/good.yaml" --show-defaults
expect_status 0
expect_out '+ spec.queue: "default"'
expect_out '+ spec.tasks[0].minAvailable: 2'
sed 's/i:1/i:2/' "$dir/good.yaml" >"$work/new.yaml"
run "$pumice" validate "$work/new.yaml" --old "$dir/good.yaml"
expect_status 1
expect_out 'error[volcano.job.update-field]: spec.tasks[0].template'
sed 's/replicas: 2/replicas: 3/' "$dir/good.yaml" >"$work/scaled.yaml"
run "$pumice" validate "$work/scaled.yaml" --old "$dir/good.yaml"
expect_status 0

# --- forms for programs ----------------------------------------------------------------------------------------------
run "$pumice" validate "$dir/bad.yaml" --output json
expect_status 1
expect_out '"code": "volcano.job.plugin"'
expect_out '"line": 9'
expect_out '"skipped": 1'
run "$pumice" validate "$dir/good.yaml" --output json --show-defaults
expect_status 0
expect_out '"path": "/spec/queue"'
run "$pumice" validate "$dir/bad.yaml" --output sarif
expect_status 1
expect_out '"version": "2.1.0"'
expect_out '"ruleId": "volcano.job.min-available"'
expect_out '"startLine": 9'
run "$pumice" validate "$dir/bad.yaml" --output github
expect_status 1
expect_out "::error file=$dir/bad.yaml,line=9,col=17,endLine=9,title=volcano.job.min-available::spec.minAvailable: job"
expect_out '::warning file='
run "$pumice" validate "$dir/bad.yaml" --output junit
expect_status 1
expect_out '<testsuite name="pumice validate" tests="2" failures="2">'
expect_out '<failure type="job.negative"'
if command -v python3 >/dev/null; then
  for form in json sarif; do
    "$pumice" validate "$dir" --output "$form" >"$work/form" 2>"$work/err"
    run python3 -c 'import json,sys; json.load(open(sys.argv[1]))' "$work/form"
    expect_status 0
  done
  "$pumice" validate "$dir" --output junit >"$work/form" 2>"$work/err"
  run python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$work/form"
  expect_status 0
fi

# --- pages of rules --------------------------------------------------------------------------------------------------
run "$pumice" validate --explain volcano.lint.behind-any
expect_status 0
expect_out '## volcano.lint.behind-any'
expect_out 'pumice.dev/ignore: volcano.lint.behind-any'
run "$pumice" validate --explain all
expect_status 0
expect_out '## pod.image'
run "$pumice" validate --explain volcano.lint.behind-all
expect_status 2
expect_err 'did you mean `volcano.lint.behind-any`?'

# --- what cannot be validated ----------------------------------------------------------------------------------------
run "$pumice" validate
expect_status 2
run "$pumice" validate /nowhere.yaml
expect_status 2
expect_out 'cannot be opened'
printf 'a: [1\n' >"$work/broken.yaml"
run "$pumice" validate "$work/broken.yaml" "$dir/bad.yaml"
expect_status 2
expect_out "$work/broken.yaml:"
expect_out 'volcano.job.plugin'
printf '{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}\n' >"$work/other.yaml"
run "$pumice" validate "$work/other.yaml"
expect_status 2
expect_out 'there is no Job, CronJob, JobFlow or JobTemplate'
mkdir "$work/empty"
run "$pumice" validate "$work/empty"
expect_status 2
expect_out 'holds no file that ends with .yaml, .yml or .json'
run_with '' "$pumice" validate - -
expect_status 2
expect_out 'can be read only once'
run "$pumice" validate "$dir/good.yaml" --fail-on sometimes
expect_status 2
expect_err '`sometimes` is none of error|warning|note|never'

# --- lint configurations ---------------------------------------------------------------------------------------------
cat >"$work/pending.yaml" <<'END'
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: p, namespace: prod}
spec:
  policies:
  - {event: PodPending, action: AbortJob}
  tasks:
  - name: w
    replicas: 1
    template: {spec: {restartPolicy: Never, containers: [{name: m, image: "i:1"}]}}
END
config() { printf 'apiVersion: pumice.dev/v1\nkind: LintConfig\n%s\n' "$1" >"$work/lint.yaml"; }
config 'deny: [volcano.lint.pending-without-timeout]'
run "$pumice" validate "$work/pending.yaml" --config "$work/lint.yaml"
expect_status 1
expect_out 'error[volcano.lint.pending-without-timeout]'
expect_out 'denied by the lint configuration'
expect_no_out 'The cluster would say'
run "$pumice" validate "$work/pending.yaml" --config "$work/lint.yaml" --ignore volcano.lint
expect_status 1
config 'namespaces: [{names: [prod], ignore: [volcano.lint]}]'
run "$pumice" validate "$work/pending.yaml" --config "$work/lint.yaml" --fail-on note
expect_status 0
config 'deny: [volcano.lint.pending-without-timout]'
run "$pumice" validate "$work/pending.yaml" --config "$work/lint.yaml"
expect_status 2
expect_out 'error[UnknownRule]'
expect_out 'lint.yaml:3:8'
expect_out 'did you mean `volcano.lint.pending-without-timeout`?'
run "$pumice" validate "$work/pending.yaml" --config "$work/none.yaml"
expect_status 2
for one in "$(dirname "$0")"/../../policies/lint/*.yaml; do
  run "$pumice" validate "$dir/good.yaml" --config "$one"
  expect_status 0
done

# --- comments ----------------------------------------------------------------------------------------------------------
commented() { sed "s|^  - {event: PodPending.*|$1|" "$work/pending.yaml" >"$work/commented.yaml"; }
commented '  - {event: PodPending, action: AbortJob} # pumice: ignore volcano.lint'
run "$pumice" validate "$work/commented.yaml" --fail-on note
expect_status 0
commented '  # pumice: ignore volcano.lint.pending-without-timeout # it is meant\n\n  - {event: PodPending, action: AbortJob}'
run "$pumice" validate "$work/commented.yaml" --fail-on note
expect_status 0
commented '  - {event: PodPending, action: AbortJob}\n  # pumice: ignore volcano.lint'
run "$pumice" validate "$work/commented.yaml" --fail-on note
expect_status 1
commented '  - {event: PodPending, action: AbortJob} # pumice: ignore volcano.lnt'
run "$pumice" validate "$work/commented.yaml" --fail-on note
expect_status 1
expect_out 'warning[UnknownRule]'
config 'deny: [volcano.lint.pending-without-timeout]'
commented '  - {event: PodPending, action: AbortJob} # pumice: ignore volcano.lint'
run "$pumice" validate "$work/commented.yaml" --config "$work/lint.yaml"
expect_status 1

finish
