// The examples of policies/samples. The list is part of the page; the texts are a chunk of their own, loaded once.
import index from '../../policies/samples/index.json';
import type { AnyEvent, Automation } from '#wasm';
import type { Example } from './controller.svelte';

export interface Sample {
  readonly file: string;
  readonly title: string;
  readonly question: string;
  readonly automation?: Automation;
  /** What brings the answer about. */
  readonly events: readonly AnyEvent[];
}

export const samples = index as readonly Sample[];

/** The one that greets on a first visit: a policy fires, and much follows. */
export const firstSample: Sample = samples.find(({ file }) => file === 'evicted.yaml') ?? samples[0]!;

export async function loadSample(sample: Sample): Promise<Example> {
  const { default: texts } = await import('./sample-texts');
  const { file, question, events, automation } = sample;
  return { file, question, events, text: texts[file] ?? '', ...(automation ? { automation } : {}) };
}
