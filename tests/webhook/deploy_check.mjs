// deploy_check.mjs FOLDER: reads every manifest below FOLDER with the program's own reader of YAML, and holds what
// deploy/README.md promises.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2];
const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.yaml')).sort();
const texts = files.flatMap((file) =>
  readFileSync(join(folder, file), 'utf8').split(/^---$/m).map((text) => ({ file, text })));
const answers = execFileSync(process.env.PUMICE_BIN, ['eval'], {
  input: texts.map(({ text }, id) => JSON.stringify({ id, op: 'yaml.parse', args: { text } })).join('\n') + '\n',
  encoding: 'utf8',
}).trim().split('\n').map((line) => JSON.parse(line));
const objects = answers.map((answer, at) => {
  assert.ok(answer.ok, `${texts[at].file}: ${JSON.stringify(answer.error)}`);
  const object = answer.ok.json;
  assert.ok(object?.apiVersion && object.kind, `${texts[at].file} has a kind`);
  return object;
});
const all = (kind) => objects.filter((object) => object.kind === kind);
const one = (kind) => {
  assert.equal(all(kind).length, 1, kind);
  return all(kind)[0];
};

const deployment = one('Deployment').spec;
assert.ok(deployment.replicas >= 2);
const pod = deployment.template.spec;
assert.equal(pod.securityContext.runAsNonRoot, true);
const [container] = pod.containers;
assert.equal(container.securityContext.readOnlyRootFilesystem, true);
assert.equal(container.securityContext.allowPrivilegeEscalation, false);
assert.deepEqual(container.securityContext.capabilities, { drop: ['ALL'] });
assert.ok(container.resources.requests && container.resources.limits);
assert.ok(container.readinessProbe && container.livenessProbe);
// Every option that is given is one that the program has.
const help = execFileSync(process.env.PUMICE_BIN, ['webhook', '--help'], { encoding: 'utf8' });
for (const argument of container.args.slice(1)) assert.ok(help.includes(argument.split('=')[0]), argument);
assert.ok(pod.terminationGracePeriodSeconds > 35, 'drain delay and drain timeout fit');

assert.deepEqual(one('ClusterRole').rules, [{ apiGroups: ['scheduling.volcano.sh'], resources: ['queues'], verbs: ['list', 'watch'] }]);
assert.ok(one('PodDisruptionBudget').spec.minAvailable >= 1);

const names = new Set();
for (const kind of ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']) {
  for (const hook of one(kind).webhooks) {
    assert.equal(hook.sideEffects, 'None');
    assert.deepEqual(hook.admissionReviewVersions, ['v1']);
    assert.ok(hook.timeoutSeconds >= 1 && hook.timeoutSeconds <= 10);
    assert.ok(['Fail', 'Ignore'].includes(hook.failurePolicy));
    assert.ok(['/mutate', '/validate'].includes(hook.clientConfig.service.path));
    assert.equal(hook.clientConfig.service.name, one('Service').metadata.name);
    // A webhook that holds up its own pods, or Jobs of the API group without need, can lock a cluster.
    assert.ok(hook.namespaceSelector.matchExpressions[0].values.includes('pumice-system'));
    if (hook.rules.some((rule) => rule.apiGroups.includes('batch'))) assert.equal(hook.failurePolicy, 'Ignore');
    assert.ok(!names.has(hook.name), 'names are different');
    names.add(hook.name);
  }
}
console.log(`${objects.length} manifests in ${files.length} files`);
