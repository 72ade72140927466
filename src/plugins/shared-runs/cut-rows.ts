import type { BoundQuery } from '../../catalog/binding/bind.ts';
import type { Rows } from '../../engine-contract/engine.ts';
import { rowTexts } from '../../engine-contract/rows-document.ts';
import type { SharedForm } from './share-query.ts';

/** Which rows of one tenant are its result. */
interface Bounds {
  readonly offset: number;
  readonly limit: number;
  readonly maxRows: number;
}

/** The bounds of a bound query; undefined if its own run has to say what is wrong with them. */
export function boundsOf(
  { limit, offset }: SharedForm,
  { query: { maxRows }, parameters }: BoundQuery,
): Bounds | undefined {
  const numberOf = (bound: number | string | undefined, without: number): number => {
    if (typeof bound === 'number') return bound;
    if (bound === undefined) return without;
    const [, value] =
      Object.entries(parameters).find(([name]) => name.toLowerCase() === bound.toLowerCase()) ?? [];
    return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
  };
  const bounds = {
    ...{ maxRows, offset: numberOf(offset, 0) },
    limit: numberOf(limit, Number.POSITIVE_INFINITY),
  };
  return Number.isNaN(bounds.offset) || Number.isNaN(bounds.limit) ? undefined : bounds;
}

/** A shared run has returned a row of a tenant that is not in its list. */
export class ForeignRow extends Error {
  override readonly name = 'ForeignRow';
}

/** How many rows are cut in one step: a millisecond of work. */
const stepRows = 1_000;

/**
 * The results of tenants from the rows of a shared run, each as the tenant's own run gives it. A tenant whose rows the query
 * leaves in any order is left out: its own run decides.
 *
 * @throws ForeignRow
 */
export function* cutRows(
  rows: Rows,
  { tenant: tenantColumn, rank: rankColumn }: SharedForm,
  tenants: readonly string[],
  bounds: Bounds,
): Generator<void, ReadonlyMap<string, Rows>> {
  const prefix = new RegExp(
    `^\\{"${tenantColumn}":("(?:[^"\\\\]|\\\\.)*"),"${rankColumn}":(\\d+)(?:,|(?=\\}$))`,
  );
  const byTenant = new Map<string, TenantRows>(tenants.map((tenant) => [tenant, new TenantRows(bounds)]));
  let count = 0;
  for (const text of textsOf(rows)) {
    const [head = '', tenant = '', rank = ''] = prefix.exec(text) ?? [];
    const own = tenant === '' ? undefined : byTenant.get(JSON.parse(tenant));
    if (own === undefined) throw new ForeignRow(`a row of a shared run belongs to no tenant of its list`);
    own.add(`{${text.slice(head.length)}`, Number(rank));
    count += 1;
    if (count % stepRows === 0) yield;
  }
  return new Map(
    [...byTenant].flatMap(([tenant, own]) => {
      const result = own.result();
      return result === undefined ? [] : [[tenant, result] as const];
    }),
  );
}

const textsOf = ({ document, rows }: Rows): Iterable<string> =>
  document === undefined ? rows : rowTexts(Buffer.concat(document.parts), 0);

/** The rows of one tenant, as they come. */
class TenantRows {
  readonly #bounds: Bounds;
  readonly #rows: string[] = [];
  /** The rank of the last row. */
  #rank = 0;
  #isOrdered = true;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  add(text: string, rank: number): void {
    // Equal in the order, but not in what callers see.
    if (rank !== this.#rows.length + 1 && text !== this.#rows.at(-1)) this.#isOrdered = false;
    this.#rank = rank;
    this.#rows.push(text);
  }

  result(): Rows | undefined {
    const { offset, limit, maxRows } = this.#bounds;
    const { length } = this.#rows;
    // More rows than were read may be equal to the last ones in the order.
    const isCutAmongEqual = length > offset + maxRows && this.#rank <= offset + Math.min(limit, maxRows);
    if (!this.#isOrdered || isCutAmongEqual) return undefined;
    const found = this.#rows.slice(offset, Math.min(length, offset + limit));
    return { rows: found.slice(0, maxRows), truncated: found.length > maxRows };
  }
}
