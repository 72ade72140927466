import { mkdirSync, rmSync } from 'node:fs';
import { openImport } from '../src/open-import.ts';
import { logs } from './import-folder.ts';
import { openTestStore } from './test-store.ts';

/**
 * Imports a folder into a store in small batches, and kills itself some milliseconds after so many of them:
 * `node import-until-killed.ts <store> <data> <scratch> <batches> <milliseconds>`.
 */
const [, , path = '', dataDir = '', scratch = '', batches = '', delayMs = ''] = process.argv;
const kill = () => process.kill(process.pid, 'SIGKILL');
let left = Number(batches);
if (left === 0) setTimeout(kill, Number(delayMs));
rmSync(scratch, { recursive: true, force: true });
mkdirSync(scratch);
const store = await openTestStore([logs], path);
const data = await openImport({
  connect: store.connect,
  dataDir,
  scratch,
  tables: store.tables,
  onRepeatedRecord: store.onRepeatedRecord,
  events: {
    problem: (message) => process.stdout.write(`${message}\n`),
    progress: () => {
      left -= 1;
      if (left === 0) setTimeout(kill, Number(delayMs));
    },
  },
  signal: new AbortController().signal,
  batchLimits: { rows: 500, bytes: 1 << 20 },
});
await data.sync();
// The rest was imported before the time to be killed.
if (left <= 0) await new Promise(() => {});
await data.close();
const counts = await store.queryJson(
  `SELECT count(*), count(DISTINCT id), (SELECT count(*) FROM "import"."rejects"),
     (SELECT sum("rows") FROM "import"."files") FROM logs`,
);
process.stdout.write(`done ${counts.flat().join(' ')}\n`);
store.close();
