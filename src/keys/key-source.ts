import type { Logger } from 'pino';
import type { Catalog } from '../catalog/model/saved-query.ts';
import type { Refusal } from '../errors.ts';
import type { EndpointNames, HideEndpoints, Principal } from './principal.ts';
import type { NewRateLimit } from './rates/rate-limiter.ts';

/** The parts of the gateway that sources of its keys use. */
export interface KeyHost {
  readonly catalog: Catalog;
  readonly hideEndpoints: HideEndpoints;
  readonly newRateLimit: NewRateLimit;
  readonly log: Logger;
  readonly now: () => Date;
}

/**
 * Where the callers of a gateway come from: `keyFile`, `apiKey` or `jwt`.
 *
 * It is opened by the gateway, and closed with it.
 */
export interface KeySource {
  /** True if its callers have no rate, so that gateways have none to share. */
  readonly isUnlimited?: true;
  /** @throws StartError with every problem that must be corrected before a start */
  open(host: KeyHost): OpenKeys | Promise<OpenKeys>;
}

/** Functions that make key sources: given as they are, they would be taken for functions of the request. */
const makers = new WeakMap<object, string>();

/** @param form how it is called */
export const noteSourceMaker = (maker: object, form: string): void => void makers.set(maker, form);

/** How a function that makes key sources is called; undefined for any other value. */
export const formOfMaker = (value: unknown): string | undefined =>
  typeof value === 'function' ? makers.get(value) : undefined;

/** The facts about a request that a key source may use, besides the text of its key. */
export interface KeyRequest {
  /** In upper case, as in `GET`. */
  readonly method: string;
  /** Absolute, as received. */
  readonly url: string;
  /** Names in lower case; a repeated header is one value, joined by commas. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Of the caller; undefined if the server does not say it. */
  readonly address: string | undefined;
}

/** The outcome of verifying a text whose owner is not known before. */
export type Verified =
  | { readonly principal: Principal }
  /** undefined: it is not of this source. */
  | { readonly refusal: Refusal | undefined };

/** A source while the gateway runs. */
export interface OpenKeys {
  /** True if `find` reads more of a request than the text and the address. */
  readonly readsRequest?: true;
  /** Grows when it may know other texts. Later sources are not remembered without it. */
  generation?(): number;
  /**
   * The principal of a request.
   *
   * @param text of the header X-API-KEY, or of the bearer token; undefined without any, and with two different ones
   * @returns undefined if the source does not know it; a promise if it takes time to find out
   */
  find(text: string | undefined, request: FindRequest): Principal | Promise<Verified> | undefined;
  /** Why `find` gave none, for the log; undefined if the text is not of this source. */
  explain?(text: string): Refusal | undefined;
  /**
   * True if a text is a key, or contains one: keys are kept out of URLs and logs. Those that the gateway makes are
   * recognized without it.
   */
  isKeyText?(text: string): boolean;
  /** Starts to follow what the keys are read from. */
  watch?(): void;
  /** Finds the endpoints of keys in another version of the catalog. */
  replaceQueries?(queries: EndpointNames): void;
  close?(): Promise<void>;
}

/** A request whose URL may not be valid; its address is found when it is read. */
export type FindRequest = Omit<KeyRequest, 'url'> & { readonly url: string | undefined };
