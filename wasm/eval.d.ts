// Types of the module `pumice-eval.mjs`. Written by hand.
import type { PumiceModuleOptions } from './engine';

export interface PumiceEval {
  /** Answers JSON lines, one for each in the same order; see `pumice/eval.h` for the operations. */
  eval(lines: string): string;
}

/** The default export of `pumice-eval.mjs`. */
export type CreatePumiceEval = (options?: PumiceModuleOptions) => Promise<PumiceEval>;

declare const createPumiceEval: CreatePumiceEval;
export default createPumiceEval;
