// A real API server in front of the webhook: what kubectl says, and that Kubernetes itself says what Pumice foretells.
//
// PUMICE_BIN, PUMICE_KUBE (the folder that build.sh prints) and KUBECTL name the programs.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { binary, certificates, folder, kubeCronJob, kubeJob, start, until, volcanoJob } from '../webhook/lib.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const deploy = join(here, '../../deploy/base');
const kube = process.env.PUMICE_KUBE;
const kubectlBinary = process.env.KUBECTL ?? 'kubectl';

const freePort = () => new Promise((resolve) => {
  const server = createServer();
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});

const children = [];
process.on('exit', () => children.forEach((child) => child.kill('SIGKILL')));
function run(name, ...args) {
  const log = openSync(join(folder, `${name}.log`), 'w');
  const child = spawn(join(kube, name), args, { stdio: ['ignore', log, log], cwd: folder });
  children.push(child);
  return child;
}

let api;
let webhook;
let tls;
const kubeconfig = join(folder, 'kubeconfig');

/** kubectl with a manifest on its standard input; {status, out, err}. */
function kubectl(args, input) {
  const done = spawnSync(kubectlBinary, ['--kubeconfig', kubeconfig, ...args], {
    input: input === undefined ? undefined : typeof input === 'string' ? input : JSON.stringify(input),
    encoding: 'utf8', timeout: 60_000, env: { ...process.env, HOME: folder },
  });
  return { status: done.status, out: done.stdout, err: done.stderr };
}
function must(args, input) {
  const done = kubectl(args, input);
  assert.equal(done.status, 0, `kubectl ${args.join(' ')}: ${done.err}`);
  return done;
}
const apply = (object, ...more) => kubectl(['apply', '-f', '-', ...more], object);
const named = (object, name, namespace = 'team') => ({ ...object, metadata: { ...object.metadata, name, namespace } });

/** The API server's own words about an object; empty if it takes it. A dry run. */
function serverSays(path, object) {
  return new Promise((resolve, reject) => {
    const body = JSON.stringify(object);
    const sent = request({ host: '127.0.0.1', port: api.port, ca: api.ca, path: `${path}?dryRun=All&fieldValidation=Ignore`, method: 'POST',
      headers: { authorization: 'Bearer admin-token', 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) } },
    (response) => {
      let text = '';
      response.on('data', (part) => (text += part));
      response.on('end', () => resolve(response.statusCode < 300 ? '' : JSON.parse(text).message));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

before(async () => {
  const etcdPort = await freePort();
  const peerPort = await freePort();
  const port = await freePort();
  const own = certificates('kube-api');
  mkdirSync(join(folder, 'kube'));
  execFileSync('openssl', ['genrsa', '-out', join(folder, 'sa.key'), '2048'], { stdio: 'pipe' });
  // Who may do what: an administrator, and the webhook's service account with nothing but what deploy/ gives it.
  writeFileSync(join(folder, 'tokens.csv'),
    'admin-token,admin,1,system:masters\nhook-token,system:serviceaccount:pumice-system:pumice-webhook,2\n');
  writeFileSync(join(folder, 'hook-token'), 'hook-token');
  const etcd = `http://127.0.0.1:${etcdPort}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  run('etcd', '--name', 'one', '--data-dir', join(folder, 'etcd'), '--listen-client-urls', etcd, '--advertise-client-urls', etcd,
    '--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `one=${peer}`, '--unsafe-no-fsync');
  run('kube-apiserver', '--etcd-servers', etcd, '--bind-address=127.0.0.1', '--advertise-address=127.0.0.1', `--secure-port=${port}`,
    '--tls-cert-file', join(own.folder, 'tls.crt'), '--tls-private-key-file', join(own.folder, 'tls.key'), '--cert-dir', join(folder, 'kube'),
    '--service-account-issuer=https://kubernetes.default.svc', '--service-account-key-file', join(folder, 'sa.key'),
    '--service-account-signing-key-file', join(folder, 'sa.key'), '--token-auth-file', join(folder, 'tokens.csv'),
    '--authorization-mode=RBAC', '--service-cluster-ip-range=10.0.0.0/24', '--disable-admission-plugins=ServiceAccount',
    '--endpoint-reconciler-type=none');
  api = { port, ca: own.ca };
  writeFileSync(kubeconfig, JSON.stringify({
    apiVersion: 'v1', kind: 'Config', 'current-context': 'test',
    clusters: [{ name: 'test', cluster: { server: `https://127.0.0.1:${port}`, 'certificate-authority': join(own.folder, 'ca.crt') } }],
    users: [{ name: 'admin', user: { token: 'admin-token' } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin', namespace: 'team' } }],
  }));
  await until('the API server is ready', () => kubectl(['get', '--raw', '/readyz']).status === 0, 120_000).catch((error) => {
    console.log(readFileSync(join(folder, 'kube-apiserver.log'), 'utf8').slice(-5000));
    throw error;
  });
  must(['apply', '-f', join(here, 'crds.yaml')]);
  must(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);
  for (const name of ['team', 'free', 'pumice-system']) must(['create', 'namespace', name]);
  must(['label', 'namespace', 'free', 'pumice.dev/webhook=ignore']);
  must(['apply', '-n', 'pumice-system', '-f', join(deploy, 'rbac.yaml')]);

  tls = certificates('hook', '--keep-ca-key');
  const config = join(folder, 'lint.yaml');
  writeFileSync(config, 'apiVersion: pumice.dev/v1\nkind: LintConfig\ndeny: [cron.lint.never-fires]\nwarn: [job.lint]\n');
  webhook = await start(tls, '--config', config, '--queues-from-cluster', '--kube-api', `https://127.0.0.1:${port}`,
    '--kube-ca', join(own.folder, 'ca.crt'), '--kube-token', join(folder, 'hook-token'));
  // As deployed, but that there is no Service to go through.
  const hooks = must(['create', '--dry-run=client', '-o', 'json', '-f', join(deploy, 'webhooks.yaml')]).out;
  const objects = hooks.trim().split(/\n(?=\{)/).map((text) => JSON.parse(text)).flatMap((one) => one.items ?? [one]);
  assert.equal(objects.length, 2);
  for (const object of objects) {
    for (const hook of object.webhooks) {
      hook.clientConfig = { url: `https://127.0.0.1:${webhook.port}${hook.clientConfig.service.path}`, caBundle: tls.bundle };
    }
    must(['apply', '-f', '-'], object);
  }
  must(['apply', '-f', '-'], { apiVersion: 'scheduling.volcano.sh/v1beta1', kind: 'Queue', metadata: { name: 'default' }, spec: {} });
  must(['patch', 'queue', 'default', '--subresource=status', '--type=merge', '-p', '{"status":{"state":"Open"}}']);
  await until('the webhook knows the queue', () => webhook.log.some((line) => line.event === 'queues_listed'));
  // Registered webhooks take a moment to be called.
  await until('the webhooks are called', () => /denied the request/.test(apply(named(volcanoJob({ minAvailable: 9 }), 'probe'), '--dry-run=server').err), 30_000);
}, { timeout: 180_000 });

after(async () => {
  if (webhook) await webhook.stop();
  for (const child of children) child.kill('SIGTERM');
});

test('a good Volcano Job is taken, with its defaults', () => {
  const bare = volcanoJob();
  delete bare.spec.queue;
  delete bare.spec.minAvailable;
  must(['apply', '-f', '-'], named(bare, 'good'));
  const { spec } = JSON.parse(must(['get', 'vcjob', 'good', '-o', 'json']).out);
  assert.equal(spec.queue, 'default');
  assert.equal(spec.schedulerName, 'volcano');
  assert.equal(spec.maxRetry, 3);
  assert.equal(spec.minAvailable, 2);
  assert.equal(spec.tasks[0].minAvailable, 2);
});

test('a bad one is refused in the words of Volcano', () => {
  const { status, err } = apply(named(volcanoJob({ minAvailable: 9 }), 'bad'));
  assert.equal(status, 1);
  assert.match(err, /admission webhook "validate\.volcano\.pumice\.dev" denied the request: job 'minAvailable' should not be greater than total replicas in tasks;/);
  const update = apply(named(volcanoJob({ queue: 'default', maxRetry: 7 }), 'good'));
  assert.equal(update.status, 1);
  assert.match(update.err, /job updates may not change fields other than/);
});

test('surprises are warnings', () => {
  const { status, err } = apply(named(volcanoJob({ policies: [{ event: 'PodPending', action: 'AbortJob' }] }), 'pending'));
  assert.equal(status, 0, err);
  assert.match(err, /Warning: .*\[volcano\.lint\.pending-without-timeout\]/);
  const kubernetes = apply(named(kubeJob({ backoffLimit: 0 }), 'one-try'));
  assert.equal(kubernetes.status, 0, kubernetes.err);
  assert.match(kubernetes.err, /Warning: .*\[job\.lint\.backoff-limit-zero\]/);
  const cron = apply(named(kubeCronJob({ schedule: '*/7 * * * *' }), 'uneven'));
  assert.equal(cron.status, 0, cron.err);
  assert.match(cron.err, /Warning: .*\[cron\.lint\.uneven-step\]/);
});

test('the lint configuration denies', () => {
  const { status, err } = apply(named(kubeCronJob({ schedule: '0 0 30 2 *' }), 'never'));
  assert.equal(status, 1);
  assert.match(err, /admission webhook "validate\.batch\.pumice\.dev" denied the request: denied by the lint configuration: .*\[cron\.lint\.never-fires\]/);
});

test('dry runs and server-side apply', () => {
  assert.equal(apply(named(volcanoJob(), 'dry'), '--dry-run=server').status, 0);
  assert.equal(kubectl(['get', 'vcjob', 'dry']).status, 1);
  must(['apply', '--server-side', '-f', '-'], named(volcanoJob(), 'served'));
  assert.match(kubectl(['apply', '--server-side', '-f', '-'], named(volcanoJob({ minAvailable: 9 }), 'served-bad')).err, /denied the request/);
});

test('queues of the cluster are followed with what deploy/ allows', async () => {
  const job = named(volcanoJob({ queue: 'blue' }), 'blue');
  assert.match(apply(job).err, /unable to find job queue: queue\.scheduling\.volcano\.sh "blue" not found;/);
  must(['apply', '-f', '-'], { apiVersion: 'scheduling.volcano.sh/v1beta1', kind: 'Queue', metadata: { name: 'blue' }, spec: {} });
  await until('the queue is seen', () => /queue `blue` status is ``/.test(apply(job, '--dry-run=server').err));
  must(['patch', 'queue', 'blue', '--subresource=status', '--type=merge', '-p', '{"status":{"state":"Open"}}']);
  await until('the queue is open', () => apply(job, '--dry-run=server').status === 0);
  must(['delete', 'queue', 'blue']);
  await until('the queue is gone', () => apply(job, '--dry-run=server').status === 1);
});

test('namespaces that are left out, and objects that are being deleted', () => {
  assert.equal(apply(named(volcanoJob({ minAvailable: 9 }), 'free', 'free')).status, 0);
  const held = named(volcanoJob(), 'held');
  held.metadata.finalizers = ['pumice.dev/test'];
  must(['apply', '-f', '-'], held);
  must(['delete', 'vcjob', 'held', '--wait=false']);
  // Even a change that would be refused.
  must(['patch', 'vcjob', 'held', '--type=merge', '-p', '{"metadata":{"finalizers":[]},"spec":{"queue":"none"}}']);
  assert.equal(kubectl(['get', 'vcjob', 'held']).status, 1);
});

test('Kubernetes itself says what `pumice validate` foretells', async () => {
  const job = (spec, name = 'j') => named(kubeJob(spec), name);
  const cron = (spec, name = 'c') => named(kubeCronJob(spec), name);
  const pod = kubeJob().spec.template.spec;
  const withPod = (more) => job({ template: { spec: { ...pod, ...more } } });
  const objects = [
    job(), job({ parallelism: -1 }), job({ backoffLimit: -1, parallelism: -2 }), job({ completionMode: 'Indexed', completions: null }),
    job({ completionMode: 'Odd' }), job({ activeDeadlineSeconds: -1, ttlSecondsAfterFinished: -1 }), job({ maxFailedIndexes: 1 }),
    job({ backoffLimitPerIndex: 1 }), job({ podReplacementPolicy: 'Never' }), job({ managedBy: 'x' }),
    job({ podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [0] } }] } }),
    job({ podFailurePolicy: { rules: [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [3, 2] } }] } }),
    job({ successPolicy: { rules: [{ succeededCount: 1 }] } }),
    withPod({ restartPolicy: 'Always' }), withPod({ restartPolicy: 'Sometimes' }), withPod({ containers: [] }),
    withPod({ containers: [{ name: 'A', image: 'x' }] }), withPod({ containers: [{ name: 'a' }, { name: 'a', image: 'x' }] }),
    withPod({ containers: [{ name: 'a', image: 'x', resources: { requests: { cpu: '-1' } } }] }),
    withPod({ containers: [{ name: 'a', image: 'x', resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }] }),
    withPod({ containers: [{ name: 'a', image: 'x', ports: [{ containerPort: 0 }] }] }),
    withPod({ containers: [{ name: 'a', image: 'x', volumeMounts: [{ name: 'none', mountPath: '/x' }] }] }),
    withPod({ containers: [{ name: 'a', image: 'x', env: [{ name: '' }] }] }),
    withPod({ volumes: [{ name: 'v', emptyDir: {} }, { name: 'v', emptyDir: {} }] }),
    withPod({ tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }] }), withPod({ dnsPolicy: 'None' }),
    job({}, 'Bad_Name'), job({}, 'x'.repeat(64)),
    cron(), cron({ schedule: 'x' }), cron({ schedule: 'TZ=UTC * * * * *' }), cron({ timeZone: 'No/Where' }), cron({ timeZone: 'Local' }),
    cron({ concurrencyPolicy: 'Maybe' }), cron({ successfulJobsHistoryLimit: -1 }), cron({ startingDeadlineSeconds: -1 }),
    cron({}, 'x'.repeat(53)), cron({ jobTemplate: { spec: { template: { spec: { ...pod, restartPolicy: 'Always' } } } } }),
  ];
  const differences = [];
  for (const object of objects) {
    const plural = object.kind === 'Job' ? 'jobs' : 'cronjobs';
    const real = await serverSays(`/apis/batch/v1/namespaces/team/${plural}`, object);
    const foretold = JSON.parse(spawnSync(binary, ['validate', '-', '--output', 'json'], { input: JSON.stringify(object), encoding: 'utf8' }).stdout);
    const said = foretold.objects[0].message ?? '';
    if (real !== said) differences.push({ spec: object.spec, name: object.metadata.name, real, said });
  }
  assert.deepEqual(differences, []);
});

test('a new certificate of the same authority is taken', async () => {
  execFileSync(binary, ['webhook', 'certificate', '--out', tls.folder, '--dns', 'localhost', '--ip', '127.0.0.1', '--force'], { stdio: 'pipe' });
  await until('the new certificate', () => webhook.log.filter((line) => line.event === 'certificate_loaded').length > 1);
  assert.equal(apply(named(volcanoJob(), 'rotated')).status, 0);
});

test('with the webhook down Volcano Jobs are refused, those of Kubernetes not', async () => {
  assert.equal(await webhook.stop(), 0);
  const refused = apply(named(volcanoJob(), 'down'));
  assert.equal(refused.status, 1);
  assert.match(refused.err, /failed calling webhook/);
  assert.equal(apply(named(kubeJob(), 'still')).status, 0);
  webhook = undefined;
});
