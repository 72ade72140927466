/**
 * JSONBench's five queries over documents of its kind: `node bench/json/main.ts <rows> <python with chdb, or ->`. The gateway's
 * SQL, hand-written SQL of DuckDB, and chdb read the same Parquet files where they are.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Field } from '@querygate/bigquery-sql/table-schema';
import { openSession } from '../../src/engines/duckdb/open-session.ts';
import { summary } from '../local/measure.ts';
import { printTable, ratio } from '../local/print.ts';

const rowsPerFile = 1_000_000;
const runs = 5;
const [, , rowsText = '1000000', python = '-'] = process.argv;
const rows = Number(rowsText);
const dataDir = join(tmpdir(), 'querygate-json', rowsText);
const folder = join(dataDir, 'events');

const text = (name: string): Field => ({ name, type: 'STRING', mode: 'NULLABLE' });
const commit = ['rev', 'operation', 'collection', 'rkey', 'record', 'cid'].map(text);
const fields: readonly Field[] = [
  text('did'),
  { name: 'time_us', type: 'INTEGER', mode: 'NULLABLE' },
  text('kind'),
  { name: 'commit', type: 'RECORD', mode: 'NULLABLE', fields: commit },
];

/** Few users write most; kinds, operations and collections are about as frequent as on Bluesky's stream. */
const documents = (from: number, to: number) => `
  WITH numbers AS (SELECT i, hash(i) % 1000 AS kind, hash(i + 1e12::BIGINT) % 1000 AS op, hash(i + 2e12::BIGINT) % 1000 AS col,
    floor(pow(hash(i + 3e12::BIGINT) / 18446744073709551616, 3) * ${Math.ceil(rows / 4)})::BIGINT AS user FROM range(${from}, ${to}) AS r(i))
  SELECT 'did:plc:' || left(md5(user::VARCHAR), 24) AS did, 1732206349000000 + i * 3600 + (hash(i) % 3600)::BIGINT AS time_us,
    CASE WHEN kind < 984 THEN 'commit' WHEN kind < 994 THEN 'identity' ELSE 'account' END AS kind,
    CASE WHEN kind < 984 THEN struct_pack(
      rev := left(md5((i // 3)::VARCHAR), 13),
      operation := CASE WHEN op < 930 THEN 'create' WHEN op < 990 THEN 'delete' ELSE 'update' END,
      collection := 'app.bsky.' || CASE WHEN col < 470 THEN 'feed.like' WHEN col < 680 THEN 'graph.follow' WHEN col < 800 THEN 'feed.post'
        WHEN col < 920 THEN 'feed.repost' WHEN col < 970 THEN 'graph.block' WHEN col < 990 THEN 'graph.listitem' ELSE 'actor.profile' END,
      rkey := left(md5(i::VARCHAR), 13),
      record := CASE WHEN op < 930 THEN '{"$type":"app.bsky","createdAt":"' || make_timestamp(1732206349000000 + i * 3600)::VARCHAR || '"}' END,
      cid := 'bafyrei' || left(md5(i::VARCHAR), 20)) END AS "commit"
  FROM numbers`;

const creates = `kind = 'commit' AND commit.operation = 'create'`;
const posts = `${creates} AND commit.collection = 'app.bsky.feed.post'`;
const threeKinds = `${creates} AND commit.collection IN ('app.bsky.feed.post', 'app.bsky.feed.repost', 'app.bsky.feed.like')`;
const events = (users: string) =>
  `SELECT commit.collection AS event, count(*) AS n${users} GROUP BY event ORDER BY n DESC, event`;
const hours = (hour: string) =>
  `SELECT commit.collection AS event, ${hour} AS hour, count(*) AS n FROM events WHERE ${threeKinds} GROUP BY event, hour ORDER BY hour, event`;
const users = (value: string, order: string) =>
  `SELECT did, ${value} AS v FROM events WHERE ${posts} GROUP BY did ORDER BY v ${order}, did LIMIT 3`;

const micros = 'make_timestamp(time_us)';
const micros64 = "fromUnixTimestamp64Micro(assumeNotNull(time_us), 'UTC')";
const bigqueryTime = 'timestamp_micros(time_us)';

/** For the gateway, DuckDB, and chdb. */
const queries: readonly (readonly [bigquery: string, duckdb: string, clickhouse: string])[] = [
  ...[events(' FROM events'), events(`, count(DISTINCT did) AS users FROM events WHERE ${creates}`)].map(
    (sql) => [sql, sql, sql] as const,
  ),
  [hours(`extract(HOUR FROM ${bigqueryTime})`), hours(`hour(${micros})`), hours(`toHour(${micros64})`)],
  [
    users(`unix_micros(min(${bigqueryTime}))`, 'ASC'),
    users(`epoch_us(min(${micros}))`, 'ASC'),
    users(`toUnixTimestamp64Micro(min(${micros64}))`, 'ASC'),
  ],
  [
    users(`timestamp_diff(max(${bigqueryTime}), min(${bigqueryTime}), MICROSECOND)`, 'DESC'),
    users(`date_diff('microseconds', min(${micros}), max(${micros}))`, 'DESC'),
    users(`dateDiff('us', min(${micros64}), max(${micros64}))`, 'DESC'),
  ],
];

/** Processor time of all threads of this process, in ms: other work on the machine does not change it. */
async function cost<T>(work: () => Promise<T>): Promise<{ readonly ms: number; readonly result: T }> {
  const before = process.cpuUsage();
  const result = await work();
  const { system, user } = process.cpuUsage(before);
  return { ms: (system + user) / 1000, result };
}

/** Runs SQL in Python, which prints the processor times and the first rows. */
const chdb = `
import json, sys, time
from chdb import session
s = session.Session()
out = []
for sql in json.load(sys.stdin):
    times = []
    for _ in range(${runs} + 1):
        began = time.process_time(); r = s.query(sql, 'JSONCompact'); times.append((time.process_time() - began) * 1000)
    out.append({'ms': sorted(times[1:])[${runs} // 2], 'rows': json.loads(str(r))['data']})
print(json.dumps(out))`;

rmSync(dataDir, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const instance = await DuckDBInstance.create(':memory:', { threads: '2', memory_limit: '1GB' });
const connection = await instance.connect();
for (let from = 0; from < rows; from += rowsPerFile) {
  const file = join(folder, `${from / rowsPerFile}.parquet`);
  const to = Math.min(rows, from + rowsPerFile);
  await connection.run(`COPY (${documents(from, to)}) TO '${file}' (FORMAT parquet, COMPRESSION zstd)`);
}
await connection.run(`CREATE VIEW events AS FROM read_parquet('${folder}/*.parquet')`);
const session = await openSession({
  duckdb: { dataDir, storeFile: ':memory:', threads: 2 },
  tables: [{ name: 'events', fields }],
  ...{ withRows: true, now: () => new Date() },
  listener: { problem: console.error, news: () => {} },
});
const ask = (sql: string) => session.run({ sql, parameters: {} }, { timeoutMs: 600_000, maxRows: 1000 });
const byHand = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson();
const plain = (found: readonly (readonly unknown[])[]) => JSON.stringify(found.map((row) => row.map(String)));

const source = `FROM file('${folder}/*.parquet')`;
const input = JSON.stringify(queries.map(([, , sql]) => sql.replace('FROM events', source)));
const options = { input, encoding: 'utf8', maxBuffer: 1 << 26 } as const;
const others = python === '-' ? [] : JSON.parse(execFileSync(python, ['-c', chdb], options));

const table: string[][] = [];
for (const [at, [bigquery, duckdb]] of queries.entries()) {
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let run = -1; run < runs; run += 1) {
    const own = await cost(() => ask(bigquery));
    const hand = await cost(() => byHand(duckdb));
    if (!('rows' in own.result)) throw new Error(JSON.stringify(own.result));
    for (const found of [hand.result, ...(others[at] ? [others[at].rows] : [])])
      if (plain(found) !== plain(own.result.rows))
        throw new Error(`${bigquery}: ${plain(own.result.rows)} against ${plain(found)}`);
    if (run < 0) continue;
    ours.push(own.ms);
    theirs.push(hand.ms);
  }
  const [own, hand] = [summary(ours).median, summary(theirs).median];
  const times = [own, hand].map((ms) => ms.toFixed(0));
  table.push([`Q${at + 1}`, ...times, ratio(own / hand), others[at]?.ms.toFixed(0) ?? 'none']);
}
printTable(
  `Documents: ${rowsText}; processor time in ms, medians of ${runs} runs in turns`,
  ['query', 'gateway', 'DuckDB by hand', 'ratio', 'chdb'],
  table,
);
await session.close();
instance.closeSync();
rmSync(dataDir, { recursive: true });
