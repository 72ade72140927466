import { spawnSync } from 'node:child_process';
import { BigQuery } from '@google-cloud/bigquery';
import { parseSavedQuery } from '../../src/catalog/header/parse-saved-query.ts';
import type { WireField } from '../../src/engines/bigquery/api/wire.ts';
import { buildDecodeRow } from '../../src/engines/bigquery/decode-rows.ts';
import { compare } from '../compare.ts';
import type { Bench } from '../run.ts';

const rowCount = 1_000;

/** Eight columns of the types that statistics over logs have. */
const fields: readonly WireField[] = [
  { name: 'timestamp', type: 'TIMESTAMP' },
  { name: 'min_time', type: 'INTEGER' },
  { name: 'max_time', type: 'INTEGER' },
  { name: 'avg_time', type: 'FLOAT' },
  { name: 'p95_time', type: 'FLOAT' },
  { name: 'p99_time', type: 'FLOAT' },
  { name: 'count', type: 'INTEGER' },
  { name: 'name', type: 'STRING' },
];

const text = JSON.stringify({
  rows: Array.from({ length: rowCount }, (_, at) => ({
    f: [
      { v: String((1_773_146_096 + at) * 1_000_000) },
      { v: String(at) },
      { v: String(at * 17) },
      { v: String(at / 7) },
      { v: String(at * 1.5) },
      { v: String(at * 1.9) },
      { v: String(at * 100_003) },
      { v: `function ${at}` },
    ],
  })),
});

const columns = fields.map(
  ({ name, type }) => `  ${name}: { type: ${type.toLowerCase()}, description: One. }`,
);
const header = [
  'id: 00000000-0000-4000-8000-000000000000',
  'description: One.',
  'max_rows: 1000',
  'caching: disabled',
];
const { query } = parseSavedQuery(
  'bench',
  'bench.sql',
  ['/*---', ...header, 'columns:', ...columns, '---*/', ''].join('\n'),
);

/** The part of Google's library with which its `query()` decodes rows. */
interface Library {
  mergeSchemaWithRows_(schema: object, rows: unknown[], options: object): unknown[];
}

/** Parsed again for every run: the library's decoder changes the rows. */
const rows = () => (JSON.parse(text) as { rows: unknown[] }).rows;

const bench: Bench = {
  title: `BigQuery's JSON to rows: ${rowCount} rows of ${fields.length} columns`,
  async *run() {
    if (query === undefined) throw new Error('the query of this benchmark is not valid');
    const library = BigQuery as unknown as Library;
    const schema = { fields };
    const fresh: unknown[][] = [];
    const runs = 60;
    const warmups = 20;
    for (let left = 2 * (runs + warmups); left > 0; left -= 1) fresh.push(rows());
    const { ours, theirs } = compare(
      {
        ours: () => {
          const decode = buildDecodeRow(query, fields);
          return (fresh.pop() ?? []).map(decode);
        },
        theirs: () => library.mergeSchemaWithRows_(schema, fresh.pop() ?? [], { wrapIntegers: false }),
      },
      { runs, warmups },
    );
    const ratio = ours.medianMs / theirs.medianMs;
    const verdict = ours.medianMs < 10 && ratio < 1 / 3 ? 'holds' : 'DOES NOT HOLD';
    if (verdict !== 'holds') process.exitCode = 1;
    yield `ours, to JSON text that can be sent as it is: ${ours.medianMs.toFixed(2)} ms (the very first run: ${firstRunMs().toFixed(2)} ms)`;
    yield `the library's own, to objects:                ${theirs.medianMs.toFixed(2)} ms`;
    yield `ratio ${ratio.toFixed(3)}; under 10 ms and under a third: ${verdict}`;
  },
};

export default bench;

/** The duration of the first decode in a new process: its first caller waits for it. */
function firstRunMs(): number {
  return Number(spawnSync(process.execPath, [import.meta.filename], { encoding: 'utf8' }).stdout);
}

if (process.argv[1] === import.meta.filename && query !== undefined) {
  const found = rows();
  const started = performance.now();
  found.map(buildDecodeRow(query, fields));
  process.stdout.write(String(performance.now() - started));
}
