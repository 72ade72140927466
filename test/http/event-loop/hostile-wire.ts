import { apiKey } from '../../support/test-app.ts';
import { type CostlyRequest, get, postOperation } from './hostile-table.ts';

/** Requests that are costly by the way in which they are sent, and documents that are valid and as large as is allowed. */

const times = (count: number, text: (at: number) => string, separator = ' '): string =>
  Array.from({ length: count }, (_, at) => text(at)).join(separator);

const keyed = ['Host: gateway.test', `X-API-KEY: ${apiKey}`];
const json = 'Content-Type: application/json';

const lines = (first: string, ...headers: readonly string[]) => `${[first, ...headers].join('\r\n')}\r\n\r\n`;

/** A body in chunks of so many bytes. */
function chunked(body: string, bytes: number, extension = ''): Buffer {
  const head = lines(
    'POST /graphql HTTP/1.1',
    ...keyed,
    json,
    'Transfer-Encoding: chunked',
    'Connection: close',
  );
  const chunks: string[] = [];
  for (let at = 0; at < body.length; at += bytes) {
    const part = body.slice(at, at + bytes);
    chunks.push(`${part.length.toString(16)}${extension}\r\n${part}\r\n`);
  }
  return Buffer.from(`${head}${chunks.join('')}0\r\n\r\n`);
}

/** Many requests of one connection at once, the last of which closes it. */
function pipelined(count: number, requestOf: (at: number) => string): Buffer {
  const last = lines('GET /healthz HTTP/1.1', 'Host: a', 'Connection: close');
  return Buffer.from(times(count, requestOf, '') + last);
}

const operationOf = (query: string, variables = '{}') =>
  `{"query":${JSON.stringify(query)},"variables":${variables}}`;

const posted = (body: string) =>
  lines('POST /graphql HTTP/1.1', ...keyed, json, `Content-Length: ${Buffer.byteLength(body)}`) + body;

const shapes: Readonly<Record<string, (nonce: number) => Buffer>> = {
  'chunks of one byte': (nonce) =>
    chunked(operationOf(`{ a${nonce}: __typename ${','.repeat(200_000)} }`), 1),
  'chunks of one byte with extensions': (nonce) =>
    chunked(operationOf(`{ a${nonce}: __typename ${','.repeat(60_000)} }`), 1, `;${'x'.repeat(20)}`),
  'chunks of sixteen bytes': (nonce) =>
    chunked(operationOf(`{ a${nonce}: __typename ${','.repeat(240_000)} }`), 16),
  'pipelined probes': () => pipelined(3_000, () => lines('GET /healthz HTTP/1.1', 'Host: a')),
  'pipelined requests without a key': () => pipelined(2_000, () => lines('GET /graphql HTTP/1.1', 'Host: a')),
  'pipelined paths that do not exist': () =>
    pipelined(2_000, (at) => lines(`GET /${at} HTTP/1.1`, 'Host: a')),
  'pipelined operations': (nonce) =>
    pipelined(600, (at) => posted(operationOf(`{ a${nonce}x${at}: __typename }`))),
  'pipelined operations that are equal': (nonce) =>
    pipelined(600, () => posted(operationOf(`{ a${nonce}: __typename }`))),
  'pipelined operations that are invalid': (nonce) =>
    pipelined(600, (at) => posted(operationOf(`{ a${nonce}x${at} }`))),
  'pipelined operations for Yoga': (nonce) =>
    pipelined(300, (at) => posted(operationOf(`{ a${nonce}x${at}: endpoint(name: "x") { name } }`))),
  'pipelined bodies that are no JSON': () => pipelined(600, () => posted('{')),
  'pipelined operations by GET': (nonce) =>
    pipelined(600, (at) => lines(`GET /graphql?query={a${nonce}x${at}:__typename} HTTP/1.1`, ...keyed)),
  'pipelined REST requests': (nonce) =>
    pipelined(600, (at) =>
      lines(`GET /api/endpoints/query/all.types?whole=${nonce * 1_000 + at} HTTP/1.1`, ...keyed),
    ),
  'the GraphiQL page': () =>
    pipelined(1, () => lines('GET /graphql HTTP/1.1', 'Host: a', 'Accept: text/html')),
  'preflights with many headers': () =>
    Buffer.from(
      lines(
        'OPTIONS /graphql HTTP/1.1',
        'Host: a',
        'Origin: https://a.test',
        'Access-Control-Request-Method: POST',
        `Access-Control-Request-Headers: ${'x-a,'.repeat(3_500)}x`,
        'Connection: close',
      ),
    ),
  'text that is not UTF-8': () => {
    const body = Buffer.alloc(250_000, 0xff);
    const head = lines(
      'POST /graphql HTTP/1.1',
      ...keyed,
      json,
      `Content-Length: ${body.length}`,
      'Connection: close',
    );
    return Buffer.concat([Buffer.from(head), body]);
  },
  'lone surrogates': (nonce) =>
    postOperation(
      `query q${nonce} ($v: String!) { ${times(20, (at) => `a${at}: allTypes(text: $v) { rowCount }`)} }`,
      `{"v":"${'\\ud800'.repeat(40_000)}"}`,
    ),
  'conditions of many variables': (nonce) =>
    postOperation(
      `query q${nonce} (${times(45, (at) => `$v${at}: Boolean = true`)}) { logsAll(project: "p") { rows { ${times(45, (at) => `id @include(if: $v${at})`)} } } }`,
    ),
  'wide fragments in all root fields': (nonce) =>
    postOperation(
      `query q${nonce} { ${times(20, (at) => `a${at}: logsAll(project: "p${at}") { ...F }`)} } fragment F on LogsAllResult { rows { ...R } rowCount truncated computedAt cost { jobId bytesBilled } } fragment R on LogsAllRow { id timestamp eventMessage metadata { request { path } } __typename }`,
    ),
  'the same columns in all root fields': (nonce) =>
    postOperation(
      `query q${nonce} { ${times(20, (at) => `a${at}: logsAll(project: "p") { rows { id timestamp eventMessage metadata { request { path } } ...R } rows { ...R id } } `)} } fragment R on LogsAllRow { id timestamp eventMessage metadata { request { path } } __typename }`,
    ),
  'inline fragments inside each other': (nonce) =>
    postOperation(
      `query q${nonce} { logsAll(project: "p") { ${'... @include(if: true) { '.repeat(40)} rowCount ${'}'.repeat(40)} } }`,
    ),
  'names of the greatest length': (nonce) =>
    postOperation(
      `query q${nonce} { ${times(20, (at) => `${'n'.repeat(290)}${at}: logsAll(project: "p${at}") { rows { ${at === 0 ? `${'m'.repeat(290)}: id` : 'id'} } }`)} }`,
    ),
  'default values as long as a body': (nonce) =>
    postOperation(
      `query q${nonce} ($v: String = "${'Did you mean '.repeat(18_000)}") { allTypes(text: $v) { rowCount } }`,
    ),
  'block strings of many lines': (nonce) =>
    postOperation(
      `query q${nonce} { allTypes(text: """${'\n  a'.repeat(2_300)}${' '.repeat(200_000)}""") { rowCount } }`,
    ),
  'an endpoint of a long name': (nonce) =>
    postOperation(`query q${nonce} { endpoint(name: "${'Did you mean '.repeat(18_000)}") { name } }`),
  'a type of a long name': (nonce) =>
    postOperation(`query q${nonce} { __type(name: "${'Did you mean '.repeat(18_000)}") { name } }`),
  'a GET of escapes': (nonce) =>
    get(
      `/graphql?query=${encodeURIComponent(`{ a${nonce}: __typename }`)}&variables=${'%7b%22a%22%3a'.repeat(550)}`,
    ),
  'a GET with parameters again and again': () => get(`/graphql?${'query={a}&'.repeat(780)}`),
  'a batch of operations': () =>
    Buffer.from(
      lines('POST /graphql HTTP/1.1', ...keyed, json, 'Content-Length: 249986', 'Connection: close') +
        `[${'{"query":"{ a }"},'.repeat(13_888)}1]`,
    ),
  'objects inside objects inside variables': (nonce) =>
    postOperation(
      `query q${nonce} ($v: String) { allTypes(text: $v) { rowCount } }`,
      `{"v":${'{"v":['.repeat(30_000)}${']}'.repeat(30_000)}}`,
    ),
  'numbers of many digits in a list': (nonce) =>
    postOperation(
      `query q${nonce} ($v: [SafeInt!]) { __typename @include(if: true) a: __typename }`,
      `{"v":[${times(60, () => '9'.repeat(4_000), ',')}]}`,
    ),
};

export const wireRequests: readonly CostlyRequest[] = Object.entries(shapes).map(([name, build]) => ({
  name: `wire: ${name}`,
  build,
}));
