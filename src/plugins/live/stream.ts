import type { EndpointRequest } from '../../call/endpoint-request.ts';
import type { BoundQuery } from '../../catalog/binding/bind.ts';
import type { Catalog, SavedQuery } from '../../catalog/model/saved-query.ts';
import type { Holding, Owner } from '../../concurrency/fair-share.ts';
import { GatewayError } from '../../errors.ts';
import type { LaterCaller } from '../../http/access/later-caller.ts';
import type { Principal } from '../../keys/principal.ts';
import type { ResultDocument } from '../../results/result-document.ts';
import type { Frame } from '../../http/message/stream/frame.ts';
import type { Sink, StreamSummary } from '../../http/message/stream/stream-body.ts';
import type { EndCode } from './events/event-frames.ts';
import type { Changes, Variant } from './events/variant.ts';

/**
 * While the key of a subscriber is being verified, nothing is sent to it, unless it is slow. One that has ended has no rights any
 * more, and its streams are being ended.
 */
type SubscriberState = 'valid' | 'verifying' | 'ended';

/** A caller who has opened streams: those of one key share it, unless their requests decide who it is. */
export interface Subscriber {
  readonly caller: LaterCaller;
  readonly streams: Set<Stream>;
  principal: Principal;
  state: SubscriberState;
  /** True if its source takes time for each request, as a function that queries a database does. */
  isSlow: boolean;
  /** The time of the last check, in milliseconds of `performance.now()`. */
  checkedAt: number;
}

/** One query that a client wants to follow. */
export interface FollowRequest {
  /** As the client names it among others. */
  readonly id?: string | undefined;
  readonly endpoint: EndpointRequest;
  /** The query that the same request means in another version of the catalog; undefined if it means no query there. */
  readonly resolve: (catalog: Catalog) => SavedQuery | undefined;
  readonly variant: Variant;
  /** Of the result that the client has already. */
  readonly knownDigest?: string | undefined;
  /** Precedes each event, for this client alone. */
  readonly head?: Frame | undefined;
}

/** How the end of a stream is written. */
export interface StreamKind {
  /** The stream begins with them. */
  readonly firstFrames?: readonly Frame[] | undefined;
  /** @returns undefined if the connection ends without an event */
  endFrame(code: EndCode): Frame | undefined;
  /** The same for one of several queries. */
  endOfOne?(code: EndCode, subscription: Subscription): Frame;
}

/** The reasons for the end of a stream: those of the gateway, and those of the connection. */
export type EndReason = EndCode | 'CLIENT' | 'SLOW_READER';

/** One query of a stream. There may be ten thousand: it has no timer, promise or listener of its own. */
export interface Subscription {
  readonly stream: Stream;
  readonly request: FollowRequest;
  feed: Feed;
  /** It was sent last: the digest of a result, or an error; undefined for nothing. */
  sent: string | GatewayError | undefined;
  /** A newer result that waits until the client has read; undefined if none does. */
  awaits: string | GatewayError | undefined;
}

type StreamOptions = Pick<
  Stream,
  'subscriber' | 'principal' | 'owner' | 'kind' | 'places' | 'sink' | 'onEnd'
>;

/** The first events are sent whether or not the client has read what is before them. */
type StreamState = 'beginning' | 'open' | 'ended';

/** One response with events. */
export class Stream {
  readonly subscriber: Subscriber;
  /** The key whose places it has. */
  readonly owner: Owner;
  readonly kind: StreamKind;
  /** By whose rights its queries are bound; other ones of its subscriber are taken over before the next event. */
  principal: Principal;
  subscriptions: Subscription[] = [];
  #state: StreamState = 'beginning';
  #sink: Sink | undefined;
  readonly onEnd: (summary: StreamSummary) => void;
  /** Since when the client does not read, by `elapsedMs`; undefined if it does. */
  waitingSince: number | undefined;
  /** How many places of the limit it has. */
  readonly places: number;
  /** How often `Delivery.beat` has found that nothing was written. */
  quietBeats = 0;
  events = 0;
  skipped = 0;
  bytes = 0;

  constructor({ subscriber, principal, owner, kind, places, sink, onEnd }: StreamOptions) {
    this.subscriber = subscriber;
    this.principal = principal;
    this.owner = owner;
    this.kind = kind;
    this.places = places;
    this.#sink = sink;
    this.onEnd = onEnd;
  }

  get state(): StreamState {
    return this.#state;
  }

  /** undefined after the end. */
  get sink(): Sink | undefined {
    return this.#sink;
  }

  /** True if nothing more can be written until the client has read. */
  get isBlocked(): boolean {
    return this.#state === 'open' && this.#sink?.isWaiting === true;
  }

  /** To be called when its first events are written. */
  open(): void {
    if (this.#state === 'beginning') this.#state = 'open';
  }

  end(): void {
    this.#state = 'ended';
    this.#sink = undefined;
  }

  write(frame: Frame, head?: Frame): void {
    const sink = this.#sink;
    if (sink === undefined) return;
    this.quietBeats = 0;
    if (head !== undefined) sink.write(head);
    sink.write(frame);
    this.bytes += frame.bytes.byteLength + (head?.bytes.byteLength ?? 0);
  }
}

/** One result that is followed, as its feeds see it. */
export interface Watched {
  readonly key: string;
  readonly bound: BoundQuery;
  /** The result of clients that followed an earlier key of the same request. */
  readonly base: ResultDocument | undefined;
  readonly document: ResultDocument | undefined;
  /** The reason for having no newer result, once the latest one has expired. */
  readonly failure: GatewayError | undefined;
  /** By the ids of their variants. */
  readonly feeds: Map<string, Feed>;
  /** Follows the same key from now on by a binding that is valid for longer, if its own is outdated. */
  renew(bound: BoundQuery): void;
}

/** The frames that a feed sends now. */
interface Current {
  /** The digest of the result, or the error. */
  readonly token: string | GatewayError;
  readonly whole: Frame;
  /** For those who have the result before. */
  readonly patch?: { readonly from: string; readonly frame: Frame } | undefined;
}

interface FeedOptions {
  readonly watch: Watched;
  readonly variant: Variant;
  /** Bytes that its frames take in memory. */
  readonly holding: Holding;
  /** Sends what is new to the subscriptions of a feed. */
  readonly broadcast: (feed: Feed) => void;
  readonly onBug: (error: unknown) => void;
}

/** Frames that could not be made for the newest result are made again with the next one, or with the same one. */
type FeedState = 'current' | 'making' | 'behind';

/** About the bytes that the frames of a result take, before they are made. */
export const frameBytes = ({ encodings }: ResultDocument): number => encodings.identity.byteLength;

/** The clients that get the same bytes: those of one result in one variant. */
export class Feed {
  readonly watch: Watched;
  readonly variant: Variant;
  readonly subscriptions = new Set<Subscription>();
  /** Streams that are about to begin. */
  beginning = 0;
  #current: Current | undefined;
  /** The result that the latest frames were made of. */
  #document: ResultDocument | undefined;
  readonly #changes: Changes | undefined;
  #state: FeedState = 'current';
  readonly #holding: Holding;
  readonly #broadcast: FeedOptions['broadcast'];
  readonly #onBug: (error: unknown) => void;

  constructor({ watch, variant, holding, broadcast, onBug }: FeedOptions) {
    this.watch = watch;
    this.variant = variant;
    this.#holding = holding;
    this.#broadcast = broadcast;
    this.#onBug = onBug;
    this.#changes = variant.newChanges?.();
    this.#document = watch.base;
    if (watch.document !== undefined) holding.set(frameBytes(watch.document));
  }

  get current(): Current | undefined {
    return this.#current;
  }

  get state(): FeedState {
    return this.#state;
  }

  get isUnused(): boolean {
    return this.subscriptions.size === 0 && this.beginning === 0;
  }

  /** To be called when no client follows it any more. */
  close(): void {
    this.#holding.close();
  }

  /** Makes the frames of what is new, once for all, and sends them. */
  update(): void {
    if (this.#state === 'making') return;
    const failure = this.watch.failure;
    if (failure !== undefined) {
      this.#send({ token: failure, whole: this.variant.error(failure) });
      return;
    }
    const { document } = this.watch;
    if (document === undefined) return;
    if (this.#current?.token === document.digest) {
      this.#broadcast(this);
      return;
    }
    const whole = this.variant.whole(document);
    const before = this.#document;
    this.#document = document;
    if (!(whole instanceof Promise) && (this.#changes === undefined || before === undefined)) {
      this.#send({ token: document.digest, whole });
      return;
    }
    this.#state = 'making';
    this.#make(document, before, whole)
      .then(
        () => {
          this.#state = 'current';
        },
        (error: unknown) => this.#fail(error),
      )
      .then(() => {
        const { watch } = this;
        const isNew = watch.failure !== undefined || watch.document?.digest !== document.digest;
        if (isNew) this.update();
      })
      .catch((error: unknown) => this.#fail(error));
  }

  #fail(error: unknown): void {
    this.#state = 'behind';
    if (!(error instanceof GatewayError)) this.#onBug(error);
  }

  async #make(
    document: ResultDocument,
    before: ResultDocument | undefined,
    making: Frame | Promise<Frame>,
  ): Promise<void> {
    const whole = await making;
    const frame =
      before === undefined || before.digest === document.digest
        ? undefined
        : await this.#changes?.between(before, document);
    const patch = frame && before && { from: before.digest, frame };
    this.#send({ token: document.digest, whole, patch });
  }

  #send(current: Current): void {
    this.#current = current;
    if (this.#state === 'behind') this.#state = 'current';
    const { whole, patch } = current;
    const { keptBytes = 0 } = this.#changes ?? {};
    this.#holding.set(whole.chunk.byteLength + (patch?.frame.chunk.byteLength ?? 0) + keptBytes);
    this.#broadcast(this);
  }
}
