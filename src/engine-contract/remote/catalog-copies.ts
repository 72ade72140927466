import { type AnalyzedCatalog, buildAnalyze, type Dialect } from '../../catalog-analysis/analyze-catalog.ts';
import type { Catalog, SavedQuery } from '../../catalog/model/saved-query.ts';
import type { CatalogMessage } from './messages.ts';

/** Numbers the saved queries for one process, which gets each of them once. */
export class CatalogSender {
  readonly #sent = new Map<SavedQuery, number>();
  #tables: Catalog['tables'] | undefined;
  #tablesNumber = 0;
  #last = 0;

  /** undefined if the process does not have the query. */
  numberOf(query: SavedQuery): number | undefined {
    return this.#sent.get(query);
  }

  /** True if a version is the one that was described last. */
  isLast({ queries, tables }: Catalog): boolean {
    return tables === this.#tables && queries.every((query) => this.#sent.has(query));
  }

  /** @param others versions whose queries may still be run; the process forgets those of none */
  describe({ queries, tables }: Catalog, others: Iterable<Catalog>): CatalogMessage {
    const kept = new Set([...queries, ...[...others].flatMap((version) => version.queries)]);
    for (const query of this.#sent.keys()) if (!kept.has(query)) this.#sent.delete(query);
    const before = new Set(this.#sent.values());
    const added = queries.flatMap((query): (readonly [number, SavedQuery])[] => {
      if (this.#sent.has(query)) return [];
      this.#last += 1;
      this.#sent.set(query, this.#last);
      return [[this.#last, query]];
    });
    const isNew = tables !== this.#tables;
    if (isNew) this.#tablesNumber += 1;
    this.#tables = tables;
    return {
      queries: queries.flatMap((query) => this.#sent.get(query) ?? []),
      added,
      kept: [...before],
      schemas: isNew ? tables : undefined,
    };
  }
}

/** The saved queries in the process, which analyzes them itself. */
export class CatalogReceiver {
  readonly #analyze: ReturnType<typeof buildAnalyze>;
  /** As they were sent. */
  readonly #received = new Map<number, SavedQuery>();
  /** As they are analyzed: the engine knows these. */
  readonly #analyzed = new Map<number, SavedQuery>();
  #tables: Catalog['tables'] = [];

  constructor(dialect: Dialect) {
    this.#analyze = buildAnalyze(dialect);
  }

  get(number: number): SavedQuery | undefined {
    return this.#analyzed.get(number);
  }

  /** Every query that is known, with its number. */
  all(): Iterable<readonly [number, SavedQuery]> {
    return this.#analyzed;
  }

  receive({ queries: numbers, added, kept, schemas }: CatalogMessage): AnalyzedCatalog {
    this.#tables = schemas ?? this.#tables;
    for (const [number, query] of added) this.#received.set(number, query);
    const known = new Set([...numbers, ...kept]);
    for (const number of this.#received.keys()) {
      if (known.has(number)) continue;
      this.#received.delete(number);
      this.#analyzed.delete(number);
    }
    const found = numbers.flatMap((number) => this.#received.get(number) ?? []);
    const catalog = this.#analyze({ queries: found, tables: this.#tables });
    for (const [at, number] of numbers.entries()) {
      const query = catalog.queries[at];
      if (query !== undefined) this.#analyzed.set(number, query);
    }
    return catalog;
  }

  /** The numbers of queries of a version. */
  numbersOf({ queries: numbers }: CatalogMessage): ReadonlyMap<SavedQuery, number> {
    return new Map(
      numbers.flatMap((number) => {
        const query = this.#analyzed.get(number);
        return query === undefined ? [] : [[query, number] as const];
      }),
    );
  }
}
