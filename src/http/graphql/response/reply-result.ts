import { createHash } from 'node:crypto';
import type { ExecutionResult, GraphQLError } from 'graphql';
import { keyOf, type Owner } from '../../../concurrency/fair-share.ts';
import type { LoopTurns } from '../../../concurrency/loop-turns.ts';
import { PerOwnerQueue } from '../../../concurrency/per-owner-queue.ts';
import { statusOf } from '../../../errors.ts';
import { encode } from '../../../results/encodings.ts';
import type { CachedResult, ObtainedResult } from '../../../results/get-result.ts';
import { BodyMemory } from '../../message/body/body-memory.ts';
import type { ByteBudget } from '../../message/byte-budget.ts';
import { cacheHeaders, variesBy, variesByFormat } from '../../message/cache-headers.ts';
import { codedBody, codingFor } from '../../message/content-coding.ts';
import { isRead, type RequestHead } from '../../message/head.ts';
import { httpLimits } from '../../message/http-limits.ts';
import type { MadeOf, Reply } from '../../message/reply.ts';
import { withoutHttp } from '../errors.ts';
import { chooseMediaType } from '../media-type.ts';
import { copyMargin } from '../execution/written.ts';
import { ResultPieces } from './result-pieces.ts';

interface ReplyOptions {
  readonly budget: ByteBudget;
  readonly turns: LoopTurns;
}

interface Answered {
  readonly head: RequestHead;
  readonly owner: Owner;
  /** The results of saved queries that it is made of. */
  readonly obtained: readonly ObtainedResult[];
  /** True if it says how they were obtained. */
  readonly readsObtaining: boolean;
  readonly textOfRequest: () => string;
}

/** Writes a result as a response. @throws GatewayError OVERLOADED */
export type ReplyResult = (result: ExecutionResult, answered: Answered) => Promise<Reply>;

interface Body {
  readonly bytes: Buffer;
  /** True if another response has it too: then its memory is not used for another body. */
  isShared: boolean;
}

/**
 * @param allocate gives the memory of a body, with any content
 * @param textOfRequest equal for requests of a key that have the same body; left out if it may not be shared
 */
export type WriteBody = (
  result: ExecutionResult,
  owner: Owner,
  allocate: (byteLength: number) => Buffer,
  textOfRequest?: () => string,
) => Promise<Body>;

export function buildReplyResult(options: ReplyOptions): ReplyResult {
  const { turns } = options;
  const writeBody = buildWriteBody(options);
  const bodyMemory = new BodyMemory();
  return async (result, { head, owner, obtained, readsObtaining, textOfRequest }) => {
    const { headers } = head;
    const { data, errors = [] } = result;
    const results = obtained.map((one) => one.result);
    // A schema is long, and each client requests it once: it is compressed at once, and kept.
    const isOfCatalog = results.length === 0;
    const taken: Buffer[] = [];
    const isComplete = data != null && errors.length === 0;
    const mayShare = isComplete && !readsObtaining && !isOfCatalog;
    const textOfBody = () => `${results.map(({ document }) => document.id).join(' ')} ${textOfRequest()}`;
    const allocate = (byteLength: number) => {
      if (isOfCatalog) return Buffer.allocUnsafeSlow(byteLength);
      const memory = bodyMemory.take(byteLength);
      taken.push(memory);
      return memory;
    };
    const written = await writeBody(result, owner, allocate, mayShare ? textOfBody : undefined);
    const body = written.bytes;
    const reads = isRead(head);
    const isDated = reads && isComplete && results.length > 0;
    const digest = isDated ? await digestOf(body, turns, owner) : undefined;
    const mediaType = chooseMediaType(headers.accept);
    const own = {
      'content-type': `${mediaType}; charset=utf-8`,
      ...headersOf(errors),
      ...cachingOf(reads, results, digest),
    };
    const accepted = headers['accept-encoding'];
    const encodings =
      isOfCatalog && isComplete && accepted !== undefined ? await encode(body) : { identity: body };
    const coded = codedBody(encodings, codingFor(encodings, accepted));
    // As in REST: each selection of a large result would take the place of that, and of others.
    const isKept = isOfCatalog || body.byteLength <= httpLimits.maxConvertedBytes;
    const headersAt: MadeOf['headersAt'] =
      digest === undefined ? undefined : (later) => cachingOf(reads, later, digest);
    return {
      status: statusOfResult(result, mediaType),
      headers: { ...own, ...coded.headers },
      body: coded.body,
      recycle: () => {
        if (!written.isShared) for (const memory of taken) bodyMemory.giveBack(memory);
      },
      madeOf:
        isComplete && !readsObtaining && isKept
          ? { encodings, headersAt, isCostly: isOfCatalog || undefined }
          : undefined,
    };
  };
}

/** Large bodies of a key are written one after another, and charged until they are sent. Equal ones that wait are one. */
export function buildWriteBody({ budget, turns }: Pick<ReplyOptions, 'budget' | 'turns'>): WriteBody {
  const largeOnes = new PerOwnerQueue();
  const waiting = new Map<string, Promise<Body>>();
  const writeLarge = (pieces: ResultPieces, owner: Owner, allocate: (byteLength: number) => Buffer) =>
    largeOnes.run(owner, async (): Promise<Body> => {
      const charge = budget.reserve(owner, pieces.byteLength);
      try {
        const bytes = await turns.run(owner, pieces.write(allocate(pieces.byteLength + copyMargin)));
        budget.settle(charge, bytes);
        return { bytes, isShared: false };
      } finally {
        // By then the body is being sent, which holds it.
        setImmediate(() => charge.release());
      }
    });
  return async (result, owner, allocate, textOfRequest) => {
    const shown =
      result.errors === undefined ? result : { ...result, errors: result.errors.map(withoutHttp) };
    /** A small body is written at once: few steps are taken in several turns of the event loop. */
    function* write(): Generator<void, Buffer | ResultPieces> {
      const pieces = yield* ResultPieces.of(shown);
      if (pieces.byteLength > budget.largeBytes) return pieces;
      return yield* pieces.write(allocate(pieces.byteLength + copyMargin));
    }
    const written = await turns.run(owner, write());
    if (!(written instanceof ResultPieces)) return { bytes: written, isShared: false };
    if (textOfRequest === undefined) return writeLarge(written, owner, allocate);
    const key = `${keyOf(owner)} ${textOfRequest()}`;
    const known = waiting.get(key);
    if (known !== undefined) {
      const body = await known;
      body.isShared = true;
      // All who waited for it go on, each in a turn of the event loop.
      await turns.wait(owner);
      return body;
    }
    const writing = writeLarge(written, owner, allocate);
    waiting.set(key, writing);
    return writing.finally(() => waiting.delete(key));
  };
}

/** Hashed at once: some milliseconds, on processors without instructions for it. */
const hashedBytes = 1_000_000;

async function digestOf(body: Buffer, turns: LoopTurns, owner: Owner): Promise<string> {
  const hash = createHash('sha256');
  function* steps(): Generator<void> {
    for (let at = 0; at < body.byteLength; at += hashedBytes) {
      hash.update(body.subarray(at, at + hashedBytes));
      yield;
    }
  }
  await turns.run(owner, steps());
  return hash.digest('base64url');
}

interface HttpExtension {
  readonly status?: number;
  readonly headers?: Reply['headers'];
  /** True if clients that accept `application/json` get 200. */
  readonly spec?: boolean;
}

const httpOf = ({ extensions }: GraphQLError): HttpExtension => extensions.http ?? {};

const headersOf = (errors: readonly GraphQLError[]): Reply['headers'] =>
  Object.assign({}, ...errors.map((error) => httpOf(error).headers));

/** Clients decide by the status whether to try again: 200 would mean that there is data. */
function statusOfResult({ data, errors = [] }: ExecutionResult, mediaType: string): number {
  if (isRateLimited(Object.keys(data ?? {}), errors)) return statusOf.RATE_LIMITED;
  const statuses = errors.map(httpOf).flatMap(({ status, spec }) => {
    if (status === undefined || (mediaType === 'application/json' && spec === true)) return [];
    return [status];
  });
  return Math.max(200, ...statuses);
}

const limitCodes: ReadonlySet<unknown> = new Set(['RATE_LIMITED', 'BUDGET_EXCEEDED']);

/** True if every root field is null, and each because of a rate or a budget. */
function isRateLimited(fields: readonly string[], errors: readonly GraphQLError[]): boolean {
  const limited = new Set(
    errors.flatMap(({ extensions, path = [] }) => (limitCodes.has(extensions.code) ? path.slice(0, 1) : [])),
  );
  return limited.size > 0 && fields.every((field) => limited.has(field));
}

const ofPost = { 'cache-control': 'private, no-store', vary: variesBy } as const;
const notStored = { 'cache-control': 'no-store' } as const;

/** How a response may be cached: by GET as in REST, over all results. @param digest of the body; undefined if it may not be */
function cachingOf(
  reads: boolean,
  results: readonly CachedResult[],
  digest: string | undefined,
): Reply['headers'] {
  if (!reads) return ofPost;
  return digest === undefined ? notStored : { ...cacheHeaders(results, digest), vary: variesByFormat };
}
