"""Building pods (section 8.5), the gate before them (8.6), and counting them (8.4)."""

import copy

import decide
from decide import PARTITION, TASK, annotations

FORWARDING = 'volcano.sh/job-forwarding'


def build_pod(world, job, task, index, forwarding):
    template = task.get('template') or {}
    spec, name = copy.deepcopy(template.get('spec') or {}), task.get('name') or ''
    if not spec.get('schedulerName') and job.spec.get('schedulerName'):
        spec['schedulerName'] = job.spec['schedulerName']
    if not spec.get('priorityClassName') and job.spec.get('priorityClassName'):
        spec['priorityClassName'] = job.spec['priorityClassName']
    seen = set()
    for volume in job.spec.get('volumes') or []:
        claim = volume.get('volumeClaimName') or ''
        if claim in seen:
            continue
        seen.add(claim)
        made = world.random_name(job.name + '-')
        spec.setdefault('volumes', []).append({'name': made, 'persistentVolumeClaim': {'claimName': claim}})
        for container in spec.get('containers') or []:
            container.setdefault('volumeMounts', []).append({'name': made, 'mountPath': volume.get('mountPath') or ''})

    about, queue = template.get('metadata') or {}, job.spec.get('queue') or ''
    notes, tags = dict(about.get('annotations') or {}), dict(about.get('labels') or {})
    common = {'volcano.sh/task-index': str(index), TASK: name or 'default', decide.JOB_NAME: job.name,
              'volcano.sh/queue-name': queue}
    notes.update(common)
    notes.update({'scheduling.k8s.io/group-name': '%s-%s' % (job.name, job.uid),
                  decide.VERSION: str(job.status['version']), 'volcano.sh/template-uid': '%s-%s' % (job.name, name),
                  'volcano.sh/job-retry-count': str(job.status['retryCount'])})
    if task.get('topologyPolicy'):
        notes['volcano.sh/numa-topology-policy'] = task['topologyPolicy']
    given = job.meta.get('annotations') or {}
    for key in ('preemptable', 'cooldown-time', 'revocable-zone'):
        if 'volcano.sh/' + key in given:
            notes['volcano.sh/' + key] = given['volcano.sh/' + key]
    for key in ('volcano.sh/jdb-min-available', 'volcano.sh/jdb-max-unavailable'):
        if key in given:
            notes[key] = given[key]
            break
    tags.update(common)
    tags['volcano.sh/job-namespace'] = job.namespace
    for key in ('volcano.sh/preemptable', 'volcano.sh/cooldown-time'):
        if key in (job.meta.get('labels') or {}):
            tags[key] = job.meta['labels'][key]
    if forwarding:
        notes[FORWARDING] = tags[FORWARDING] = 'true'
    if task.get('partitionPolicy') is not None:
        size = task['partitionPolicy'].get('partitionSize') or 0
        tags[PARTITION] = str(index // size if size > 0 else 0)
    return {'apiVersion': 'v1', 'kind': 'Pod', 'spec': spec, 'metadata': {
        'name': '%s-%s-%d' % (job.name, name, index), 'namespace': job.namespace, 'annotations': notes, 'labels': tags,
        'ownerReferences': [job.owner()]}}


def task_ready(world, job, name):
    task = decide.find_task({'spec': job.spec}, name)
    if task is None:
        raise ValueError('a task depends on %s, which is no task: the specification leaves open what follows' % name)
    count = 0
    for index in range(task.get('replicas') or 0):
        pod = world.pods.get((job.namespace, '%s-%s-%d' % (job.name, name, index)))
        phase = decide.phase_of(pod) if pod is not None else ''
        statuses = pod['status'].get('containerStatuses') or [] if phase == 'Running' else []
        count += phase == 'Succeeded' or phase == 'Running' and all(s.get('ready') for s in statuses)
    return task.get('minAvailable') is None or count >= task['minAvailable']


def gate_open(world, job, task):
    waits = task.get('dependsOn')
    if waits is None:
        return True
    names = waits.get('name') or []
    ready = (task_ready(world, job, name) for name in names)
    return any(ready) if len(names) > 1 and waits.get('iteration') == 'any' else all(ready)


def count_pod(status, pod):
    phase = decide.phase_of(pod)
    if phase not in ('Pending', 'Running', 'Succeeded', 'Failed'):
        phase = 'Unknown'
    status[phase.lower()] += 1
    if TASK in annotations(pod):
        by_phase = status['taskStatusCount'].setdefault(annotations(pod)[TASK], {'phase': {}})['phase']
        by_phase[phase] = by_phase.get(phase, 0) + 1
