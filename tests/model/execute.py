"""One action on one job: sync (section 8), kill (9), against a store that can fail."""

import copy

import callbacks
import decide
import plugins
from basics import duration_between, format_duration, parse_duration
from decide import OUT_OF_SYNC, PARTITION, annotations, job_phase, labels, meta
from groups import create_or_update_group, group_event
from plugins import Failure
from pods import FORWARDING, build_pod, count_pod, gate_open
from store import COUNTS, Job, World, add_condition, form_of_group


def counted(number, what):
    return '%d pod%s could not be %s' % (number, '' if number == 1 else 's', what)


def claims_step(world, job):
    generated = False
    for volume in job.spec.get('volumes') or []:
        claim = volume.get('volumeClaimName') or ''
        if not claim:
            claim = volume['volumeClaimName'] = world.random_name(job.name + '-pvc-')
            generated = True
            if volume.get('volumeClaim') is not None:
                world.create('PersistentVolumeClaim', 'v1', claim, {'spec': volume['volumeClaim']}, strict=True)
        elif (job.namespace, claim) not in world.claims:
            raise Failure('pvc %s is not found, the job will be in the Pending state until the PVC is created' % claim)
        job.resources()['volume-pvc-' + claim] = claim
    if generated:
        world.update_job(job)


def step(world, reason, prefix, work, *rest):
    try:
        work(*rest)
    except Failure as failure:
        world.event(reason, prefix + str(failure))
        raise


def first_status(world, job):
    if job.phase():
        return
    job.status['state']['phase'] = 'Pending'
    job.status['minAvailable'] = job.spec.get('minAvailable') or 0
    add_condition(job.status, world.now)
    result = world.write_status(job)
    if result != 'ok':
        raise Failure('the first status could not be written: ' + result)


def save(world, job):
    result = world.write_status(job)
    if result != 'ok':
        raise Failure('the status could not be written: ' + result)


def sync(world, job, cached, function, queue):
    if queue is None or (meta(queue).get('name') or '') != (job.spec.get('queue') or ''):
        raise Failure('queue `%s` not found' % (job.spec.get('queue') or ''))
    forwarding = bool((queue.get('spec') or {}).get('extendClusters'))

    def forward():
        job.meta['annotations'] = dict(job.meta.get('annotations') or {}, **{FORWARDING: 'true'})
        world.update_job(job)
    if forwarding:
        forward()
    starting = job.phase() in ('', 'Pending')
    if starting:
        step(world, 'JobStatusError', '', first_status, world, job)
    step(world, 'PluginError', 'Execute plugin when job add failed, err: ', plugins.run, job,
         'add' if starting else 'update', world)
    if starting:
        step(world, 'PVCError', 'Failed to create PVC, err: ', claims_step, world, job)
    step(world, 'PodGroupError', '', create_or_update_group, world, job)
    if forwarding:
        kept = job.meta.get('resourceVersion')
        forward()
        job.meta['resourceVersion'] = kept
    group = world.find_group(job)
    if group is not None:
        group_event(world, job, group)
    if group is None or decide.phase_of(group) in ('', 'Pending'):
        before = job.phase()
        decide.apply_function(function, job.status, job.spec)
        if job.phase() != before:
            add_condition(job.status, world.now)
            save(world, job)
        return
    full_sync(world, job, cached, function, forwarding)


def full_sync(world, job, cached, function, forwarding):
    status = copy.deepcopy(job.status)
    status.update({name: 0 for name in COUNTS}, taskStatusCount={}, runningDuration=None,
                  minAvailable=job.spec.get('minAvailable') or 0)
    create, delete = [], []
    for task in job.tasks:
        name, wanted = task.get('name') or '', []
        pods = dict(cached.of_task((job.namespace, job.name), name))
        for index in range(task.get('replicas') or 0):
            pod = pods.pop('%s-%s-%d' % (job.name, name, index), None)
            if pod is None:
                new = build_pod(world, job, task, index, forwarding)
                plugins.run(job, 'pod', new)
                wanted.append(new)
            elif meta(pod).get('deletionTimestamp'):
                status['terminating'] += 1
            else:
                if OUT_OF_SYNC in annotations(pod):
                    delete.append(pod)
                count_pod(status, pod)
        delete += [pods[key] for key in sorted(pods)]
        create.append((task, wanted))

    failed = 0
    for task, wanted in create:
        if not wanted or not gate_open(world, job, task):
            continue
        for pod in wanted:
            result = world.create_pod(pod)
            if result == 'ok':
                count_pod(status, world.pods[(job.namespace, pod['metadata']['name'])])
            elif result != 'already exists':
                failed += 1
    if failed:
        world.event('FailedCreate', counted(failed, 'created'))
        raise Failure(counted(failed, 'created'))

    for pod in delete:
        if world.touch_pod('DeletePod', pod) in ('ok', 'not found'):
            status['terminating'] += 1
        else:
            failed += 1
    if failed:
        world.event('FailedDelete', counted(failed, 'deleted'))
        raise Failure(counted(failed, 'deleted'))

    decide.apply_function(function, status, job.spec)
    same = status == job.status and status['taskStatusCount']
    if same:
        return
    job.status = status
    add_condition(job.status, world.now)
    save(world, job)


def select(job, cached, retain, target):
    """Selected pods, and how many terminate already; None: nothing to do at all."""
    mine = cached.pods.get((job.namespace, job.name), {})

    def ordered_pods(task):
        """Those of the wanted indexes first; appendix A lets a port choose an order."""
        spec, pods = decide.find_task({'spec': job.spec}, task) or {}, dict(mine.get(task, {}))
        names = ['%s-%s-%d' % (job.name, task, index) for index in range(spec.get('replicas') or 0)]
        return [pods.pop(name) for name in names if name in pods] + [pods[name] for name in sorted(pods)]
    if target is not None:
        kind, task = target.get('type') or '', target.get('taskName') or ''
        ordered = ordered_pods(task)
        if kind == 'task':
            return ordered, 0
        if kind == 'pod':
            return [p for p in ordered if meta(p)['name'] == (target.get('podName') or '')], 0
        if kind == 'partition':
            spec, wanted = decide.find_task({'spec': job.spec}, task), target.get('partition') or ''
            if spec is None or spec.get('partitionPolicy') is None or not wanted:
                return None, 0
            chosen = [p for p in sorted(ordered, key=lambda p: meta(p)['name']) if (labels(p).get(PARTITION) or '') == wanted]
            return (chosen or None), 0
        return [], 0
    if job.status['retryCount'] >= (job.spec.get('maxRetry') or 0) - 1:
        retain = decide.SOFT
    selected, terminating = [], 0
    listed = [task.get('name') or '' for task in job.tasks]
    for task in listed + sorted(set(mine) - set(listed)):
        for pod in ordered_pods(task):
            if meta(pod).get('deletionTimestamp'):
                terminating += 1
            elif decide.phase_of(pod) not in retain:
                selected.append(pod)
    return selected, terminating


def kill(world, job, cached, function, retain, target):
    selected, terminating = select(job, cached, retain, target)
    if selected is None:
        return 'EmptyPartition'
    if target is None:
        job.status['version'] += 1
    unmarked, kept, undeleted = 0, [], 0
    for pod in selected:
        if world.touch_pod('MarkPod', pod) in ('ok', 'not found'):
            kept.append(pod)
        else:
            unmarked += 1
    for pod in kept:
        if meta(pod).get('deletionTimestamp') or world.touch_pod('DeletePod', pod) in ('ok', 'not found'):
            terminating += 1
        else:
            undeleted += 1
    if unmarked or undeleted:
        text = ', '.join(counted(n, what) for n, what in ((unmarked, 'marked'), (undeleted, 'deleted')) if n)
        world.event('FailedDelete', text)
        raise Failure(text)

    status = job.status
    status.update({name: 0 for name in COUNTS}, taskStatusCount={}, terminating=terminating)
    if decide.apply_function(function, status, job.spec):
        add_condition(status, world.now)
    status['runningDuration'] = format_duration(duration_between(
        job.meta.get('creationTimestamp'), status['state'].get('lastTransitionTime')))
    plugins.run(job, 'delete', world)
    result = world.write_status(job)
    if result == 'not found':
        return 'Executed'
    if result != 'ok':
        raise Failure('the status could not be written: ' + result)
    if target is None:
        group = world.find_group(job)
        if group is not None:
            name = meta(group)['name']
            result = world.effect('DeletePodGroup', name, world.result('DeletePodGroup', name))
            if result == 'ok':
                del world.groups[(job.namespace, name)]
            elif result != 'not found':
                raise Failure('the PodGroup could not be deleted: ' + result)
    return 'Executed'


def form_of_job(job):
    job = dict({'apiVersion': decide.BATCH, 'kind': 'Job'}, **job)
    spec = job.setdefault('spec', {})
    for owner in [spec] + (spec.get('tasks') or []):
        for policy in owner.get('policies') or []:
            if policy.get('timeout') is not None:
                policy['timeout'] = format_duration(parse_duration(policy['timeout']))
            if not policy.get('action'):
                policy.pop('action', None)
    return job


def execute(args):
    args = dict(args, job=form_of_job(copy.deepcopy(args['job'])))
    world, job = World(args), Job(args['job'])
    cached = callbacks.Cache([args['job']], args.get('pods') or [])
    outcome, error = 'Executed', None
    action = args['action']
    try:
        if job.meta.get('deletionTimestamp'):
            outcome = 'JobDeleting'
        else:
            operation, retain, function = decide.choose(job_phase(args['job']), action.get('action') or '')
            if operation == 'sync':
                queue = args.get('queue')
                if queue is None:
                    queue = {'metadata': {'name': job.spec.get('queue') or ''}} if job.spec.get('queue') else None
                sync(world, job, cached, function, queue)
            else:
                target = (action.get('target') or {}) if operation == 'killTarget' else None
                outcome = kill(world, job, cached, function, retain, target)
    except Failure as failure:
        outcome, error = 'Requeued', str(failure)
    group = world.find_group(job) or next(iter(world.groups.values()), None)
    answer = {'effects': world.effects, 'job': world.job, 'outcome': outcome, 'podGroup': group and form_of_group(group),
              'pods': list(world.pods.values())}
    if error is not None:
        answer['error'] = error
    return answer
