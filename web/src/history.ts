// The list of events behind a trace, and what going back in it means. Pure bookkeeping: which steps came from which event.
import type { AnyEvent } from '#wasm';

/** One event that was fired, and how many steps it led to (`advance` and `until` may lead to many). */
export interface Entry {
  readonly event: AnyEvent;
  readonly steps: number;
}

/** Step 1 creates the objects; every entry follows. */
export function stepCount(entries: readonly Entry[]): number {
  return entries.reduce((sum, entry) => sum + entry.steps, 1);
}

/** The index of the last step before entry `index`. */
export function stepBefore(entries: readonly Entry[], index: number): number {
  return stepCount(entries.slice(0, index));
}

export interface Cut {
  /** Entries that lead exactly to the step. */
  readonly kept: Entry[];
  /** The last step before the first entry that was not kept whole. */
  readonly base: number;
  /** That entry and all behind it: fired again from `base`, they restore what was cut off. */
  readonly dropped: AnyEvent[];
}

/**
 * The entries up to and including step `step` (at least 1). An event that led past it is replaced by single steps: what
 * happens on the way of an `advance` or `until` is exactly what `advance: next` does, one at a time.
 */
export function cut(entries: readonly Entry[], step: number): Cut {
  const kept: Entry[] = [];
  let reached = 1;
  for (const [index, entry] of entries.entries()) {
    if (reached + entry.steps <= step) {
      kept.push(entry);
      reached += entry.steps;
      continue;
    }
    const base = reached;
    for (; reached < step; ++reached) kept.push({ event: { advance: 'next' }, steps: 1 });
    return { kept, base, dropped: entries.slice(index).map((each) => each.event) };
  }
  return { kept, base: reached, dropped: [] };
}

/** Which entry led to a step; -1 for step 1. */
export function entryOf(entries: readonly Entry[], step: number): number {
  let reached = 1;
  for (const [index, entry] of entries.entries()) {
    reached += entry.steps;
    if (step <= reached) return step <= 1 ? -1 : index;
  }
  return -1;
}
