import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteText } from '@querygate/bigquery-sql/tree';
import { isUnreachable } from '@querygate/duckdb-import';
import { GatewayError, StartError } from '../../../errors.ts';
import { loadExtensions } from '../extensions.ts';

/** How long a server may leave a request without an answer, in seconds: a run has to end before its own deadline. */
const timeoutSeconds = 10;

/**
 * Lets statements read a bucket, with the credentials that the SDK of Amazon finds: variables, files, the machine's role. Keys of
 * Google's buckets are those of its interoperability.
 *
 * @param path in the bucket, as in `s3://bucket/logs`
 * @throws StartError if the bucket cannot be listed
 */
export async function openBucket(
  connection: DuckDBConnection,
  path: string,
  extensionsDir: string | undefined,
): Promise<void> {
  await loadExtensions(connection, extensionsDir, ['httpfs', 'aws'], 'a bucket');
  const type = path.startsWith('gs:') ? 'gcs' : 's3';
  await connection.run(`SET GLOBAL http_timeout = ${timeoutSeconds};
    CREATE SECRET bucket (TYPE ${type}, PROVIDER credential_chain, VALIDATION 'none', REFRESH auto${endpoint()})`);
  try {
    await connection.run(`FROM glob(${quoteText(`${path.replace(/\/*$/, '')}/*`)}) LIMIT 1`);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
    throw new StartError('The data cannot be read', [
      {
        message: `dataDir: the bucket cannot be listed: ${reason}; check its name, the network, and AWS_ACCESS_KEY_ID or a role`,
      },
    ]);
  }
}

/** Where the SDK looks for servers other than Amazon's. */
function endpoint(): string {
  const { AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_S3 = AWS_ENDPOINT_URL } = process.env;
  const url = AWS_ENDPOINT_URL_S3 === undefined ? null : URL.parse(AWS_ENDPOINT_URL_S3);
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
  const reason = error instanceof Error ? error.message.split('\n', 1)[0] : '';
  onProblem(
    `A file of the bucket cannot be read now: ${reason?.replaceAll(/["']/g, '')}; queries of it fail until the bucket answers`,
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
