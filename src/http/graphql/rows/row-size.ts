import { getNamedType, type GraphQLObjectType, isObjectType } from 'graphql';
import type { ResultDocument } from '../../../results/result-document.ts';
import { bytesOfRows } from '../../../row-arguments/gather-rows.ts';
import type { RowOutcome } from '../../../row-arguments/row-task.ts';
import { getOrAdd } from '../../../get-or-add.ts';
import { httpLimits } from '../../message/http-limits.ts';
import {
  type CollectedField,
  collectFields,
  type SelectionScope,
  selectionsBelow,
} from '../document/collect-fields.ts';
import { keyOfObject } from './field-extensions.ts';

/** The selected fields of each object of a list: of each row, or of each record in a column. */
interface SelectedObject {
  readonly fields: readonly CollectedField[];
  readonly scope: SelectionScope;
  readonly type: GraphQLObjectType;
}

/** The text that a selection adds to an object of a document. */
interface Added {
  /** How often it has the same field, at most. */
  readonly copies: number;
  /** Bytes of aliases and names of types. */
  readonly ownBytes: number;
  /** The same in one of its records, at most. */
  readonly recordBytes: number;
}

/** About the bytes of one list of rows in a response. @param spans where the rows are in the document, if not all are */
export function rowListBytes(
  row: SelectedObject,
  { encodings: { identity }, metadata }: ResultDocument,
  spans?: RowOutcome['spans'],
): number {
  const { copies, ownBytes, recordBytes } = addedTo(row);
  const rowCount = spans === undefined ? metadata.rowCount : spans.length / 2;
  const all = spans ?? Uint32Array.of(0, identity.byteLength);
  const leastBytes = row.fields.reduce(
    (sum, { responseKey }) => sum + responseKey.length + leastFieldBytes,
    0,
  );
  const written = copies * bytesOfRows({ spans: all }) + rowCount * ownBytes;
  // A document does not have the columns of a row that are NULL.
  const bytes = Math.max(written, rowCount * leastBytes);
  // Beyond the limit the rest is not needed, and a document may be long.
  if (recordBytes === 0 || bytes > httpLimits.maxExecutorBytes) return bytes;
  return bytes + recordBytes * (countObjects(identity, all) - rowCount);
}

function addedTo({ fields, scope, type }: SelectedObject): Added {
  const byName = new Map<string, { copies: number; bytes: number }>();
  let ownBytes = 0;
  for (const field of fields) {
    const { name, responseKey } = field;
    ownBytes += Math.max(0, responseKey.length - name.length);
    if (name === '__typename') ownBytes += name.length + type.name.length + punctuationBytes;
    const definition = type.getFields()[name];
    if (definition === undefined) continue;
    const below = getNamedType(definition.type);
    const sum = getOrAdd(byName, name, () => ({ copies: 0, bytes: 0 }));
    if (!isObjectType(below)) {
      sum.copies += 1;
      continue;
    }
    const added = addedTo({ fields: collectFields(selectionsBelow(field), scope), scope, type: below });
    if (keyOfObject(definition.extensions) === undefined) {
      sum.copies += added.copies;
      sum.bytes += Math.max(added.ownBytes, added.recordBytes);
    } else {
      // Not a record: a row has one, and rows of its results are counted where they are read.
      ownBytes += added.ownBytes;
    }
  }
  const sums = [...byName.values()];
  return {
    copies: Math.max(1, ...sums.map(({ copies }) => copies)),
    ownBytes,
    recordBytes: Math.max(0, ...sums.map(({ bytes }) => bytes)),
  };
}

/** Of `"":0,` around the name of a field. */
const leastFieldBytes = 5;

/** Of `"":"",`. */
const punctuationBytes = 6;

/** The rows and records there, and braces in strings. */
function countObjects(text: Buffer, spans: RowOutcome['spans']): number {
  let count = 0;
  for (let at = 0; at < spans.length; at += 2) {
    const end = spans[at + 1] as number;
    for (let byte = spans[at] as number; byte < end; byte += 1) if (text[byte] === brace) count += 1;
  }
  return count;
}

const brace = 0x7b;
