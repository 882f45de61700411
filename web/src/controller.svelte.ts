// The page's controller: turns what the user does into calls of the engine and actions of the reducer. All that is shown is
// derived from `state` and `shown`; nothing here knows how a Volcano Job behaves.
import type { AnyEvent, Automation, Diagnostic, Explain, RecordRow, Sought, Step, StepRecordEntry } from '#wasm';
import type { Validation, Version, View } from '#wasm';
import { podsOf, type Engine, type Health, type PodsAt } from './engine';
import { eventsOf, initialState, isPast, reduce, stateChange, type Action, type Document, type State } from './state';
import { load, save, type Saved } from './storage';

/** The view of one step, with the view before it for marking what changed. */
export interface Shown {
  readonly generation: number;
  readonly step: number;
  readonly view: View;
  readonly before: View | null;
}

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
  readonly tone: 'plain' | 'warning';
}

/** What fills the page on a first visit. */
export interface Example {
  readonly file: string;
  readonly text: string;
  readonly automation?: Automation;
  /** What it is about, and the events that answer it. */
  readonly question?: string;
  readonly events?: readonly AnyEvent[];
}

const kViewsKept = 200;
const kFileBytesMax = 4 * 1024 * 1024;

/** Jobs of either kind. */
function keysOf(view: View | undefined): string[] {
  return [...(view?.jobs ?? []), ...(view?.kubeJobs ?? [])].map(({ key }) => key);
}

export class App {
  state = $state.raw<State>(initialState());
  version = $state.raw<Version | null>(null);
  health = $state.raw<Health>('loading');
  healthDetail = $state.raw('');
  /** The engine's findings about the text in the editor. */
  validation = $state.raw<Validation | null>(null);
  shown = $state.raw<Shown | null>(null);
  /** What is running, once it has taken long enough to be worth saying. */
  busy = $state.raw<string | null>(null);
  toasts = $state.raw<readonly Toast[]>([]);
  /** The example that is open, while its question is shown. */
  example = $state.raw<Example | null>(null);
  /** What a screen reader is told. */
  announcement = $state.raw('');
  /** Goes up when the editor must take `state.draft.text` over, as it did not come from the editor. */
  draftRevision = $state.raw(0);

  readonly steps = $derived(this.state.trace?.steps ?? []);
  readonly step = $derived<Step | null>(this.steps[this.state.cursor - 1] ?? null);
  readonly view = $derived<View | null>(this.shown?.view ?? null);
  readonly past = $derived(isPast(this.state));
  readonly edited = $derived.by(() => {
    const { draft, trace } = this.state;
    return trace !== null && draft.text !== trace.document.text;
  });
  /** True if something will happen by itself after the last step. */
  readonly canGoOn = $derived(
    this.view !== null && (this.view.upcoming.length > 0 || this.view.timers.length > 0) && !this.past,
  );

  /** Where the rule that decided the shown step stands in the started text. */
  readonly rule = $derived.by(() => {
    const step = this.steps[(this.shown?.step ?? 0) - 1];
    const record = step?.record;
    const rule = record?.considered.find(({ path }) => path === record?.decision.rule);
    return rule?.line ? { line: rule.line, column: rule.column ?? 1 } : null;
  });

  readonly engine: Engine;
  /** The pods of steps whose view was seen, for the time line. */
  readonly podsAt = new WeakMap<Step, PodsAt>();
  #views = new Map<number, View>();
  #viewsOf = 0;
  #showToken = 0;
  #validateToken = 0;
  #operations: Promise<unknown> = Promise.resolve();
  #queued = 0;
  #nextToast = 1;
  #saveTimer: ReturnType<typeof setTimeout> | undefined;
  #validateTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(makeEngine: (onHealth: (health: Health, detail: string) => void) => Engine) {
    this.engine = makeEngine((health, detail) => {
      if (health === 'recovering') this.#say('The engine stopped; the trace is being run again.');
      this.health = health;
      this.healthDetail = detail;
    });
  }

  // ------------------------------------------------------------------------------------------------------------ start-up

  /** Starts with what was saved, or with the example of a first visit. */
  async boot(firstVisit: () => Promise<Example>): Promise<void> {
    const saved = load();
    try {
      this.version = await this.engine.version();
    } catch (error) {
      this.health = 'broken';
      this.healthDetail = error instanceof Error ? error.message : String(error);
      return;
    }
    if (saved) {
      this.#open(saved.document);
      await this.#restart(saved.events, saved.cursor);
      return;
    }
    const example = await firstVisit();
    this.example = example;
    this.#open({ text: example.text, file: example.file, automation: example.automation ?? 'assist' });
    await this.#restart([], null);
  }

  // ------------------------------------------------------------------------------------------------------------- the text

  edit(text: string): void {
    this.#dispatch({ type: 'edited', text });
    this.#validateSoon();
    this.#saveSoon();
  }

  /** Opens a file of the user's, if it is one that could be a manifest. */
  async openFile(file: File): Promise<void> {
    if (file.size > kFileBytesMax) {
      this.toast(`${file.name} is too large: at most ${kFileBytesMax / 1024 / 1024} MiB can be opened.`, 'warning');
      return;
    }
    await this.openExample({ file: file.name, text: await file.text() });
  }

  async openExample(example: Example): Promise<void> {
    const before = this.#snapshot();
    this.#open({ text: example.text, file: example.file, automation: example.automation ?? 'assist' });
    await this.#operation('Starting', () => this.#restart([], null));
    this.example = example.question ? example : null;
    if (before) {
      this.toast(`${example.file} opened.`, 'plain', {
        label: 'Back to what was there',
        run: () => {
          this.example = null;
          this.#open(before.document);
          void this.#operation('Starting', () => this.#restart(before.events, before.cursor));
        },
      });
    }
  }

  /** Plays the events that answer the question of the example, from the start. */
  async showAnswer(): Promise<void> {
    const { example } = this;
    if (!example?.events) return;
    await this.clearEvents();
    await this.fireAll(example.events);
  }

  /** Starts the text of the editor; the events so far are run again if the jobs are still the same. */
  restart(): Promise<void> {
    const { trace } = this.state;
    return this.#operation('Starting', () => this.#restart(trace ? eventsOf(trace) : [], null, true));
  }

  /** Starts over without the events so far. */
  clearEvents(): Promise<void> {
    const before = this.#snapshot();
    return this.#operation('Starting', async () => {
      await this.#restart([], null);
      if (before && before.events.length > 0) {
        this.toast(`${plural(before.events.length, 'event')} cleared.`, 'plain', {
          label: 'Bring back',
          run: () => void this.#operation('Starting', () => this.#restart(before.events, before.cursor)),
        });
      }
    });
  }

  setAutomation(automation: Automation): Promise<void> {
    if (automation === this.state.draft.automation) return Promise.resolve();
    this.#dispatch({ type: 'automation', automation });
    return this.restart();
  }

  /** Runs events that were set aside at a restart after all. */
  runSetAside(): Promise<void> {
    const left = this.state.rerun?.left ?? [];
    this.#dispatch({ type: 'dismissRerun' });
    return this.fireAll(left);
  }

  // ------------------------------------------------------------------------------------------------------------- the steps

  seek(step: number): void {
    this.#dispatch({ type: 'seek', step });
    void this.#show();
    this.#saveSoon();
  }

  back(): void {
    this.seek(this.state.cursor - 1);
  }

  /** The next step: of the trace, or at its end the next thing that happens by itself. */
  async forward(): Promise<void> {
    if (this.#queued > 2) return;
    await this.#operation('Running', async () => {
      if (this.past) this.seek(this.state.cursor + 1);
      else if (this.canGoOn) await this.#fire([{ advance: 'next' }]);
    });
  }

  previousChange(): void {
    this.seek(stateChange(this.steps, this.state.cursor, -1) ?? 1);
  }

  /** To the next change of a job's phase, running on if the trace has none. */
  async nextChange(): Promise<void> {
    await this.#operation('Running to the next state change', async () => {
      const known = stateChange(this.steps, this.state.cursor, 1);
      if (known !== null) {
        this.seek(known);
        return;
      }
      this.#dispatch({ type: 'seek', step: this.steps.length });
      await this.#show();
      if (this.canGoOn) await this.#fire([{ until: 'change' }]);
    });
  }

  /** To the end of the trace; there, until nothing more happens by itself. */
  async settle(): Promise<void> {
    await this.#operation('Running until nothing more happens', async () => {
      if (this.past) this.seek(this.steps.length);
      else if (this.canGoOn) await this.#fire([{ until: 'settled' }]);
    });
  }

  async fire(event: AnyEvent): Promise<void> {
    await this.fireAll([event]);
  }

  async fireAll(events: readonly AnyEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.#operation('Running', async () => {
      await this.#fire(events);
    });
  }

  /** Brings back what firing an event in the past cut off. */
  async restoreFork(): Promise<void> {
    await this.#operation('Running', async () => {
      const { fork } = this.state;
      if (!fork) return;
      const { runs, diagnostics } = await this.engine.fire(fork.events, fork.base);
      if (runs.length === 0) return this.#report(diagnostics);
      this.#views.clear();
      this.#dispatch({ type: 'restored', runs });
      await this.#show();
      this.#saveSoon();
    });
  }

  dismissFork(): void {
    this.#dispatch({ type: 'dismissFork' });
  }
  dismissRerun(): void {
    this.#dispatch({ type: 'dismissRerun' });
  }

  /** Gives up the call that is running. */
  stop(): void {
    this.engine.stop();
  }

  explanation(level: Explain): Promise<Sought | null> {
    return this.engine.seek(this.state.cursor, level).then((answer) => (answer.type === 'success' ? answer : null));
  }

  /** The first records of a step, each in one line. */
  async recordRows(step: number, count: number): Promise<RecordRow[]> {
    const answer = await this.engine.recordRows(step, count);
    return answer.type === 'success' ? answer.records : [];
  }

  /** One record of a step as a whole. */
  async record(step: number, index: number): Promise<StepRecordEntry | null> {
    const answer = await this.engine.record(step, index);
    return answer.type === 'success' ? (answer.records[0] ?? null) : null;
  }

  // -------------------------------------------------------------------------------------------------------------- messages

  /** Tells a screen reader something that sighted users see at once. */
  tell(text: string): void {
    this.#say(text);
  }

  toast(text: string, tone: Toast['tone'] = 'plain', action?: Toast['action']): void {
    const id = this.#nextToast++;
    this.toasts = [...this.toasts, { id, text, tone, ...(action ? { action } : {}) }].slice(-3);
    // Toasts with a choice stay long enough to be read and reached; a screen reader has them in its live region anyway.
    setTimeout(() => this.dismissToast(id), action ? 20_000 : 6_000);
  }

  dismissToast(id: number): void {
    this.toasts = this.toasts.filter((toast) => toast.id !== id);
  }

  // --------------------------------------------------------------------------------------------------------------- private

  #dispatch(action: Action): void {
    this.state = reduce(this.state, action);
  }

  #open(document: Document): void {
    this.#dispatch({ type: 'opened', document });
    ++this.draftRevision;
    this.#validateSoon(0);
  }

  #snapshot(): Saved | null {
    const { trace, cursor, draft } = this.state;
    return trace ? { document: draft, events: eventsOf(trace), cursor } : null;
  }

  /** Operations run one after the other; one that takes long says so and can be stopped. */
  #operation(name: string, task: () => Promise<void>): Promise<void> {
    ++this.#queued;
    const run = async () => {
      const timer = setTimeout(() => (this.busy = name), 300);
      try {
        await task();
      } finally {
        clearTimeout(timer);
        this.busy = null;
        --this.#queued;
      }
    };
    const result = this.#operations.then(run);
    this.#operations = result.catch(() => undefined);
    return result;
  }

  async #restart(events: readonly AnyEvent[], cursor: number | null, compare = false): Promise<void> {
    const document = this.state.draft;
    const before = compare ? (this.state.trace?.steps ?? []) : [];
    const jobsBefore = compare ? keysOf(this.shown?.view) : [];
    const { text, file, automation } = document;
    const created = await this.engine.start({ text, file, automation });
    if (created.type === 'failure') {
      this.#dispatch({ type: 'failed', diagnostics: created.diagnostics });
      this.toast(`Not started: ${created.diagnostics[0]?.message ?? 'the text cannot be simulated'}.`, 'warning');
      return;
    }
    this.#views.clear();
    this.#dispatch({ type: 'started', document, created });
    if (events.length > 0) {
      const jobs = keysOf(created.view);
      if (jobsBefore.length > 0 && !jobs.some((key) => jobsBefore.includes(key))) {
        this.#dispatch({ type: 'setAside', events });
      } else {
        const { runs } = await this.engine.fire(events, null);
        this.#dispatch({ type: 'replayed', events, runs, before });
        const { rerun } = this.state;
        if (!compare && rerun?.refused.length === 0 && rerun.left.length === 0)
          this.#dispatch({ type: 'dismissRerun' });
      }
    }
    if (cursor !== null) this.#dispatch({ type: 'seek', step: cursor });
    await this.#show();
    this.#saveSoon();
  }

  async #fire(events: readonly AnyEvent[]): Promise<boolean> {
    const { trace, cursor } = this.state;
    if (!trace) return false;
    const past = this.past;
    const { runs, view, diagnostics } = await this.engine.fire(events, past ? cursor : null);
    if (diagnostics.length > 0) this.#report(diagnostics);
    if (runs.length === 0) return false;
    if (past) for (const step of [...this.#views.keys()]) if (step > cursor) this.#views.delete(step);
    this.#dispatch({ type: 'ran', generation: trace.generation, from: cursor, events, runs });
    if (view) this.#keep(this.state.cursor, view);
    await this.#show();
    this.#saveSoon();
    return true;
  }

  #report(diagnostics: readonly Diagnostic[]): void {
    const [first] = diagnostics;
    if (first) this.toast(first.hint ? `${first.message} (${first.hint})` : first.message, 'warning');
  }

  #keep(step: number, view: View): void {
    const generation = this.state.trace?.generation ?? 0;
    if (generation !== this.#viewsOf) {
      this.#views.clear();
      this.#viewsOf = generation;
    }
    this.#views.delete(step);
    this.#views.set(step, view);
    const at = this.steps[step - 1];
    if (at) this.podsAt.set(at, podsOf(view));
    if (this.#views.size > kViewsKept) this.#views.delete(this.#views.keys().next().value!);
  }

  async #viewAt(step: number): Promise<View | null> {
    const generation = this.state.trace?.generation ?? 0;
    const kept = generation === this.#viewsOf ? this.#views.get(step) : undefined;
    if (kept) return kept;
    const sought = await this.engine.seek(step, 'off');
    if (sought.type === 'failure') return null;
    if (generation === this.state.trace?.generation) this.#keep(step, sought.view);
    return sought.view;
  }

  /** Brings `shown` to the cursor. Only the latest wish counts. */
  async #show(): Promise<void> {
    const token = ++this.#showToken;
    const { trace, cursor } = this.state;
    if (!trace) return;
    const { generation } = trace;
    const view = await this.#viewAt(cursor);
    if (token !== this.#showToken || !view) return;
    const known = this.#views.get(cursor - 1) ?? null;
    this.shown = { generation, step: cursor, view, before: known };
    this.#say(this.#describe());
    if (known) return;
    const before = await this.#viewAt(cursor - 1);
    if (token === this.#showToken) this.shown = { generation, step: cursor, view, before };
  }

  #describe(): string {
    const { step } = this;
    if (!step) return '';
    return `Step ${step.index} of ${this.steps.length}. ${step.sentence}`;
  }

  #sayTimer: ReturnType<typeof setTimeout> | undefined;
  /** Held back a little, so that stepping fast does not flood a screen reader. */
  #say(text: string): void {
    clearTimeout(this.#sayTimer);
    this.#sayTimer = setTimeout(() => (this.announcement = text), 150);
  }

  #validateSoon(delay = 120): void {
    clearTimeout(this.#validateTimer);
    this.#validateTimer = setTimeout(async () => {
      const token = ++this.#validateToken;
      const { text, file } = this.state.draft;
      const answer = await this.engine.validate(text, file);
      if (token !== this.#validateToken) return;
      this.validation = answer.type === 'success' ? answer : { diagnostics: answer.diagnostics, documents: [] };
    }, delay);
  }

  #saveSoon(): void {
    clearTimeout(this.#saveTimer);
    this.#saveTimer = setTimeout(() => {
      const snapshot = this.#snapshot();
      if (snapshot) save(snapshot);
    }, 300);
  }
}

export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
