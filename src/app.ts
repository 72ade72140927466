import type { Logger } from 'pino';
import { buildAsk } from './answer/answer.ts';
import { loadCatalog } from './catalog/load-catalog.ts';
import type { Catalog } from './catalog/saved-query.ts';
import type { Config } from './config.ts';
import { buildAuthenticate } from './doors/auth.ts';
import { graphiqlPage } from './doors/graphiql.ts';
import { buildGraphql } from './doors/graphql.ts';
import { isLoopback } from './doors/loopback.ts';
import { buildRest } from './doors/rest.ts';
import { buildRouter } from './doors/router.ts';
import type { ImportProgress } from './engine/duckdb/import/open-import.ts';
import { openEngine } from './engine/open-engine.ts';
import { describeProblem } from './errors.ts';

export interface AppOptions {
  readonly config: Config;
  /** What a caller must show: the configured key, or one that was made at start. */
  readonly apiKey: string;
  readonly log: Logger;
  /** The time, for the SQL's CURRENT_TIMESTAMP() and for answers. */
  readonly now?: () => Date;
  /** Told how far the import of local files has come. */
  readonly onImport?: (progress: ImportProgress) => void;
}

export interface App {
  readonly catalog: Catalog;
  /** Answers one request. It never rejects. */
  fetch(request: Request): Promise<Response>;
  /** Makes `/readyz` tell that no new request should come. */
  drain(): void;
  close(): Promise<void>;
}

/**
 * The whole service without its socket.
 *
 * @throws StartError with everything that is wrong with the saved queries
 */
export async function openApp({
  config,
  apiKey,
  log,
  now = () => new Date(),
  onImport,
}: AppOptions): Promise<App> {
  const catalog = loadCatalog(config.queriesDir);
  const engine = await openEngine({
    catalog,
    config,
    now,
    listener: {
      problem: (message) => log.warn(message),
      news: (message) => log.info(message),
      ...(onImport && { progress: onImport }),
    },
    onChecked: (endpoint, bytesProcessed, problems) => {
      log.info({ endpoint, bytesProcessed }, 'query checked');
      for (const problem of problems) log.warn({ endpoint }, describeProblem(problem));
    },
  });

  const ask = buildAsk(engine, now, (endpoint, cost) => log.info({ endpoint, ...cost }, 'query ran'));
  const authenticate = buildAuthenticate(apiKey);
  const showsKey = !config.production && isLoopback(config.host);
  let ready = true;
  const fetch = buildRouter(
    {
      rest: buildRest({ catalog, ask, authenticate, log }),
      graphql: buildGraphql({ catalog, ask, authenticate, log }),
      page: ({ hostname }) => graphiqlPage(catalog, showsKey && isLoopback(hostname) ? apiKey : undefined),
      isReady: () => ready,
    },
    config,
    log,
  );
  return {
    catalog,
    fetch,
    drain: () => {
      ready = false;
    },
    close: () => engine.close(),
  };
}
