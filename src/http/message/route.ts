import type { Logger } from 'pino';
import type { GatewayError } from '../../errors.ts';
import type { Admission } from '../../call/caller.ts';
import type { RequestHead } from './head.ts';
import type { PathToLog } from './paths.ts';
import type { PreparedRequest } from './prepared-request.ts';
import type { Reply } from './reply.ts';

/** Who may use a route: anybody, whatever the URL's length, anybody, or callers with a key. */
export type Access = 'always' | 'public' | 'key';

/** Reads a request's whole body, or throws; called at most once, and only after the caller has been admitted. */
export type ReadBody = () => Promise<Uint8Array>;

/** Answers an admitted request: parse, authorize and bind, get the result, reply. */
export type Answer = (
  head: RequestHead,
  request: PreparedRequest,
  admission: Admission,
  readBody: ReadBody,
) => Reply | Promise<Reply>;

/** How a request is answered. */
export interface Route {
  readonly access: Access;
  readonly answer: Answer;
  readonly replyError: (error: unknown, log: Logger, head: Pick<RequestHead, 'headers'>) => Reply;
  /**
   * True if a request may get a reply that was kept, because only its method, URL and body, `Accept` and labels decide
   * the answer. Without the function nothing that the route answers is kept.
   *
   * @throws GatewayError as `answer` does, before it reads the body
   */
  readonly isKept?: (head: RequestHead) => boolean;
  /** True if pages of the configured origins may read the responses. */
  readonly allowsCors: boolean;
}

/** A route of a plug-in. GET answers HEAD too, and OPTIONS is answered for it. */
export interface PluginRoute {
  /**
   * The path, as in `/costs`. An ending of `/*` takes one more part of a path, as in `/queries/orders`, and one of
   * `/**` takes everything below.
   */
  readonly path: string;
  /** Default: GET. */
  readonly methods?: readonly ('GET' | 'POST')[];
  /** `key`: callers need one, and their requests count in its rate; `public`: anybody may call it. */
  readonly access: 'key' | 'public';
  /** Called for each admitted request. @throws GatewayError to refuse it */
  readonly answer: Answer;
  /** Only requests of browsers for a page, without a key, are answered; others go on as if the route were not there. */
  readonly browsersOnly?: true;
  /** Only requests that neither the gateway nor another route answers. Default: it precedes the gateway's own. */
  readonly isFallback?: true;
  /** True if pages of the configured origins may read the responses. Default: false. */
  readonly allowsCors?: boolean;
  /** Default: `{"error":{"code","message"}}`. Details that only operators may know are in the log by then. */
  readonly replyError?: (error: GatewayError) => Reply;
  /**
   * True if a request by GET or POST may get a reply that was kept: one with `madeOf`, to a request with the same
   * method, URL, body, `Accept` and labels of a caller with the same rights, while its results are current. Default: no
   * reply is kept.
   */
  readonly isKept?: Route['isKept'];
  /** The path as the access log shows it; undefined for `unknown`. Default: `path`. */
  readonly loggedPath?: PathToLog;
}

/** The same with the name of its plug-in. */
export interface NamedRoute {
  readonly plugin: string;
  readonly route: PluginRoute;
}
