// How the engine's list of possible events is arranged. The engine says what can happen and why not; this only groups it.
import type { PaletteEntry, PaletteGroup } from '#wasm';

export interface Numbered extends PaletteEntry {
  /** The digit that fires it, 1 to 9; 0 if it has none. */
  readonly digit: number;
}
/** Entries side by side whose labels begin alike: `fails with exit code` 1, 137, 143. */
export interface Cluster {
  readonly stem: string;
  readonly entries: readonly (Numbered & { readonly text: string })[];
}
export interface Row {
  readonly group: string;
  /** The group without the job's name where there is only one job. */
  readonly label: string;
  readonly clusters: readonly Cluster[];
  /** Why none of it can happen, if all have the same reason. */
  readonly reason: string;
}

/** One row for each group, in the engine's order. */
export function arrange(palette: readonly PaletteGroup[], jobs: readonly { name: string }[]): Row[] {
  let digit = 0;
  const only = jobs.length === 1 ? jobs[0]!.name : '';
  return palette.map(({ group, entries: plain }) => {
    const entries = plain.map((entry) => ({ ...entry, digit: !entry.reason && digit < 9 ? ++digit : 0 }));
    const reasons = new Set(entries.map(({ reason }) => reason ?? ''));
    return {
      group,
      label: without(group, only),
      clusters: cluster(entries),
      reason: reasons.size === 1 ? [...reasons][0]! : '',
    };
  });
}

function cluster(entries: readonly Numbered[]): Cluster[] {
  const clusters: { stem: string; entries: (Numbered & { text: string })[] }[] = [];
  for (const entry of entries) {
    const at = entry.label.lastIndexOf(' ');
    const words = at < 0 ? '' : entry.label.slice(0, at);
    const stem = words.includes(' ') ? words : '';
    const last = clusters.at(-1);
    if (stem !== '' && last?.stem === stem) last.entries.push({ ...entry, text: entry.label.slice(at + 1) });
    else clusters.push({ stem, entries: [{ ...entry, text: stem === '' ? entry.label : entry.label.slice(at + 1) }] });
  }
  // A stem of its own makes sense only if it is shared.
  return clusters.map((each) =>
    each.entries.length > 1
      ? each
      : { stem: '', entries: each.entries.map((entry) => ({ ...entry, text: entry.label })) },
  );
}

function without(group: string, job: string): string {
  for (const tail of [` of ${job}`, ` to ${job}`]) if (job && group.endsWith(tail)) return group.slice(0, -tail.length);
  return group;
}

/** The entry a digit fires. */
export function byDigit(palette: readonly PaletteGroup[], digit: number): PaletteEntry | undefined {
  return palette.flatMap(({ entries }) => entries.filter(({ reason }) => !reason))[digit - 1];
}
