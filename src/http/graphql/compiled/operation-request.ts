import { type GraphQLSchema, getVariableValues } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Catalog } from '../../../catalog/model/saved-query.ts';
import type { Owner } from '../../../concurrency/fair-share.ts';
import type { LoopTurns } from '../../../concurrency/loop-turns.ts';
import type { CheckDocument, CheckedDocument } from '../document/check-document.ts';
import { type OperationPart, splitOperation, withoutDefer } from '../document/split-operation.ts';
import type { PersistedDocuments } from '../persisted/persisted-documents.ts';
import { parseOperation } from '../read-operation.ts';
import {
  conditionVariables,
  findOperation,
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

/** A request as it was read. */
interface ReadRequest {
  /** undefined if Yoga must answer it: whatever is malformed, invalid, or not about saved queries. */
  readonly compiled: OperationRequest | undefined;
  /** The parts that a caller gets one after another, if it accepts that; undefined if nothing is deferred. */
  readonly parts: readonly RequestPart[] | undefined;
}

/** An operation with some root fields of a request. */
export interface RequestPart extends OperationPart {
  readonly compiled: OperationRequest | undefined;
}

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
 */
export type ReadOperationRequest = (
  url: URL,
  body: Uint8Array | undefined,
  owner: Owner,
) => ReadRequest | Promise<ReadRequest>;

/** Characters of the request texts that are kept. Each keeps its syntax tree, at most 150 bytes for a character: 60 MB. */
const maxKeptCharacters = 400_000;

/** What binding one field keeps, some 1,500 bytes, in the same unit: a request of entities has hundreds. */
const charactersPerField = 10;

/** Syntax trees of a document with parts: its own, one without `@defer`, and those of the parts together. */
const treesOfParts = 3;

/** A longer request is hardly sent twice. */
const maxKeptLength = 16_384;

/**
 * What is kept of a request text: only its number until it is sent again. Most requests that are new are sent once, and
 * syntax trees that are kept for a while make the heap grow to several times its size.
 */
interface KeptRequest {
  readonly id: number;
  readonly read?: ReadRequest;
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
  // Those of entities share limits of an operation.
  const isDeferrable = (name: string) => options.compileEntities === undefined || outputs(name) !== undefined;
  /** Kept as long as their documents. */
  const prepared = new WeakMap<CheckedDocument, Map<string | undefined, PreparedOperation>>();
  const requests = new LRUCache<string, KeptRequest>({
    maxSize: maxKeptCharacters * share,
    sizeCalculation: ({ read }, text) =>
      text.length * (read?.parts === undefined ? 1 : treesOfParts) +
      100 +
      charactersPerField * countFields(read),
  });
  const operationOf = (
    checked: CheckedDocument,
    operationName: string | undefined,
    isDeferring: boolean,
  ): PreparedOperation | undefined => {
    const operations = prepared.get(checked) ?? new Map<string | undefined, PreparedOperation>();
    prepared.set(checked, operations);
    const known = operations.get(operationName);
    if (known !== undefined) return known;
    const document = isDeferring ? withoutDefer(checked.document) : checked.document;
    const operation = prepareOperation(options, document, operationName);
    if (operation !== undefined) operations.set(operationName, operation);
    return operation;
  };
  const partsOf = (
    { document }: CheckedDocument,
    operationName: string | undefined,
    variables: Readonly<Record<string, unknown>>,
  ): readonly RequestPart[] | undefined => {
    const operation = findOperation(document, operationName);
    const definitions = operation?.variableDefinitions ?? [];
    const { variableValues } = getVariableValues(schema, definitions, variables, { maxErrors: 1 });
    if (operation === undefined || variableValues === undefined) return undefined;
    // The executor says that a directive must not have null.
    if (conditionVariables(document).some((name) => variableValues.coerced[name] === null)) return undefined;
    return splitOperation(document, operation, variableValues, isDeferrable)?.map((part) => {
      const members = prepareOperation(options, part.document, operationName)?.bind(variables);
      lastId += 1;
      return { ...part, compiled: members && { id: lastId, members, fields: queryFieldsOf(members) } };
    });
  };
  const read = (id: number, url: URL, body: Uint8Array | undefined, owner: Owner): ReadRequest => {
    const parameters = parseOperation(url, body, (members) => persisted.documentOf(members, owner));
    if (!hasKnownShape(parameters)) return unread;
    const { query } = parameters;
    const operationName = parameters.operationName ?? undefined;
    const variables = parameters.variables ?? {};
    const checked = checkDocument(query);
    if (checked.errors.length > 0) return unread;
    // Names in a document have no escapes.
    const isDeferring = query.includes('defer');
    const parts = isDeferring ? partsOf(checked, operationName, variables) : undefined;
    const operation = operationOf(checked, operationName, isDeferring);
    const members = operation?.bind(variables);
    if (members === undefined) return { compiled: undefined, parts };
    const subscription = operation?.type === 'subscription' ? { query, operationName, variables } : undefined;
    return { compiled: { id, members, fields: queryFieldsOf(members), subscription }, parts };
  };

  const readAndKeep = (text: string, url: URL, body: Uint8Array | undefined, owner: Owner) => {
    const known = requests.get(text);
    if (known === undefined) lastId += 1;
    const id = known?.id ?? lastId;
    let request: ReadRequest;
    try {
      request = read(id, url, body, owner);
    } catch {
      // Yoga reports what is wrong with it.
      return unread;
    }
    if (text.length <= maxKeptLength)
      requests.set(text, known === undefined ? { id } : { id, read: request });
    return request;
  };

  return (url, body, owner) => {
    // Latin-1 keeps bytes apart that are no UTF-8. A body may read like a query string.
    const text =
      body === undefined
        ? `GET ${url.search}`
        : `POST ${Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1')}`;
    const known = requests.get(text)?.read;
    if (known !== undefined) return known;
    const turn = turns.next(owner);
    return turn === undefined
      ? readAndKeep(text, url, body, owner)
      : turn.then(() => readAndKeep(text, url, body, owner));
  };
}

const unread: ReadRequest = { compiled: undefined, parts: undefined };

const countFields = ({ compiled, parts = [] }: ReadRequest = unread): number =>
  parts.reduce((sum, part) => sum + (part.compiled?.fields.length ?? 0), compiled?.fields.length ?? 0);

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
