import type { Fetcher, FetcherOpts, FetcherParams } from '@graphiql/toolkit';
import { getOperationAST } from 'graphql';
import { hasKey, requestHeaders } from './credentials.ts';
import { eventsOf, type Result } from './subscription-events.ts';

/**
 * Called with the outcome of a request for the schema, as a message for the user.
 *
 * @returns whether GraphiQL is mounted anew, and requests the schema again at once
 */
export type OnSchema = (message: string, isLoaded: boolean) => boolean;

/**
 * Sends operations to the gateway that served the page.
 *
 * @param key is sent unless the headers of the tab have a key
 */
export function buildFetcher(key: string, onSchema: OnSchema): Fetcher {
  let kept: Result | undefined;
  return async (operation, options) => {
    const ofTab = options?.headers ?? {};
    if (operation.operationName !== introspection) return run(operation, options, key);
    if (kept !== undefined) {
      const schema = kept;
      kept = undefined;
      return schema;
    }
    const { problem, result } = await requestSchema(operation, ofTab, key);
    const isReopened = onSchema(problem ?? 'The schema is loaded.', problem === undefined);
    // GraphiQL would send the request once more for an answer without data.
    if (problem !== undefined) throw new Error(problem);
    if (isReopened) kept = result;
    return result;
  };
}

/** GraphiQL would show the stack of an error that is thrown. */
async function run(
  operation: FetcherParams,
  { headers = {}, documentAST }: FetcherOpts = {},
  key: string,
): Promise<Result | AsyncIterable<Result>> {
  try {
    const chosen = documentAST && getOperationAST(documentAST, operation.operationName);
    const accept = chosen?.operation === 'subscription' ? 'text/event-stream' : 'application/json';
    const abort = new AbortController();
    const response = await send(operation, headers, key, { accept, signal: abort.signal });
    return eventsOf(response, abort) ?? (await resultOf(response));
  } catch (error) {
    return { errors: [{ message: (error as Error).message }] };
  }
}

interface Schema {
  /** Why it was not given, for the user. */
  readonly problem?: string | undefined;
  readonly result: Result;
}

async function requestSchema(operation: object, ofTab: TabHeaders, key: string): Promise<Schema> {
  try {
    if (!hasKey(sendableHeaders(ofTab, key))) {
      return { problem: key === '' ? 'Type an API key to load the schema.' : wrongKey, result: {} };
    }
    const response = await send(operation, ofTab, key, { accept: 'application/json' });
    const result = await resultOf(response);
    return { problem: problemOf(response.status, result), result };
  } catch (error) {
    return { problem: (error as Error).message, result: {} };
  }
}

const wrongKey = 'This key is not valid.';

/** GraphiQL's own name for it. */
const introspection = 'IntrospectionQuery';

type TabHeaders = Readonly<Record<string, string>>;

function sendableHeaders(ofTab: TabHeaders, key: string): Headers {
  try {
    return requestHeaders(ofTab, key);
  } catch (cause) {
    throw new Error('The headers of this tab cannot be sent: a name or a value has a wrong character.', {
      cause,
    });
  }
}

interface SendOptions {
  readonly accept: string;
  readonly signal?: AbortSignal;
}

async function send(
  operation: object,
  ofTab: TabHeaders,
  key: string,
  { accept, signal }: SendOptions,
): Promise<Response> {
  const headers = sendableHeaders(ofTab, key);
  headers.set('content-type', 'application/json');
  headers.set('accept', accept);
  try {
    const body = JSON.stringify(operation);
    return await fetch(location.pathname, { method: 'POST', headers, body, ...(signal && { signal }) });
  } catch (cause) {
    throw new Error('The gateway could not be reached.', { cause });
  }
}

async function resultOf(response: Response): Promise<Result> {
  const result: unknown = await response.json().catch(() => undefined);
  // For example the page of a proxy that wants people to log in.
  if (typeof result !== 'object' || result === null) {
    throw new Error(`The response is not one of GraphQL; its status is ${response.status}.`);
  }
  return result;
}

function problemOf(status: number, { data, errors }: Result): string | undefined {
  if (data !== undefined && data !== null) return undefined;
  if (status === 401) return wrongKey;
  return errors?.[0]?.message ?? `The gateway answered with status ${status}.`;
}
