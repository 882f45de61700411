"""What job plugins do: objects around a job, and additions to its pods.

A hook gets the plugin's arguments, the job, and either a pod or the world (execute.World). Keys of a secret and the
text of a waiting script are the program's own: `KEY|` and `SCRIPT|part|part` stand for them, see compare.py.
"""

import json

import base64

TRUE, FALSE = ('1', 't', 'T', 'true', 'TRUE', 'True'), ('0', 'f', 'F', 'false', 'FALSE', 'False')
JOB_NAME, JOB_NAMESPACE, TASK = 'volcano.sh/job-name', 'volcano.sh/job-namespace', 'volcano.sh/task-spec'


class Failure(Exception):
    """An error that ends the call."""


def integer(text):
    sign, digits = ('', text) if text[:1] not in ('+', '-') else (text[0], text[1:])
    if not digits or digits[0] == '_' or not digits.isalnum() or not digits.isascii():
        raise ValueError(text)
    if len(digits) > 1 and digits[0] == '0' and digits.isdigit():
        return int(sign + digits, 8)
    return int(sign + digits, 0)


def read_flags(arguments, known):
    """Go's flag rules (plugin section 1.1): what stands before the first mistake keeps its effect."""
    values, rest = dict(known), list(arguments or [])
    while rest:
        item = rest.pop(0)
        if len(item) < 2 or item[0] != '-' or item == '--':
            break
        name = item[2:] if item.startswith('--') else item[1:]
        if not name or name[0] in '-=':
            break
        name, has_value, value = name.partition('=')
        if name not in known:
            break
        if isinstance(known[name], bool):
            if not has_value:
                values[name] = True
            elif value in TRUE + FALSE:
                values[name] = value in TRUE
            else:
                break
            continue
        if not has_value:
            if not rest:
                break
            value = rest.pop(0)
        if isinstance(known[name], int):
            try:
                values[name] = integer(value)
            except ValueError:
                break
        else:
            values[name] = value
    return values


def host_name(job, task, index):
    return job.pod_spec(task).get('hostname') or '%s-%s-%d' % (job.name, task.get('name') or '', index)


def host(job, task, index):
    return '%s.%s' % (host_name(job, task, index), job.pod_spec(task).get('subdomain') or job.name)


def hosts(job, task):
    """All hosts of a task; one only if the template names its host."""
    count = task.get('replicas') or 0
    if job.pod_spec(task).get('hostname'):
        count = min(count, 1)
    return [host(job, task, index) for index in range(count)]


def task_named(job, name):
    return next((task for task in job.tasks if (task.get('name') or '') == name), None)


def replicas(job, name):
    return ((task_named(job, name) or {}).get('replicas')) or 0


def task_of(pod):
    return pod['metadata']['annotations'].get(TASK, 'default')


def index_of(pod):
    parts = pod['metadata']['name'].split('-')
    return parts[-1] if len(parts) >= 3 else ''


def containers(pod, starting=True):
    found = list(pod['spec'].get('containers') or [])
    return found + list(pod['spec'].get('initContainers') or []) if starting else found


def add_env(container, name, value):
    container.setdefault('env', []).append({'name': name, 'value': value} if value else {'name': name})


def wrapped(number):
    """As a signed number of 32 bits."""
    return (number + 2**31) % 2**32 - 2**31


def add_port(container, name, number):
    number = wrapped(number)
    ports = container.get('ports') or []
    if all(port.get('containerPort') != number for port in ports):
        container.setdefault('ports', []).append({'name': name, 'containerPort': number})


def add_volume(pod, volume, mount):
    pod['spec'].setdefault('volumes', []).append(volume)
    for container in containers(pod):
        container.setdefault('volumeMounts', []).append(dict(mount))


def number_of(pod):
    if not index_of(pod).lstrip('+-').isdigit():
        raise Failure('index of pod %s is not a number' % pod['metadata']['name'])
    return int(index_of(pod))


class Plugin:
    flags = {}

    def __init__(self, arguments):
        self.f = read_flags(arguments, self.flags)

    def on_pod(self, job, pod):
        pass

    def add(self, job, world):
        pass

    def update(self, job, world):
        pass

    def delete(self, job, world):
        pass


class Env(Plugin):
    def on_pod(self, job, pod):
        for container in containers(pod):
            add_env(container, 'VK_TASK_INDEX', index_of(pod))
            add_env(container, 'VC_TASK_INDEX', index_of(pod))


class Ssh(Plugin):
    flags = {'ssh-key-file-path': '/root/.ssh', 'ssh-private-key': '', 'ssh-public-key': '', 'ssh-port': 22}

    def on_pod(self, job, pod):
        path, name = self.f['ssh-key-file-path'], job.name + '-ssh'
        keys = ('id_rsa', 'id_rsa.pub', 'authorized_keys', 'config')
        add_volume(pod, {'name': name, 'secret': {
            'secretName': name, 'items': [{'key': k, 'path': '.ssh/' + k} for k in keys],
            'defaultMode': 0o600 if path == '/root/.ssh' else 0o644}},
            {'mountPath': path, 'subPath': '.ssh', 'name': name})

    def add(self, job, world):
        port = self.f['ssh-port'] if 0 < self.f['ssh-port'] <= 65535 else 22
        lines = ['StrictHostKeyChecking no', 'UserKnownHostsFile /dev/null']
        for task in job.tasks:
            for index, full in enumerate(hosts(job, task)):
                lines += ['Host ' + host_name(job, task, index), '  HostName ' + full, '  Port %d' % port]
        encode = lambda text: base64.b64encode(text.encode()).decode()
        private, public = 'KEY|private', 'KEY|public'
        if self.f['ssh-private-key']:
            private, public = encode(self.f['ssh-private-key']), encode(self.f['ssh-public-key'])
        world.create('Secret', 'v1', job.name + '-ssh', {'data': {
            'id_rsa': private, 'id_rsa.pub': public, 'authorized_keys': public,
            'config': encode('\n'.join(lines) + '\n')}},
            text='create secret for job <%s/%s> with ssh plugin failed for %%s' % (job.namespace, job.name))

    def delete(self, job, world):
        world.remove('Secret', job.name + '-ssh')


class Svc(Plugin):
    flags = {'publish-not-ready-addresses': False, 'disable-network-policy': False, 'inject-hosts-env': True}

    def names(self, task):
        key = (task.get('name') or '').replace('-', '_')
        return key + '.host', 'VC_%s_HOSTS' % key.upper(), 'VC_%s_NUM' % key.upper()

    def on_pod(self, job, pod):
        spec, name = pod['spec'], job.name + '-svc'
        if not spec.get('hostname'):
            spec['hostname'] = pod['metadata']['name']
        if not spec.get('subdomain'):
            spec['subdomain'] = job.name
        if self.f['inject-hosts-env']:
            for container in containers(pod):
                for task in job.tasks:
                    for key in self.names(task)[1:]:
                        container.setdefault('env', []).append(
                            {'name': key, 'valueFrom': {'configMapKeyRef': {'name': name, 'key': key}}})
        add_volume(pod, {'name': name, 'configMap': {'name': name}}, {'mountPath': '/etc/volcano', 'name': name})

    def update(self, job, world):
        data = {}
        for task in job.tasks:
            file, all_hosts, count = self.names(task)
            found = hosts(job, task)
            data.update({file: '\n'.join(found), all_hosts: ','.join(found), count: str(len(found))})
        world.create('ConfigMap', 'v1', job.name + '-svc', {'data': data})

    def add(self, job, world):
        self.update(job, world)
        chosen = {JOB_NAME: job.name, JOB_NAMESPACE: job.namespace}
        spec = {'clusterIP': 'None', 'selector': chosen}
        if self.f['publish-not-ready-addresses']:
            spec['publishNotReadyAddresses'] = True
        world.create('Service', 'v1', job.name, {'spec': spec})
        if not self.f['disable-network-policy']:
            pods = {'podSelector': {'matchLabels': chosen}}
            world.create('NetworkPolicy', 'networking.k8s.io/v1', job.name, {'spec': dict(
                pods, ingress=[{'from': [pods]}], policyTypes=['Ingress'])})

    def delete(self, job, world):
        world.remove('ConfigMap', job.name + '-svc')
        world.remove('Service', job.name)
        if not self.f['disable-network-policy']:
            world.remove('NetworkPolicy', job.name)


class TensorFlow(Plugin):
    flags = {'ps': 'ps', 'worker': 'worker', 'chief': 'chief', 'evaluator': 'evaluator', 'port': 2222}

    def on_pod(self, job, pod):
        if len(job.tasks) == 1 and (job.tasks[0].get('replicas') or 0) == 1:
            return
        cluster, role = {}, task_of(pod)
        taken = set()
        for kind in ('ps', 'worker', 'chief', 'evaluator'):
            task = task_named(job, self.f[kind])
            if task and task.get('replicas') and self.f[kind] not in taken:
                cluster[kind] = ['%s:%d' % (host(job, task, i), self.f['port']) for i in range(task['replicas'])]
            taken.add(self.f[kind])
        for kind in ('chief', 'worker', 'ps', 'evaluator'):
            if self.f[kind] == task_of(pod):
                role = kind
                break
        text = json.dumps({'cluster': cluster, 'task': {'type': role, 'index': number_of(pod)}}, separators=(',', ':'))
        for container in containers(pod, False):
            add_env(container, 'TF_CONFIG', text)


class PyTorch(Plugin):
    flags = {'master': 'master', 'worker': 'worker', 'port': 23456, 'wait-master-enabled': False,
             'wait-master-timeout': 300, 'wait-master-image': 'busybox:1.36.1'}

    def on_pod(self, job, pod):
        master = task_named(job, self.f['master'])
        if master is None:
            return
        address, role, port = host(job, master, 0), task_of(pod), self.f['port']
        rank = None
        if role == self.f['worker']:
            rank = str(number_of(pod) + 1)
        elif role == self.f['master']:
            rank = '0'
        world = replicas(job, self.f['master']) + replicas(job, self.f['worker'])
        for container in containers(pod, False):
            for name, value in (('MASTER_ADDR', address), ('MASTER_PORT', str(port)), ('WORLD_SIZE', str(world)),
                                ('RANK', rank)):
                if value is not None:
                    add_env(container, name, value)
            add_port(container, 'pytorchjob-port', port)
        if self.f['wait-master-enabled'] and role == self.f['worker']:
            starting = pod['spec'].get('initContainers') or []
            if all(container.get('name') != 'wait-for-master' for container in starting):
                script = 'SCRIPT|%s|%d|%d|nc' % (address, port, self.f['wait-master-timeout'])
                pod['spec'].setdefault('initContainers', []).append(
                    {'name': 'wait-for-master', 'image': self.f['wait-master-image'], 'command': ['sh', '-c', script]})


class Mpi(Plugin):
    flags = {'master': 'master', 'worker': 'worker', 'port': 22}

    def on_pod(self, job, pod):
        worker, text = task_named(job, self.f['worker']), None
        if task_of(pod) == self.f['master']:
            if worker is None:
                return
            text = ','.join(hosts(job, worker))
        for container in containers(pod):
            if text is not None:
                add_env(container, 'MPI_HOST', text)
            add_port(container, 'mpijob-port', self.f['port'])


class Ray(Plugin):
    flags = {'head': 'head', 'headContainer': 'head', 'worker': 'worker', 'workerContainer': 'worker',
             'port': 6379, 'dashboardPort': 8265, 'clientPort': 10001}

    def ports(self):
        return (('gcs', self.f['port']), ('dashboard', self.f['dashboardPort']), ('client-server', self.f['clientPort']))

    def on_pod(self, job, pod):
        head = task_named(job, self.f['head'])
        if head is None:
            raise Failure("job %s doesn't have head task %s" % (job.name, self.f['head']))
        role = task_of(pod)
        for container in containers(pod, False):
            if role == self.f['head'] and (container.get('name') or '') == self.f['headContainer']:
                container['command'] = ['sh', '-c', 'ray start --head --block --dashboard-host=0.0.0.0 --port=%d '
                                        '--dashboard-port=%d --ray-client-server-port=%d' %
                                        tuple(number for _, number in self.ports())]
                listed = [port.get('containerPort') for port in container.get('ports') or []]
                for name, number in self.ports():
                    if wrapped(number) not in listed:
                        container.setdefault('ports', []).append({'name': name, 'containerPort': wrapped(number)})
            if role == self.f['worker'] and (container.get('name') or '') == self.f['workerContainer']:
                container['command'] = ['sh', '-c', 'ray start --block --address=%s:%d' %
                                        (host(job, head, 0), self.f['port'])]

    def add(self, job, world):
        world.create('Service', 'v1', job.name + '-head-svc', {'spec': {
            'selector': {JOB_NAME: job.name, JOB_NAMESPACE: job.namespace, TASK: self.f['head']},
            'ports': [{'name': name, 'protocol': 'TCP', 'port': wrapped(number), 'targetPort': name}
                      for name, number in self.ports()]}})

    def delete(self, job, world):
        world.remove('Service', job.name + '-head-svc')


class HcclRank(Plugin):
    flags = {'master': 'master', 'worker': 'worker'}

    def on_pod(self, job, pod):
        notes, key = pod['metadata']['annotations'], 'hccl/rankIndex'
        if notes.get(key):
            return
        given = [variable for container in containers(pod, False) for variable in container.get('env') or []
                 if variable.get('name') == 'RANK']
        if given and given[0].get('value'):
            notes[key] = given[0]['value']
            return
        role = task_of(pod)
        if role not in (self.f['master'], self.f['worker']):
            return
        index = int(pod['metadata']['labels']['volcano.sh/task-index'])
        notes[key] = str(index if role == self.f['master'] else replicas(job, self.f['master']) + index)


REGISTERED = {'env': Env, 'ssh': Ssh, 'svc': Svc, 'tensorflow': TensorFlow, 'pytorch': PyTorch, 'mpi': Mpi, 'ray': Ray,
              'hcclrank': HcclRank}


def run(job, hook, *rest):
    """Runs a hook of every plugin, by name; the first error ends it."""
    for name in sorted(job.spec.get('plugins') or {}):
        if name not in REGISTERED:
            raise Failure('failed to get plugin ' + name)
        plugin = REGISTERED[name](job.spec['plugins'][name])
        if hook == 'pod':
            plugin.on_pod(job, *rest)
            continue
        marks, mark = job.resources(), 'plugin-' + name
        if hook == 'update':
            plugin.update(job, *rest)
        elif name == 'hcclrank':
            continue
        elif hook == 'add' and marks.get(mark) != name:
            plugin.add(job, *rest)
            marks[mark] = name
        elif hook == 'delete' and marks.get(mark) == name:
            plugin.delete(job, *rest)
            del marks[mark]
