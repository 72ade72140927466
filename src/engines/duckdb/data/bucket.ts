import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteText } from '@querygate/bigquery-sql/tree';
import { isUnreachable } from '@querygate/duckdb-import';
import type { RepeatOptions } from '../../../concurrency/repeat.ts';
import { GatewayError, StartError } from '../../../errors.ts';
import { loadExtensions } from '../extensions.ts';
import { findGoogleToken, type GoogleToken } from './google-token.ts';
import type { DataOptions } from './local-data.ts';

/** How long a server may leave a request without an answer, in seconds: a run has to end before its own deadline. */
const timeoutSeconds = 10;

/** How often a token that is about to expire is looked for, in seconds: Google's library has a new one five minutes before. */
const renewSeconds = 60;

/**
 * Lets statements read a bucket, with the credentials that the SDK of its cloud finds: variables, files, the machine's role. For
 * Google, a key for interoperability in the variables of Amazon comes first.
 *
 * @param path in the bucket, as in `s3://bucket/logs`
 * @returns what has to be repeated while the bucket is read; undefined where the extension does so itself
 * @throws StartError if the bucket cannot be listed
 */
export async function openBucket(
  { connect, settings, listener }: DataOptions,
  path: string,
): Promise<RepeatOptions | undefined> {
  const isGoogle = path.startsWith('gs:');
  const token = isGoogle && process.env.AWS_ACCESS_KEY_ID === undefined ? await findGoogleToken() : undefined;
  const connection = await connect();
  const extensions = token === undefined ? (['httpfs', 'aws'] as const) : (['httpfs'] as const);
  await loadExtensions(connection, settings.extensionsDir, extensions, 'a bucket');
  const keepSecret = (credentials: string) =>
    connection.run(
      `CREATE OR REPLACE SECRET bucket (TYPE ${isGoogle ? 'gcs' : 's3'}, ${credentials}${endpoint(token !== undefined)})`,
    );
  let kept: string | undefined;
  const renew = async (current: GoogleToken) => {
    const next = await current();
    // Lists would be signed with AWS_SECRET_ACCESS_KEY, if it is set, in place of the token.
    if (next !== kept) await keepSecret(`BEARER_TOKEN ${quoteText(next)}, KEY_ID '', SECRET ''`);
    kept = next;
  };
  await connection.run(`SET GLOBAL http_timeout = ${timeoutSeconds}`);
  if (token === undefined) await keepSecret("PROVIDER credential_chain, VALIDATION 'none', REFRESH auto");
  else await renew(token);
  await requireListed(connection, path);
  if (token === undefined) return undefined;
  return {
    everyMs: 1000 * Math.min(renewSeconds, settings.refreshSeconds),
    work: () => renew(token),
    onError: (error) =>
      listener.problem(
        `The token for the bucket cannot be renewed: ${reasonOf(error)}; queries fail when it expires`,
      ),
  };
}

async function requireListed(connection: DuckDBConnection, path: string): Promise<void> {
  try {
    await connection.run(`FROM glob(${quoteText(`${path.replace(/\/*$/, '')}/*`)}) LIMIT 1`);
  } catch (error) {
    const credentials = path.startsWith('gs:') ? 'GOOGLE_APPLICATION_CREDENTIALS' : 'AWS_ACCESS_KEY_ID';
    throw new StartError('The data cannot be read', [
      {
        message: `dataDir: the bucket cannot be listed: ${reasonOf(error)}; check its name, the network, and ${credentials} or a role`,
      },
    ]);
  }
}

const reasonOf = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';

/** Where the SDK looks for servers other than those of its cloud; a token of Google is never sent to one of Amazon's variables. */
function endpoint(isOfGoogle: boolean): string {
  const { AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_S3 = AWS_ENDPOINT_URL, STORAGE_EMULATOR_HOST } = process.env;
  const text = isOfGoogle ? STORAGE_EMULATOR_HOST : AWS_ENDPOINT_URL_S3;
  const url = text === undefined ? null : URL.parse(text);
  if (url === null) return '';
  return `, ENDPOINT ${quoteText(url.host)}, URL_STYLE 'path', USE_SSL ${url.protocol === 'https:'}`;
}

/**
 * @returns true if a file has been replaced or removed since it was listed; false for an error of another kind
 * @throws GatewayError ENGINE_UNAVAILABLE if the bucket has not answered
 */
export function requireReachable(error: unknown, onProblem: (message: string) => void): boolean {
  if (!isUnreachable(error)) return false;
  if (error instanceof Error && /\b(?:404|412)\b|ETag/.test(error.message)) return true;
  onProblem(
    `A file of the bucket cannot be read now: ${reasonOf(error).replaceAll(/["']/g, '')}; queries of it fail until the bucket answers`,
  );
  throw new GatewayError(
    'ENGINE_UNAVAILABLE',
    'The bucket with the data does not answer; try again in a moment',
    {
      retryAfterSeconds: 5,
      cause: error,
    },
  );
}
