import { expect, test } from 'vitest';
import type { TableChanges } from '../../../src/engine-contract/engine.ts';
import { changesFromWire, changesToWire } from '../../../src/engine-contract/remote/wire-changes.ts';

test.each<TableChanges>([
  { state: 's', changed: undefined },
  { state: '', changed: 'late' },
  { state: 's', changed: [], knowsLate: true },
  {
    state: 's',
    changed: [
      { from: Number.NEGATIVE_INFINITY, until: 3_600_000_000 },
      { from: 1_774_000_000_000_001, until: 1_774_000_000_000_002 },
      { from: 0, until: Number.POSITIVE_INFINITY },
    ],
  },
])('the changes %j come back from the process of an engine', (changes) => {
  expect(changesFromWire(JSON.parse(JSON.stringify(changesToWire(changes))))).toEqual(changes);
});

test('an engine that does not report changes has rows that come late', () => {
  const sent = JSON.stringify(changesToWire(undefined));
  expect(changesFromWire(JSON.parse(sent))).toEqual({ state: '', changed: 'late' });
});
