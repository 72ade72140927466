import { bindTypesOf } from '../../catalog/header/to-parameter.ts';
import type { BindType, Parameter, Source } from '../../catalog/saved-query.ts';
import { bindTypes, columnTypes } from '../../catalog/saved-query.ts';
import type { Field, TableSchema } from '../../catalog/tables/table-schema.ts';
import { StartError } from '../../errors.ts';
import type { ResultColumn } from '../check-columns.ts';
import { type Compiled, compile } from '../dialect/compile.ts';
import type { TypedParameter } from '../dialect/parameter-types.ts';
import { layoutColumns } from '../dialect/stored-table.ts';
import type * as Syntax from '../dialect/syntax/nodes.ts';
import { parseQuery } from '../dialect/syntax/parse-query.ts';
import { unfilteredTables } from '../dialect/tenant-filter.ts';
import { isScalar, type Type, unknown } from '../dialect/types.ts';
import { columnOrigin } from './column-origin.ts';
import { type LiteralProposal, literalProposals } from './literal-parameters.ts';
import { columnNames, type Edit } from './name-columns.ts';
import { isNeverNull } from './never-null.ts';
import { conversionText, type ParameterUse, parameterUses } from './parameter-uses.ts';
import { commentedTexts } from './sql-comments.ts';

/** A column of the result, as far as the SQL and the tables say what it is. */
export interface DescribedColumn {
  readonly name: string;
  /** One of the header's types; undefined if the SQL returns NULL only. */
  readonly type: string | undefined;
  readonly repeated: boolean;
  /** True if it surely is never NULL. */
  readonly required: boolean;
  /** From a comment beside it, or of the table's field that it is. */
  readonly description: string | undefined;
  /** Of a record, if a header has to declare them: if the files of the tables do not say them. */
  readonly fields?: readonly ResultColumn[] | undefined;
}

/** A parameter, as its uses show it. */
export interface DescribedParameter {
  readonly name: string;
  readonly type: Parameter['type'];
  /** True if the SQL does not foresee that it is absent. */
  readonly required: boolean;
  /** The values of an enum. */
  readonly values: readonly string[];
  /** Its type in the SQL, if it is not STRING: no use of it needs a conversion. */
  readonly bind: BindType | undefined;
  /** True for a list, which is bound as an ARRAY. */
  readonly repeated: boolean;
  /** True if several values, separated by commas, are meant: it is a STRING too. */
  readonly isList: boolean;
  /** The literal that it takes the place of, as a caller would send it. */
  readonly default: LiteralProposal['default'] | undefined;
  /** The least and the greatest value. */
  readonly bounds: LiteralProposal['bounds'];
  /** What it means, if its use says so. */
  readonly description: string | undefined;
}

/** What is changed in the SQL. */
export interface Conversion {
  /** From 1, a line of the SQL. */
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

export interface TenantCandidate {
  readonly parameter: string;
  /** The column with which it is compared. */
  readonly column: string;
  /** Tables that the query reads without comparing. */
  readonly unfiltered: readonly string[];
}

/** What a saved query's header can say without its author. */
export interface SqlDescription {
  /** The SQL with the conversions. */
  readonly sql: string;
  /** The changes because every parameter reaches the SQL as a STRING. */
  readonly conversions: readonly Conversion[];
  /** Names that columns of the result have got. */
  readonly names: readonly Conversion[];
  /** The comment before the query, as a sentence. */
  readonly description: string | undefined;
  /** The literals that have become parameters. */
  readonly replacements: readonly Conversion[];
  readonly columns: readonly DescribedColumn[];
  readonly parameters: readonly DescribedParameter[];
  readonly tenants: readonly TenantCandidate[];
  readonly proposals: readonly LiteralProposal[];
  /** The LIMIT of the whole query. */
  readonly limit: number | undefined;
}

export interface DescribeOptions {
  readonly sql: string;
  readonly source: Source;
  readonly tables: readonly TableSchema[];
  /** Names of proposed parameters that take the place of their literals, or `all`. */
  readonly chosen?: readonly string[];
  /** Names of columns that are compared with tenants, in lower case. */
  readonly tenantColumns: ReadonlySet<string>;
  /** True if the query may read tables whose columns are not known. */
  readonly hasOpenTables: boolean;
  /** The columns as the engine reports them, after the conversions. @throws StartError */
  readonly resultColumns: (
    sql: string,
    parameters: readonly TypedParameter[],
  ) => Promise<readonly ResultColumn[]>;
}

/**
 * Describes SQL that has no header yet: its columns, parameters and tenant.
 *
 * @throws StartError with every part of the SQL that is wrong or unsupported
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
  const taken = proposed.filter(({ name }) => chosen.includes(name) || chosen.includes('all'));
  const withParameters = applyEdits(
    named.sql,
    taken.map(({ start, end, instead }) => ({ start, end, after: instead })),
  );
  const statement = parseStatement(withParameters.sql, tables, source);
  const uses = parameterUses(
    statement,
    typesWithoutParameters({ ...options, sql: withParameters.sql }, tables),
  );
  const parameters = describeParameters(uses, {
    literals: new Map(taken.map((proposal) => [proposal.name, proposal])),
    tenant: tenantUses(uses, tenantColumns).keys().next().value,
  });
  const { sql, changes: conversions } = convertUses(withParameters.sql, uses, parameters);

  const typed = parameters.map(
    ({ name, bind, repeated }): TypedParameter => ({ name, repeated, ...(bind && { bind }) }),
  );
  const compiled = compile({ sql, source, parameters: typed }, tables, { hasOpenTables });
  const reported = await options.resultColumns(sql, typed);
  const columns = reported.map((column, at) =>
    describeColumn(column, at, compiled, options.tables, comments.columns.get(at)),
  );
  requireColumns(columns, source);
  const converted = parseQuery(sql);
  return {
    sql,
    conversions,
    names: named.changes,
    description: comments.query,
    replacements: withParameters.changes,
    columns,
    parameters,
    tenants: tenantCandidates(uses, parameters, compiled, tenantColumns),
    proposals: literalProposals(sql, converted),
    limit: limitOf(converted),
  };
}

/** @throws StartError if a parameter is chosen that no literal is proposed for */
function checkChosen(chosen: readonly string[], proposed: readonly LiteralProposal[]): void {
  const names = [...new Set(proposed.map(({ name }) => name))];
  const unknownNames = chosen.filter((name) => name !== 'all' && !names.includes(name));
  if (unknownNames.length === 0) return;
  const known = names.length === 0 ? 'no literal could be one' : `proposed are ${names.join(', ')}`;
  throw new StartError(
    'The literals cannot be parameters',
    unknownNames.map((name) => ({ message: `no parameter ${name} is proposed; ${known}` })),
  );
}

/** @throws StartError if the SQL is no query */
function parseStatement(sql: string, tables: readonly TableSchema[], source: Source): Syntax.Statement {
  try {
    return parseQuery(sql);
  } catch {
    // It has the place of the problem.
    compile({ sql, source }, tables);
    throw new Error('unreachable');
  }
}

/** The types of the expressions of a query whose parameters may have any type. */
function typesWithoutParameters(
  { sql, source }: DescribeOptions,
  tables: readonly TableSchema[],
): (node: Syntax.Node) => Type {
  const types = new Map<string, Type>();
  const keyOf = ({ kind, start, end }: Syntax.Node) => `${kind} ${start} ${end}`;
  const onExpression = (node: Syntax.Node, type: Type) => {
    if (type.kind !== 'unknown' && type.kind !== 'null') types.set(keyOf(node), type);
  };
  try {
    compile({ sql, source }, tables, { hasOpenTables: true, parameterType: () => unknown, onExpression });
  } catch (error) {
    // What is wrong is reported when the types are known.
    if (!(error instanceof StartError)) throw error;
  }
  return (node) => types.get(keyOf(node)) ?? unknown;
}

interface KnownOfParameters {
  /** The literals that parameters take the place of, by name. */
  readonly literals: ReadonlyMap<string, LiteralProposal>;
  /** The name of the tenant. */
  readonly tenant: string | undefined;
}

function describeParameters(
  uses: readonly ParameterUse[],
  { literals, tenant }: KnownOfParameters,
): readonly DescribedParameter[] {
  const byName = Map.groupBy(uses, ({ name }) => name);
  return [...byName].map(([name, all]): DescribedParameter => {
    const own = withoutGuesses(all);
    const values = [...new Set(own.flatMap(({ values: texts = [] }) => texts))].filter((text) => text !== '');
    const hasListUse = own.some(({ conversion }) => conversion === 'list');
    const repeated = hasListUse && own.every(({ conversion, nullTest }) => conversion === 'list' || nullTest);
    const isList = hasListUse && !repeated;
    const types = own.map(headerType).filter((type) => type !== undefined);
    const plain = isList ? 'string' : (types.find((type) => type !== 'string') ?? 'string');
    return {
      name,
      type: plain === 'string' && values.length > 0 && !isList && name !== tenant ? 'enum' : plain,
      required: !own.some(({ isOptional }) => isOptional),
      values,
      bind: repeated ? bindTypesOf[plain].find((bind) => bind !== 'STRING') : typedBind(own),
      repeated,
      isList,
      default: literals.get(name)?.default,
      bounds: literals.get(name)?.bounds,
      description: literals.get(name)?.description,
    };
  });
}

/** The uses that show a type; `4 * @n` shows none if another use does. */
function withoutGuesses(uses: readonly ParameterUse[]): readonly ParameterUse[] {
  const sure = uses.filter(({ isGuess, nullTest }) => !isGuess && nullTest === undefined);
  return sure.length === 0 ? uses : uses.filter(({ isGuess }) => !isGuess);
}

/** The type as which a parameter needs no conversion: that of all its uses, if a STRING would need one. */
function typedBind(uses: readonly ParameterUse[]): BindType | undefined {
  const [first, ...others] = uses.filter(({ nullTest }) => nullTest === undefined);
  const bind = bindOf(first?.type);
  const isTyped = ({ conversion, isCast, type }: ParameterUse) =>
    (conversion === 'cast' || isCast === true) && bindOf(type) === bind;
  if (first === undefined || bind === undefined || ![first, ...others].every(isTyped)) return undefined;
  return uses.some(({ conversion }) => conversion === 'cast') ? bind : undefined;
}

const bindOf = (type: Type | undefined): BindType | undefined =>
  bindTypes.find((name) => name !== 'STRING' && type?.kind === 'scalar' && type.name === name);

function headerType({ type, isPattern }: ParameterUse): DescribedParameter['type'] | undefined {
  if (isPattern) return 'pattern';
  if (type.kind !== 'scalar') return undefined;
  switch (type.name) {
    case 'INT64':
      return 'integer';
    case 'FLOAT64':
    case 'NUMERIC':
    case 'BIGNUMERIC':
      return 'float';
    case 'BOOL':
      return 'boolean';
    case 'DATE':
      return 'date';
    case 'DATETIME':
      return 'datetime';
    case 'TIMESTAMP':
      return 'timestamp';
    default:
      return 'string';
  }
}

function convertUses(
  sql: string,
  uses: readonly ParameterUse[],
  parameters: readonly DescribedParameter[],
): ReturnType<typeof applyEdits> {
  const edits = uses.flatMap((use): readonly Edit[] => {
    const { node, nullTest, conversion } = use;
    const parameter = parameters.find(({ name }) => name === use.name);
    if (nullTest) return nullTestEdit(use.name, nullTest, parameter);
    if (conversion === undefined || parameter?.bind !== undefined || parameter?.repeated) return [];
    const after = conversionText(use, parameter?.required === false, parameter?.type === 'timestamp');
    return after === undefined ? [] : [{ start: node.start, end: node.end, after }];
  });
  return applyEdits(sql, edits);
}

/** The SQL with the edits, which are in the order of the text, and each of them as a change. */
function applyEdits(
  sql: string,
  edits: readonly Edit[],
): { readonly sql: string; readonly changes: readonly Conversion[] } {
  let edited = sql;
  for (const { start, end, after } of edits.toReversed()) {
    edited = edited.slice(0, start) + after + edited.slice(end);
  }
  const changes = edits.map(({ start, end, after }) => ({
    line: sql.slice(0, start).split('\n').length,
    before: sql.slice(start, end),
    after,
  }));
  return { sql: edited, changes };
}

/** An absent parameter is NULL only if it is bound as another type than STRING: else it is '', and a list is empty. */
function nullTestEdit(
  name: string,
  { start, end, negated }: Syntax.Is,
  parameter: DescribedParameter | undefined,
): readonly Edit[] {
  if (parameter?.repeated) return [{ start, end, after: `array_length(@${name}) ${negated ? '>' : '='} 0` }];
  if (parameter?.bind !== undefined) return [];
  return [{ start, end, after: `@${name} ${negated ? '!=' : '='} ''` }];
}

function describeColumn(
  { name, type, repeated, fields }: ResultColumn,
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

/** @throws StartError if a header can't declare a column */
function requireColumns(columns: readonly DescribedColumn[], source: Source): void {
  const names = columns.map(({ name }) => name.toLowerCase());
  const messages = columns.flatMap(({ name, type }, at) => {
    if (/^f\d+_$/.test(name) || name === '')
      return [`column ${at + 1} of the result has no name: add AS and a name`];
    if (!/^[a-z_]\w*$/i.test(name))
      return [`the column ${name} needs a name of letters, digits and _: add AS and a name`];
    if (names.indexOf(name.toLowerCase()) < at)
      return [
        `two columns of the result are named ${name}: add AS and another name, or leave one out with EXCEPT`,
      ];
    const isKnown = type === undefined || (columnTypes as readonly string[]).includes(type);
    return isKnown
      ? []
      : [`the column ${name} is ${type}, which no header can declare: CAST it, for example AS STRING`];
  });
  if (messages.length === 0) return;
  throw new StartError(
    "The result of the SQL can't be declared",
    messages.map((message) => ({ ...source, message })),
  );
}

/** The parameters that are compared with the column of a tenant, each with the first such column. */
function tenantUses(
  uses: readonly ParameterUse[],
  tenantColumns: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { equals, name, type } of uses) {
    // The names of tenants are texts.
    const isText = type.kind === 'unknown' || isScalar(type, 'STRING');
    if (isText && equals !== undefined && tenantColumns.has(equals.toLowerCase()) && !found.has(name))
      found.set(name, equals);
  }
  return found;
}

function tenantCandidates(
  uses: readonly ParameterUse[],
  parameters: readonly DescribedParameter[],
  { query }: Compiled,
  tenantColumns: ReadonlySet<string>,
): readonly TenantCandidate[] {
  const found = tenantUses(uses, tenantColumns);
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

function limitOf({ query: { limit } }: Syntax.Statement): number | undefined {
  const count = limit?.count;
  return count?.kind === 'IntegerLiteral' ? Number(count.value) : undefined;
}
