"""What the API server holds, what fails there, and the list of effects; a job as a controller holds it."""

import copy

from basics import format_duration, parse_duration
from decide import BATCH, OUT_OF_SYNC, meta
from plugins import Failure

OUTCOMES = {'NotFound': 'not found', 'AlreadyExists': 'already exists', 'Conflict': 'conflict',
            'Forbidden': 'forbidden', 'Timeout': 'timed out', 'Other': 'error'}
GROUP = 'scheduling.volcano.sh/v1beta1'
COUNTS = ('pending', 'running', 'succeeded', 'failed', 'unknown', 'terminating')


def drop_empty(fields):
    return {name: value for name, value in fields.items() if value not in (None, '', [], {}) and
            (value is False or value != 0)}


class Job:
    """A job as a controller holds it: typed status, a spec of its own."""

    def __init__(self, raw):
        self.raw = copy.deepcopy(raw)
        self.meta, self.spec = self.raw.setdefault('metadata', {}), self.raw.setdefault('spec', {})
        self.name, self.namespace = self.meta.get('name') or '', self.meta.get('namespace') or ''
        self.uid, self.tasks = self.meta.get('uid') or '', self.spec.get('tasks') or []
        self.status = read_status(self.raw.get('status') or {})

    def phase(self):
        return self.status['state'].get('phase') or ''

    def pod_spec(self, task):
        return ((task.get('template') or {}).get('spec')) or {}

    def resources(self):
        return self.status['controlledResources']

    def owner(self):
        return {'apiVersion': BATCH, 'kind': 'Job', 'name': self.name, 'uid': self.uid, 'controller': True,
                'blockOwnerDeletion': True}


def read_status(raw):
    status = {name: raw.get(name) or 0 for name in COUNTS + ('minAvailable', 'version', 'retryCount')}
    status['state'] = dict(raw.get('state') or {})
    status['taskStatusCount'] = copy.deepcopy(raw.get('taskStatusCount') or {})
    status['controlledResources'] = dict(raw.get('controlledResources') or {})
    status['conditions'] = [dict(c) for c in raw.get('conditions') or []]
    status['runningDuration'] = raw.get('runningDuration')
    return status


def write_status(status):
    out = copy.deepcopy(status)
    out['state'] = drop_empty(out['state'])
    if out['runningDuration'] is not None:
        out['runningDuration'] = format_duration(parse_duration(out['runningDuration']))
    state = out.pop('state')
    out = drop_empty(out)
    out['state'] = state
    return out


class World:
    """The API server: what it holds, what fails, and the list of effects."""

    def __init__(self, args):
        self.now = args['now']
        self.job = copy.deepcopy(args['job'])
        name, namespace = meta(self.job).get('name') or '', meta(self.job).get('namespace') or ''
        self.where = (namespace, name)
        self.pods = {}
        for pod in args.get('pods') or []:
            self.pods.setdefault((meta(pod).get('namespace') or '', meta(pod).get('name') or ''), copy.deepcopy(pod))
        group = args.get('podGroup')
        self.groups = {(meta(group).get('namespace') or '', meta(group).get('name') or ''): copy.deepcopy(group)} \
            if group else {}
        self.claims = {(meta(c).get('namespace') or '', meta(c).get('name') or '') for c in args.get('claims') or []}
        self.objects = set()
        version = meta(self.job).get('resourceVersion') or ''
        self.revision = int(version) if version.isdigit() else 0
        self.failures = [dict(f) for f in args.get('failures') or []]
        self.effects, self.made = [], 0

    def result(self, effect, name, natural='ok'):
        for failure in self.failures:
            if failure['effect'] == effect and failure.get('name', name) == name and failure.get('times', 1) > 0:
                if 'times' in failure:
                    failure['times'] -= 1
                return OUTCOMES[failure['code']]
        return natural

    def effect(self, effect, name, result, namespace=None, **more):
        self.effects.append(dict(effect=effect, name=name, result=result,
                                 namespace=self.where[0] if namespace is None else namespace, **copy.deepcopy(more)))
        return result

    def event(self, reason, message):
        self.effects.append({'effect': 'EmitEvent', 'type': 'Warning', 'reason': reason, 'message': message})

    def next_revision(self):
        self.revision += 1
        return str(self.revision)

    # Jobs.
    def update_job(self, job):
        result = self.effect('UpdateJob', job.name, self.result('UpdateJob', job.name), metadata=job.meta, spec=job.spec)
        if result != 'ok':
            raise Failure('the job could not be written: ' + result)
        job.meta['resourceVersion'] = self.next_revision()
        self.job['metadata'], self.job['spec'] = copy.deepcopy(job.meta), copy.deepcopy(job.spec)

    def write_status(self, job):
        status = write_status(job.status)
        result = self.effect('UpdateJobStatus', job.name, self.result('UpdateJobStatus', job.name), status=status)
        if result == 'ok':
            self.job['status'] = copy.deepcopy(status)
            self.job['metadata']['resourceVersion'] = job.meta['resourceVersion'] = self.next_revision()
        return result

    # Pods.
    def create_pod(self, pod):
        where = (pod['metadata']['namespace'], pod['metadata']['name'])
        result = self.result('CreatePod', where[1], 'already exists' if where in self.pods else 'ok')
        self.effect('CreatePod', where[1], result, pod=pod)
        if result == 'ok':
            made = copy.deepcopy(pod)
            made['metadata'].update(uid='uid-' + where[1], resourceVersion=self.next_revision())
            made['status'] = {'phase': 'Pending'}
            self.pods[where] = made
        return result

    def touch_pod(self, effect, pod):
        where = (meta(pod).get('namespace') or '', meta(pod).get('name') or '')
        result = self.result(effect, where[1], 'ok' if where in self.pods else 'not found')
        self.effect(effect, where[1], result, namespace=where[0])
        if result == 'ok':
            kept = self.pods[where]['metadata']
            if effect == 'MarkPod':
                kept.setdefault('annotations', {})[OUT_OF_SYNC] = 'true'
            else:
                kept.setdefault('deletionTimestamp', self.now)
        return result

    # PodGroups and everything else.
    def find_group(self, job):
        for name in ('%s-%s' % (job.name, job.uid), job.name):
            if (job.namespace, name) in self.groups:
                return self.groups[(job.namespace, name)]
        return None

    def write_group(self, effect, group):
        where = (meta(group)['namespace'], meta(group)['name'])
        group = form_of_group(group)
        result = self.effect(effect, where[1], self.result(effect, where[1]), podGroup=group)
        if result == 'ok':
            self.groups[where] = copy.deepcopy(group)
        if result != 'ok' and not (effect == 'CreatePodGroup' and result == 'already exists'):
            raise Failure('the PodGroup could not be written: ' + result)

    def create(self, kind, version, name, body, text=None, strict=False):
        found = 'already exists' if (kind, name) in self.objects else 'ok'
        full = dict(body, apiVersion=version, kind=kind, metadata={
            'name': name, 'namespace': self.where[0], 'ownerReferences': [Job(self.job).owner()]})
        result = self.effect('CreateObject', name, self.result('CreateObject', name, found), kind=kind, object=full)
        if result == 'ok':
            self.objects.add((kind, name))
        if result != 'ok' and (strict or result != 'already exists'):
            raise Failure((text or '%s %s: %%s' % (kind, name)) % result)

    def remove(self, kind, name):
        found = 'ok' if (kind, name) in self.objects else 'not found'
        result = self.effect('DeleteObject', name, self.result('DeleteObject', name, found), kind=kind)
        if result not in ('ok', 'not found'):
            raise Failure('%s %s: %s' % (kind, name, result))

    def random_name(self, prefix):
        self.made += 1
        return prefix + 'rnd%09d' % self.made


def add_condition(status, now):
    phase = status['state'].get('phase') or ''
    status['state']['lastTransitionTime'] = now
    status['conditions'] = [c for c in status['conditions'] if (c.get('status') or '') != phase]
    status['conditions'].append(drop_empty({'status': phase, 'lastTransitionTime': now}))


def form_of_group(group):
    group = dict(group, apiVersion=GROUP, kind='PodGroup')
    group.setdefault('metadata', {})
    group.setdefault('spec', {})
    if not group.get('status'):
        group.pop('status', None)
    return group
