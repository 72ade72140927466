import createClient from 'openapi-fetch';
import { gatewayUrl, headers, report } from './environment.js';
import type { paths } from './generated/openapi.js';

const client = createClient<paths>({ baseUrl: gatewayUrl, headers });

const statistics = await client.GET('/api/endpoints/query/functions.invocation-stats', {
  params: { query: { project: 'p', interval: '1hr' } },
});
if (statistics.error !== undefined) throw new Error(statistics.error.error.message);
const rows = statistics.data.result;
const count: number = rows.reduce((sum, row) => sum + row.count, 0);
const maximum: number | undefined = rows.find((row) => row.count > 0)?.max_execution_time;
const first: Date | undefined = rows[0] && new Date(rows[0].timestamp / 1000);

const refused = await client.GET('/api/endpoints/query/usage.api-counts', {
  // @ts-expect-error there is no such interval
  params: { query: { project: 'p', interval: 'weekly' } },
});
const code = refused.error?.error.code;
const isWrong: boolean = code === 'INVALID_PARAMETER';

const etag = statistics.response.headers.get('etag') ?? '';
const unchanged = await client.GET('/api/endpoints/query/functions.invocation-stats', {
  params: { query: { project: 'p', interval: '1hr' }, header: { 'If-None-Match': etag } },
});

// @ts-expect-error project is missing
const incomplete = await client.GET('/api/endpoints/query/logs.all', { params: { query: {} } });

report({
  count,
  maximum,
  first: typeof first?.toISOString(),
  isWrong,
  parameter: refused.error?.error.parameter,
  unchanged: unchanged.response.status,
  incomplete: incomplete.error?.error.code,
});
