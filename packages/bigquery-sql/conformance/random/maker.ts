import type { Random } from '../../test/support/random.ts';
import { parseType } from '../cli-answer.ts';
import type { Inputs } from './inputs.ts';
import type { RandomTable } from './tables.ts';
import type { ExpressionTemplate } from './templates.ts';
import type { Tree } from './tree.ts';

/** Types are texts in BigQuery's syntax. */
export interface Column {
  /** How an expression names it, or its name in a relation. */
  readonly name: string;
  readonly type: string;
  /** The class of inputs that its values are of. */
  readonly inputs?: string | undefined;
  /** Of a field of a record: the class of its values, by its path below this column. */
  readonly fieldInputs?: (path: string) => string | undefined;
  /** True if only the query itself can name it, because queries in it may have a column of the name. */
  readonly isBare?: boolean;
}

/** What stands in FROM. */
export interface Relation {
  readonly tree: Tree;
  readonly columns: readonly Column[];
  /** Columns whose values together are different in all rows; undefined if there may be equal rows. */
  readonly key: readonly string[] | undefined;
}

/** What an expression may contain. */
export interface Scope {
  readonly columns: readonly Column[];
  readonly key: readonly string[] | undefined;
  readonly commonTables: readonly Relation[];
  /** Aggregates or window functions of a type. */
  readonly calls?: (type: string, depth: number) => Tree | undefined;
  readonly allowsSubqueries: boolean;
}

export interface QueryOptions {
  readonly depth: number;
  /** The types of its columns; by default any. */
  readonly types?: readonly string[];
  readonly outer?: Scope;
  /** one row: at most one row. sorted: in a defined order. */
  readonly rows?: 'one row' | 'sorted';
}

export interface Made extends Relation {
  /** The positions of the columns that sort the rows, the first key first; undefined without ORDER BY. */
  readonly sortedBy: readonly number[] | undefined;
  /** True if a LIMIT leaves out rows. */
  readonly isCut: boolean;
}

/** What the parts of the grammar need of each other. */
export interface Maker {
  readonly random: Random;
  readonly inputs: Inputs;
  readonly templates: ReadonlyMap<string, readonly ExpressionTemplate[]>;
  readonly tables: readonly RandomTable[];
  fresh(prefix: string): string;
  expression(type: string, scope: Scope, depth: number): Tree;
  query(options: QueryOptions): Made;
  from(depth: number, scope: Scope): FromClause;
}

export interface FromClause {
  readonly tree: Tree;
  readonly scope: Scope;
  /** The aliases of its relations, and what `*` means. */
  readonly relations: readonly { readonly alias: string; readonly columns: readonly Column[] }[];
}

export const emptyScope: Scope = { columns: [], key: [], commonTables: [], allowsSubqueries: true };

/** One of the choices, each as often as its weight says; those that are not possible give undefined. */
export function choose<T>(
  random: Random,
  choices: readonly (readonly [weight: number, make: () => T | undefined])[],
): T | undefined {
  const remaining = choices.filter(([weight]) => weight > 0);
  while (remaining.length > 0) {
    const total = remaining.reduce((sum, [weight]) => sum + weight, 0);
    let rest = (random.below(1_000_000) / 1_000_000) * total;
    const at = Math.max(
      remaining.findIndex(([weight]) => {
        rest -= weight;
        return rest < 0;
      }),
      0,
    );
    const made = remaining[at]?.[1]();
    if (made !== undefined) return made;
    remaining.splice(at, 1);
  }
  return undefined;
}

export const pick = <T>(random: Random, values: readonly T[]): T => values[random.below(values.length)] as T;

/** Types that have an order. */
export const orderedTypes: readonly string[] = [
  'INT64',
  'FLOAT64',
  'NUMERIC',
  'BOOL',
  'STRING',
  'BYTES',
  'DATE',
  'DATETIME',
  'TIME',
  'TIMESTAMP',
];

/** Types of which PARTITION BY, too, takes values. */
export const partitionTypes: readonly string[] = orderedTypes.filter((type) => type !== 'FLOAT64');

/** Types of columns that queries return, the usual ones more often. */
const outputTypes: readonly string[] = [
  ...orderedTypes,
  ...orderedTypes,
  'INT64',
  'STRING',
  'INT64',
  'STRING',
  'TIMESTAMP',
  'BIGNUMERIC',
  'ARRAY<INT64>',
  'ARRAY<STRING>',
  'JSON',
  'INTERVAL',
];

export const someTypes = (random: Random, most: number): readonly string[] =>
  Array.from({ length: 1 + random.below(most) }, () => pick(random, outputTypes));

export const isArray = (type: string): boolean => type.startsWith('ARRAY<');

export const elementOf = (type: string): string => type.slice('ARRAY<'.length, -1);

/** A column, and the fields of a record by their paths. */
export function withFields(column: Column): readonly Column[] {
  const { fields } = parseType(column.type);
  if (fields === undefined || isArray(column.type)) return [column];
  const { fieldInputs } = column;
  const columns = splitFields(column.type).map(
    ({ name, type }): Column => ({
      name: `${column.name}.${name}`,
      type,
      inputs: fieldInputs?.(name),
      fieldInputs: (path) => fieldInputs?.(`${name}.${path}`),
      ...(column.isBare && { isBare: true }),
    }),
  );
  return [column, ...columns.flatMap(withFields)];
}

/** The fields of a STRUCT type, with their types as texts. */
export function splitFields(type: string): readonly { readonly name: string; readonly type: string }[] {
  const inner = type.slice('STRUCT<'.length, -1);
  const fields: { name: string; type: string }[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= inner.length; at += 1) {
    const character = inner[at];
    if (character === '<') depth += 1;
    if (character === '>') depth -= 1;
    if (at < inner.length && (character !== ',' || depth > 0)) continue;
    const text = inner.slice(start, at).trim();
    const space = text.indexOf(' ');
    const isNamed = space > 0 && /^\w+$/.test(text.slice(0, space));
    fields.push({ name: isNamed ? text.slice(0, space) : '', type: isNamed ? text.slice(space + 1) : text });
    start = at + 1;
  }
  return fields;
}

/** The scope of a query within another one: its own columns may have the names of those that the other one names alone. */
export const enter = (outer: Scope, aliases: readonly string[]): Scope => ({
  commonTables: outer.commonTables,
  allowsSubqueries: outer.allowsSubqueries,
  key: undefined,
  columns: outer.columns.filter(
    ({ name, isBare }) => !isBare && !aliases.includes(name.split('.')[0] ?? name),
  ),
});
