// A model of the engine for tests of the bookkeeping: a step is a number that depends on all that happened before it, so that
// two traces are equal exactly if their events were. `until` and `advance` lead to several steps, as in the real engine.
import type { Step, AnyEvent } from '#wasm';

export class Model {
  #steps: Step[] = [];
  #seed = 1;
  #seeds: number[] = [];

  constructor() {
    this.#push('create');
  }

  get steps(): readonly Step[] {
    return this.#steps;
  }

  run(event: AnyEvent, from: number | null): Step[] {
    if (from !== null) {
      this.#steps.length = from;
      this.#seeds.length = from;
      this.#seed = this.#seeds.at(-1)!;
    }
    const before = this.#steps.length;
    const kind = typeof event === 'string' ? event : Object.keys(event).join();
    if (kind.startsWith('until')) for (let count = 1 + (this.#seed % 4); count > 0; --count) this.#push('next');
    else if (kind.startsWith('advance')) this.#push('next');
    else this.#push(JSON.stringify(event));
    return this.#steps.slice(before);
  }

  #push(what: string): void {
    for (const character of what) this.#seed = (this.#seed * 31 + character.charCodeAt(0)) % 1_000_003;
    this.#seeds.push(this.#seed);
    this.#steps.push(step(this.#steps.length + 1, `${what} ${this.#seed}`));
  }
}

export function step(index: number, line: string, changes: Step['changes'] = []): Step {
  return {
    index,
    time: '2026-03-02T09:00:00Z',
    elapsed: '0s',
    source: 'user',
    input: { line, text: line },
    sentence: line,
    changes,
    record: null,
    fired: null,
    moves: [],
    recordsTotal: 0,
  };
}

export function change(from: string, to: string, job = 'default/train'): Step['changes'][number] {
  return { job, phase: { from, to }, retryCount: { from: 0, to: 0 }, version: { from: 0, to: 0 } };
}
