import { expect, test } from 'vitest';
import { arrow } from '../../src/formats/arrow.ts';
import { csv } from '../../src/formats/csv.ts';
import { ndjson } from '../../src/formats/ndjson.ts';
import { draftQuery } from '../support/queries.ts';

const row = (at: number) =>
  `{"timestamp":${1_773_144_000_000_000 + at},"min_execution_time":${at / 7},"max_execution_time":${at},"avg_execution_time":0.5,"p95_execution_time":1.25,"count":${at},"error_count":0}`;
const rows = Array.from({ length: 40_000 }, (_, at) => row(at));
const columns = [
  { name: 'timestamp', type: 'timestamp', repeated: false },
  { name: 'min_execution_time', type: 'float', repeated: false },
  { name: 'count', type: 'integer', repeated: false },
] as const;

const query = draftQuery({ columns: { count: 'integer' }, sql: 'select 1 as count' });

test.each([csv, ndjson, arrow])(
  'a conversion to $names takes a few milliseconds of the event loop at a time',
  (renderer) => {
    const identity = Buffer.from(`{"result":[${rows.join(',')}]}`);
    const parts = renderer.parts?.({ identity, columns }, query);
    const times: number[] = [];
    for (let isDone = false; !isDone; ) {
      const before = process.threadCpuUsage();
      isDone = parts?.next().done === true;
      const { user, system } = process.threadCpuUsage(before);
      times.push((user + system) / 1000);
    }
    times.sort((a, b) => a - b);
    expect(times.length).toBeGreaterThan(50);
    // The last of them also have the collection of garbage.
    expect(times[Math.floor(times.length * 0.95)]).toBeLessThan(20);
  },
);
