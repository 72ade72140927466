import { buildExclusive } from '@querygate/duckdb-import';
import type { AnalyzedCatalog } from '../../catalog-analysis/analyze-catalog.ts';
import { queryOfForm } from '../../catalog/model/query-forms.ts';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import type { CatalogUpdates } from '../../engine-contract/engine.ts';
import { type Problem, StartError } from '../../errors.ts';
import type { Runnable } from '../duckdb/prepare/prepare-catalog.ts';
import type { Client } from './client.ts';
import { type PreparedForServer, prepareForServer } from './prepare.ts';
import { ServerFailure } from './server-failure.ts';
import type { Sessions } from './sessions.ts';
import { type DescribedTables, tableProblems } from './server-tables.ts';

/** The versions of the catalog whose queries may be run; the current one is the last. */
export class Catalogs {
  readonly #client: Client;
  readonly #known = new WeakMap<SavedQuery, Runnable>();
  /** One catalog after the other has its tables in the database of this process. */
  readonly #exclusive = buildExclusive();
  readonly #read = new WeakMap<AnalyzedCatalog, DescribedTables>();
  #versions: readonly AnalyzedCatalog[] = [];

  constructor(client: Client) {
    this.#client = client;
  }

  /** @throws StartError with the problems of all queries */
  async open(first: AnalyzedCatalog): Promise<void> {
    const { problems } = await this.#prepare(first);
    if (problems.size > 0)
      throw new StartError(
        'Saved queries cannot be served from a server of DuckDB',
        [...problems.values()].flat(),
      );
    this.#versions = [first];
  }

  /** The tables that queries of the current version read, as the server must have them. */
  tables(): DescribedTables {
    const current = this.#versions.at(-1);
    return (current && this.#read.get(current)) ?? new Map();
  }

  get(query: SavedQuery): Runnable | undefined {
    return this.#known.get(query);
  }

  /** @throws StartError if it cannot run */
  async prepareForm(form: SavedQuery): Promise<Runnable> {
    const version = this.#versions.findLast(({ queries }) => queries.includes(queryOfForm(form)));
    if (version === undefined) throw new Error(`${form.name} was not prepared`);
    const { runnable, problems } = await this.#prepare({ ...version, queries: [form] });
    const prepared = runnable.get(form);
    if (prepared === undefined || problems.size > 0)
      throw new StartError('A saved query does not run', [...problems.values()].flat());
    return prepared;
  }

  updates(sessions: Sessions): CatalogUpdates {
    return {
      check: async (catalog) => {
        const { runnable, problems, read } = await this.#prepare(catalog);
        const ofTables = await sessions
          .use((session) => tableProblems(session.ask, read))
          .catch((error: unknown) => {
            // They are compared when the server can be reached.
            if (error instanceof ServerFailure) return new Map<string, readonly Problem[]>();
            throw error;
          });
        const readsWrong = [...runnable].flatMap(([query, { tables }]) => {
          const found = tables.flatMap((table) => ofTables.get(table) ?? []);
          return found.length > 0 ? [[query, found] as const] : [];
        });
        return new Map([...readsWrong, ...problems]);
      },
      replace: async (catalog) => {
        const previous = this.#versions.at(-1);
        this.#versions = [...this.#versions, catalog];
        return async () => {
          this.#versions = this.#versions.filter((version) => version !== previous);
        };
      },
    };
  }

  #prepare(catalog: AnalyzedCatalog): Promise<PreparedForServer> {
    const { planning, defineMacros } = this.#client;
    return this.#exclusive(async () => {
      const prepared = await prepareForServer(planning, catalog, { defineMacros, known: this.#known });
      this.#read.set(catalog, prepared.read);
      return prepared;
    });
  }
}
