import { describe, expect, test } from 'vitest';
import type { Answer, Created, Ran, RunInput } from '#wasm';
import { Engine, type Health, type WorkerLike } from '../src/engine';
import type { FromWorker, ToWorker } from '../src/engine/protocol';
import { Model } from './model';

/** A worker in this thread around the model, which can trap or hang on request. */
class FakeWorker implements WorkerLike {
  static made = 0;
  static traps: (call: ToWorker) => boolean = () => false;
  static hangs: (call: ToWorker) => boolean = () => false;

  onmessage: WorkerLike['onmessage'] = null;
  onerror: WorkerLike['onerror'] = null;
  #gone = false;
  #model: Model | null = null;
  #session = ++FakeWorker.made * 100;

  postMessage(call: ToWorker): void {
    queueMicrotask(() => {
      if (this.#gone || FakeWorker.hangs(call)) return;
      const data: FromWorker = FakeWorker.traps(call)
        ? { id: call.id, type: 'trap', message: 'unreachable' }
        : this.#answer(call);
      this.onmessage?.({ data } as MessageEvent<FromWorker>);
    });
  }
  terminate(): void {
    this.#gone = true;
  }

  #answer(call: ToWorker): FromWorker {
    const { id } = call;
    switch (call.op) {
      case 'create': {
        this.#model = new Model();
        const created = {
          type: 'success',
          session: this.#session,
          steps: this.#model.steps,
          view: null,
          diagnostics: [],
        };
        return { id, type: 'answer', text: JSON.stringify(created) };
      }
      case 'run': {
        if (call.session !== this.#session || !this.#model) throw new Error('a session of another instance');
        const texts = call.events.map((event, index) =>
          JSON.stringify({
            type: 'success',
            steps: this.#model!.run(event, index === 0 ? call.from : null),
            total: this.#model!.steps.length,
            view: null,
          } satisfies Answer<Omit<Ran, 'view'> & { view: null }>),
        );
        return { id, type: 'answers', texts };
      }
      case 'seek': {
        const { session, step } = JSON.parse(call.input) as { session: number; step: number };
        if (session !== this.#session) throw new Error('a session of another instance');
        const text = this.#model?.steps[step - 1]?.input.line ?? '';
        return { id, type: 'answer', text: JSON.stringify({ type: 'success', view: null, text, lines: [] }) };
      }
      default:
        return { id, type: 'answer', text: JSON.stringify({ type: 'success' }) };
    }
  }
}

function make(): { engine: Engine; health: Health[] } {
  FakeWorker.traps = () => false;
  FakeWorker.hangs = () => false;
  const health: Health[] = [];
  const engine = new Engine({ makeWorker: () => new FakeWorker(), onHealth: (each) => health.push(each) });
  return { engine, health };
}
const next = { advance: 'next' } as const;
const evict = { pod: 'w-0', evicted: true } as const;

async function lineAt(engine: Engine, step: number): Promise<string> {
  const answer = await engine.seek(step, 'off');
  return answer.type === 'success' ? answer.text : `failure ${answer.diagnostics[0]!.code}`;
}
async function trace(engine: Engine, steps: number): Promise<string[]> {
  const lines: string[] = [];
  for (let step = 1; step <= steps; ++step) lines.push(await lineAt(engine, step));
  return lines;
}

describe('after a trap', () => {
  test('a new instance stands where the old one stood, forks included, and the call succeeds', async () => {
    const { engine, health } = make();
    await engine.start({ text: 'a' });
    await engine.fire([next, { until: 'settled' }, next], null);
    await engine.fire([evict, next], 3);
    const before = await trace(engine, 5);

    let left = 1;
    FakeWorker.traps = (call) => call.op === 'seek' && left-- > 0;
    expect(await trace(engine, 5)).toEqual(before);
    expect(health).toContain('recovering');
    expect(health.at(-1)).toBe('ready');
  });

  test('that comes again the call fails, and the trace is as it was', async () => {
    const { engine } = make();
    await engine.start({ text: 'a' });
    await engine.fire([next, next], null);
    const before = await trace(engine, 3);

    FakeWorker.traps = (call) =>
      call.op === 'run' && call.events.some((event) => JSON.stringify(event).includes('pod'));
    const { runs, diagnostics } = await engine.fire([evict], null);
    expect(runs).toEqual([]);
    expect(diagnostics[0]!.code).toBe('EngineTrap');
    expect(await trace(engine, 3)).toEqual(before);
    const fired = await engine.fire([next], null);
    expect(fired.runs[0]![0]!.index).toBe(4);
  });

  test('in the replay itself the engine is given up and says so', async () => {
    const { engine, health } = make();
    await engine.start({ text: 'a' });
    FakeWorker.traps = () => true;
    expect(await lineAt(engine, 1)).toBe('failure EngineBroken');
    expect(health.at(-1)).toBe('broken');
    FakeWorker.traps = () => false;
    expect(await lineAt(engine, 1)).toMatch(/^create/);
    expect(health.at(-1)).toBe('ready');
  });
});

describe('stop', () => {
  test('ends a call that hangs; everything is as it was before it', async () => {
    const { engine } = make();
    await engine.start({ text: 'a' });
    await engine.fire([next], null);
    const before = await trace(engine, 2);

    FakeWorker.hangs = (call) =>
      call.op === 'run' && call.events.some((event) => JSON.stringify(event).includes('until'));
    const fired = engine.fire([{ until: 'settled' }], null);
    await new Promise((resolve) => setTimeout(resolve, 5));
    engine.stop();
    expect((await fired).diagnostics[0]!.code).toBe('Stopped');
    expect(await trace(engine, 2)).toEqual(before);
  });

  test('without a running call does nothing', async () => {
    const { engine } = make();
    await engine.start({ text: 'a' });
    const made = FakeWorker.made;
    engine.stop();
    expect(await lineAt(engine, 1)).toMatch(/^create/);
    expect(FakeWorker.made).toBe(made);
  });
});

test('a start that fails leaves the old session in place', async () => {
  const { engine } = make();
  const created = (await engine.start({ text: 'a' })) as Answer<Created>;
  expect(created.type).toBe('success');
  const session = created.type === 'success' ? created.session : 0;
  const input: RunInput = { session, events: [next] };
  expect((await engine.fire(input.events, null)).runs).toHaveLength(1);
});
