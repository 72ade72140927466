import { duckdbText } from '../passes/duckdb-text.ts';
import { runPasses } from '../passes/passes.ts';
import type { RelationColumn } from '../rules/scope.ts';
import { freshNames } from '../tree/fresh-names.ts';
import { printQuery } from '../tree/print.ts';
import { describeType, sameName } from '../types.ts';
import type { Sandbox } from './open-sandbox.ts';
import { judgeByOutline } from './outline.ts';
import { type Predicate, type TableRead, tableReads } from './table-reads.ts';

/** How a caller's SQL would run, without its rows, the saved query's SQL, and values of parameters. */
export interface Explained {
  /** For DuckDB, with the common tables as tables. */
  readonly sql: string;
  /** In BigQuery's syntax. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** A sentence for each step. */
  readonly plan: readonly string[];
}

/** Explains the SQL that callers may write over a saved query. */
export interface Explainer {
  /** Its common tables, with their columns in BigQuery's syntax. */
  readonly tables: readonly { readonly name: string; readonly columns: Explained['columns'] }[];
  /** @throws ProblemError with one problem, at its place in the caller's text */
  explain(sql: string): Explained;
}

/** Explains callers' SQL over the common tables of a saved query. */
export function openExplainer(sandbox: Sandbox): Explainer {
  const outline = sandbox.outline(sandbox.exportTables());
  const judge = judgeByOutline(outline);
  const plain = new Map(outline.tables.map((table) => [table.name, table.plain]));
  const explain = (sql: string): Explained => {
    const { query, columns } = judge(sql);
    const changing: string[] = [];
    const passed = runPasses(query, { known: {}, fresh: freshNames(query) }, new Set(), (name, from, to) => {
      if (from !== to && printQuery(from) !== printQuery(to)) changing.push(name);
    });
    const reads = tableReads(passed, {
      isPlain: (table, path) => plain.get(table)?.has(path) ?? false,
      isParameter: (name) => outline.parameters.some((parameter) => sameName(parameter.name, name)),
      constant: () => undefined,
    });
    return {
      sql: duckdbText(passed),
      columns: described(columns),
      plan: [
        ...reads.map(describeRead),
        changing.length === 0
          ? 'No pass changes the query.'
          : `Passes that make it cheaper: ${changing.join(', ')}.`,
      ],
    };
  };
  return {
    tables: outline.tables.map((table) => ({ name: table.name, columns: described(table.columns) })),
    explain,
  };
}

const described = (columns: readonly RelationColumn[]): Explained['columns'] =>
  columns.map(({ name, type }) => ({ name, type: describeType(type) }));

function describeRead({ table, columns, where, orderBy, limit }: TableRead): string {
  const conditions = where.map((all) => all.map(predicateText).join(' AND ')).join(' OR ');
  const keys = orderBy.map(({ column, descending }) => (descending ? `${column} DESC` : column)).join(', ');
  return [
    `Read ${columns.length === 0 ? 'no column' : columns.join(', ')} of ${table}`,
    ...(conditions === '' ? [] : [`where ${conditions}`]),
    ...(limit === undefined ? [] : [`the first ${limit}${keys === '' ? '' : ` by ${keys}`}`]),
  ]
    .join(', ')
    .concat('.');
}

function predicateText(predicate: Predicate): string {
  if ('column' in predicate) return predicate.column;
  if ('parameter' in predicate) return `@${predicate.parameter}`;
  if ('value' in predicate) return `${predicate.type} ${JSON.stringify(predicate.value)}`;
  const { operator, operands } = predicate;
  const [first = '', ...others] = operands.map(predicateText);
  if (others.length === 0)
    return operator.startsWith('IS') ? `${first} ${operator}` : `${operator} (${first})`;
  if (operator === 'IN' || operator === 'NOT IN') return `${first} ${operator} (${others.join(', ')})`;
  if (operator === 'BETWEEN' || operator === 'NOT BETWEEN')
    return `${first} ${operator} ${others.join(' AND ')}`;
  return `(${[first, ...others].join(` ${operator} `)})`;
}
