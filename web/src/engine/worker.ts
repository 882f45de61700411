/// <reference lib="webworker" />
// The engine's worker: one module instance, one message one call. It holds no logic; after a trap it is thrown away.
import createPumice from 'pumice-wasm/pumice.mjs';
import wasmUrl from 'pumice-wasm/pumice.wasm?url';
import type { Answer, PumiceModule, Ran, Sought } from '#wasm';
import { podsOf, type FromWorker, type PodsAt, type ToWorker } from './protocol';

declare const self: DedicatedWorkerGlobalScope;

const loading: Promise<PumiceModule> = createPumice({ locateFile: () => wasmUrl });
let trapNext = false;

self.onmessage = async ({ data }: MessageEvent<ToWorker>) => {
  let reply: FromWorker;
  try {
    reply = answer(await loading, data);
  } catch (error) {
    // Whatever escapes the module (RuntimeError, an exception of C++) leaves it in an unknown state.
    reply = { id: data.id, type: 'trap', message: error instanceof Error ? error.message : String(error) };
  }
  self.postMessage(reply);
};

function answer(engine: PumiceModule, call: ToWorker): FromWorker {
  const { id } = call;
  if (call.op === 'trapNext') {
    trapNext = true;
    return { id, type: 'answer', text: '' };
  }
  if (trapNext) {
    trapNext = false;
    throw new WebAssembly.RuntimeError('unreachable (asked for by a test)');
  }
  switch (call.op) {
    case 'version':
      return { id, type: 'answer', text: engine.version() };
    case 'validate':
    case 'create':
    case 'seek':
    case 'records':
    case 'dispose':
      return { id, type: 'answer', text: engine[call.op](call.input) };
    case 'run': {
      const { session, from, events } = call;
      const texts: string[] = [];
      for (const event of events) {
        const first = texts.length === 0 && from !== null;
        const text = engine.run(JSON.stringify({ session, events: [event], ...(first ? { from } : {}) }));
        texts.push(text);
        // One that cannot be read ends the run. The only event needs no look, which saves reading its answer twice.
        if (events.length > 1 && (JSON.parse(text) as Answer<Ran>).type === 'failure') break;
      }
      return { id, type: 'answers', texts };
    }
    case 'pods': {
      const steps: PodsAt[] = [];
      for (let step = call.from; step <= call.to; ++step) {
        const text = engine.seek(JSON.stringify({ session: call.session, step, explain: 'off' }));
        const sought = JSON.parse(text) as Answer<Sought>;
        steps.push(sought.type === 'success' ? podsOf(sought.view) : []);
      }
      return { id, type: 'pods', steps };
    }
  }
}
