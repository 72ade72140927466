import { columnOrigin, isNeverNull, unfilteredTables } from '@querygate/bigquery-sql/analysis';
import { ProblemError, problemOf, type Source } from '@querygate/bigquery-sql/problem';
import { parseQuery, type Syntax, walk } from '@querygate/bigquery-sql/syntax';
import type { Field, TableSchema } from '@querygate/bigquery-sql/table-schema';
import { type Compiled, compileTree, layoutColumns } from '@querygate/bigquery-sql/tree';
import {
  arrayOf,
  isScalar,
  parameterTypeIn,
  sameName,
  scalar,
  type Type,
  type TypedParameter,
  unknown,
} from '@querygate/bigquery-sql/types';
import { foldName } from '@querygate/text';
import { ownPlace } from '../own-place.ts';
import { convertUses } from './convert-uses.ts';
import { type DescribedParameter, describeParameters } from './describe-parameters.ts';
import { applyEdits, type Conversion } from './edits.ts';
import { linkedSql, type NewSql, takenParameters } from './linked-sql.ts';
import { literalProposals } from './literal-parameters.ts';
import { isUsual, type LiteralProposal } from './literal-proposal.ts';
import { columnNames, isUsable } from './name-columns.ts';
import { type ParameterUse, parameterUses } from './parameter-uses.ts';
import { commentedTexts } from './sql-comments.ts';
import { isTenantColumn } from './tenant-columns.ts';

/** A column of the result, as who runs the SQL reports it. */
export interface ReportedColumn {
  readonly name: string;
  /** In the words of who reports it; undefined if the SQL returns NULL only. */
  readonly type: string | undefined;
  /** True for an array of `type`. */
  readonly repeated: boolean;
  /** Of a record. */
  readonly fields?: readonly ReportedColumn[] | undefined;
}

/** A column of the result, as far as the SQL and the tables say what it is. */
export interface DescribedColumn extends ReportedColumn {
  /** True if it surely is never NULL. */
  readonly required: boolean;
  /** Taken from the comment beside the column, else from the table field it comes from. */
  readonly description?: string | undefined;
  /** Of a record, if they have to be declared: if the files of the tables do not say them. */
  readonly fields?: readonly ReportedColumn[] | undefined;
}

interface TenantCandidate {
  readonly parameter: string;
  /** The column with which it is compared. */
  readonly column: string;
  /** Tables that the query reads without comparing. */
  readonly unfiltered: readonly string[];
}

/** A saved query's header as far as its SQL shows it, without its author. */
export interface SqlDescription {
  /** The SQL with the conversions. */
  readonly sql: string;
  /** The changes because every parameter reaches the SQL as a STRING. */
  readonly conversions: readonly Conversion[];
  /** Names that columns of the result have got. */
  readonly names: readonly Conversion[];
  /** The comment before the query, as a sentence. */
  readonly description?: string | undefined;
  /** The literals that have become parameters. */
  readonly replacements: readonly Conversion[];
  readonly columns: readonly DescribedColumn[];
  readonly parameters: readonly DescribedParameter[];
  /** The parameter that is the tenant. */
  readonly tenant?: string | undefined;
  readonly tenants: readonly TenantCandidate[];
  /** The literals that callers often choose. */
  readonly proposals: readonly LiteralProposal[];
  /** Other literals that choose rows. */
  readonly others: readonly LiteralProposal[];
  /** The LIMIT of the whole query; of a parameter, the greatest one. */
  readonly limit?: number | undefined;
}

export interface DescribeOptions extends NewSql {
  readonly tables: readonly TableSchema[];
  /** Names of proposed parameters that take the place of their literals; `all` for the usual ones. */
  readonly chosen?: readonly string[];
  /** Names of columns that other queries compare with their tenants, in lower case. */
  readonly tenantColumns: ReadonlySet<string>;
  /** True if the query may read tables whose columns are not known. */
  readonly hasOpenTables: boolean;
  /** The types of columns that can be declared. */
  readonly columnTypes: readonly string[];
  /** The columns as the engine reports them, after the conversions, of all that the SQL reads. @throws ProblemError */
  readonly resultColumns: (
    linked: { readonly sql: string; readonly source: Source },
    parameters: readonly TypedParameter[],
    sql: string,
  ) => Promise<readonly ReportedColumn[]>;
}

/**
 * Describes SQL that has no header yet: its columns, parameters and tenant.
 *
 * @throws ProblemError with every part of the SQL that is wrong or unsupported
 */
export async function describeSql(options: DescribeOptions): Promise<SqlDescription> {
  const { chosen = [], hasOpenTables, source, tenantColumns } = options;
  const tables = options.tables.map((table) => ({
    ...table,
    columns: layoutColumns(table.fields, () => false),
  }));
  const asWritten = parseStatement(options.sql, tables, source);
  const named = applyEdits(options.sql, columnNames(asWritten));
  const comments = commentedTexts(options.sql, asWritten);
  const proposed = literalProposals(named.sql, parseStatement(named.sql, tables, source));
  checkChosen(chosen, proposed);
  const taken = proposed.filter(
    (proposal) => chosen.includes(proposal.name) || (isUsual(proposal) && chosen.includes('all')),
  );
  const withParameters = applyEdits(
    named.sql,
    taken.map(({ start, end, instead }) => ({ start, end, after: instead })),
  );
  parseStatement(withParameters.sql, tables, source);
  const written = { ...options, sql: withParameters.sql };
  const given = takenParameters(written);
  const { uses: allUses, ownUses: uses } = usesIn(written, given, tables);
  // Parts may be what compares a tenant.
  const tenants = tenantUses(allUses, tenantColumns, given);
  const own = describeParameters(uses, taken, tenants.keys().next().value);
  const parameters = [...own.filter(({ name }) => !given.some((one) => sameName(one.name, name))), ...given];
  const { sql, changes: conversions } = convertUses(withParameters.sql, uses, parameters);

  const declared = parameters.map(typedParameter);
  const linked = linkedSql({ ...options, sql }, declared);
  const compiled = compileTree({ ...linked, parameters: declared }, tables, { hasOpenTables });
  const reported = await options.resultColumns(linked, declared, sql);
  const columns = reported.map((column, at) =>
    describeColumn(column, at, compiled, options.tables, comments.columns.get(at)),
  );
  requireColumns(columns, options);
  const converted = parseQuery(sql);
  const left = literalProposals(sql, converted);
  return {
    sql,
    conversions,
    names: named.changes,
    description: comments.query,
    replacements: withParameters.changes,
    columns,
    parameters,
    tenant: given.find(isDeclaredTenant)?.name ?? tenants.keys().next().value,
    tenants: tenantCandidates(tenants, parameters, compiled),
    proposals: left.filter(isUsual),
    others: left.filter((proposal) => !isUsual(proposal)),
    limit: limitOf(converted) ?? greatestOf(taken.find(({ kind }) => kind === 'limit')),
  };
}

/** @throws ProblemError if a parameter is chosen that no literal is proposed for */
function checkChosen(chosen: readonly string[], proposed: readonly LiteralProposal[]): void {
  const names = [...new Set(proposed.map(({ name }) => name))];
  const unknownNames = chosen.filter((name) => name !== 'all' && !names.includes(name));
  if (unknownNames.length === 0) return;
  const known = names.length === 0 ? 'no literal could be one' : `proposed are ${names.join(', ')}`;
  throw new ProblemError(
    'The literals cannot be parameters',
    unknownNames.map((name) => ({ message: `no parameter ${name} is proposed; ${known}` })),
  );
}

/** @throws ProblemError if the SQL is not a query */
function parseStatement(sql: string, tables: readonly TableSchema[], source: Source): Syntax.Statement {
  try {
    return parseQuery(sql);
  } catch {
    // It has the place of the problem.
    compileTree({ sql, source }, tables);
    throw new Error('unreachable');
  }
}

const typedParameter = ({ name, bind, repeated }: DescribedParameter): TypedParameter => ({
  name,
  repeated,
  ...(bind && { bind }),
});

/** The parameters that are lists in FROM. */
function unnestedParameters(statement: Syntax.Statement): ReadonlySet<string> {
  const names = new Set<string>();
  walk(statement, (node) => {
    if (node.kind === 'Unnest' && node.array.kind === 'NamedParameter') names.add(node.array.name.name);
  });
  return names;
}

/** The uses of parameters in SQL with all that it reads, and those of its own text. */
function usesIn(
  options: DescribeOptions,
  given: readonly DescribedParameter[],
  tables: readonly TableSchema[],
): { readonly uses: readonly ParameterUse[]; readonly ownUses: readonly ParameterUse[] } {
  const declared = given.map(typedParameter);
  const linked = linkedSql(options, declared);
  const statement = parseQuery(linked.sql);
  const uses = parameterUses(statement, typesWithoutParameters(linked, statement, declared, tables));
  const ownUses = uses.flatMap(({ node, nullTest, ...use }): readonly ParameterUse[] => {
    const place = ownPlace(node, linked.source);
    const test = nullTest && ownPlace(nullTest, linked.source);
    if (place === undefined) return [];
    return [
      {
        ...use,
        node: { ...node, ...place },
        ...(nullTest && test && { nullTest: { ...nullTest, ...test } }),
      },
    ];
  });
  return { uses, ownUses };
}

/** The types of the expressions of a query whose parameters may have any type, but for those that are declared. */
function typesWithoutParameters(
  linked: { readonly sql: string; readonly source: Source },
  statement: Syntax.Statement,
  declared: readonly TypedParameter[],
  tables: readonly TableSchema[],
): (node: Syntax.Node) => Type {
  const types = new Map<string, Type>();
  const keyOf = ({ kind, start, end }: Syntax.Node) => `${kind} ${start} ${end}`;
  const onExpression = (node: Syntax.Node, type: Type) => {
    if (type.kind !== 'unknown' && type.kind !== 'null') types.set(keyOf(node), type);
  };
  // Items of an unknown type could have any column.
  const lists = unnestedParameters(statement);
  const declaredType = parameterTypeIn(declared);
  const parameterType = (name: string) => {
    if (declared.some((one) => sameName(one.name, name))) return declaredType(name);
    return lists.has(name) ? arrayOf(scalar('STRING')) : unknown;
  };
  try {
    compileTree(linked, tables, { hasOpenTables: true, parameterType, onExpression });
  } catch (error) {
    // The problem is reported when the types are known.
    if (!(error instanceof ProblemError)) throw error;
  }
  return (node) => types.get(keyOf(node)) ?? unknown;
}

function describeColumn(
  { name, type, repeated, fields }: ReportedColumn,
  at: number,
  { query, columns }: Compiled,
  tables: readonly TableSchema[],
  comment: string | undefined,
): DescribedColumn {
  const origin = columnOrigin(query, at);
  return {
    name,
    type,
    repeated,
    // A NULL array is returned as an empty one.
    required: repeated || isNeverNull(query, at),
    description:
      comment ??
      (origin &&
        fieldAt(tables.find((table) => table.name === origin.table)?.fields, origin.path)?.description),
    ...(fields && !isKnownRecord(columns[at]?.type) && { fields }),
  };
}

const isKnownRecord = (type: Type = unknown): boolean =>
  type.kind === 'array' ? isKnownRecord(type.element) : type.kind === 'struct';

function fieldAt(
  fields: readonly Field[] | undefined,
  [name, ...rest]: readonly string[],
): Field | undefined {
  const found = fields?.find((field) => field.name === name);
  return rest.length === 0 ? found : fieldAt(found?.fields, rest);
}

/** @throws ProblemError if a header can't declare a column */
function requireColumns(columns: readonly DescribedColumn[], { columnTypes, source }: DescribeOptions): void {
  const names = columns.map(({ name }) => foldName(name));
  const messages = columns.flatMap(({ name, type }, at) => {
    if (/^f\d+_$/.test(name) || name === '')
      return [`column ${at + 1} of the result has no name: add AS and a name`];
    if (!/^[a-z_]\w*$/i.test(name))
      return [`the column ${name} needs a name of letters, digits and _: add AS and a name`];
    if (!isUsable(name))
      return [
        `the column ${name} needs a name with a letter before the first digit: add AS and a name, in PIVOT behind the value`,
      ];
    if (names.indexOf(foldName(name)) < at)
      return [
        `two columns of the result are named ${name}: add AS and another name, or leave one out with EXCEPT`,
      ];
    const isKnown = type === undefined || columnTypes.includes(type);
    return isKnown
      ? []
      : [`the column ${name} is ${type}, which no header can declare: CAST it, for example AS STRING`];
  });
  if (messages.length === 0) return;
  throw new ProblemError(
    "The result of the SQL can't be declared",
    messages.map((message) => problemOf(source, message)),
  );
}

/** The parameters that are compared with the column of a tenant, each with the first such column. */
function tenantUses(
  uses: readonly ParameterUse[],
  tenantColumns: ReadonlySet<string>,
  given: readonly DescribedParameter[],
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const isDeclared = (name: string) => given.some((one) => sameName(one.name, name) && isDeclaredTenant(one));
  for (const { equals, name, type } of uses) {
    // The names of tenants are texts.
    const isText = type.kind === 'unknown' || isScalar(type, 'STRING');
    if (!isText || equals === undefined || found.has(name)) continue;
    if (isDeclared(name) || isTenantColumn(equals, tenantColumns)) found.set(name, equals);
  }
  return found;
}

const isDeclaredTenant = ({ declared }: DescribedParameter): boolean => declared?.tenant === true;

function tenantCandidates(
  found: ReadonlyMap<string, string>,
  parameters: readonly DescribedParameter[],
  { query }: Compiled,
): readonly TenantCandidate[] {
  return [...found].map(([parameter, column]) => ({
    parameter,
    column,
    unfiltered: [
      ...new Set(
        unfilteredTables(query, {
          name: parameter,
          isPattern: false,
          isList: parameters.some(({ name, repeated }) => name === parameter && repeated),
        }).map(({ name }) => name),
      ),
    ],
  }));
}

const greatestOf = (limit: LiteralProposal | undefined): number | undefined =>
  limit && Number(limit.bounds?.max);

function limitOf({ query: { limit } }: Syntax.Statement): number | undefined {
  const count = limit?.count;
  return count?.kind === 'IntegerLiteral' ? Number(count.value) : undefined;
}
