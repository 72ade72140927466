import type { Owner } from '../../../concurrency/fair-share.ts';
import type { LoopTurns } from '../../../concurrency/loop-turns.ts';
import { OnePerOwner } from '../../../concurrency/one-per-owner.ts';
import type { CachedResult } from '../../../results/get-result.ts';
import type { ByteBudget } from '../../byte-budget.ts';
import { UnexpectedCell } from './column-texts.ts';
import type { DerivedCache } from './derived-cache.ts';
import type { OperationRequest } from './operation-request.ts';

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
  readonly errors: string | undefined;
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
  const renderPieces = async (rendering: Rendering, bytes: number): Promise<Buffer> => {
    const body = new GrowingBuffer(bytes);
    for (const text of textsOf(rendering, derived)) {
      body.append(text);
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
      const body = await renderPieces(rendering, bytes);
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
      return Buffer.from([...textsOf(rendering, derived)].join(''));
    } catch (error) {
      if (error instanceof UnexpectedCell) return undefined;
      throw error;
    }
  };
}

/** The text of a response in pieces, one for each root field. */
function* textsOf({ request, results, errors }: Rendering, derived: DerivedCache): Generator<string> {
  yield errors === undefined ? '{"data":{' : `{"errors":${errors},"data":{`;
  let field = 0;
  for (const [at, member] of request.members.entries()) {
    const start = `${at > 0 ? ',' : ''}${JSON.stringify(member.responseKey)}:`;
    if ('text' in member) {
      yield start + member.text;
      continue;
    }
    const result = results[field];
    field += 1;
    const text =
      result === undefined
        ? 'null'
        : derived.withColumns(result.document, (columns) => member.writer.write(result, columns));
    yield start + text;
  }
  yield '}}';
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

/** Text as UTF-8 in one buffer: a list of buffers to be joined would be in memory twice. */
class GrowingBuffer {
  #buffer: Buffer;
  #length = 0;

  constructor(estimatedBytes: number) {
    // Not from Node's pool. Pages that are never written take no memory.
    this.#buffer = Buffer.allocUnsafeSlow(estimatedBytes);
  }

  append(text: string): void {
    const needed = this.#length + Buffer.byteLength(text);
    if (needed > this.#buffer.byteLength) {
      const larger = Buffer.allocUnsafeSlow(Math.ceil(needed * 1.25));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    this.#length += this.#buffer.write(text, this.#length);
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }
}
