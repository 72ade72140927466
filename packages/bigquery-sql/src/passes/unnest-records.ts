import { caseWhen, integerLiteral } from '../tree/build.ts';
import { mapSelects } from '../tree/map.ts';
import type { Column, Expression, From, RecordValue, Select, Unnest } from '../tree/nodes.ts';
import { keysOf } from '../tree/query-parts.ts';
import { unknown } from '../types.ts';
import type { Pass } from './pass.ts';
import { isUnconditional, replaceItem, requiredItems } from './rewriting/from-items.ts';
import { substitute } from './rewriting/substitute.ts';

/** An array of at most one record, whose fields are columns, is unnested by a condition on its row. */
export const unnestRecords: Pass = (query, options) => {
  const values = new Map<string, { readonly value: Expression; readonly offset: Expression }>();
  const unnested = mapSelects(query, (node) =>
    unnestIn(node, (alias, parts) => void values.set(alias, parts)),
  );
  if (values.size === 0) return query;
  const substituted = substitute(
    unnested,
    ({ from, name }: Column) => values.get(from)?.[name as 'value' | 'offset'],
  );
  // The fields of an unnested record may be such arrays too.
  return unnestRecords(substituted, options);
};

type Note = (alias: string, parts: { readonly value: Expression; readonly offset: Expression }) => void;

function unnestIn(select: Select, note: Note): Select {
  const found = select.from && findUnnest(select.from, select.from);
  if (!found) return select;
  const { unnest, record, keepEmpty, from } = found;
  // A key of several sets of groups stays a column: another value that is equal to it is not NULL where the key is.
  if (
    select.groupBy?.sets &&
    keysOf(select).some((key) => key.kind === 'column' && key.from === unnest.alias)
  )
    return select;
  const element = { ...record, repeated: false, type: elementType(record) };
  const first = integerLiteral(0);
  note(unnest.alias, { value: element, offset: keepEmpty ? caseWhen(record.present, first) : first });
  const { from: _, ...rest } = select;
  const where = keepEmpty ? select.where : [record.present, ...select.where];
  return unnestIn({ ...rest, where, ...(from && { from }) }, note);
}

const elementType = ({ type }: RecordValue) => (type.kind === 'array' ? type.element : unknown);

interface Found {
  readonly unnest: Unnest;
  readonly record: RecordValue;
  /** True if a row without the record stays, with NULL as the element. */
  readonly keepEmpty: boolean;
  /** The rest of FROM. */
  readonly from: From | undefined;
}

/** The first array of a record that can be replaced by a condition. */
function findUnnest(from: From, root: From): Found | undefined {
  if (from.kind === 'unnest') return from === root ? found(from, false, root) : undefined;
  if (from.kind !== 'join') return undefined;
  const inner = findUnnest(from.left, root) ?? findUnnest(from.right, root);
  if (inner) return inner;
  const { right } = from;
  if (right.kind !== 'unnest' || !isUnconditional(from)) return undefined;
  if (from.join === 'LEFT') return found(right, true, root);
  // The condition may move to WHERE only if no join around it makes the row optional.
  return requiredItems(root).includes(right) ? found(right, false, root) : undefined;
}

function found(unnest: Unnest, keepEmpty: boolean, root: From): Found | undefined {
  const { array } = unnest;
  if (array.kind !== 'record' || !array.repeated) return undefined;
  return { unnest, record: array, keepEmpty, from: replaceItem(root, unnest, undefined) };
}
