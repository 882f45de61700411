#!/usr/bin/env bash
# command_line_test.sh BINARY SOURCE_FOLDER
. "$(dirname "$0")/lib.sh"
pumice=$1
samples=$2/policies/samples
evicted=$samples/evicted.yaml

# --- help ------------------------------------------------------------------------------------------------------------
run "$pumice"
expect_status 2
expect_err 'Usage: pumice'
for command in simulate validate test schema playground cron eval quirks version completion; do
  run "$pumice" "$command" --help
  expect_status 0
  expect_out "Usage: pumice $command"
  expect_out Example
  expect_silent_err
done
run "$pumice" simulate --help
expect_out 'Exit status'
for words in frobnicate 'frobnicate version'; do
  # shellcheck disable=SC2086
  run "$pumice" $words
  expect_status 2
  expect_err '`frobnicate` is no command: simulate, validate, test'
done
run "$pumice" playground --port 99999
expect_status 2
expect_err '`99999` is no port'
run "$pumice" simulate
expect_status 2
run "$pumice" simulate "$evicted" --explain everything
expect_status 2
expect_err '`everything` is none of off|short|fails|full'
run "$pumice" simulate "$evicted" --run-time soon
expect_status 2
expect_err '`soon` is not a duration'
run "$pumice" simulate "$evicted" --start yesterday
expect_status 2
run "$pumice" simulate "$evicted" --auto --manual
expect_status 2
run "$pumice" simulate "$evicted" --faults often
expect_status 2
expect_err '`often` is no seed'
run "$pumice" simulate "$evicted" --faults 7,2
expect_status 2
expect_err 'the rate behind it is not between 0 and 1'

# --- version and completion ------------------------------------------------------------------------------------------
run "$pumice" version
expect_status 0
expect_out 'pumice '
expect_out 'volcano'
expect_out 'profile     cronjob-legacy: '
run "$pumice" version --output json
expect_status 0
expect_out '"tzdata"'
run "$pumice" --version
expect_status 0
for shell in bash zsh fish; do
  run "$pumice" completion "$shell"
  expect_status 0
  expect_out simulate
  expect_out explain
done
run "$pumice" completion tcsh
expect_status 2
"$pumice" completion bash >"$work/completion.bash"
run bash -c "source '$work/completion.bash'; COMP_WORDS=(pumice simulate --explain f); COMP_CWORD=3; _pumice; echo \"\${COMPREPLY[@]}\""
expect_out 'fails full'
run bash -c "source '$work/completion.bash'; COMP_WORDS=(pumice si); COMP_CWORD=1; _pumice; echo \"\${COMPREPLY[@]}\""
expect_out simulate

run bash -c "source '$work/completion.bash'; COMP_WORDS=(pumice simulate --quirk-off kill-); COMP_CWORD=3; _pumice; echo \"\${COMPREPLY[@]}\""
expect_out 'kill-clears-counts'
run bash -c "source '$work/completion.bash'; COMP_WORDS=(pumice simulate --profile v); COMP_CWORD=3; _pumice; echo \"\${COMPREPLY[@]}\""
expect_out 'volcano volcano-classic'
run bash -c "source '$work/completion.bash'; COMP_WORDS=(pumice quirks old-); COMP_CWORD=2; _pumice; echo \"\${COMPREPLY[@]}\""
expect_out 'old-timer'

# --- quirks ----------------------------------------------------------------------------------------------------------
run "$pumice" quirks
expect_status 0
expect_silent_err
expect_out 'Volcano Job: a volcano, b volcano-classic'
expect_out '  ab  kill-clears-counts         a finished job shows succeeded: 0'
expect_out '  -b  no-marks '
expect_out 'Kubernetes Job: a job, b job-1.27'
expect_out 'CronJob: a cronjob, b cronjob-legacy, c volcano-cronjob'
checks=$((checks + 1))
if LC_ALL=C.UTF-8 grep -qE '^.{81,}$' "$work/out"; then report 'lines of at most 80 columns'; fi
for quirk in $(sed -nE 's/^  [-abc]+  ([a-z-]+) .*/\1/p' "$work/out"); do
  run "$pumice" quirks "$quirk"
  expect_status 0
  expect_out "$quirk: "
  expect_out 'Switched off'
  checks=$((checks + 1))
  if LC_ALL=C.UTF-8 grep -qE '^.{81,}$' "$work/out"; then report "lines of at most 80 columns about $quirk"; fi
done
run "$pumice" quirks kill-clears-counts
expect_out '  volcano-classic  on'
expect_out '  volcano-sh/volcano#4616'
run "$pumice" quirks --profile cronjob-legacy
expect_status 0
expect_out 'hundred-missed'
expect_no_out 'no-marks'
expect_no_out 'missed-estimate'
run "$pumice" quirks --profile volcano-classic --output json
expect_status 0
expect_out '"name": "terminating-is-gone"'
expect_no_out '"direct-terminal"'
run "$pumice" quirks direct-terminal --output json
expect_status 0
expect_out '"controller": "Kubernetes Job"'
run "$pumice" quirks kill-clear-counts
expect_status 2
expect_silent_out
expect_err 'there is no quirk `kill-clear-counts`, did you mean `kill-clears-counts`?'
run "$pumice" quirks --profile volcan
expect_status 2
expect_err 'did you mean `volcano`?'

# --- simulate: profiles and quirks -----------------------------------------------------------------------------------
run "$pumice" simulate "$evicted" --profile job
expect_status 2
expect_err '`job` is none of volcano, volcano-classic'
run "$pumice" simulate "$evicted" --quirk-off kill-clears-counts,no-such
expect_status 2
expect_err 'there is no quirk `no-such`'
run "$pumice" simulate "$evicted" --auto
expect_status 0
expect_out 'no pods counted'
run "$pumice" simulate "$evicted" --auto --quirk-off kill-clears-counts --quirk-off max-retry-counts-runs,no-job-updated
expect_status 0
expect_no_out 'no pods counted'
run "$pumice" simulate "$evicted" --auto --profile volcano-classic
expect_status 0

# --- simulate: what goes well ----------------------------------------------------------------------------------------
run "$pumice" simulate "$evicted"
expect_status 0
expect_out 'Pending → Running'
expect_out '3 pods run until something ends them'
expect_silent_err
run "$pumice" simulate "$evicted" --auto
expect_status 0
expect_out 'Job train is Completed'
run "$pumice" simulate "$evicted" --auto --event 'pod worker-1 evicted' --explain fails
expect_status 0
expect_out 'Running → Restarting, retry 1'
expect_out "✓ spec.policies[0]  PodEvicted → RestartJob  $evicted:13:7"
expect_out 'Job train is Completed'
run "$pumice" simulate "$evicted" --manual
expect_status 0
expect_no_out 'Running'
run "$pumice" simulate "$evicted" --explain off
expect_no_out 'Job train is created:'
run "$pumice" simulate "$evicted" --explain full
expect_out 'effect  create PodGroup'
run "$pumice" simulate "$samples/depends-on.yaml" "$samples/min-success.yaml" --auto
expect_status 0
expect_out 'Job train is Completed'
expect_out 'Job search is Completed'
run "$pumice" simulate "$evicted" --event '{pod: worker-0, phase: Failed, exitCode: 7}' --explain short
expect_status 0
expect_out 'worker-0 failed with exit code 7'
run_with "$(cat "$evicted")" "$pumice" simulate - --auto
expect_status 0
expect_out Completed
run "$pumice" simulate "$evicted" --start 2030-01-01T00:00:00Z --auto --run-time 1h --output json
expect_out '2030-01-01T01:00:03Z'

run "$pumice" simulate "$evicted" --faults 7,0.25
expect_out 'Random faults: seed 7, rate 0.25; the same again by --faults 7,0.25'
run "$pumice" simulate "$evicted" --event 'fault controllerDown' --event 'pod worker-0 Failed' --event 'fault controllerUp'
expect_status 0
expect_out 'nobody hears of 1 change of pods, as the controller is down'
expect_out 'the controller starts with nothing in its cache'
run "$pumice" simulate "$evicted" --event 'fault watch pod hold'
expect_status 2
expect_err 'did you mean `pods`?'

# --- simulate: how it ends -------------------------------------------------------------------------------------------
# A flow makes its jobs, and they count for the exit status although they are deleted at the end.
run "$pumice" simulate "$samples/flow-delete.yaml" --auto --explain short
expect_status 0
expect_out 'JobFlow nightly: 2 steps, jobs are deleted at the end'
expect_out 'JobFlow nightly is Succeed'
expect_out 'Job nightly-train was Completed and is deleted'
run "$pumice" simulate "$samples/flow-delete.yaml" --auto --event 'until Running nightly-prepare' --event 'pod loader-0 Failed exit=1'
expect_status 1
expect_out 'JobFlow nightly is Failed'
sed '0,/name: train$/s//name: trains/' "$samples/flow-delete.yaml" >"$work/flow.yaml"
run "$pumice" simulate "$work/flow.yaml" --auto
expect_status 1
expect_err 'there is no JobTemplate `trains`'
run "$pumice" simulate "$evicted" --auto --event 'command TerminateJob'
expect_status 1
expect_out 'Job train is Terminated'
run "$pumice" simulate "$evicted" --event 'pod nobody-0 Running'
expect_status 2
expect_out 'there is no pod `nobody-0`'
expect_out 'train-worker-0'

# --- simulate: forms of output ---------------------------------------------------------------------------------------
run "$pumice" simulate "$evicted" --output json
expect_status 0
expect_out '"steps": ['
expect_out '"exitStatus": 0'
run "$pumice" simulate "$evicted" --output jsonl
expect_status 0
checks=$((checks + 1))
[ "$(wc -l <"$work/out")" = 4 ] || report 'three steps and an end'
run "$pumice" simulate /nowhere.yaml --output json
expect_status 2
expect_out '"UnreadableFile"'
esc=$(printf '\033')
run "$pumice" simulate "$evicted" --color always
expect_out "$esc"
run "$pumice" simulate "$evicted"
expect_no_out "$esc"
run env NO_COLOR=1 "$pumice" simulate "$evicted" --color auto
expect_no_out "$esc"

# --- simulate: files -------------------------------------------------------------------------------------------------
run "$pumice" simulate /nowhere/job.yaml
expect_status 2
expect_err '/nowhere/job.yaml'
expect_err 'cannot be opened'
expect_silent_out
run "$pumice" simulate "$work"
expect_status 2
expect_err 'is a directory'
: >"$work/empty.yaml"
run "$pumice" simulate "$work/empty.yaml"
expect_status 2
expect_err "$work/empty.yaml:1:1"
head -c 4000 "$pumice" >"$work/binary.yaml"
run "$pumice" simulate "$work/binary.yaml"
expect_status 2
expect_err "$work/binary.yaml:1:1"
printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n' >"$work/other.yaml"
run "$pumice" simulate "$work/other.yaml"
expect_status 2
expect_err "$work/other.yaml:2:7"
expect_err '`v1/ConfigMap` is not simulated'
run "$pumice" simulate "$work/other.yaml" "$evicted"
expect_status 0
expect_err 'is not simulated'
sed 's/replicas: 3/replicas: many/' "$evicted" >"$work/wrong.yaml"
run "$pumice" simulate "$work/wrong.yaml"
expect_status 2
expect_err 'replicas: many'
expect_err '^^^^'
run "$pumice" simulate - --events -
expect_status 2
expect_err 'only once'

# --- simulate: events from files -------------------------------------------------------------------------------------
printf '# a story\nuntil Running\n\n@1m pod worker-0 Failed exit=1\n' >"$work/story.txt"
run "$pumice" simulate "$evicted" --events "$work/story.txt"
expect_status 0
expect_out '@1m0s pod worker-0 Failed exit=1'
printf -- '- {until: Running}\n- pod: worker-0\n  phase: Failed\n- pod worker-1 gone\n' >"$work/story.yaml"
run "$pumice" simulate "$evicted" --events "$work/story.yaml"
expect_status 0
expect_out 'pod worker-0 Failed'
expect_out 'pod worker-1 gone'
printf 'apiVersion: pumice.dev/v1\nkind: Scenario\nevents:\n  - {command: AbortJob}\nexpect: []\n' >"$work/scenario.yaml"
run "$pumice" simulate "$evicted" --events "$work/scenario.yaml"
expect_status 0
expect_out Aborted
expect_err '`expect` is not used'
printf -- '- {pod: worker-0, phase: Broken}\n- {until: Running}\n- {cmd: x}\n' >"$work/bad.yaml"
run "$pumice" simulate "$evicted" --events "$work/bad.yaml"
expect_status 2
expect_silent_out
expect_err "$work/bad.yaml:1:19"
expect_err "$work/bad.yaml:3:3"
printf 'until Running\npod worker-0 Broken\nadvance soon\n' >"$work/bad.txt"
run "$pumice" simulate "$evicted" --events "$work/bad.txt"
expect_status 2
expect_silent_out
expect_err "$work/bad.txt:2:14"
expect_err "$work/bad.txt:3:9"
run "$pumice" simulate "$evicted" --event 'pod worker-0 Runing'
expect_status 2
expect_err 'did you mean `Running`?'
run "$pumice" simulate "$evicted" --event 'command restartjob'
expect_status 0
expect_err 'did you mean `RestartJob`?'
printf '\xef\xbb\xbf# a mark in front\nuntil Running\n' >"$work/marked.txt"
run "$pumice" simulate "$evicted" --events "$work/marked.txt"
expect_status 0
expect_silent_err
printf 'until Running\n' | iconv -f UTF-8 -t UTF-16 >"$work/wide.txt"
run "$pumice" simulate "$evicted" --events "$work/wide.txt"
expect_status 2
expect_err 'the text is UTF-16'
expect_err "$work/wide.txt:1:1"
iconv -f UTF-8 -t UTF-32BE "$evicted" >"$work/wide.yaml"
run "$pumice" simulate "$work/wide.yaml"
expect_status 2
expect_err 'the text is UTF-32'

# --- simulate: events that cannot be carried out, and the end of time --------------------------------------------------
printf 'until Running\n\n  advance 2562047h\n' >"$work/far.txt"
run "$pumice" simulate "$evicted" --events "$work/far.txt"
expect_status 2
expect_out 'refused: 2562047h0m0s from now lies behind the end of time'
expect_err "$work/far.txt:3:3"
printf -- '- until: Running\n- {pod: worker-9, phase: Failed}\n' >"$work/far.yaml"
run "$pumice" simulate "$evicted" --events "$work/far.yaml"
expect_status 2
expect_err 'there is no pod `worker-9`'
expect_err "$work/far.yaml:2:3"
run "$pumice" simulate "$evicted" --run-time 2562047h
expect_status 2
expect_err '--run-time: 2562047h0m0s from the start lies behind the end of time'
run "$pumice" simulate "$evicted" --run-time 2562048h
expect_status 2
expect_err '`2562048h` is too long a duration'
run "$pumice" simulate "$evicted" --start 2262-04-11T20:00:00Z
expect_status 2
expect_err '--start: 2262-04-11T20:00:00Z is less than a day before the end of time'
run "$pumice" simulate "$evicted" --start 2300-01-01T00:00:00Z
expect_status 2
expect_err 'years 1678 to 2261'

# --- cron ------------------------------------------------------------------------------------------------------------
berlin=(--tz Europe/Berlin --after 2026-03-28T00:00:00Z)
run "$pumice" cron
expect_status 2
for command in next explain simulate compare; do
  run "$pumice" cron "$command" --help
  expect_status 0
  expect_out Example
done
run "$pumice" cron next '30 2 * * *' "${berlin[@]}" --count 2
expect_status 0
expect_out '2026-03-28T01:30:00Z  Sat 2026-03-28 02:30:00 +01:00'
expect_out '2026-03-30T00:30:00Z  Mon 2026-03-30 02:30:00 +02:00'
expect_silent_err
run "$pumice" cron next '30 2 * * *' "${berlin[@]}" --count 1 --output json
expect_status 0
expect_out '"2026-03-28T02:30:00+01:00"'
run "$pumice" cron next '30 2 * * *' "${berlin[@]}" --count 1 --output ics
expect_status 0
expect_out 'DTSTART:20260328T013000Z'
run "$pumice" cron next '@hourly'
expect_status 0
checks=$((checks + 1))
[ "$(wc -l <"$work/out")" = 10 ] || report 'ten times from the clock of the system on'
run "$pumice" cron next '0 0 31 2 *'
expect_status 1
expect_out 'never: no time within five years'
run "$pumice" cron next '0 0 29 2 *' --after 2096-01-01T00:00:00Z
expect_status 1
expect_out '2096-02-29T00:00:00Z'
expect_out 'then no more'
run "$pumice" cron next '0 0 * * 7'
expect_status 2
expect_silent_out
expect_err 'error[InvalidSchedule]: end of range (7) above maximum (6): 7'
run "$pumice" cron next '0 0 * * 1' --tz Europe/Berlyn
expect_status 2
expect_err 'provided bad location Europe/Berlyn: unknown time zone Europe/Berlyn'
expect_err 'did you mean `Europe/Berlin`?'
run "$pumice" cron next '30 2 * * *' --tz Europe/Berlin --after 2026-10-24T12:00:00Z --count 2
expect_out '2026-10-25T01:30:00Z  Sun 2026-10-25 02:30:00 +01:00  second of two: the clocks go back'
run "$pumice" cron next '30 2 * * *' "${berlin[@]}" --count 2
expect_out 'skipped               2026-03-29 02:30 does not exist: the clocks go forward'
run "$pumice" cron next '30 2 * * *' "${berlin[@]}" --count 2 --output json
expect_out '"2026-03-29 02:30"'
run "$pumice" cron next '0 0 * * *' --tz Local --count 1
expect_status 0
expect_err 'warning[LocalZone]: the time zone `Local` is taken as UTC'
run "$pumice" cron next '@every 876000h' --after 2026-01-01T00:00:00Z
expect_status 1
expect_out 'then no more: the next time lies beyond the supported range, which ends in 2262'
run "$pumice" cron next '0 0 * * 1' --after 3000-01-01T00:00:00Z
expect_status 2
expect_err 'years 1678 to 2261'
run "$pumice" cron next '0 0 * * 1' --after tomorrow
expect_status 2
expect_err '`tomorrow` is not a time'
run "$pumice" cron next '0 0 * * 1' --count 0
expect_status 2
mkdir -p "$work/zoneinfo/Test"
printf 'TZif2%39sTZif2%15s\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\4\0\0\16\20\0\0ABC\0\nABC-1\n' '' '' | tr ' ' '\0' >"$work/zoneinfo/Test/Zone"
run "$pumice" cron next '0 0 * * *' --tz Test/Zone --zoneinfo "$work/zoneinfo" --after 2026-03-28T00:00:00Z --count 1
expect_status 0
expect_out '2026-03-28T23:00:00Z  Sun 2026-03-29 00:00:00 +01:00'
run "$pumice" cron next '0 0 * * *' --tz Test --zoneinfo "$work/zoneinfo"
expect_status 2
expect_err 'unknown time zone Test'
run "$pumice" cron next '0 0 * * *' --tz Europe/Berlin --zoneinfo "$work/zoneinfo"
expect_status 2
expect_err 'has no zone of that name'
mkdir -p "$work/empty"
run "$pumice" cron next '0 0 * * *' --tz Europe/Berlin --zoneinfo "$work/empty"
expect_status 2
expect_err 'has no compiled time zones'
run "$pumice" cron explain '30 2 * * *' "${berlin[@]}"
expect_status 0
expect_out 'Every day at 02:30, Europe/Berlin time.'
expect_out 'skipped on 2026-03-29: 02:30 does not exist, clocks go forward from 02:00 to 03:00'
run "$pumice" cron explain '30 2 * * *' "${berlin[@]}" --output json
expect_status 0
expect_out '"SkippedByClockChange"'
run "$pumice" cron explain '0 0 31 2 *'
expect_status 1
expect_out 'never fires'
run_with '{"schedule": "@daily", "timeZone": "Asia/Tokyo", "after": "2026-01-01T00:00:00Z", "count": 2, "id": 1}
{"schedule": "* * * *"}
nothing
{"schedule": "* * * * *"}' "$pumice" cron --batch
expect_status 0
checks=$((checks + 1))
[ "$(wc -l <"$work/out")" = 4 ] || report 'an answer for each line'
expect_out '{"id":1,"ok":{"next":["2026-01-01T15:00:00Z","2026-01-02T15:00:00Z"]}}'
expect_out 'expected exactly 5 fields, found 4: [* * * *]'
expect_out '"line":3'
run_with '{"schedule": "@daily", "timezone": "Asia/Tokyo", "id": 1}' "$pumice" cron --batch
expect_status 0
expect_out 'args.timezone: there is no such argument, did you mean `timeZone`?'
deep=$(printf '[%.0s' $(seq 100000))$(printf ']%.0s' $(seq 100000))
run_with "{\"schedule\": \"* * * * *\", \"id\": $deep}
{\"schedule\": \"@daily\", \"after\": \"2026-03-07T00:00:00Z\", \"count\": 1}" "$pumice" cron --batch
expect_status 0
expect_out 'nested deeper than 100 levels'
expect_out '{"ok":{"next":["2026-03-08T00:00:00Z"]}}'

run "$pumice" cron --batch next '@daily'
expect_status 2
expect_err '--batch stands alone'
run "$pumice" cron explain '@every 1h' --deadline 60 --name "$(printf 'x%.0s' {1..53})"
expect_status 1
expect_out 'warning[EveryBelowDeadline]: never starts'
expect_out 'warning[NameTooLong]: the name has 53 characters'

# --- CronJobs over time ----------------------------------------------------------------------------------------------
cat >"$work/cronjob.yaml" <<'END'
apiVersion: batch/v1
kind: CronJob
metadata: {name: hyssop}
spec:
  schedule: "0 * * * *"
  concurrencyPolicy: Forbid
  jobTemplate: {spec: {template: {spec: {containers: [{name: main, image: registry.example/tool:1}]}}}}
END
day=(--from 2026-03-02T00:30:00Z --until 2026-03-03T00:30:00Z)
run "$pumice" cron simulate "$work/cronjob.yaml" "${day[@]}"
expect_status 0
expect_out 'CronJob default/hyssop: cronjob, 2026-03-02T00:30:00Z'
expect_out '24 runs, all started in time'
expect_out '24 started'
expect_silent_err
run "$pumice" cron simulate "$work/cronjob.yaml" "${day[@]}" --outage 2026-03-02T05:30:00Z..2026-03-02T07:10:00Z
expect_status 1
expect_out '2026-03-02T06:00:00Z  missed: the controller was down; only the latest of the missed runs is made up for'
expect_out '2026-03-02T07:00:00Z  started 10m0s late: the controller was down'
expect_out '23 started (1 late), 1 missed'
run "$pumice" cron simulate "$work/cronjob.yaml" "${day[@]}" --job-duration 90m --output jsonl
expect_status 1
expect_out '"outcome":"skipped"'
expect_out '"obstacle":"job-active"'
run "$pumice" cron simulate "$work/cronjob.yaml" "${day[@]}" --output json --profile volcano-cronjob
expect_status 0
expect_out '"profile": "volcano-cronjob"'
run "$pumice" cron simulate "$work/cronjob.yaml" "${day[@]}" --output ics
expect_status 0
expect_out 'DTSTART:20260302T010000Z'
run "$pumice" cron compare "$work/cronjob.yaml" "${day[@]}" --profile cronjob,cronjob-legacy
expect_status 0
expect_out '0 runs differ between cronjob and cronjob-legacy'
run "$pumice" cron compare "$work/cronjob.yaml" --from 2026-03-02T00:30:00Z --until 2026-03-09T00:30:00Z \
  --outage 2026-03-02T05:30:00Z..2026-03-07T07:10:00Z --profile cronjob,cronjob-legacy
expect_status 1
expect_out 'cronjob-legacy   open: more than 100 runs were missed'
run "$pumice" cron simulate "$samples/../cronjobs/daylight-saving.yaml" --from 2026-03-27T00:00:00Z --until 2026-03-31T00:00:00Z
expect_status 0
expect_out '2026-03-29T01:00:00Z  no run: 2026-03-29 02:30 does not exist, the clocks go forward'
expect_out '3 started'
run "$pumice" cron simulate "$samples/../cronjobs/daylight-saving.yaml" --from 2026-10-24T00:00:00Z --until 2026-10-26T00:00:00Z
expect_status 0
expect_out '2026-10-25T00:30:00Z  started  Sun 2026-10-25 02:30:00 +02:00  first of two: the clocks go back'
expect_out '2026-10-25T01:30:00Z  started  Sun 2026-10-25 02:30:00 +01:00  second of two: the clocks go back'
run "$pumice" cron simulate "$samples/../cronjobs/slow-job.yaml" --from 2026-03-02T09:05:00Z --until 2026-03-02T10:35:00Z \
  --job-duration 14m
expect_status 1
expect_out '2026-03-02T09:20:00Z  started 4m0.1s late: the policy is Forbid, and a job was active'
expect_out '7 started (5 late), 2 skipped'
sed 's/^spec:/spec:\n  timeZone: Asia\/Kolkata/' "$work/cronjob.yaml" >"$work/kolkata.yaml"
run "$pumice" cron compare "$work/kolkata.yaml" "${day[@]}" --profile cronjob,cronjob-legacy
expect_status 1
expect_out 'cronjob-legacy: this controller does not know spec.timeZone (Asia/Kolkata): it reads the schedule in the zone it runs in, here UTC'
run "$pumice" cron compare "$work/cronjob.yaml" --profile cronjob
expect_status 2
expect_err '`cronjob` is not two of cronjob, cronjob-legacy, volcano-cronjob'
for bad in '--outage yesterday' '--quirk-off none' '--profile job' '--job-duration soon'; do
  # shellcheck disable=SC2086
  run "$pumice" cron simulate "$work/cronjob.yaml" $bad
  expect_status 2
done
run "$pumice" cron simulate "$work/cronjob.yaml" --from 2026-03-02T00:30:00Z --until 2026-03-01T00:30:00Z
expect_status 2
expect_err '--until lies before --from'
run "$pumice" cron simulate "$evicted"
expect_status 2
expect_err 'there is no CronJob'
run "$pumice" cron simulate "$work/none.yaml"
expect_status 2
expect_err 'cannot be opened'
run_with 'apiVersion: batch/v1
kind: CronJob
metadata: {name: a}
spec: {schedule: "0 0 * * 7", jobTemplate: {}}' "$pumice" cron simulate - "${day[@]}"
expect_status 0
expect_err 'end of range (7) above maximum (6): 7'
expect_out 'event UnparseableSchedule'

# --- eval ------------------------------------------------------------------------------------------------------------
run_with '{"id":1,"op":"duration.parse","args":{"text":"90m"}}
no json
{"id":"x","op":"nothing"}
{"op":"duration.parse","args":{"text":"1s"}}' "$pumice" eval
expect_status 0
checks=$((checks + 1))
[ "$(wc -l <"$work/out")" = 4 ] || report 'an answer for each line, the last one without an end included'
expect_out '"canonical":"1h30m0s"'
expect_out '"line":2'
expect_out '"id":"x"'
run_with '' "$pumice" eval
expect_status 0
expect_silent_out
# An answer is out before the next question is asked.
mkfifo "$work/questions" "$work/answers"
"$pumice" eval <"$work/questions" >"$work/answers" &
talker=$!
exec 8>"$work/questions" 9<"$work/answers"
for i in 1 2 3; do
  printf '{"id":%s,"op":"duration.parse","args":{"text":"1s"}}\n' "$i" >&8
  checks=$((checks + 1))
  if ! read -r -t 20 answer <&9 || [[ $answer != *"\"id\":$i"* ]]; then report "an answer to question $i at once"; fi
done
exec 8>&- 9<&-
wait "$talker"
# Lines of any length.
{
  printf '{"id":1,"op":"yaml.parse","args":{"text":"'
  head -c 3000000 /dev/zero | tr '\0' a
  printf '"}}\n'
  head -c 20000000 /dev/zero | tr '\0' b
  printf '\n{"id":3,"op":"duration.parse","args":{"text":"1s"}}\n'
} >"$work/long.jsonl"
said='pumice eval with long lines'
"$pumice" eval <"$work/long.jsonl" >"$work/out" 2>"$work/err"
status=$?
expect_status 0
expect_out '"LimitExceeded"'
expect_out '"id":3'

finish
