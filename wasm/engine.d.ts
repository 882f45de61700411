// Types of the WebAssembly module and of the JSON that crosses its border. Written by hand; `wasm/test/contract.test.mjs` and
// `web/test/contract.test.ts` hold them and the real answers together.

// ---------------------------------------------------------------------------------------------------------------- module

/** The seven calls. Each takes and gives JSON text (see the `…Input` and `…Answer` types); none throws on user input. A
 * `WebAssembly.RuntimeError` means the instance is broken: drop it, make a new one, replay. */
export interface PumiceModule {
  version(): string;
  validate(input: string): string;
  create(input: string): string;
  run(input: string): string;
  seek(input: string): string;
  records(input: string): string;
  dispose(input: string): string;
}

export interface PumiceModuleOptions {
  /** The bytes of `pumice.wasm`, where the module cannot fetch them itself (node). */
  wasmBinary?: ArrayBuffer | Uint8Array;
  /** Where `pumice.wasm` is; called with its name. */
  locateFile?(name: string): string;
  printErr?(text: string): void;
}

/** The default export of `pumice.mjs`. */
export type CreatePumice = (options?: PumiceModuleOptions) => Promise<PumiceModule>;

// ---------------------------------------------------------------------------------------------------------------- answers

export type Severity = 'error' | 'warning' | 'note';

/** One finding. Lines and columns count from 1, columns count bytes of UTF-8. */
export interface Diagnostic {
  severity: Severity;
  code: string;
  message: string;
  hint?: string;
  file?: string;
  field?: string;
  line?: number;
  column?: number;
  endLine?: number;
  endColumn?: number;
}

export interface Failure {
  type: 'failure';
  diagnostics: Diagnostic[];
}
export type Answer<T> = ({ type: 'success' } & T) | Failure;

// ---------------------------------------------------------------------------------------------------------------- version

export interface PhaseInfo {
  name: string;
  transitional: boolean;
  final: boolean;
  meaning: string;
}
export interface TransitionInfo {
  /** Empty: a job that was never synced. */
  from: string;
  to: string;
  cause: string;
}
export interface EventInfo {
  name: string;
  meaning: string;
  allowedInPolicy: boolean;
  internal: boolean;
}
export interface ActionInfo {
  name: string;
  meaning: string;
  allowedInPolicy: boolean;
  scope: string;
}
export interface Version {
  pumice: string;
  tzdata: string;
  profiles: string[];
  phases: PhaseInfo[];
  transitions: TransitionInfo[];
  events: EventInfo[];
  actions: ActionInfo[];
}

// --------------------------------------------------------------------------------------------------------------- validate

export interface ValidateInput {
  text: string;
  file?: string;
}
export interface DocumentInfo {
  apiVersion: string;
  kind: string;
  name: string;
  namespace: string;
  line: number;
  simulated: boolean;
}
export interface Validation {
  diagnostics: Diagnostic[];
  documents: DocumentInfo[];
}

// ------------------------------------------------------------------------------------------------------------- user events

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';

/** Every event may carry `at`: a duration since the start to which the clock is advanced first. */
export type UserEvent = { at?: string } & (
  | {
      pod: string;
      phase?: PodPhase;
      exitCode?: number;
      container?: string;
      restarts?: number;
      ready?: boolean;
      deleted?: boolean;
      evicted?: boolean;
      gone?: boolean;
      reason?: string;
    }
  | { podGroup: string; phase: string }
  | { command: string; job?: string }
  | { advance: string }
  | { until: string; job?: string }
  | { delete: string; foreground?: boolean }
  | { create: string }
  | { edit: string; set: Record<string, string | number | boolean | null> }
  | { queue: string; state?: string; deleted?: boolean }
  | {
      fault: string;
      kind?: string;
      name?: string;
      result?: string;
      mode?: string;
      for?: string;
      count?: number;
      times?: number;
      effects?: number;
      done?: boolean;
      pods?: string | number;
      namespace?: string;
    }
);

/** An event as a mapping, or in the line form of the command line: `pod worker-0 Failed exit=137`. */
export type AnyEvent = UserEvent | string;

// ------------------------------------------------------------------------------------------------------------------- steps

export interface Change<T> {
  from: T;
  to: T;
}
export interface JobChange {
  job: string;
  phase: Change<string>;
  retryCount: Change<number>;
  version: Change<number>;
  /** The job was deleted; what it changed to was its last state. */
  gone?: boolean;
}

/** Empty strings and an exit code of 0 are left out. */
export interface Request {
  namespace: string;
  jobName: string;
  event: string;
  jobVersion: number;
  jobUid?: string;
  taskName?: string;
  podName?: string;
  podUid?: string;
  partitionId?: string;
  action?: string;
  exitCode?: number;
}

export interface ObserveRecord {
  kind: 'observe';
  object: string;
  change: 'added' | 'updated' | 'deleted';
  namespace: string;
  name: string;
  outcome: string;
  detail: string;
  request?: Request;
  sentence: string;
}
export interface CommandRecord {
  kind: 'command';
  name: string;
  action: string;
  consumed: boolean;
  retryAt?: string;
  /** The Kubernetes Event on the job that tells of it. */
  event?: { namespace: string; name: string; type: string; reason: string; message: string };
  request?: Request;
  sentence: string;
}
export interface Policy {
  action: string;
  events: string[];
  exitCode?: number;
  timeout?: string;
}
export interface Considered {
  path: string;
  level: 'task' | 'job';
  outcome: 'matched' | 'notMatched' | 'notConsulted';
  reason: string;
  text: string;
  policy?: Policy;
  file?: string;
  line?: number;
  column?: number;
}
export interface Target {
  type: string;
  taskName: string;
  podName: string;
  partition: string;
}
export interface Decision {
  source: string;
  action: string;
  delay: string;
  rule: string;
  target: Target;
}
export interface TimerRecord {
  op: 'started' | 'ignored' | 'replaced' | 'cancelled' | 'cleared' | 'expired';
  pod: string;
  action: string;
  event: string;
  delay: string;
  due: string;
  becauseOf?: string;
  rule: string;
  sentence: string;
}
export interface StatusSummary {
  phase: string;
  version: number;
  retryCount: number;
  pending: number;
  running: number;
  succeeded: number;
  failed: number;
  unknown: number;
  terminating: number;
}
/** What the controller asked of the API server; the members besides `effect` depend on it. */
export interface Effect {
  effect: string;
  [member: string]: unknown;
}
export interface ProcessRecord {
  kind: 'process';
  job: string;
  request: Request;
  expired: boolean;
  outcome: string;
  decision: Decision;
  considered: Considered[];
  operation: {
    kind: 'sync' | 'kill' | 'killTarget';
    retain: string[];
    statusFunction: string;
    reason: string;
    reasonText: string;
    /** A kill that keeps ended pods because the retries are used up. */
    lastRetry: boolean;
  };
  sync: {
    shortPath: boolean;
    podGroupPhase: string;
    created: number;
    deleted: number;
    written: boolean;
    /** Pods that were not created, as another job has a pod of the name. */
    taken: string[];
    gated: { task: string; waitsFor: string[] }[];
  };
  killed: number;
  effects: Effect[];
  effectsTotal: number;
  timers: TimerRecord[];
  status: { before: StatusSummary; after: StatusSummary };
  error?: string;
  retryAt?: string;
  sentence: string;
}
export type StepRecordEntry = ObserveRecord | CommandRecord | ProcessRecord;

/** `fault`: something that went wrong is mended by itself. */
export type StepSource = 'user' | 'cluster' | 'timer' | 'clock' | 'fault';
/** What went wrong between controller and API server in a step, or was mended. */
export interface Fault {
  kind: string;
  text: string;
  watch?: string;
  count?: number;
  effect?: string;
  names?: string[];
  result?: string;
  done?: boolean;
  message?: string;
}
export interface Step {
  index: number;
  time: string;
  elapsed: string;
  source: StepSource;
  /** `line`: the input as the command line writes it; `text`: in words. */
  input: {
    line: string;
    text: string;
    event?: UserEvent;
    action?: { kind: string; podGroup: string; pods: string[]; job?: string };
  };
  refused?: string;
  sentence: string;
  faults?: Fault[];
  changes: JobChange[];
  /** The process record that explains the step best, and which of the step's records it is. */
  record: ProcessRecord | null;
  fired: number | null;
  /** Every phase change on the way; `changes` compare the begin with the end. */
  moves: { job: string; from: string; to: string }[];
  recordsTotal: number;
  /** JobFlows whose phase changed. */
  flows?: { flow: string; phase: Change<string> }[];
  /** What the controllers of batch/v1 Jobs did. */
  kube?: {
    changes: { job: string; phase: Change<string>; failed: Change<number>; succeeded: Change<number> }[];
    fired: number | null;
    recordsTotal: number;
    record?: Record<string, unknown> | null;
    records?: Record<string, unknown>[];
  };
}

// -------------------------------------------------------------------------------------------------------------------- view

export interface Counts {
  pending: number;
  running: number;
  succeeded: number;
  failed: number;
  unknown: number;
  terminating: number;
}
export interface PodView {
  name: string;
  short: string;
  task: string;
  index: number;
  phase: PodPhase;
  exitCode?: number;
  restarts: number;
  version: string;
  outOfSync: boolean;
  deleting: boolean;
  ready: boolean;
  uid: string;
}
export interface TaskView {
  name: string;
  replicas: number;
  minAvailable?: number;
  counts: Counts;
}
export interface JobView {
  key: string;
  name: string;
  namespace: string;
  phase: string;
  version: number;
  retryCount: number;
  maxRetry: number;
  minAvailable: number;
  minSuccess?: number;
  status: Record<string, unknown>;
  counts: Counts;
  podGroup: { name: string; phase: string; minMember: number } | null;
  tasks: TaskView[];
  pods: PodView[];
  podsTotal: number;
  possible: string[];
}
export interface TimerView {
  job: string;
  pod: string;
  action: string;
  event: string;
  due: string;
  remaining: string;
  rule: string;
  unseen: boolean;
}
export interface Upcoming {
  due: string;
  remaining: string;
  text: string;
  kind: string;
}
export interface Waiting {
  job: string;
  code: string;
  text: string;
}
export interface PaletteEntry {
  label: string;
  /** The event in its line form. */
  line: string;
  /** Why it cannot happen now; absent: it can. */
  reason?: string;
}
export interface PaletteGroup {
  group: string;
  entries: PaletteEntry[];
}
export type Automation = 'manual' | 'assist' | 'auto';
export interface View {
  now: string;
  elapsed: string;
  automation: Automation;
  jobs: JobView[];
  timers: TimerView[];
  upcoming: Upcoming[];
  waiting: Waiting[];
  /** Jobs of batch/v1; absent if there are none. */
  kubeJobs?: KubeJobView[];
  flows: FlowView[];
  templates: { key: string; jobs: string[] }[];
  /** Jobs that were deleted, as they were last. */
  gone: { key: string; name: string; namespace: string; phase: string; status: Record<string, unknown> }[];
  palette: PaletteGroup[];
  /** What is wrong now and stays so. */
  faults?: { code: string; text: string }[];
}

export interface KubeIndexes {
  /** As in the status: `0,2-4`. */
  completed: string;
  failed: string;
  completedRuns: [number, number][];
  failedRuns: [number, number][];
  activeRuns: [number, number][];
  completedCount: number;
  failedCount: number;
  activeCount: number;
  total: number;
}
export interface KubeContainer {
  name: string;
  kind: 'init' | 'sidecar' | 'main';
  state: 'waiting' | 'running' | 'terminated';
  reason?: string;
  exitCode?: number;
  restarts: number;
  due?: string;
  remaining?: string;
}
export interface KubePod {
  name: string;
  short: string;
  /** The how manyeth pod of its job it is: events may call it `p<ordinal>`. */
  ordinal: number;
  index?: number;
  phase: PodPhase;
  reason?: string;
  exitCode?: number;
  restarts: number;
  deleting: boolean;
  ready: boolean;
  tracked?: boolean;
  uid: string;
  conditions?: string[];
  containers: KubeContainer[];
}
/** A Job of batch/v1. */
export interface KubeJobView {
  key: string;
  name: string;
  namespace: string;
  apiVersion: 'batch/v1';
  phase: string;
  conditions: { type: string; status: string; reason: string; message: string; since?: string }[];
  counts: {
    active: number;
    ready: number;
    terminating: number;
    succeeded: number;
    failed: number;
    uncountedSucceeded: number;
    uncountedFailed: number;
  };
  wanted: { parallelism: number; completions?: number };
  indexed: boolean;
  suspended: boolean;
  managedBy?: string;
  indexes?: KubeIndexes;
  backoff: { failures: number; lastFailure?: string; nextRetry?: string; remaining?: string };
  budget: {
    counted: number;
    limit: number;
    left: number;
    restarts?: number;
    perIndex?: number;
    maxFailedIndexes?: number;
  };
  startTime?: string;
  completionTime?: string;
  deadline?: string;
  ttl?: string;
  status: Record<string, unknown>;
  pods: KubePod[];
  podsTotal: number;
  possible: string[];
}

/** A JobFlow; `phase` of a step is that of its job, as it was last if the job is gone. */
export interface FlowView {
  key: string;
  name: string;
  namespace: string;
  phase: string;
  retainPolicy: string;
  steps: { name: string; job: string; exists: boolean; phase: string | null; targets: string[] }[];
  status: Record<string, unknown>;
  waiting: string[];
}

// --------------------------------------------------------------------------------------------------------------- sessions

export interface CreateInput {
  text: string;
  file?: string;
  automation?: Automation;
  start?: string;
  timings?: { admit?: string; start?: string; remove?: string; run?: string };
  /** One of `VersionInfo.profiles`; `volcano` if it is left out. */
  profile?: string;
  /** Names of quirks of the profile to be switched off, as a fix would; `pumice quirks` lists them. */
  quirksOff?: string[];
  /** Names of quirks to be switched on. */
  quirksOn?: string[];
}
export interface Created {
  session: number;
  steps: Step[];
  view: View;
  diagnostics: Diagnostic[];
}
export interface RunInput {
  session: number;
  events: AnyEvent[];
  /** Step to go back to first; the steps behind it are dropped. */
  from?: number;
}
export interface Ran {
  steps: Step[];
  total: number;
  view: View;
}
export type Explain = 'off' | 'short' | 'fails' | 'full';
export type Tone = 'plain' | 'muted' | 'strong' | 'phase' | 'winner' | 'warning';
export interface SeekInput {
  session: number;
  step: number;
  explain?: Explain;
}
export interface Sought {
  view: View;
  text: string;
  lines: { tone: Tone; text: string }[][];
}
export interface RecordsInput {
  session: number;
  step: number;
  from?: number;
  count?: number;
}
/** A record in one line; with `detail` in the input, whole `StepRecordEntry`s come instead. */
export interface RecordRow {
  kind: StepRecordEntry['kind'];
  sentence: string;
}
export interface DisposeInput {
  session: number;
}

declare const createPumice: CreatePumice;
export default createPumice;
