import type { Column } from 'querygate';
import { graphqlNames } from 'querygate/catalog';
import { type Change, change, fromTo, matchBy, type Pair, removal } from '../change.ts';
import type { Kind } from '../verdicts.ts';

/** Changes of the columns of rows. */
export const compareColumns = ({ before, after }: Pair): readonly Change[] =>
  compareLists(before.columns, after.columns, { path: ['columns'], noun: 'column', prefix: '' });

/** A column, or a field of a record. */
interface Part extends Pick<Column, 'name' | 'type' | 'repeated' | 'required'> {
  readonly unit?: string | undefined;
  readonly description?: string | undefined;
  /** Of a record, as far as they are known. */
  readonly fields?: readonly Part[] | undefined;
}

interface Place {
  readonly path: readonly string[];
  readonly noun: 'column' | 'field';
  /** The columns around, as in `request.` */
  readonly prefix: string;
}

function compareLists(before: readonly Part[], after: readonly Part[], place: Place): readonly Change[] {
  const { path, noun, prefix } = place;
  const { both, removed, added } = matchBy(before, after, ({ name }) => name);
  return [
    ...removed.map((column) =>
      removal(
        'column-removed',
        [...path, column.name],
        `${noun} ${prefix}${column.name} removed${successor(column, added)}`,
      ),
    ),
    ...added.map((column) =>
      change('column-added', [...path, column.name], `${noun} ${prefix}${column.name} added`),
    ),
    ...compareOrder(before, after, place),
    ...both.flatMap(([old, now]) => compareColumn(old, now, place)),
  ];
}

/** Names the new column that is perhaps a renamed one. */
function successor(removed: Part, added: readonly Part[]): string {
  const found = added.find(
    ({ type, repeated, description }) =>
      type === removed.type && repeated === removed.repeated && description === removed.description,
  );
  return found === undefined ? '' : `; perhaps it is ${found.name} now`;
}

/** Positions matter in CSV. A column that takes the place of a removed one moves none. */
function compareOrder(
  before: readonly Part[],
  after: readonly Part[],
  { path, noun, prefix }: Place,
): readonly Change[] {
  const places = new Map(before.map(({ name }, at) => [name, at]));
  let last: { readonly name: string; readonly at: number } | undefined;
  for (const [at, { name }] of after.entries()) {
    const old = places.get(name);
    if (old === undefined) continue;
    const isMoved = at > old || (last !== undefined && old < last.at);
    if (isMoved) {
      const text =
        last !== undefined && old < last.at
          ? `comes after ${prefix}${last.name} now`
          : `was at ${old + 1}, is at ${at + 1}`;
      return [change('column-order', [...path, name], `order of ${noun}s: ${prefix}${name} ${text}`)];
    }
    last = { name, at: old };
  }
  return [];
}

function compareColumn(before: Part, after: Part, { path, noun, prefix }: Place): readonly Change[] {
  const changes: Change[] = [];
  const add = (kind: Kind, key: string, text: string) =>
    void changes.push(change(kind, [...path, after.name, key], `${noun} ${prefix}${after.name}: ${text}`));

  if (before.repeated !== after.repeated)
    add('column-type', 'repeated', after.repeated ? 'a list now' : 'one value instead of a list');
  if (before.type !== after.type)
    add(typeChange(before.type, after.type), 'type', `type ${fromTo(before.type, after.type)}`);
  if (before.required !== after.required)
    add(
      after.required ? 'column-required' : 'column-nullable',
      'required',
      after.required ? 'never NULL now' : 'may be NULL now',
    );
  else if (after.required && isNullInJson(after, noun) && !isNullInJson(before, noun))
    add('column-nullable', 'type', 'may be null in JSON now, though never NULL');
  if (before.unit !== after.unit) {
    const isStated = before.unit !== undefined && after.unit !== undefined;
    add(isStated ? 'column-unit' : 'description', 'unit', `unit ${fromTo(before.unit, after.unit)}`);
  }
  if (before.description !== after.description) add('description', 'description', 'description changed');
  if (before.type !== 'record' || after.type !== 'record') return changes;
  const [old, now] = [before.fields, after.fields];
  if (old !== undefined && now !== undefined) {
    const within: Place = {
      path: [...path, after.name, 'fields'],
      noun: 'field',
      prefix: `${prefix}${after.name}.`,
    };
    return [...changes, ...compareLists(old, now, within), ...compareNames(old, now, within)];
  }
  if (old !== now)
    add('column-record', 'fields', now === undefined ? 'any JSON now' : 'fields with types now');
  return changes;
}

/**
 * True if a value that is never NULL may be null in JSON, which has a null of its own; in a record NaN and infinities are
 * null, too.
 */
const isNullInJson = ({ type, repeated }: Part, noun: Place['noun']): boolean =>
  !repeated && (type === 'json' || (type === 'float' && noun === 'field'));

/** Of fields that would have one name in GraphQL, those after the first get another. */
function compareNames(
  before: readonly Part[],
  after: readonly Part[],
  { path, noun, prefix }: Place,
): readonly Change[] {
  const names = graphqlNames(after);
  const oldNames = new Map(graphqlNames(before).map((name, at) => [before[at]?.name, name]));
  return after.flatMap(({ name }, at) => {
    const old = oldNames.get(name);
    const now = names[at];
    if (old === undefined || old === now) return [];
    return [
      change('field-renamed', [...path, name], `${noun} ${prefix}${name}: in GraphQL ${fromTo(old, now)}`),
    ];
  });
}

/** Types whose values are text with a form of their own, also in REST. */
const textTypes: readonly Column['type'][] = ['numeric', 'datetime', 'date', 'time'];

function typeChange(before: Column['type'], after: Column['type']): Kind {
  const other = before === 'string' ? after : after === 'string' ? before : undefined;
  if (other === 'timestamp') return 'column-wire';
  if (other !== undefined) return textTypes.includes(other) ? 'column-text' : 'column-type';
  if (before === 'integer' && after === 'float') return 'column-widened';
  if (before === 'float' && after === 'integer') return 'column-narrowed';
  return 'column-type';
}
