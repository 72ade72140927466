import axios from 'axios';
import { gatewayUrl, headers, report } from './environment.js';

const client = axios.create({
  baseURL: `${gatewayUrl}/api/endpoints/query/`,
  headers,
  validateStatus: () => true,
});

/** The rows of a list, or the status and the error. */
async function idsOf(params: object, indexes?: boolean | null): Promise<unknown> {
  const { status, data } = await client.get('ids.by-list', {
    params,
    ...(indexes !== undefined && { paramsSerializer: { indexes } }),
  });
  return status === 200 ? data.result.map(({ id }: { id: number }) => id) : [status, data.error.message];
}

report({
  byDefault: await idsOf({ is: [4, 2] }),
  indexed: await idsOf({ is: [4, 2] }, true),
  repeated: await idsOf({ is: [4, 2] }, null),
  object: await idsOf({ is: { from: 4 } }),
  scalar: await idsOf({ is: [4], word: ['x'] }),
});
