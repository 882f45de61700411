#!/usr/bin/env python3
"""Asks `pumice eval` and the model the same generated questions and compares the answers."""

import argparse
import copy
import json
import os
import re
import subprocess
import sys
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import generate
import volcano_model

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, '..', '..', 'build', 'dev', 'bin', 'pumice')
RANDOM = re.compile(r'\bj-(pvc-)?([0-9a-z]{12})\b')
# Words that explain an answer; the specification does not name them.
EXPLAINING = {'volcano.applyPolicies': ('source', 'reason'), 'volcano.transition': ('function', 'reason'),
              'volcano.request': ('detail',)}


ignored = []


class Program:
    """One `pumice eval`, asked in batches."""

    def __init__(self, path):
        self.path = path

    def ask(self, questions):
        text = ''.join(json.dumps(q) + '\n' for q in questions)
        run = subprocess.run([self.path, 'eval'], input=text, capture_output=True, text=True)
        answers = [json.loads(line) for line in run.stdout.splitlines()]
        if len(answers) != len(questions):
            raise SystemExit('pumice eval answered %d of %d questions: %s' %
                             (len(answers), len(questions), run.stderr[-500:]))
        return answers


def own_answer(question):
    try:
        return {'ok': volcano_model.answer(question['op'], copy.deepcopy(question['args']))}
    except Exception:
        return {'model failed': traceback.format_exc()}


def strings(value):
    if isinstance(value, dict):
        for name in sorted(value):
            yield name
            yield from strings(value[name])
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
    elif isinstance(value, str):
        yield value


def renumber(value, names):
    if isinstance(value, dict):
        return {renumber(k, names): renumber(v, names) for k, v in value.items()}
    if isinstance(value, list):
        return [renumber(item, names) for item in value]
    if isinstance(value, str):
        return RANDOM.sub(lambda m: names.get(m.group(0), m.group(0)), value)
    return value


def settle_pod(pod):
    """Volume names are drawn for each pod: number them in the pod's own order."""
    names = {}
    for volume in (pod.get('spec') or {}).get('volumes') or []:
        if RANDOM.fullmatch(volume.get('name') or '') and volume.get('persistentVolumeClaim'):
            names[volume['name']] = 'j-VOLUME%d' % len(names)
    return renumber(pod, names)


def full_pod(pod):
    """Some pods come back with the defaults of their fields, others as they were given."""
    status = pod.setdefault('status', {})
    status['phase'] = status.get('phase') or 'Unknown'
    for field in ('containerStatuses', 'initContainerStatuses'):
        for entry in status.get(field) or []:
            entry.setdefault('restartCount', 0)
    return pod


def drop_versions(value):
    """How a store counts its writes is its own affair."""
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict):
            inner.pop('resourceVersion', None)
        if isinstance(inner, (dict, list)):
            drop_versions(inner)


def settle(answer, op):
    """One form for names drawn at random, and without explanations."""
    answer = copy.deepcopy(answer)
    ok = answer.get('ok')
    if not isinstance(ok, dict):
        return answer
    for word in EXPLAINING.get(op, ()):
        ok.pop(word, None)
        for entry in ok.get('considered', []):
            entry.pop(word, None)
    if op != 'volcano.execute':
        return answer
    drop_versions(ok)
    for effect in ok['effects']:
        if 'pod' in effect:
            effect['pod'] = settle_pod(effect['pod'])
    ok['pods'] = sorted((settle_pod(full_pod(pod)) for pod in ok['pods']), key=lambda pod: (
        pod['metadata'].get('namespace') or '', pod['metadata'].get('name') or ''))
    if not (ok['job'].get('status') or {}).get('state', True):
        del ok['job']['status']['state']
    if not ok['job'].get('status', True):
        del ok['job']['status']
    if not ((ok.get('podGroup') or {}).get('spec') or {}).get('minTaskMember', True):
        del ok['podGroup']['spec']['minTaskMember']
    names = {}
    for effect in ok['effects']:
        found = effect.get('name') or ''
        if effect.get('kind') == 'PersistentVolumeClaim' and RANDOM.fullmatch(found):
            names.setdefault(found, 'j-CLAIM%d' % len(names))
        if effect['effect'] == 'UpdateJob':
            for volume in (effect['spec'].get('volumes') or []):
                if RANDOM.fullmatch(volume.get('volumeClaimName') or ''):
                    names.setdefault(volume['volumeClaimName'], 'j-CLAIM%d' % len(names))
    answer['ok'] = renumber(ok, names)
    return answer


def differences(theirs, ours, path=''):
    if isinstance(theirs, dict) and isinstance(ours, dict):
        out = []
        for name in sorted(set(theirs) | set(ours)):
            here = '%s.%s' % (path, name)
            if name not in theirs or name not in ours:
                out.append((here, theirs.get(name, '(absent)'), ours.get(name, '(absent)')))
            else:
                out += differences(theirs[name], ours[name], here)
        return out
    if isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        return [d for i, (a, b) in enumerate(zip(theirs, ours)) for d in differences(a, b, '%s[%d]' % (path, i))]
    if isinstance(ours, str) and ours.startswith(('SCRIPT|', 'KEY|')) and isinstance(theirs, str):
        parts = ours.split('|')[1:] if ours.startswith('SCRIPT|') else []
        return [] if theirs and all(part in theirs for part in parts) else [(path, theirs, ours)]
    return [] if theirs == ours and isinstance(theirs, bool) == isinstance(ours, bool) else [(path, theirs, ours)]


def compare(program, question):
    op = question['op']
    theirs = program.ask([question])[0]
    return check(op, theirs, own_answer(question))


def check(op, theirs, ours):
    theirs = {key: theirs[key] for key in ('ok', 'error') if key in theirs}
    found = differences(settle(theirs, op), settle(ours, op))
    return [entry for entry in found if not any(pattern.search(entry[0]) for pattern in ignored)]


def places(value, path=()):
    """What can be taken out of a question, outermost first."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(items):
        yield path + (key,)
        yield from places(inner, path + (key,))


def without(value, path):
    out = copy.deepcopy(value)
    inner = out
    for key in path[:-1]:
        inner = inner[key]
    del inner[path[-1]]
    return out


KEPT = ('name', 'namespace', 'uid', 'creationTimestamp', 'code', 'effect', 'metadata', 'queue', 'totalPartitions',
        'partitionSize')


def kind(found):
    return {re.sub(r'\[\d+\]', '[]', path) for path, _, _ in found[:1]}


def shrink(program, question, found):
    """Takes parts out of a question as long as the same place differs."""
    wanted, smaller, rounds = kind(found), True, 0
    while smaller and rounds < 6:
        smaller, rounds = False, rounds + 1
        for path in sorted(places(question['args']), key=len):
            if path[-1] in KEPT:
                continue
            try:
                tried = {'op': question['op'], 'args': without(question['args'], path)}
            except (KeyError, IndexError, TypeError):
                continue
            if 'model failed' in own_answer(tried):
                continue
            if kind(compare(program, tried)) == wanted:
                question, smaller = tried, True
    return question


def show(program, op, seed, number, question, found, small):
    print('difference: --op %s --seed %s --from %d --count 1' % (op, seed, number))
    if small:
        question = shrink(program, question, found)
        found = compare(program, question)
    print('  question:', json.dumps(question['args'], sort_keys=True))
    for path, theirs, ours in found[:6]:
        print('  %s\n    program: %s\n    model:   %s' % (path, json.dumps(theirs), json.dumps(ours)))
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--count', type=int, default=1000, help='questions of each kind')
    parser.add_argument('--seed', default='1')
    parser.add_argument('--from', dest='first', type=int, default=0, help='number of the first question')
    parser.add_argument('--op', action='append', choices=sorted(generate.OPS))
    parser.add_argument('--program', default=PROGRAM)
    parser.add_argument('--show', type=int, default=5, help='differences to print')
    parser.add_argument('--no-shrink', action='store_true')
    parser.add_argument('--ignore', action='append', default=[], metavar='REGEX', help='places to leave out, as printed')
    options = parser.parse_args()
    ignored.extend(re.compile(pattern) for pattern in options.ignore)

    program, passed, failed, kinds = Program(options.program), 0, 0, {}
    print('seed %s, %d questions of each kind' % (options.seed, options.count))
    for op in options.op or sorted(generate.OPS):
        before = failed
        for start in range(options.first, options.first + options.count, 500):
            numbers = range(start, min(start + 500, options.first + options.count))
            questions = [generate.question(op, options.seed, number) for number in numbers]
            for number, question, theirs in zip(numbers, questions, program.ask(questions)):
                found = check(op, theirs, own_answer(question))
                if not found:
                    passed += 1
                    continue
                failed += 1
                place = '%s %s' % (op, ' '.join(kind(found)))
                kinds[place] = kinds.get(place, 0) + 1
                if kinds[place] == 1 and len(kinds) <= options.show:
                    show(program, op, options.seed, number, question, found, not options.no_shrink)
        print('%s: %d differ' % (op, failed - before))
    for place in sorted(kinds, key=kinds.get, reverse=True)[:20]:
        print('  %6d at %s' % (kinds[place], place))
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
