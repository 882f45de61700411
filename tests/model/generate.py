"""Seeded questions for `pumice eval`: the seed and a number give one question, always the same one."""

import copy
import random

import execute

PHASES = ['Pending', 'Running', 'Restarting', 'Aborting', 'Aborted', 'Completing', 'Completed', 'Terminating',
          'Terminated', 'Failed']
ACTIONS = ['AbortJob', 'RestartJob', 'RestartTask', 'RestartPod', 'RestartPartition', 'TerminateJob', 'CompleteJob',
           'ResumeJob', 'SyncJob', 'EnqueueJob', 'SyncQueue', 'OpenQueue', 'CloseQueue']
EVENTS = ['PodFailed', 'PodEvicted', 'PodPending', 'PodRunning', 'Unknown', 'TaskCompleted', 'TaskFailed', 'OutOfSync',
          'CommandIssued', 'JobUpdated', '*']
POD_PHASES = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown']
NAMES = ['w', 'master', 'worker', 'ps', 'head', 'x-y', 'chief', 'a']
CODES = ['NotFound', 'AlreadyExists', 'Conflict', 'Forbidden', 'Timeout', 'Other']
EFFECTS = ['UpdateJobStatus', 'UpdateJob', 'CreatePod', 'DeletePod', 'MarkPod', 'CreatePodGroup', 'UpdatePodGroup',
           'DeletePodGroup', 'CreateObject', 'DeleteObject']
PLUGINS = {
    'env': ['x', '-y'], 'hcclrank': ['--master=w', '--worker', 'ps', '-worker=a', '--foo'],
    'svc': ['--publish-not-ready-addresses', '--publish-not-ready-addresses=t', '--disable-network-policy',
            '--disable-network-policy=0', '--inject-hosts-env=false', '-inject-hosts-env=F', '--no', 'stop', '--',
            '--inject-hosts-env=maybe'],
    'ssh': ['--ssh-port=2026', '-ssh-port', '0x10', '--ssh-port=-10', '--ssh-port=70000', '--ssh-port=abc', '--no-root',
            '--ssh-key-file-path=/home/k', '--ssh-private-key=AAA', '--ssh-public-key=BBB'],
    'tensorflow': ['--ps=w', '--worker=worker', '--worker=a', '--port=5000', '--chief=master', '--evaluator=head',
                   '--chief=worker', '--ps=worker', '--evaluator=ps'],
    'pytorch': ['--master=w', '--worker', 'ps', '--port=123', '--wait-master-enabled', '--wait-master-enabled=true',
                '--wait-master-timeout=600', '--wait-master-image=img', '--worker=master'],
    'mpi': ['--master=w', '--master=head', '--worker=a', '--port=5000', '-port', '0b101', '--port=1_000', '--port=0o17',
            '--port=017', '--port=+5', '--port=-5', '--port=', '--port=5x', '--port=0X1f', '--port', '---port=1', '-=1',
            '-', '-h', '--port=09', '--port=0x_1', '--port=1__0', '--port=9999999999', '--port= 5', '--master='],
    'ray': ['--head=master', '--head=w', '--headContainer=c', '--worker=ps', '--workerContainer=c', '--port=1234',
            '--dashboardPort=3456', '--clientPort=4567', '--worker=head', '--workerContainer=head', '--port=8265'],
}
NOW = '2026-01-01T00:10:00Z'


class Maker:
    def __init__(self, seed):
        self.r = random.Random(seed)

    def chance(self, part):
        return self.r.random() < part

    def pick(self, things):
        return self.r.choice(things)

    def some(self, things, most):
        return [self.pick(things) for _ in range(self.r.randint(1, most))]

    def whole(self, high, low=0):
        return self.r.randint(low, high)

    def time(self):
        return '2026-01-01T00:%02d:%02dZ' % (self.whole(9), self.pick([0, 7, 30]))

    # Jobs.

    def policy(self):
        policy = {}
        if self.chance(0.9):
            policy['action'] = self.pick(ACTIONS + RESTARTS) if self.chance(0.95) else self.pick(['', 'Explode'])
        kind = self.whole(5)
        if kind <= 2:
            policy['event'] = self.pick(EVENTS)
        if kind in (2, 3):
            policy['events'] = self.some(EVENTS, 3)
        if kind >= 4 or self.chance(0.15):
            policy['exitCode'] = self.pick([0, 1, 2, 3, 137, 143, 255, -1])
        if self.chance(0.35):
            policy['timeout'] = self.pick(['0s', '5s', '10m', '90s', '1h30m', '500ms', '-3s', '1.5h', '250us'])
        return policy

    def policies(self, part):
        return {'policies': [self.policy() for _ in range(self.whole(4, 1))]} if self.chance(part) else {}

    def resources(self):
        amounts = {'cpu': ['100m', '1', '0.5', '1500m', '2'], 'memory': ['128Mi', '1Gi', '1500Ki', '1G', '512M', '1000'],
                   'ephemeral-storage': ['1Gi', '10Mi'], 'nvidia.com/gpu': ['1', '2'], 'hugepages-2Mi': ['4Mi', '1Gi']}
        names = [name for name in amounts if self.chance(0.75 if name == 'cpu' else 0.2)]
        return {name: self.pick(amounts[name]) for name in names}

    def container(self, name):
        container = {'name': name, 'image': 'i'}
        for kind, part in (('requests', 0.6), ('limits', 0.25)):
            found = self.resources() if self.chance(part) else {}
            if found:
                container.setdefault('resources', {})[kind] = found
        if self.chance(0.15):
            container['env'] = [{'name': self.pick(['A', 'RANK', 'TF_CONFIG']), 'value': self.pick(['1', '7', ''])}]
            if self.chance(0.3):
                container['env'].append({'name': 'RANK', 'value': '9'})
        if self.chance(0.15):
            container['ports'] = [{'name': 'p', 'containerPort': self.pick([22, 23456, 6379, 123, 5000])}]
        if self.chance(0.1):
            container['volumeMounts'] = [{'name': 'own', 'mountPath': '/own'}]
        if self.chance(0.1):
            container['command'] = ['run']
        return container

    def template(self):
        spec = {'containers': [self.container(name) for name in (['c'], ['c'], ['head', 'c'], ['worker'])[self.whole(3)]]}
        if self.chance(0.2):
            spec['initContainers'] = [self.container('ic')]
            if self.chance(0.4):
                spec['initContainers'][0]['restartPolicy'] = 'Always'
            if self.chance(0.4):
                spec['initContainers'].append(self.container(self.pick(['ic2', 'wait-for-master'])))
        for key, part, values in (('schedulerName', 0.15, ['mine']), ('priorityClassName', 0.15, ['high', 'low']),
                                  ('hostname', 0.1, ['box']), ('subdomain', 0.1, ['sub']), ('restartPolicy', 0.3, ['Never'])):
            if self.chance(part):
                spec[key] = self.pick(values)
        if self.chance(0.05):
            spec['overhead'] = {'cpu': '10m', 'memory': '1Mi'}
        if self.chance(0.08):
            spec['volumes'] = [{'name': 'own', 'emptyDir': {}}]
        template = {'spec': spec}
        if self.chance(0.25):
            template['metadata'] = {}
            if self.chance(0.3):
                template['metadata']['name'] = 'ignored'
            if self.chance(0.6):
                template['metadata']['labels'] = {self.pick(['app', 'volcano.sh/job-name', 'volcano.sh/partition-id']): 't'}
            if self.chance(0.6):
                template['metadata']['annotations'] = {
                    self.pick(['note', 'volcano.sh/task-spec', 'hccl/rankIndex', 'volcano.sh/preemptable']): 't'}
        return template

    def topology(self):
        out = {}
        if self.chance(0.8):
            out['mode'] = self.pick(['hard', 'soft'])
        if self.chance(0.5):
            out['highestTierAllowed'] = self.whole(3)
        if self.chance(0.4):
            out['highestTierName'] = 'rack'
        return out

    def task(self, name, plain):
        task = {'name': name, 'template': {'spec': {'containers': [{'name': 'c', 'image': 'i'}]}} if plain
                else self.template()}
        replicas = self.pick([0, 1, 1, 2, 2, 2, 3, 3, 4, 5]) if self.chance(0.98) else self.whole(13, 10)
        if replicas:
            task['replicas'] = replicas
        if self.chance(0.5):
            task['minAvailable'] = self.whole(replicas) if self.chance(0.9) else self.whole(7)
        if self.chance(0.2):
            task['maxRetry'] = self.pick([1, 2, 3, 5, -1])
        if self.chance(0.1):
            task['topologyPolicy'] = self.pick(['best-effort', 'restricted', 'none'])
        if self.chance(0.25):
            policy = task['partitionPolicy'] = {}
            policy.update(totalPartitions=self.whole(3), partitionSize=self.whole(3, 0 if self.chance(0.2) else 1))
            if self.chance(0.5):
                policy['minPartitions'] = self.whole(2, 1)
            if self.chance(0.3):
                policy['networkTopology'] = self.topology()
        return task

    def job(self, phase=None, plain=False, policies=0.3):
        names = self.r.sample(NAMES, self.pick([1, 1, 2, 2, 3, 4]))
        tasks = [self.task(name, plain) for name in names]
        for task in tasks:
            task.update(self.policies(policies))
            if len(tasks) > 1 and self.chance(0.4):
                others = [name for name in names if name != task['name']]
                task['dependsOn'] = {'name': self.r.sample(others, self.whole(min(3, len(others))))}
                if self.chance(0.6):
                    task['dependsOn']['iteration'] = self.pick(['any', 'any', 'all', 'other'])
                for other in tasks:
                    if other['name'] in task['dependsOn']['name'] and self.chance(0.6):
                        other['minAvailable'] = self.whole(other.get('replicas', 0))
                if not task['dependsOn']['name']:
                    del task['dependsOn']['name']
        total = sum(task.get('replicas', 0) for task in tasks)
        spec = {'tasks': tasks, 'queue': 'default'}
        least = self.whole(total) if self.chance(0.5) else self.pick([0, 1, total, total, total + 1])
        if least:
            spec['minAvailable'] = least
        if self.chance(0.85):
            spec['maxRetry'] = self.whole(4, 1)
        if self.chance(0.25):
            spec['minSuccess'] = self.whole(max(total, 1), 1)
        spec.update(self.policies(policies))
        if not plain:
            self.decorate(spec)
        metadata = {'namespace': 'ns', 'name': 'j', 'uid': 'uid-1', 'creationTimestamp': '2026-01-01T00:00:00Z'}
        if self.chance(0.15):
            metadata['resourceVersion'] = str(self.whole(200, 1))
        if self.chance(0.2):
            metadata['annotations'] = {key: 'v' for key in self.some(
                ['volcano.sh/preemptable', 'volcano.sh/cooldown-time', 'volcano.sh/revocable-zone', 'note',
                 'volcano.sh/jdb-min-available', 'volcano.sh/jdb-max-unavailable', 'volcano.sh/job-forwarding'], 3)}
        if self.chance(0.2):
            metadata['labels'] = {key: 'l' for key in self.some(
                ['volcano.sh/preemptable', 'volcano.sh/cooldown-time', 'volcano.sh/revocable-zone', 'app'], 3)}
        if self.chance(0.02):
            metadata['deletionTimestamp'] = self.time()
        return {'apiVersion': 'batch.volcano.sh/v1alpha1', 'kind': 'Job', 'metadata': metadata, 'spec': spec,
                'status': self.status(tasks, spec, phase)}

    def decorate(self, spec):
        if self.chance(0.1):
            spec['schedulerName'] = 'volcano'
        if self.chance(0.15):
            spec['priorityClassName'] = self.pick(['high', 'low'])
        if self.chance(0.15):
            spec['networkTopology'] = self.topology()
        if self.chance(0.2):
            spec['volumes'] = []
            for index in range(self.whole(3, 1)):
                volume = {'mountPath': '/m%d' % index}
                kind = self.whole(3)
                if kind <= 1:
                    volume['volumeClaimName'] = self.pick(['pvc1', 'pvc1', 'pvc2', 'pvc3'])
                elif kind == 2:
                    volume['volumeClaim'] = {'accessModes': ['ReadWriteOnce'],
                                             'resources': {'requests': {'storage': '1Gi'}}}
                spec['volumes'].append(volume)
        if self.chance(0.25):
            spec['plugins'] = {}
            for name in self.some(list(PLUGINS), 3):
                spec['plugins'][name] = self.some(PLUGINS[name], 3) if self.chance(0.5) else []
            if self.chance(0.04):
                spec['plugins'][self.pick(['nope', 'zz', 'aaa'])] = []

    def status(self, tasks, spec, phase):
        status = {'state': {}}
        phase = phase if phase is not None else self.pick(PHASES + ['Running', 'Pending', 'Restarting'])
        if self.chance(0.04):
            phase = self.pick(['', 'Bogus'])
        if phase:
            status['state']['phase'] = phase
            if self.chance(0.9):
                status['state']['lastTransitionTime'] = self.time()
            if self.chance(0.05):
                status['state'].update(reason='r', message='m')
        if self.chance(0.7) and spec.get('minAvailable'):
            status['minAvailable'] = spec['minAvailable'] if self.chance(0.8) else self.whole(5, 1)
        if self.chance(0.5):
            for name in ('pending', 'running', 'succeeded', 'failed', 'unknown', 'terminating'):
                if self.chance(0.35):
                    status[name] = self.whole(4, 1)
        if self.chance(0.3):
            counts = {task['name']: {'phase': {p: self.whole(4, 1) for p in self.some(POD_PHASES, 2)}}
                      for task in tasks if self.chance(0.7)}
            if counts:
                status['taskStatusCount'] = counts
        if self.chance(0.4):
            status['version'] = self.whole(4, 1)
        if self.chance(0.5):
            status['retryCount'] = self.whole(4, 1)
        if self.chance(0.15):
            status['runningDuration'] = self.pick(['1m0s', '5s', '1h0m0s'])
        if self.chance(0.3):
            marks = {'plugin-' + name: name for name in spec.get('plugins') or {} if self.chance(0.8)}
            marks.update({'volume-pvc-pvc1': 'pvc1'} if self.chance(0.3) else {})
            if marks:
                status['controlledResources'] = marks
        if self.chance(0.4):
            status['conditions'] = [{'status': p, 'lastTransitionTime': self.time()}
                                    for p in self.r.sample(PHASES, self.whole(3, 1))]
        return status

    # Pods.

    def pod(self, task, name, partition=None, phase=None, version=0):
        phase = phase or self.pick(POD_PHASES + ['Running', 'Running', 'Succeeded'])
        notes = {'volcano.sh/job-name': 'j', 'volcano.sh/task-spec': task,
                 'volcano.sh/job-version': str(version if self.chance(0.8) else self.whole(6))}
        owner = {'apiVersion': 'batch.volcano.sh/v1alpha1', 'kind': 'Job', 'name': 'j', 'uid': 'uid-1',
                 'controller': True}
        metadata = {'name': name, 'namespace': 'ns', 'uid': 'u-' + name, 'annotations': notes,
                    'ownerReferences': [owner]}
        if self.chance(0.3):
            metadata['resourceVersion'] = str(self.whole(99, 1))
        if partition is not None and self.chance(0.9):
            metadata['labels'] = {'volcano.sh/partition-id': str(partition)}
        if self.chance(0.12):
            metadata['deletionTimestamp'] = self.time()
        if self.chance(0.12):
            notes['volcano.sh/controller-out-of-sync'] = self.pick(['true', '', 'x'])
        if self.chance(0.06):
            self.spoil(metadata, owner)
        status = {'phase': phase} if phase != 'none' else {}
        if self.chance(0.5):
            status['containerStatuses'] = [self.container_status() for _ in range(self.whole(2, 1))]
        if self.chance(0.1):
            status['initContainerStatuses'] = [self.container_status()]
        return {'metadata': metadata, 'status': status}

    def spoil(self, metadata, owner):
        """Makes a pod foreign, or one that callbacks drop."""
        notes, kind = metadata['annotations'], self.whole(9)
        if kind == 0:
            del metadata['ownerReferences']
        elif kind == 1:
            owner.update(self.pick([{'kind': 'ReplicaSet'}, {'apiVersion': 'batch/v1'}, {'controller': False}]))
        elif kind == 2:
            owner['uid'] = 'uid-0'
        elif kind == 3:
            notes['volcano.sh/job-name'] = 'other'
        elif kind == 4:
            notes['volcano.sh/job-version'] = self.pick(['x', '', '+3', '-1', '2147483648', '1_0', ' 1', '1.0'])
        elif kind == 5:
            metadata['namespace'] = 'elsewhere'
        elif kind == 6:
            del metadata['annotations']
        else:
            del notes[self.pick(sorted(notes))]

    def container_status(self):
        status = {'name': 'c', 'ready': self.chance(0.6)}
        if self.chance(0.3):
            status['restartCount'] = self.whole(4, 1)
        if self.chance(0.5):
            code = self.pick([0, 1, 2, 137, 143])
            status['state'] = {'terminated': {'exitCode': code}} if self.chance(0.7) else {'running': {}}
        return status

    def pods(self, job):
        pods, part = [], self.pick([0.0, 0.5, 0.8, 0.9, 1.0, 1.0])
        mood = self.pick([None, None, None, 'Succeeded', 'Running', 'Pending', 'Failed'])
        version = job['status'].get('version', 0)
        for task in job['spec']['tasks']:
            policy = task.get('partitionPolicy')
            for index in range(task.get('replicas', 0)):
                if self.chance(part):
                    size = (policy or {}).get('partitionSize', 0)
                    partition = None if policy is None else index // size if size else 0
                    phase = mood if mood and self.chance(0.8) else None
                    pods.append(self.pod(task['name'], 'j-%s-%d' % (task['name'], index), partition, phase, version))
            if self.chance(0.12):
                name = self.pick(['j-%s-%d' % (task['name'], self.whole(8) + task.get('replicas', 0)),
                                  'stray-' + task['name']])
                pods.append(self.pod(task['name'], name, None if policy is None else self.whole(2), None, version))
        if self.chance(0.06):
            pods.append(self.pod('gone', 'j-gone-0', None, None, version))
        self.r.shuffle(pods)
        return pods

    def pod_group(self, job):
        group = {'metadata': {'name': self.pick(['j-uid-1'] * 14 + ['j', 'other']), 'namespace': 'ns'}, 'spec': {}}
        phase = self.pick(['Inqueue', 'Running', 'Unknown', 'Completed', 'Running', 'Inqueue', 'Running', 'Inqueue',
                           'Pending', ''])
        phase = phase if self.chance(0.99) else self.pick(['Odd', 'Strange'])
        group['status'] = {'phase': phase} if phase else {}
        spec = group['spec']
        if self.chance(0.6):
            spec.update(minMember=self.whole(5, 1))
        if self.chance(0.3) and job['spec'].get('minAvailable'):
            spec['minMember'] = job['spec']['minAvailable']
        if self.chance(0.3):
            spec['minResources'] = self.pick([{}, {'cpu': '1', 'pods': '1'}, {'count/pods': '2', 'pods': '2000m'}])
        if self.chance(0.5):
            spec['minTaskMember'] = {task['name']: self.whole(4) for task in job['spec']['tasks'] if self.chance(0.8)}
            if self.chance(0.2):
                spec['minTaskMember']['gone'] = 1
        if self.chance(0.3):
            spec['queue'] = 'default'
        if self.chance(0.2):
            spec['priorityClassName'] = self.pick(['high', 'low'])
        if self.chance(0.2):
            spec['networkTopology'] = {'mode': 'hard'}
        if self.chance(0.2):
            group['metadata']['labels'] = {'app': 'l'}
        if self.chance(0.2):
            spec['subGroupPolicy'] = [self.sub_group(task) for task in job['spec']['tasks'] if self.chance(0.6)]
            if not spec['subGroupPolicy']:
                del spec['subGroupPolicy']
        if self.chance(0.3):
            group['status']['conditions'] = [
                {'type': self.pick(['Scheduled', 'Unschedulable']), 'status': self.pick(['True', 'True', 'False']),
                 'lastTransitionTime': self.time(), 'message': 'test message', 'reason': 'x'}
                for _ in range(self.whole(3, 1))]
        return group

    def sub_group(self, task):
        policy = task.get('partitionPolicy') or {}
        return {'name': task['name'], 'subGroupSize': policy.get('partitionSize', 0) if self.chance(0.8) else 9,
                'minSubGroups': policy.get('minPartitions', 0),
                'labelSelector': {'matchLabels': {'volcano.sh/task-spec': task['name']}},
                'matchLabelKeys': ['volcano.sh/partition-id']}

    def target(self, job, pods, action):
        kind = {'RestartTask': 'task', 'RestartPod': 'pod', 'RestartPartition': 'partition'}.get(action)
        if kind is None or self.chance(0.03):
            return None
        tasks = [t['name'] for t in job['spec']['tasks']]
        target = {'type': kind, 'taskName': self.pick(tasks * 2 + ['gone'])}
        parted = [t['name'] for t in job['spec']['tasks'] if 'partitionPolicy' in t]
        if kind == 'partition' and parted and self.chance(0.8):
            target['taskName'] = self.pick(parted)
        if kind != 'task':
            names = [p['metadata']['name'] for p in pods
                     if p['metadata'].get('annotations', {}).get('volcano.sh/task-spec') == target['taskName']]
            target['podName'] = self.pick(names) if names and self.chance(0.9) else 'j-w-9'
        if kind == 'partition':
            target['partition'] = self.pick(['0', '0', '1', '2', ''])
        return target

    # Questions.

    def asked(self):
        return self.later() if self.chance(0.25) else self.execute()

    def execute(self):
        phase = self.pick(['Running', 'Pending', 'Restarting']) if self.chance(0.6) else None
        job = self.job(phase=phase, policies=0.05)
        pods = self.pods(job)
        action = self.pick(ACTIONS + ['SyncJob'] * 16 + ['RestartTask', 'RestartPod', 'RestartPartition', '', 'Explode'])
        args = {'job': job, 'pods': pods, 'now': NOW, 'action': {'action': action}}
        target = self.target(job, pods, action)
        if target:
            args['action']['target'] = target
        if self.chance(0.85):
            args['podGroup'] = self.pod_group(job)
        if self.chance(0.7):
            args['queue'] = {'metadata': {'name': 'default' if self.chance(0.96) else 'other'}}
            if self.chance(0.08):
                args['queue']['spec'] = {'extendClusters': [{'name': 'x'}]}
        if job['spec'].get('volumes') or self.chance(0.05):
            args['claims'] = [{'metadata': {'name': name, 'namespace': 'ns'}} for name in ('pvc1', 'pvc2', 'pvc3')
                              if self.chance(0.85)]
        if self.chance(0.05) and args['job'].get('status'):
            del args['job']['status']
        if self.chance(0.25):
            args['failures'] = []
            for _ in range(self.whole(3, 1)):
                failure = {'effect': self.pick(EFFECTS), 'code': self.pick(CODES)}
                if failure['effect'] in ('CreatePod', 'DeletePod', 'MarkPod') and self.chance(0.6):
                    failure['name'] = 'j-%s-%d' % (self.pick(job['spec']['tasks'])['name'], self.whole(3))
                if self.chance(0.3):
                    failure['times'] = self.whole(2, 1)
                args['failures'].append(failure)
        return args

    def later(self):
        """A question about what a first action left behind, often with nothing more to do."""
        args = self.execute()
        args.pop('failures', None)
        args['job']['metadata'].pop('deletionTimestamp', None)
        for _ in range(self.whole(2, 1)):
            left = execute.execute(args)
            args.update(job=left['job'], pods=left['pods'], now='2026-01-01T00:1%d:00Z' % self.whole(9, 1))
            args['action'] = {'action': self.pick(['SyncJob'] * 4 + ['', 'RestartJob', 'ResumeJob'])}
            args.pop('podGroup', None)
            if left['podGroup']:
                args['podGroup'] = left['podGroup']
                if self.chance(0.8):
                    args['podGroup'].setdefault('status', {})['phase'] = 'Running'
            for volume in args['job']['spec'].get('volumes') or []:
                args['claims'] = args.get('claims', []) + [
                    {'metadata': {'name': volume.get('volumeClaimName') or 'none', 'namespace': 'ns'}}]
            for pod in args['pods']:
                if self.chance(0.15):
                    pod['status']['phase'] = self.pick(POD_PHASES)
            if self.chance(0.3):
                args['pods'] = [pod for pod in args['pods'] if 'deletionTimestamp' not in pod['metadata']]
        return args

    def request(self):
        job = self.job(plain=True, policies=0.1)
        job['metadata']['resourceVersion'] = '5'
        pods = self.pods(job)
        args = {'pods': pods}
        if self.chance(0.85):
            args['job'] = job
        if self.chance(0.1):
            other = copy.deepcopy(job)
            other['metadata']['name'] = 'other'
            args['jobs'] = [other]
        kind = self.pick(['Job', 'Pod', 'Pod', 'Pod', 'Pod', 'Pod', 'PodGroup', 'Command'])
        change = args['change'] = {'kind': kind, 'type': self.pick(['add', 'update', 'update', 'update', 'delete'])}
        old, new = getattr(self, 'change_' + kind.lower())(job, pods)
        if change['type'] != 'add':
            change['old'] = old
        if change['type'] != 'delete':
            change['new'] = new
        return args

    def change_job(self, job, pods):
        new = copy.deepcopy(job)
        if self.chance(0.85):
            new['metadata']['resourceVersion'] = '6'
        for part, work in ((0.3, lambda: new['status']['state'].update(phase=self.pick(PHASES))),
                           (0.3, lambda: new['status'].update(running=3)),
                           (0.15, lambda: new['spec'].update(minAvailable=self.whole(4, 1))),
                           (0.1, lambda: new['spec'].update(plugins={})),
                           (0.1, lambda: new['spec'].update(policies=[])),
                           (0.1, lambda: new['spec']['tasks'][0].update(minAvailable=0)),
                           (0.1, lambda: new['spec']['tasks'][0].update(dependsOn={})),
                           (0.04, lambda: new['spec']['tasks'][0]['template'].update(metadata={})),
                           (0.04, lambda: new['spec']['tasks'][0]['template']['spec']['containers'][0].update(env=[])),
                           (0.1, lambda: new['metadata'].update(labels={'x': 'y'}))):
            if self.chance(part):
                work()
        return job, new

    def change_pod(self, job, pods):
        tasks = job['spec']['tasks']
        task = self.pick(tasks)
        known = [p for p in pods if p['metadata'].get('annotations', {}).get('volcano.sh/task-spec') == task['name']]
        old = copy.deepcopy(self.pick(known)) if known and self.chance(0.85) else \
            self.pod(self.pick([task['name'], 'gone']), 'j-%s-%d' % (task['name'], self.whole(5)))
        new = copy.deepcopy(old)
        old['metadata']['resourceVersion'], new['metadata']['resourceVersion'] = '1', '2' if self.chance(0.93) else '1'
        if self.chance(0.7):
            new['status']['phase'] = self.pick(POD_PHASES + ['Succeeded', 'Failed'])
        if self.chance(0.4):
            new['status']['containerStatuses'] = [self.container_status() for _ in range(self.whole(2))]
        if self.chance(0.08) and new['metadata'].get('annotations'):
            new['metadata']['annotations']['volcano.sh/controller-out-of-sync'] = 'true'
        if self.chance(0.05) and new['metadata'].get('annotations') and new['metadata'].get('ownerReferences'):
            self.spoil(new['metadata'], new['metadata']['ownerReferences'][0])
        return (old, new) if self.chance(0.9) else (new, old)

    def change_podgroup(self, job, pods):
        old = self.pod_group(job)
        new = copy.deepcopy(old)
        if self.chance(0.8):
            new['status']['phase'] = self.pick(['Inqueue', 'Running', 'Unknown', 'Completed', 'Pending', 'Odd'])
        if self.chance(0.7):
            new['metadata']['ownerReferences'] = [{'kind': self.pick(['Job', 'Job', 'X']), 'name': self.pick(['j', 'k']),
                                                   'uid': 'u'} for _ in range(self.whole(3, 1))]
        return old, new

    def change_command(self, job, pods):
        def command():
            out = {'metadata': {'name': 'c', 'namespace': 'ns'}, 'action': self.pick(ACTIONS + ['', 'Explode'])}
            if self.chance(0.9):
                out['target'] = {'apiVersion': self.pick(['batch.volcano.sh/v1alpha1'] * 4 + ['batch/v1']),
                                 'kind': self.pick(['Job', 'Job', 'Job', 'Queue']), 'name': 'j', 'uid': 'uid-0'}
            return out
        return command(), command()

    def apply(self):
        job = self.job(phase='Running', plain=True, policies=0.85)
        names = [task['name'] for task in job['spec']['tasks']]
        asked = {'namespace': 'ns', 'jobName': 'j'}
        for key, part, values in (('jobUid', 0.8, ['uid-1'] * 8 + ['uid-0']), ('taskName', 0.8, names * 3 + ['gone']),
                                  ('podName', 0.8, ['j-w-0']), ('podUid', 0.5, ['p-1']), ('partitionId', 0.3, ['0', '1']),
                                  ('event', 0.9, EVENTS + EVENTS[:3] * 3), ('action', 0.05, ACTIONS),
                                  ('exitCode', 0.4, [1, 2, 3, 137, 143, 255, -1]), ('jobVersion', 0.7, [1, 2, 3, 4, 5])):
            if self.chance(part):
                asked[key] = self.pick(values)
        return {'job': job, 'request': asked}

    def transition(self):
        job = self.job(plain=True, policies=0)
        total = sum(task.get('replicas', 0) for task in job['spec']['tasks'])
        status = {'state': dict(job['status']['state'])}
        for key in ('minAvailable', 'retryCount'):
            if key in job['status']:
                status[key] = job['status'][key]
        left, counts = total if self.chance(0.8) else self.whole(6), {}
        kinds = self.pick([['succeeded', 'failed'], ['succeeded'], ['pending', 'running'],
                           ['pending', 'running', 'succeeded', 'failed', 'unknown', 'terminating']])
        for _ in range(left):
            kind = self.pick(kinds)
            status[kind] = status.get(kind, 0) + 1
        for task in job['spec']['tasks']:
            if self.chance(0.8):
                by_phase = {p: self.whole(4, 1) for p in self.some(POD_PHASES, 2)}
                counts[task['name']] = {'phase': by_phase} if self.chance(0.9) else {}
        if counts:
            status['taskStatusCount'] = counts
        action = self.pick(ACTIONS + ['SyncJob'] * 6 + ['', 'Explode'])
        args = {'job': job, 'status': status, 'action': {'action': action}}
        target = self.target(job, [], action)
        if target:
            args['action']['target'] = target
        return args


RESTARTS = ['RestartJob', 'RestartTask', 'RestartPod', 'RestartPartition']
OPS = {'volcano.execute': Maker.asked, 'volcano.request': Maker.request, 'volcano.applyPolicies': Maker.apply,
       'volcano.transition': Maker.transition}


def question(op, seed, number):
    return {'op': op, 'args': OPS[op](Maker('%s/%s/%s' % (op, seed, number)))}
