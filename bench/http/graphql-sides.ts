import { camelCase } from '../../src/names/graphql-names.ts';
import { requestBytes } from './load.ts';
import { type BenchFolder, bytesOf, columns, makeFolder, rowCounts, startNaive, startOver } from './sides.ts';

/** The gateway and the naive server over the same rows. */
export interface GraphqlSides {
  readonly folder: BenchFolder;
  readonly gatewayPort: number;
  readonly gatewayPid: number | undefined;
  readonly naivePort: number;
  readonly naivePid: number | undefined;
  /** Of the endpoints `rows<count>` and `mark<count>`. */
  readonly fieldNames: readonly string[];
  /** What the gateway answers. */
  bodyOf(query: string, variables?: Readonly<Record<string, unknown>>): Promise<Buffer>;
  end(): Promise<void>;
}

const fieldNames = Object.keys(columns).map(camelCase);

export async function startGraphqlSides(): Promise<GraphqlSides> {
  const folder = makeFolder();
  const gateway = await startOver(folder);
  const headers = { 'x-api-key': 'key', 'content-type': 'application/json' };
  const bodyOf: GraphqlSides['bodyOf'] = (query, variables) =>
    bytesOf(`${gateway.origin}/graphql`, headers, JSON.stringify({ query, variables }));
  const results: Record<string, unknown> = {};
  for (const count of rowCounts) {
    const rows = ['rows', 'mark'].map((name) => `${name}${count} { rows { ${fieldNames.join(' ')} } }`);
    const logs = `logs${count} { rows { id timestamp eventMessage } }`;
    const { data } = JSON.parse(String(await bodyOf(`{ ${rows.join(' ')} ${logs} }`)));
    for (const [name, { rows }] of Object.entries<{ rows: unknown }>(data)) results[name] = rows;
  }
  const naive = await startNaive(folder, JSON.stringify(results));
  return {
    folder,
    gatewayPort: Number(new URL(gateway.origin).port),
    gatewayPid: gateway.child.pid,
    naivePort: naive.port,
    naivePid: naive.pid,
    fieldNames,
    bodyOf,
    async end() {
      naive.end();
      await gateway.end();
      folder.remove();
    },
  };
}

/** One operation as it goes over the wire. */
export function postGraphql(
  query: string,
  key = 'key',
  headers: readonly string[] = [],
  variables?: Readonly<Record<string, unknown>>,
): Buffer {
  const head = [
    'POST /graphql HTTP/1.1',
    'Host: bench',
    `X-API-KEY: ${key}`,
    'Content-Type: application/json',
  ];
  return requestBytes([...head, ...headers], JSON.stringify({ query, variables }));
}
