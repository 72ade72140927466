import type { Owner } from '../../../concurrency/fair-share.ts';
import type { LoopTurns } from '../../../concurrency/loop-turns.ts';
import { OnePerOwner } from '../../../concurrency/one-per-owner.ts';
import type { CachedResult } from '../../../results/get-result.ts';
import type { ByteBudget } from '../../byte-budget.ts';
import { type BinaryText, joinBinary, toBinaryText } from './binary-text.ts';
import { UnexpectedCell } from './column-texts.ts';
import type { DerivedCache } from './derived-cache.ts';
import type { OperationRequest, QueryField } from './operation-request.ts';

export interface RenderOptions {
  readonly derived: DerivedCache;
  readonly budget: ByteBudget;
  /** Renders a large response in pieces, with turns of the event loop in between. */
  readonly turns: LoopTurns;
}

/** What one response is made of. */
interface Rendering {
  readonly request: OperationRequest;
  /** One for each root field; undefined for those that are null. */
  readonly results: readonly (CachedResult | undefined)[];
  /** The JSON text of the errors. */
  readonly errors: BinaryText | undefined;
  readonly owner: Owner;
}

/**
 * Renders the body of a response.
 *
 * @returns undefined if a cell does not fit its type
 * @throws GatewayError OVERLOADED
 */
export type RenderBody = (rendering: Rendering) => Promise<Buffer | undefined>;

export function buildRenderBody({ derived, budget, turns }: RenderOptions): RenderBody {
  const largeOnes = new OnePerOwner();
  const renderParts = async (rendering: Rendering, bytes: number): Promise<Buffer> => {
    const body = new GrowingBuffer(bytes);
    for (const part of partsOf(rendering, derived)) {
      for (const piece of part) body.append(piece);
      const turn = turns.next(rendering.owner);
      if (turn !== undefined) await turn;
    }
    return body.bytes();
  };
  const renderLarge = async (rendering: Rendering, bytes: number): Promise<Buffer> => {
    const charge = budget.reserve(rendering.owner, bytes);
    try {
      const turn = turns.next(rendering.owner);
      if (turn !== undefined) await turn;
      const body = await renderParts(rendering, bytes);
      budget.settle(charge, body);
      return body;
    } finally {
      // By then all requests that await the body have begun to send it, and hold it.
      setImmediate(() => charge.release());
    }
  };
  return async (rendering) => {
    const { owner } = rendering;
    const bytes = estimateBytes(rendering);
    try {
      if (budget.isLarge(bytes)) return await largeOnes.run(owner, () => renderLarge(rendering, bytes));
      const turn = turns.next(owner);
      if (turn !== undefined) await turn;
      return joinBinary([...partsOf(rendering, derived)].flat());
    } catch (error) {
      if (error instanceof UnexpectedCell) return undefined;
      throw error;
    }
  };
}

/** The pieces of a response, a part for each root field. */
function* partsOf(
  { request, results, errors }: Rendering,
  derived: DerivedCache,
): Generator<readonly BinaryText[]> {
  yield [errors === undefined ? '{"data":{' : `{"errors":${errors},"data":{`];
  let field = 0;
  for (const [at, member] of request.members.entries()) {
    const pieces: BinaryText[] = [`${at > 0 ? ',' : ''}${JSON.stringify(member.responseKey)}:`];
    if ('endpoint' in member) {
      const result = results[field];
      field += 1;
      if (result === undefined) pieces.push('null');
      else {
        derived.withColumns(result.document, (columns) => member.writer.write(result, columns, pieces));
      }
    } else {
      pieces.push(constantText(member));
    }
    yield pieces;
  }
  yield ['}}'];
}

/** `__typename`, or the schema, which may have text that is not ASCII. */
function constantText(member: Exclude<OperationRequest['members'][number], QueryField>): BinaryText {
  if ('text' in member) return member.text;
  const text = member.introspect();
  if (text === undefined) throw new UnexpectedCell('The schema cannot be queried');
  return toBinaryText(text);
}

/** Cells are about as long as in the document, names may be aliases of any length. */
function estimateBytes({ request, results }: Rendering): number {
  return results.reduce((sum, result, at) => {
    const writer = request.fields[at]?.writer;
    if (result === undefined || writer === undefined) return sum;
    const { encodings, metadata } = result.document;
    const cells = writer.rowLists.length * encodings.identity.byteLength;
    return sum + cells + metadata.rowCount * writer.nameBytesPerRow;
  }, 0);
}

/** Text in one buffer: pieces of a large response that wait to be joined would be in memory twice. */
class GrowingBuffer {
  #buffer: Buffer;
  #length = 0;

  constructor(estimatedBytes: number) {
    // Not from Node's pool. Pages that are never written take no memory.
    this.#buffer = Buffer.allocUnsafeSlow(estimatedBytes);
  }

  append(piece: BinaryText): void {
    const needed = this.#length + piece.length;
    if (needed > this.#buffer.byteLength) {
      const larger = Buffer.allocUnsafeSlow(Math.ceil(needed * 1.25));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    this.#length += this.#buffer.write(piece, this.#length, 'latin1');
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }
}
