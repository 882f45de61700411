// The modules at their border: `node --test wasm/test`. The meaning of the answers is tested with the core; their types in
// web/test/contract.test.ts. Here: text crosses unharmed, nothing throws, sessions are apart, memory stays where it is.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { call, folder, loadPumice, loadPumiceEval } from './load.mjs';

const manifest = (name) => `apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: ${name}}
spec:
  minAvailable: 2
  policies:
    - {event: PodEvicted, action: RestartJob}
  tasks:
    - name: w
      replicas: 2
      template:
        spec:
          containers: [{name: main, image: example.com/main}]
`;

let engine;
before(async () => {
  engine = await loadPumice();
});

describe('text', () => {
  test('crosses the border whatever it is made of', () => {
    for (const text of ['a: 设备 🌋 é', 'a: "\\u0000"', '\ufeffa: b', '', 'a: [', 'x'.repeat(100_000)]) {
      const answer = call(engine, 'validate', { text, file: 'job-🌋.yaml' });
      assert.equal(answer.type, 'success');
      for (const diagnostic of answer.diagnostics) assert.equal(diagnostic.file ?? 'job-🌋.yaml', 'job-🌋.yaml');
    }
  });

  test('that is no Unicode is refused', () => {
    assert.equal(call(engine, 'validate', { text: 'a: \ud800' }).type, 'failure');
  });

  test('that is no input at all is a failure, never an exception', () => {
    for (const operation of ['validate', 'create', 'run', 'seek', 'records', 'dispose']) {
      for (const input of ['', '{', 'null', '[]', '{"session":"x","text":7}', `${'['.repeat(100_000)}`]) {
        assert.equal(JSON.parse(engine[operation](input)).type, 'failure', `${operation} of ${input.slice(0, 20)}`);
      }
    }
  });
});

describe('sessions', () => {
  test('are apart from each other', () => {
    const [a, b] = ['a', 'b'].map((name) => call(engine, 'create', { text: manifest(name) }));
    call(engine, 'run', { session: a.session, events: [{ until: 'Running' }] });
    const view = (session, step) => call(engine, 'seek', { session, step }).view.jobs[0];
    assert.equal(view(a.session, 3).phase, 'Running');
    assert.equal(view(b.session, 1).phase, 'Pending');
    for (const { session } of [a, b]) assert.equal(call(engine, 'dispose', { session }).type, 'success');
    assert.equal(call(engine, 'seek', { session: a.session, step: 1 }).type, 'failure');
  });

  test('going back and running the same events again gives the same bytes', () => {
    const { session } = call(engine, 'create', { text: manifest('same') });
    const events = [{ until: 'Running' }, { pod: 'w-0', evicted: true }, { until: 'settled' }];
    const input = JSON.stringify({ session, events, from: 1 });
    const first = engine.run(input);
    assert.equal(engine.run(input), first);
    const { total } = JSON.parse(first);
    const seek = JSON.stringify({ session, step: total, explain: 'full' });
    assert.equal(engine.seek(seek), engine.seek(seek));
    call(engine, 'dispose', { session });
  });

  test('that are disposed of give their memory back', () => {
    const round = () => {
      const { session } = call(engine, 'create', { text: manifest('memory') });
      call(engine, 'run', { session, events: [{ until: 'Running' }, { pod: 'w-*', phase: 'Succeeded' }] });
      call(engine, 'dispose', { session });
    };
    // Far more than the limit on open sessions.
    for (let count = 0; count < 500; ++count) round();
  });
});

test('the restart of a published kind of job is explained', () => {
  const { session } = call(engine, 'create', { text: manifest('train'), file: 'job.yaml' });
  const { steps } = call(engine, 'run', { session, events: [{ until: 'Running' }, { pod: 'w-0', gone: true }] });
  const step = steps.at(-1);
  const { record } = step;
  assert.equal(record.decision.action, 'RestartJob');
  assert.equal(record.decision.rule, 'spec.policies[0]');
  assert.equal(record.considered.find(({ outcome }) => outcome === 'matched').line, 7);
  const { text, lines } = call(engine, 'seek', { session, step: step.index, explain: 'full' });
  assert.equal(lines.map((line) => line.map((span) => span.text).join('') + '\n').join(''), text);
});

test('eval answers many lines in one call, whatever they are', async () => {
  const { eval: evaluate } = await loadPumiceEval();
  const lines = ['{"id":1,"op":"duration.parse","args":{"text":"90m"}}', '', 'not JSON', '{"id":"🌋","op":"none"}'];
  const answers = evaluate(lines.join('\n'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(answers.length, 4);
  assert.equal(answers[0].ok.canonical, '1h30m0s');
  assert.deepEqual([answers[2].line, answers[2].error.code], [3, 'InvalidJson']);
  assert.deepEqual([answers[3].id, answers[3].error.code], ['🌋', 'UnknownOperation']);
  assert.equal(evaluate(''), '');
});

// Kilobytes, gzipped. The page's first visit has a budget of its own (web/scripts/size.mjs); it does not load `pumice-eval`,
// which has every controller and all rules of admission in it.
for (const [name, limit] of Object.entries({
  'pumice.wasm': 300,
  'pumice.mjs': 16,
  'pumice-eval.wasm': 420,
  'pumice-eval.mjs': 16,
})) {
  test(`${name} is within its budget`, () => {
    const size = gzipSync(readFileSync(resolve(folder, name)), { level: 9 }).length / 1024;
    assert.ok(size <= limit, `${size.toFixed(1)} KB gzipped of ${limit}`);
  });
}

for (const name of ['pumice.mjs', 'pumice-eval.mjs']) {
  test(`${name} evaluates no text as code, so that a strict policy allows it`, () => {
    assert.doesNotMatch(readFileSync(resolve(folder, name), 'utf8'), /new Function\b|(?<!\w|"|'|\.)eval\(/);
  });
}
