// Holds the types of wasm/engine.d.ts and the answers of the real module together: the tables below must have exactly the
// members of the types (or this file does not compile), and the answers must have exactly the members of the tables.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import type * as T from '#wasm';
import { kJobPhases } from '../src/ui/phases';
import { isDrawn, kTall, kWide } from '../src/ui/layout';

type Check = (value: unknown, path: string) => void;
/** A check that also accepts absence. The mark makes a table wrong whose type says the member is always there. */
type Maybe = { readonly maybe: Check };
type Shape<O> = { [K in keyof O]-?: undefined extends O[K] ? Maybe : {} extends Pick<O, K> ? Maybe : Check };

const fail = (path: string, value: unknown, want: string): never => {
  throw new Error(`${path}: ${JSON.stringify(value)?.slice(0, 200)} is not ${want}`);
};
const string: Check = (value, path) => (typeof value === 'string' ? undefined : fail(path, value, 'a string'));
const number: Check = (value, path) => (Number.isSafeInteger(value) ? undefined : fail(path, value, 'a whole number'));
const boolean: Check = (value, path) => (typeof value === 'boolean' ? undefined : fail(path, value, 'a boolean'));
const anything: Check = () => undefined;
const maybe = (check: Check): Maybe => ({ maybe: check });
const nullable =
  (check: Check): Check =>
  (value, path) =>
    value === null ? undefined : check(value, path);
const list =
  (check: Check): Check =>
  (value, path) =>
    Array.isArray(value) ? value.forEach((each, at) => check(each, `${path}[${at}]`)) : fail(path, value, 'a list');
const word =
  <W extends string>(...words: W[]): Check =>
  (value, path) =>
    words.includes(value as W) ? undefined : fail(path, value, `one of ${words.join(', ')}`);
function object<O>(shape: Shape<O>): Check {
  const table = shape as Record<string, Check | Maybe>;
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) fail(path, value, 'an object');
    const members = value as Record<string, unknown>;
    for (const name of Object.keys(members))
      if (!(name in table)) fail(`${path}.${name}`, members[name], 'a known member');
    for (const [name, check] of Object.entries(table)) {
      if (typeof check === 'function') check(members[name], `${path}.${name}`);
      else if (members[name] !== undefined) check.maybe(members[name], `${path}.${name}`);
    }
  };
}
const answer = <O>(shape: Shape<O>): Check => {
  const whole = object({ type: word('success'), ...shape } as unknown as Shape<O>);
  return (value, path) => whole(value, path);
};

const diagnostic = object<T.Diagnostic>({
  severity: word('error', 'warning', 'note'),
  code: string,
  message: string,
  hint: maybe(string),
  file: maybe(string),
  field: maybe(string),
  line: maybe(number),
  column: maybe(number),
  endLine: maybe(number),
  endColumn: maybe(number),
});
const change = (check: Check) => object<T.Change<unknown>>({ from: check as never, to: check as never });
const request = object<T.Request>({
  namespace: string,
  jobName: string,
  event: string,
  jobVersion: number,
  jobUid: maybe(string),
  taskName: maybe(string),
  podName: maybe(string),
  podUid: maybe(string),
  partitionId: maybe(string),
  action: maybe(string),
  exitCode: maybe(number),
});
const status = object<T.StatusSummary>({
  phase: string,
  version: number,
  retryCount: number,
  pending: number,
  running: number,
  succeeded: number,
  failed: number,
  unknown: number,
  terminating: number,
});
const target = object<T.Target>({ type: string, taskName: string, podName: string, partition: string });
const considered = object<T.Considered>({
  path: string,
  level: word('task', 'job'),
  outcome: word('matched', 'notMatched', 'notConsulted'),
  reason: string,
  text: string,
  policy: maybe(
    object<T.Policy>({ action: string, events: list(string), exitCode: maybe(number), timeout: maybe(string) }),
  ),
  file: maybe(string),
  line: maybe(number),
  column: maybe(number),
});
const records: Record<T.StepRecordEntry['kind'], Check> = {
  observe: object<T.ObserveRecord>({
    kind: word('observe'),
    object: string,
    change: word('added', 'updated', 'deleted'),
    namespace: string,
    name: string,
    outcome: string,
    detail: string,
    request: maybe(request),
    sentence: string,
  }),
  command: object<T.CommandRecord>({
    kind: word('command'),
    name: string,
    action: string,
    consumed: boolean,
    retryAt: maybe(string),
    event: maybe(
      object<NonNullable<T.CommandRecord['event']>>({
        namespace: string,
        name: string,
        type: string,
        reason: string,
        message: string,
      }),
    ),
    request: maybe(request),
    sentence: string,
  }),
  process: object<T.ProcessRecord>({
    kind: word('process'),
    job: string,
    request,
    expired: boolean,
    outcome: string,
    decision: object<T.Decision>({ source: string, action: string, delay: string, rule: string, target }),
    considered: list(considered),
    operation: object<T.ProcessRecord['operation']>({
      kind: word('sync', 'kill', 'killTarget'),
      retain: list(string),
      statusFunction: string,
      reason: string,
      reasonText: string,
      lastRetry: boolean,
    }),
    sync: object<T.ProcessRecord['sync']>({
      shortPath: boolean,
      podGroupPhase: string,
      created: number,
      deleted: number,
      written: boolean,
      taken: list(string),
      gated: list(object<T.ProcessRecord['sync']['gated'][number]>({ task: string, waitsFor: list(string) })),
    }),
    killed: number,
    effects: list((value, path) => string((value as T.Effect).effect, `${path}.effect`)),
    effectsTotal: number,
    timers: list(
      object<T.TimerRecord>({
        op: word('started', 'ignored', 'replaced', 'cancelled', 'cleared', 'expired'),
        pod: string,
        action: string,
        event: string,
        delay: string,
        due: string,
        becauseOf: maybe(string),
        rule: string,
        sentence: string,
      }),
    ),
    status: object<T.ProcessRecord['status']>({ before: status, after: status }),
    error: maybe(string),
    retryAt: maybe(string),
    sentence: string,
  }),
};
const step = object<T.Step>({
  index: number,
  time: string,
  elapsed: string,
  source: word('user', 'cluster', 'timer', 'clock', 'fault'),
  input: object<T.Step['input']>({
    line: string,
    text: string,
    event: maybe(anything),
    action: maybe(
      object<NonNullable<T.Step['input']['action']>>({
        kind: string,
        podGroup: string,
        pods: list(string),
        job: maybe(string),
      }),
    ),
  }),
  refused: maybe(string),
  sentence: string,
  faults: maybe(
    list(
      object<T.Fault>({
        kind: string,
        text: string,
        watch: maybe(string),
        count: maybe(number),
        effect: maybe(string),
        names: maybe(list(string)),
        result: maybe(string),
        done: maybe(boolean),
        message: maybe(string),
      }),
    ),
  ),
  changes: list(
    object<T.JobChange>({
      job: string,
      phase: change(string),
      retryCount: change(number),
      version: change(number),
      gone: maybe(boolean),
    }),
  ),
  record: nullable(records.process),
  fired: nullable(number),
  moves: list(object<T.Step['moves'][number]>({ job: string, from: string, to: string })),
  recordsTotal: number,
  flows: maybe(list(object<NonNullable<T.Step['flows']>[number]>({ flow: string, phase: change(string) }))),
  kube: maybe(
    object<NonNullable<T.Step['kube']>>({
      changes: list(
        object<NonNullable<T.Step['kube']>['changes'][number]>({
          job: string,
          phase: change(string),
          failed: change(number),
          succeeded: change(number),
        }),
      ),
      fired: nullable(number),
      recordsTotal: number,
      record: maybe(anything),
      records: maybe(list(anything)),
    }),
  ),
});
const counts = object<T.Counts>({
  pending: number,
  running: number,
  succeeded: number,
  failed: number,
  unknown: number,
  terminating: number,
});
const runs = list(list(number));
const kubeJob = object<T.KubeJobView>({
  key: string,
  name: string,
  namespace: string,
  apiVersion: word('batch/v1'),
  phase: string,
  conditions: list(
    object<T.KubeJobView['conditions'][number]>({
      type: string,
      status: string,
      reason: string,
      message: string,
      since: maybe(string),
    }),
  ),
  counts: object<T.KubeJobView['counts']>({
    active: number,
    ready: number,
    terminating: number,
    succeeded: number,
    failed: number,
    uncountedSucceeded: number,
    uncountedFailed: number,
  }),
  wanted: object<T.KubeJobView['wanted']>({ parallelism: number, completions: maybe(number) }),
  indexed: boolean,
  suspended: boolean,
  managedBy: maybe(string),
  indexes: maybe(
    object<T.KubeIndexes>({
      completed: string,
      failed: string,
      completedRuns: runs,
      failedRuns: runs,
      activeRuns: runs,
      completedCount: number,
      failedCount: number,
      activeCount: number,
      total: number,
    }),
  ),
  backoff: object<T.KubeJobView['backoff']>({
    failures: number,
    lastFailure: maybe(string),
    nextRetry: maybe(string),
    remaining: maybe(string),
  }),
  budget: object<T.KubeJobView['budget']>({
    counted: number,
    limit: number,
    left: number,
    restarts: maybe(number),
    perIndex: maybe(number),
    maxFailedIndexes: maybe(number),
  }),
  startTime: maybe(string),
  completionTime: maybe(string),
  deadline: maybe(string),
  ttl: maybe(string),
  status: anything,
  pods: list(
    object<T.KubePod>({
      name: string,
      short: string,
      ordinal: number,
      index: maybe(number),
      phase: word('Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'),
      reason: maybe(string),
      exitCode: maybe(number),
      restarts: number,
      deleting: boolean,
      ready: boolean,
      tracked: maybe(boolean),
      uid: string,
      conditions: maybe(list(string)),
      containers: list(
        object<T.KubeContainer>({
          name: string,
          kind: word('init', 'sidecar', 'main'),
          state: word('waiting', 'running', 'terminated'),
          reason: maybe(string),
          exitCode: maybe(number),
          restarts: number,
          due: maybe(string),
          remaining: maybe(string),
        }),
      ),
    }),
  ),
  podsTotal: number,
  possible: list(string),
});
const view = object<T.View>({
  now: string,
  elapsed: string,
  automation: word('manual', 'assist', 'auto'),
  jobs: list(
    object<T.JobView>({
      key: string,
      name: string,
      namespace: string,
      phase: string,
      version: number,
      retryCount: number,
      maxRetry: number,
      minAvailable: number,
      minSuccess: maybe(number),
      status: anything,
      counts,
      podGroup: nullable(
        object<NonNullable<T.JobView['podGroup']>>({ name: string, phase: string, minMember: number }),
      ),
      tasks: list(object<T.TaskView>({ name: string, replicas: number, minAvailable: maybe(number), counts })),
      pods: list(
        object<T.PodView>({
          name: string,
          short: string,
          task: string,
          index: number,
          phase: word('Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'),
          exitCode: maybe(number),
          restarts: number,
          version: string,
          outOfSync: boolean,
          deleting: boolean,
          ready: boolean,
          uid: string,
        }),
      ),
      podsTotal: number,
      possible: list(string),
    }),
  ),
  timers: list(
    object<T.TimerView>({
      job: string,
      pod: string,
      action: string,
      event: string,
      due: string,
      remaining: string,
      rule: string,
      unseen: boolean,
    }),
  ),
  upcoming: list(object<T.Upcoming>({ due: string, remaining: string, text: string, kind: string })),
  waiting: list(object<T.Waiting>({ job: string, code: string, text: string })),
  kubeJobs: maybe(list(kubeJob)),
  flows: list(
    object<T.FlowView>({
      key: string,
      name: string,
      namespace: string,
      phase: string,
      retainPolicy: string,
      steps: list(
        object<T.FlowView['steps'][number]>({
          name: string,
          job: string,
          exists: boolean,
          phase: nullable(string),
          targets: list(string),
        }),
      ),
      status: anything,
      waiting: list(string),
    }),
  ),
  templates: list(object<T.View['templates'][number]>({ key: string, jobs: list(string) })),
  gone: list(
    object<T.View['gone'][number]>({ key: string, name: string, namespace: string, phase: string, status: anything }),
  ),
  palette: list(
    object<T.PaletteGroup>({
      group: string,
      entries: list(object<T.PaletteEntry>({ label: string, line: string, reason: maybe(string) })),
    }),
  ),
  faults: maybe(list(object<NonNullable<T.View['faults']>[number]>({ code: string, text: string }))),
});
const version = answer<T.Version>({
  pumice: string,
  tzdata: string,
  profiles: list(string),
  phases: list(object<T.PhaseInfo>({ name: string, transitional: boolean, final: boolean, meaning: string })),
  transitions: list(object<T.TransitionInfo>({ from: string, to: string, cause: string })),
  events: list(object<T.EventInfo>({ name: string, meaning: string, allowedInPolicy: boolean, internal: boolean })),
  actions: list(object<T.ActionInfo>({ name: string, meaning: string, allowedInPolicy: boolean, scope: string })),
});
const validated = answer<T.Validation>({
  diagnostics: list(diagnostic),
  documents: list(
    object<T.DocumentInfo>({
      apiVersion: string,
      kind: string,
      name: string,
      namespace: string,
      line: number,
      simulated: boolean,
    }),
  ),
});
const created = answer<T.Created>({ session: number, steps: list(step), view, diagnostics: list(diagnostic) });
const ran = answer<T.Ran>({ steps: list(step), total: number, view });
const sought = answer<T.Sought>({
  view,
  text: string,
  lines: list(
    list(
      object<T.Sought['lines'][number][number]>({
        tone: word('plain', 'muted', 'strong', 'phase', 'winner', 'warning'),
        text: string,
      }),
    ),
  ),
});
const rows = answer<{ records: T.RecordRow[] }>({
  records: list(object<T.RecordRow>({ kind: word('observe', 'command', 'process'), sentence: string })),
});
const details = answer<{ records: T.StepRecordEntry[] }>({
  records: list((value, path) => records[(value as T.StepRecordEntry).kind](value, path)),
});
const failed = object<T.Failure>({ type: word('failure'), diagnostics: list(diagnostic) });

const kManifest = `apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata:
  name: train
spec:
  minAvailable: 2
  policies:
    - event: PodEvicted
      action: RestartJob
  tasks:
    - name: worker
      replicas: 2
      policies:
        - event: PodPending
          action: AbortJob
          timeout: 10m
        - exitCode: 137
          action: RestartTask
      template:
        spec:
          restartPolicy: Never
          containers: [{name: main, image: example.com/train}]
`;

let engine: T.PumiceModule;
beforeAll(async () => {
  const folder = process.env['PUMICE_WASM_DIR']!;
  const module = (await import(/* @vite-ignore */ pathToFileURL(resolve(folder, 'pumice.mjs')).href)) as {
    default: T.CreatePumice;
  };
  engine = await module.default({ wasmBinary: readFileSync(resolve(folder, 'pumice.wasm')) });
});

describe('types and answers agree', () => {
  test('version', () => version(JSON.parse(engine.version()), 'version'));

  test('validate', () => {
    for (const text of [kManifest, kManifest.replace('policies', 'policy'), 'a: [', 'kind: Pod', '']) {
      validated(JSON.parse(engine.validate(JSON.stringify({ text, file: 'job.yaml' }))), 'validate');
    }
  });

  test('a session through all kinds of events', () => {
    const first = JSON.parse(
      engine.create(JSON.stringify({ text: kManifest, file: 'job.yaml' })),
    ) as T.Answer<T.Created>;
    created(first, 'create');
    const session = first.type === 'success' ? first.session : 0;
    const events: T.UserEvent[] = [
      { advance: 'next' },
      { until: 'Running' },
      { pod: 'worker-0', phase: 'Failed', exitCode: 137 },
      { until: 'Running' },
      { pod: 'worker-1', evicted: true },
      { until: 'settled' },
      { pod: 'worker-9', gone: true },
      { command: 'AbortJob', job: 'train' },
      { advance: '1m' },
      { command: 'ResumeJob', job: 'train' },
      { podGroup: 'train', phase: 'Unknown' },
      { until: 'settled' },
      { pod: 'worker-*', phase: 'Succeeded' },
      { fault: 'watch', kind: 'pods', mode: 'hold', for: '5s' },
      { fault: 'effect', result: 'timeout', done: true, times: 2 },
      { fault: 'controllerRestart', for: '1s' },
      { advance: '10s' },
      { delete: 'train' },
      { until: 'settled' },
      { create: 'train' },
      { until: 'settled' },
    ];
    let total = 1;
    for (const event of events) {
      const answer = JSON.parse(engine.run(JSON.stringify({ session, events: [event] }))) as T.Answer<T.Ran>;
      ran(answer, `run ${JSON.stringify(event)}`);
      if (answer.type === 'success') total = answer.total;
    }
    for (let at = 0; at <= total; ++at) {
      for (const explain of ['off', 'short', 'fails', 'full']) {
        sought(JSON.parse(engine.seek(JSON.stringify({ session, step: at, explain }))), `seek ${at}`);
      }
      if (at === 0) continue;
      rows(JSON.parse(engine.records(JSON.stringify({ session, step: at }))), `records ${at}`);
      details(JSON.parse(engine.records(JSON.stringify({ session, step: at, detail: true }))), `records ${at}`);
    }
    expect((JSON.parse(engine.dispose(JSON.stringify({ session }))) as T.Answer<object>).type).toBe('success');
  });

  test('failures', () => {
    failed(JSON.parse(engine.create('{')), 'create');
    failed(JSON.parse(engine.create(JSON.stringify({ text: 'kind: Pod' }))), 'create');
    failed(JSON.parse(engine.run(JSON.stringify({ session: 12345, events: [] }))), 'run');
    failed(JSON.parse(engine.seek(JSON.stringify({ session: 12345, step: 1 }))), 'seek');
    failed(JSON.parse(engine.records(JSON.stringify({ session: 12345, step: 1 }))), 'records');
  });
});

describe('the look of phases covers the engine', () => {
  const tables = () => JSON.parse(engine.version()) as T.Version;
  test('each phase has a look, hollow exactly if it is transitional', () => {
    const phases = tables().phases.map(({ name, transitional }) => [name, transitional]);
    expect(phases.toSorted()).toEqual(
      Object.entries(kJobPhases)
        .map(([name, { hollow }]) => [name, hollow])
        .toSorted(),
    );
  });
  test.each([
    ['wide', kWide],
    ['tall', kTall],
  ])('the %s diagram has each transition but those of a new job, and no other', (_, picture) => {
    const known = tables().transitions.filter(({ from, to }) => from !== '' || to === 'Pending');
    for (const { from, to } of known) expect(isDrawn(picture, from, to), `${from} to ${to}`).toBe(true);
    expect(Object.keys(picture.routes).toSorted()).toEqual(known.map(({ from, to }) => `${from}>${to}`).toSorted());
  });
});
