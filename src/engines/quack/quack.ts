import type { Engine } from '../../engine-contract/engine.ts';
import type { EngineFactory, EngineHost } from '../../engine-contract/engine-factory.ts';
import { moduleUrl } from '../../files/module-url.ts';
import { canStartChildren } from '../../process/start-child.ts';
import { duckdb } from '../duckdb/duckdb.ts';
import { sizeOf } from '../duckdb/open-isolated.ts';
import { checkQuackOptions, type QuackOptions, type QuackSettings } from './quack-options.ts';

/**
 * The engine on a server of DuckDB that others run: BigQuery's SQL is compiled as for the embedded one, and runs in sessions of
 * the protocol Quack. Its client is loaded when the engine is opened, in a process of its own.
 *
 * @throws StartError with every option of a wrong name or kind
 */
export function quack(options: QuackOptions): EngineFactory {
  const settings = checkQuackOptions(options);
  const { columnsOf, sqlOf, openFixtures } = duckdb({ memoryLimit: settings.memoryLimit });
  return {
    name: 'quack',
    sql: 'bigquery',
    flags: { isService: true, enforcesTenants: true },
    open: async (host) =>
      canStartChildren
        ? openApart(host, settings)
        : (await import('./open-quack.ts')).openQuack(host, settings),
    check: async (catalog, given) =>
      (await import('./check-on-server.ts')).checkQueries(catalog, given, settings),
    ...(columnsOf && { columnsOf }),
    ...(sqlOf && { sqlOf }),
    ...(openFixtures && { openFixtures }),
  };
}

async function openApart(host: EngineHost, settings: QuackSettings): Promise<Engine> {
  const { openRemote } = await import('../../engine-contract/remote/open-remote.ts');
  return openRemote(host, {
    program: moduleUrl('./quack-program', import.meta.url),
    settings,
    // A query that the server does not answer occupies a thread of libuv's pool.
    env: {
      UV_THREADPOOL_SIZE: String(2 * host.limits.concurrency + 4),
      ...(process.env.SSL_CERT_FILE && { SSL_CERT_FILE: process.env.SSL_CERT_FILE }),
    },
    memoryBytes: 2 * sizeOf(settings.memoryLimit) + 1e9,
  });
}
