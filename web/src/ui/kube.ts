// The indexes of a batch/v1 Job as cells: a bounded number, whatever the number of indexes.
import type { KubeIndexes } from '#wasm';

export type CellState = 'completed' | 'failed' | 'active' | 'mixed' | 'open';
export interface Cell {
  readonly first: number;
  readonly last: number;
  readonly state: CellState;
}

export const kCellsMax = 200;

type Run = readonly [number, number];

/** How many of first … last the runs hold. */
function held(runs: readonly Run[], first: number, last: number): number {
  let sum = 0;
  for (const [from, to] of runs) sum += Math.max(0, Math.min(to, last) - Math.max(from, first) + 1);
  return sum;
}

/** One cell an index, or for many indexes one cell for as many as it takes. */
export function cellsOf(indexes: KubeIndexes, max = kCellsMax): Cell[] {
  const size = Math.max(1, Math.ceil(indexes.total / max));
  const cells: Cell[] = [];
  for (let first = 0; first < indexes.total; first += size) {
    const last = Math.min(first + size, indexes.total) - 1;
    const counts = {
      completed: held(indexes.completedRuns, first, last),
      failed: held(indexes.failedRuns, first, last),
      active: held(indexes.activeRuns, first, last),
    };
    const width = last - first + 1;
    const whole = (['completed', 'failed', 'active'] as const).find((state) => counts[state] === width);
    const any = counts.completed + counts.failed + counts.active > 0;
    cells.push({ first, last, state: whole ?? (any ? 'mixed' : 'open') });
  }
  return cells;
}

export interface StateNode {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

/** The states of a batch/v1 Job and where they are drawn. */
export const kStates: readonly StateNode[] = [
  { name: 'Active', x: 70, y: 36 },
  { name: 'Suspended', x: 70, y: 108 },
  { name: 'SuccessCriteriaMet', x: 250, y: 36 },
  { name: 'FailureTarget', x: 250, y: 108 },
  { name: 'Complete', x: 420, y: 36 },
  { name: 'Failed', x: 420, y: 108 },
];
export const kEdges: readonly (readonly [string, string])[] = [
  ['Active', 'Suspended'],
  ['Active', 'SuccessCriteriaMet'],
  ['Active', 'FailureTarget'],
  ['SuccessCriteriaMet', 'Complete'],
  ['FailureTarget', 'Failed'],
];
