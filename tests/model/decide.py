"""Objects as JSON, policies (section 5), and the state machine (7)."""

import re

from basics import format_duration, parse_duration

JOB_NAME, TASK, VERSION = 'volcano.sh/job-name', 'volcano.sh/task-spec', 'volcano.sh/job-version'
OUT_OF_SYNC, PARTITION = 'volcano.sh/controller-out-of-sync', 'volcano.sh/partition-id'
BATCH = 'batch.volcano.sh/v1alpha1'


def meta(thing):
    return thing.get('metadata') or {}


def annotations(thing):
    return meta(thing).get('annotations') or {}


def labels(thing):
    return meta(thing).get('labels') or {}


def phase_of(thing):
    return (thing.get('status') or {}).get('phase') or ''


def job_phase(job):
    return ((job.get('status') or {}).get('state') or {}).get('phase') or ''


def controller_of(thing):
    for owner in meta(thing).get('ownerReferences') or []:
        if owner.get('controller'):
            return owner
    return None


def owned_by_job(pod):
    owner = controller_of(pod)
    return owner is not None and owner.get('apiVersion') == BATCH and owner.get('kind') == 'Job'


def int32(text):
    if not re.fullmatch(r'[+-]?[0-9]+', text) or not -2**31 <= int(text) < 2**31:
        return None
    return int(text)


def find_task(job, name):
    for task in (job.get('spec') or {}).get('tasks') or []:
        if (task.get('name') or '') == name:
            return task
    return None


# Policies.

def no_target():
    return {'type': '', 'taskName': '', 'podName': '', 'partition': ''}


def target_of(action, asked):
    target = no_target()
    kinds = {'RestartTask': 'task', 'RestartPod': 'pod', 'RestartPartition': 'partition'}
    if action in kinds:
        target.update(type=kinds[action], taskName=asked.get('taskName') or '')
        if action != 'RestartTask':
            target['podName'] = asked.get('podName') or ''
        if action == 'RestartPartition':
            target['partition'] = asked.get('partitionId') or ''
    return target


def matches(policy, event, code):
    events = list(policy.get('events') or []) + ([policy['event']] if policy.get('event') else [])
    if events and event and (event in events or '*' in events):
        if event != 'PodPending' or policy.get('timeout') is not None:
            return True
    return policy.get('exitCode') is not None and policy['exitCode'] == code


def apply_policies(job, asked):
    spec, event = job.get('spec') or {}, asked.get('event') or ''
    lists = []
    for index, task in enumerate(spec.get('tasks') or []):
        if asked.get('taskName') and (task.get('name') or '') == asked['taskName']:
            lists.append(('spec.tasks[%d].policies' % index, task.get('policies') or []))
            break
    lists.append(('spec.policies', spec.get('policies') or []))

    uid = asked.get('jobUid') or ''
    stale = (asked.get('jobVersion') or 0) < ((job.get('status') or {}).get('version') or 0)
    skip = asked.get('action') or event in ('OutOfSync', 'CommandIssued', 'PodRunning') or \
        (uid and uid != (meta(job).get('uid') or '')) or stale
    action, delay, rule, considered = asked.get('action') or 'SyncJob', 0, '', []
    for path, policies in lists:
        for index, policy in enumerate(policies):
            here = '%s[%d]' % (path, index)
            if skip or rule:
                outcome = 'notConsulted'
            elif matches(policy, event, asked.get('exitCode') or 0):
                outcome, rule, action = 'matched', here, policy.get('action') or ''
                if policy.get('timeout') is not None:
                    delay = parse_duration(policy['timeout'])
            else:
                outcome = 'notMatched'
            considered.append({'path': here, 'outcome': outcome})
    return {'action': action, 'delay': format_duration(delay), 'target': target_of(action, asked),
            'rule': rule, 'considered': considered}


# The state machine: phase x action -> (operation, retain, function).

RESTARTS = ('RestartTask', 'RestartPod', 'RestartPartition')
SOFT = ['Succeeded', 'Failed']


def choose(phase, action):
    if phase in ('Completing', 'Terminating'):
        return 'kill', SOFT, 'drain ' + {'Completing': 'Completed', 'Terminating': 'Terminated'}[phase]
    if phase in ('Completed', 'Terminated', 'Failed'):
        return 'kill', SOFT, None
    if phase in ('Aborting', 'Aborted'):
        if action == 'ResumeJob':
            return 'kill', SOFT, 'restart'
        return 'kill', SOFT, 'drain Aborted' if phase == 'Aborting' else None
    if phase == 'Restarting':
        if action == 'SyncJob':
            return 'sync', None, 'restarting'
        return ('killTarget', None, 'restarting') if action in RESTARTS else ('kill', [], 'restarting')
    if action == 'RestartJob':
        return 'kill', [], 'restart'
    if action in RESTARTS:
        return 'killTarget', None, 'restart'
    to = {'AbortJob': 'Aborting', 'CompleteJob': 'Completing', 'TerminateJob': 'Terminating'}.get(action)
    if to:
        return 'kill', SOFT, 'to ' + to
    return 'sync', None, 'running' if phase == 'Running' else 'pending'


def apply_function(function, status, spec):
    """Edits a typed status; says whether the phase changed."""
    if function is None:
        return False
    name, _, to = function.partition(' ')
    count = lambda field: status.get(field) or 0
    tasks = spec.get('tasks') or []
    total = sum(task.get('replicas') or 0 for task in tasks)
    at_least, moved = spec.get('minAvailable') or 0, None
    if name == 'restart':
        status['retryCount'] = count('retryCount') + 1
        status['state']['phase'] = 'Restarting'
        return True
    if name == 'to':
        status['state']['phase'] = to
        return True
    if name == 'drain':
        moved = None if count('terminating') or count('pending') or count('running') else to
    elif name == 'pending':
        moved = 'Running' if at_least <= count('running') + count('succeeded') + count('failed') else None
    elif name == 'restarting':
        if count('retryCount') >= (spec.get('maxRetry') or 0):
            moved = 'Failed'
        elif total - count('terminating') >= count('minAvailable'):
            moved = 'Pending'
    else:
        moved = leave_running(status, spec, tasks, total, at_least)
    if moved is None:
        return False
    status['state']['phase'] = moved
    return True


def leave_running(status, spec, tasks, total, at_least):
    succeeded, failed = status.get('succeeded') or 0, status.get('failed') or 0
    enough = spec.get('minSuccess')
    if total == 0:
        return None
    if enough is not None and succeeded >= enough:
        return 'Completed'
    if succeeded + failed == total:
        wanted = sum(t['minAvailable'] if t.get('minAvailable') is not None else t.get('replicas') or 0 for t in tasks)
        counts = status.get('taskStatusCount') or {}
        if at_least >= wanted:
            for task in tasks:
                if task.get('minAvailable') is not None and (task.get('name') or '') in counts:
                    if ((counts[task.get('name') or ''].get('phase') or {}).get('Succeeded') or 0) < task['minAvailable']:
                        return 'Failed'
        if enough is not None:
            return 'Failed'
        return 'Completed' if succeeded >= at_least else 'Failed'
    return 'Pending' if (status.get('pending') or 0) > total - at_least else None


def transition(args):
    job, action = args['job'], args['action']
    phase = job_phase(job)
    operation, retain, function = choose(phase, action.get('action') or '')
    status = dict(args.get('status') or {})
    status['state'] = dict(status.get('state') or {})
    status['state']['phase'] = phase
    changed = apply_function(function, status, job.get('spec') or {})
    answer = {'operation': operation, 'changed': changed, 'phase': status['state'].get('phase') or '',
              'retryCount': status.get('retryCount') or 0}
    if operation == 'kill':
        answer['retain'] = list(retain)
    if operation == 'killTarget':
        target = no_target()
        target.update(action.get('target') or {})
        answer['target'] = target
    return answer
