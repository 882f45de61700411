// The size budget of the built page (gzip -9). Fails the build if something is over.
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

const dist = resolve(import.meta.dirname, '../dist');
const files = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));
const size = (path) => gzipSync(readFileSync(path), { level: 9 }).length;
const named = (pattern) => files.filter((path) => pattern.test(relative(dist, path)));
const total = (paths) => paths.reduce((sum, path) => sum + size(path), 0);

const entry = named(/^assets\/index-.*\.js$/);
const editor = named(/^assets\/codemirror-.*\.js$/);
const worker = named(/^assets\/worker-.*\.js$/);
const wasm = named(/\.wasm$/);
const css = named(/\.css$/);
const samples = named(/^assets\/sample-texts-.*\.js$/);
const page = named(/^index\.html$/);
// One of each loads on a first visit; more files are chunks that a later action asks for.
const first = [...page, ...css, ...entry, ...editor, ...worker, ...wasm, ...samples];

const budgets = [
  ['entry script', total(entry), 60],
  ['editor chunk', total(editor), 130],
  ['engine (wasm)', total(wasm), 300],
  ['first visit', total(first), 500],
];
let over = 0;
for (const [name, bytes, limit] of budgets) {
  const ok = bytes > 0 && bytes <= limit * 1024;
  if (!ok) ++over;
  console.log(`${ok ? 'ok  ' : 'OVER'} ${name.padEnd(14)} ${(bytes / 1024).toFixed(1).padStart(7)} KB gz of ${limit}`);
}
const requests = first.length;
if (requests > 12) ++over;
console.log(`${requests > 12 ? 'OVER' : 'ok  '} ${'requests'.padEnd(14)} ${String(requests).padStart(7)}       of 12`);
if (over > 0) process.exit(1);
