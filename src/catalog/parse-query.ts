import { isNode, LineCounter, type Node, parseDocument, YAMLMap } from 'yaml';
import type { Problem } from '../errors.ts';
import { checkHeader } from './check-header.ts';
import { type Header, headerSchema } from './header-schema.ts';
import type { CachePolicy, Column, Parameter, SavedQuery } from './saved-query.ts';
import { sqlParameters } from './sql-parameters.ts';

export type Parsed =
  | { readonly query: SavedQuery; readonly problems: readonly [] }
  | { readonly query?: undefined; readonly problems: readonly Problem[] };

/** Finds the line (in the file) of the header node at a path; of its nearest ancestor where it is absent. */
export type LineOf = (path: readonly PropertyKey[]) => number;

const frame = /^\uFEFF?\s*\/\*---[ \t]*\r?\n(?<header>[\s\S]*?)^[ \t]*---\*\/[ \t]*\r?\n?/m;

/**
 * One saved-query file: a YAML header in the leading block comment, then the SQL.
 *
 * @param name the endpoint's name, which is the file's name without `.sql`
 * @param file the path that messages show
 * @returns the query, or every problem of the file, each with its line
 */
export function parseQuery(name: string, file: string, text: string): Parsed {
  const found = frame.exec(text);
  if (found?.groups?.header === undefined || text.slice(0, found.index).trim() !== '') {
    return {
      problems: [{ file, line: 1, message: 'must start with a YAML header between /*--- and ---*/' }],
    };
  }
  const headerLine = lineAt(text, text.indexOf('/*---') + 5) + 1;
  const sqlStart = found.index + found[0].length;
  const sql = text.slice(sqlStart);

  const lines = new LineCounter();
  const document = parseDocument(found.groups.header, { lineCounter: lines, uniqueKeys: true });
  if (document.errors.length > 0) {
    const problems = document.errors.map((error) => ({
      file,
      line: headerLine + lines.linePos(error.pos[0]).line - 1,
      message: `not valid YAML: ${error.message.split('\n')[0]?.replace(/ at line.*/, '') ?? ''}`,
    }));
    return { problems };
  }
  const lineOf: LineOf = (path) => headerLine + lines.linePos(offsetOf(document.contents, path)).line - 1;

  const header = headerSchema.safeParse(document.toJS());
  if (!header.success) {
    return {
      problems: header.error.issues.map((issue) => {
        const key = issue.code === 'unrecognized_keys' ? issue.keys : [];
        return { file, line: lineOf([...issue.path, ...key]), message: told(issue) };
      }),
    };
  }

  const sqlLine = lineAt(text, sqlStart);
  const problems = [
    ...checkHeader(header.data).map(({ path, message }) => ({ file, line: lineOf(path), message })),
    ...checkParameters(header.data, sql).map(({ path, index, message }) => ({
      file,
      line: path === undefined ? sqlLine + lineAt(sql, index) - 1 : lineOf(path),
      message,
    })),
  ];
  if (problems.length > 0) return { problems };
  return { query: toQuery(name, header.data, sql, { file, line: sqlLine }), problems: [] };
}

function toQuery(name: string, header: Header, sql: string, source: SavedQuery['source']): SavedQuery {
  const caching: CachePolicy | 'disabled' =
    header.caching === 'disabled'
      ? 'disabled'
      : { ttlSeconds: header.caching, warmingSeconds: header.cache_warming };
  return {
    id: header.id,
    name,
    description: header.description,
    sql,
    source,
    maxRows: header.max_rows,
    caching,
    querySandboxing: header.query_sandboxing,
    parameters: Object.entries(header.parameters).map(([name, { default: fallback, example, ...rest }]) => {
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

interface ParameterProblem {
  readonly path?: readonly PropertyKey[];
  readonly index: number;
  readonly message: string;
}

function checkParameters(header: Header, sql: string): readonly ParameterProblem[] {
  const uses = sqlParameters(sql);
  const used = new Set(uses.map((use) => use.name));
  const first = uses.filter((use, at) => uses.findIndex((other) => other.name === use.name) === at);
  return [
    ...Object.keys(header.parameters)
      .filter((name) => !used.has(name))
      .map((name) => ({
        path: ['parameters', name],
        index: 0,
        message: `parameters.${name}: declared, but the SQL never uses @${name}`,
      })),
    ...first
      .filter(({ name }) => !Object.hasOwn(header.parameters, name))
      .map(({ name, index }) => ({ index, message: `@${name} is used, but not declared under parameters` })),
  ];
}

function told(issue: { readonly path: readonly PropertyKey[]; readonly message: string }): string {
  const place = issue.path.join('.');
  return place === '' ? issue.message : `${place}: ${issue.message}`;
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

function offsetOf(root: unknown, path: readonly PropertyKey[]): number {
  let node = root;
  let offset = start(node);
  for (const key of path) {
    if (!(node instanceof YAMLMap)) break;
    const pair = node.items.find((item) => String((item.key as { value?: unknown }).value) === String(key));
    if (pair === undefined) break;
    offset = start(pair.key);
    node = pair.value;
  }
  return offset;
}

function start(node: unknown): number {
  return isNode(node) ? ((node as Node).range?.[0] ?? 0) : 0;
}
