// Certificates, clients, configuration, queues, and the way down.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  ask, binary, certificates, clientAuthority, folder, kubeJob, raw, review, reviewOf, sleep, start, until, volcanoJob,
} from './lib.mjs';

const file = (name, text) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const serialOf = (server) => new Promise((resolve, reject) => {
  const at = raw(server, { rejectUnauthorized: false });
  at.ready.then(() => {
    resolve(at.socket.getPeerCertificate().serialNumber);
    at.socket.destroy();
  }, reject);
});

test('the bootstrap command makes what it says', () => {
  const made = certificates('made', '--service', 'hook', '--namespace', 'ns', '--days', '30');
  assert.equal(Buffer.from(made.bundle, 'base64').toString(), made.ca);
  const shown = execFileSync('openssl', ['x509', '-in', join(made.folder, 'tls.crt'), '-noout', '-text'], { encoding: 'utf8' });
  assert.match(shown, /DNS:hook\.ns\.svc, DNS:hook\.ns\.svc\.cluster\.local, DNS:hook\.ns, DNS:localhost, IP Address:127\.0\.0\.1/);
  assert.match(shown, /TLS Web Server Authentication/);
  assert.match(shown, /CA:FALSE/);
  assert.equal(statSync(join(made.folder, 'tls.key')).mode & 0o777, 0o600);
  execFileSync('openssl', ['verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', join(made.folder, 'ca.crt'),
    join(made.folder, 'tls.crt')]);
  const run = (...args) => spawnSync(binary, ['webhook', 'certificate', ...args], { encoding: 'utf8' });
  const again = run('--out', made.folder);
  assert.equal(again.status, 2);
  assert.match(again.stderr, /exists: --force replaces it/);
  assert.equal(run('--out', made.folder, '--force').status, 0);
  assert.notEqual(readFileSync(join(made.folder, 'ca.crt'), 'utf8'), made.ca);
  // An authority that was kept signs the next certificate too.
  const kept = certificates('kept', '--keep-ca-key');
  assert.equal(statSync(join(kept.folder, 'ca.key')).mode & 0o777, 0o600);
  const next = run('--out', kept.folder, '--force');
  assert.equal(next.stdout.trim(), kept.bundle);
  execFileSync('openssl', ['verify', '-CAfile', join(kept.folder, 'ca.crt'), join(kept.folder, 'tls.crt')]);
  for (const bad of [['--ip', 'x'], ['--dns', 'a,IP:1.2.3.4'], ['--out', '/proc/no/such'], ['--days', '0']]) {
    const failed = run(...(bad[0] === '--out' ? [] : ['--out', join(folder, 'bad')]), ...bad);
    assert.equal(failed.status, 2, bad.join(' '));
    assert.ok(failed.stderr);
  }
});

test('what keeps it from starting', () => {
  const tls = certificates('start');
  const other = certificates('other');
  const run = (...args) => spawnSync(
    binary, ['webhook', ...(args.includes('--address') ? [] : ['--address', '127.0.0.1']), '--port', '0', ...args],
    { encoding: 'utf8', timeout: 20_000 });
  const at = (one, name) => join(one.folder, name);
  const good = ['--tls-cert', at(tls, 'tls.crt'), '--tls-key', at(tls, 'tls.key')];
  for (const [args, wanted] of [
    [[], /--tls-cert/],
    [['--tls-cert', at(tls, 'tls.crt'), '--tls-key', at(other, 'tls.key')], /certificate_not_loaded/],
    [['--tls-cert', '/no/such/file', '--tls-key', at(tls, 'tls.key')], /cannot be opened/],
    [['--tls-cert', at(tls, 'tls.key'), '--tls-key', at(tls, 'tls.key')], /certificate_not_loaded/],
    [[...good, '--client-ca', file('empty.pem', 'nothing')], /certificate_not_loaded/],
    [[...good, '--config', file('bad.yaml', 'deny: [x]')], /config_not_loaded/],
    [[...good, '--queues', '/no/such/file'], /queues_not_loaded/],
    [[...good, '--address', 'localhost'], /is no address/],
    [[...good, '--queues', 'x', '--queues-from-cluster'], /excludes/],
    [[...good, '--threads', '0'], /whole number/],
  ]) {
    const ended = run(...args);
    assert.equal(ended.status, 2, args.join(' '));
    assert.match(ended.stderr + ended.stdout, wanted);
  }
});

test('a new certificate is taken without a restart, a wrong one is not', async () => {
  const tls = certificates('rotate');
  const next = certificates('next');
  const server = await start(tls);
  const first = await serialOf(server);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  assert.equal((await ask(server, '/healthz', { method: 'GET', agent })).status, 200);
  // The key alone fits nothing: what is served stays.
  copyFileSync(join(next.folder, 'tls.key'), join(tls.folder, 'tls.key.new'));
  renameSync(join(tls.folder, 'tls.key.new'), join(tls.folder, 'tls.key'));
  await until('the error', () => server.log.find((line) => line.event === 'certificate_not_loaded'));
  assert.equal(await serialOf(server), first);
  copyFileSync(join(next.folder, 'tls.crt'), join(tls.folder, 'tls.crt'));
  await until('the new one', async () => (await serialOf(server)) !== first);
  server.ca = next.ca;
  assert.equal((await ask(server, '/healthz', { method: 'GET' })).status, 200);
  // The connection that was there before goes on.
  assert.equal((await ask(server, '/healthz', { method: 'GET', agent })).status, 200);
  agent.destroy();
  const { text } = await ask(server, '/metrics', { method: 'GET' });
  assert.match(text, /certificate_reloads_total\{result="failure"\} [1-9]/);
  assert.match(text, /certificate_reloads_total\{result="success"\} 2/);
  assert.equal(await server.stop(), 0);
});

test('old TLS is not spoken', async () => {
  const server = await start(certificates('old'));
  for (const version of ['TLSv1', 'TLSv1.1']) {
    await assert.rejects(ask(server, '/healthz', { method: 'GET', minVersion: version, maxVersion: version,
      ciphers: 'DEFAULT:@SECLEVEL=0' }));
  }
  for (const version of ['TLSv1.2', 'TLSv1.3']) {
    assert.equal((await ask(server, '/healthz', { method: 'GET', minVersion: version, maxVersion: version })).status, 200);
  }
  await assert.rejects(ask(server, '/healthz', { method: 'GET', ca: certificates('stranger').ca }));
  assert.equal(await server.stop(), 0);
});

test('client certificates', async () => {
  const authority = clientAuthority('cluster');
  const stranger = clientAuthority('stranger-clients');
  const server = await start(certificates('mutual'), '--client-ca', authority.file, '--client-name', 'kube-apiserver');
  const body = JSON.stringify(reviewOf(volcanoJob()));
  const status = async (options = {}) => (await ask(server, '/validate', { body, ...options })).status;
  assert.equal(await status(), 403);
  assert.equal((await ask(server, '/readyz', { method: 'GET' })).status, 200);
  assert.equal(await status(authority.client('kube-apiserver')), 200);
  assert.equal(await status(authority.client('somebody')), 403);
  await assert.rejects(status(stranger.client('kube-apiserver')));
  assert.equal(await status(), 403);
  assert.equal(await server.stop(), 0);
});

test('the lint configuration denies, and changes while it runs', async () => {
  const config = file('lint.yaml', 'apiVersion: pumice.dev/v1\nkind: LintConfig\ndeny: [volcano.lint]\nignore: [job.lint]\n');
  const server = await start(certificates('lint'), '--config', config);
  const pending = volcanoJob({ policies: [{ event: 'PodPending', action: 'AbortJob' }] });
  const denied = await review(server, '/validate', reviewOf(pending));
  assert.equal(denied.allowed, false);
  assert.match(denied.status.message, /^denied by the lint configuration: .*\[volcano\.lint\.pending-without-timeout\]/);
  assert.equal((await review(server, '/validate', reviewOf(kubeJob({ backoffLimit: 0 })))).warnings, undefined);
  writeFileSync(config, 'apiVersion: pumice.dev/v1\nkind: LintConfig\ndny: []\n');
  await until('the error', () => server.log.find((line) => line.event === 'config_not_loaded'));
  assert.equal((await review(server, '/validate', reviewOf(pending))).allowed, false);
  writeFileSync(config, 'apiVersion: pumice.dev/v1\nkind: LintConfig\nignore: [volcano.lint]\n');
  await until('the change', async () => {
    const response = await review(server, '/validate', reviewOf(pending));
    return response.allowed && response.warnings === undefined;
  });
  assert.equal(await server.stop(), 0);
});

const queue = (name, state = 'Open', version = '1') => ({
  apiVersion: 'scheduling.volcano.sh/v1beta1', kind: 'Queue', metadata: { name, resourceVersion: version }, spec: {}, status: { state },
});

test('queues of a file', async () => {
  const queues = file('queues.json', JSON.stringify({ kind: 'QueueList', items: [queue('blue')] }));
  const server = await start(certificates('queues'), '--queues', queues);
  assert.equal((await review(server, '/validate', reviewOf(volcanoJob({ queue: 'blue' })))).allowed, true);
  assert.match((await review(server, '/validate', reviewOf(volcanoJob()))).status.message, /unable to find job queue/);
  writeFileSync(queues, JSON.stringify({ kind: 'QueueList', items: [queue('default')] }));
  await until('the change', async () => (await review(server, '/validate', reviewOf(volcanoJob()))).allowed);
  assert.equal(await server.stop(), 0);
});

/** A little API server: lists, watches, or refuses, as `state` says. */
async function apiServer(name) {
  const tls = certificates(name);
  const state = { queues: [queue('default', 'Open', '5')], status: 200, watches: new Set(), lists: 0, tokens: new Set(), gone: false };
  const server = createServer(
    { key: readFileSync(join(tls.folder, 'tls.key')), cert: readFileSync(join(tls.folder, 'tls.crt')) },
    (request, response) => {
      state.tokens.add(request.headers.authorization);
      const url = new URL(request.url, 'https://x');
      if (state.status !== 200 || url.pathname !== '/apis/scheduling.volcano.sh/v1beta1/queues') {
        response.writeHead(state.status === 200 ? 404 : state.status).end('{}');
      } else if (url.searchParams.get('watch')) {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.flushHeaders();
        if (state.gone) return response.end(JSON.stringify({ type: 'ERROR', object: { code: 410, message: 'too old' } }) + '\n');
        state.watches.add(response);
        response.on('close', () => state.watches.delete(response));
      } else {
        state.lists += 1;
        // Two pages, so that both are read.
        const first = !url.searchParams.get('continue');
        const items = first ? state.queues.slice(0, 1) : state.queues.slice(1);
        const more = first && state.queues.length > 1 ? { continue: 'a+b/c=' } : {};
        response.writeHead(200).end(JSON.stringify({ kind: 'QueueList', metadata: { resourceVersion: '10', ...more }, items }));
      }
    },
  );
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    state, args: ['--queues-from-cluster', '--kube-api', `https://127.0.0.1:${server.address().port}`, '--kube-ca',
      join(tls.folder, 'ca.crt'), '--kube-token', file('token', 'secret-token\n')],
    send(type, object) {
      const line = JSON.stringify({ type, object }) + '\n';
      // In two parts: a line need not come whole.
      for (const watch of state.watches) {
        watch.write(line.slice(0, 10));
        setTimeout(() => watch.write(line.slice(10)), 20);
      }
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('queues of the cluster are listed, watched and listed again', async () => {
  const api = await apiServer('api-followed');
  api.state.queues.push(queue('closed', 'Closed', '6'));
  const server = await start(certificates('watch'), ...api.args);
  const answer = async (name) => review(server, '/validate', reviewOf(volcanoJob({ queue: name })));
  await until('the watch', () => api.state.watches.size === 1);
  assert.deepEqual([...api.state.tokens], ['Bearer secret-token']);
  assert.equal((await answer('default')).allowed, true);
  assert.match((await answer('closed')).status.message, /status is `Closed`/);
  assert.match((await answer('new')).status.message, /unable to find/);
  api.send('ADDED', queue('new', 'Open', '11'));
  await until('the new queue', async () => (await answer('new')).allowed);
  api.send('MODIFIED', queue('new', 'Closing', '12'));
  await until('the change', async () => !(await answer('new')).allowed);
  api.send('DELETED', queue('default', 'Open', '13'));
  await until('the end', async () => !(await answer('default')).allowed);
  api.send('BOOKMARK', { kind: 'Queue', metadata: { resourceVersion: '20' } });
  const ready = await ask(server, '/readyz', { method: 'GET' });
  assert.match(ready.text, /queues: 2 queues of the cluster/);
  // Too old a version: everything is listed anew.
  api.state.queues = [queue('default')];
  api.send('ERROR', { code: 410, message: 'too old' });
  await until('the second list', () => api.state.lists === 3);
  await until('the queue is back', async () => (await answer('default')).allowed);
  assert.doesNotMatch(JSON.stringify(server.log), /secret-token/);
  assert.equal(await server.stop(), 0);
  await api.stop();
});

test('queues that are not known leave their rules out, or refuse', async () => {
  const api = await apiServer('api-refusing');
  api.state.status = 403;
  const open = await start(certificates('open'), ...api.args);
  const closed = await start(certificates('closed'), ...api.args, '--queues-unknown', 'closed', '--queues-max-age', '4s');
  await until('the failure', () => open.log.find((line) => line.event === 'queues_not_followed') &&
    closed.log.find((line) => line.event === 'queues_not_followed'));
  assert.equal((await review(open, '/validate', reviewOf(volcanoJob({ queue: 'any' })))).allowed, true);
  const ready = await ask(open, '/readyz', { method: 'GET' });
  assert.equal(ready.status, 200);
  assert.match(ready.text, /queues of the cluster unknown \(.*may not list.*\): their rules are left out/);
  assert.match((await ask(open, '/metrics', { method: 'GET' })).text, /pumice_webhook_queues_known 0/);
  const refused = await review(closed, '/validate', reviewOf(volcanoJob()));
  assert.match(refused.status.message, /the queues of the cluster are not known: .*may not list/);
  assert.equal((await review(closed, '/validate', reviewOf(kubeJob()))).allowed, true);
  assert.equal((await ask(closed, '/readyz', { method: 'GET' })).status, 503);
  api.state.status = 200;
  await until('both know', async () => {
    const one = await review(open, '/validate', reviewOf(volcanoJob({ queue: 'any' })));
    return !one.allowed && (await review(closed, '/validate', reviewOf(volcanoJob()))).allowed;
  }, 15_000);
  assert.equal((await ask(closed, '/readyz', { method: 'GET' })).status, 200);
  // Silence makes them unknown again.
  await until('too old', async () => (await ask(closed, '/readyz', { method: 'GET' })).status === 503);
  assert.equal(await open.stop(), 0);
  assert.equal(await closed.stop(), 0);
  await api.stop();
});

test('the way down: not ready, then no new connections, requests under way are answered', async () => {
  const server = await start(certificates('drain'), '--drain-delay', '500ms');
  const idle = raw(server);
  await idle.ready;
  const busy = raw(server);
  await busy.ready;
  const body = JSON.stringify(reviewOf(volcanoJob()));
  busy.socket.write(`POST /validate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`);
  await sleep(100);
  server.child.kill('SIGTERM');
  await until('not ready', async () => (await ask(server, '/readyz', { method: 'GET' })).status === 503);
  assert.equal((await review(server, '/validate', reviewOf(volcanoJob()))).allowed, true);
  await until('no new connections', async () => ask(server, '/healthz', { method: 'GET' }).then(() => false, () => true));
  await until('the idle one is closed', () => idle.closed);
  assert.equal(busy.closed, false);
  busy.socket.write(body);
  await until('the answer', () => busy.received.startsWith('HTTP/1.1 200'));
  assert.match(busy.received, /Connection: close/i);
  await until('closed', () => busy.closed);
  assert.equal(await server.exit, 0);
  assert.equal(server.log.at(-1).event, 'stopped');
});

test('the way down is bounded, and a second signal ends it', async () => {
  for (const signals of [1, 2]) {
    const server = await start(certificates(`bounded-${signals}`), '--drain-timeout', signals === 1 ? '300ms' : '1m');
    const stuck = raw(server);
    await stuck.ready;
    stuck.socket.on('error', () => {});
    stuck.socket.write('POST /validate HTTP/1.1\r\nHost: x\r\n');
    await sleep(100);
    server.child.kill('SIGTERM');
    if (signals === 2) {
      await until('draining', () => server.log.find((line) => line.event === 'draining'));
      server.child.kill('SIGTERM');
    }
    assert.equal(await server.exit, 1);
  }
});

test('more connections than allowed, more bodies than fit', async () => {
  const server = await start(certificates('many'), '--max-connections', '4', '--max-bodies-bytes', '4096');
  const open = Array.from({ length: 4 }, () => raw(server));
  await Promise.all(open.map((one) => one.ready));
  await assert.rejects(ask(server, '/healthz', { method: 'GET' }));
  for (const one of open.slice(0, 3)) one.socket.destroy();
  await until('room again', async () => ask(server, '/healthz', { method: 'GET' }).then(() => true, () => false));
  assert.match((await ask(server, '/metrics', { method: 'GET' })).text, /connections_refused_total [1-9]/);
  assert.equal((await ask(server, '/validate', { body: ' '.repeat(5000) })).status, 503);
  assert.equal((await ask(server, '/validate', { body: ' '.repeat(4000) })).status, 400);
  open[3].socket.destroy();
  assert.equal(await server.stop('SIGINT'), 0);
});
