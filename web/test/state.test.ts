import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AnyEvent } from '#wasm';
import {
  eventsOf,
  firstDifference,
  initialState,
  isConsistent,
  isEdited,
  isPast,
  reduce,
  stateChange,
  type State,
} from '../src/state';
import { change, Model, step } from './model';

/** The page without a page: a reducer and a model of the engine, kept in step as the real ones are. */
class Page {
  state: State = initialState({ text: 'a', file: 'job.yaml', automation: 'assist' });
  model = new Model();

  start(): void {
    this.model = new Model();
    const created = { steps: [...this.model.steps], diagnostics: [] };
    this.state = reduce(this.state, { type: 'started', document: this.state.draft, created });
  }
  fire(event: AnyEvent): void {
    const { cursor, trace } = this.state;
    const runs = [this.model.run(event, isPast(this.state) ? cursor : null)];
    this.state = reduce(this.state, {
      type: 'ran',
      generation: trace!.generation,
      from: cursor,
      events: [event],
      runs,
    });
  }
  seek(at: number): void {
    this.state = reduce(this.state, { type: 'seek', step: at });
  }
  restore(): void {
    const { fork } = this.state;
    if (!fork) return;
    const runs = fork.events.map((event, index) => this.model.run(event, index === 0 ? fork.base : null));
    this.state = reduce(this.state, { type: 'restored', runs });
  }
  lines(): string[] {
    return this.state.trace!.steps.map(({ input }) => input.line);
  }
}

const anyEvent = fc.constantFrom<AnyEvent>(
  { advance: 'next' },
  'advance next',
  { until: 'settled' },
  { pod: 'w-0', evicted: true },
  { command: 'AbortJob' },
);
type Move = { fire: AnyEvent } | { seek: number } | 'restore';
const anyMoves = fc.array(
  fc.oneof(
    fc.record({ fire: anyEvent }),
    fc.record({ seek: fc.integer({ min: -2, max: 40 }) }),
    fc.constant('restore' as const),
  ),
  { maxLength: 40 },
);
function play(page: Page, moves: readonly Move[]): void {
  for (const move of moves) {
    if (move === 'restore') page.restore();
    else if ('fire' in move) page.fire(move.fire);
    else page.seek(move.seek);
  }
}

describe('properties', () => {
  test('steps, entries and cursor agree after anything', () => {
    fc.assert(
      fc.property(anyMoves, (moves) => {
        const page = new Page();
        page.start();
        play(page, moves);
        expect(isConsistent(page.state)).toBe(true);
        expect(page.state.trace!.steps.map(({ index }) => index)).toEqual(page.lines().map((_, at) => at + 1));
        expect(page.lines()).toEqual(page.model.steps.map(({ input }) => input.line));
      }),
    );
  });

  test('running the events of the trace again leads to the same trace', () => {
    fc.assert(
      fc.property(anyMoves, (moves) => {
        const page = new Page();
        page.start();
        play(page, moves);
        const again = new Model();
        for (const event of eventsOf(page.state.trace!)) again.run(event, null);
        expect(again.steps.map(({ input }) => input.line)).toEqual(page.lines());
      }),
    );
  });

  test('what firing in the past cut off comes back as it was', () => {
    fc.assert(
      fc.property(anyMoves, fc.nat({ max: 40 }), anyEvent, (moves, at, event) => {
        const page = new Page();
        page.start();
        play(page, moves);
        page.seek(at);
        if (!isPast(page.state)) return;
        const before = page.lines();
        page.fire(event);
        page.restore();
        expect(page.lines()).toEqual(before);
        expect(page.state.fork).toBeNull();
      }),
    );
  });

  test('seeking changes nothing but the cursor', () => {
    fc.assert(
      fc.property(anyMoves, fc.integer(), (moves, at) => {
        const page = new Page();
        page.start();
        play(page, moves);
        const before = page.state;
        page.seek(at);
        expect({ ...page.state, cursor: 0 }).toEqual({ ...before, cursor: 0 });
      }),
    );
  });
});

describe('firing', () => {
  test('at the end appends and moves on', () => {
    const page = new Page();
    page.start();
    page.fire({ advance: 'next' });
    expect(page.state).toMatchObject({ cursor: 2, fork: null });
  });

  test('in the past drops the later steps and says how many', () => {
    const page = new Page();
    page.start();
    for (let count = 0; count < 4; ++count) page.fire({ advance: 'next' });
    page.seek(2);
    page.fire({ command: 'AbortJob' });
    expect(page.state.fork).toMatchObject({ steps: 3, cursor: 2, base: 2 });
    expect(page.state.trace!.steps).toHaveLength(3);
  });

  test('an answer that belongs to an older trace is ignored', () => {
    const page = new Page();
    page.start();
    const stale = page.state.trace!.generation;
    page.start();
    const before = page.state;
    const runs = [[step(2, 'late')]];
    page.state = reduce(before, { type: 'ran', generation: stale, from: 1, events: [{ advance: 'next' }], runs });
    expect(page.state).toBe(before);
  });
});

describe('starting again', () => {
  const document = { text: 'b', file: 'job.yaml', automation: 'assist' } as const;
  const created = { steps: [step(1, 'create')], diagnostics: [] };
  const events: AnyEvent[] = [{ advance: 'next' }, { pod: 'w-9', evicted: true }];

  test('names the first step that differs and the events that no longer apply', () => {
    const before = [step(1, 'create'), step(2, 'x'), step(3, 'y')];
    let state = reduce(initialState(), { type: 'started', document, created });
    const runs = [[step(2, 'x')], [{ ...step(3, 'y'), refused: 'there is no such pod' }]];
    state = reduce(state, { type: 'replayed', events, runs, before });
    expect(state.rerun).toEqual({ events: 2, refused: [3], firstDifference: 3, left: [] });
    expect(state.cursor).toBe(3);
    expect(isConsistent(state)).toBe(true);
  });

  test('keeps the events that could not be run', () => {
    let state = reduce(initialState(), { type: 'started', document, created });
    state = reduce(state, { type: 'replayed', events, runs: [[step(2, 'x')]], before: [] });
    expect(state.rerun).toMatchObject({ events: 1, left: [events[1]], firstDifference: null });
  });

  test('that fails keeps the old trace', () => {
    let state = reduce(initialState(), { type: 'started', document, created });
    state = reduce(state, { type: 'failed', diagnostics: [{ severity: 'error', code: 'X', message: 'no' }] });
    expect(state.trace).not.toBeNull();
    expect(state.failure).toHaveLength(1);
  });

  test('an edit is seen until the text is what was started', () => {
    let state = reduce(initialState({ ...document }), { type: 'started', document, created });
    expect(isEdited(state)).toBe(false);
    state = reduce(state, { type: 'edited', text: 'c' });
    expect(isEdited(state)).toBe(true);
    state = reduce(state, { type: 'edited', text: 'b' });
    expect(isEdited(state)).toBe(false);
  });
});

test('stateChange finds the next and the previous change of a phase', () => {
  const steps = [
    step(1, 'a', [change('', 'Pending')]),
    step(2, 'b'),
    step(3, 'c', [change('Pending', 'Running')]),
    step(4, 'd', [change('Running', 'Running')]),
  ];
  expect(stateChange(steps, 1, 1)).toBe(3);
  expect(stateChange(steps, 3, 1)).toBeNull();
  expect(stateChange(steps, 4, -1)).toBe(3);
  expect(stateChange(steps, 1, -1)).toBeNull();
});

test('firstDifference sees a shorter and a longer trace', () => {
  const [a, b, c] = [step(1, 'a'), step(2, 'b'), step(2, 'c')];
  expect(firstDifference([a, b], [a, b])).toBeNull();
  expect(firstDifference([a, b], [a, c])).toBe(2);
  expect(firstDifference([a, b], [a])).toBe(2);
  expect(firstDifference([a], [a, b])).toBe(2);
});
