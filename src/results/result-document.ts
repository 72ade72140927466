import { createHash } from 'node:crypto';
import type { ResultColumn } from '../catalog/model/header-types.ts';
import type { Owner } from '../concurrency/fair-share.ts';
import { LoopTurns } from '../concurrency/loop-turns.ts';
import type { Cost, Rows } from '../engine-contract/engine.ts';
import { documentTexts, rowCountOf } from '../engine-contract/rows-document.ts';
import { bytesOf, type Encodings, encode } from './encodings.ts';
import { parseRowJson } from '../engine-contract/row-json.ts';

/** The facts about a result that responses and logs give besides its rows. Stored with it, as JSON. */
interface ResultMetadata {
  readonly rowCount: number;
  /** True when max rows has cut the result. */
  readonly truncated: boolean;
  /** If these are rows that the row arguments of a caller select: how many the whole result has. */
  readonly ofRows?: number | undefined;
  /** The cost of computing the rows; only from engines that charge for it. */
  readonly cost?: Cost | undefined;
  /** The version of the data that the rows are of; only from engines whose data has versions. */
  readonly dataVersion?: string | undefined;
  /** As `Rows` have it, for the run that replaces the result. */
  readonly state?: string | undefined;
  /** Of a caller's SQL. */
  readonly columns?: readonly ResultColumn[] | undefined;
}

/** When a run began. */
export interface RunTime {
  /** As people and other gateways read it, in milliseconds since the epoch. */
  readonly computedAt: number;
  /** By `elapsedMs` of this process: its age is judged by it, and which result is newer. */
  readonly begunAt: number;
}

/**
 * The rows of one run, serialized and compressed once for all callers. The document is `{"result":[…]}` in UTF-8, as REST
 * sends it; GraphQL reads its rows from it.
 */
export interface ResultDocument extends RunTime {
  /** Unique in this process: what was made of a document is found by it. */
  readonly id: number;
  readonly metadata: ResultMetadata;
  readonly encodings: Encodings;
  /** SHA-256 of the document, other if the result was cut: equal for equal rows, whenever they were computed. */
  readonly digest: string;
}

/**
 * @param turns a large document is put together in turns
 * @param before an earlier result of the query: equal bytes are not compressed again, and are in memory once
 */
export function buildDocument(
  rows: Rows,
  { computedAt, begunAt }: RunTime,
  turns = new LoopTurns(),
  owner?: Owner,
  before?: ResultDocument,
): Promise<ResultDocument> {
  const { truncated, cost, dataVersion, columns, state } = rows;
  const metadata = {
    rowCount: rowCountOf(rows),
    truncated,
    ...(cost && { cost }),
    ...(dataVersion !== undefined && { dataVersion }),
    ...(columns && { columns }),
    ...(state !== undefined && { state }),
  };
  // Not an async function: while it awaits the compression, it would keep the rows in memory.
  return turns.compute(owner, serialize(rows)).then(async ({ identity, digest }) => {
    const encodings = digest === before?.digest ? before.encodings : await encode(identity);
    return { id: nextDocumentId(), computedAt, begunAt, metadata, encodings, digest };
  });
}

let lastId = 0;

export function nextDocumentId(): number {
  lastId += 1;
  return lastId;
}

/** Characters of rows that are joined at once, and bytes that are hashed at once: some milliseconds of work. */
const stepLength = 1_000_000;

function* serialize(result: Rows): Generator<void, Joined> {
  if (result.document !== undefined) return yield* joinParts(result.document.parts, result);
  const texts: string[] = [];
  let byteLength = 0;
  for (const text of documentTexts(result.rows, stepLength)) {
    if (texts.length > 0) yield;
    texts.push(text);
    byteLength += Buffer.byteLength(text);
  }
  return yield* joinParts(texts, result, byteLength);
}

interface Joined {
  readonly identity: Buffer;
  readonly digest: string;
}

/** Puts texts or bytes together in steps, one for each of about a megabyte. */
function* joinParts(
  parts: readonly (string | Uint8Array)[],
  { truncated }: Pick<Rows, 'truncated'>,
  byteLength = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0),
): Generator<void, Joined> {
  // Not from Node's pool: a small buffer from there would keep its whole slab in memory.
  const identity = Buffer.allocUnsafeSlow(byteLength);
  const hash = createHash('sha256');
  let written = 0;
  let hashed = 0;
  for (const part of parts) {
    if (written - hashed >= stepLength) {
      hash.update(identity.subarray(hashed, written));
      hashed = written;
      yield;
    }
    if (typeof part === 'string') written += identity.write(part, written);
    else {
      identity.set(part, written);
      written += part.byteLength;
    }
  }
  hash.update(identity.subarray(hashed));
  // Those who follow a result are sent what has another digest, and GraphQL sends it besides the rows.
  if (truncated) hash.update('truncated');
  return { identity, digest: hash.digest('base64url') };
}

/** The memory that a document takes, in bytes. */
export const sizeOf = ({ encodings }: ResultDocument): number => bytesOf(encodings);

export function parseRows({ encodings }: ResultDocument): readonly Readonly<Record<string, unknown>>[] {
  return (parseRowJson(encodings.identity.toString()) as { result: Record<string, unknown>[] }).result;
}
