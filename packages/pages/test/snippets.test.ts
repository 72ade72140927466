import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tokenize } from '@querygate/bigquery-sql/syntax';
import { type Endpoint, endpointsOf, type OpenapiDocument } from '../src/endpoint.ts';
import {
  bigquerySnippet,
  curlSnippet,
  graphqlVariables,
  pythonSnippet,
  restOnly,
  type SnippetOptions,
  typescriptSnippet,
} from '../src/snippets/snippets.ts';
import { queryText } from '../../../test/support/queries.ts';
import { makeQueryFolder, type QueryFolder } from '../../../test/support/query-folder.ts';
import { type ServedApp, serveTestApp } from '../../../test/support/served-app.ts';
import { apiKey } from '../../../test/support/test-app.ts';
import { isNightly } from '../../../test/support/nightly.ts';

const nasty: readonly (readonly [string, string])[] = [
  ['plain text', 'abc'],
  ['quotes', `it's "quoted" \`run\` and 'more'`],
  ['what a shell expands', `$HOME $(touch /tmp/never) \${PATH} !! ~ * ; & | > \\`],
  ['line breaks and tabs', 'one\ntwo\r\nthree\tfour'],
  ['what a query string splits', 'a&b=c#d?e+f%20g;h'],
  ['a file name for curl', '@/etc/passwd'],
  ['a template and a format', `\${1 + 1} {0} {url} %s \\u0041 \\n`],
  ['Unicode', 'žluťoučký 🐎 \u05d0\u202e\u2028 \u0007 a\u{e0041}\u2063b'],
  ['an end of a comment and a tag', '*/ --> </script> """ \'\'\''],
];

const sql = `-- "a" 'b' \\d\nselect @text as text, @number, @kind, r'\\d+' as pattern`;

describe('snippets of the pages', () => {
  let folder: QueryFolder;
  let served: ServedApp;
  let endpoint: Endpoint;
  let origin: string;
  const scratch = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  beforeAll(async () => {
    folder = makeQueryFolder({
      'echo.one.sql': queryText({
        columns: { text: 'string', number: 'integer', kind: 'string' },
        parameters: {
          text: 'string',
          number: '{ type: integer, default: 7, description: A number. }',
          kind: '{ type: enum, enum: Kind, default: a-b, description: A kind., values: { a-b: { name: A_B, description: One. }, c: { name: C, also: [cc], description: Two. } } }',
        },
        sql,
      }),
    });
    served = await serveTestApp({ QUERIES_DIR: folder.folder }, 1, {
      rows: ({ parameters: { text, number, kind } }) => [
        JSON.stringify({ text, number: Number(number), kind }),
      ],
    });
    origin = `http://127.0.0.1:${served.port}`;
    const response = await fetch(`${origin}/openapi.json`, { headers: { 'x-api-key': apiKey } });
    const [only] = endpointsOf((await response.json()) as OpenapiDocument);
    endpoint = only ?? expect.fail();
  });
  afterAll(async () => {
    await served?.close();
    folder?.close();
    rmSync(scratch, { recursive: true });
  });

  const options = (text: string): SnippetOptions => ({
    origin,
    endpoint,
    values: new Map([
      ['text', [text]],
      ['kind', ['c']],
    ]),
  });

  /** What a program prints. It runs beside this process, which serves it. */
  const run = async (program: string, args: readonly string[]): Promise<string> => {
    const child = spawn(program, args, {
      env: {
        PATH: process.env.PATH,
        QUERYGATE_KEY: apiKey,
        NODE_NO_WARNINGS: '1',
        PYTHONIOENCODING: 'utf-8',
      },
    });
    let [output, errors] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (part) => {
      output += part;
    });
    child.stderr.on('data', (part) => {
      errors += part;
    });
    const [code] = await once(child, 'close');
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    return output;
  };
  const file = (name: string, text: string) => {
    writeFileSync(join(scratch, name), text);
    return join(scratch, name);
  };

  test.each(nasty.filter((_, at) => isNightly || at % 3 === 0))(
    'curl, TypeScript and Python send %s as it is',
    async (_, text) => {
      const row = { text, number: 7, kind: 'c' };
      const curl = curlSnippet(options(text));
      expect(curl).not.toContain(apiKey);
      expect(JSON.parse(await run('bash', ['--norc', '-c', curl]))).toEqual({ result: [row] });
      const typescript = typescriptSnippet(options(text)).replace(
        'console.log(result)',
        'console.log(JSON.stringify(result))',
      );
      expect(JSON.parse(await run(process.execPath, [file('snippet.mts', typescript)]))).toEqual([row]);
      const python = pythonSnippet(options(text)).replace('print(row)', 'print(json.dumps(row))');
      expect(JSON.parse(await run('python3', [file('snippet.py', python)]))).toEqual(row);
    },
  );

  test('the TypeScript compiles under strict, with the types of the columns', () => {
    file(
      'strict.mts',
      `${typescriptSnippet(options('a'))}\nexport const n: number | undefined = result[0]?.number;\n`,
    );
    const config = {
      extends: resolve('tsconfig.json'),
      compilerOptions: { typeRoots: [resolve('node_modules/@types')], lib: ['esnext'] },
      include: [join(scratch, 'strict.mts')],
    };
    const project = file('tsconfig.json', JSON.stringify(config));
    const { stdout } = spawnSync(resolve('node_modules/.bin/tsc'), ['--project', project], {
      encoding: 'utf8',
    });
    expect(stdout).toBe('');
  });

  test.each(nasty)('GraphQL takes %s in its variables', async (_, text) => {
    const body = `{"query":${JSON.stringify(endpoint.graphql.document)},"variables":${graphqlVariables(options(text))}}`;
    const response = await fetch(`${origin}/graphql`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body,
    });
    expect(await response.json()).toMatchObject({
      data: { echoOne: { rows: [{ text, number: 7, kind: 'c' }], rowCount: 1 } },
    });
  });

  test.each([
    ['+5', 'c', { number: 5, kind: 'C' }],
    ['-0', 'of none', { number: 0 }],
    ['5x', 'a-b', { number: '5x', kind: 'A_B' }],
    ['5', 'cc', { number: 5, kind: 'C' }],
  ])("GraphQL's variables are what REST makes of %s and %s", (number, kind, expected) => {
    const values = new Map([
      ['number', [number]],
      ['kind', [kind]],
    ]);
    expect(JSON.parse(graphqlVariables({ origin, endpoint, values }))).toEqual(expected);
  });

  test.each([
    ['number', 'BIGNUMERIC', '1.00000000000000000001', undefined],
    ['number', 'NUMERIC', '1e21', undefined],
    ['number', 'NUMERIC', '-000.10', -0.1],
    ['number', 'FLOAT64', '1.00000000000000000001', 1],
    ['integer', 'INT64', '9007199254740993', undefined],
    ['integer', 'INT64', '-9007199254740991', -9007199254740991],
  ])("GraphQL's variables have the %s, a %s, %s as %s", (type, bind, text, expected) => {
    const parameters = [{ name: 'n', bind, schema: { type: 'array', items: { type } } }];
    const given = { ...endpoint, parameters: parameters as unknown as Endpoint['parameters'] };
    const request = { origin, endpoint: given, values: new Map([['n', ['1', text]]]) };
    const isLeft = expected === undefined;
    expect(JSON.parse(graphqlVariables(request))).toEqual(isLeft ? {} : { n: [1, expected] });
    expect(restOnly(request)).toEqual(isLeft ? ['n'] : []);
  });

  test.each(nasty)("BigQuery's script binds %s, and leaves the SQL as it is", (_, text) => {
    const script = bigquerySnippet(sql, options(text));
    expect(script).toMatch(
      /^EXECUTE IMMEDIATE r"""\n[\s\S]*\n"""\nUSING\n {2}"[^\n]* AS `text`,\n {2}"7" AS `number`,\n {2}"c" AS `kind`;\n$/,
    );
    const strings = tokenize(script).flatMap((token) => (token.kind === 'string' ? [token.value] : []));
    expect(strings).toEqual([`\n${sql}\n`, text, '7', 'c']);
  });

  test.each([undefined, '0.10'])("BigQuery's script keeps each digit of a NUMERIC: %s", (text) => {
    const exact = '1234567890123456789012345.6789';
    const price = { ...endpoint.parameters[1], name: 'price', bind: 'BIGNUMERIC', fallback: [exact] };
    const parameters = [{ ...price, schema: { type: 'number' }, required: false, description: '' }];
    const values = new Map(text === undefined ? [] : [['price', [text]]]);
    const given = { ...endpoint, parameters: parameters as Endpoint['parameters'] };
    expect(bigquerySnippet(sql, { origin, endpoint: given, values })).toContain(
      `CAST("${text ?? exact}" AS BIGNUMERIC) AS \`price\``,
    );
  });
});
