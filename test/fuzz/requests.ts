import { hostileRequests } from '../http/hostile-requests.ts';
import { operation } from './operations.ts';
import type { Random } from '../../packages/bigquery-sql/test/support/random.ts';
import { nastyJson, nastyText, secrets } from './values.ts';

const endpoints = [
  'logs.all',
  'usage.api-counts',
  'functions.invocation-stats',
  'c41e8b72-93da-4d05-b6f1-5a2e7f80c9d4',
] as const;
const parameters = [
  'project',
  'interval',
  'project_tier',
  'iso_timestamp_start',
  'iso_timestamp_end',
  'function_id',
  'ref',
  'sql',
  '__proto__',
  'project[]',
] as const;
const types = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json',
  'text/plain',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  'application/graphql+json',
] as const;
const accepts = [
  '*/*',
  'application/json',
  'application/graphql-response+json',
  'text/html',
  'text/event-stream',
  'image/png',
  ';;;,,,',
] as const;

/** The bytes of one request, valid or not. */
export function fuzzRequest(random: Random): Buffer {
  const kind = random.below(100);
  if (kind < 35) return restRequest(random);
  if (kind < 75) return graphqlRequest(random);
  return mutated(
    random,
    random.percent(50) ? hostile(random) : random.percent(50) ? restRequest(random) : graphqlRequest(random),
  );
}

function restRequest(random: Random): Buffer {
  const name = random.percent(85) ? random.one(endpoints) : escaped(nastyText(random));
  const usual = random.percent(60)
    ? [`project=${random.percent(60) ? 'p' : escaped(nastyText(random))}`, 'interval=daily']
    : [];
  const others = random.some(
    4,
    () =>
      `${random.one(parameters)}=${random.percent(90) ? escaped(nastyText(random)) : ascii(nastyText(random))}`,
  );
  const method = random.percent(92)
    ? 'GET'
    : random.one(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE']);
  const path = random.percent(95)
    ? `/api/endpoints/query/${name}`
    : random.one(['/readyz', '/healthz', '/', '//', `/${secrets.planted}`, '*']);
  return message(random, `${method} ${path}?${[...usual, ...others].join('&')}`);
}

function graphqlRequest(random: Random): Buffer {
  const text = operation(random);
  const query = random.percent(90) ? text : cut(random, text);
  if (random.percent(15)) {
    const variables = random.percent(40) ? `&variables=${escaped(JSON.stringify(nastyJson(random)))}` : '';
    return message(random, `GET /graphql?query=${escaped(query)}${variables}`);
  }
  const variables = random.percent(50) ? { v: nastyJson(random) } : nastyJson(random);
  const body = random.percent(90)
    ? { query, variables }
    : random.percent(50)
      ? [{ query }]
      : nastyJson(random);
  return message(random, 'POST /graphql', JSON.stringify(body) ?? '');
}

function message(random: Random, first: string, body?: string): Buffer {
  const headers = [`Host: ${random.percent(97) ? 'gateway.test' : ascii(nastyText(random))}`];
  if (random.percent(92)) headers.push(`X-API-KEY: ${secrets.key}`);
  else
    headers.push(
      `${random.one(['X-API-KEY', 'Authorization', 'Cookie'])}: ${random.one([secrets.planted, `Bearer ${secrets.planted}`, ''])}`,
    );
  if (random.percent(97)) headers.push('Connection: close');
  if (random.percent(40)) headers.push(`Accept: ${random.one(accepts)}`);
  if (random.percent(15))
    headers.push(
      `${random.one(['Cache-Control', 'If-None-Match', 'Accept-Encoding', 'Origin', 'Range', 'Expect', 'Upgrade', 'X-Forwarded-Host'])}: ${random.one(['no-cache', '*', 'gzip', 'null', 'bytes=0-', '100-continue', 'websocket', secrets.planted])}`,
    );
  if (body !== undefined)
    headers.push(
      `Content-Type: ${random.percent(85) ? 'application/json' : random.one(types)}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
    );
  return Buffer.from(
    `${first.replaceAll(' ', '%20').replace('%20', ' ')} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body ?? ''}`,
  );
}

function hostile(random: Random): Buffer {
  return Buffer.from(hostileRequests[random.below(hostileRequests.length)]?.bytes ?? '');
}

/** The bytes with some replaced, inserted, removed or duplicated, or with the end cut off. */
function mutated(random: Random, bytes: Buffer): Buffer {
  let made = bytes;
  for (let times = 1 + random.below(4); times > 0; times -= 1) {
    const at = random.below(made.length + 1);
    const [before, after] = [made.subarray(0, at), made.subarray(at)];
    const put = random.one([
      Buffer.from([random.below(256)]),
      Buffer.from('\r\n'),
      Buffer.from('\r\n\r\n'),
      Buffer.from('\0'),
      Buffer.from('Transfer-Encoding: chunked\r\n'),
      before.subarray(-random.below(100)),
    ]);
    made = random.one([
      () => Buffer.concat([before, put, after]),
      () => Buffer.concat([before, put, after.subarray(put.length)]),
      () => Buffer.concat([before, after.subarray(1 + random.below(20))]),
      () => before,
    ])();
  }
  return made;
}

function cut(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  return random.percent(50)
    ? text.slice(0, at)
    : `${text.slice(0, at)}${nastyText(random)}${text.slice(at + random.below(3))}`;
}

/** Percent-encoded; half a surrogate pair has no encoding. */
function escaped(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80';
}

function ascii(text: string): string {
  return text.replace(/[^\x21-\x7e]/g, '');
}
