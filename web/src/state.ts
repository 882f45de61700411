// The state of the page as a reducer over (document, events, cursor). Pure: the engine's answers come in as actions, and
// everything on the screen is derived from this state and the view the engine gives for the cursor.
import type { Automation, Created, Diagnostic, Step, AnyEvent } from '#wasm';
import { cut, stepCount, type Entry } from './history';

/** What is simulated: the text of the manifests and how the cluster behaves. */
export interface Document {
  readonly text: string;
  readonly file: string;
  readonly automation: Automation;
}

/** A document that was started, with everything that happened since. */
export interface Trace {
  readonly document: Document;
  /** Changes with every start: effects that belong to an older one are ignored. */
  readonly generation: number;
  readonly entries: readonly Entry[];
  readonly steps: readonly Step[];
  readonly diagnostics: readonly Diagnostic[];
}

/** What firing an event in the past cut off, so that it can be brought back. */
export interface Fork {
  readonly base: number;
  readonly events: readonly AnyEvent[];
  readonly cursor: number;
  readonly steps: number;
}

/** What became of the old events after a restart with another text. */
export interface Rerun {
  readonly events: number;
  /** Steps whose event no longer applies. */
  readonly refused: readonly number[];
  /** The first step whose outcome differs; null if none does. */
  readonly firstDifference: number | null;
  /** Events that were not run, because the engine could not read them or the jobs are others. */
  readonly left: readonly AnyEvent[];
}

export interface State {
  /** What the editor holds; the trace keeps the text it was started with. */
  readonly draft: Document;
  readonly trace: Trace | null;
  /** The step that is shown, from 1; 0 if there is no trace. */
  readonly cursor: number;
  readonly fork: Fork | null;
  readonly rerun: Rerun | null;
  /** Why the last start failed; empty if it did not. */
  readonly failure: readonly Diagnostic[];
}

export type Action =
  | { type: 'edited'; text: string }
  | { type: 'opened'; document: Document }
  | { type: 'automation'; automation: Automation }
  | { type: 'started'; document: Document; created: Pick<Created, 'steps' | 'diagnostics'> }
  | { type: 'replayed'; events: readonly AnyEvent[]; runs: readonly (readonly Step[])[]; before: readonly Step[] }
  | { type: 'setAside'; events: readonly AnyEvent[] }
  | { type: 'failed'; diagnostics: readonly Diagnostic[] }
  | { type: 'ran'; generation: number; from: number; events: readonly AnyEvent[]; runs: readonly (readonly Step[])[] }
  | { type: 'restored'; runs: readonly (readonly Step[])[] }
  | { type: 'seek'; step: number }
  | { type: 'dismissFork' }
  | { type: 'dismissRerun' };

export const kEmptyDocument: Document = { text: '', file: 'job.yaml', automation: 'assist' };

export function initialState(draft: Document = kEmptyDocument): State {
  return { draft, trace: null, cursor: 0, fork: null, rerun: null, failure: [] };
}

/** True if the editor holds something else than what the trace was started with. */
export function isEdited(state: State): boolean {
  const { draft, trace } = state;
  return trace !== null && (draft.text !== trace.document.text || draft.automation !== trace.document.automation);
}

/** True if a later step exists, so that firing an event would cut steps off. */
export function isPast(state: State): boolean {
  return state.trace !== null && state.cursor < state.trace.steps.length;
}

/** What a step came to, for comparing two runs of the same events. */
export function outcome(step: Step): string {
  return JSON.stringify([step.source, step.input.line, step.refused ?? '', step.changes]);
}

/** The first step of `after` whose outcome differs from `before`'s; null if there is none. */
export function firstDifference(before: readonly Step[], after: readonly Step[]): number | null {
  const length = Math.max(before.length, after.length);
  for (let index = 0; index < length; ++index) {
    const [a, b] = [before[index], after[index]];
    if (!a || !b || outcome(a) !== outcome(b)) return index + 1;
  }
  return null;
}

/** The next (direction 1) or previous (-1) step in which a job changed its phase; null if there is none. */
export function stateChange(steps: readonly Step[], cursor: number, direction: 1 | -1): number | null {
  for (let step = cursor + direction; step >= 1 && step <= steps.length; step += direction) {
    if (steps[step - 1]!.changes.some((change) => change.phase.from !== change.phase.to)) return step;
  }
  return null;
}

function entriesOf(events: readonly AnyEvent[], runs: readonly (readonly Step[])[]): Entry[] {
  return runs.map((run, index) => ({ event: events[index]!, steps: run.length }));
}

export function reduce(state: State, action: Action): State {
  const { trace } = state;
  switch (action.type) {
    case 'edited':
      return action.text === state.draft.text ? state : { ...state, draft: { ...state.draft, text: action.text } };
    case 'opened':
      return { ...state, draft: action.document };
    case 'automation':
      return { ...state, draft: { ...state.draft, automation: action.automation } };

    case 'started': {
      const { steps, diagnostics } = action.created;
      const generation = (trace?.generation ?? 0) + 1;
      return {
        ...state,
        trace: { document: action.document, generation, entries: [], steps, diagnostics },
        cursor: steps.length,
        fork: null,
        rerun: null,
        failure: [],
      };
    }
    case 'failed':
      return { ...state, failure: action.diagnostics };

    case 'replayed': {
      if (!trace) return state;
      const entries = entriesOf(action.events, action.runs);
      const steps = [...trace.steps, ...action.runs.flat()];
      const rerun: Rerun = {
        events: action.runs.length,
        refused: steps.filter((step) => step.refused).map((step) => step.index),
        firstDifference: action.before.length === 0 ? null : firstDifference(action.before, steps),
        left: action.events.slice(action.runs.length),
      };
      return { ...state, trace: { ...trace, entries, steps }, cursor: steps.length, rerun };
    }
    case 'setAside':
      return {
        ...state,
        rerun: { events: 0, refused: [], firstDifference: null, left: action.events },
      };

    case 'ran': {
      if (!trace || action.generation !== trace.generation || action.runs.length === 0) return state;
      const { kept, base, dropped } = cut(trace.entries, action.from);
      const lost = trace.steps.length - action.from;
      const steps = [...trace.steps.slice(0, action.from), ...action.runs.flat()];
      return {
        ...state,
        trace: { ...trace, entries: [...kept, ...entriesOf(action.events, action.runs)], steps },
        cursor: steps.length,
        fork: lost > 0 ? { base, events: dropped, cursor: action.from, steps: lost } : state.fork,
      };
    }
    case 'restored': {
      if (!trace || !state.fork) return state;
      const { kept } = cut(trace.entries, state.fork.base);
      const steps = [...trace.steps.slice(0, state.fork.base), ...action.runs.flat()];
      return {
        ...state,
        trace: { ...trace, entries: [...kept, ...entriesOf(state.fork.events, action.runs)], steps },
        cursor: Math.min(state.fork.cursor, steps.length),
        fork: null,
      };
    }

    case 'seek': {
      if (!trace) return state;
      const cursor = Math.min(Math.max(Math.trunc(action.step), 1), trace.steps.length);
      return cursor === state.cursor ? state : { ...state, cursor };
    }
    case 'dismissFork':
      return { ...state, fork: null };
    case 'dismissRerun':
      return { ...state, rerun: null };
  }
}

/** The events of the trace up to its end, in a form that leads to the same steps again. */
export function eventsOf(trace: Trace): AnyEvent[] {
  return trace.entries.map((entry) => entry.event);
}

/** For assertions: a trace's steps are those of its entries. */
export function isConsistent(state: State): boolean {
  const { trace, cursor } = state;
  if (!trace) return cursor === 0;
  return stepCount(trace.entries) === trace.steps.length && cursor >= 1 && cursor <= trace.steps.length;
}
