import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cut, entryOf, stepBefore, stepCount, type Entry } from '../src/history';

const entries: Entry[] = [
  { event: { advance: 'next' }, steps: 1 },
  { event: { until: 'settled' }, steps: 4 },
  { event: { pod: 'w-0', phase: 'Failed' }, steps: 1 },
];
const anyEntries = fc.array(
  fc.record({
    event: fc.constantFrom({ until: 'settled' }, { advance: '30s' }),
    steps: fc.integer({ min: 1, max: 6 }),
  }),
  { maxLength: 12 },
);

describe('cut', () => {
  const cases: { name: string; step: number; kept: number[]; base: number; dropped: number }[] = [
    { name: 'at the end nothing is dropped', step: 7, kept: [1, 4, 1], base: 7, dropped: 0 },
    { name: 'between events', step: 6, kept: [1, 4], base: 6, dropped: 1 },
    { name: 'inside an event: its steps become single ones', step: 4, kept: [1, 1, 1], base: 2, dropped: 2 },
    { name: 'right after an event', step: 2, kept: [1], base: 2, dropped: 2 },
    { name: 'to the creation', step: 1, kept: [], base: 1, dropped: 3 },
  ];
  test.each(cases)('$name', ({ step, kept, base, dropped }) => {
    const result = cut(entries, step);
    expect(result.kept.map((entry) => entry.steps)).toEqual(kept);
    expect(result.base).toBe(base);
    expect(result.dropped).toEqual(entries.slice(entries.length - dropped).map((entry) => entry.event));
  });

  test('what is kept leads exactly to the step, and what was dropped begins at the base', () => {
    fc.assert(
      fc.property(anyEntries, fc.double({ min: 0, max: 1, noNaN: true }), (list, part) => {
        const total = stepCount(list);
        const step = 1 + Math.floor(part * (total - 1));
        const { kept, base, dropped } = cut(list, step);
        expect(stepCount(kept)).toBe(step);
        expect(base).toBe(stepBefore(list, list.length - dropped.length));
        expect(base).toBeLessThanOrEqual(step);
      }),
    );
  });
});

test('entryOf names the event behind a step', () => {
  expect([1, 2, 3, 6, 7, 8].map((step) => entryOf(entries, step))).toEqual([-1, 0, 1, 1, 2, -1]);
});
