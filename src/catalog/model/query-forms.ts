import { LRUCache } from 'lru-cache';
import { getOrAdd } from '../../get-or-add.ts';
import { memoize } from '../../memoize.ts';
import type { SavedQuery, Tenant } from './saved-query.ts';

/** The parts of a query that a form of it replaces: SQL made from that of the query, which engines run in its place. */
export interface QueryForm extends Pick<SavedQuery, 'sql' | 'parameters' | 'columns' | 'maxRows'> {
  /** By which its rows are checked; null for none, undefined for that of the query. */
  readonly tenant?: Tenant | null | undefined;
}

const written = new WeakMap<SavedQuery, SavedQuery>();

/** A query that is run only, and has no other capability of the one whose form it is. */
export function formOf(query: SavedQuery, given: QueryForm): SavedQuery {
  const { sql, parameters, columns, maxRows, tenant = query.tenant } = given;
  const form: SavedQuery = {
    ...query,
    incremental: undefined,
    tenant: tenant ?? undefined,
    sql,
    parameters,
    columns,
    maxRows,
    warm: [],
    shadow: undefined,
    rowArguments: undefined,
    pages: undefined,
    prometheus: undefined,
    querySandboxing: 'disabled',
  };
  written.set(form, queryOfForm(query));
  return form;
}

/** The query of which another one is a form; itself otherwise. */
export const queryOfForm = (query: SavedQuery): SavedQuery => written.get(query) ?? query;

/** How many forms that callers have caused are kept of one query. */
const maxForms = 100;

const recentForms = memoize((_query: SavedQuery) => new LRUCache<string, SavedQuery>({ max: maxForms }));

/** A form that a caller causes: the same object for the same SQL and parameters, while it is in use. */
export const recentForm = (query: SavedQuery, form: QueryForm): SavedQuery =>
  getOrAdd<string, SavedQuery>(recentForms(query), JSON.stringify(form), () => formOf(query, form));
