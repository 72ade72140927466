import { sameName } from '@querygate/bigquery-sql/types';
import { parseQuery, type Syntax, SyntaxProblem, walk } from '@querygate/bigquery-sql/syntax';
import type { Field, TableSchema } from '@querygate/bigquery-sql/table-schema';
import { foldName } from '@querygate/text';

/** A column, a field, or the alias of a table, as far as the files say what it is. */
export interface NamedValue {
  readonly name: string;
  readonly type?: string | undefined;
  readonly description?: string | undefined;
  readonly fields?: readonly NamedValue[] | undefined;
}

/** The names that SQL can use. */
export interface SqlScope {
  /** Aliases of FROM with their columns. */
  readonly ranges: readonly NamedValue[];
  readonly tables: readonly NamedValue[];
}

/** The tree of SQL that may be unfinished at an offset. @returns undefined if the rest is not GoogleSQL either */
export function parseAround(sql: string, offset: number): Syntax.Statement | undefined {
  // A run of letters is looked at once: hexadecimal digits may have a length of many thousands.
  const before = sql.slice(0, offset).replace(/(?:`|(?<!\w))\w*$/, '');
  const after = sql.slice(offset).replace(/^\w*`?/, '');
  // The name that is being written: an expression, the name of a table, or another item of a list.
  const named = `${before} x ${after}`;
  // The next word would be the name: FROM, in `SELECT t. FROM t`.
  const isBehindDot = sql[offset - 1] === '.' && !/^[\w`]/.test(sql.slice(offset));
  const texts = isBehindDot ? [named, sql] : [sql, named];
  for (const text of [...texts, `${before} x from x ${after}`, before]) {
    try {
      return parseQuery(text.replace(/\.(\s+)x /, '.x$1 '));
    } catch (error) {
      if (!(error instanceof SyntaxProblem)) throw error;
    }
  }
  return undefined;
}

/** The names of a whole statement, wherever they can be used in it. */
export function scopeOf(statement: Syntax.Statement, schemas: readonly TableSchema[]): SqlScope {
  const ranges: NamedValue[] = [];
  const common: NamedValue[] = [];
  const tables = schemas.map(({ name, fields }): NamedValue => ({ name, fields: fields.map(namedField) }));
  const find = (names: readonly NamedValue[], name: string) => names.find((one) => sameName(one.name, name));
  const tableNamed = (name: string) =>
    find(common, name) ??
    (name.endsWith('*')
      ? tables.find((one) => foldName(one.name).startsWith(foldName(name.slice(0, -1))))
      : find(tables, name));
  const namedBy = (expression: Syntax.Expression): NamedValue | undefined =>
    expression.kind === 'Path'
      ? resolvePath(
          expression.parts.map(({ name }) => name),
          ranges,
        )
      : undefined;
  const outputsOf = ({ body }: Syntax.Query): readonly NamedValue[] => {
    if (body.kind === 'Query') return outputsOf(body);
    const select = body.kind === 'SetOperation' ? body.inputs[0] : body;
    if (select?.kind === 'Query') return outputsOf(select);
    if (select?.kind !== 'Select') return [];
    return select.items.flatMap((item): NamedValue[] => {
      if (item.kind !== 'SelectExpression') return ranges.flatMap(({ fields = [] }) => fields);
      const known = namedBy(item.expression);
      const name = item.alias?.name ?? known?.name;
      return name === undefined ? [] : [{ ...known, name }];
    });
  };
  // The ranges of a query stand in its text before those of queries that read it, but for FROM, which follows the list.
  const read = (root: Syntax.Node) =>
    walk(root, (node) => {
      if (node.kind === 'CommonTable') {
        read(node.query);
        common.push({ name: node.name.name, fields: outputsOf(node.query) });
      }
      if (node.kind === 'Table') {
        const names = node.path.parts.map(({ name }) => name);
        const last = names.at(-1) ?? '';
        const range = tableNamed(last) ?? resolvePath(names, ranges);
        if (range) ranges.push({ ...range, name: node.alias?.name ?? last });
      }
      if (node.kind === 'Unnest' && node.alias)
        ranges.push({ ...namedBy(node.array), name: node.alias.name });
      if (node.kind === 'DerivedTable' && node.alias) {
        read(node.query);
        ranges.push({ name: node.alias.name, fields: outputsOf(node.query) });
      }
    });
  read(statement);
  const unique = new Map(ranges.map((range) => [foldName(range.name), range]));
  return { ranges: [...unique.values()], tables: [...common, ...tables] };
}

/** Resolves a path of names to a field of a range, or of a column. */
export function resolvePath(
  [first = '', ...others]: readonly string[],
  ranges: readonly NamedValue[],
): NamedValue | undefined {
  const named = (values: readonly NamedValue[] | undefined, name: string) =>
    values?.find((one) => sameName(one.name, name));
  const start =
    named(ranges, first) ??
    named(
      ranges.flatMap(({ fields = [] }) => fields),
      first,
    );
  return others.reduce<NamedValue | undefined>((value, name) => named(value?.fields, name), start);
}

function namedField({ name, type, mode, description, fields }: Field): NamedValue {
  return {
    name,
    type: mode === 'REPEATED' ? `ARRAY<${type}>` : type,
    description,
    ...(fields && { fields: fields.map(namedField) }),
  };
}
