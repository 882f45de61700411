"""The PodGroup of a job (section 8.3) and its event (8.8)."""

import copy

from basics import add_into, format_quantity, parse_quantity, pod_usage
from decide import PARTITION, TASK
from store import drop_empty


def min_task(task):
    if task.get('minAvailable') is not None:
        return task['minAvailable']
    policy = task.get('partitionPolicy') or {}
    if policy.get('minPartitions') and policy.get('partitionSize'):
        return policy['minPartitions'] * policy['partitionSize']
    return task.get('replicas') or 0


def min_resources(job):
    """Priorities are all 0: there are no priority classes to look up here."""
    wanted, total = job.spec.get('minAvailable') or 0, {}

    def take(task, count):
        usage = pod_usage(job.pod_spec(task))
        for _ in range(count):
            add_into(total, usage)
    needed = sum(t['minAvailable'] if t.get('minAvailable') is not None else t.get('replicas') or 0 for t in job.tasks)
    if wanted < needed:
        for task in job.tasks:
            count = task.get('replicas') or 0
            take(task, min(wanted, count))
            if wanted <= count:
                break
            wanted -= count
    else:
        taken = 0
        for task in job.tasks:
            if task.get('minAvailable') is None:
                continue
            count = min(task['minAvailable'], wanted - taken)
            take(task, count)
            taken += count
            if taken >= wanted:
                break
        left = wanted - taken
        for task in job.tasks if left > 0 else []:
            spare = task.get('replicas') or 0
            if task.get('minAvailable') is not None:
                if task['minAvailable'] == spare:
                    continue
                spare -= task['minAvailable']
            take(task, min(left, spare))
            left = left - spare if left >= spare else 0
            if left <= 0:
                break
    return {name: format_quantity(quantity) for name, quantity in total.items()}


def topology(policy, whole):
    out = drop_empty({'mode': policy.get('mode')})
    if policy.get('highestTierAllowed') is not None:
        out['highestTierAllowed'] = policy['highestTierAllowed']
        if not whole:
            return out
    if policy.get('highestTierName'):
        out['highestTierName'] = policy['highestTierName']
    return out


def sub_groups(job):
    out = []
    for task in job.tasks:
        policy = task.get('partitionPolicy')
        if policy is None:
            continue
        entry = drop_empty({'name': task.get('name')})
        entry.update(subGroupSize=policy.get('partitionSize') or 0, minSubGroups=policy.get('minPartitions') or 0,
                     labelSelector={'matchLabels': {TASK: task.get('name') or ''}}, matchLabelKeys=[PARTITION])
        if policy.get('networkTopology') is not None:
            entry['networkTopology'] = topology(policy['networkTopology'], True)
        out.append(entry)
    return out


def same_quantities(one, other):
    if one is None or other is None:
        return one is other
    return {k: parse_quantity(v)[0] for k, v in one.items()} == {k: parse_quantity(v)[0] for k, v in other.items()}


def create_or_update_group(world, job):
    members = {task.get('name') or '': min_task(task) for task in job.tasks}
    found = world.find_group(job)
    if found is None:
        spec = drop_empty({'minMember': job.spec.get('minAvailable'), 'minTaskMember': members,
                           'queue': job.spec.get('queue'), 'priorityClassName': job.spec.get('priorityClassName'),
                           'subGroupPolicy': sub_groups(job)})
        spec['minResources'] = min_resources(job)
        if job.spec.get('networkTopology') is not None:
            spec['networkTopology'] = topology(job.spec['networkTopology'], False)
        about = drop_empty({'annotations': job.meta.get('annotations'), 'labels': job.meta.get('labels')})
        about.update(name='%s-%s' % (job.name, job.uid), namespace=job.namespace, ownerReferences=[job.owner()])
        world.write_group('CreatePodGroup', {'metadata': about, 'spec': spec})
        return
    group = copy.deepcopy(found)
    spec, changed = group.setdefault('spec', {}), False
    if spec.get('minResources'):
        spec['minResources'] = {k: format_quantity(parse_quantity(v)) for k, v in spec['minResources'].items()}
    if (spec.get('priorityClassName') or '') != (job.spec.get('priorityClassName') or ''):
        spec['priorityClassName'], changed = job.spec.get('priorityClassName') or '', True
    resources = min_resources(job)
    if (spec.get('minMember') or 0) != (job.spec.get('minAvailable') or 0) or \
            not same_quantities(spec.get('minResources'), resources):
        spec.update(minMember=job.spec.get('minAvailable') or 0, minResources=resources)
        changed = True
    if spec.get('minTaskMember') is None:
        spec['minTaskMember'], changed = {}, True
    for name, count in members.items():
        if spec['minTaskMember'].get(name) != count:
            spec['minTaskMember'][name], changed = count, True
    old, new = {p.get('name') or '': p for p in spec.get('subGroupPolicy') or []}, sub_groups(job)
    plain = [t.get('name') or '' for t in job.tasks if t.get('partitionPolicy') is None]
    if any(old.get(p.get('name') or '') != p for p in new) or any(name in old for name in plain):
        spec['subGroupPolicy'], changed = new, True
    if changed:
        group['spec'] = {k: v for k, v in spec.items() if v not in (0, '', []) and (v != {} or k == 'minResources')}
        world.write_group('UpdatePodGroup', group)


def group_event(world, job, group):
    newest = None
    for condition in (group.get('status') or {}).get('conditions') or []:
        if condition.get('status') == 'True' and \
                (newest is None or (condition.get('lastTransitionTime') or '') > (newest.get('lastTransitionTime') or '')):
            newest = condition
    if newest is not None and newest.get('type') != 'Scheduled':
        world.event('PodGroupPending', 'PodGroup %s:%s %s, reason: %s' % (
            job.namespace, job.name, (newest.get('type') or '').lower(), newest.get('message') or ''))
