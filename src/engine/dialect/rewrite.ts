import { FormattedSyntaxError, type Program, parse, type SelectStmt } from 'sql-parser-cst';
import type { Source } from '../../catalog/saved-query.ts';
import type { TableSchema } from '../../catalog/tables/table-schema.ts';
import { type Problem, StartError } from '../../errors.ts';
import { macros } from './macros/macros.ts';
import { assemble } from './passes/assemble.ts';
import { type HoistedConstants, hoistConstants, withoutMarks } from './passes/hoist-constants.ts';
import { narrowQuantiles } from './passes/quantiles.ts';
import type { Origin, StoredColumn } from './passes/shredded.ts';
import type { TimeExpression } from './passes/time-expressions.ts';
import { query as queryRule } from './query/select.ts';
import { rules } from './rules.ts';
import { emptyScope, type Relation, type RenderRecord, type Scope } from './scope.ts';
import { replaceUnparsed, startOf } from './syntax.ts';
import { translator } from './translator.ts';
import { columnsOf, quote } from './types.ts';
import { Unsupported } from './unsupported.ts';

/** A query in DuckDB's dialect, and the names of the parameters that it binds as `$name`. */
export interface Rewritten {
  readonly sql: string;
  readonly parameters: readonly string[];
  /** The columns of tables that it compares with a parameter for equality. */
  readonly equalityColumns: readonly Origin[];
  readonly custom: CustomPlan;
}

/** The same query as DuckDB plans it fastest. */
export interface CustomPlan extends HoistedConstants {
  /** ShreddedRecord records among them stand as they are stored. */
  readonly columns: readonly StoredColumn[];
}

/** A table that queries may read, as DuckDB has it. */
export interface StoredTable extends TableSchema {
  /** What FROM reads; without it a relation of the table's own name. */
  readonly relation?: string;
  /** How the fields are stored; without it each is a column of the declared type. */
  readonly columns?: readonly StoredColumn[];
}

/**
 * The DuckDB query that means what a BigQuery query means. It needs a database on which `macroDefinitions()` has run
 * and a connection with `sessionSettings`. `$current_timestamp`, where it is used, is the moment of the run.
 *
 * @param tables what the query may read
 * @param known values of parameters: the query holds for these alone
 * @param tell how the quick query tells shredded records, where it can in its own select list
 * @throws StartError with everything in the query that is not supported or can't be right
 */
export function rewrite(
  { sql, source }: { readonly sql: string; readonly source: Source },
  tables: readonly StoredTable[],
  known: Readonly<Record<string, string>> = {},
  tell?: RenderRecord,
): Rewritten {
  const place = (offset: number, message: string): Problem => ({
    ...positionOf(sql, source, offset),
    message,
  });
  const fail = (problems: readonly Problem[]) =>
    new StartError('SQL that DuckDB can not run as BigQuery does', problems);

  const prepared = replaceUnparsed(sql);
  const program = parseProgram(prepared.sql, (offset, message) => fail([place(offset, message)]));
  const { tr, found } = translator(rules, queryRule, macros, prepared.nullOrders, known);
  const relation = tr.attempt(() => queryRule(onlySelect(program), tableScope(tables), tr), errorRelation);
  if (found.unsupported.length > 0) {
    throw fail(found.unsupported.map(({ node, message }) => place(startOf(node), message)));
  }
  const { parameters, equalityColumns, timeExpressions } = found;
  return {
    sql: withoutMarks(assemble(relation, tr).text),
    parameters: [...parameters],
    equalityColumns,
    custom: customPlan(relation, timeExpressions, tell),
  };
}

function customPlan(
  relation: Relation,
  timeExpressions: ReadonlyMap<string, TimeExpression>,
  tell: RenderRecord | undefined,
): CustomPlan {
  const told = tell && relation.rendered?.of === relation.text ? relation.rendered.text(tell) : undefined;
  const columns = relation.columns.map(({ fields, ...column }) => {
    if (fields === undefined) return column;
    return told === undefined ? { ...column, fields } : { ...column, rendered: true };
  });
  return { ...hoistConstants(narrowQuantiles(told ?? relation.text), timeExpressions), columns };
}

const errorRelation: Relation = { text: '', columns: [] };

function parseProgram(sql: string, failure: (offset: number, message: string) => Error): Program {
  try {
    return parse(sql, { dialect: 'bigquery', includeRange: true, paramTypes: ['@name'] });
  } catch (error) {
    if (!(error instanceof FormattedSyntaxError)) throw error;
    const [, unexpected = 'syntax error'] = /^Syntax Error: (.*)$/m.exec(error.message) ?? [];
    const [, line = '1', column = '1'] = /^--> \S+?:(\d+):(\d+)/m.exec(error.message) ?? [];
    throw failure(offsetOf(sql, Number(line), Number(column)), unexpected);
  }
}

function onlySelect(program: Program): SelectStmt {
  const statements = program.statements.filter(({ type }) => (type as string) !== 'empty');
  const [first, second] = statements;
  if (!first) throw new Unsupported(program, 'a SELECT is wanted here');
  if (second) throw new Unsupported(second, 'a saved query is one statement');
  if (first.type === 'select_stmt' || (first.type as string) === 'compound_select_stmt')
    return first as SelectStmt;
  throw new Unsupported(first, 'only SELECT is supported');
}

const tableScope = (tables: readonly StoredTable[]): Scope => ({
  ...emptyScope,
  relations: new Map(
    tables.map(({ name, fields, relation = quote(name), columns = columnsOf(fields) }) => [
      name.toLowerCase(),
      { text: relation, columns, table: name },
    ]),
  ),
});

function offsetOf(sql: string, line: number, column: number): number {
  const before = sql.split('\n').slice(0, line - 1);
  return before.reduce((sum, text) => sum + text.length + 1, 0) + column - 1;
}

function positionOf(sql: string, source: Source, offset: number): Omit<Problem, 'message'> {
  const before = sql.slice(0, offset).split('\n');
  return {
    file: source.file,
    line: source.line + before.length - 1,
    column: (before.at(-1)?.length ?? 0) + 1,
  };
}
