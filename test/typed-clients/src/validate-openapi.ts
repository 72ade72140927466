import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { gatewayUrl, headers, report } from './environment.js';

/** Documents in files are valid; the gateway's own is too, and its answers have the rows that it describes. */
const [folder = '.'] = process.argv.slice(2);
const errors: unknown[] = [];
for (const file of readdirSync(folder)) {
  const content = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const result = await new Validator().validate(content);
  if (!result.valid) errors.push({ file, errors: result.errors });
}

const own = await fetch(`${gatewayUrl}/openapi.json`, { headers });
const document = (await own.json()) as Record<string, unknown>;
const result = await new Validator().validate(document);
if (!result.valid) errors.push({ file: 'openapi.json', errors: result.errors });

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(document, 'document');
/** `~1` is a slash in a JSON Pointer. */
const pointer = (...names: readonly string[]) =>
  names.map((name) => `/${encodeURIComponent(name.replaceAll('/', '~1'))}`).join('');
const urls: readonly (readonly [string, string, string])[] = [
  ['functions.invocation-stats', 'project=p&interval=1hr', '200'],
  ['logs.all', 'project=p', '200'],
  ['usage.api-counts', 'project=p&interval=hourly', '200'],
  ['usage.by-id', 'hours=24', '200'],
];
const rows: number[] = [];
for (const [name, query, status] of urls) {
  const path = `/api/endpoints/query/${name}`;
  const response = await fetch(`${gatewayUrl}${path}?${query}`, { headers });
  const body = (await response.json()) as { result: unknown[] };
  rows.push(body.result.length);
  const place = pointer('paths', path, 'get', 'responses', status, 'content', 'application/json', 'schema');
  const validate = ajv.getSchema(`document#${place}`);
  if (String(response.status) !== status || validate === undefined || !validate(body))
    errors.push({ name, status: response.status, body, errors: validate?.errors ?? 'no schema' });
}
for (const [query, status] of [
  ['', '400'],
  ['?hours=x', '400'],
] as const) {
  const response = await fetch(`${gatewayUrl}/api/endpoints/query/usage.by-id${query}`, { headers });
  const place = pointer('components', 'responses', `Error${status}`, 'content', 'application/json', 'schema');
  const validate = ajv.getSchema(`document#${place}`);
  const body = await response.json();
  if (String(response.status) !== status || !validate?.(body))
    errors.push({ query, body, errors: validate?.errors });
}
report({ errors, rows });
