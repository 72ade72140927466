import { createHash } from 'node:crypto';
import type { ResultColumn } from '../catalog/model/header-types.ts';
import type { Row } from '../results/row-parts.ts';
import { nextDocumentId, type ResultDocument } from '../results/result-document.ts';
import { parseRowJson } from '../engine-contract/row-json.ts';
import type { RowOutcome } from './row-task.ts';

/** Where rows are in a document. */
type Spans = Pick<RowOutcome, 'spans'>;

const [start, end] = [Buffer.from('{"result":['), Buffer.from(']}')];
const comma = 0x2c;

/** Bytes that are copied and hashed in one step: some milliseconds on processors without instructions for hashes. */
const stepBytes = 1_000_000;

/** Of the rows without what is between them. */
export function bytesOfRows({ spans }: Spans): number {
  let bytes = 0;
  for (let at = 0; at < spans.length; at += 2) bytes += (spans[at + 1] as number) - (spans[at] as number);
  return bytes;
}

/** Some rows of a document, parsed at once. */
export function parseSelectedRows(
  { encodings: { identity } }: ResultDocument,
  { spans }: Spans,
): readonly Row[] {
  const texts: string[] = [];
  for (let at = 0; at < spans.length; at += 2)
    texts.push(identity.toString('utf8', spans[at], spans[at + 1]));
  return parseRowJson(`[${texts.join(',')}]`) as readonly Row[];
}

/** A document of some rows of another one, in steps. It is not compressed. */
export function* gatherRows(document: ResultDocument, { spans }: Spans): Generator<void, ResultDocument> {
  const from = document.encodings.identity;
  const count = spans.length / 2;
  const byteLength = start.byteLength + bytesOfRows({ spans }) + Math.max(0, count - 1) + end.byteLength;
  // Not from Node's pool: a small buffer from there would keep its whole slab in memory.
  const identity = Buffer.allocUnsafeSlow(byteLength);
  const hash = createHash('sha256');
  let written = start.copy(identity);
  let hashed = 0;
  for (let at = 0; at < spans.length; at += 2) {
    if (at > 0) {
      identity[written] = comma;
      written += 1;
    }
    written += from.copy(identity, written, spans[at], spans[at + 1]);
    if (written - hashed < stepBytes) continue;
    hash.update(identity.subarray(hashed, written));
    hashed = written;
    yield;
  }
  end.copy(identity, written);
  hash.update(identity.subarray(hashed));
  return {
    id: nextDocumentId(),
    computedAt: document.computedAt,
    begunAt: document.begunAt,
    metadata: { ...document.metadata, rowCount: count, ofRows: document.metadata.rowCount },
    encodings: { identity },
    digest: hash.digest('base64url'),
  };
}

/** A document of one row, the values of aggregates over some rows of another one. */
export function documentOfAggregates(
  document: ResultDocument,
  columns: readonly ResultColumn[],
  values: readonly (string | undefined)[],
): ResultDocument {
  const cells = columns.flatMap(({ name }, at) => {
    const value = values[at];
    return value === undefined ? [] : [`${JSON.stringify(name)}:${value}`];
  });
  const identity = Buffer.from(`${start}{${cells.join(',')}}${end}`);
  return {
    id: nextDocumentId(),
    computedAt: document.computedAt,
    begunAt: document.begunAt,
    metadata: { ...document.metadata, rowCount: 1, ofRows: document.metadata.rowCount, columns },
    encodings: { identity },
    digest: createHash('sha256').update(identity).digest('base64url'),
  };
}
