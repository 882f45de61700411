// The rows of the time line from steps and pods, without anything to do with drawing.
import type { Step } from '#wasm';
import type { PodsAt } from '../engine';

/** A stretch of steps in which something stayed the same. `to` is the last step, inclusive. */
export interface Segment {
  readonly from: number;
  readonly to: number;
  readonly phase: string;
  readonly deleting: boolean;
}
export interface Lane {
  readonly key: string;
  readonly name: string;
  readonly kind: 'job' | 'pod';
  readonly segments: readonly Segment[];
}

/** A row for each job with its phases. A step whose status went through several phases shows the last. */
export function jobLanes(jobs: readonly { key: string; name: string }[], steps: readonly Step[]): Lane[] {
  return jobs.map(({ key, name }) => {
    const segments: Segment[] = [];
    let phase = '';
    for (const step of steps) {
      const change = step.changes.find(({ job }) => job === key);
      if (change) phase = change.phase.to;
      append(segments, step.index, phase, false);
    }
    return { key, name, kind: 'job', segments };
  });
}

/** A row for each pod that is there in one of the steps, the first of which is `first`. Unknown steps are gaps. */
export function podLanes(first: number, pods: readonly (PodsAt | undefined)[]): Lane[] {
  const lanes = new Map<string, { name: string; segments: Segment[] }>();
  for (const [index, at] of pods.entries()) {
    for (const pod of at ?? []) {
      const lane = lanes.get(pod.key) ?? { name: pod.name, segments: [] };
      lanes.set(pod.key, lane);
      append(lane.segments, first + index, pod.phase, pod.deleting);
    }
  }
  // A row keeps its place whichever part of the trace is in sight.
  return [...lanes]
    .map(([key, { name, segments }]): Lane => ({ key, name, kind: 'pod', segments }))
    .toSorted((a, b) => kByName.compare(a.key, b.key));
}
const kByName = new Intl.Collator('en', { numeric: true });

function append(segments: Segment[], step: number, phase: string, deleting: boolean): void {
  const last = segments.at(-1);
  if (last && last.to === step - 1 && last.phase === phase && last.deleting === deleting) {
    segments[segments.length - 1] = { ...last, to: step };
  } else if (phase !== '') {
    segments.push({ from: step, to: step, phase, deleting });
  }
}

export interface Tick {
  readonly step: number;
  readonly label: string;
  /** More than a minute of nothing lies before this step; the axis counts steps, so it takes no room. */
  readonly gap: boolean;
}

const kGapMs = 60_000;

/** Labels of the axis: the time since the start, where it changes and there is room. */
export function ticks(steps: readonly Step[], from: number, to: number, stepsPerLabel: number): Tick[] {
  const all: Tick[] = [];
  let labelled = -Infinity;
  for (let index = Math.max(from, 1); index <= Math.min(to, steps.length); ++index) {
    const [step, before] = [steps[index - 1]!, steps[index - 2]];
    const gap = before !== undefined && Date.parse(step.time) - Date.parse(before.time) > kGapMs;
    if (before && step.time === before.time) continue;
    const room = index - labelled >= stepsPerLabel;
    if (!room && !gap) continue;
    if (room) labelled = index;
    all.push({ step: index, label: room ? `+${step.elapsed}` : '', gap });
  }
  return all;
}
