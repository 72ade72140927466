import { apiKey } from '../../support/test-app.ts';

/** One request that may cost much: a shape at one size. */
export interface CostlyRequest {
  readonly name: string;
  /** The bytes as they are sent. @param nonce makes the text unlike those of other attempts */
  readonly build: (nonce: number) => Buffer;
}

/** Just below the limits of `http/message/http-limits.ts`. */
const bodySizes = [16_000, 64_000, 250_000];
const headerSizes = [4_000, 15_500];
const urlSizes = [2_000, 7_900];

/** For the nonce. */
const headroom = 30;

/** A text of a length made of one part, again and again. */
const fill = (part: string, length: number): string =>
  part.repeat(Math.ceil(length / part.length)).slice(0, length);

const times = (count: number, text: (at: number) => string, separator = ' '): string =>
  Array.from({ length: count }, (_, at) => text(at)).join(separator);

function httpRequest(line: string, headers: readonly string[] = [], body = ''): Buffer {
  const bytes = Buffer.from(body);
  const head = [
    `${line} HTTP/1.1`,
    ...(headers.some((header) => header.startsWith('Host:')) ? [] : ['Host: gateway.test']),
    `X-API-KEY: ${apiKey}`,
    'Connection: close',
    ...headers,
    ...(bytes.length > 0 ? [`Content-Length: ${bytes.length}`] : []),
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]);
}

export const postBody = (path: string, body: string, ...headers: string[]): Buffer =>
  httpRequest(`POST ${path}`, ['Content-Type: application/json', ...headers], body);

const post = (body: string, ...headers: string[]) => postBody('/graphql', body, ...headers);

/** @param variables as JSON text, which may be more than `JSON.stringify` can write */
export const postOperation = (query: string, variables = '{}'): Buffer =>
  post(`{"query":${JSON.stringify(query)},"variables":${variables}}`);

export const get = (target: string, ...headers: string[]): Buffer => httpRequest(`GET ${target}`, headers);

const textParts = [
  'Did you mean ',
  ' Did you mean x?',
  ' ',
  '"',
  '\\',
  '\n',
  '9',
  'x',
  'é',
  '😀',
  '\u0001',
  '2026-01-01T00:00:00',
  'a,',
  '(',
  "'",
];

/** Parameters of `all.types`, one of each type that a saved query may declare, and of the shipped queries. */
const places: readonly (readonly [type: string, argument: string])[] = [
  ['UsageInterval', 'usage'],
  ['DateTime', 'moment'],
  ['SafeInt', 'whole'],
  ['Float', 'fraction'],
  ['Boolean', 'flag'],
  ['String', 'text'],
  ['String', 'expression'],
  ['UUID', 'id'],
  ['[Choice!]', 'choices'],
  ['[String!]', 'texts'],
];

function fieldOf(argument: string, value: string): string {
  if (argument === 'usage') return `usageApiCounts(project: "p", interval: ${value}) { rowCount }`;
  if (argument === 'id') return `endpoint(id: ${value}) { name }`;
  return `allTypes(${argument}: ${value}) { rowCount }`;
}

const variableOperation = ([type, argument]: (typeof places)[number], nonce: number) =>
  `query q${nonce} ($v: ${type}!) { ${fieldOf(argument, '$v')} }`;

/** A JSON text of at most so many bytes. */
function jsonTextOf(part: string, bytes: number): string {
  const escaped = JSON.stringify(part).slice(1, -1);
  return `"${escaped.repeat(Math.floor(bytes / Buffer.byteLength(escaped)))}"`;
}

const jsonValues: Readonly<Record<string, (size: number) => string>> = {
  ...Object.fromEntries(
    textParts.map((part) => [`a text of ${JSON.stringify(part)}`, (size: number) => jsonTextOf(part, size)]),
  ),
  'a number of many digits': (size) => fill('9', size),
  'a fraction of many digits': (size) => `0.${fill('123456789', size)}`,
  'a wide list': (size) => `[${fill('1,', size - 1)}1]`,
  'a list of texts': (size) => `[${fill('"Did you mean ",', size - (size % 16))}1]`,
  'a deep list': (size) => '['.repeat(size / 2) + ']'.repeat(size / 2),
  'a wide object': (size) => `{${times(Math.floor(size / 12), (at) => `"k${at}":${at}`, ',')}}`,
  'a deep object': (size) => `${'{"a":'.repeat(size / 6)}1${'}'.repeat(size / 6)}`,
  'a long name': (size) => `{"${fill('x', size)}":1}`,
  'a list of objects': (size) => `[${times(Math.floor(size / 8), () => '{"a":1}', ',')}]`,
  'a list of texts only': (size) => `[${times(Math.floor(size / 4), () => '"a"', ',')}]`,
  'a list of wide objects': (size) => {
    const object = `{${times(500, (at) => `"k${at}":${at}`, ',')}}`;
    return `[${times(Math.floor(size / (object.length + 1)), () => object, ',')}]`;
  },
};

const variables: readonly CostlyRequest[] = Object.entries(jsonValues).flatMap(([shape, jsonOf]) =>
  places.map((place) => ({
    name: `variables: ${shape}, ${bodySizes.at(-1)} bytes, for ${place[0]} (${place[1]})`,
    build: (nonce) => postOperation(variableOperation(place, nonce), `{"v":${jsonOf(249_000)}}`),
  })),
);

const otherVariables = each(bodySizes, 'variables', {
  'unknown names': (size, nonce) => [
    `query q${nonce} { __typename }`,
    `{${times(Math.floor(size / 14), (at) => `"k${at}":${at}`, ',')}}`,
  ],
  'an unknown long name': (size, nonce) => [
    `query q${nonce} { __typename }`,
    `{"${fill('Did you mean ', size)}":1}`,
  ],
  'a list for each of many lists': (size, nonce) => [
    `query q${nonce} ($v: [[UsageInterval!]!]!) { ${fieldOf('usage', '$v')} }`,
    `{"v":[${fill('["A"],', size - (size % 6))}["A"]]}`,
  ],
  'a list of wrong values': (size, nonce) => [
    `query q${nonce} ($v: [UsageInterval!]!) { __typename ... @include(if: false) { __typename } }`,
    `{"v":[${fill('"A",', size - (size % 4))}"A"]}`,
  ],
  'many wrong values': (size, nonce) => [
    `query q${nonce} (${times(200, (at) => `$v${at}: Int!`)}) { ${times(20, (at) => `a${at}: __typename`)} }`,
    `{${times(200, (at) => `"v${at}":"${fill('Did you mean ', Math.floor(size / 220))}"`, ',')}}`,
  ],
  'one value for many declared variables': (size, nonce) => [
    `query q${nonce} (${times(300, (at) => `$v${at}: Boolean = true`)}) { __typename ${times(30, (at) => `@include(if: $v${at})`)} }`,
    `{"v0":"${fill('x', size)}"}`,
  ],
  'one value in twenty fields': (size, nonce) => [
    `query q${nonce} ($v: String!) { ${times(20, (at) => `a${at}: allTypes(text: $v) { rowCount }`)} }`,
    `{"v":"${fill('Did you mean ', size)}"}`,
  ],
  'one pattern in twenty fields': (size, nonce) => [
    `query q${nonce} ($v: String!) { ${times(20, (at) => `a${at}: allTypes(expression: $v) { rowCount }`)} }`,
    `{"v":"${fill('(a|', size)}"}`,
  ],
});

const literals: Readonly<Record<string, (size: number) => string>> = {
  ...Object.fromEntries(
    ['Did you mean ', '9', ' ', '\\"', '\\u0041', 'é'].map((part) => [
      `a text of ${JSON.stringify(part)}`,
      (size: number) => `"${fill(part, size - (size % part.length))}"`,
    ]),
  ),
  'a block string of lines': (size) => `"""${fill('\n ', size)}"""`,
  'a block string of quotes': (size) => `"""${fill('\\""" ', size - (size % 5))}"""`,
  'a block string of indents': (size) => `"""a\n${fill(' ', size / 2)}b\n${fill(' ', size / 2)}c"""`,
  'a name': (size) => fill('Did_you_mean_', size),
  'a number': (size) => fill('9', size),
  'a fraction': (size) => `1.${fill('9', size)}`,
  'an exponent': (size) => `1e${fill('9', size)}`,
  'an object': (size) => `{${times(600, (at) => `${fill('k', Math.floor(size / 620))}${at}: 1`)}}`,
  'a list': (size) => `[${times(1_800, () => `${fill('9', Math.floor(size / 1_900))}`)}]`,
  'nested lists': () => `${'['.repeat(40)}1${']'.repeat(40)}`,
};

const literalRequests: readonly CostlyRequest[] = Object.entries(literals).flatMap(([shape, literalOf]) =>
  places.map(([type, argument]) => ({
    name: `literals: ${shape}, 125,000 bytes, for ${type} (${argument})`,
    build: (nonce) => postOperation(`query q${nonce} { ${fieldOf(argument, literalOf(124_000))} }`),
  })),
);

const documents = eachDocument(bodySizes, {
  'a long field': (size) => `{ ${fill('f', size)} }`,
  'a long alias': (size) => `{ ${fill('f', size)}: __typename }`,
  'a long alias of a wrong field': (size) => `{ ${fill('f', size)}: nothing }`,
  'a long argument': (size) => `{ logsAll(${fill('a', size)}: 1) { rowCount } }`,
  'a long directive': (size) => `{ __typename @${fill('d', size)} }`,
  "a directive's long argument": (size) => `{ __typename @skip(${fill('d', size)}: true) }`,
  'a long fragment': (size) => `{ ...${fill('d', size)} }`,
  'a long type condition': (size) => `{ ... on ${fill('d', size)} { __typename } }`,
  'a long variable': (size) => `query ($${fill('d', size)}: Int) { __typename }`,
  'a long undeclared variable': (size) => `{ logsAll(project: $${fill('d', size)}) { rowCount } }`,
  'a long variable type': (size) => `query ($v: ${fill('d', size)}) { __typename }`,
  'a long operation name': (size) => `query ${fill('d', size)} { nothing }`,
  'a long keyword': (size) => fill('query', size),
  'a long comment': (size) => `{ __typename } #${fill('Did you mean ', size)}`,
  'comments in lines': (size) => `{ __typename }${fill('\n#', size)}`,
  'comments in lines before an error': (size) => `${fill('\n#', size)} { nothing }`,
  'line breaks before errors': (size) => `${fill('\n', size / 2)} { ${times(100, (at) => `f${at}`)} }`,
  commas: (size) => `{ __typename ${fill(',', size)} }`,
  'spaces and an error': (size) => `{ __typename ${fill(' ', size)}`,
  'an unterminated string': (size) => `{ f(a: "${fill('Did you mean ', size)}`,
  'an unterminated block string': (size) => `{ f(a: """${fill('\n ', size / 2)}`,
  'a string before an error': (size) => `{ "${fill('Did you mean ', size)}"`,
  'a block string before an error': (size) => `{ """${fill(' \n', size / 2)}"""`,
  'a name before an error': (size) => `{ a(${fill('d', size)} }`,
  'a number before an error': (size) => `{ ${fill('9', size)}`,
  'a description': (size) => `"${fill('Did you mean ', size)}" query { __typename }`,
  'escapes without a character': (size) => `{ f(a: "${fill('\\u0041', size / 3)}\\q") }`,
  'an unknown character': (size) => `{ ${fill(' ', size / 2)}\u0001${fill(' ', size / 2)} }`,
  'byte order marks': (size) => `{ __typename ${fill('\uFEFF', size / 3)} }`,
  'brackets that open': (size) => fill('{', size),
  'brackets that open in turn': (size) => fill('{a(', size),
  'brackets that close': (size) => fill('}', size),
  spreads: (size) => `{ ${fill('...', size)} }`,
  'wrong variables in lines': (size) =>
    `${fill('\n', size / 2)} query (${times(380, () => '$a: Int')}) { __typename }`,
  'repeated arguments in lines': (size) =>
    `${fill('\n', size / 2)} { logsAll(${times(600, () => 'project: "p"')}) { rowCount } }`,
  'conflicting fields in lines': (size) =>
    `${fill('\n', size / 2)} { endpoints { ${times(40, (at) => (at % 2 ? 'a: name' : 'a: id'))} } }`,
  'undefined variables in lines': (size) =>
    `${fill('\n', size / 2)} { ${times(20, (at) => `a${at}: logsAll(project: $v${at}) { rowCount }`)} }`,
  'a cycle of fragments in lines': (size) =>
    `${fill('\n', size / 2)} { ...F0 } ${times(120, (at) => `fragment F${at} on Query { ...F${(at + 1) % 120} }`)}`,
  'as many lines as are allowed, and errors': () =>
    `${fill('\n', 2_400)} query (${times(50, () => '$a: Int')}) { ${times(50, (at) => `f${at}`)} }`,
  'as many lines as are allowed, and repeated names': () =>
    `${fill('\n', 2_400)} query (${times(20, (at) => `${times(18, () => `$v${at}: Int`)}`)}) { __typename }`,
  'as many lines as are allowed, and errors of all fields': () =>
    `${fill('\n', 2_400)} { ${times(20, (at) => `a${at}: allTypes(expression: "(") { rowCount }`)} }`,
  'as many lines as are allowed, and errors of all fields, by Yoga': () =>
    `${fill('\n', 2_400)} { endpoints { name } ${times(19, (at) => `a${at}: allTypes(expression: "(") { rowCount }`)} }`,
  'a type definition': (size) => `type ${fill('d', size)} { a: Int }`,
});

const repeatedRows = (count: number) => times(count, () => 'rows { id }');

const tokens = eachDocument([0], {
  'F9: repeated fields': () => `{ logsAll(project: "p") { ${repeatedRows(450)} } }`,
  'as many repeated fields as are allowed': () =>
    `{ ${times(4, (at) => `r${at}: logsAll(project: "p") { ${times(50, () => 'rows { id eventMessage metadata { request { path } } __typename }')} }`)} }`,
  'as many repeated fragments as are allowed': () =>
    `{ ${times(4, (at) => `r${at}: logsAll(project: "p") { ${times(50, () => 'rows { id ...R }')} }`)} } fragment R on LogsAllRow { eventMessage metadata { request { path } } __typename }`,
  'as many different fragments as are allowed': () =>
    `{ ${times(3, (at) => `r${at}: logsAll(project: "p") { ${times(49, (f) => `...R${f}`)} }`)} } ${times(49, (f) => `fragment R${f} on LogsAllResult { rows { id eventMessage metadata { request { path } } __typename } }`)}`,
  'as many fragments of fragments as are allowed': () =>
    `{ ${times(3, (at) => `r${at}: logsAll(project: "p") { ${times(40, (f) => `...R${f}`)} }`)} } ${times(40, (f) => `fragment R${f} on LogsAllResult { rows { id ...S${f} } }`)} ${times(40, (f) => `fragment S${f} on LogsAllRow { eventMessage metadata { request { path } } }`)}`,
  'as many fragments in as many fields as are allowed': () =>
    `{ logsAll(project: "p") { ${times(16, () => `rows { ${times(30, (f) => `...R${f % 9}`)} }`)} } } ${times(9, (f) => `fragment R${f} on LogsAllRow { ${['id', 'eventMessage', 'metadata { request { path } }'][f % 3]} }`)}`,
  'repeated scalars': () => `{ logsAll(project: "p") { ${times(1_900, () => 'rowCount')} } }`,
  'repeated columns': () => `{ logsAll(project: "p") { rows { ${times(1_900, () => 'id')} } } }`,
  'repeated root fields': () => `{ ${times(19, () => `logsAll(project: "p") { ${repeatedRows(20)} }`)} }`,
  'repeated __typename': () => `{ endpoints { ${times(1_900, () => '__typename')} } }`,
  'repeated nested fields': () =>
    `{ endpoints { ${times(200, () => 'parameters { values { name description } }')} } }`,
  'repeated in two levels': () =>
    `{ endpoints { ${times(40, () => `parameters { ${times(40, () => 'name')} }`)} } }`,
  'repeated inline fragments': () =>
    `{ logsAll(project: "p") { ${times(300, () => '... { rows { id } }')} } }`,
  'repeated typed fragments': () =>
    `{ logsAll(project: "p") { ${times(240, () => '... on LogsAllResult { rows { id } }')} } }`,
  'repeated fragments': () =>
    `{ logsAll(project: "p") { ${times(120, (at) => `...F${at}`)} } } ${times(120, (at) => `fragment F${at} on LogsAllResult { rows { id } }`)}`,
  'fragments that spread all others': () =>
    `{ endpoints { ${times(24, (at) => `...F${at}`)} } } ${times(24, (at) => `fragment F${at} on Endpoint { name ${times(24, (other) => (other > at ? `...F${other}` : 'id'))} }`)}`,
  'fragments of fields that spread all others': () =>
    `{ endpoints { ...F0 } } ${times(22, (at) => `fragment F${at} on Endpoint { parameters { name } ${times(21 - at, (more) => `...F${at + more + 1}`)} }`)}`,
  'a ladder of fragments': () =>
    `{ endpoints { ...F0 } } ${times(60, (at) => `fragment F${at} on Endpoint { ${at < 59 ? `...F${at + 1} ...F${at + 1}` : 'name'} name id parameters { name } }`)}`,
  'one fragment spread again and again': () =>
    `{ endpoints { ${times(700, () => '...F')} } } fragment F on Endpoint { name parameters { name } }`,
  'fragments in fields': () =>
    `{ endpoints { ${times(60, () => 'parameters { ...F }')} } } fragment F on Parameter { ${times(40, () => 'name')} ${times(40, () => 'values { name }')} }`,
  'fragments of fields in fields': () =>
    `{ endpoints { ${times(48, () => '...E')} } } fragment E on Endpoint { ${times(45, () => 'parameters { ...P }')} } fragment P on Parameter { ${times(45, () => 'values { ...V }')} } fragment V on EnumValue { ${times(45, () => 'name')} }`,
  'conflicting aliases': () =>
    `{ endpoints { ${times(24, () => 'a: name a: id')} ${times(400, () => 'name')} } }`,
  'conflicting arguments': () =>
    `{ ${times(20, (at) => `logsAll(project: "${at}") { ${repeatedRows(20)} }`)} }`,
  'many operations': () => times(390, (at) => `query Q${at} { __typename }`),
  'operations of one name': () => times(390, () => 'query Q { __typename }'),
  'operations that share fragments': () =>
    `${times(150, (at) => `query Q${at} { ...F0 }`)} ${times(80, (at) => `fragment F${at} on Query { ...F${at + 1} }`)} fragment F80 on Query { __typename }`,
  'operations with variables': () =>
    `${times(60, (at) => `query Q${at} ($a: Int) { ...F0 }`)} ${times(80, (at) => `fragment F${at} on Query { ...F${at + 1} }`)} fragment F80 on Query { __typename }`,
  'many fragments': () => `{ __typename } ${times(240, (at) => `fragment F${at} on Query { __typename }`)}`,
  'fragments of one name': () => `{ ...F } ${times(240, () => 'fragment F on Query { __typename }')}`,
  'a cycle of fragments': () =>
    `{ ...F0 } ${times(240, (at) => `fragment F${at} on Query { ...F${(at + 1) % 240} }`)}`,
  'fragments that all spread all': () =>
    `{ ...F0 } ${times(28, (at) => `fragment F${at} on Query { ${times(28, (other) => `...F${other}`)} }`)}`,
  'many variables': () => `query (${times(480, (at) => `$v${at}: Int`)}) { __typename }`,
  'variables of unknown types': () => `query (${times(480, (at) => `$v${at}: T${at}`)}) { __typename }`,
  'variables of nested lists': () =>
    `query (${times(20, (at) => `$v${at}: ${'['.repeat(45)}Int${']'.repeat(45)}`)}) { __typename }`,
  'many directives': () => `{ __typename ${times(300, () => '@skip(if: false)')} }`,
  'unknown directives': () => `{ __typename ${times(900, (at) => `@d${at}`)} }`,
  'unknown fields': () => `{ endpoints { ${times(1_900, (at) => `f${at}`)} } }`,
  'unknown arguments': () => `{ logsAll(${times(600, (at) => `a${at}: 1`)}) { rowCount } }`,
  'nested introspection': () =>
    '{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }',
  'types of types': () =>
    `{ __schema { types { name fields { name args { name type { name ${fill('ofType { name ', 105)} ${'}'.repeat(7)} } } } } } }`,
  'introspection, everything': () =>
    '{ __schema { queryType { name } types { kind name description fields(includeDeprecated: true) { name description args { name description defaultValue type { kind name ofType { kind name ofType { name } } } } type { kind name ofType { kind name ofType { kind name } } } } inputFields { name } enumValues { name description } possibleTypes { name } } directives { name args { name } } } }',
  'introspection, in fifty aliases': () =>
    `{ __schema { ${times(49, (at) => `a${at}: types { name fields { name } }`)} } }`,
  'types by name, in twenty fields': () =>
    `{ ${times(20, (at) => `a${at}: __type(name: "Query") { fields { name type { name } args { name } } }`)} }`,
  'the catalog, in fifty aliases': () => `{ endpoints { ${times(49, (at) => `a${at}: columns { name }`)} } }`,
});

const bodies = each(bodySizes, 'bodies', {
  'huge extensions': (size, nonce) =>
    post(`{"query":"{ a${nonce}: __typename }","extensions":{"e":"${fill('Did you mean ', size)}"}}`),
  'wide extensions': (size, nonce) =>
    post(
      `{"query":"{ a${nonce}: __typename }","extensions":{${times(Math.floor(size / 14), (at) => `"k${at}":${at}`, ',')}}}`,
    ),
  'deep extensions': (size, nonce) =>
    post(
      `{"query":"{ a${nonce}: __typename }","extensions":{"a":${'['.repeat(size / 2)}${']'.repeat(size / 2)}}}`,
    ),
  'a long operationName': (size, nonce) =>
    post(`{"query":"query q${nonce} { __typename }","operationName":"${fill('Did you mean ', size)}"}`),
  'an unknown long member': (size, nonce) =>
    post(`{"query":"{ a${nonce}: __typename }","${fill('Did you mean ', size)}":1}`),
  'unknown members': (size, nonce) =>
    post(
      `{"query":"{ a${nonce}: __typename }",${times(Math.floor(size / 14), (at) => `"k${at}":${at}`, ',')}}`,
    ),
  'deep lists': (size) => post('['.repeat(size)),
  'many batches': (size) => post(`[${fill('{},', size - (size % 3))}{}]`),
  'a document of another type': (size) =>
    post(`{"query":[${fill('"Did you mean ",', size - (size % 16))}1]}`),
  'variables of another type': (size) =>
    post(`{"query":"{ __typename }","variables":"${fill('Did you mean ', size)}"}`),
  'broken JSON': (size) => post(`{"query":"${fill('Did you mean ', size)}`),
  'escapes in JSON': (size) => post(`{"query":"${fill('\\u0041', size - (size % 6))}"}`),
  'many queries': (size) => post(`{${fill('"query":"{ __typename }",', size - (size % 25))}"query":"{ x }"}`),
});

const patternTexts: Readonly<Record<string, (size: number) => string>> = {
  'F2: wide ranges under (?i)': (size) => `(?i)[${fill('!-\uffff', size - 6)}]`,
  'ranges beyond the BMP under (?i)': (size) => `(?i)[${fill('a-\u{10ffff}', size - (size % 4) - 10)}]`,
  'wide ranges': (size) => `[${fill('!-\uffff', size - 2 - (size % 3))}]`,
  'one wide class after the other': (size) => `(?i)${fill('[!-\uffff]', size - 4 - (size % 5))}`,
  'negated classes': (size) => `(?i)${fill('[^\\pL\\pN]', size - 4 - (size % 9))}`,
  'one negated class of classes': (size) => `(?i)[^${fill('\\pL\\PN', size - 8)}]`,
  'properties under (?i)': (size) => `(?i)${fill('\\pL', size - 4 - (size % 3))}`,
  'a counted property under (?i)': () => '(?i)\\pL{990}',
  'counted counts of a property': () => '(?i)((\\pL\\pN){20}){20}',
  'a counted negated class': () => '[^\\pL\\pN]{1000}',
  'a counted wide class': () => '(?i)[^a]{1000}',
  'a counted dot': () => '(?s).{1000}',
  'scripts in one class': (size) =>
    `(?i)[${fill('\\p{Greek}\\p{Latin}\\p{Han}\\P{Cyrillic}', size - 6 - (size % 36))}]`,
  'scripts that do not exist': (size) => fill('\\p{Nothing}', size - (size % 11)),
  'named classes': (size) => `(?i)[${fill('[:^alpha:][:^digit:]', size - 6 - (size % 20))}]`,
  'small ranges in a class': (size) =>
    `[${times(Math.floor(size / 3.1), (at) => `${String.fromCodePoint(0x400 + 4 * at)}-${String.fromCodePoint(0x402 + 4 * at)}`, '')}]`,
  'small ranges in a class under (?i)': (size) =>
    `(?i)[${times(Math.floor((size - 6) / 3.1), (at) => `${String.fromCodePoint(0x400 + 4 * at)}-${String.fromCodePoint(0x402 + 4 * at)}`, '')}]`,
  'ranges downwards under (?i)': (size) =>
    `(?i)[${times(Math.floor((size - 6) / 3.1), (at) => `${String.fromCodePoint(0x9000 - 4 * at)}-${String.fromCodePoint(0x9002 - 4 * at)}`, '')}]`,
  'folding letters': (size) => `(?i)${fill('ſKk', size - 4)}`,
  alternatives: (size) => fill('a|', size - 1),
  'alternatives with common starts': (size) =>
    times(Math.floor(size / 8), (at) => `abcd${at % 100}`, '|').slice(0, size),
  'alternatives of classes': (size) => `(?i)${fill('[b-y]|', size - 5 - (size % 6))}`,
  'alternatives of wide classes': (size) => `(?i)${fill('[b-\uffff]|', size - 4 - ((size - 4) % 6))}a`,
  'nested groups': (size) => '('.repeat(size / 2) + ')'.repeat(size / 2),
  'nested stars': (size) => `${'('.repeat(size / 3)}a${')*'.repeat(size / 3)}`,
  'nested empty alternatives': (size) => `${'(|'.repeat(size / 4)}a${')*'.repeat(size / 4)}`,
  'open groups': (size) => fill('(', size),
  'open classes': (size) => fill('[', size),
  'open classes of classes': (size) => fill('[[:', size),
  'open quotes': (size) => fill('\\Q', size),
  'open properties': (size) => fill('\\p{', size),
  'open counts': (size) => fill('{1', size),
  'flags again and again': (size) => fill('(?i)', size - (size % 4)),
  'named groups': (size) =>
    times(Math.floor(size / 14), (at) => `(?P<n${1000 + at}>a)`, '').slice(0, size - (size % 12)),
  'counts of counts': () => '((((a{1,5}){1,5}){1,5}){1,5}){0,1}',
  'counts of nothing': (size) => `${'('.repeat(size / 8)}${'){1000}'.repeat(size / 8)}`.slice(0, size),
  'optional counts': () => '(?:a?){500}(?:a{0,1}){400}',
  'unfinished counts': () => '((a{0,1000}){0,1})',
  backslashes: (size) => fill('\\', size),
};

/** A part of a pattern that changes nothing, so that no attempt finds the pattern remembered. */
const patternNonce = (nonce: number) => `(?:${nonce})?`;

const patternOf = (shape: string, nonce: number, size = 1_000): string =>
  `${patternTexts[shape]?.(size) ?? ''}${patternNonce(nonce)}`;

const patternShapes = Object.keys(patternTexts);

const patternVariables = (nonce: number, pattern: string) =>
  postOperation(
    `query q${nonce} ($v: String!) { ${times(20, (at) => `a${at}: allTypes(expression: $v) { rowCount }`)} }`,
    JSON.stringify({ v: pattern }),
  );

const patterns: readonly CostlyRequest[] = patternShapes.flatMap((shape) => [
  {
    name: `patterns: ${shape}, in a URL`,
    build: (nonce: number) =>
      get(`/api/endpoints/query/all.types?expression=${encodeURIComponent(patternOf(shape, nonce, 880))}`),
  },
  {
    name: `patterns: ${shape}, in twenty fields`,
    build: (nonce: number) => patternVariables(nonce, patternOf(shape, nonce)),
  },
  {
    name: `patterns: twenty patterns, ${shape}`,
    build: (nonce: number) =>
      postOperation(
        `query q${nonce} (${times(20, (at) => `$v${at}: String!`)}) { ${times(20, (at) => `a${at}: allTypes(expression: $v${at}) { rowCount }`)} }`,
        JSON.stringify(
          Object.fromEntries(
            Array.from({ length: 20 }, (_, at) => [`v${at}`, patternOf(shape, 100 * nonce + at + 10, 980)]),
          ),
        ),
      ),
  },
]);

const rest = '/api/endpoints/query/all.types';

const urls = each(urlSizes, 'URLs', {
  'an empty parameter, again and again': (size) => get(`${rest}?${fill('&', size)}`),
  'an unfinished escape, again and again': (size) => get(`${rest}?text=${fill('%', size)}`),
  'escapes that are not UTF-8': (size) => get(`${rest}?text=${fill('%ff', size)}`),
  'escapes of one character': (size) => get(`${rest}?text=${fill('%41', size - (size % 3))}`),
  plus: (size) => get(`${rest}?text=${fill('+', size)}`),
  'a hundred parameters': (size) =>
    get(`${rest}?${times(99, (at) => `a${at}=${fill('x', size / 110)}`, '&')}`),
  'a long parameter name': (size) => get(`${rest}?${fill('api-key-', size)}`),
  'a parameter name of signs': (size) => get(`${rest}?${fill('-', size)}=1`),
  'beginnings of keys': (size) => get(`${rest}?text=${fill('qg_00000000_', size)}`),
  'words that may be keys': (size) => get(`${rest}?text=${fill(`${'k'.repeat(apiKey.length)},`, size)}`),
  separators: (size) => get(`${rest}?text=${fill(',;', size)}`),
  dots: (size) => get(`/${fill('../', size)}`),
  'escaped dots': (size) => get(`/${fill('%2e%2e/', size)}`),
  slashes: (size) => get(fill('/', size)),
  backslashes: (size) => get(`/${fill('\\', size)}`),
  'a long name of an endpoint': (size) => get(`/api/endpoints/query/${fill('a', size)}`),
  'an endpoint of escapes': (size) => get(`/api/endpoints/query/${fill('%', size)}`),
  'a long number': (size) => get(`${rest}?whole=${fill('9', Math.min(size, 4_000))}`),
  'a long fraction': (size) => get(`${rest}?fraction=${fill('9', Math.min(size, 4_000))}.e`),
  'a long moment': (size) => get(`${rest}?moment=${fill('2026-01-01T', Math.min(size, 4_000))}%20`),
  'a long flag': (size) => get(`${rest}?flag=${fill('true', Math.min(size, 4_000))}`),
  'a long enum value': (size) =>
    get(`/api/endpoints/query/usage.api-counts?project=p&interval=${fill('daily', Math.min(size, 4_000))}`),
  'an operation': (size, nonce) =>
    get(`/graphql?query={${'rows{id}'.repeat(3)}a${nonce}:__typename${fill(',', size / 2)}nothing}`),
  'an operation of repeated fields': (size, nonce) =>
    get(
      `/graphql?query={a${nonce}:logsAll(project:%22p%22){${fill('rows{id}', size - 100 - ((size - 100) % 8))}}}`,
    ),
  'variables of one long text': (size, nonce) =>
    get(
      `/graphql?query=query q${nonce}($v:DateTime){allTypes(moment:$v){rowCount}}&variables={%22v%22:%22${fill('Did%20you%20mean%20', size - 120)}%22}`.replaceAll(
        ' ',
        '+',
      ),
    ),
  'variables again and again': (size) =>
    get(`/graphql?query={__typename}${fill('&variables={}', size - 40)}`),
  'extensions of escapes': (size) => get(`/graphql?query={__typename}&extensions=${fill('%', size - 60)}`),
});

const operation =
  (...headers: string[]) =>
  (_size: number, nonce: number) =>
    post(`{"query":"{ a${nonce}: __typename }"}`, ...headers);

const headerParts = [
  ',',
  ' ',
  ';',
  'a,',
  'a;q=1,',
  '*/*;q=0.1,',
  '"',
  'W/"x",',
  'no-cache ',
  ';q=',
  '=',
  '\t, ',
];
const headerNames = [
  'Accept',
  'Accept-Encoding',
  'If-None-Match',
  'Cache-Control',
  'Authorization',
  'LF-ENDPOINT-LABELS',
  'Content-Type',
  'Content-Encoding',
  'Origin',
  'X-Other',
];

const headerRequests: readonly CostlyRequest[] = headerNames.flatMap((header) =>
  headerParts.flatMap((part): CostlyRequest[] => {
    const value = `x${fill(part, 15_500)}x`;
    const isOfBody = header.startsWith('Content-');
    return [
      {
        name: `headers: ${header} of ${JSON.stringify(part)}`,
        build: (nonce) =>
          isOfBody
            ? httpRequest(
                'POST /graphql',
                [
                  ...(header === 'Content-Type' ? [] : ['Content-Type: application/json']),
                  `${header}: ${value}`,
                ],
                `{"query":"{ a${nonce}: __typename }"}`,
              )
            : get(`${rest}?text=t`, `${header}: ${value}`),
      },
    ];
  }),
);

/** With the end that a request needs to be answered. */
const headersForYoga: readonly CostlyRequest[] = ['Accept', 'Accept-Encoding', 'If-None-Match'].flatMap(
  (header) =>
    headerParts.map((part) => ({
      name: `headers: ${header} of ${JSON.stringify(part)}, for Yoga`,
      build: (nonce: number) =>
        post(
          `{"query":"{ a${nonce}: __typename endpoints { name } }"}`,
          `${header}: ${fill(part, 15_400)},application/json`,
        ),
    })),
);

const otherHeaders = each(headerSizes, 'headers', {
  'a Bearer of spaces': (size) => get(`${rest}?text=t`, `Authorization: Bearer ${fill(' ', size)}x`),
  'a Bearer of words': (size) => get(`${rest}?text=t`, `Authorization: Bearer ${fill('x ', size)}`),
  'a Bearer of beginnings': (size) =>
    get(`${rest}?text=t`, `Authorization: Bearer ${fill('qg_00000000_', size)}`),
  'a Content-Type of charsets': (size, nonce) =>
    httpRequest(
      'POST /graphql',
      [`Content-Type: application/json${fill('; charset = ', size)}`],
      `{"query":"{ a${nonce}: __typename }"}`,
    ),
  'Accept of JSON at the end': (size, nonce) =>
    operation(`Accept: ${fill('text/x;q=0.1,', size - (size % 13))}application/json`)(size, nonce),
  'Accept of charsets': (size, nonce) =>
    operation(`Accept: ${fill('*/*;charset=x,', size - (size % 14))}*/*`)(size, nonce),
  'many labels': (size) =>
    get(`${rest}?text=t`, `LF-ENDPOINT-LABELS: ${fill('team=web,', size - (size % 9))}`),
  'a long Host': (size) => httpRequest(`GET ${rest}?text=t`, [`Host: ${fill('a.', size)}`]),
  'a Host of digits': (size) => httpRequest(`GET ${rest}?text=t`, [`Host: ${fill('9', size)}`]),
  'a Host of escapes': (size) => httpRequest(`GET ${rest}?text=t`, [`Host: ${fill('%61', size)}`]),
  'a Host of other letters': (size) => httpRequest(`GET ${rest}?text=t`, [`Host: xn--${fill('a', size)}`]),
  'many headers': (size) =>
    get(`${rest}?text=t`, ...Array.from({ length: Math.floor(size / 12) }, (_, at) => `X-${at}: a`)),
  'one header again and again': (size) =>
    get(`${rest}?text=t`, ...Array.from({ length: Math.floor(size / 20) }, () => 'If-None-Match: x')),
});

/** Every shape at every size that belongs to it. */
export const costlyRequests: readonly CostlyRequest[] = [
  ...variables,
  ...otherVariables,
  ...literalRequests,
  ...documents,
  ...tokens,
  ...bodies,
  ...patterns,
  ...urls,
  ...headerRequests,
  ...headersForYoga,
  ...otherHeaders,
];

type Built = Buffer | readonly [query: string, variables: string];

function each(
  sizes: readonly number[],
  group: string,
  shapes: Readonly<Record<string, (size: number, nonce: number) => Built>>,
): readonly CostlyRequest[] {
  return Object.entries(shapes).flatMap(([shape, build]) =>
    sizes.map((size) => ({
      name: `${group}: ${shape}, ${size} bytes`,
      build: (nonce: number) => {
        const built = build(size - headroom, nonce);
        return built instanceof Buffer ? built : postOperation(...(built as [string, string]));
      },
    })),
  );
}

/** A comment of the end makes each text another one. */
function eachDocument(
  sizes: readonly number[],
  shapes: Readonly<Record<string, (size: number) => string>>,
): readonly CostlyRequest[] {
  return each(
    sizes,
    'documents',
    Object.fromEntries(
      Object.entries(shapes).map(([shape, text]) => [
        shape,
        (size: number, nonce: number) => [`${text(size - 4_000)}\n#${nonce}`, '{}'] as const,
      ]),
    ),
  );
}
