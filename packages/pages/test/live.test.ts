import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyPatch, compareRows, type RowPatch } from '../src/live/row-change.ts';
import { EventReader } from '../src/live/event-reader.ts';
import type { JsonObject } from '../src/json.ts';

/** As docs/live.md describes how a patch is applied. */
function reference(rows: readonly JsonObject[], { removed, added, changed }: Omit<RowPatch, 'from'>) {
  const next = [...rows];
  for (const index of removed) next.splice(index, 1);
  for (const [index, row] of added) next.splice(index, 0, row);
  for (const [index, row] of changed) next[index] = row;
  return next;
}

describe('events of a stream', () => {
  const reconnectMs = 1500;
  const text = `:\n\nevent: next\nid: "a"\ndata: {"result":\r\ndata: []}\n\nretry: ${reconnectMs}\nevent: end\ndata: {}\n\n:\n\ndata: x\n\nevent: cut\ndata: y`;

  test('are the same however their text is cut', () => {
    const expected = [
      { type: 'next', id: '"a"', data: '{"result":\n[]}' },
      { type: 'end', id: undefined, data: '{}' },
      { type: 'message', id: undefined, data: 'x' },
    ];
    fc.assert(
      fc.property(fc.array(fc.nat(text.length)), (places) => {
        const cuts = [0, ...places.sort((a, b) => a - b), text.length];
        const reader = new EventReader();
        const events = cuts.flatMap((cut, at) => [...reader.read(text.slice(cut, cuts[at + 1] ?? cut))]);
        expect(events).toEqual(expected);
        expect(reader.retryMs).toBe(reconnectMs);
      }),
    );
  });

  test('do not take all memory if one does not end', () => {
    const reader = new EventReader();
    const part = 'x'.repeat(1_000_000);
    expect(() => {
      for (let at = 0; at < 100; at += 1) expect([...reader.read(part)]).toEqual([]);
    }).toThrow('too large');
  });
});

describe('changes of rows', () => {
  const row = fc.record({ n: fc.integer({ min: 0, max: 3 }), t: fc.constantFrom('a', 'b', null) });

  test('a patch gives the rows that the documentation says, and those that stay are the same objects', () => {
    const patches = fc.array(row, { maxLength: 20 }).chain((old) =>
      fc.record({
        old: fc.constant(old),
        removed: fc.subarray(old.map((_, at) => at)).map((all) => all.toReversed()),
        added: fc.array(fc.tuple(fc.nat(4), row), { maxLength: 5 }),
        changes: fc.array(fc.tuple(fc.nat(30), row), { maxLength: 5 }),
      }),
    );
    fc.assert(
      fc.property(patches, ({ old, removed, added: steps, changes }) => {
        const length = old.length - removed.length + steps.length;
        // Ascending places of the new result, which has no others.
        let last = -1;
        const added = steps.map(([step, one], at): [number, JsonObject] => {
          last = Math.min(last + 1 + step, length - (steps.length - at));
          return [last, one];
        });
        const places = new Map(changes.map(([at, one]) => [at % Math.max(length, 1), one]));
        const changed = length === 0 ? [] : [...places];
        const { rows, before } = applyPatch(old, { removed, added, changed });
        expect(rows).toEqual(reference(old, { removed, added, changed }));
        const others = new Set<JsonObject>([...old, ...added.map(([, one]) => one)]);
        for (const [index] of changed) expect(others).toContain(before.get(rows[index] as JsonObject));
        expect(rows.filter((one) => !others.has(one)).length).toBeLessThanOrEqual(changed.length);
      }),
    );
  });

  test('100,000 rows of which each second is gone take no noticeable time', () => {
    const old = Array.from({ length: 100_000 }, (_, n) => ({ n }));
    const removed = old.flatMap(({ n }) => (n % 2 === 0 ? [n] : [])).toReversed();
    const added = removed.map((at): [number, JsonObject] => [at, { n: -at }]).toReversed();
    const { rows } = applyPatch(old, { removed, added, changed: [] });
    expect(rows.slice(0, 4).map(({ n }) => Math.abs(Number(n)))).toEqual([0, 1, 2, 3]);
    expect(rows.length).toBe(100_000);
  });

  test('whole results are compared by the key, or by their places', () => {
    const [one, two, three] = [
      { id: 1, n: 1 },
      { id: 2, n: 2, deep: [{ a: 1n }] },
      { id: 3, n: 3 },
    ];
    const next = [
      { id: 0, n: 0 },
      { id: 2, n: 2, deep: [{ a: 1n }] },
      { id: 1, n: 5 },
    ];
    const keyed = compareRows([one, two, three], next, ['id']);
    expect(keyed.rows[1]).toBe(two);
    expect([...keyed.before]).toEqual([[next[2], one]]);
    const placed = compareRows([one, two, three], next, []);
    expect(placed.rows[1]).toBe(two);
    expect([...placed.before]).toEqual([
      [next[0], one],
      [next[2], three],
    ]);
    // Two rows with one key.
    expect(compareRows([one, one], [one, one], ['id']).before.size).toBe(0);
    expect(compareRows([{ a: [] }], [{ a: {} }], []).before.size).toBe(1);
    expect(compareRows([{ a: 1 }], [{ b: 1 }], []).before.size).toBe(1);
  });
});
