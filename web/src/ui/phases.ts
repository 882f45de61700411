// One colour, one shape and one letter for each phase, everywhere: diagram, tables, time line. Lower-case letters and hollow
// shapes are transitional phases, upper-case and filled ones are resting.

export type Shape = 'circle' | 'arrow' | 'diamond' | 'hexagon' | 'square' | 'octagon';

export interface Look {
  readonly letter: string;
  readonly shape: Shape;
  /** Names the custom property `--phase-…`. */
  readonly colour: 'slate' | 'blue' | 'amber' | 'violet' | 'green' | 'stone' | 'red';
  readonly hollow: boolean;
}

export const kJobPhases: Readonly<Record<string, Look>> = {
  Pending: { letter: 'P', shape: 'circle', colour: 'slate', hollow: false },
  Running: { letter: 'R', shape: 'arrow', colour: 'blue', hollow: false },
  Restarting: { letter: 'r', shape: 'diamond', colour: 'amber', hollow: true },
  Aborting: { letter: 'a', shape: 'hexagon', colour: 'violet', hollow: true },
  Aborted: { letter: 'A', shape: 'hexagon', colour: 'violet', hollow: false },
  Completing: { letter: 'c', shape: 'circle', colour: 'green', hollow: true },
  Completed: { letter: 'C', shape: 'circle', colour: 'green', hollow: false },
  Terminating: { letter: 't', shape: 'square', colour: 'stone', hollow: true },
  Terminated: { letter: 'T', shape: 'square', colour: 'stone', hollow: false },
  Failed: { letter: 'F', shape: 'octagon', colour: 'red', hollow: false },
};

/** Pods share the look of the job phase of the same meaning. */
const kPodPhases: Readonly<Record<string, Look>> = {
  Succeeded: { letter: 'S', shape: 'circle', colour: 'green', hollow: false },
  Unknown: { letter: 'U', shape: 'square', colour: 'stone', hollow: false },
};

/** States of a batch/v1 Job. */
const kKubeStates: Readonly<Record<string, Look>> = {
  Active: { letter: 'R', shape: 'arrow', colour: 'blue', hollow: false },
  Suspended: { letter: 'A', shape: 'hexagon', colour: 'violet', hollow: false },
  SuccessCriteriaMet: { letter: 'c', shape: 'circle', colour: 'green', hollow: true },
  FailureTarget: { letter: 'f', shape: 'octagon', colour: 'red', hollow: true },
  Complete: { letter: 'C', shape: 'circle', colour: 'green', hollow: false },
  Deleting: { letter: 't', shape: 'square', colour: 'stone', hollow: true },
  Deleted: { letter: 'T', shape: 'square', colour: 'stone', hollow: false },
};

const kNone: Look = { letter: '?', shape: 'square', colour: 'stone', hollow: true };

export function lookOf(phase: string): Look {
  return kJobPhases[phase] ?? kPodPhases[phase] ?? kKubeStates[phase] ?? kNone;
}

/** Outlines around (0, 0), about 9 units in radius. */
export const kOutlines: Readonly<Record<Shape, string>> = {
  circle: 'M-8.5 0a8.5 8.5 0 1 0 17 0a8.5 8.5 0 1 0 -17 0z',
  arrow: 'M-8.5 -8H3.5L10 0L3.5 8H-8.5z',
  diamond: 'M0 -10.5L10.5 0L0 10.5L-10.5 0z',
  hexagon: 'M-9.8 0L-5 -8.5H5L9.8 0L5 8.5H-5z',
  square: 'M-8 -8H8V8H-8z',
  octagon: 'M-3.7 -8.9H3.7L8.9 -3.7V3.7L3.7 8.9H-3.7L-8.9 3.7V-3.7z',
};
