// @vitest-environment happy-dom
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PaletteEntry } from '#wasm';
import { unitsBefore } from '../src/editor/columns';
import { commandOf, isCharacter, kKeys } from '../src/keys';
import { parse } from '../src/storage';
import { jobLanes, podLanes, ticks } from '../src/ui/lanes';
import { isDrawn, kTall, kWide, routeOf } from '../src/ui/layout';
import { arrange, byDigit } from '../src/ui/palette';
import { cellsOf, kCellsMax } from '../src/ui/kube';
import { kJobPhases } from '../src/ui/phases';
import { change, step } from './model';

describe('columns', () => {
  const cases = [
    { name: 'ASCII', line: 'a: b', column: 4, units: 3 },
    { name: 'two bytes, one unit', line: 'é: b', column: 4, units: 2 },
    { name: 'three bytes, one unit', line: '设: b', column: 4, units: 1 },
    { name: 'four bytes, two units', line: '🌋: b', column: 5, units: 2 },
    { name: 'behind the end', line: 'ab', column: 99, units: 2 },
    { name: 'the first', line: 'ab', column: 1, units: 0 },
  ];
  test.each(cases)('$name', ({ line, column, units }) => expect(unitsBefore(line, column)).toBe(units));
});

describe('cells of indexes', () => {
  const none = { completed: '', failed: '', completedCount: 0, failedCount: 0, activeCount: 0 };
  test('one a cell, each in its state', () => {
    const cells = cellsOf({
      ...none,
      total: 5,
      completedRuns: [[0, 1]],
      failedRuns: [[2, 2]],
      activeRuns: [[4, 4]],
    });
    expect(cells.map(({ state }) => state)).toEqual(['completed', 'completed', 'failed', 'open', 'active']);
  });
  test('however many indexes, the number of cells is bounded', () => {
    const cells = cellsOf({
      ...none,
      total: 100_000,
      completedRuns: [[0, 749]],
      failedRuns: [],
      activeRuns: [[99_999, 99_999]],
    });
    expect(cells.length).toBe(kCellsMax);
    expect(cells[0]).toEqual({ first: 0, last: 499, state: 'completed' });
    expect(cells[1]?.state).toBe('mixed');
    expect(cells[2]?.state).toBe('open');
    expect(cells.at(-1)?.state).toBe('mixed');
  });
  test('no index, no cell', () =>
    expect(cellsOf({ ...none, total: 0, completedRuns: [], failedRuns: [], activeRuns: [] })).toEqual([]));
});

describe('keys', () => {
  function press(key: string, on: HTMLElement = document.body, more: KeyboardEventInit = {}, characters = true) {
    let result: ReturnType<typeof commandOf> = null;
    const listen = (event: KeyboardEvent) => (result = commandOf(event, characters));
    document.body.append(on === document.body ? document.createTextNode('') : on);
    window.addEventListener('keydown', listen, { once: true });
    on.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, composed: true, cancelable: true, ...more }));
    window.removeEventListener('keydown', listen);
    return result as ReturnType<typeof commandOf>;
  }

  test('arrows step, with shift they go to the next change', () => {
    expect(press('ArrowRight')?.command).toBe('forward');
    expect(press('ArrowRight', document.body, { shiftKey: true })?.command).toBe('nextChange');
  });
  test('digits carry their number', () => expect(press('3')).toEqual({ command: 'fire', digit: 3 }));
  test('characters and arrows belong to a text field that has the focus', () => {
    const field = document.createElement('input');
    expect(press('e', field)).toBeNull();
    expect(press('ArrowRight', field)).toBeNull();
  });
  test('Ctrl+Enter works inside a text field', () => {
    expect(press('Enter', document.createElement('textarea'), { ctrlKey: true })?.command).toBe('restart');
  });
  test('character keys can be switched off, the others stay', () => {
    expect(press('e', document.body, {}, false)).toBeNull();
    expect(press('?', document.body, { shiftKey: true }, false)).toBeNull();
    expect(press('ArrowLeft', document.body, {}, false)?.command).toBe('back');
  });
  test('the browser keeps its own combinations', () => {
    expect(press('e', document.body, { ctrlKey: true })).toBeNull();
    expect(press('ArrowLeft', document.body, { altKey: true })).toBeNull();
  });
  test('no two rows of the table mean the same press', () => {
    const presses = kKeys.flatMap((key) =>
      key.keys.map((each) => `${key.mod ? 'mod ' : ''}${key.shift && !isCharacter(key) ? 'shift ' : ''}${each}`),
    );
    expect(new Set(presses).size).toBe(presses.length);
  });
});

describe('palette', () => {
  const entry = (label: string, reason?: string): PaletteEntry => ({
    label,
    line: label,
    ...(reason ? { reason } : {}),
  });
  const palette = [
    { group: 'Time', entries: [entry('next')] },
    {
      group: 'Pod w-0 of train',
      entries: [entry('fails with exit code 1'), entry('fails with exit code 137'), entry('vanishes')],
    },
    { group: 'Pod w-1 of train', entries: [entry('vanishes', 'it is gone')] },
    { group: 'Command to train', entries: [entry('AbortJob')] },
  ];

  test('one row a group, the job unnamed if it is the only one', () => {
    expect(arrange(palette, [{ name: 'train' }]).map((row) => row.label)).toEqual([
      'Time',
      'Pod w-0',
      'Pod w-1',
      'Command',
    ]);
    expect(arrange(palette, [{ name: 'train' }, { name: 'b' }])[1]!.label).toBe('Pod w-0 of train');
  });
  test('labels that begin alike share their stem', () => {
    const clusters = arrange(palette, [{ name: 'train' }])[1]!.clusters;
    expect(clusters.map(({ stem, entries }) => [stem, entries.map(({ text }) => text)])).toEqual([
      ['fails with exit code', ['1', '137']],
      ['', ['vanishes']],
    ]);
  });
  test('digits number what can happen, and only that', () => {
    const digits = arrange(palette, []).flatMap((row) =>
      row.clusters.flatMap(({ entries }) => entries.map(({ digit }) => digit)),
    );
    expect(digits).toEqual([1, 2, 3, 4, 0, 5]);
    expect(byDigit(palette, 5)?.label).toBe('AbortJob');
    expect(byDigit(palette, 6)).toBeUndefined();
  });
  test('a row that cannot happen at all says why once', () => {
    expect(arrange(palette, [])[2]!.reason).toBe('it is gone');
    expect(arrange(palette, [])[1]!.reason).toBe('');
  });
});

describe('time line', () => {
  test('a job has a segment for each stretch of one phase', () => {
    const steps = [
      step(1, 'a', [change('', 'Pending')]),
      step(2, 'b'),
      step(3, 'c', [change('Pending', 'Running')]),
      step(4, 'd'),
    ];
    expect(jobLanes([{ key: 'default/train', name: 'train' }], steps)[0]!.segments).toEqual([
      { from: 1, to: 2, phase: 'Pending', deleting: false },
      { from: 3, to: 4, phase: 'Running', deleting: false },
    ]);
  });
  test('a pod that vanishes and comes back has a gap; unknown steps are gaps too', () => {
    const pod = (phase: string, deleting = false) => [{ key: 'p', name: 'w-0', phase, deleting }];
    const lanes = podLanes(1, [[], pod('Running'), pod('Running', true), [], pod('Pending'), undefined]);
    expect(lanes).toHaveLength(1);
    expect(lanes[0]!.segments.map(({ from, to, phase, deleting }) => [from, to, phase, deleting])).toEqual([
      [2, 2, 'Running', false],
      [3, 3, 'Running', true],
      [5, 5, 'Pending', false],
    ]);
  });
  test('rows are in the order of their names, numbers as numbers', () => {
    const at = ['w-10', 'w-9', 'm-0'].map((name) => ({
      key: `default/train/${name}`,
      name,
      phase: 'Running',
      deleting: false,
    }));
    const lanes = podLanes(7, [at]);
    expect(lanes.map(({ name }) => name)).toEqual(['m-0', 'w-9', 'w-10']);
    expect(lanes[0]!.segments).toEqual([{ from: 7, to: 7, phase: 'Running', deleting: false }]);
  });
  test('ticks stand where time changes, gaps where much of it passed', () => {
    const at = (index: number, seconds: number) => ({
      ...step(index, 'x'),
      time: new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString(),
      elapsed: `${seconds}s`,
    });
    const all = ticks([at(1, 0), at(2, 0), at(3, 1), at(4, 700)], 1, 4, 2);
    expect(all).toEqual([
      { step: 1, label: '+0s', gap: false },
      { step: 3, label: '+1s', gap: false },
      { step: 4, label: '', gap: true },
    ]);
  });
});

describe.each([
  ['wide', kWide],
  ['tall', kTall],
])('the %s diagram', (_, picture) => {
  test('has a place for each phase, inside the picture, none over another', () => {
    const places = Object.keys(kJobPhases).map((phase) => picture.places[phase]!);
    for (const { x, y } of places) {
      expect(x - picture.node.width / 2).toBeGreaterThanOrEqual(0);
      expect(x + picture.node.width / 2).toBeLessThanOrEqual(picture.width);
      expect(y + picture.node.height / 2).toBeLessThanOrEqual(picture.height);
    }
    for (const a of places) {
      for (const b of places) {
        if (a === b) continue;
        const apart = Math.abs(a.x - b.x) >= picture.node.width + 8 || Math.abs(a.y - b.y) >= picture.node.height + 8;
        expect(apart).toBe(true);
      }
    }
  });
  test('draws a transition it does not know as a straight line, and none to nowhere', () => {
    expect(isDrawn(picture, '', 'Aborting')).toBe(false);
    expect(routeOf(picture, '', 'Aborting')).not.toBeNull();
    expect(routeOf(picture, 'Running', 'Elsewhere')).toBeNull();
  });
});

describe('storage', () => {
  const good = { v: 1, text: 'a', file: 'f', automation: 'auto', events: [{ advance: 'next' }], cursor: 2 };
  test('reads what it wrote', () => {
    expect(parse(JSON.stringify(good))).toEqual({
      document: { text: 'a', file: 'f', automation: 'auto' },
      events: [{ advance: 'next' }],
      cursor: 2,
    });
  });
  test.each([
    ['another version', { ...good, v: 2 }],
    ['no text', { ...good, text: 7 }],
    ['events that are no list', { ...good, events: {} }],
    ['an unknown automation', { ...good, automation: 'wild' }],
    ['a cursor that is no number', { ...good, cursor: '2' }],
    ['something else', []],
    ['null', null],
  ])('refuses %s', (_, value) => expect(parse(JSON.stringify(value))).toBeNull());
});

describe('contrast', () => {
  const css = readFileSync(resolve(import.meta.dirname, '../src/styles.css'), 'utf8');
  const tokens = new Map<string, [string, string]>();
  for (const [, name, light, dark] of css.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)) {
    tokens.set(name!, [light!, dark!]);
  }
  const luminance = (hex: string): number => {
    const [r, g, b] = [1, 3, 5].map((at) => {
      const value = parseInt(hex.slice(at, at + 2), 16) / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    }) as [number, number, number];
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a: string, b: string): number => {
    const [x, y] = [luminance(a), luminance(b)].toSorted((p, q) => q - p) as [number, number];
    return (x + 0.05) / (y + 0.05);
  };
  const grounds = ['paper', 'raised', 'sunken', 'ember-soft'];
  const phases = [...tokens.keys()].filter((name) => name.startsWith('phase-') && name !== 'phase-ink');
  const text = ['text', 'muted', 'ember', 'error', 'warning', 'note', ...phases];
  const yaml = [...tokens.keys()].filter((name) => name.startsWith('yaml-'));
  const pairs = [
    ...text.flatMap((front) => grounds.map((ground) => ({ front, ground, least: 4.5 }))),
    ...yaml.flatMap((front) => ['raised', 'sunken', 'ember-soft'].map((ground) => ({ front, ground, least: 4.5 }))),
    ...phases.map((ground) => ({ front: 'phase-ink', ground, least: 4.5 })),
    { front: 'ember-ink', ground: 'ember', least: 4.5 },
    ...['edge', 'focus'].flatMap((front) => grounds.map((ground) => ({ front, ground, least: 3 }))),
  ];
  test.each(pairs)('$front on $ground is at least $least', ({ front, ground, least }) => {
    const [a, b] = [tokens.get(front)!, tokens.get(ground)!];
    expect(ratio(a[0], b[0]), 'light').toBeGreaterThanOrEqual(least);
    expect(ratio(a[1], b[1]), 'dark').toBeGreaterThanOrEqual(least);
  });
});
