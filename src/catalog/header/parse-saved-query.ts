import { toBudget } from '../../config/budget.ts';
import { problemAt } from '@querygate/bigquery-sql/problem';
import type { SyntaxProblem } from '@querygate/bigquery-sql/syntax';
import { didYouMean } from '@querygate/text';
import type { TypedParameter } from '@querygate/bigquery-sql/types';
import { GatewayError, type Problem } from '../../errors.ts';
import { describeIssue, schemaProblems } from '../../files/schema-problems.ts';
import { bind, plainParameters } from '../binding/bind.ts';
import { withBounds } from '../binding/times.ts';
import type { Column, PrometheusText, SavedQuery, Tenant } from '../model/saved-query.ts';
import { toCachePolicy, toIncremental } from './cache-policy.ts';
import { checkHeader } from './check-header.ts';
import { checkOwnJavascript } from './sql/check-javascript.ts';
import { checkParameterUse, hidesParameters } from './sql/check-parameter-use.ts';
import { type Header, headerSchema, parameterSchema } from './header-schema.ts';
import { type LinkedSql, unlinked } from './link.ts';
import { checkLimits, withLimits } from './limit-parameters.ts';
import { type HeaderAndSql, readHeader, sqlPart } from './split-file.ts';
import { toRecordFields } from './schema/record-fields.ts';
import { toFederation } from './federation/to-federation.ts';
import { readPage } from './rows/read-page.ts';
import { readPush } from './rows/read-push.ts';
import { toRowArguments } from './rows/check-row-arguments.ts';
import { toParameter } from './to-parameter.ts';
import { checkVersion, toDeprecation, toShadow } from './version-keys.ts';

export type ParsedQuery =
  | {
      readonly query: SavedQuery;
      readonly problems: readonly [];
      /** The lines of the query's aliases. */
      readonly aliasLines: readonly number[];
    }
  | {
      readonly query?: undefined;
      readonly problems: readonly Problem[];
      /** The SQL of the file, if it can be found. */
      readonly sql?: FileSql | undefined;
    };

/** The usable parts of a file with problems in its header. */
export interface FileSql extends Pick<SavedQuery, 'sql' | 'source'> {
  /** Those that are right by themselves; nothing is known of others that the SQL uses. */
  readonly parameters: readonly TypedParameter[];
  /** Undefined if the header cannot be read. */
  readonly columns: readonly Column[] | undefined;
  /** Those of what it reads, without which its SQL is not put together. */
  readonly problems?: readonly Problem[];
}

/**
 * Parses one saved-query file: a YAML header in the leading block comment, then the SQL.
 *
 * @param name the endpoint's name, which is the file's name without `.sql`
 * @param file the path that messages show
 * @param link puts its SQL together with that of other files
 * @returns the query, or every problem of the file, each with its line
 */
export function parseSavedQuery(name: string, file: string, text: string, link = unlinked): ParsedQuery {
  const own = readHeader(file, text);
  if (!('header' in own)) return { problems: own, sql: withoutHeader(file, text) };

  const linked = link({ ...own, name, file, text });
  const parts = { ...own, ...linked };
  const header = headerSchema.safeParse(parts.header, { error: describeIssue });
  const headerProblems = header.success ? checkHeader(header.data) : schemaProblems(header.error);
  const areHidden = hidesParameters(headerProblems);
  const page = header.success ? readPage(header.data, parts.sql) : undefined;
  const push = header.success ? readPush(header.data, parts.sql) : undefined;
  const problems = [
    ...[
      ...headerProblems,
      ...(header.success ? checkVersion(name, header.data) : []),
      ...(page?.problems ?? []),
      ...(push?.problems ?? []),
    ].map(({ path, message }) => ({ file, line: parts.lineOf(path), message })),
    ...syntaxProblems(page?.syntaxProblem ?? push?.syntaxProblem, linked),
    ...linked.problems.filter((one) => !(areHidden && isUndeclared(one))),
    ...checkOwnJavascript(own.sql, { file, line: own.sqlLine }),
    ...(areHidden
      ? []
      : checkParameterUse(file, own, linked.problems.length > 0 ? undefined : linked.passed)),
    ...(header.success ? checkLimits(file, header.data, parts) : []),
  ];
  // Names of parts that could not be put in would be further problems of the same cause.
  if (linked.problems.length > 0) return { problems };
  if (!header.success) {
    const { sql, source } = linked;
    return {
      problems,
      sql: { sql, source, parameters: typedParameters(parts), columns: undefined },
    };
  }
  const query = toQuery(name, header.data, parts);
  if (problems.length > 0) return { problems, sql: query };
  const inWarm = warmProblems(query).map((message) => ({ file, line: parts.lineOf(['warm']), message }));
  if (inWarm.length > 0) return { problems: inWarm, sql: query };
  return { query, problems: [], aliasLines: query.aliases.map((_, at) => parts.lineOf(['aliases', at])) };
}

/** True for a parameter of a part that its reader does not declare. */
const isUndeclared = ({ message }: Problem): boolean =>
  /^@\w+ is a parameter of .*: declare it under parameters/.test(message);

const syntaxProblems = (found: SyntaxProblem | undefined, { sql, source }: LinkedSql) =>
  found === undefined ? [] : [problemAt(sql, source, found.offset, found.message)];

function withoutHeader(file: string, text: string): FileSql | undefined {
  const part = sqlPart(text);
  return part && { sql: part.sql, source: { file, line: part.sqlLine }, parameters: [], columns: undefined };
}

/** The parameters of a header with problems. */
export function typedParameters({ header }: Pick<HeaderAndSql, 'header'>): readonly TypedParameter[] {
  const { parameters } = (header ?? {}) as { readonly parameters?: unknown };
  return Object.entries(parameters ?? {}).flatMap(([name, declared]) => {
    const parsed = parameterSchema.safeParse(declared);
    if (!parsed.success) return [];
    const { bind, repeated } = toParameter(name, parsed.data);
    return { name, ...(bind && { bind }), ...(repeated && { repeated }) };
  });
}

function toQuery(
  name: string,
  header: Header,
  {
    sql,
    source,
    hiddenTables,
    materializedTables,
    listedViews,
    definitions,
    lineOf,
  }: HeaderAndSql & LinkedSql,
): SavedQuery {
  const columns = Object.entries(header.columns).map(
    ([name, { fields, filter: _, order: __, ...column }]): Column => ({
      ...column,
      name,
      unit: column.unit,
      ...toRecordFields(fields, ['columns', name], lineOf),
      ...(fields !== undefined && { line: lineOf(['columns', name]) }),
    }),
  );
  return {
    id: header.id,
    name,
    isDefault: header.default,
    deprecated: toDeprecation(header),
    shadow: toShadow(header),
    aliases: header.aliases,
    description: header.description,
    tags: header.tags,
    sql,
    source,
    ...(hiddenTables && { hiddenTables }),
    ...(materializedTables?.length && { materializedTables }),
    ...(listedViews && { listedViews }),
    ...(definitions?.length && { definitions }),
    maxRows: header.max_rows,
    caching: toCachePolicy(header),
    warm: header.warm,
    labels: header.labels,
    tenant: toTenant(header),
    tenantUnchecked: header.tenant_unchecked,
    parameters: withLimits(
      Object.entries(header.parameters).map(([name, declared]) => toParameter(name, declared)),
      sql,
    ),
    isStrict: header.strict,
    columns,
    rowArguments: toRowArguments(header, columns, readPush(header, sql).push),
    pages: readPage(header, sql).pages,
    rowKey: header.key,
    federation: toFederation(header, name),
    prometheus: toPrometheus(header),
    ...(header.budget && { budget: toBudget(header.budget) }),
    ...(header.reservation && { reservation: header.reservation }),
    ...(header.incremental && { incremental: toIncremental(header) }),
    ...(header.batch === 'off' && { batch: header.batch }),
    querySandboxing: header.query_sandboxing,
  };
}

function toTenant({ parameters }: Header): Tenant | undefined {
  const found = Object.entries(parameters).find(([, { tenant }]) => tenant);
  return found && { parameter: found[0], pattern: found[1].tenant_pattern };
}

function toPrometheus({ prometheus, columns }: Header): PrometheusText | undefined {
  if (prometheus === undefined) return undefined;
  const metrics = Object.entries(prometheus.metrics).map(([name, metric]) => ({
    ...metric,
    name,
    help: metric.help ?? columns[metric.column]?.description ?? '',
  }));
  return { metrics, labels: prometheus.labels };
}

/** A parameter set to keep warm must be one that a caller could send; at some time, if bounds are relative to it. */
function warmProblems(query: SavedQuery): readonly string[] {
  const parameters = query.parameters.map((parameter) => withBounds(parameter, false));
  const declared = new Set(query.parameters.map(({ name }) => name));
  return query.warm.flatMap((set, at) => {
    const undeclared = Object.keys(set).filter((name) => !declared.has(name));
    const [wrong = ''] = undeclared;
    const meant = undeclared.length === 1 ? didYouMean(wrong, [...declared]) : '';
    if (undeclared.length > 0)
      return [`warm.${at}: not declared under parameters: ${undeclared.join(', ')}${meant}`];
    try {
      bind({ ...query, parameters }, plainParameters(set));
      return [];
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return [`warm.${at}.${error.message}`];
    }
  });
}
