import { foldName } from '@querygate/text';
import { withFreshAliases } from '../tree/fresh-aliases.ts';
import { freshNames } from '../tree/fresh-names.ts';
import { forEachNode, type Mapper, mapExpressions, mapParts, mapperWith, someNode } from '../tree/map.ts';
import type { Query, With } from '../tree/nodes.ts';
import { nowParameter } from '../tree/own-parameters.ts';
import { isRandom } from '../tree/volatile.ts';
import { withTables } from '../tree/with-tables.ts';

/** A common table whose rows other queries may read too, as a query by itself. */
export interface SharedTable {
  /** As in the text of the query that it was taken from. */
  readonly name: string;
  /** Equal for equal tables of different queries: its aliases and parameters have names of their own. */
  readonly query: Query;
  /** The parameters of the query that it was taken from, by their new names. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** A query that reads some of its common tables where their rows are. */
export interface SharingQuery {
  readonly query: Query;
  /** Each may read those before it. */
  readonly tables: readonly SharedTable[];
}

/**
 * Takes common tables out of a query.
 *
 * @param names as they are in its text
 * @param relationOf the relation, as SQL, that has the rows of a table, by its number
 * @returns undefined if none of them can be shared
 */
export function shareTables(
  query: Query,
  names: readonly string[],
  relationOf: (at: number) => string,
): SharingQuery | undefined {
  if (query.kind !== 'with') return undefined;
  const shared = query.tables.filter(
    (table) => names.includes(table.writtenName ?? '') && !isDrawn(withTables(query.tables, table.query)),
  );
  if (shared.length === 0) return undefined;
  const numbers = new Map(shared.map(({ name }, at) => [name, at]));
  const mapper: Mapper = mapperWith({
    from: (node) => {
      const at = node.kind === 'reference' ? numbers.get(node.name) : undefined;
      if (node.kind !== 'reference' || at === undefined) return mapParts(node, mapper);
      return { kind: 'table', alias: node.alias, name: node.name, relation: relationOf(at), start: 0 };
    },
  });
  const { tables, body } = mapper.query(query) as With;
  const others = tables.filter(({ name }) => !numbers.has(name));
  return {
    query: withTables(others, body),
    tables: tables
      .filter(({ name }) => numbers.has(name))
      .map((table) => sharedTable(table.writtenName ?? '', withTables(others, table.query))),
  };
}

/** Rows that are drawn at random are others for each query. */
const isDrawn = (query: Query): boolean =>
  isRandom(query) || someNode(query, ({ kind }) => kind === 'sample');

function sharedTable(name: string, query: Query): SharedTable {
  const columns = new Set<string>();
  const parameters = new Map<string, string>();
  const newNames = new Map<string, string>();
  forEachNode(query, (node) => {
    if (node.kind === 'column') columns.add(foldName(node.name));
    if (node.kind !== 'parameter' || node.name === nowParameter || newNames.has(node.name)) return;
    const newName = `p${newNames.size + 1}`;
    newNames.set(node.name, newName);
    parameters.set(newName, node.name);
  });
  const unused = freshNames(query);
  const fresh = (): string => {
    const alias = unused('shared');
    return columns.has(alias) ? fresh() : alias;
  };
  const renamed = mapExpressions(withFreshAliases(query, fresh), (node) =>
    node.kind === 'parameter' ? { ...node, name: newNames.get(node.name) ?? node.name } : node,
  );
  return { name, query: renamed, parameters };
}

/** True if the rows of a query depend on the time of its run. */
export const readsTime = (query: Query): boolean =>
  someNode(query, (node) => node.kind === 'parameter' && node.name === nowParameter);
