// A real Chromium and a server for the built page.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';

const web = resolve(import.meta.dirname, '../..');

/** The native program; null if it was not built. */
export function pumiceBinary() {
  const path = process.env.PUMICE_BIN ?? resolve(web, '../build/release/bin/pumice');
  return existsSync(path) ? path : null;
}

export async function launch() {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) throw new Error(`no Chromium at ${executablePath}: install it, or set CHROMIUM`);
  const folder = mkdtempSync(join(tmpdir(), 'pumice-e2e-'));
  const args = [
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-default-apps',
    '--disable-dev-shm-usage',
    '--disable-domain-reliability',
    '--disable-sync',
    '--no-first-run',
    '--no-default-browser-check',
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ];
  const browser = await chromium.launch({
    executablePath,
    headless: true,
    args,
    env: { ...process.env, HOME: folder },
  });
  return {
    browser,
    async close() {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function freePort() {
  return new Promise((done, failed) => {
    const server = createServer();
    server.on('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

/** Serves the page: from the program itself, as users get it, or the files of `dist` where it has none. */
export async function serve() {
  const binary = pumiceBinary();
  const own = binary && (await start('pumice playground', binary, (port) => ['playground', '--port', port]));
  if (own) return own;
  const vite = (port) => [
    'node_modules/vite/bin/vite.js',
    'preview',
    '--host',
    '127.0.0.1',
    '--port',
    port,
    '--strictPort',
  ];
  return start('vite preview', process.execPath, vite);
}

/** Gives null if the program says that no page was built into it. */
async function start(from, command, args) {
  const port = await freePort();
  const server = spawn(command, args(String(port)), { cwd: web, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  server.stdout.on('data', (data) => (output += data));
  server.stderr.on('data', (data) => (output += data));
  const url = `http://127.0.0.1:${port}/`;
  const deadline = Date.now() + 30_000;
  for (;;) {
    if (server.exitCode !== null && output.includes('the page is not built into this program')) return null;
    if (server.exitCode !== null) throw new Error(`${from} ended with ${server.exitCode}:\n${output}`);
    const answered = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (answered) break;
    if (Date.now() > deadline) throw new Error(`${from} does not answer at ${url}:\n${output}`);
    await new Promise((resume) => setTimeout(resume, 100));
  }
  return { url, from, close: () => server.kill() };
}
