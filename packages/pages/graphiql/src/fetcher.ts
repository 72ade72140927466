import type { Fetcher } from '@graphiql/toolkit';
import { hasKey, requestHeaders } from './credentials.ts';

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
    if (operation.operationName !== introspection) return run(operation, ofTab, key);
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
async function run(operation: object, ofTab: TabHeaders, key: string): Promise<Result> {
  try {
    return (await send(operation, ofTab, key)).result;
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
    const { status, result } = await send(operation, ofTab, key);
    return { problem: problemOf(status, result), result };
  } catch (error) {
    return { problem: (error as Error).message, result: {} };
  }
}

const wrongKey = 'This key is not valid.';

/** GraphiQL's own name for it. */
const introspection = 'IntrospectionQuery';

interface Sent {
  readonly status: number;
  readonly result: Result;
}

interface Result {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly { readonly message: string }[];
}

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

async function send(operation: object, ofTab: TabHeaders, key: string): Promise<Sent> {
  const headers = sendableHeaders(ofTab, key);
  headers.set('content-type', 'application/json');
  headers.set('accept', 'application/json');
  let response: Response;
  try {
    const body = JSON.stringify(operation);
    response = await fetch(location.pathname, { method: 'POST', headers, body });
  } catch (cause) {
    throw new Error('The gateway could not be reached.', { cause });
  }
  const { status } = response;
  const result: unknown = await response.json().catch(() => undefined);
  // For example the page of a proxy that wants people to log in.
  if (typeof result !== 'object' || result === null) {
    throw new Error(`The response is not one of GraphQL; its status is ${status}.`);
  }
  return { status, result };
}

function problemOf(status: number, { data, errors }: Result): string | undefined {
  if (data !== undefined && data !== null) return undefined;
  if (status === 401) return wrongKey;
  return errors?.[0]?.message ?? `The gateway answered with status ${status}.`;
}
