import type { DeferredFragment } from '../document/split-operation.ts';
import type { IncrementalFormat } from './incremental-format.ts';

/** JSON in pieces: the bodies of parts are copied only when they are sent. */
export type JsonPieces = readonly (string | Uint8Array)[];

/** The body of a part, which begins with `{` and ends with `}`, or its errors. */
export type PartOutcome = { readonly body: Uint8Array } | { readonly errors: readonly object[] };

/** A part of the answer whose outcome comes later. */
interface LaterPart {
  readonly fragments: readonly OpenFragment[];
  outcome?: PartOutcome;
  isSent: boolean;
}

/** A fragment, which is complete with its last part. */
interface OpenFragment {
  readonly id: string;
  readonly label: string | undefined;
  readonly parts: LaterPart[];
  readonly inner: OpenFragment[];
  state: 'hidden' | 'pending' | 'ended';
}

/**
 * Makes the payloads of an answer of which fragments come later. A fragment in another one is named when that is complete.
 *
 * @see GraphQL specification, "Incremental delivery"; all fragments are of the root, and so all paths are empty
 */
export class IncrementalPayloads {
  readonly #format: IncrementalFormat;
  readonly #parts: readonly LaterPart[];
  readonly #fragments: readonly OpenFragment[];

  /** @param fragmentsOf the fragments of each part that comes later */
  constructor(fragmentsOf: readonly (readonly DeferredFragment[])[], format: IncrementalFormat) {
    this.#format = format;
    // Those without a field of their own are not named.
    const named = new Map<DeferredFragment, OpenFragment>();
    for (const fragment of new Set(fragmentsOf.flat())) {
      const id = String(named.size);
      named.set(fragment, { id, label: fragment.label, parts: [], inner: [], state: 'hidden' });
    }
    for (const [fragment, open] of named) {
      let outer = fragment.parent;
      while (outer !== undefined && !named.has(outer)) outer = outer.parent;
      const enclosing = outer && named.get(outer);
      if (enclosing === undefined) open.state = 'pending';
      else enclosing.inner.push(open);
    }
    this.#fragments = [...named.values()];
    this.#parts = fragmentsOf.map((fragments) => {
      const part: LaterPart = { fragments: fragments.flatMap((one) => named.get(one) ?? []), isSent: false };
      for (const open of part.fragments) open.parts.push(part);
      return part;
    });
  }

  /** @param body of the answer to what is not deferred */
  first(body: Uint8Array): JsonPieces {
    const pending = this.#fragments.filter(({ state }) => state === 'pending');
    const named = this.#isOld ? '' : `,"pending":[${pending.map(pendingText).join()}]`;
    return [body.subarray(0, -1), `${named},"hasNext":true}`];
  }

  /** @returns undefined as long as nothing can be sent for it: fragments wait for others */
  next(at: number, outcome: PartOutcome): JsonPieces | undefined {
    const part = this.#parts[at];
    if (part === undefined) throw new RangeError('no such part');
    part.outcome = outcome;
    const payload: Payload = { pending: [], incremental: [], completed: [] };
    for (const open of part.fragments) this.#end(open, payload);
    if (payload.completed.length === 0) return undefined;
    return this.#write(payload);
  }

  /** Whether the body of a part waits for others. */
  get isHolding(): boolean {
    return this.#parts.some(({ outcome, isSent }) => outcome !== undefined && 'body' in outcome && !isSent);
  }

  get #isOld(): boolean {
    return this.#format === 'deferspec=20220824';
  }

  #end(open: OpenFragment, payload: Payload): void {
    const { id, parts, inner, label } = open;
    if (open.state !== 'pending') return;
    const failed = parts.map(({ outcome }) => outcome).find((outcome) => outcome && 'errors' in outcome);
    if (failed !== undefined && 'errors' in failed) {
      endAll(open);
      const errors = JSON.stringify(failed.errors);
      payload.completed.push(`{"id":"${id}","errors":${errors}}`);
      if (this.#isOld) payload.incremental.push([`{${place(label)},"data":null,"errors":${errors}}`]);
      return;
    }
    const bodies: [LaterPart, Uint8Array][] = [];
    for (const part of parts) {
      const { outcome } = part;
      if (outcome === undefined || !('body' in outcome)) return;
      if (!part.isSent) bodies.push([part, outcome.body]);
    }
    open.state = 'ended';
    for (const [part, body] of bodies) {
      part.isSent = true;
      // Its members follow those of the body.
      const members = this.#isOld ? place(label) : `"id":"${id}"`;
      payload.incremental.push([`{${members},`, body.subarray(1)]);
    }
    payload.completed.push(`{"id":"${id}"}`);
    for (const one of inner) one.state = 'pending';
    payload.pending.push(...inner);
    for (const one of inner) this.#end(one, payload);
  }

  #write({ pending, incremental, completed }: Payload): JsonPieces {
    const hasNext = this.#fragments.some(({ state }) => state !== 'ended');
    const pieces: (string | Uint8Array)[] = [`{"hasNext":${hasNext}`];
    if (pending.length > 0 && !this.#isOld) pieces.push(`,"pending":[${pending.map(pendingText).join()}]`);
    for (const [index, entry] of incremental.entries())
      pieces.push(index === 0 ? ',"incremental":[' : ',', ...entry);
    if (incremental.length > 0) pieces.push(']');
    if (!this.#isOld) pieces.push(`,"completed":[${completed.join()}]`);
    pieces.push('}');
    return pieces;
  }
}

interface Payload {
  readonly pending: OpenFragment[];
  readonly incremental: JsonPieces[];
  readonly completed: string[];
}

/** What is in a fragment that has failed is not sent. */
function endAll(open: OpenFragment): void {
  open.state = 'ended';
  for (const one of open.inner) endAll(one);
}

const place = (label: string | undefined): string =>
  `"path":[]${label === undefined ? '' : `,"label":${JSON.stringify(label)}`}`;

const pendingText = ({ id, label }: OpenFragment): string => `{"id":"${id}",${place(label)}}`;
