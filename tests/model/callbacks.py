"""Callbacks and the requests they make (section 3), with the part of the job cache they need (10)."""

from basics import format_duration, format_quantity, parse_duration, parse_quantity
from decide import BATCH, JOB_NAME, OUT_OF_SYNC, PARTITION, TASK, VERSION, annotations, controller_of, find_task, int32, \
    job_phase, labels, meta, owned_by_job, phase_of


class Dropped(Exception):
    def __init__(self, code, detail=None):
        self.code, self.detail = code, detail


class Cache:
    """The job cache (section 10), as far as one callback can see it."""

    def __init__(self, jobs, pods):
        self.jobs = {}
        for job in jobs:
            self.jobs.setdefault((meta(job).get('namespace') or '', meta(job).get('name') or ''), job)
        self.pods = {}
        for pod in pods:
            try:
                self.add(pod)
            except Dropped:
                pass

    def add(self, pod):
        read_pod(pod, (JOB_NAME, VERSION, TASK))
        self.pods.setdefault(self.key(pod), {}).setdefault(annotations(pod)[TASK], {}) \
            .setdefault(meta(pod).get('name') or '', pod)

    def key(self, pod):
        return (meta(pod).get('namespace') or '', annotations(pod)[JOB_NAME])

    def of_task(self, key, task):
        return self.pods.get(key, {}).get(task, {})

    def has(self, pod):
        return (meta(pod).get('name') or '') in self.of_task(self.key(pod), annotations(pod)[TASK])

    def update(self, pod):
        if self.has(pod):
            self.of_task(self.key(pod), annotations(pod)[TASK])[meta(pod)['name']] = pod

    def task_completed(self, key, task):
        job, pods = self.jobs.get(key), self.of_task(key, task)
        spec = job and find_task(job, task)
        if not pods or not spec or (spec.get('replicas') or 0) <= 0:
            return False
        return sum(phase_of(pod) == 'Succeeded' for pod in pods.values()) >= spec['replicas']

    def task_failed(self, key, task):
        job, pods = self.jobs.get(key), self.of_task(key, task)
        if not job or not pods:
            return False
        spec = find_task(job, task) or {}
        limit = spec.get('maxRetry') or 0
        if not spec.get('replicas') or limit == -1:
            return False
        restarts = 0
        for pod in pods.values():
            if phase_of(pod) in ('Running', 'Pending'):
                for kind in ('initContainerStatuses', 'containerStatuses'):
                    restarts += sum(c.get('restartCount') or 0 for c in pod['status'].get(kind) or [])
        return restarts >= (limit or 3)


def read_pod(pod, order):
    """Checks that let a pod callback through, in the callback's order."""
    if not owned_by_job(pod):
        raise Dropped('NotOfAJob')
    version = None
    for name in order:
        if name not in annotations(pod):
            raise Dropped('AnnotationMissing', name)
        if name == VERSION:
            version = int32(annotations(pod)[VERSION])
            if version is None:
                raise Dropped('VersionUnreadable', annotations(pod)[VERSION])
    return version


def request(**fields):
    answer = {'namespace': '', 'jobName': '', 'jobUid': '', 'taskName': '', 'podName': '', 'podUid': '',
              'partitionId': '', 'event': '', 'action': '', 'exitCode': 0, 'jobVersion': 0}
    answer.update(fields)
    return answer


def pod_request(pod, version, event, code=0):
    return request(namespace=meta(pod).get('namespace') or '', jobName=annotations(pod)[JOB_NAME],
                   jobUid=controller_of(pod).get('uid') or '', taskName=annotations(pod)[TASK],
                   podName=meta(pod).get('name') or '', podUid=meta(pod).get('uid') or '',
                   partitionId=labels(pod).get(PARTITION) or '', event=event, exitCode=code, jobVersion=version)


def exit_code(pod):
    statuses = pod['status'].get('containerStatuses') or []
    terminated = ((statuses[0].get('state') or {}).get('terminated')) if statuses else None
    return (terminated.get('exitCode') or 0) if terminated else 0


def pod_updated(cache, old, new):
    if not owned_by_job(new):
        raise Dropped('NotOfAJob')
    if meta(old).get('resourceVersion') == meta(new).get('resourceVersion'):
        raise Dropped('SameResourceVersion')
    version = read_pod(new, (TASK, JOB_NAME, VERSION))
    cache.update(new)
    key, task = cache.key(new), annotations(new)[TASK]
    before, now, event, code = phase_of(old), phase_of(new), 'OutOfSync', 0
    if now == 'Failed' and before != 'Failed':
        event, code = 'PodFailed', exit_code(new)
    elif now == 'Succeeded' and before != 'Succeeded' and cache.task_completed(key, task):
        event = 'TaskCompleted'
    elif now in ('Running', 'Pending'):
        if before != now:
            event = 'Pod' + now
        elif cache.task_failed(key, task):
            event = 'TaskFailed'
    if OUT_OF_SYNC in annotations(new):
        event = 'OutOfSync'
    return pod_request(new, version, event, code)


def pod_added(pod):
    version = read_pod(pod, (JOB_NAME, VERSION, TASK))
    return pod_request(pod, version, 'OutOfSync' if OUT_OF_SYNC in annotations(pod) else 'PodPending')


def pod_deleted(cache, pod):
    version = read_pod(pod, (TASK, JOB_NAME, VERSION))
    gone = OUT_OF_SYNC in annotations(pod) or not cache.has(pod)
    return pod_request(pod, version, 'OutOfSync' if gone else 'PodEvicted')


OPTIONAL = {'minAvailable', 'minSuccess', 'exitCode', 'highestTierAllowed', 'ttlSecondsAfterFinished'}
POINTERS = {'dependsOn', 'partitionPolicy', 'networkTopology', 'volumeClaim'}


def settled(value, name=''):
    """A spec in one form: absent, empty and zero are one, except where a field is optional."""
    if isinstance(value, dict):
        if name in ('requests', 'limits', 'overhead'):
            return {k: format_quantity(parse_quantity(v)) for k, v in value.items()}
        out = {k: settled(v, k) for k, v in value.items()}
        return {k: v for k, v in out.items() if v not in (None, '', [], {}) and v is not False and v != 0 or
                v == {} and k in POINTERS or v == 0 and k in OPTIONAL and not (k == 'minAvailable' and name == '')}
    if isinstance(value, list):
        return [settled(v, '[]') for v in value]
    if name == 'timeout':
        return format_duration(parse_duration(value))
    return value


def job_callback(kind, old, new):
    if kind == 'delete':
        raise Dropped('NoCallback')
    if kind == 'update':
        if meta(old).get('resourceVersion') == meta(new).get('resourceVersion'):
            raise Dropped('SameResourceVersion')
        if settled(old.get('spec') or {}) == settled(new.get('spec') or {}) and job_phase(old) == job_phase(new):
            raise Dropped('SpecAndPhaseSame')
    return request(namespace=meta(new).get('namespace') or '', jobName=meta(new).get('name') or '', event='OutOfSync')


def pod_group_callback(kind, old, new):
    if kind != 'update':
        raise Dropped('NoCallback')
    if phase_of(old) == phase_of(new):
        raise Dropped('PhaseSame')
    name = meta(new).get('name') or ''
    for owner in meta(new).get('ownerReferences') or []:
        if owner.get('kind') == 'Job':
            name = owner.get('name') or ''
    return request(namespace=meta(new).get('namespace') or '', jobName=name,
                   event='Unknown' if phase_of(new) == 'Unknown' else '')


def command_callback(kind, old, new):
    def passes(command):
        target = (command or {}).get('target')
        return bool(target) and target.get('apiVersion') == BATCH and target.get('kind') == 'Job'
    if kind == 'delete':
        raise Dropped('NoCallback')
    if not passes(new):
        raise Dropped('NoCallback' if kind == 'update' and passes(old) else 'NotForAJob')
    if kind == 'update' and passes(old):
        raise Dropped('NoCallback')
    return request(namespace=meta(new).get('namespace') or '', jobName=new['target'].get('name') or '',
                   event='CommandIssued', action=new.get('action') or '')


def callback(args):
    change = args['change']
    kind, old, new = change['type'], change.get('old'), change.get('new')
    cache = Cache(([args['job']] if args.get('job') else []) + (args.get('jobs') or []), args.get('pods') or [])
    try:
        if change['kind'] == 'Job':
            found = job_callback(kind, old, new)
        elif change['kind'] == 'PodGroup':
            found = pod_group_callback(kind, old, new)
        elif change['kind'] == 'Command':
            found = command_callback(kind, old, new)
        elif kind == 'add':
            found = pod_added(new)
        elif kind == 'update':
            found = pod_updated(cache, old, new)
        else:
            found = pod_deleted(cache, old)
        return {'request': found}
    except Dropped as dropped:
        answer = {'dropped': dropped.code}
        if dropped.detail:
            answer['detail'] = dropped.detail
        return answer
