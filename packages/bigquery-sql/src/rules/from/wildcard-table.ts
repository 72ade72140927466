import { foldName, shorten } from '@querygate/text';
import {
  caseWhen,
  column,
  nullLiteral,
  operation,
  select,
  textLiteral,
  transformList,
} from '../../tree/build.ts';
import type { Derived, Expression, Member, Query, UnreadableField } from '../../tree/nodes.ts';
import {
  describeType,
  duckdbType,
  isScalar,
  type ScalarName,
  type StructType,
  sameName,
  scalar,
  type Type,
} from '../../types.ts';
import { bindValues } from '../bind-values.ts';
import { convert } from '../coercion.ts';
import { absentIn, type Relation, type RelationColumn } from '../scope.ts';
import { fieldValues, structOfValues } from '../struct-value.ts';

/** The pseudo column of wildcard tables: the text that `*` matches. */
const suffixColumn = '_TABLE_SUFFIX';

/** A table that a wildcard matches, by its name as it is declared. */
interface Matched {
  readonly name: string;
  readonly relation: Relation;
}

/**
 * The tables whose names begin with a prefix, as one: columns are those of the last table by name, NULL where another
 * table has no such column, and the rest of the name is `_TABLE_SUFFIX`. Undefined if there is no such table.
 */
export function wildcardRelation(
  prefix: string,
  relations: ReadonlyMap<string, Relation>,
): Relation | undefined {
  const matching = [...relations]
    .filter(
      ([name, { isTable }]) => isTable && name.length > prefix.length && name.startsWith(foldName(prefix)),
    )
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, relation]): Matched => ({ name: relation.tableName ?? name, relation }));
  const last = matching.at(-1);
  if (!last) return undefined;
  const columns = last.relation.columns.map(({ required: _, ...rest }) => rest);
  const suffix: RelationColumn = {
    name: suffixColumn,
    column: suffixColumn,
    type: scalar('STRING'),
    isPseudo: true,
  };
  return {
    isTable: true,
    columns: [...columns, suffix],
    ...absentIn([last.relation]),
    from(alias, start, fresh): Derived {
      const inputs = matching.map(({ name, relation }): Query => {
        const inner = fresh(name);
        const members = columns.map((target): Member => {
          const own = columnOf(relation, target.name);
          const value = own && readAs(column(inner, own.column, own.type), target.type);
          return { name: target.column, value: value ?? nullLiteral(target.type) };
        });
        const matched = textLiteral(name.slice(prefix.length));
        return select({
          columns: [...members, { name: suffix.column, value: matched }],
          from: relation.from(inner, start, fresh),
        });
      });
      const [only, another] = inputs;
      const query: Query = only && !another ? only : { kind: 'set', operator: 'UNION ALL', inputs };
      const unreadable = unreadableFields(matching, columns, {
        wildcard: `${prefix}*`,
        last: last.name,
        start,
      });
      return { kind: 'derived', alias, query, ...(unreadable.length > 0 && { unreadable }) };
    },
  };
}

const columnOf = ({ columns }: Relation, name: string): RelationColumn | undefined =>
  columns.find((candidate) => sameName(candidate.name, name));

/** The numbers that are read as another type of number, as BigQuery does after the type of a column was changed. */
const widerNumbers: Readonly<Partial<Record<ScalarName, readonly ScalarName[]>>> = {
  INT64: ['NUMERIC', 'BIGNUMERIC', 'FLOAT64'],
  NUMERIC: ['BIGNUMERIC', 'FLOAT64'],
  BIGNUMERIC: ['FLOAT64'],
};

/** True if values are the same in DuckDB, or numbers that the type has, too. */
const isReadable = (from: Type, to: Type): boolean =>
  [from.kind, to.kind].includes('unknown') ||
  duckdbType(from) === duckdbType(to) ||
  (from.kind === 'scalar' && isScalar(to, ...(widerNumbers[from.name] ?? [])));

/** A value of one table with the type that it has for all; fields are matched by name. NULL for what cannot be read. */
function readAs(value: Expression, to: Type): Expression {
  const from = value.type;
  if (duckdbType(from) === duckdbType(to)) return value;
  if (from.kind === 'array' && to.kind === 'array')
    return transformList(value, from.element, (item) => readAs(item, to.element), to);
  if (from.kind === 'struct' && to.kind === 'struct')
    return bindValues([value], (bound = value) =>
      caseWhen(operation('IS NOT NULL', [bound]), readFields(bound, to)),
    );
  return isReadable(from, to) ? convert(value, to) : nullLiteral(to);
}

function readFields(of: Expression, to: StructType): Expression {
  const own = fieldValues(of);
  const values = to.fields.map(({ name, type }) => {
    const found = own.find((member) => sameName(member.name, name));
    return found ? readAs(found.value, type) : nullLiteral(type);
  });
  return structOfValues(values, to);
}

interface Unreadable {
  readonly path: readonly string[];
  readonly from: Type;
  readonly to: Type;
}

/** Each column and field that a table before the last one has with another type, for the first such table. */
function unreadableFields(
  tables: readonly Matched[],
  columns: readonly RelationColumn[],
  { wildcard, last, start }: { readonly wildcard: string; readonly last: string; readonly start: number },
): readonly UnreadableField[] {
  const found = new Map<string, UnreadableField>();
  for (const { name, relation } of tables)
    for (const target of columns) {
      const own = columnOf(relation, target.name);
      for (const { path, from, to } of own ? unreadableIn(own.type, target.type, [target.column]) : []) {
        const shown = path.join('.');
        if (found.has(shown)) continue;
        const [own, other] = [from, to].map((type) => shorten(describeType(type)));
        const message = `${shown} is ${own} in ${name} and ${other} in ${last}, the last table of ${wildcard}, whose types hold: leave ${shown} out, or read tables that agree`;
        found.set(shown, { path, message, start });
      }
    }
  return [...found.values()];
}

function unreadableIn(from: Type, to: Type, path: readonly string[]): readonly Unreadable[] {
  if (from.kind === 'array' && to.kind === 'array') return unreadableIn(from.element, to.element, path);
  if (from.kind === 'struct' && to.kind === 'struct')
    return to.fields.flatMap(({ name, type }) => {
      const own = from.fields.find((member) => sameName(member.name, name));
      return own ? unreadableIn(own.type, type, [...path, name]) : [];
    });
  return isReadable(from, to) ? [] : [{ path, from, to }];
}
