// The examples, taken from policies/samples when the page is built. Their texts are loaded when they are opened.
import type { Example } from './controller.svelte';

export interface Sample {
  readonly name: string;
  readonly title: string;
}

export const samples: readonly Sample[] = [{ name: 'evicted', title: 'A pod is evicted' }];

export const firstSample: Sample = samples[0]!;

export async function loadSample(sample: Sample): Promise<Example> {
  return {
    file: `${sample.name}.yaml`,
    text: '# A training job of three workers. If one of them is evicted, the whole job starts again.\napiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata:\n  name: train\nspec:\n  minAvailable: 3\n  schedulerName: volcano\n  policies:\n    - event: PodEvicted\n      action: RestartJob\n  maxRetry: 3\n  queue: default\n  tasks:\n    - name: worker\n      replicas: 3\n      policies:\n        - event: TaskCompleted\n          action: CompleteJob\n      template:\n        spec:\n          restartPolicy: Never\n          containers:\n            - name: main\n              image: example.com/train:1\n              command: ["train", "--epochs", "10"]\n',
  };
}
