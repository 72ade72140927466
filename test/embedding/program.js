import { createGateway } from 'querygate';
import { duckdb } from 'querygate/duckdb';
import { apiKey } from 'querygate/keys';

const gateway = await createGateway({
  queries: 'node_modules/querygate/queries',
  engine: duckdb(),
  keys: apiKey('a-key-of-this-program'),
});
for (const path of gateway.examples) {
  const headers = { 'x-api-key': 'a-key-of-this-program' };
  const response = await gateway.fetch(new Request(`http://localhost${path}`, { headers }));
  console.log(response.status, (await response.json()).result?.length, path.split('?')[0]);
}
await gateway.close();
