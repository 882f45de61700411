// The one way from the page to the engine. The engine runs in a worker; after a trap, or when the user stops a call that takes
// too long, the worker is dropped, a new one gets the same document and events, and the page does not notice.
import type { Answer, CreateInput, Created, Diagnostic, Explain, Failure, Ran, Sought, AnyEvent } from '#wasm';
import type { RecordRow, StepRecordEntry, Validation, Version, View } from '#wasm';
import { cut, type Entry } from './history';
import type { Call, FromWorker, PodsAt, ToWorker } from './engine/protocol';

export { podsOf, type PodAt, type PodsAt } from './engine/protocol';

export type Health =
  | 'loading'
  | 'ready'
  /** A new instance is being brought to where the old one was. */
  | 'recovering'
  /** Two traps in a row in the same call, or the module cannot be loaded. */
  | 'broken';

/** What firing events came to: the steps of each event, in order. Fewer runs than events: `diagnostics` says why. */
export interface Fired {
  readonly runs: Ran['steps'][];
  readonly view: View | null;
  readonly diagnostics: Diagnostic[];
}

/** The part of a Worker that is used; tests bring their own. */
export interface WorkerLike {
  postMessage(message: ToWorker): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

export interface EngineOptions {
  readonly makeWorker: () => WorkerLike;
  readonly onHealth?: (health: Health, detail: string) => void;
}

class Trap extends Error {}
class Stopped extends Error {}

interface Waiting {
  resolve(reply: FromWorker): void;
  reject(error: Error): void;
}

/** The text without halves of surrogate pairs, which are no Unicode and which JSON cannot carry. */
function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
}

function failure(code: string, message: string): Failure {
  return { type: 'failure', diagnostics: [{ severity: 'error', code, message }] };
}

export class Engine {
  readonly #options: EngineOptions;
  #worker: WorkerLike | null = null;
  #waiting = new Map<number, Waiting>();
  #nextId = 1;
  /** Calls that depend on the session go one after the other, so that a replay never runs beside them. */
  #queue: Promise<unknown> = Promise.resolve();
  #session = 0;
  /** What a new instance needs in order to stand where the old one stood. */
  #journal: { create: CreateInput; entries: Entry[] } | null = null;
  /** The worker was dropped since the last replay: the next one knows nothing yet. */
  #lost = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#health('loading', '');
  }

  version(): Promise<Version> {
    return this.#inOrder(async () => this.#read<Version>({ op: 'version' }));
  }

  validate(text: string, file: string): Promise<Answer<Validation>> {
    return this.#guarded(() =>
      this.#read<Answer<Validation>>({ op: 'validate', input: JSON.stringify({ text: wellFormed(text), file }) }),
    );
  }

  /** Starts a simulation; the one before is given up, but only if the new one can be created. */
  start({ text, ...options }: CreateInput): Promise<Answer<Created>> {
    const input = { ...options, text: wellFormed(text) };
    return this.#guarded(async () => {
      const created = await this.#read<Answer<Created>>({ op: 'create', input: JSON.stringify(input) });
      if (created.type === 'success') {
        if (this.#journal) await this.#send({ op: 'dispose', input: JSON.stringify({ session: this.#session }) });
        this.#session = created.session;
        this.#journal = { create: input, entries: [] };
      }
      return created;
    });
  }

  /** Fires events at the end, or after going back to step `from`. */
  async fire(events: readonly AnyEvent[], from: number | null): Promise<Fired> {
    const answer = await this.#guarded(async () => {
      const reply = await this.#send({ op: 'run', session: this.#session, from, events });
      if (reply.type !== 'answers') throw new Error('not an answer to run');
      const answers = reply.texts.map((text) => JSON.parse(text) as Answer<Ran>);
      const runs = answers.flatMap((each) => (each.type === 'success' ? [each.steps] : []));
      const failed = answers.find((each) => each.type === 'failure');
      const last = answers.findLast((each) => each.type === 'success');
      if (runs.length > 0 && this.#journal) {
        const kept = from === null ? this.#journal.entries : cut(this.#journal.entries, from).kept;
        const fresh = runs.map((steps, index) => ({ event: events[index]!, steps: steps.length }));
        this.#journal = { ...this.#journal, entries: [...kept, ...fresh] };
      }
      return {
        type: 'success' as const,
        runs,
        view: last?.type === 'success' ? last.view : null,
        diagnostics: failed?.type === 'failure' ? failed.diagnostics : [],
      };
    });
    return answer.type === 'success' ? answer : { runs: [], view: null, diagnostics: answer.diagnostics };
  }

  seek(step: number, explain: Explain): Promise<Answer<Sought>> {
    return this.#guarded(() => {
      const input = JSON.stringify({ session: this.#session, step, explain });
      return this.#read<Answer<Sought>>({ op: 'seek', input });
    });
  }

  recordRows(step: number, count: number): Promise<Answer<{ records: RecordRow[] }>> {
    return this.#records({ step, count });
  }
  record(step: number, index: number): Promise<Answer<{ records: StepRecordEntry[] }>> {
    return this.#records({ step, from: index, count: 1, detail: true });
  }
  #records<T>(wanted: object): Promise<Answer<T>> {
    return this.#guarded(() => {
      const input = JSON.stringify({ session: this.#session, ...wanted });
      return this.#read<Answer<T>>({ op: 'records', input });
    });
  }

  /** The pods of the steps `from` to `to`, for the time line. */
  async pods(from: number, to: number): Promise<PodsAt[]> {
    const answer = await this.#guarded(async () => {
      const reply = await this.#send({ op: 'pods', session: this.#session, from, to });
      if (reply.type !== 'pods') throw new Error('not an answer to pods');
      return { type: 'success' as const, steps: reply.steps };
    });
    return answer.type === 'success' ? answer.steps : [];
  }

  /** Gives up the call that is running: it answers with `Stopped`, and everything is as it was before it. */
  stop(): void {
    if (this.#waiting.size > 0) this.#drop(new Stopped('stopped'));
  }

  /** For tests: makes the next call trap. */
  async trapNext(): Promise<void> {
    await this.#send({ op: 'trapNext' });
  }

  dispose(): void {
    this.#drop(new Stopped('disposed'));
    this.#journal = null;
  }

  #health(health: Health, detail: string): void {
    this.#options.onHealth?.(health, detail);
  }

  #inOrder<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(task);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  /** Runs a call; after a trap brings a new instance to the same point and tries the call once more. */
  #guarded<T extends { type: string }>(call: () => Promise<T>): Promise<T | Failure> {
    return this.#inOrder(async () => {
      for (let attempt = 1; ; ++attempt) {
        try {
          if (this.#lost) await this.#replay();
          const answer = await call();
          this.#health('ready', '');
          return answer;
        } catch (error) {
          const message = error instanceof Error ? error.message : String(error);
          if (!(error instanceof Trap) && !(error instanceof Stopped)) throw error;
          this.#health('recovering', message);
          const last = error instanceof Stopped || attempt === 2;
          if (!last) continue;
          try {
            await this.#replay();
          } catch {
            this.#health('broken', message);
            return failure('EngineBroken', `the engine cannot go on: ${message}`);
          }
          this.#health('ready', '');
          return error instanceof Stopped
            ? failure('Stopped', 'stopped: everything is as it was before')
            : failure('EngineTrap', `the engine stopped twice at this call: ${message}`);
        }
      }
    });
  }

  async #replay(): Promise<void> {
    const journal = this.#journal;
    this.#lost = false;
    if (!journal) return;
    const created = await this.#read<Answer<Created>>({ op: 'create', input: JSON.stringify(journal.create) });
    if (created.type === 'failure') throw new Error('the document no longer starts');
    this.#session = created.session;
    const events = journal.entries.map((entry) => entry.event);
    if (events.length > 0) await this.#send({ op: 'run', session: this.#session, from: null, events });
  }

  async #read<T>(call: Call): Promise<T> {
    const reply = await this.#send(call);
    if (reply.type !== 'answer') throw new Error(`not an answer to ${call.op}`);
    return JSON.parse(reply.text) as T;
  }

  #send(call: Call): Promise<FromWorker> {
    return new Promise((resolve, reject) => {
      const worker = this.#ensureWorker();
      const id = this.#nextId++;
      this.#waiting.set(id, { resolve, reject });
      worker.postMessage({ id, ...call });
    });
  }

  #ensureWorker(): WorkerLike {
    if (this.#worker) return this.#worker;
    const worker = this.#options.makeWorker();
    worker.onmessage = ({ data }) => {
      if (worker !== this.#worker) return;
      if (data.type === 'trap') {
        this.#drop(new Trap(data.message));
        return;
      }
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      waiting?.resolve(data);
    };
    worker.onerror = (event) => {
      if (worker === this.#worker) this.#drop(new Trap(event.message || 'the engine could not be loaded'));
    };
    this.#worker = worker;
    return worker;
  }

  /** Drops the worker. Every call that waits for it ends with `error`. */
  #drop(error: Error): void {
    this.#worker?.terminate();
    this.#worker = null;
    this.#lost = true;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const each of waiting) each.reject(error);
  }
}

export function browserWorker(): WorkerLike {
  return new Worker(new URL('./engine/worker.ts', import.meta.url), { type: 'module', name: 'pumice' }) as WorkerLike;
}
