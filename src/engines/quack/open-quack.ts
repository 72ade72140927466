import { computingOwner } from '../../concurrency/loop-turns.ts';
import type { Engine } from '../../engine-contract/engine.ts';
import type { EngineHost } from '../../engine-contract/engine-factory.ts';
import { limitRuns } from '../../engine-contract/limit-runs.ts';
import { once } from '../../memoize.ts';
import { asStartError } from '../duckdb/open-database.ts';
import { Catalogs } from './catalogs.ts';
import { openClient, requireServer } from './client.ts';
import { addressOf, type QuackSettings } from './quack-options.ts';
import { buildRun } from './run-on-server.ts';
import { ServerFailure } from './server-failure.ts';

/**
 * The engine on a server of DuckDB. If the server cannot be reached, it is opened all the same: results that are kept can be
 * answered meanwhile.
 *
 * @throws StartError if a saved query cannot run there, if the tables are not those that are declared, or for a wrong token
 */
export async function openQuack(host: EngineHost, settings: QuackSettings): Promise<Engine> {
  const client = await openClient(settings);
  const { database } = client;
  try {
    const catalogs = new Catalogs(client);
    await catalogs.open(host.catalog);
    const sessions = await client.openSessions(() => catalogs.tables());
    await requireServer(sessions).catch((error: unknown) => {
      if (!(error instanceof ServerFailure)) throw error;
      host.events.problem(`The server of DuckDB cannot be reached: ${error.message}`);
    });
    const { turns, now, events } = host;
    const run = buildRun({
      sessions,
      turns,
      now,
      runnableOf: async (query) => {
        const known = catalogs.get(query);
        if (known !== undefined) return known;
        // To compile it takes some milliseconds.
        await turns.wait(computingOwner(undefined));
        return catalogs.prepareForm(query);
      },
      onProblem: events.problem,
      onLost: (name) => events.stuck?.(`the server of DuckDB does not know of a run of ${name} any longer`),
    });
    const { uri, path } = addressOf(settings);
    return limitRuns(host, {
      source: [uri, ...path].join(' '),
      updates: catalogs.updates(sessions),
      run,
      close: once(async () => {
        await sessions.idle();
        database.close();
      }),
    });
  } catch (error) {
    database.close();
    throw asStartError(error, settings);
  }
}
