import { mkdirSync, rmSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { openImport } from '../../../../src/engine/duckdb/import/open-import.ts';
import { logs } from './import-folder.ts';
import { createPlainTables, plainTarget } from './plain-target.ts';

/** Imports a folder into a store in small portions: `node import-until-killed.ts <store> <data> <scratch>`. */
const [, , store = '', dataDir = '', scratch = ''] = process.argv;
rmSync(scratch, { recursive: true, force: true });
mkdirSync(scratch);
const instance = await DuckDBInstance.create(store, { threads: '2' });
const connect = async () => {
  const connection = await instance.connect();
  await connection.run(`SET TimeZone = 'UTC'`);
  return connection;
};
const connection = await connect();
await createPlainTables(connection, [logs]);
const data = await openImport({
  connect,
  store: 'store',
  dataDir,
  scratch,
  tables: [logs],
  target: plainTarget,
  onPlural: () => Promise.resolve(),
  onProblem: (message) => process.stdout.write(`${message}\n`),
  onProgress: () => process.stdout.write('portion\n'),
  signal: new AbortController().signal,
  batchLimits: { rows: 500, bytes: 1 << 20 },
});
await data.sync();
await data.close();
const told = await connection.runAndReadAll(
  `SELECT count(*), count(DISTINCT id), (SELECT count(*) FROM "import"."rejects"),
     (SELECT sum("rows") FROM "import"."files") FROM logs`,
);
process.stdout.write(`done ${told.getRowsJson().flat().join(' ')}\n`);
connection.closeSync();
instance.closeSync();
