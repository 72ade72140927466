import { gzipSync } from 'node:zlib';
import { apiKey } from '../support/test-app.ts';

/** One request that must be rejected, and how. */
export interface Hostile {
  readonly name: string;
  /** The bytes as they are sent. */
  readonly bytes: string | Buffer;
  readonly status: number;
  readonly code: string;
}

/** A secret that only the requests contain: it must appear neither in a response nor in the log. */
export const planted = 'planted-s3cret-7d1f';

const key = `X-API-KEY: ${apiKey}`;
const stats = '/api/endpoints/query/functions.invocation-stats';
const logs = '/api/endpoints/query/logs.all';
const counts = '/api/endpoints/query/usage.api-counts';

/** A complete request. */
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
const postQuery = (query: string, variables?: unknown) => post(JSON.stringify({ query, variables }));
/** With the Accept header of most clients, for whom some errors would have status 200. */
const postQueryPlain = (query: string) => post(JSON.stringify({ query }), json, 'Accept: application/json');

const fieldOf = (args: string) => `{ usageApiCounts(${args}) { rowCount } }`;
const nested = (depth: number) => `{ ${'endpoints { '.repeat(depth)}name${' }'.repeat(depth)} }`;
const ofType = (depth: number) =>
  `{ __schema { types { ${'ofType { '.repeat(depth)}name${' }'.repeat(depth)} } } }`;
const aliases = (count: number, field = '__typename') =>
  Array.from({ length: count }, (_, at) => `a${at}: ${field}`).join(' ');

/** Each level spreads the next one twice: expanded it has 2^levels fields. */
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
  ['a second key', http(`GET ${logs}?project=p`, [key, 'X-API-KEY: another']), 401, 'UNAUTHENTICATED'],
  [
    'a key of 8,000 characters',
    http(`GET ${logs}?project=p`, [`X-API-KEY: ${'k'.repeat(8_000)}`]),
    401,
    'UNAUTHENTICATED',
  ],
  [
    'bytes that are not ASCII',
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
  ['an unknown endpoint, without a key', http('GET /api/endpoints/query/nope', []), 401, 'UNAUTHENTICATED'],
  ['a secret instead of an endpoint', http(`GET /api/endpoints/query/${planted}`), 404, 'UNKNOWN_QUERY'],
  ['a secret in an unknown path', http(`GET /${planted}`), 404, 'NOT_FOUND'],
  ['a secret in an ignored header', http('GET /nowhere', [`X-Token: ${planted}`]), 404, 'NOT_FOUND'],
  [
    'GraphQL by POST without a key',
    http('POST /graphql', [json], '{"query":"{ __typename }"}'),
    401,
    'UNAUTHENTICATED',
  ],
  [
    'GraphQL by GET without a key, from another site',
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
  ['a key in the query string of an unknown path', http('GET /?api_key=x', []), 400, 'BAD_REQUEST'],
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
  ['OPTIONS of an unknown path', http('OPTIONS /nowhere', []), 404, 'NOT_FOUND'],
  ['OPTIONS *', http('OPTIONS *', []), 400, 'BAD_REQUEST'],
  ['an unknown method', http(`HACK ${logs}?project=p`), 400, 'BAD_REQUEST'],
  ['a method in lower case', http(`get ${logs}?project=p`), 400, 'BAD_REQUEST'],
];

const paths: readonly Row[] = [
  ['two slashes', get(`/${logs}?project=p`), 404, 'NOT_FOUND'],
  ['a trailing slash', get(`${logs}/?project=p`), 404, 'NOT_FOUND'],
  [
    'a slash within the name, escaped',
    get('/api/endpoints/query/logs%2Fall?project=p'),
    404,
    'UNKNOWN_QUERY',
  ],
  ['dots that leave the folder', get('/api/endpoints/query/../../../etc/passwd'), 404, 'NOT_FOUND'],
  [
    'dots that leave the folder, escaped',
    get('/api/endpoints/query/%2e%2e%2f%2e%2e%2fetc%2fpasswd'),
    404,
    'UNKNOWN_QUERY',
  ],
  ['dots that lead to another route', get('/x/../healthz'), 404, 'NOT_FOUND'],
  ['a dot that leads to another route', get('/./healthz'), 404, 'NOT_FOUND'],
  ['dots that lead to another route, escaped', get('/x/%2E%2e/healthz'), 404, 'NOT_FOUND'],
  ['dots at the end', get('/healthz/x/..'), 404, 'NOT_FOUND'],
  ['backslashes', get('/api/endpoints/query/..\\..\\secret'), 400, 'BAD_REQUEST'],
  ['backslashes that lead to another route', get('/x\\..\\healthz'), 400, 'BAD_REQUEST'],
  ['a backslash before a route', get('/\\healthz'), 400, 'BAD_REQUEST'],
  ['a backslash, in an absolute target', get('http://a/x\\..\\healthz'), 400, 'BAD_REQUEST'],
  ['a backslash in a name, escaped', get('/api/endpoints/query/..%5C..%5Csecret'), 404, 'UNKNOWN_QUERY'],
  ['a fragment after a route', get('/healthz#x'), 400, 'BAD_REQUEST'],
  ['a fragment after a query', get('/api/endpoints/query/logs.all?project=p#&nope=1'), 400, 'BAD_REQUEST'],
  ['a host in the path', get('http:///x/healthz'), 404, 'NOT_FOUND'],
  ['a tab within a route', get('/heal\tthz'), 400, 'BAD_REQUEST'],
  ['a NUL in a name', get('/api/endpoints/query/logs.all%00?project=p'), 404, 'UNKNOWN_QUERY'],
  [
    'a line break in a name',
    get('/api/endpoints/query/logs.all%0d%0aSet-Cookie:%20a=b'),
    404,
    'UNKNOWN_QUERY',
  ],
  ['an ill-formed name', get('/api/endpoints/query/%FF%FE'), 404, 'UNKNOWN_QUERY'],
  ['an incomplete escape in a name', get('/api/endpoints/query/logs.all%'), 404, 'UNKNOWN_QUERY'],
  ['a name in upper case', get('/api/endpoints/query/LOGS.ALL?project=p'), 404, 'UNKNOWN_QUERY'],
  ['a name with a file extension', get('/api/endpoints/query/logs.all.sql?project=p'), 404, 'UNKNOWN_QUERY'],
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
  ['an unknown UUID', get('/api/endpoints/query/00000000-0000-4000-8000-000000000000'), 404, 'UNKNOWN_QUERY'],
  ['GraphQL in upper case', get('/GraphQL?query={__typename}'), 404, 'NOT_FOUND'],
  ['GraphQL with a trailing slash', get('/graphql/?query={__typename}'), 404, 'NOT_FOUND'],
  ['an environment file', get('/.env'), 404, 'NOT_FOUND'],
  ['a Git repository', get('/.git/config'), 404, 'NOT_FOUND'],
  ['the absolute URL of another host', get('http://evil.example/nowhere'), 404, 'NOT_FOUND'],
  ['another scheme', get('file:///etc/passwd'), 404, 'NOT_FOUND'],
  ['an invalid target', get('http://[::1/'), 400, 'BAD_REQUEST'],
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
  ['a TLS handshake', `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${planted}\r\n\r\n`, 400, 'BAD_REQUEST'],
  ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', 400, 'BAD_REQUEST'],
  ['HTTP/2 with prior knowledge', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'BAD_REQUEST'],
  ['HTTP/3.0', `GET ${logs} HTTP/3.0\r\nHost: a\r\n\r\n`, 400, 'BAD_REQUEST'],
  ['no version', `GET ${logs}\r\n\r\n`, 401, 'UNAUTHENTICATED'],
  ['no host', `${line}${key}\r\nConnection: close\r\n\r\n`, 400, 'BAD_REQUEST'],
  ['an empty host', `${line}Host:\r\n${key}\r\nConnection: close\r\n\r\n`, 400, 'BAD_REQUEST'],
  ['a host with a space', `${line}Host: a b\r\nConnection: close\r\n\r\n`, 400, 'BAD_REQUEST'],
  ['a host with a path', `${line}Host: a/graphql?\r\nConnection: close\r\n\r\n`, 400, 'BAD_REQUEST'],
  ['a host with a user', `${line}Host: a@b\r\nConnection: close\r\n\r\n`, 400, 'BAD_REQUEST'],
  ['a host with an invalid port', `${line}Host: a:99999\r\nConnection: close\r\n\r\n`, 400, 'BAD_REQUEST'],
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
  ['an invalid length', http('POST /graphql', [key, json, 'Content-Length: five'], ''), 400, 'BAD_REQUEST'],
  ['a negative length', http('POST /graphql', [key, json, 'Content-Length: -1'], ''), 400, 'BAD_REQUEST'],
  [
    'a length beyond the range of numbers',
    http('POST /graphql', [key, json, 'Content-Length: 99999999999999999999'], ''),
    400,
    'BAD_REQUEST',
  ],
  [
    'an unknown transfer coding',
    http('POST /graphql', [key, json, 'Transfer-Encoding: xchunked'], ''),
    400,
    'BAD_REQUEST',
  ],
  ...['gzip, chunked', 'identity,chunked', 'x, CHUNKED'].map(
    (codings): Row => [
      `chunks of ${codings}`,
      Buffer.concat([
        http('POST /graphql', [key, json, `Transfer-Encoding: ${codings}`]),
        Buffer.from('2\r\n{}\r\n0\r\n\r\n'),
      ]),
      501,
      'NOT_IMPLEMENTED',
    ],
  ),
  [
    'chunks in another coding',
    http('POST /graphql', [key, json, 'Transfer-Encoding: chunked, identity'], ''),
    400,
    'BAD_REQUEST',
  ],
  [
    'a chunk with an invalid size',
    Buffer.concat([http('POST /graphql', [key, json, 'Transfer-Encoding: chunked']), Buffer.from('zz\r\n')]),
    400,
    'BAD_REQUEST',
  ],
  [
    'an upgrade to WebSocket on an unknown path',
    get('/subscriptions', 'Connection: Upgrade', 'Upgrade: websocket'),
    404,
    'NOT_FOUND',
  ],
  [
    'an upgrade to HTTP/2 on an unknown path',
    get('/', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAA'),
    404,
    'NOT_FOUND',
  ],
  ['an unknown expectation', get('/nowhere', 'Expect: a-miracle'), 404, 'NOT_FOUND'],
];

const parameters: readonly Row[] = [
  ['a project twice', get(`${logs}?project=p&project=q`), 400, 'INVALID_PARAMETER'],
  ['a project a hundred times', get(`${logs}?${'project=p&'.repeat(99)}`), 400, 'INVALID_PARAMETER'],
  ['no project', get(logs), 400, 'MISSING_PARAMETER'],
  ['an empty project', get(`${logs}?project=`), 400, 'MISSING_PARAMETER'],
  ['a project as an array', get(`${logs}?project[]=p`), 400, 'MISSING_PARAMETER'],
  ['a project as an object', get(`${logs}?project[$ne]=p`), 400, 'MISSING_PARAMETER'],
  ['a project in upper case', get(`${logs}?PROJECT=p`), 400, 'MISSING_PARAMETER'],
  ['a project after a semicolon', get(`${logs}?a=b;project=p`), 400, 'MISSING_PARAMETER'],
  ['a NUL', get(`${logs}?project=a%00b`), 400, 'INVALID_PARAMETER'],
  ['a NUL alone', get(`${logs}?project=%00`), 400, 'INVALID_PARAMETER'],
  ['ill-formed UTF-8', get(`${logs}?project=%C3%28`), 400, 'INVALID_PARAMETER'],
  ['overlong UTF-8', get(`${logs}?project=%C0%AF`), 400, 'INVALID_PARAMETER'],
  ['an encoded surrogate', get(`${logs}?project=%ED%A0%80`), 400, 'INVALID_PARAMETER'],
  ['a code point beyond Unicode', get(`${logs}?project=%F4%90%80%80`), 400, 'INVALID_PARAMETER'],
  ['an incomplete escape', get(`${logs}?project=%4`), 400, 'INVALID_PARAMETER'],
  ['an escape of IIS', get(`${logs}?project=%u0070`), 400, 'INVALID_PARAMETER'],
  ['bytes that are not escaped', get(`${logs}?project=\xff\xfe`), 400, 'BAD_REQUEST'],
  ['a value of 5,000 characters', get(`${logs}?project=${'p'.repeat(5_000)}`), 400, 'INVALID_PARAMETER'],
  [
    '101 parameters',
    get(`${logs}?project=p${Array.from({ length: 101 }, (_, at) => `&a${at}=1`).join('')}`),
    400,
    'BAD_REQUEST',
  ],
  ['2,000 empty parameters', get(`${logs}?project=p${'&'.repeat(2_000)}`), 400, 'BAD_REQUEST'],
  ['an unknown interval', get(`${counts}?project=p&interval=yearly`), 400, 'INVALID_PARAMETER'],
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
  [
    'a parameter of another query instead of a required one',
    get(`${stats}?interval=1day`),
    400,
    'MISSING_PARAMETER',
  ],
  ['an unclosed group', pattern('('), 400, 'INVALID_PARAMETER'],
  ['an unclosed class', pattern('[a'), 400, 'INVALID_PARAMETER'],
  ['a lookahead', pattern('(?=a)'), 400, 'INVALID_PARAMETER'],
  ['a lookbehind', pattern('(?<!a)b'), 400, 'INVALID_PARAMETER'],
  ['a backreference', pattern('(a)\\1'), 400, 'INVALID_PARAMETER'],
  ['a recursive pattern', pattern('(?R)'), 400, 'INVALID_PARAMETER'],
  ['a possessive quantifier', pattern('a++b'), 400, 'INVALID_PARAMETER'],
  ['an atomic group', pattern('(?>a+)b'), 400, 'INVALID_PARAMETER'],
  ['a pattern of 1,025 characters', pattern('a'.repeat(1_025)), 400, 'INVALID_PARAMETER'],
  ['a pattern of 1,024 brackets', pattern('('.repeat(1_024)), 400, 'INVALID_PARAMETER'],
  ['1,024 unclosed classes', pattern('['.repeat(1_024)), 400, 'INVALID_PARAMETER'],
  ['nested counts', pattern('((a{1,100}){1,100}){1,100}'), 400, 'INVALID_PARAMETER'],
  ['six nested counts', pattern('((((((a{10}){10}){10}){10}){10}){10})'), 400, 'INVALID_PARAMETER'],
  ['counts beside counts', pattern('a{1000}'.repeat(140)), 400, 'INVALID_PARAMETER'],
  ['a long group, counted', pattern(`(${'a'.repeat(900)}){1000}`), 400, 'INVALID_PARAMETER'],
  ['a class, counted', pattern('(\\pL\\pN){1000}\\pM{900}'), 400, 'INVALID_PARAMETER'],
  ['a count beyond the range of numbers', pattern('a{99999999999}'), 400, 'INVALID_PARAMETER'],
  ['a reversed count', pattern('a{5,2}'), 400, 'INVALID_PARAMETER'],
  ['an unknown property', pattern('\\p{Nope}'), 400, 'INVALID_PARAMETER'],
  ['a NUL in a pattern', pattern('a\0b'), 400, 'INVALID_PARAMETER'],
  ['a trailing backslash', pattern('abc\\'), 400, 'INVALID_PARAMETER'],
  ['a reversed range', pattern('[z-a]'), 400, 'INVALID_PARAMETER'],
];

const documents: readonly Row[] = [
  ['2,001 tokens', postQuery(`{ ${'name '.repeat(2_001)} }`), 400, 'OPERATION_TOO_LARGE'],
  [
    '2,001 tokens, with the Accept header of most clients',
    postQueryPlain(`{ ${'name '.repeat(2_001)} }`),
    400,
    'OPERATION_TOO_LARGE',
  ],
  ['100,000 brackets', postQuery('{'.repeat(100_000)), 400, 'OPERATION_TOO_LARGE'],
  ['unopened brackets', postQuery('}'.repeat(1_000)), 400, 'GRAPHQL_PARSE_FAILED'],
  ['20,000 nested lists', postQuery(fieldOf(`project: ${'['.repeat(20_000)}`)), 400, 'OPERATION_TOO_LARGE'],
  ['21 levels', postQuery(nested(20)), 400, 'OPERATION_TOO_LARGE'],
  [
    '21 levels, with the Accept header of most clients',
    postQueryPlain(nested(20)),
    400,
    'OPERATION_TOO_LARGE',
  ],
  ['500 levels', postQuery(nested(500)), 400, 'OPERATION_TOO_LARGE'],
  [
    'levels by fragments',
    postQuery(
      `{ endpoints { ...A } } fragment A on Endpoint ${nested(8).replace('{ endpoints', '{ parameters')} fragment B on Endpoint ${nested(20)}`,
    ),
    400,
    'OPERATION_TOO_LARGE',
  ],
  [
    'levels by inline fragments',
    postQuery(nested(15).replaceAll('{ endpoints', '{ ... { endpoints').replaceAll(' }', ' } }')),
    400,
    'GRAPHQL_PARSE_FAILED',
  ],
  ['21 root fields', postQuery(`{ ${'__typename '.repeat(21)} }`), 400, 'OPERATION_TOO_LARGE'],
  [
    '21 root fields, with the Accept header of most clients',
    postQueryPlain(`{ ${'__typename '.repeat(21)} }`),
    400,
    'OPERATION_TOO_LARGE',
  ],
  [
    '21 root fields by a fragment',
    postQuery(`{ ...A ...A ...A } fragment A on Query { ${aliases(7)} }`),
    400,
    'OPERATION_TOO_LARGE',
  ],
  [
    '100 expensive root fields',
    postQuery(`{ ${aliases(100, 'logsAll(project: "p") { rowCount }')} }`),
    400,
    'OPERATION_TOO_LARGE',
  ],
  ['51 aliases', postQuery(`{ endpoints { ${aliases(51, 'name')} } }`), 400, 'OPERATION_TOO_LARGE'],
  [
    '51 aliases, with the Accept header of most clients',
    postQueryPlain(`{ endpoints { ${aliases(51, 'name')} } }`),
    400,
    'OPERATION_TOO_LARGE',
  ],
  [
    'aliases by fragments',
    postQuery(
      `{ x: endpoints { ...A } y: endpoints { ...A } z: endpoints { ...A } } fragment A on Endpoint { ${aliases(17, 'name')} }`,
    ),
    400,
    'OPERATION_TOO_LARGE',
  ],
  ['a fragment bomb of 2^60', postQuery(bomb(60)), 400, 'OPERATION_TOO_LARGE'],
  [
    'a fragment bomb of 2^60, with the Accept header of most clients',
    postQueryPlain(bomb(60)),
    400,
    'OPERATION_TOO_LARGE',
  ],
  [
    'a fragment that spreads itself',
    postQuery('{ ...A } fragment A on Query { __typename ...A }'),
    400,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  [
    'a cycle of fragments',
    postQuery(
      '{ ...A } fragment A on Query { ...B } fragment B on Query { ...C } fragment C on Query { ...A }',
    ),
    400,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  ['an undefined fragment', postQuery('{ ...A }'), 400, 'GRAPHQL_VALIDATION_FAILED'],
  [
    'an unused fragment',
    postQuery('{ __typename } fragment A on Query { __typename }'),
    400,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  [
    'nested lists of the schema',
    postQuery('{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }'),
    400,
    'OPERATION_TOO_LARGE',
  ],
  [
    'the same, with the Accept header of most clients',
    postQueryPlain('{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }'),
    400,
    'OPERATION_TOO_LARGE',
  ],
  ['types of types of types', postQuery(ofType(20)), 400, 'OPERATION_TOO_LARGE'],
  ['a mutation', postQuery('mutation { drop }'), 400, 'BAD_REQUEST'],
  [
    'a mutation, with the Accept header of most clients',
    postQueryPlain('mutation { drop }'),
    400,
    'BAD_REQUEST',
  ],
  ['a mutation by GET', get('/graphql?query=mutation{drop}'), 405, 'METHOD_NOT_ALLOWED'],
  [
    'a mutation that is named, by GET',
    get('/graphql?query=mutation+A{drop}query+B{__typename}&operationName=A'),
    405,
    'METHOD_NOT_ALLOWED',
  ],
  [
    'a query beside a mutation, by GET',
    get('/graphql?query=mutation+A{drop}query+B{__typename}&operationName=B'),
    400,
    'BAD_REQUEST',
  ],
  ['a mutation after a query', postQuery('query A { __typename } mutation B { drop }'), 400, 'BAD_REQUEST'],
  ['a subscription to an unknown field', postQuery('subscription { all }'), 400, 'GRAPHQL_VALIDATION_FAILED'],
  ['a type definition', postQuery('type Query { a: Int }'), 400, 'OPERATION_RESOLUTION_FAILURE'],
  ['@defer', postQuery('{ ... @defer { endpoints { name } } }'), 400, 'GRAPHQL_VALIDATION_FAILED'],
  ['@stream', postQuery('{ endpoints @stream(initialCount: 0) { name } }'), 400, 'GRAPHQL_VALIDATION_FAILED'],
  [
    '@skip a hundred times',
    postQuery(`{ __typename ${'@skip(if: false) '.repeat(100)} }`),
    400,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  ['an unknown directive', postQuery('{ __typename @sql(text: "drop") }'), 400, 'GRAPHQL_VALIDATION_FAILED'],
  [
    'a field that is almost right',
    postQuery('{ logsAl(project: "p") { rowCount } }'),
    400,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  [
    'an argument that is almost right',
    postQuery('{ logsAll(projec: "p") { rowCount } }'),
    400,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  [
    'an enum value that is almost right',
    postQuery(fieldOf('project: "p", interval: DAYLY')),
    400,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  [
    'an enum value as a string',
    postQuery(fieldOf('project: "p", interval: "daily"')),
    400,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  [
    '1,900 unknown fields',
    postQuery(`{ endpoints { ${Array.from({ length: 1_900 }, (_, at) => `f${at}`).join(' ')} } }`),
    400,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  [
    'fields that conflict',
    postQuery(`{ endpoints { ${'name: id name '.repeat(25)} } }`),
    400,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  ['an empty document', postQuery(' '), 400, 'GRAPHQL_PARSE_FAILED'],
  ['a comment of 200 KB', postQuery(`#${'x'.repeat(200_000)}`), 400, 'GRAPHQL_PARSE_FAILED'],
  ['a NUL in a document', postQuery('{ __typename \0 }'), 400, 'GRAPHQL_PARSE_FAILED'],
  [
    'a lone surrogate in a document',
    post('{"query":"{ endpoint(name: \\"\\ud800\\") { id } \\ud800 }"}'),
    400,
    'GRAPHQL_PARSE_FAILED',
  ],
  ['an unterminated string', postQuery('{ endpoint(name: "abc'), 400, 'GRAPHQL_PARSE_FAILED'],
  [
    'a number of 100,000 digits',
    postQuery(`{ endpoint(name: ${'9'.repeat(100_000)}) { id } }`),
    400,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  [
    'an unknown operation name',
    post('{"query":"query A { __typename }","operationName":"B"}'),
    400,
    'OPERATION_RESOLUTION_FAILURE',
  ],
  [
    'two operations without a name',
    postQuery('query A { __typename } query B { __typename }'),
    400,
    'OPERATION_RESOLUTION_FAILURE',
  ],
];

const bodies: readonly Row[] = [
  ['a batch', post('[{"query":"{ __typename }"},{"query":"{ __typename }"}]'), 400, 'BAD_REQUEST'],
  ['an empty batch', post('[]'), 400, 'BAD_REQUEST'],
  ['a batch of 10,000', post(`[${'{"query":"{__typename}"},'.repeat(9_999)}{}]`), 400, 'BAD_REQUEST'],
  ['an incomplete body', post(`{"query": "{ ${planted}`), 400, 'BAD_REQUEST'],
  ['a body of null', post('null'), 400, 'BAD_REQUEST'],
  ['a body of text', post('"{ __typename }"'), 400, 'BAD_REQUEST'],
  ['a body of a number', post('1e999'), 400, 'BAD_REQUEST'],
  ['no body', post(''), 400, 'BAD_REQUEST'],
  ['no query', post('{}'), 400, 'BAD_REQUEST'],
  ['a number as the query', post('{"query":1}'), 400, 'BAD_REQUEST'],
  ['an object as the query', post('{"query":{"a":1}}'), 400, 'BAD_REQUEST'],
  ['a text as variables', post('{"query":"{ __typename }","variables":"x"}'), 400, 'BAD_REQUEST'],
  ['a list as variables', post('{"query":"{ __typename }","variables":[]}'), 400, 'BAD_REQUEST'],
  ['an unknown parameter of the body', post('{"query":"{ __typename }","admin":true}'), 400, 'BAD_REQUEST'],
  [
    '__proto__ in the body',
    post('{"query":"{ __typename }","__proto__":{"admin":true}}'),
    400,
    'BAD_REQUEST',
  ],
  ['100,000 nested lists in the body', post('['.repeat(100_000)), 400, 'BAD_REQUEST'],
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
    'another charset',
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
    'a multipart form',
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
    'plain text with JSON as a parameter',
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
    'a compressed body',
    post(gzipSync('{"query":"{ __typename }"}'), json, 'Content-Encoding: gzip'),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  [
    'two content codings',
    post('{"query":"{ __typename }"}', json, 'Content-Encoding: identity, br'),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  ['no content type', post('{"query":"{ __typename }"}', 'X: y'), 415, 'UNSUPPORTED_MEDIA_TYPE'],
  [
    'multipart responses',
    post('{"query":"{ __typename }"}', json, 'Accept: multipart/mixed'),
    406,
    'NOT_ACCEPTABLE',
  ],
  ['an image', post('{"query":"{ __typename }"}', json, 'Accept: image/png'), 406, 'NOT_ACCEPTABLE'],
  [
    'malformed variables by GET',
    get(`/graphql?query={__typename}&variables={"a":"${planted}`),
    400,
    'BAD_REQUEST',
  ],
  ['a list as variables by GET', get('/graphql?query={__typename}&variables=[]'), 400, 'BAD_REQUEST'],
  ['malformed extensions by GET', get('/graphql?query={__typename}&extensions=x'), 400, 'BAD_REQUEST'],
  ['two queries by GET', get('/graphql?query={__typename}&query={endpoints{name}}'), 400, 'BAD_REQUEST'],
  ['no query by GET', get('/graphql'), 400, 'BAD_REQUEST'],
];

const variable = (type: string, value: unknown) =>
  postQuery(`query ($v: ${type}) { logsAll(project: "p", isoTimestampEnd: $v) { rowCount } }`, { v: value });
const project = (value: unknown) =>
  postQuery('query ($v: String!) { logsAll(project: $v) { rowCount } }', { v: value });
const variables: readonly Row[] = [
  ['a list for a text', project(['p']), 400, 'BAD_USER_INPUT'],
  ['an object for a text', project({ $ne: '' }), 400, 'BAD_USER_INPUT'],
  ['a number for a text', project(1), 400, 'BAD_USER_INPUT'],
  ['undefined for a text', project(undefined), 400, 'BAD_USER_INPUT'],
  ['null for a text', project(null), 400, 'BAD_USER_INPUT'],
  [
    '30,000 nested objects',
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
    'a lone surrogate in a text',
    post('{"query":"query ($v: String!) { logsAll(project: $v) { rowCount } }","variables":{"v":"\\ud800"}}'),
    200,
    'INVALID_PARAMETER',
  ],
  ['a text of 200,000 characters', project('p'.repeat(200_000)), 200, 'INVALID_PARAMETER'],
  ['a time in words', variable('DateTime', 'yesterday'), 400, 'BAD_USER_INPUT'],
  ['a time of 200,000 characters', variable('DateTime', '2'.repeat(200_000)), 400, 'BAD_USER_INPUT'],
  ['a number as a time', variable('DateTime', 1e308), 400, 'BAD_USER_INPUT'],
  ['a variable of another type', variable('Float', 1), 400, 'GRAPHQL_VALIDATION_FAILED'],
  ['a variable of an unknown type', variable('Nope', 1), 400, 'GRAPHQL_VALIDATION_FAILED'],
  [
    'an undeclared variable',
    postQuery('{ logsAll(project: $v) { rowCount } }', { v: 'p' }),
    400,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  [
    'an unclosed group as an argument',
    postQuery(fieldOf('project: "(", interval: DAILY')),
    200,
    'INVALID_PARAMETER',
  ],
  [
    'nested counts as an argument',
    postQuery(fieldOf('project: "((a{1,100}){1,100}){1,100}", interval: DAILY')),
    200,
    'INVALID_PARAMETER',
  ],
  [
    'a pattern of 100,000 characters as an argument',
    postQuery(fieldOf(`project: "${'a'.repeat(100_000)}", interval: DAILY`)),
    200,
    'INVALID_PARAMETER',
  ],
  [
    'an unknown interval as a variable',
    postQuery('query ($i: UsageInterval!) { usageApiCounts(project: "p", interval: $i) { rowCount } }', {
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
  rows.map(([name, bytes, status, code]) => ({ name: `${part}: ${name}`, bytes, status, code })),
);
