import type { z } from 'zod';
import { GatewayError, type Problem } from '../../errors.ts';
import { bind, plainParameters } from '../binding/bind.ts';
import type { CachePolicy, Column, Parameter, SavedQuery, Tenant } from '../saved-query.ts';
import { checkHeader, type HeaderProblem } from './check-header.ts';
import { type Header, headerSchema, inWords } from './header-schema.ts';
import { type HeaderAndSql, lineAt, readHeader } from './read-header.ts';
import { sqlParameters } from './sql-parameters.ts';

export type Parsed =
  | { readonly query: SavedQuery; readonly problems: readonly [] }
  | { readonly query?: undefined; readonly problems: readonly Problem[] };

/**
 * One saved-query file: a YAML header in the leading block comment, then the SQL.
 *
 * @param name the endpoint's name, which is the file's name without `.sql`
 * @param file the path that messages show
 * @returns the query, or every problem of the file, each with its line
 */
export function parseQuery(name: string, file: string, text: string): Parsed {
  const parts = readHeader(file, text);
  if (!('header' in parts)) return { problems: parts };

  const header = headerSchema.safeParse(parts.header, { error: inWords });
  const inHeader = header.success ? checkHeader(header.data) : header.error.issues.map(shapeProblem);
  const problems = [
    ...inHeader.map(({ path, message }) => ({ file, line: parts.lineOf(path), message })),
    ...parameterProblems(parts).map((problem) => ({ file, ...problem })),
  ];
  if (!header.success || problems.length > 0) return { problems };
  const query = toQuery(name, header.data, parts.sql, { file, line: parts.sqlLine });
  const inWarm = warmProblems(query).map((message) => ({ file, line: parts.lineOf(['warm']), message }));
  return inWarm.length > 0 ? { problems: inWarm } : { query, problems: [] };
}

function toQuery(name: string, header: Header, sql: string, source: SavedQuery['source']): SavedQuery {
  const caching: CachePolicy | 'disabled' =
    header.caching === 'disabled'
      ? 'disabled'
      : {
          ttlSeconds: header.caching,
          warmingSeconds: header.cache_warming,
          staleIfErrorSeconds: header.stale_if_error ?? header.caching,
        };
  return {
    id: header.id,
    name,
    description: header.description,
    sql,
    source,
    maxRows: header.max_rows,
    caching,
    warm: header.warm,
    querySandboxing: header.query_sandboxing,
    labels: header.labels,
    tenant: tenantOf(header),
    parameters: Object.entries(header.parameters).map(([name, declared]) => {
      const { default: fallback, example, tenant: _, tenant_pattern: __, ...rest } = declared;
      const base = { name, default: fallback, example };
      return rest.type === 'enum'
        ? {
            ...rest,
            ...base,
            values: Object.entries(rest.values).map(([value, told]) => ({ value, ...told })),
          }
        : { ...rest, ...base };
    }) satisfies Parameter[],
    columns: Object.entries(header.columns).map(
      ([name, column]): Column => ({ ...column, name, unit: column.unit }),
    ),
  };
}

function tenantOf({ parameters }: Header): Tenant | undefined {
  const found = Object.entries(parameters).find(([, { tenant }]) => tenant);
  return found && { parameter: found[0], pattern: found[1].tenant_pattern };
}

/** A set that is to be kept warm must be one that a caller could send. */
function warmProblems(query: SavedQuery): readonly string[] {
  const declared = new Set(query.parameters.map(({ name }) => name));
  return query.warm.flatMap((set, at) => {
    const strangers = Object.keys(set).filter((name) => !declared.has(name));
    if (strangers.length > 0) return [`warm.${at}: not declared under parameters: ${strangers.join(', ')}`];
    try {
      bind(query, plainParameters(set));
      return [];
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return [`warm.${at}.${error.message}`];
    }
  });
}

function shapeProblem(issue: z.core.$ZodIssue): HeaderProblem {
  const unknownKeys = issue.code === 'unrecognized_keys' ? issue.keys : [];
  const place = issue.path.join('.');
  return {
    path: [...issue.path, ...unknownKeys],
    message: place === '' ? issue.message : `${place}: ${issue.message}`,
  };
}

/** Parameters that are declared and not used, or used and not declared: told whatever else is wrong. */
function parameterProblems({ header, sql, sqlLine, lineOf }: HeaderAndSql): readonly Problem[] {
  const declared = Object.keys((header as { parameters?: object } | null)?.parameters ?? {});
  const uses = sqlParameters(sql);
  const used = new Set(uses.map((use) => use.name));
  const first = uses.filter((use, at) => uses.findIndex((other) => other.name === use.name) === at);
  return [
    ...declared
      .filter((name) => !used.has(name))
      .map((name) => ({
        line: lineOf(['parameters', name]),
        message: `parameters.${name}: declared, but the SQL never uses @${name}`,
      })),
    ...first
      .filter(({ name }) => !declared.includes(name))
      .map(({ name, index }) => ({
        line: sqlLine + lineAt(sql, index) - 1,
        message: `@${name} is used, but not declared under parameters`,
      })),
  ];
}
