#!/usr/bin/env bash
# scenario_test.sh BINARY SOURCE_FOLDER: `pumice test`, `pumice schema`, and scenarios in `pumice simulate`.
. "$(dirname "$0")/lib.sh"
pumice=$1
source=$2
dir=$work/scenarios
mkdir -p "$dir"

cat >"$dir/good.yaml" <<'END'
apiVersion: pumice.dev/v1
kind: Scenario
metadata: {name: good, title: One pod fails}
automation: assist
objectFiles: [job/job.txt]
events:
  - {until: Running}
  - {pod: w-0, phase: Failed, exitCode: 3}
expect:
  - {after: 2, phase: Restarting, rule: "spec.policies[0]"}
  - {phase: Running, retryCount: 1}
END
mkdir "$dir/job"
cat >"$dir/job/job.txt" <<'END'
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train}
spec:
  policies:
  - {event: PodFailed, action: RestartJob}
  - {event: PodEvicted, action: AbortJob}
  tasks:
  - name: w
    replicas: 1
    template: {spec: {restartPolicy: Never, containers: [{name: m, image: "i:1"}]}}
END
sed -e 's/name: good/name: bad/' -e 's/phase: Running, retryCount: 1/phase: Failed/' "$dir/good.yaml" >"$dir/bad.yaml"

# --- verdicts and exit statuses ----------------------------------------------------------------------------------------
run "$pumice" test "$dir/good.yaml"
expect_status 0
expect_out 'ok      good'
expect_out '1 passed, 0 failed'
expect_silent_err
run "$pumice" test "$dir"
expect_status 1
expect_out 'FAILED  bad'
expect_out "  --> $dir/bad.yaml:11:13"
expect_out 'expected  phase Failed'
expect_out 'seen      phase Running'
expect_out 'Pending to Running'
expect_out '1 passed, 1 failed'
run "$pumice" test "$dir" --run '^go+d$'
expect_status 0
expect_out '1 passed, 0 failed; 1 left out'
run "$pumice" test "$dir" --run nobody
expect_status 2
expect_out 'no test is called like `nobody`'
run "$pumice" test "$dir" --run '('
expect_status 2
expect_err '`(` is no regular expression'
run "$pumice" test "$dir" --fail-fast
expect_status 1
expect_out '0 passed, 1 failed; 1 left out'
run "$pumice" test /nowhere.yaml
expect_status 2
expect_out 'cannot be opened'
run "$pumice" test "$dir/job"
expect_status 2
expect_out 'there is no Scenario and no Suite'
printf 'apiVersion: pumice.dev/v1\nkind: Scenario\nobjekts: x\n' >"$work/wrong.yaml"
run "$pumice" test "$work/wrong.yaml" "$dir/good.yaml"
expect_status 2
expect_out 'error[UnknownField]: objekts: unknown field `objekts`'
expect_out 'did you mean `objects`?'
expect_out 'ok      good'
printf 'apiVersion: pumice.dev/v7\nkind: Scenario\n' >"$work/newer.yaml"
run "$pumice" test "$work/newer.yaml"
expect_status 2
expect_out 'the form of a newer release'
run_with "$(cat "$source/policies/scenarios/volcano/one-eviction-aborts.yaml")" "$pumice" test -
expect_status 0
run "$pumice" test "$source/policies/scenarios"
expect_status 0

# --- suites --------------------------------------------------------------------------------------------------------------
mkdir "$work/suite"
cp -r "$dir/good.yaml" "$dir/job" "$work/suite"
cat >"$work/suite/suite.yaml" <<'END'
apiVersion: pumice.dev/v1
kind: Suite
metadata: {name: all}
tests:
  - name: failures
    cases:
      - {name: restarts, scenario: good.yaml, expect: [{version: 1}]}
END
run "$pumice" test "$work/suite"
expect_status 0
expect_out 'ok      all/failures/restarts'
expect_out '1 passed, 0 failed'
sed -i 's/version: 1}/version: 2}/' "$work/suite/suite.yaml"
run "$pumice" test "$work/suite/suite.yaml"
expect_status 1
expect_out "$work/suite/suite.yaml:7:"
sed -i 's/good.yaml/gone.yaml/' "$work/suite/suite.yaml"
run "$pumice" test "$work/suite/suite.yaml"
expect_status 2
expect_out 'gone.yaml` does not exist'

# --- forms ---------------------------------------------------------------------------------------------------------------
run "$pumice" test "$dir" --output json --coverage
expect_status 1
expect_out '"verdict": "failed"'
expect_out '"cellsTotal": 88'
expect_out '"exitStatus": 1'
run "$pumice" test "$dir" --output junit
expect_status 1
expect_out '<testsuite name="pumice test" tests="2" failures="1" errors="0">'
expect_out '<failure type="expectation"'
if command -v python3 >/dev/null; then
  run python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$work/out"
  "$pumice" test "$dir" --output junit >"$work/form" 2>"$work/err"
  run python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$work/form"
  expect_status 0
fi
run "$pumice" test --coverage "$dir/good.yaml"
expect_status 0
expect_out 'Policies  1 of 2 fired'
expect_out 'never fired  spec.policies[1] of train'
expect_out 'cells visited'
run "$pumice" test "$dir/good.yaml" --coverage=json
expect_status 0
expect_out '"rulesFired": 1'
run "$pumice" test "$dir/good.yaml" --coverage=xml
expect_status 2
run "$pumice" test "$dir/good.yaml" --explain short
expect_status 0
expect_out 'w-0 failed with exit code 3'

# --- schemas -------------------------------------------------------------------------------------------------------------
run "$pumice" schema scenario
expect_status 0
expect_out '"title": "Pumice scenario"'
run "$pumice" schema suite
expect_status 0
run "$pumice" schema lesson
expect_status 2

# --- recording and playing again -----------------------------------------------------------------------------------------
cp "$dir/job/job.txt" "$work/job.yaml"
run "$pumice" simulate "$work/job.yaml" --event 'pod w-0 Failed exit=3' --event '@2m pod w-0 Succeeded' --record "$work/story.yaml"
expect_status 0
cp "$work/out" "$work/first"
run "$pumice" test "$work/story.yaml"
expect_status 0
run "$pumice" simulate "$work/story.yaml" --record "$work/again.yaml"
expect_status 0
sed 's/  (.*)$//' "$work/first" >"$work/first.plain"
sed 's/  (.*)$//' "$work/out" >"$work/second.plain"
run cmp "$work/first.plain" "$work/second.plain"
expect_status 0
run cmp "$work/story.yaml" "$work/again.yaml"
expect_status 0
run grep -F 'made: {pumice: ' "$work/story.yaml"
expect_status 0
run "$pumice" simulate "$work/job.yaml" --event 'pod x-0 Running' --record "$work/refused.yaml"
expect_status 2
run "$pumice" test "$work/refused.yaml"
expect_status 0
run "$pumice" simulate "$work/refused.yaml"
expect_status 0
run "$pumice" simulate "$work/story.yaml" --auto
expect_status 2
expect_err 'a scenario says itself how it is simulated'
run "$pumice" simulate "$work/story.yaml" "$work/job.yaml"
expect_status 2
run "$pumice" simulate "$work/job.yaml" --record /nowhere/story.yaml
expect_status 2

# --- watching ------------------------------------------------------------------------------------------------------------
cp "$dir/good.yaml" "$work/suite/watched.yaml"
"$pumice" test "$work/suite/watched.yaml" --watch >"$work/watch" 2>&1 &
watcher=$!
wait_for() { # TEXT COUNT
  for _ in $(seq 100); do
    [ "$(grep -cF -- "$1" "$work/watch")" -ge "$2" ] && return 0
    sleep 0.1
  done
  return 1
}
run wait_for '1 passed, 0 failed' 1
expect_status 0
sleep 0.3
sed -i 's/retryCount: 1/retryCount: 7/' "$work/suite/watched.yaml"
run wait_for '0 passed, 1 failed' 1
expect_status 0
kill -TERM "$watcher"
wait "$watcher"
status=$?
expect_status 1

finish
