// Paths, answers, limits, pages: what a client sees of the webhook.
import assert from 'node:assert/strict';
import { connect as connectTcp } from 'node:net';
import { after, before, test } from 'node:test';
import { Agent } from 'node:https';
import {
  ask, certificates, jobFlow, kubeCronJob, kubeJob, patchOf, raw, review, reviewOf, sleep, start, until, volcanoCronJob,
  volcanoJob,
} from './lib.mjs';

let server;
let tls;
before(async () => {
  tls = certificates('server');
  server = await start(tls, '--header-timeout', '2s', '--body-timeout', '3s', '--handshake-timeout', '3s',
    '--idle-timeout', '4s');
});
after(async () => {
  assert.equal(await server.stop(), 0);
  assert.equal(server.broken(), '');
});

test('every path answers for its own resource', async () => {
  const objects = [volcanoJob(), volcanoCronJob(), jobFlow(), kubeJob(), kubeCronJob()];
  const takes = {
    '/jobs/mutate': [0], '/jobs/validate': [0], '/cronjobs/validate': [1], '/jobflows/validate': [2],
    '/mutate': [0, 1, 2, 3, 4], '/validate': [0, 1, 2, 3, 4],
  };
  for (const [path, taken] of Object.entries(takes)) {
    for (const [index, object] of objects.entries()) {
      const request = reviewOf(object);
      const response = await review(server, path, request);
      assert.equal(response.uid, request.request.uid);
      assert.equal(response.allowed, taken.includes(index), `${path} ${object.kind}: ${JSON.stringify(response)}`);
      if (!taken.includes(index)) assert.match(response.status.message, /^expect resource to be/);
    }
  }
});

test('refusals, patches and warnings', async () => {
  const refused = await review(server, '/jobs/validate', reviewOf(volcanoJob({ minAvailable: 7 })));
  assert.equal(refused.allowed, false);
  assert.equal(refused.status.message, "job 'minAvailable' should not be greater than total replicas in tasks;");
  const job = volcanoJob();
  delete job.spec.queue;
  const patch = patchOf(await review(server, '/jobs/mutate', reviewOf(job)));
  assert.ok(patch.some((one) => one.op === 'add' && one.path === '/spec/queue' && one.value === 'default'));
  const warned = await review(server, '/validate',
    reviewOf(volcanoJob({ policies: [{ event: 'PodPending', action: 'AbortJob' }] })));
  assert.equal(warned.allowed, true);
  assert.match(warned.warnings.join('\n'), /\[volcano\.lint\.pending-without-timeout\]/);
  const update = await review(server, '/jobs/validate',
    reviewOf(volcanoJob({ queue: 'other' }), { operation: 'UPDATE', old: volcanoJob() }));
  assert.match(update.status.message, /^job updates may not change fields/);
  const dry = await review(server, '/jobs/validate', reviewOf(volcanoJob(), { dryRun: true }));
  assert.equal(dry.allowed, true);
});

test('the log tells of reviews and never of objects', async () => {
  const request = reviewOf(volcanoJob({ minAvailable: 7, queue: 'secret-queue' }), { operation: 'CREATE' });
  await review(server, '/jobs/validate', request);
  const line = await until('the line', () => server.log.find((one) => one.uid === request.request.uid));
  assert.equal(line.event, 'review');
  assert.equal(line.level, 'info');
  assert.equal(line.resource, 'batch.volcano.sh/v1alpha1/jobs');
  assert.equal(line.operation, 'CREATE');
  assert.equal(line.allowed, false);
  assert.ok(line.codes.includes('volcano.job.min-available'));
  assert.equal(typeof line.durationUs, 'number');
  assert.match(line.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.doesNotMatch(JSON.stringify(server.log), /secret-queue|registry\.example/);
});

test('what is no review is refused with a reason', async () => {
  const good = JSON.stringify(reviewOf(volcanoJob()));
  for (const [body, status] of [
    ['', 400], ['{', 400], ['null', 400], ['[]', 400], ['"x"', 400], ['{}', 400], ['a: b', 400], ['\u0000', 400],
    ['['.repeat(1000), 400], [`${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`, 400],
    [good.slice(0, 200), 200], [good.replace('admission.k8s.io/v1"', 'admission.k8s.io/v1beta1"'), 200],
    [good.replace('AdmissionReview', 'Pod'), 200], [good.replace('"object":{', `"object":{"x":${'['.repeat(1000)}${']'.repeat(1000)},`), 200],
  ]) {
    const answer = await ask(server, '/jobs/validate', { body });
    assert.equal(answer.status, status, body.slice(0, 80));
    const { response } = JSON.parse(answer.text);
    assert.equal(response.allowed, false);
    assert.ok(response.status.message);
    assert.equal(response.uid !== '', status === 200);
  }
  // Wrong types everywhere: an answer with the uid, whatever it is.
  for (const wrong of [null, 7, 'x', true, [], [[]], {}]) {
    for (const field of ['object', 'oldObject', 'resource', 'operation', 'dryRun', 'namespace', 'kind', 'options']) {
      const request = reviewOf(volcanoJob());
      request.request[field] = wrong;
      assert.equal((await review(server, '/jobs/validate', request)).uid, request.request.uid);
    }
    for (const field of ['metadata', 'spec', 'apiVersion', 'kind']) {
      const request = reviewOf(volcanoJob());
      request.request.object[field] = wrong;
      assert.equal((await review(server, '/validate', request)).uid, request.request.uid);
    }
  }
});

test('methods, types and unknown paths', async () => {
  const body = JSON.stringify(reviewOf(volcanoJob()));
  assert.equal((await ask(server, '/pods/validate', { body })).status, 404);
  assert.equal((await ask(server, '/', { method: 'GET' })).status, 404);
  const get = await ask(server, '/validate', { method: 'GET' });
  assert.equal(get.status, 405);
  assert.equal(get.headers.allow, 'POST');
  assert.equal((await ask(server, '/validate', { method: 'PUT', body })).status, 405);
  assert.equal((await ask(server, '/healthz', { body: '{}' })).status, 405);
  for (const [type, status] of [
    ['text/plain', 415], ['application/yaml', 415], ['', 415], ['application/json', 200],
    ['application/json; charset=utf-8', 200], ['Application/JSON', 200], ['application/jsonx', 415],
  ]) {
    assert.equal((await ask(server, '/validate', { body, headers: { 'content-type': type } })).status, status, type);
  }
  assert.equal((await ask(server, '/jobs/validate?timeout=10s', { body })).status, 200);
  const head = await ask(server, '/healthz', { method: 'HEAD' });
  assert.equal(head.status, 200);
  assert.equal(head.text, '');
});

test('health and metrics', async () => {
  assert.equal((await ask(server, '/healthz', { method: 'GET' })).text, 'ok\n');
  const ready = await ask(server, '/readyz', { method: 'GET' });
  assert.equal(ready.status, 200);
  assert.match(ready.text, /^ready\ncertificate: valid\n/);
  await review(server, '/jobs/validate', reviewOf(volcanoJob()));
  const metrics = await ask(server, '/metrics', { method: 'GET' });
  assert.match(metrics.headers['content-type'], /^text\/plain; version=0\.0\.4/);
  for (const wanted of [
    /pumice_webhook_reviews_total\{[^}]*allowed="true"[^}]*\} \d/, /pumice_webhook_review_seconds_bucket\{/,
    /pumice_webhook_connections \d/, /pumice_webhook_certificate_expiry_timestamp_seconds \d/,
    /pumice_webhook_findings_total\{rule="volcano\./, /pumice_webhook_requests_total\{path="\/healthz",status="200"\} \d/,
  ]) {
    assert.match(metrics.text, wanted);
  }
  assert.doesNotMatch(metrics.text, /path="\/pods/);
});

test('bodies and headers that are too large', async () => {
  const large = await ask(server, '/validate', { body: ' '.repeat(3 * 1024 * 1024 + 1) });
  assert.equal(large.status, 413);
  assert.equal(large.text, 'request body too large\n');
  assert.equal((await ask(server, '/validate', { body: ' '.repeat(3 * 1024 * 1024) })).status, 400);
  const chunked = raw(server);
  await chunked.ready;
  chunked.socket.write('POST /validate HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n');
  for (let i = 0; i < 60 && !chunked.closed; ++i) chunked.socket.write(`10000\r\n${' '.repeat(65536)}\r\n`);
  await until('413', () => chunked.received.startsWith('HTTP/1.1 413'));
  await until('closed', () => chunked.closed);
  const header = await ask(server, '/healthz', { method: 'GET', headers: { 'x-long': 'x'.repeat(20_000) } });
  assert.equal(header.status, 431);
});

test('bytes that are no HTTP', async () => {
  for (const [bytes, status] of [
    ['nonsense\r\n\r\n', 400], ['GET\r\n\r\n', 400], ['POST /validate HTTP/1.1\r\nContent-Length: -1\r\n\r\n', 400],
    ['POST /validate HTTP/1.1\r\nContent-Length: x\r\n\r\n', 400],
    ['POST /validate HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n', 400],
    ['POST /validate HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\nzz\r\n', 400],
    [`GET /${'x'.repeat(17_000)} HTTP/1.1\r\n\r\n`, 431],
  ]) {
    const at = raw(server);
    await at.ready;
    at.socket.write(bytes);
    await until(`an answer to ${bytes.slice(0, 60)}`, () => at.received.startsWith(`HTTP/1.1 ${status}`));
    await until('closed', () => at.closed);
  }
});

test('kept-alive and pipelined requests', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ports = new Set();
  for (let i = 0; i < 20; ++i) {
    const request = reviewOf(volcanoJob());
    const answer = await ask(server, '/jobs/validate', { body: JSON.stringify(request), agent });
    assert.equal(JSON.parse(answer.text).response.uid, request.request.uid);
    assert.notEqual(answer.headers.connection, 'close');
    for (const socket of Object.values(agent.freeSockets).flat()) ports.add(socket.localPort);
  }
  agent.destroy();
  assert.ok(ports.size <= 1);
  const at = raw(server);
  await at.ready;
  const requests = Array.from({ length: 10 }, () => reviewOf(volcanoJob()));
  at.socket.write(requests.map((one) => {
    const body = JSON.stringify(one);
    return `POST /jobs/validate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  }).join(''));
  await until('ten answers', () => at.received.split('HTTP/1.1 200').length === 11);
  const uids = [...at.received.matchAll(/"uid":"([^"]*)"/g)].map((one) => one[1]);
  assert.deepEqual(uids, requests.map((one) => one.request.uid));
  at.socket.end();
  const once = raw(server);
  await once.ready;
  once.socket.write('GET /healthz HTTP/1.0\r\n\r\n');
  await until('closed', () => once.closed);
  assert.match(once.received, /^HTTP\/1\.[01] 200/);
  const waits = raw(server);
  await waits.ready;
  const body = JSON.stringify(reviewOf(volcanoJob()));
  waits.socket.write(`POST /validate HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`);
  await until('go on', () => waits.received.startsWith('HTTP/1.1 100'));
  waits.socket.write(body);
  await until('the answer', () => waits.received.includes('HTTP/1.1 200'));
  waits.socket.end();
});

test('slow ones are cut off, and nobody waits for them', async () => {
  const silent = connectTcp(server.port, '127.0.0.1');
  const slow = raw(server);
  await slow.ready;
  const slowBody = raw(server);
  await slowBody.ready;
  const idle = raw(server);
  await idle.ready;
  let ended = false;
  silent.on('close', () => (ended = true));
  silent.on('error', () => {});
  slow.socket.on('error', () => {});
  slowBody.socket.on('error', () => {});
  slow.socket.write('POST /validate HTTP/1.1\r\n');
  slowBody.socket.write('POST /validate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n');
  const drip = setInterval(() => {
    if (!slow.closed) slow.socket.write('x: y\r\n');
    if (!slowBody.closed) slowBody.socket.write(' ');
  }, 100);
  const request = reviewOf(volcanoJob());
  assert.equal((await review(server, '/validate', request)).uid, request.request.uid);
  await until('the slow header is cut off', () => slow.closed, 12_000);
  await until('the slow body is cut off', () => slowBody.closed, 12_000);
  await until('the silent one is cut off', () => ended, 12_000);
  clearInterval(drip);
  await until('the idle one is cut off', () => idle.closed, 12_000);
  const { text } = await ask(server, '/metrics', { method: 'GET' });
  for (const phase of ['header', 'body', 'handshake', 'idle']) {
    assert.match(text, new RegExp(`pumice_webhook_timeouts_total\\{phase="${phase}"\\} [1-9]`));
  }
});

test('broken TLS and connections that end anywhere', async () => {
  const whole = Buffer.from(JSON.stringify(reviewOf(volcanoJob())));
  for (const bytes of [Buffer.alloc(0), Buffer.from('GET /healthz HTTP/1.1\r\n\r\n'), Buffer.from([22, 3, 1]),
    Buffer.from([22, 3, 1, 255, 255, 1]), Buffer.alloc(5000, 0x16), Buffer.alloc(5000)]) {
    const socket = connectTcp(server.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(bytes);
    await sleep(20);
    socket.destroy();
  }
  for (const part of [0, 1, 20, 80, 200]) {
    const at = raw(server);
    await at.ready;
    at.socket.on('error', () => {});
    at.socket.write(`POST /validate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${whole.length}\r\n\r\n${whole}`.slice(0, part));
    await sleep(10);
    at.socket.destroy();
  }
  // One that does not wait for its answer.
  const rude = raw(server);
  await rude.ready;
  rude.socket.write(`POST /validate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${whole.length}\r\n\r\n${whole}`);
  rude.socket.destroy();
  await until('all are gone', async () =>
    /^pumice_webhook_connections 1$/m.test((await ask(server, '/metrics', { method: 'GET' })).text), 15_000);
  assert.equal((await ask(server, '/healthz', { method: 'GET' })).status, 200);
});
