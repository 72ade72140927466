import { parseQuery, type Syntax, SyntaxProblem, walk } from '@querygate/bigquery-sql/syntax';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { describeType } from '@querygate/bigquery-sql/types';
import { foldName, shorten } from '@querygate/text';
import type { TypedPlace } from './check-document.ts';
import { placeAt, schemasAt } from './header-keys.ts';
import { type NamedValue, resolvePath, scopeOf } from './sql-scope.ts';

/** The text shown for a place, with the offsets of the part that it explains. */
export interface Hover {
  /** Markdown. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Explains a key of a header. @param offset of the place in the header */
export function hoverHeader(header: string, offset: number): Hover | undefined {
  const start = offset - (/(?<![\w.-])[\w.-]+$/.exec(header.slice(0, offset))?.[0].length ?? 0);
  const [word = ''] = /^[\w.-]+/.exec(header.slice(start)) ?? [];
  if (word === '' || header[start + word.length] !== ':') return undefined;
  const { path } = placeAt(header.slice(0, start));
  const meaning = schemasAt([...path, word]).find(
    ({ description }) => description !== undefined,
  )?.description;
  return meaning === undefined ? undefined : { text: meaning, start, end: start + word.length };
}

interface SqlPlace {
  readonly sql: string;
  readonly offset: number;
  readonly types: readonly TypedPlace[];
  readonly tables: readonly TableSchema[];
  readonly parameters: readonly NamedValue[];
}

/** The type and the meaning of a place of SQL. */
export function hoverSql({ sql, offset, types, tables, parameters }: SqlPlace): Hover | undefined {
  const node = innermost(sql, offset);
  if (node === undefined) return undefined;
  const { start, end } = node;
  const show = (value: NamedValue): Hover => ({ text: describe(value), start, end });
  if (node.kind === 'NamedParameter') {
    const name = foldName(node.name.name);
    const parameter = parameters.find((one) => foldName(one.name) === name);
    return parameter && show({ ...parameter, name: `@${parameter.name}` });
  }
  const scope = scopeOf(parseQuery(sql), tables);
  if (node.kind === 'Table') {
    const last = foldName(node.path.parts.at(-1)?.name ?? '');
    const table = scope.tables.find(
      ({ name }) =>
        foldName(name) === last || (last.endsWith('*') && foldName(name).startsWith(last.slice(0, -1))),
    );
    return table && show(table);
  }
  const typed = types.findLast(
    (one) => one.node.start === start && one.node.end === end && one.type.kind !== 'unknown',
  );
  const known =
    node.kind === 'Path'
      ? resolvePath(
          node.parts.map(({ name }) => name),
          scope.ranges,
        )
      : undefined;
  const type = typed === undefined ? known?.type : describeType(typed.type);
  if (type === undefined) return undefined;
  // The fields of a record are shown below it.
  const shown = type.length > maxTypeLength && known?.type !== undefined ? known.type : type;
  return show({
    ...known,
    name: known?.name ?? shorten(sql.slice(start, end)).replace(/\s+/g, ' '),
    type: shown,
  });
}

/** The smallest node at an offset that has a meaning of its own. */
function innermost(sql: string, offset: number): Syntax.Node | undefined {
  let found: Syntax.Node | undefined;
  try {
    walk(parseQuery(sql), (node) => {
      const isShown = [
        'Path',
        'Table',
        'NamedParameter',
        'FunctionCall',
        'FieldAccess',
        'Cast',
        'Subscript',
      ].includes(node.kind);
      if (isShown && node.start <= offset && offset <= node.end && found?.kind !== 'Table') found = node;
    });
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
  }
  return found;
}

function describe({ name, type, description, fields }: NamedValue): string {
  const columns = fields?.map((field) => `- \`${field.name}\` ${field.type ?? ''}`) ?? [];
  return [`\`${name}\`${type === undefined ? '' : ` ${type}`}`, description, columns.join('\n')]
    .filter((part) => part !== undefined && part !== '')
    .join('\n\n');
}

const maxTypeLength = 80;
