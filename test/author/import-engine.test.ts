import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { importEngine } from '../../src/author/import-engine.ts';
import { withFileChecks } from '../../src/engines/checked-engine.ts';
import { GatewayError, StartError } from '../../src/errors.ts';
import { engineHost } from '../support/engine-host.ts';
import { draftQuery } from '../support/queries.ts';

const folder = mkdtempSync(join(tmpdir(), 'querygate-modules-'));
afterAll(() => rmSync(folder, { recursive: true }));

let modules = 0;
function writeModule(code: string): string {
  modules += 1;
  const file = join(folder, `engine-${modules}.mjs`);
  writeFileSync(file, code);
  return file;
}
const host = engineHost({ catalog: { queries: [], tables: [] }, config: readConfig({}) });
/** The message, without what comes before the problem. */
const problemOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => {
      expect(error).toBeInstanceOf(StartError);
      return (error as Error).message.replace(/^The engine cannot be loaded:\n {2}ENGINE: \S+ /, '');
    },
  );

describe('a module that is not an engine', () => {
  test.each([
    [
      'export const engine = {};',
      'cannot be used: its default export is missing, and must be an object with name, sql, open',
    ],
    [
      'export default () => ({});',
      'cannot be used: its default export is of type function, and must be an object with name, sql, open',
    ],
    [
      'export default null;',
      'cannot be used: its default export is null, and must be an object with name, sql, open',
    ],
    [
      "export default { name: 'x', sql: 'postgres' };",
      `cannot be used: of its default export, sql is "postgres", and must be 'bigquery' or 'native'; open is missing, and must be a function`,
    ],
    ["throw new Error('no driver');", 'cannot be imported: no driver'],
  ])('%s', async (code, message) => {
    expect(await problemOf(importEngine(writeModule(code)))).toBe(message);
  });

  test('a file that does not exist', async () => {
    const missing = join(folder, 'missing.mjs');
    expect(await problemOf(importEngine(missing))).toMatch(/^cannot be imported: Cannot find module '.*'$/);
  });

  test('a package that is not installed', async () => {
    expect(await problemOf(importEngine('@example/engine'))).toMatch(
      /^cannot be imported: Cannot find package '@example\/engine'/,
    );
  });
});

describe('an engine that does not open', () => {
  const open = async (body: string) => {
    const code = `export default { name: 'x', sql: 'native', ${body} };`;
    return (await importEngine(writeModule(code))).open(host);
  };

  test.each([
    ["async open() { throw new Error('no connection') }", 'cannot be opened: no connection'],
    ["open() { throw 'no connection' }", 'cannot be opened: no connection'],
    [
      'async open() {}',
      'cannot be used: what it opens is missing, and must be an object with source, run, close',
    ],
    [
      "open: () => ({ source: 7, run() {}, close: 'x' })",
      'cannot be used: of what it opens, source is of type number, and must be a text; close is "x", and must be a function',
    ],
  ])('%s', async (body, message) => {
    expect(await problemOf(open(body))).toBe(message);
  });

  test('keeps the error for the log', async () => {
    await expect(open("async open() { throw new TypeError('no connection') }")).rejects.toMatchObject({
      cause: { message: 'no connection' },
    });
  });
});

test('errors of another copy of the package are those of this one', async () => {
  const classes = `
    class GatewayError extends Error {
      name = 'GatewayError';
      code = 'INVALID_PARAMETER';
      parameter = 'year';
    }
    class ProblemError extends Error {
      name = 'ProblemError';
      problems = [{ file: 'a.sql', line: 3, message: 'no such table' }];
    }`;
  const engine = `{ source: 'a', async run() { throw new GatewayError('no such year') }, async close() {} }`;
  const failing = await importEngine(
    writeModule(`${classes} export default { name: 'x', sql: 'native', open: async () => (${engine}) };`),
  );
  const query = draftQuery({ sql: '', columns: { x: 'string' } });
  const { signal } = new AbortController();
  const error: unknown = await (await failing.open(host))
    .run({ query, parameters: {} }, { signal })
    .catch((error: unknown) => error);
  expect(error).toBeInstanceOf(GatewayError);
  expect(error).toMatchObject({ code: 'INVALID_PARAMETER', parameter: 'year', message: 'no such year' });
  const open = `async open() { throw new ProblemError('The tables are wrong:\\n  a.sql:3 no such table') }`;
  const wrong = await importEngine(
    writeModule(`${classes} export default { name: 'x', sql: 'native', ${open} };`),
  );
  expect(await problemOf(wrong.open(host))).toBe('The tables are wrong:\n  a.sql:3 no such table');
});

test('an engine may be an object of a class', async () => {
  const code = `
    class Own {
      name = 'own';
      sql = 'native';
      #source = 'a';
      async open() { return new Opened(this.#source); }
      async check() { return [{ message: this.#source }]; }
    }
    class Opened {
      constructor(source) { this.source = source; }
      async run() { return { rows: [JSON.stringify({ x: this.source })], truncated: false }; }
      async close() {}
    }
    export default new Own();`;
  const factory = withFileChecks(await importEngine(writeModule(code)));
  const engine = await factory.open(host);
  const query = draftQuery({ sql: '', columns: { x: 'string' } });
  const { signal } = new AbortController();
  expect(await engine.run({ query, parameters: {} }, { signal })).toMatchObject({ rows: ['{"x":"a"}'] });
  expect(factory.checksSql).toBe(true);
  expect(await factory.check(host.catalog, { limits: host.limits, onChecked: () => {} })).toEqual([
    { message: 'a' },
  ]);
});
