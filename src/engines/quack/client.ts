import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteText } from '@querygate/bigquery-sql/tree';
import { StartError } from '../../errors.ts';
import { loadExtensions } from '../duckdb/extensions.ts';
import { type Database, openDatabase } from '../duckdb/open-database.ts';
import { globalSettings } from '../duckdb/open-duckdb.ts';
import { buildDefineMacros, type DefineMacros } from '../duckdb/run/define-macros.ts';
import type { QuackSettings } from './quack-options.ts';
import { ServerFailure, WrongTables } from './server-failure.ts';
import { Sessions } from './sessions.ts';
import { type DescribedTables, tableProblems } from './server-tables.ts';

/** The database of this process, which plans, computes constants, and has the sessions of the server. */
export interface Client {
  readonly database: Database;
  /** Has the declared tables, without rows. */
  readonly planning: DuckDBConnection;
  readonly defineMacros: DefineMacros;
  /** @throws StartError if the extensions cannot be loaded */
  openSessions(tables: () => DescribedTables): Promise<Sessions>;
}

/** @throws StartError if DuckDB cannot be opened */
export async function openClient(settings: QuackSettings): Promise<Client> {
  const database = await openDatabase(settings);
  const planning = await database.connect();
  await planning.run(globalSettings);
  return {
    database,
    planning,
    defineMacros: buildDefineMacros(planning, new Set()),
    async openSessions(tables) {
      await loadExtensions(planning, settings.extensionsDir, ['httpfs', 'quack'], 'quack://');
      // A statement that is sent again would run twice.
      await planning.run('SET GLOBAL http_retries = 0');
      // The client of DuckDB does not look for it.
      const { SSL_CERT_FILE: authorities } = process.env;
      if (authorities) await planning.run(`SET GLOBAL ca_cert_file = ${quoteText(authorities)}`);
      return new Sessions({
        database,
        settings,
        async onBegin(ask) {
          const problems = await tableProblems(ask, tables());
          if (problems.size > 0) throw new WrongTables([...problems.values()].flat());
        },
      });
    },
  };
}

/** Begins a session. @throws StartError; ServerFailure if the server cannot be reached */
export async function requireServer(sessions: Sessions): Promise<void> {
  try {
    await sessions.use((session) => session.ask('SELECT 1'));
  } catch (error) {
    if (error instanceof WrongTables)
      throw new StartError('The server has other tables than those that are declared', error.problems);
    if (!(error instanceof ServerFailure)) throw error;
    const { isRefused, isUnreachable, isUntrusted } = error;
    if (isUnreachable && !isUntrusted) throw error;
    const problem = isUntrusted ? 'the certificate of the server is not trusted' : error.message;
    const message = isRefused ? 'quack.token: the server refuses it' : `quack.url: ${problem}`;
    throw new StartError('The server of DuckDB cannot be used', [{ message }]);
  }
}
