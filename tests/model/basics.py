"""Go durations, RFC 3339 times, and Kubernetes quantities, as far as the model needs them."""

import re
from datetime import datetime, timezone
from fractions import Fraction

NS = {'ns': 1, 'us': 1000, 'µs': 1000, 'ms': 10**6, 's': 10**9, 'm': 60 * 10**9, 'h': 3600 * 10**9}
DURATION_MIN, DURATION_MAX = -2**63, 2**63 - 1
YEAR_ONE = int(datetime(1, 1, 1, tzinfo=timezone.utc).timestamp())


def parse_duration(text):
    sign, rest = 1, text
    if rest[:1] in '+-' and rest:
        sign, rest = (-1 if rest[0] == '-' else 1), rest[1:]
    if rest == '0':
        return 0
    total = 0
    for number, unit in re.findall(r'([0-9]*\.?[0-9]*)(ns|us|µs|ms|s|m|h)', rest):
        total += int(Fraction(number) * NS[unit])
    return sign * total


def trim(value, unit):
    """value nanoseconds in unit, without trailing zeros."""
    whole, part = divmod(value, unit)
    if not part:
        return str(whole)
    digits = str(part).rjust(len(str(unit)) - 1, '0').rstrip('0')
    return '%d.%s' % (whole, digits)


def format_duration(ns):
    if ns == 0:
        return '0s'
    sign, ns = ('-' if ns < 0 else ''), abs(ns)
    if ns < 1000:
        return '%s%dns' % (sign, ns)
    if ns < 10**6:
        return sign + trim(ns, 1000) + 'µs'
    if ns < 10**9:
        return sign + trim(ns, 10**6) + 'ms'
    hours, rest = divmod(ns, 3600 * 10**9)
    minutes, rest = divmod(rest, 60 * 10**9)
    text = trim(rest, 10**9) + 's'
    if hours or minutes:
        text = '%dm%s' % (minutes, text)
    if hours:
        text = '%dh%s' % (hours, text)
    return sign + text


def seconds(time):
    """A time as seconds since 1970; an absent one is the first second of year 1, as in Go."""
    if not time:
        return YEAR_ONE
    return int(datetime.fromisoformat(time.replace('Z', '+00:00')).timestamp())


def duration_between(start, end):
    ns = (seconds(end) - seconds(start)) * 10**9
    return max(DURATION_MIN, min(DURATION_MAX, ns))


# Quantities: a pair (value, format), format one of 'decimal', 'binary', 'exponent'.

DECIMAL = {'n': -9, 'u': -6, 'm': -3, '': 0, 'k': 3, 'M': 6, 'G': 9, 'T': 12, 'P': 15, 'E': 18}
BINARY = {'Ki': 1, 'Mi': 2, 'Gi': 3, 'Ti': 4, 'Pi': 5, 'Ei': 6}


def parse_quantity(text):
    text = str(text)
    number, suffix = re.match(r'^([+-]?[0-9.]+)(.*)$', text).groups()
    if suffix in BINARY:
        return (Fraction(number) * 1024**BINARY[suffix], 'binary')
    if suffix in DECIMAL:
        return (Fraction(number) * Fraction(10)**DECIMAL[suffix], 'decimal')
    return (Fraction(number) * Fraction(10)**int(suffix[1:]), 'exponent')


def add_quantity(a, b):
    return (a[0] + b[0], b[1] if a[0] == 0 else a[1])


def format_quantity(quantity):
    value, kind = quantity
    if value == 0:
        return '0'
    if kind == 'binary' and abs(value) >= 1024:
        value = -((-value) // 1) if value > 0 else value // 1
        power = 0
        while value % 1024 == 0 and power < 6:
            value, power = value // 1024, power + 1
        return str(int(value)) + {p: s for s, p in BINARY.items()}.get(power, '')
    exponent = 18
    while exponent > -9 and (value / Fraction(10)**exponent).denominator != 1:
        exponent -= 3
    number = value / Fraction(10)**exponent
    number = -((-number) // 1) if number > 0 else number // 1
    if kind == 'exponent':
        return str(int(number)) + ('e%d' % exponent if exponent else '')
    return str(int(number)) + {p: s for s, p in DECIMAL.items()}[exponent]


# Usage of one pod, as the quota of Kubernetes counts it (section 8.3).

def resources_of(container, kind):
    found = (container.get('resources') or {}).get(kind) or {}
    return {name: parse_quantity(text) for name, text in found.items()}


def add_into(total, more):
    for name, quantity in more.items():
        total[name] = add_quantity(total[name], quantity) if name in total else quantity


def max_into(total, other):
    for name, quantity in other.items():
        if name not in total or quantity[0] > total[name][0]:
            total[name] = quantity


def pod_total(spec, kind):
    total, sidecars, starting = {}, {}, {}
    for container in spec.get('containers') or []:
        add_into(total, resources_of(container, kind))
    for container in spec.get('initContainers') or []:
        need = resources_of(container, kind)
        if container.get('restartPolicy') == 'Always':
            add_into(total, need)
            add_into(sidecars, need)
            need = dict(sidecars)
        else:
            need = dict(need)
            add_into(need, sidecars)
        max_into(starting, need)
    max_into(total, starting)
    overhead = {name: parse_quantity(text) for name, text in (spec.get('overhead') or {}).items()}
    for name, quantity in overhead.items():
        if name in total:
            total[name] = add_quantity(total[name], quantity)
        elif kind == 'requests':
            total[name] = quantity
    return total


def is_native(name):
    return '/' not in name or 'kubernetes.io/' in name


def pod_usage(spec):
    one = (Fraction(1), 'decimal')
    usage = {'count/pods': one, 'pods': one}
    requests, limits = pod_total(spec, 'requests'), pod_total(spec, 'limits')
    for name in ('cpu', 'memory', 'ephemeral-storage'):
        if name in requests:
            usage[name] = usage['requests.' + name] = requests[name]
        if name in limits:
            usage['limits.' + name] = limits[name]
    for name, quantity in requests.items():
        if name.startswith('hugepages-') or (not is_native(name) and not name.startswith('requests.')):
            usage[name] = usage['requests.' + name] = quantity
    return usage
