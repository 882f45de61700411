// Starting the webhook as a process, asking it over real TLS, and certificates to do so with.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';

export const binary = process.env.PUMICE_BIN;
if (!binary) throw new Error('PUMICE_BIN names the program');

export const folder = mkdtempSync(join(tmpdir(), 'pumice-webhook-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** A folder with ca.crt, tls.crt and tls.key for localhost. */
export function certificates(name, ...more) {
  const out = join(folder, name);
  const bundle = execFileSync(
    binary,
    ['webhook', 'certificate', '--out', out, '--dns', 'localhost', '--ip', '127.0.0.1', ...more],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
  );
  return { folder: out, bundle: bundle.trim(), ca: readFileSync(join(out, 'ca.crt'), 'utf8') };
}

/** A client's key and certificate for `name`, signed by an authority made by openssl. */
export function clientAuthority(name) {
  const at = (file) => join(folder, `${name}-${file}`);
  const openssl = (...args) => execFileSync('openssl', args, { stdio: 'pipe' });
  openssl('req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2',
    '-keyout', at('ca.key'), '-out', at('ca.crt'), '-subj', `/CN=${name}`);
  return {
    file: at('ca.crt'),
    client(common) {
      openssl('req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes',
        '-keyout', at(`${common}.key`), '-out', at(`${common}.csr`), '-subj', `/CN=${common}`);
      openssl('x509', '-req', '-in', at(`${common}.csr`), '-CA', at('ca.crt'), '-CAkey', at('ca.key'),
        '-CAcreateserial', '-days', '2', '-out', at(`${common}.crt`));
      return { key: readFileSync(at(`${common}.key`)), cert: readFileSync(at(`${common}.crt`)) };
    },
  };
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until `check` gives something true. */
export async function until(what, check, ms = 10_000) {
  const end = Date.now() + ms;
  for (;;) {
    const value = await check();
    if (value) return value;
    if (Date.now() > end) throw new Error(`not within ${ms} ms: ${what}`);
    await sleep(20);
  }
}

const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** The webhook on a free port. `log` holds its lines, parsed. */
export async function start(tls, ...args) {
  const child = spawn(
    binary,
    ['webhook', '--address', '127.0.0.1', '--port', '0', '--tls-cert', join(tls.folder, 'tls.crt'),
      '--tls-key', join(tls.folder, 'tls.key'), '--reload', '50ms',
      ...(args.includes('--drain-delay') ? [] : ['--drain-delay', '0s']), ...args],
    { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, KUBERNETES_SERVICE_HOST: '' } },
  );
  running.add(child);
  const log = [];
  let rest = '';
  let broken = '';
  child.stderr.on('data', (data) => {
    rest += data;
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      const line = rest.slice(0, end);
      rest = rest.slice(end + 1);
      try {
        log.push(JSON.parse(line));
      } catch {
        broken += line + '\n';
      }
    }
  });
  const exit = new Promise((resolve) => child.on('exit', (code, signal) => {
    running.delete(child);
    resolve(code ?? signal);
  }));
  const listening = await until('the webhook listens', () => {
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${JSON.stringify(log)} ${broken}`);
    return log.find((line) => line.event === 'listening');
  }, 30_000);
  return {
    port: listening.port, ca: tls.ca, log, exit, child,
    /** Lines of the log that were no JSON: reports of a sanitizer, for instance. */
    broken: () => broken,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      return exit;
    },
  };
}

/** One request; gives {status, headers, text}. */
export function ask(server, path, { method = 'POST', body, headers = {}, agent, ...tls } = {}) {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', servername: 'localhost', port: server.port, ca: server.ca, path, method, agent: agent ?? false,
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }), ...headers },
        ...tls },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part) => (text += part));
        response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** A TLS connection for bytes by hand: `received` grows, `closed` tells the end. */
export function raw(server, options = {}) {
  const socket = connect({ host: '127.0.0.1', servername: 'localhost', port: server.port, ca: server.ca, ...options });
  const at = { socket, received: '', closed: false };
  socket.setEncoding('utf8');
  socket.on('data', (data) => (at.received += data));
  socket.on('close', () => (at.closed = true));
  socket.on('error', (error) => (at.error = error));
  at.ready = new Promise((resolve, reject) => {
    socket.on('secureConnect', resolve);
    socket.on('error', reject);
  });
  return at;
}

const pod = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'registry.example/tool:1' }] } };

export const volcanoJob = (spec = {}) => ({
  apiVersion: 'batch.volcano.sh/v1alpha1', kind: 'Job', metadata: { name: 'j', namespace: 'team' },
  spec: { queue: 'default', minAvailable: 1, tasks: [{ name: 'w', replicas: 2, template: pod }], ...spec },
});
export const volcanoCronJob = (spec = {}) => ({
  apiVersion: 'batch.volcano.sh/v1alpha1', kind: 'CronJob', metadata: { name: 'c', namespace: 'team' },
  spec: { schedule: '*/5 * * * *', concurrencyPolicy: 'Allow', jobTemplate: { spec: volcanoJob().spec }, ...spec },
});
export const jobFlow = (flows = [{ name: 'a' }]) => ({
  apiVersion: 'flow.volcano.sh/v1alpha1', kind: 'JobFlow', metadata: { name: 'f', namespace: 'team' }, spec: { flows },
});
export const kubeJob = (spec = {}) => ({
  apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'k', namespace: 'team' },
  spec: { parallelism: 1, completions: 1, backoffLimit: 6, completionMode: 'NonIndexed', suspend: false, template: pod, ...spec },
});
export const kubeCronJob = (spec = {}) => ({
  apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'k', namespace: 'team' },
  spec: { schedule: '@hourly', concurrencyPolicy: 'Allow', suspend: false, jobTemplate: { spec: { template: pod } }, ...spec },
});

const resources = { Job: 'jobs', CronJob: 'cronjobs', JobFlow: 'jobflows' };
let uids = 0;

/** An AdmissionReview for an object. */
export function reviewOf(object, { operation = 'CREATE', old, ...more } = {}) {
  const [group, version] = object.apiVersion.split('/');
  return {
    apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview',
    request: {
      uid: `uid-${++uids}`, operation, namespace: object.metadata.namespace, name: object.metadata.name,
      kind: { group, version, kind: object.kind }, resource: { group, version, resource: resources[object.kind] },
      object, oldObject: old ?? null, dryRun: false, ...more,
    },
  };
}

/** Posts an AdmissionReview; gives its response. */
export async function review(server, path, body, options = {}) {
  const answer = await ask(server, path, { body: typeof body === 'string' ? body : JSON.stringify(body), ...options });
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
  return JSON.parse(answer.text).response;
}

export const patchOf = (response) => JSON.parse(Buffer.from(response.patch, 'base64').toString());
