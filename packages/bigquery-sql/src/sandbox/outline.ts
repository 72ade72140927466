import { foldName } from '@querygate/text';
import type { Compiled } from '../compile.ts';
import { rules, tablesOf } from '../compile.ts';
import { buildContext, type ResolvedQuery } from '../rules/context.ts';
import { isViewName } from '../rules/from/described-tables.ts';
import { nameOfView } from '../rules/from/information-schema.ts';
import { tableRelations } from '../rules/from/table-relations.ts';
import type { Relation, RelationColumn } from '../rules/scope.ts';
import type { StoredColumn } from '../tree/stored-table.ts';
import { parameterTypeIn, scalar, type Type, type TypedParameter } from '../types.ts';
import { boundedRules, maxProblems } from './bounded-rules.ts';
import type { Names } from './check-syntax.ts';
import { judge, resolveCaller } from './judge.ts';

/**
 * The names of a saved query that callers may use, without its SQL and its tables: data that can be sent to a process
 * that has only the rows of its common tables.
 */
export interface Outline {
  readonly names: Names;
  readonly parameters: readonly TypedParameter[];
  readonly tables: readonly OutlinedTable[];
}

/** A common table as a table of its own. */
export interface OutlinedTable {
  readonly name: string;
  readonly columns: readonly RelationColumn[];
  readonly isValue: boolean;
  /** See `Relation`. */
  readonly absent?: Relation['absent'];
  /** How its columns are stored, by the names that they have in the tree. */
  readonly stored: readonly StoredColumn[];
  /** The paths of stored columns whose values are read and not computed: a comparison with one cannot fail. */
  readonly plain: ReadonlySet<string>;
}

/** The types of the columns of an outlined table as it is stored, by their paths. */
export function storedTypes({ stored }: OutlinedTable): ReadonlyMap<string, Type> {
  const types = new Map<string, Type>();
  const add = (columns: readonly StoredColumn[], prefix: string): void => {
    for (const { name, type, fields } of columns) {
      types.set(prefix + name, fields ? scalar('BOOL') : type);
      if (fields) add(fields, `${prefix}${name}.`);
    }
  };
  add(stored, '');
  return types;
}

/**
 * Judges callers' SQL where the common tables are tables.
 *
 * @returns the tree, whose tables are the common tables. It throws ProblemError with one problem, at its place in the
 * caller's text
 */
export function judgeByOutline({ names, parameters, tables }: Outline): (sql: string) => Compiled {
  const [views = [], common = []] = [true, false].map((isView) =>
    tables.filter(({ name }) => isViewName(name) === isView),
  );
  const named = {
    relations: new Map(common.map((table) => [foldName(table.name), relationOf(table)])),
    views: new Map(views.map((table) => [nameOfView(table.name), relationOf(table)])),
  };
  return (sql) => {
    const resolve = (query: Parameters<typeof resolveCaller>[0]): ResolvedQuery =>
      resolveCaller(
        query,
        named,
        buildContext(boundedRules(rules), { parameterType: parameterTypeIn(parameters), maxProblems }),
      );
    const { query, columns } = judge(sql, names, resolve).resolved;
    return { query, columns, tables: tablesOf(query) };
  };
}

/** It is read as a table, and named as a common table. */
function relationOf({ name, columns, isValue, absent, stored }: OutlinedTable): Relation {
  const [relation] = tableRelations([{ name, fields: [], columns: stored }]).values();
  if (relation === undefined) throw new Error('a table without a relation');
  return { columns, isValue, ...(absent && { absent }), from: relation.from };
}
