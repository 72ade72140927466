import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openCommandHost } from '../../../../test/support/command-host.ts';
import { isNightly } from '../../../../test/support/nightly.ts';
import { expectedSales, salesQuery, salesRows } from './sales.ts';

const here = import.meta.dirname;
const isWithoutPip =
  process.env.CI !== 'true' && spawnSync('python3', ['-m', 'pip', '--version']).status !== 0;

const querygate = openCommandHost();
let scratch: string;
/** Runs dbt in the project; nothing is connected to. */
const dbt = (...args: readonly string[]): string =>
  execFileSync('python3', [join(scratch, 'dbt/bin/dbt'), '--quiet', ...args], {
    cwd: join(scratch, 'project'),
    encoding: 'utf8',
    env: {
      ...{ PATH: process.env.PATH, HOME: scratch, PYTHONPATH: join(scratch, 'dbt') },
      ...{ DBT_PROFILES_DIR: '.', DBT_SEND_ANONYMOUS_USAGE_STATS: 'false' },
    },
  });

const importInto = (folder: string, manifest: string) =>
  querygate(['tables', 'import', 'dbt', manifest], { QUERIES_DIR: folder });

const textsIn = (folder: string) =>
  new Map(
    globSync('**/*', { cwd: folder, withFileTypes: true }).flatMap((entry) => {
      if (!entry.isFile()) return [];
      const file = join(entry.parentPath, entry.name);
      return [[file.slice(folder.length), readFileSync(file, 'utf8')] as const];
    }),
  );

describe.skipIf(!isNightly || isWithoutPip)('a project of dbt, of the Python package index', () => {
  const manifest = () => join(scratch, 'project/target/manifest.json');
  const queries = () => join(scratch, 'queries');

  beforeAll(() => {
    scratch = mkdtempSync(join(tmpdir(), 'querygate-dbt-'));
    cpSync(join(here, 'project'), join(scratch, 'project'), { recursive: true });
    const quiet = ['--no-warn-conflicts', '--root-user-action=ignore'];
    const target = ['--target', join(scratch, 'dbt'), '--requirement', join(here, 'requirements.txt')];
    execFileSync('python3', ['-m', 'pip', 'install', '--quiet', '--no-compile', ...quiet, ...target], {
      stdio: 'inherit',
    });
    // is_incremental() and models in Python are compiled with a connection only.
    const others = ['--exclude', 'config.materialized:incremental', 'forecast'];
    dbt('compile', '--no-introspect', '--no-populate-cache', ...others);
  }, 900_000);
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  test('gives the files that the manifest of the other tests gives', async () => {
    const other = join(scratch, 'other');
    await importInto(queries(), manifest());
    await importInto(other, join(here, 'manifest.json'));
    expect(textsIn(queries()).size).toBe(9);
    expect(textsIn(queries())).toEqual(textsIn(other));
  });

  test('is served, and has exposures that dbt reads', async () => {
    writeFileSync(join(queries(), 'sales.sql'), salesQuery);
    expect(await salesRows(queries())).toEqual(expectedSales);
    const args = [
      'exposures',
      manifest(),
      '--owner',
      'sales@example.com',
      '--url',
      'https://api.example.com',
    ];
    const { output } = await querygate(args, { QUERIES_DIR: queries() });
    writeFileSync(join(scratch, 'project/models/exposures.yml'), output);
    const keys = 'name label type description url depends_on owner tags meta';
    const listed = dbt('ls', '--resource-type', 'exposure', '--output', 'json', '--output-keys', keys);
    expect(JSON.parse(listed)).toMatchObject({
      name: 'sales',
      label: 'sales',
      type: 'application',
      description: "Sales of each day, {{ 'as' }} {% the project %} has them: {# daily_sales",
      url: 'https://api.example.com/api/endpoints/query/sales',
      depends_on: { nodes: ['model.shop.daily_sales'] },
      owner: { email: 'sales@example.com' },
      tags: ['on', 'sales'],
      meta: { querygate_id: '11111111-2222-4333-8444-555555555555' },
    });
  });
});
