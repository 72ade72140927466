import { cpSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGateway } from '../../test/support/gateway-process.ts';
import { atMost } from '../goals.ts';
import type { Bench } from '../run.ts';
import { connections } from './compare.ts';
import { postGraphql } from './graphql-sides.ts';
import { responsesPerSecond } from './load.ts';
import { residentMb } from './memory.ts';
import { columns, makeFolder } from './sides.ts';

const settleMs = 10_000;
const loadMs = 60_000;
const goals = { idleMb: 450, loadedMb: 600 } as const;

const bench: Bench = {
  title: `Memory of the demo: idle, and after a minute of GraphQL 1000×8 over ${connections} connections`,
  async *run() {
    const folder = makeFolder();
    cpSync('queries', folder.path, { recursive: true });
    const env = { QUERIES_DIR: folder.path, API_KEY: 'key' };
    const gateway = await startGateway(env, openSync(join(folder.path, 'log'), 'a'));
    try {
      await sleep(settleMs);
      const idleMb = residentMb(gateway);
      yield atMost(`idle: ${Math.round(idleMb)} MB`, idleMb, goals.idleMb);

      const fields = Object.keys(columns).filter((name) => !name.includes('_'));
      const query = (alias: string) =>
        `{ rows1000 { rows { ${alias} errorCount minTime maxTime avgTime ${fields.join(' ')} } } }`;
      const known = postGraphql(query(''));
      let count = 0;
      // Every second selection is new.
      const nextRequest = () => {
        count += 1;
        return count % 2 === 0 ? known : postGraphql(query(`a${count}: count`));
      };
      const port = Number(new URL(gateway.origin).port);
      let mostMb = idleMb;
      const watching = setInterval(() => {
        mostMb = Math.max(mostMb, residentMb(gateway));
      }, 500);
      const perSecond = await responsesPerSecond({ port, nextRequest, connections, ms: loadMs });
      clearInterval(watching);
      const loadedMb = residentMb(gateway);
      const figures = `after a minute of load: ${Math.round(loadedMb)} MB, ${Math.round(mostMb)} MB at most meanwhile, ${Math.round(perSecond)}/s`;
      yield atMost(figures, loadedMb, goals.loadedMb);
    } finally {
      await gateway.end();
      folder.remove();
    }
  },
};

export default bench;
