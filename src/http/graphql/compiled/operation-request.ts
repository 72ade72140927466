import type { GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Catalog } from '../../../catalog/model/saved-query.ts';
import type { Owner } from '../../../concurrency/fair-share.ts';
import type { LoopTurns } from '../../../concurrency/loop-turns.ts';
import type { CheckDocument, CheckedDocument } from '../document/check-document.ts';
import type { PersistedDocuments } from '../persisted/persisted-documents.ts';
import { parseOperation } from '../read-operation.ts';
import {
  type PreparedOperation,
  prepareOperation,
  type CompileEntities,
  type QueryField,
  queryFieldsOf,
  type RootMember,
} from './prepare-operation.ts';
import { type QueryOutputs, queryOutputs } from './query-outputs.ts';

/** One GraphQL request that needs no executor: an operation with its variables. */
export interface OperationRequest {
  /** Unique in the process; equal request texts have the same one as long as they are kept. */
  readonly id: number;
  readonly members: readonly RootMember[];
  readonly fields: readonly QueryField[];
  /** Set if its results are to be followed. It has one field then. */
  readonly subscription?: SubscriptionSource | undefined;
}

export type SubscriptionRequest = OperationRequest & { readonly subscription: SubscriptionSource };

/** A subscription as it was requested, for an executor. */
interface SubscriptionSource {
  readonly query: string;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Reads a request.
 *
 * @param body undefined for GET
 * @param owner whose turn it takes to parse and validate a text that is not kept
 * @returns undefined if Yoga must answer it: whatever is malformed, invalid, or not about saved queries
 */
export type ReadOperationRequest = (
  url: URL,
  body: Uint8Array | undefined,
  owner: Owner,
) => OperationRequest | undefined | Promise<OperationRequest | undefined>;

/** Characters of the request texts that are kept. Each keeps its syntax tree, at most 150 bytes for a character: 60 MB. */
const maxKeptCharacters = 400_000;

/** What binding one field keeps, some 1,500 bytes, in the same unit: a request of entities has hundreds. */
const charactersPerField = 10;

/** A longer request is hardly sent twice. */
const maxKeptLength = 16_384;

/**
 * What is kept of a request text: only its number until it is sent again. Most requests that are new are sent once, and
 * syntax trees that are kept for a while make the heap grow to several times its size.
 */
interface KeptRequest {
  readonly id: number;
  readonly read?: { readonly request: OperationRequest | undefined };
}

/** Makes what compiles entities of a schema. */
export type BuildCompileEntities = (
  schema: GraphQLSchema,
  catalog: Catalog,
  outputs: QueryOutputs,
) => CompileEntities | undefined;

/** Of all schemas: what is kept of a request is kept by its id alone. */
let lastId = 0;

/** @param share how much of what is kept at most */
export function buildReadOperationRequest(
  schema: GraphQLSchema,
  catalog: Catalog,
  checkDocument: CheckDocument,
  persisted: PersistedDocuments,
  turns: LoopTurns,
  share = 1,
  buildCompileEntities?: BuildCompileEntities,
): ReadOperationRequest {
  const outputs = queryOutputs(schema, catalog);
  const options = { schema, outputs, compileEntities: buildCompileEntities?.(schema, catalog, outputs) };
  /** Kept as long as their documents. */
  const prepared = new WeakMap<CheckedDocument, Map<string | undefined, PreparedOperation>>();
  const requests = new LRUCache<string, KeptRequest>({
    maxSize: maxKeptCharacters * share,
    sizeCalculation: ({ read }, text) =>
      text.length + 100 + charactersPerField * (read?.request?.fields.length ?? 0),
  });
  const operationOf = (query: string, operationName: string | undefined): PreparedOperation | undefined => {
    const checked = checkDocument(query);
    if (checked.errors.length > 0) return undefined;
    const operations = prepared.get(checked) ?? new Map<string | undefined, PreparedOperation>();
    prepared.set(checked, operations);
    const known = operations.get(operationName);
    if (known !== undefined) return known;
    const operation = prepareOperation(options, checked.document, operationName);
    if (operation !== undefined) operations.set(operationName, operation);
    return operation;
  };
  const read = (id: number, url: URL, body: Uint8Array | undefined, owner: Owner) => {
    const parameters = parseOperation(url, body, (members) => persisted.documentOf(members, owner));
    if (!hasKnownShape(parameters)) return undefined;
    const { query } = parameters;
    const operationName = parameters.operationName ?? undefined;
    const variables = parameters.variables ?? {};
    const operation = operationOf(query, operationName);
    const members = operation?.bind(variables);
    if (members === undefined) return undefined;
    const subscription = operation?.type === 'subscription' ? { query, operationName, variables } : undefined;
    return { id, members, fields: queryFieldsOf(members), subscription };
  };

  const readAndKeep = (text: string, url: URL, body: Uint8Array | undefined, owner: Owner) => {
    const known = requests.get(text);
    if (known === undefined) lastId += 1;
    const id = known?.id ?? lastId;
    let request: OperationRequest | undefined;
    try {
      request = read(id, url, body, owner);
    } catch {
      // Yoga reports what is wrong with it.
      return undefined;
    }
    if (text.length <= maxKeptLength)
      requests.set(text, known === undefined ? { id } : { id, read: { request } });
    return request;
  };

  return (url, body, owner) => {
    // Latin-1 keeps bytes apart that are no UTF-8. A body may read like a query string.
    const text =
      body === undefined
        ? `GET ${url.search}`
        : `POST ${Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1')}`;
    const known = requests.get(text)?.read;
    if (known !== undefined) return known.request;
    const turn = turns.next(owner);
    return turn === undefined
      ? readAndKeep(text, url, body, owner)
      : turn.then(() => readAndKeep(text, url, body, owner));
  };
}

const parameterNames = new Set(['query', 'operationName', 'variables', 'extensions']);

/** @see GraphQL over HTTP, "Request Parameters": Yoga says what is wrong with any other */
function hasKnownShape(parameters: object): parameters is {
  query: string;
  operationName?: string | null;
  variables?: Record<string, unknown> | null;
} {
  const { query, operationName, variables, extensions } = parameters as Record<string, unknown>;
  return (
    typeof query === 'string' &&
    (operationName == null || typeof operationName === 'string') &&
    [variables, extensions].every(
      (value) => value == null || (typeof value === 'object' && !Array.isArray(value)),
    ) &&
    Object.keys(parameters).every((name) => parameterNames.has(name))
  );
}
