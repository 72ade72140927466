import type { DuckDBConnection } from '@duckdb/node-api';
import { forEachNode, type Mapper, mapParts } from '../../src/tree/map.ts';
import type { CommonTable, Query } from '../../src/tree/nodes.ts';
import type { Form } from './forms.ts';

/** Something that must not change the rows of a query. */
export interface Change {
  readonly name: string;
  /** The optimizers that are disabled, separated by commas. */
  readonly disabled?: string;
  /** The queries that it makes of one. */
  readonly apply: (query: Query) => readonly Query[];
}

export interface Changes {
  /** All optimizers disabled. */
  readonly together: Change;
  /** Each optimizer disabled, and each common table computed once for its readers, or for each of them. */
  readonly single: readonly Change[];
}

export async function changesOf(connection: DuckDBConnection): Promise<Changes> {
  const names = (await connection.runAndReadAll('SELECT name FROM duckdb_optimizers()')).getRows();
  const optimizers = names.map(([name]) => String(name));
  const apply = (query: Query) => [query];
  return {
    together: { name: 'without optimizers', disabled: optimizers.join(), apply },
    single: [
      ...optimizers.map((name) => ({ name: `without ${name}`, disabled: name, apply })),
      { name: 'AS MATERIALIZED', apply: (query) => withHint(query, true) },
      { name: 'AS NOT MATERIALIZED', apply: (query) => withHint(query, false) },
    ],
  };
}

/** The optimizers that change a query which computes expressions and neither joins, groups nor filters rows. */
const ofExpressions: ReadonlySet<string> = new Set([
  'expression_rewriter',
  'common_subexpressions',
  'statistics_propagation',
]);

export const concerns = ({ disabled }: Change, { statement }: Form): boolean =>
  !statement.isExpression || (disabled?.split(',') ?? []).some((name) => ofExpressions.has(name));

/** The query with a hint on one common table, for each of them. */
function withHint(query: Query, materialized: boolean): readonly Query[] {
  const tables: CommonTable[] = [];
  forEachNode(query, (node) => {
    if (node.kind === 'with') tables.push(...node.tables.filter(({ recursive }) => !recursive));
  });
  return tables.map(({ name }) => {
    const mapper: Mapper = {
      expression: (node) => mapParts(node, mapper),
      from: (node) => mapParts(node, mapper),
      query: (node) => {
        const mapped = mapParts(node, mapper);
        if (mapped.kind !== 'with') return mapped;
        const hinted = mapped.tables.map((table) =>
          table.name === name ? { ...table, materialized } : table,
        );
        return { ...mapped, tables: hinted };
      },
    };
    return mapper.query(query);
  });
}
