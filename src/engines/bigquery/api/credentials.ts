import { BigQuery } from '@google-cloud/bigquery';
import { untilAborted } from '../../../concurrency/abort.ts';
import type { BigqueryOptions } from '../bigquery-options.ts';
import { credentialsFailed } from './api-errors.ts';

/** A request for a token that takes longer hangs: those of the library have no timeout. */
const longestRequestMs = 10_000;

/** The headers of one request. */
interface Authorization {
  readonly headers: Headers;
  /** For headers that BigQuery rejects: later ones have another token. An emulator has none. */
  readonly reject?: () => void;
}

export interface Credentials {
  /** @throws the signal's reason once it is aborted; ApiError without credentials */
  authorize(url: string, signal: AbortSignal): Promise<Authorization>;
}

/** An emulator needs none, and must not have Google's. */
export const noCredentials: Credentials = {
  authorize: async () => ({ headers: new Headers() }),
};

/** Credentials as Google's library finds them: it keeps their token, and requests another one before it ends. */
export function openCredentials({ projectId }: BigqueryOptions, apiEndpoint: string): Credentials {
  // The endpoint is always set: otherwise BIGQUERY_EMULATOR_HOST in the environment could send credentials elsewhere.
  const openLibrary = () => new BigQuery({ projectId, apiEndpoint });
  let library = openLibrary();
  /** When the earliest request for a token began that is still in progress. */
  let pendingSince: number | undefined;
  const replace = (used: BigQuery) => {
    if (library !== used) return;
    library = openLibrary();
    pendingSince = undefined;
  };
  return {
    async authorize(url, signal) {
      const used = library;
      pendingSince ??= performance.now();
      const since = pendingSince;
      const authenticating = used.authClient
        .getRequestHeaders(url)
        .finally(() => {
          if (library === used) pendingSince = undefined;
        })
        .catch((error: unknown) => {
          throw credentialsFailed(error);
        });
      try {
        const headers = await untilAborted(authenticating, signal);
        return { headers: new Headers([...headers]), reject: () => replace(used) };
      } catch (error) {
        // The library's request for a token cannot be aborted, and is the one that all later calls wait for: a slow one serves them.
        if (signal.aborted && performance.now() - since > longestRequestMs) replace(used);
        throw error;
      }
    },
  };
}
