// What the page and its worker say to each other. Answers of the engine stay JSON text until the page reads them.
import type { AnyEvent, View } from '#wasm';

export type Call =
  | { op: 'version' }
  | { op: 'validate' | 'create' | 'seek' | 'records' | 'dispose'; input: string }
  /** Fires events one at a time, so that the page learns which steps came from which event. */
  | { op: 'run'; session: number; from: number | null; events: readonly AnyEvent[] }
  /** The pods of some steps in short, for the time line. */
  | { op: 'pods'; session: number; from: number; to: number }
  /** For tests: the next call ends in a trap, as a broken invariant of the core would. */
  | { op: 'trapNext' };

export type ToWorker = { id: number } & Call;
export type FromWorker =
  | { id: number; type: 'answer'; text: string }
  | { id: number; type: 'answers'; texts: string[] }
  | { id: number; type: 'pods'; steps: PodsAt[] }
  | { id: number; type: 'trap'; message: string };

/** One pod at one step: what the time line draws. */
export interface PodAt {
  readonly key: string;
  readonly name: string;
  readonly phase: string;
  readonly deleting: boolean;
}
export type PodsAt = readonly PodAt[];

export function podsOf(view: View): PodsAt {
  return view.jobs.flatMap((job) =>
    job.pods.map((pod) => ({
      key: `${job.key}/${pod.name}`,
      name: view.jobs.length > 1 ? pod.name : pod.short,
      phase: pod.phase,
      deleting: pod.deleting,
    })),
  );
}
