// Activations a second in node: the WebAssembly module's batch call, croner and cron-parser, over one mix of schedules.
//
//   node tests/bench/cron.mjs [BUILD_FOLDER]      (build/wasm)
//
// The two packages are installed beside the build on the first run. Each schedule is iterated from 2026-03-07 on; printed
// is the median of several rounds, in nanoseconds for one activation, and what the module gains over croner.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const build = resolve(process.argv[2] ?? join(root, 'build/wasm'));
const packages = { croner: '11.0.1', 'cron-parser': '5.10.6' };

const mix = [
  ['* * * * *', 'America/New_York'],
  ['*/5 * * * *', 'Europe/Berlin'],
  ['0 9 * * 1-5', 'Asia/Tokyo'],
  ['15 3 1 * *', 'UTC'],
  ['30 2 * * 0', 'Australia/Lord_Howe'],
  ['0 0 1 1 *', 'UTC'],
];
const sparse = [['0 0 29 2 *', 'UTC'], ['0 0 29 2 *', 'America/New_York']];
const start = '2026-03-07T00:00:00Z';

function installed() {
  const folder = join(root, 'build/bench-js');
  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(folder, 'package.json'))) writeFileSync(join(folder, 'package.json'), '{"private": true}');
  const wanted = Object.entries(packages).filter(([name]) => !existsSync(join(folder, 'node_modules', name)));
  if (wanted.length > 0) {
    const names = wanted.map(([name, version]) => `${name}@${version}`);
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', ...names], { cwd: folder, stdio: 'inherit' });
  }
  return createRequire(join(folder, 'package.json'));
}

/** Nanoseconds for one activation: `round(schedules)` computes some and returns how many. */
function measure(round, rounds = 7) {
  round();
  const times = [];
  for (let i = 0; i < rounds; i += 1) {
    const begin = process.hrtime.bigint();
    const count = round();
    times.push(Number(process.hrtime.bigint() - begin) / count);
  }
  return times.sort((a, b) => a - b)[rounds >> 1];
}

function line(schedule, timeZone, count, unix) {
  return JSON.stringify({ op: 'cron.next', args: { schedule, timeZone, after: start, count, unix } });
}

/** All schedules in one call, `count` activations each; the answers are read, as a user would. */
function pumice(engine, schedules, count, unix) {
  const question = schedules.map(([schedule, zone]) => line(schedule, zone, count, unix)).join('\n');
  return () => engine.eval(question).trimEnd().split('\n').reduce((sum, text) => sum + JSON.parse(text).ok.next.length, 0);
}

function croner({ Cron }, schedules, count) {
  return () => {
    let total = 0;
    for (const [schedule, timezone] of schedules) {
      const cron = new Cron(schedule, { timezone });
      let at = new Date(start);
      for (let i = 0; i < count && at; i += 1, total += 1) at = cron.nextRun(at);
    }
    return total;
  };
}

function cronParser({ CronExpressionParser }, schedules, count) {
  return () => {
    let total = 0;
    for (const [schedule, tz] of schedules) {
      const cron = CronExpressionParser.parse(schedule, { tz, currentDate: start });
      for (let i = 0; i < count; i += 1, total += 1) cron.next();
    }
    return total;
  };
}

const require = installed();
const { default: createPumiceEval } = await import(pathToFileURL(join(build, 'pumice-eval.mjs')));
const engine = await createPumiceEval({ wasmBinary: readFileSync(join(build, 'pumice-eval.wasm')) });

const rows = [];
for (const [name, schedules] of [['mix', mix], ['sparse', sparse]]) {
  const few = name === 'mix' ? 200 : 10;
  const many = name === 'mix' ? 1000 : 50;
  const base = measure(croner(require('croner'), schedules, few));
  const add = (who, ns) => rows.push({ schedules: name, who, 'ns/activation': Math.round(ns), 'times croner': +(base / ns).toFixed(1) });
  add('croner', base);
  add('cron-parser', measure(cronParser(require('cron-parser'), schedules, few), 3));
  add(`pumice, ${many} a line, texts`, measure(pumice(engine, schedules, many, false)));
  add(`pumice, ${many} a line, seconds`, measure(pumice(engine, schedules, many, true)));
}
console.table(rows);
