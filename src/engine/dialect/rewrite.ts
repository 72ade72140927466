import { FormattedSyntaxError, type Program, parse, type SelectStmt } from 'sql-parser-cst';
import type { Source } from '../../catalog/saved-query.ts';
import type { TableSchema } from '../../catalog/tables/table-schema.ts';
import { type Problem, StartError } from '../../errors.ts';
import { type HoistedConstants, hoistConstants, withoutMarks } from './passes/hoist-constants.ts';
import { narrowQuantiles } from './passes/quantiles.ts';
import { assemble, type Origin, type StoredColumn } from './passes/shredded.ts';
import type { TimeExpression } from './passes/time-expressions.ts';
import { rules } from './rules.ts';
import { emptyScope, type Relation, type RenderRecord, type Scope } from './scope.ts';
import { replaceUnparsed, startOf } from './syntax.ts';
import { buildTranslator } from './translator.ts';
import { columnsOf, quote } from './types.ts';
import { Unsupported } from './unsupported.ts';

/** A query in DuckDB's dialect. */
export interface Rewritten {
  /** The generic plan. */
  readonly sql: string;
  /** The names of the parameters that it binds as `$name`. */
  readonly parameters: readonly string[];
  /** The stored columns that it compares with a parameter for equality. */
  readonly equalityColumns: readonly Origin[];
  readonly custom: CustomPlan;
}

/** The same query in the form that DuckDB plans and runs fastest. */
interface CustomPlan extends HoistedConstants {
  /** The columns of its result; records that are not rendered keep their shredded fields. */
  readonly columns: readonly StoredColumn[];
}

/** A table that queries may read, as it is stored in DuckDB. */
export interface StoredTable extends TableSchema {
  /** The relation to read in FROM; by default the table's own name. */
  readonly relation?: string;
  /** How the fields are stored; by default each is one column of the declared type. */
  readonly columns?: readonly StoredColumn[];
}

/**
 * Translates a BigQuery query into a DuckDB query of the same meaning. It needs a database on which
 * `macroDefinitions()` has run and a connection with `sessionSettings`. `$current_timestamp`, if it occurs, is the time
 * of the run.
 *
 * @param tables the tables that the query may read
 * @param known values of parameters; the result is valid for these values only
 * @param renderRecord how the custom plan renders shredded records, if its select list can do so
 * @throws StartError with every part of the query that is unsupported or wrong
 */
export function rewrite(
  { sql, source }: { readonly sql: string; readonly source: Source },
  tables: readonly StoredTable[],
  known: Readonly<Record<string, string>> = {},
  renderRecord?: RenderRecord,
): Rewritten {
  const problemAt = (offset: number, message: string): Problem => ({
    ...positionOf(sql, source, offset),
    message,
  });
  const startError = (problems: readonly Problem[]) =>
    new StartError('SQL that the DuckDB engine does not support', problems);

  const input = replaceUnparsed(sql);
  const program = parseProgram(input.sql, (offset, message) => startError([problemAt(offset, message)]));
  const { tr, findings } = buildTranslator(rules, input.nullOrders, known);
  const relation = tr.attempt(() => rules.query(onlySelect(program), tableScope(tables), tr), errorRelation);
  const { parameters, equalityColumns, timeExpressions, unsupported } = findings;
  if (unsupported.length > 0) {
    throw startError(unsupported.map(({ node, message }) => problemAt(startOf(node), message)));
  }
  return {
    sql: withoutMarks(assemble(relation, tr.fresh).text),
    parameters: [...parameters],
    equalityColumns,
    custom: customPlan(relation, timeExpressions, renderRecord),
  };
}

function customPlan(
  { text, columns, rendered }: Relation,
  timeExpressions: ReadonlyMap<string, TimeExpression>,
  renderRecord: RenderRecord | undefined,
): CustomPlan {
  const renderedText = renderRecord && rendered?.of === text ? rendered.text(renderRecord) : undefined;
  const planColumns = columns.map(({ fields, ...column }) => {
    if (fields === undefined) return column;
    return renderedText === undefined ? { ...column, fields } : { ...column, rendered: true };
  });
  const plan = hoistConstants(narrowQuantiles(renderedText ?? text), timeExpressions);
  return { ...plan, columns: planColumns };
}

/** Replaces an unsupported query. */
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
  if (!first) throw new Unsupported(program, 'expected a SELECT statement');
  if (second) throw new Unsupported(second, 'a saved query must be a single statement');
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
