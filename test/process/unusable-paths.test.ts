import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openCommandHost } from '../support/command-host.ts';
import { atNight, isNightly } from '../support/nightly.ts';
import { queryText } from '../support/queries.ts';

let root: string;
const at = (...names: readonly string[]) => join(root, ...names);
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  for (const name of ['queries/tables', 'data']) mkdirSync(at(name), { recursive: true });
  const fields = [
    { name: 'id', type: 'INTEGER' },
    { name: 'shop', type: 'STRING' },
  ];
  writeFileSync(at('queries', 'tables', 'orders.json'), JSON.stringify(fields));
  const sql = 'select shop from orders';
  writeFileSync(at('queries', 'shops.sql'), queryText({ columns: { shop: 'string' }, parameters: {}, sql }));
  writeFileSync(at('q.sql'), sql);
  writeFileSync(at('data', 'orders.ndjson'), '{"id":1,"shop":"a"}\n');
});
afterEach(() => {
  spawnSync('chmod', ['-R', 'u+w', root]);
  rmSync(root, { recursive: true });
});

/** Runs a command as a user who may only read: to root, the system refuses nothing. */
function asReader(args: readonly string[]) {
  spawnSync('chmod', ['-R', 'a+rX,go-w', root]);
  const isRoot = process.getuid?.() === 0;
  if (!isRoot) spawnSync('chmod', ['-R', 'a-w', root]);
  return spawnSync(process.execPath, [resolve('src/main.ts'), ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, STORE_FILE: ':memory:', NODE_DISABLE_COMPILE_CACHE: '1' },
    ...(isRoot && { uid: 65534, gid: 65534 }),
  });
}

describe('a command that may not write says so, without a trace', () => {
  const folders = () => ['--queries-dir', at('queries'), '--data-dir', at('data')];
  const manifest = resolve('packages/authoring/test/dbt/manifest.json');
  test.each<[name: string, args: () => readonly string[], path: string]>([
    ['new', () => ['new', 'foo', at('q.sql'), '--queries-dir', at('queries')], 'queries/foo.sql'],
    [
      'tables add',
      () => ['tables', 'add', 'more', at('data', 'orders.ndjson'), '--queries-dir', at('queries')],
      'queries/tables/more.json',
    ],
    ['test --update', () => ['test', '--update', ...folders()], 'queries/tests'],
    ...atNight<[string, () => readonly string[], string]>(
      [
        'tables import',
        () => ['tables', 'import', 'dbt', manifest, '--queries-dir', at('queries')],
        'queries',
      ],
      ['tables convert', () => ['tables', 'convert', 'orders', ...folders(), '--to', at('out')], 'out'],
    ),
  ])('%s', (_, args, path) => {
    const { status, stderr } = asReader(args());
    expect(stderr).toMatch(
      new RegExp(
        `${at(path)}\\S* cannot be written \\((?:EACCES|EPERM)\\): user \\d+.* change owner or mode`,
      ),
    );
    expect(stderr).not.toMatch(/ at .*:\d+:\d+/);
    expect(status).toBe(1);
  });
});

describe('a path of another kind', () => {
  const querygate = openCommandHost();

  test('is said to be a file where rows are converted to a folder', async () => {
    const file = at('data', 'orders.ndjson');
    const folders = ['--queries-dir', at('queries'), '--data-dir', at('data')];
    const { exitCode, errors } = await querygate(['tables', 'convert', 'orders', ...folders, '--to', file]);
    expect(errors).toMatch(/orders\.ndjson\S* cannot be \w+ \(ENOTDIR\): a part of the path is a file/);
    expect(exitCode).toBe(1);
  });

  test('in the queries folder does not end querygate new', async () => {
    mkdirSync(at('queries', 'base.sql'));
    mkdirSync(at('queries', 'foo_v2.sql'));
    symlinkSync(at('data'), at('queries', 'link.sql'));
    symlinkSync(at('nowhere'), at('queries', 'gone.sql'));
    const add = (name: string, ...more: readonly string[]) =>
      querygate(['new', name, at('q.sql'), '--queries-dir', at('queries'), ...more]);
    const made = await add('foo');
    expect(made.errors).toContain('foo.sql');
    expect(made.exitCode).toBe(0);
    expect(await add('gone')).toMatchObject({
      exitCode: 1,
      errors: expect.stringMatching(/gone\.sql exists already/),
    });
    expect(await add('base', '--force')).toMatchObject({
      exitCode: 1,
      errors: expect.stringMatching(/base\.sql is a folder, and must be a file: rename it/),
    });
    expect(existsSync(at('nowhere'))).toBe(false);
  });
});

test.skipIf(process.getuid?.() !== 0 || !isNightly)(
  'what may not be read in a queries folder is named, with its owner and the cure',
  () => {
    mkdirSync(at('queries', 'views'));
    writeFileSync(at('queries', 'base.sql'), 'select 1');
    const check = (path: string) => {
      spawnSync('chmod', ['-R', 'a+rX,go-w', root]);
      spawnSync('chmod', ['700', at('queries', path)]);
      return spawnSync(process.execPath, [resolve('src/main.ts'), 'check', '--queries-dir', at('queries')], {
        encoding: 'utf8',
        env: { PATH: process.env.PATH },
        uid: 65534,
        gid: 65534,
      }).stderr;
    };
    const cure = String.raw`\(EACCES\): user 65534, .*; user \d+ owns it, with mode 700: change owner or mode`;
    expect(check('base.sql')).toMatch(new RegExp(`base\\.sql cannot be read ${cure}`));
    expect(check('views')).toMatch(new RegExp(`views is not a readable folder of their views ${cure}`));
  },
);
