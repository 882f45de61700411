// The program and the WebAssembly module give the same bytes: `node --test tests/parity`. Needs both, built
// (PUMICE_BIN, PUMICE_WASM_DIR); PUMICE_SEED repeats a run, PUMICE_COUNT asks more of it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { before, describe, test } from 'node:test';
import { loadPumiceEval } from '../../wasm/test/load.mjs';

const root = resolve(import.meta.dirname, '../..');
const binary = process.env.PUMICE_BIN ?? join(root, 'build/release/bin/pumice');
const shared = process.env.PUMICE_SHARED ?? resolve(root, '../shared');
const seed = Number(process.env.PUMICE_SEED ?? Math.floor(Math.random() * 2 ** 32));
const count = Number(process.env.PUMICE_COUNT ?? 2000);

/** mulberry32: small, and the same everywhere. */
function generator(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

let engine;
before(async () => {
  assert.ok(existsSync(binary), `no program at ${binary}: build it, or set PUMICE_BIN`);
  engine = await loadPumiceEval();
});

function same(lines) {
  const input = `${lines.join('\n')}\n`;
  const options = { input, maxBuffer: 2 ** 30, encoding: 'utf8' };
  const native = execFileSync(binary, ['eval'], options).split('\n');
  const wasm = engine.eval(input).split('\n');
  assert.equal(wasm.length, native.length);
  for (const [index, line] of lines.entries()) assert.equal(wasm[index], native[index], `the answer to ${line}`);
}

describe(`the same answers, PUMICE_SEED=${seed}`, () => {
  test('to random schedules in zones whose clocks change', () => {
    const random = generator(seed);
    const below = (most) => Math.floor(random() * most);
    const pick = (list) => list[below(list.length)];
    const zones = [
      'UTC',
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Tehran',
      'Africa/Casablanca',
    ];
    zones.push('Pacific/Apia', 'America/Sao_Paulo', 'Antarctica/Troll', 'Europe/Dublin', 'No/Where', '');
    const number = (least, most) => least + below(most - least + 1);
    const field = (least, most) =>
      pick([
        () => '*',
        () => `*/${number(1, most)}`,
        () => String(number(least, most)),
        () => `${number(least, most)}-${number(least, most)}`,
        () => `${number(least, most)},${number(least, most)}`,
        () => `${number(least, most)}/${number(0, 9)}`,
        () => pick(['?', '', 'x', String(most + 1), '-1', '1-2-3', 'mon', 'jan']),
      ])();
    const schedule = () =>
      random() < 0.1
        ? pick([
            '@daily',
            '@every 90s',
            '@every 0s',
            '@hourly',
            '@reboot',
            'TZ=Asia/Tokyo 0 9 * * *',
            '0 0 29 2 *',
            '* *',
          ])
        : [field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 6)].join(' ');
    const instant = () =>
      new Date(Date.UTC(1990 + below(80), below(12), 1 + below(28), below(24), below(60), below(60)));
    same(
      Array.from({ length: count }, (_, id) => {
        const args = {
          schedule: schedule(),
          timeZone: pick(zones),
          after: instant().toISOString().replace('.000', ''),
        };
        return JSON.stringify(
          random() < 0.2 ? { id, op: 'cron.describe', args } : { id, op: 'cron.next', args: { ...args, count: 4 } },
        );
      }),
    );
  });

  test('to lines that are no questions', () => {
    const wrong = [
      '',
      '{',
      'null',
      '[1]',
      '{"op":7}',
      '{"op":"none"}',
      '{"id":1e400,"op":"yaml.parse"}',
      '{"id":"\u0000"',
    ];
    same([...wrong, '{"op":"yaml.parse","args":{"text":"a: [1, 0x1F, 1e3, .5, ~, yes]"}}', `${'['.repeat(1000)}`]);
  });

  test('to what every controller and admission make of the samples', () => {
    const read = (path) => {
      const line = JSON.stringify({ op: 'yaml.parse', args: { text: readFileSync(path, 'utf8') } });
      return JSON.parse(engine.eval(line)).ok.json;
    };
    const objects = ['samples', 'cronjobs'].flatMap((folder) =>
      readdirSync(join(root, 'policies', folder))
        .filter((name) => name.endsWith('.yaml'))
        .map((name) => read(join(root, 'policies', folder, name))),
    );
    const now = '2026-03-02T09:00:30Z';
    const known = { namespace: 'default', uid: 'u', creationTimestamp: '2026-03-02T08:00:00Z' };
    const stored = (object) => ({ ...object, metadata: { ...known, ...object.metadata } });
    const review = (object, resource) => {
      const [group, version] = object.apiVersion.split('/');
      const kind = { group, version, kind: object.kind };
      const request = { uid: 'r', kind, resource: { group, version, resource }, operation: 'CREATE', object };
      return { op: 'admission.review', args: { review: { request }, config: { schema: true, after: now } } };
    };
    const questions = objects.flatMap((object) => {
      if (object.kind === 'Job') {
        const args = { job: stored(object), now };
        return [
          review(object, 'jobs'),
          ...['SyncJob', 'RestartJob', 'AbortJob'].map((action) => ({
            op: 'volcano.execute',
            args: { ...args, action: { action, target: {} } },
          })),
          { op: 'volcano.request', args: { change: { kind: 'Job', type: 'add', new: stored(object) } } },
        ];
      }
      const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' }, spec: object.spec.jobTemplate.spec };
      return [
        review(object, 'cronjobs'),
        review(job, 'jobs'),
        ...['cronjob', 'cronjob-legacy', 'volcano-cronjob'].map((profile) => ({
          op: 'cron.sync',
          args: { profile, cronJob: stored(object), now },
        })),
        ...['job', 'job-1.27'].map((profile) => ({
          op: 'job.sync',
          args: { profile, job: stored(job), pods: [], now },
        })),
      ];
    });
    const lines = questions.map((question) => JSON.stringify(question));
    same(lines);
    for (const [index, answer] of engine.eval(lines.join('\n')).trimEnd().split('\n').entries())
      assert.ok(JSON.parse(answer).ok, `${lines[index]} gives ${answer}`);
  });

  test('to every scenario, step by step', () => {
    const folder = join(root, 'policies/scenarios/volcano');
    const scenarios = readdirSync(folder)
      .sort()
      .flatMap((name) => readFileSync(join(folder, name), 'utf8').split(/^---$/m));
    const lines = scenarios.map((scenario) =>
      JSON.stringify({ op: 'scenario.run', args: { scenario, trace: 'full' } }),
    );
    same(lines);
    for (const answer of engine.eval(lines.join('\n')).trimEnd().split('\n'))
      assert.equal(JSON.parse(answer).ok?.result.verdict, 'passed', answer.slice(0, 500));
  });

  const corpus = join(root, 'tests/fuzz/corpus/eval');
  test('to the inputs that found something once', () => {
    const texts = readdirSync(corpus).map((name) => readFileSync(join(corpus, name), 'utf8'));
    same(texts.flatMap((text) => text.split('\n')));
  });

  test('to all recorded questions', { skip: existsSync(shared) ? false : 'the recordings are not at hand' }, () => {
    const vectors = (name) =>
      readFileSync(join(shared, 'vectors', name), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    same([
      ...['volcano-decide.jsonl', 'values.jsonl'].flatMap(vectors).map(({ op, args }) => JSON.stringify({ op, args })),
      ...vectors('yaml.jsonl').map(({ yaml }) => JSON.stringify({ op: 'yaml.parse', args: { text: yaml } })),
      ...vectors('cron.jsonl').map(({ schedule, timeZone, after, count: wanted }) =>
        JSON.stringify({ op: 'cron.next', args: { schedule, timeZone, after, count: wanted } }),
      ),
    ]);
  });
});
