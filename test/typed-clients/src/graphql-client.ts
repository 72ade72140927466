import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { gatewayUrl, headers, report } from './environment.js';
import { graphql } from './generated/gql/index.js';

const usage = graphql(`
  query Usage($project: String!, $interval: InvocationInterval, $start: DateTime) {
    functionsInvocationStats(project: $project, interval: $interval) {
      rows { timestamp count maxExecutionTime }
      computedAt
      truncated
      cost { bytesProcessed }
    }
    logsAll(project: $project, isoTimestampStart: $start) {
      rows { id timestamp metadata { request { path } } }
      rowCount
    }
    endpoints { id maxRows }
  }
`);

interface Hashed {
  readonly __meta__?: { readonly hash: string };
}

/** Sends the hash that the generator has computed; the gateway knows the document, because it is trusted. */
async function execute<Result, Variables>(
  document: TypedDocumentNode<Result, Variables> & Hashed,
  variables: Variables,
): Promise<Result> {
  const response = await fetch(`${gatewayUrl}/graphql`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ documentId: document.__meta__?.hash, variables }),
  });
  const { data, errors } = (await response.json()) as { data: Result; errors?: unknown };
  if (errors !== undefined) throw new Error(JSON.stringify(errors));
  return data;
}

const data = await execute(usage, { project: 'p', interval: 'ONE_HOUR', start: new Date(0) });
const rows = data.functionsInvocationStats?.rows ?? [];
const count: number = rows.reduce((sum, row) => sum + row.count, 0);
const slowest: number = Math.max(...rows.map((row) => row.maxExecutionTime ?? 0));
const first: Date = new Date(rows[0]?.timestamp ?? 0);
const computedAt: number = Date.parse(data.functionsInvocationStats?.computedAt ?? '');
const bytes: number = data.functionsInvocationStats?.cost?.bytesProcessed ?? 0;
const ids: readonly string[] = data.endpoints.map(({ id }) => id);
const paths: readonly (string | null | undefined)[] =
  data.logsAll?.rows.flatMap(({ metadata }) =>
    metadata.flatMap((one) => one?.request ?? []).map((one) => one?.path),
  ) ?? [];
const logs: readonly (string | null)[] = data.logsAll?.rows.map(({ id }) => id) ?? [];

report({
  count,
  slowest,
  first: first.getTime() > 0,
  computedAt: computedAt > 0,
  bytes,
  ids: ids.length,
  logs,
  paths,
});
