import type { GraphQLSchema } from 'graphql';
import { type Admission, type Caller, followerOf } from '../../call/caller.ts';
import { EndpointRequest } from '../../call/endpoint-request.ts';
import { type LoadOptions, ResultLoader } from '../../call/load-results.ts';
import type { BoundQuery, RawParameters } from '../../catalog/binding/bind.ts';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import type { Owner } from '../../concurrency/fair-share.ts';
import { GatewayError } from '../../errors.ts';
import { ownerOf } from '../../keys/principal.ts';
import type { CachedResult } from '../../results/get-result.ts';
import { isPushed } from '../../row-arguments/pushed/pushed-query.ts';
import { callerOf, type RowOutcome, type RowTask } from '../../row-arguments/row-task.ts';
import type { Page, PageOfResult } from '../../row-pages/page-of-result.ts';
import { type BoundPage, bindPage, type PageRequest } from '../../row-pages/page-request.ts';
import type { Audit } from '../access/audit.ts';
import { ByteBudget, type ByteCharge } from '../message/byte-budget.ts';
import type { RequestHead } from '../message/head.ts';
import { httpLimits } from '../message/http-limits.ts';
import type { Reply } from '../message/reply.ts';
import { responseTooLarge, tooLargeForObjects } from './errors.ts';
import type { CheckedDocument } from './check-document.ts';
import type { Cells } from './rows/cell-blocks.ts';
import { CompiledSelections } from './rows/compiled-selections.ts';
import type { MakeCells } from './rows/kept-cells.ts';
import type { ResolverContext } from './schema-extension.ts';
import { UnexpectedCell } from './execution/needs-objects.ts';
import type { FieldRows, RowSelection } from './rows/row-selection.ts';
import type { Written } from './execution/written.ts';

/** A request whose headers were checked and whose body was read. */
export interface ReceivedOperation {
  readonly head: RequestHead;
  readonly url: URL;
  /** undefined for GET and HEAD. */
  readonly body: Uint8Array | undefined;
  readonly admission: Admission;
  /** `Accept` as the caller sent it. The head of a request for events has the media type of an event's body instead. */
  readonly accept: string | undefined;
  /** The schema that introspection shows the caller; undefined if introspection is off. */
  readonly shownSchema: (() => Promise<GraphQLSchema>) | undefined;
  /** Answers by that schema; undefined if the request is answered by it at once. */
  readonly answerShown: ((received: ReceivedOperation) => Promise<Reply>) | undefined;
}

/** A request, and what becomes of it. */
export interface Operation extends ReceivedOperation {
  readonly loader: ResultLoader;
  /** The request's document; undefined until it is parsed. */
  checked: CheckedDocument | undefined;
  /** Of rows as objects. */
  readonly charge: ByteCharge;
  /** Why the request is refused as a whole, if it is. */
  refusal: unknown;
  /** The answer to a subscription. */
  reply: Reply | undefined;
  /** True if the response says how results were obtained, which differs from request to request. */
  readsObtaining: boolean;
}

/** Yoga's server context: of the request itself Yoga sees only the method. */
export interface ServerContext {
  readonly operation: Operation;
}

/** A page of a result, with what is known of the result. */
export type ResultPage = Page & CachedResult;

/** The parts of the gateway that resolvers use during one request. */
export interface Context extends ResolverContext {
  /** A page of a query that has pages. @throws GatewayError as `bindPage` does, and as above */
  getPage(query: SavedQuery, parameters: RawParameters, request: PageRequest): Promise<ResultPage>;
  /**
   * The result of arguments over all rows of a query, if the one that `getResult` gave has only the first, and the query is
   * pushed; undefined otherwise. @throws GatewayError as `getResult` does
   */
  getPushed(result: CachedResult, push: (whole: BoundQuery) => BoundQuery): Promise<CachedResult> | undefined;
  /** Finds rows of a result. @throws GatewayError as `ReadRows` does */
  readRows(result: CachedResult, task: RowTask): Promise<RowOutcome>;
  /** The selection that a leaf writes of each row, compiled once for a document. @throws NeedsObjects */
  readonly selectionOf: CompiledSelections['get'];
  /** A list of rows as a leaf. @throws UnexpectedCell; GatewayError QUERY_TOO_EXPENSIVE */
  writeRows(selection: RowSelection, rows: FieldRows): Written | Promise<Written>;
  /** Counts the bytes of a leaf. @throws GatewayError QUERY_TOO_EXPENSIVE if the response would be too large */
  chargeLeaf(leaf: Written): Written;
  /** Counts rows that graphql-js writes as objects, and waits for a turn. @throws GatewayError QUERY_TOO_EXPENSIVE | OVERLOADED */
  chargeObjects(bytes: number): Promise<void>;
  /** Notes that the response says how a result was obtained. @returns the value that says it */
  ofObtaining<T>(value: T): T;
  /** Reports a refusal to the operator. @returns the error */
  audited<E>(error: E): E;
  nextTurn(): Promise<unknown> | undefined;
}

/** The parts of the gateway that the resolvers of all requests share. */
export interface Resources extends Omit<LoadOptions, 'maxRunning'> {
  readonly pageOfResult: PageOfResult;
  readonly makeCells: MakeCells;
  readonly audit: Audit;
  readonly elapsedMs: () => number;
}

const { maxExecutorBytes, maxResponseBytes, maxRootFields } = httpLimits;

/** Measured: what graphql-js has in memory at once for a byte of rows, as objects, as its result and as text. */
const objectsFactor = 8;

/** The loader of one operation. */
export const openLoader = (resources: Resources, caller: Caller): ResultLoader =>
  new ResultLoader({ ...resources, maxRunning: maxRootFields }, caller);

export function buildContext(
  resources: Resources,
  operation: Omit<Operation, keyof ReceivedOperation | 'reply'> &
    Caller &
    Pick<ResolverContext, 'shownSchema'>,
): Context {
  const { readRows, makeCells, turns, audit } = resources;
  const { head, admission, loader, charge, shownSchema } = operation;
  const { principal } = admission;
  const owner = ownerOf(principal);
  const selections = operation.checked?.selections ?? new CompiledSelections();
  let leafBytes = 0;
  let objectBytes = 0;
  let turn: Promise<true> | undefined;
  const chargeLeaf = (leaf: Written) => {
    leafBytes += leaf.byteLength;
    if (leafBytes > maxResponseBytes) throw responseTooLarge();
    return leaf;
  };
  return {
    ...obtainingOf(resources, loader, owner),
    principal,
    shownSchema,
    chargeLeaf,
    audited(error) {
      if (!loader.isRepeated) audit(error, head, principal.id);
      return error;
    },
    ofObtaining(value) {
      operation.readsObtaining = true;
      return value;
    },
    nextTurn: () => turns.next(owner),
    selectionOf: (info, compile) => selections.get(info, compile),
    readRows: async (result, task) => readRows(result, task, callerOf(head, owner)),
    writeRows(selection, rows) {
      const { document } = rows;
      const write = (cells: Cells) => {
        try {
          return chargeLeaf(selection.list(cells, rows));
        } catch (error) {
          // graphql-js says which cell it is, of few enough rows.
          const isLarge = document.encodings.identity.byteLength > maxExecutorBytes;
          if (error instanceof UnexpectedCell && isLarge) operation.refusal = error;
          throw error;
        }
      };
      const cells = makeCells(document, selection, owner);
      return cells instanceof Promise ? cells.then(write) : write(cells);
    },
    async chargeObjects(bytes) {
      objectBytes += bytes;
      if (objectBytes > maxExecutorBytes) throw tooLargeForObjects();
      // All operations that waited for one run would write their rows in one turn.
      turn ??= turns.wait(owner);
      await turn;
      try {
        charge.add(objectsFactor * bytes);
      } catch (error) {
        operation.refusal = error;
        throw error;
      }
    },
    refuse(error) {
      operation.refusal ??= error;
    },
  };
}

function obtainingOf(
  { pageOfResult, turns }: Resources,
  loader: ResultLoader,
  owner: Owner,
): Pick<Context, 'getResult' | 'findResult' | 'getPushed' | 'getValueResult' | 'getPage'> {
  /** Those whose arguments are pushed. */
  const requests = new Map<CachedResult, EndpointRequest>();
  return {
    async getResult(request) {
      const result = await loader.load(request);
      // All operations that waited for one run would go on in one turn.
      if (result.cacheStatus !== 'HIT') await turns.wait(owner);
      if (isPushed(request.query, result.document)) requests.set(result, request);
      return result;
    },
    findResult(request) {
      const result = loader.find(request);
      if (result !== undefined && isPushed(request.query, result.document)) requests.set(result, request);
      return result;
    },
    getPushed(result, push) {
      const request = requests.get(result);
      return request && loader.load(request, push);
    },
    getValueResult: (request, list) => loader.loadValue(request, list),
    async getPage(query, parameters, request) {
      let bound: BoundPage | undefined;
      const result = await loader.load(new EndpointRequest(query, parameters), (whole) => {
        bound = bindPage(whole, parameters, request);
        return bound.bound;
      });
      if (bound === undefined) throw new Error('a page that was not bound');
      const page = await pageOfResult(result, bound, owner);
      return { ...page.result, ...page };
    },
  };
}

/** The context of events, which are the same for all who follow a result: they have no more rights than that. */
export function contextOfEvents(
  resources: Resources,
  { checked, admission: { principal } }: Pick<Operation, 'checked' | 'admission'>,
): Context {
  const caller = followerOf(principal);
  const charge = unlimited.reserve(ownerOf(principal), 0);
  const loader = openLoader(resources, caller);
  const operation = { ...caller, loader, checked, charge, refusal: undefined, readsObtaining: false };
  const refuse = async (): Promise<never> => {
    throw new GatewayError(
      'BAD_REQUEST',
      'An event has the result of one saved query; send a query for further ones',
    );
  };
  return {
    ...buildContext(resources, operation),
    getResult: refuse,
    findResult: () => undefined,
    getValueResult: refuse,
    getPage: refuse,
  };
}

const unlimited = new ByteBudget(Number.POSITIVE_INFINITY);
