import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openCommandHost } from '../support/command-host.ts';
import { completeBody, errorReply, reply, startFakeBigquery } from '../support/fake-bigquery.ts';
import { nightly } from '../support/nightly.ts';
import { queryText, uuidOf } from '../support/query-folder.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-diff-'));
  folders.push(folder);
  return folder;
}

const git = (folder: string, ...args: readonly string[]) =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=test', '-c', 'user.email=test@example.com', ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
  });

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

function commit(folder: string, message = 'a commit'): void {
  git(folder, 'add', '-A');
  git(folder, 'commit', '-q', '--allow-empty', '-m', message);
}

/** A repository with one commit. */
function makeRepository(files: Readonly<Record<string, string>>): string {
  const folder = makeFolder();
  git(folder, 'init', '-q', '-b', 'main');
  write(folder, files);
  commit(folder);
  return folder;
}

const base = { 'queries/a.sql': queryText() };

const querygate = openCommandHost();
const diffIn = (folder: string, args: readonly string[] = ['HEAD'], env: Record<string, string> = {}) =>
  querygate(['diff', ...args], { QUERIES_DIR: join(folder, 'queries'), ...env });

const summaryOf = ({ output }: { readonly output: string }) => output.trimEnd().split('\n').at(-1);

describe('querygate diff', () => {
  nightly('names each endpoint that a change of a view changes', async () => {
    const folder = makeRepository({
      'queries/a.sql': queryText({ sql: 'SELECT n FROM d.v' }),
      'queries/b.sql': queryText({ id: uuidOf(2) }),
      'queries/views/v.sql': 'CREATE VIEW d.v AS SELECT 1 AS n',
      'queries/functions/f.sql': 'CREATE FUNCTION d.f() AS (1)',
    });
    write(folder, { 'queries/views/v.sql': 'CREATE VIEW d.v AS SELECT d.f() AS n' });
    const { output } = await diffIn(folder);
    expect(output).toContain('SQL changed');
    expect(summaryOf({ output })).toMatch(/1 (?:dangerous|endpoint)|unchanged/);
    expect(output).not.toMatch(/^b\b/m);
  });

  test('reports what the shipped queries would break, at file and line, and exits with 1', async () => {
    const folder = makeFolder();
    git(folder, 'init', '-q', '-b', 'main');
    cpSync('queries', join(folder, 'queries'), { recursive: true });
    commit(folder);
    const file = join(folder, 'queries/usage.api-counts.sql');
    const text = readFileSync(file, 'utf8');
    const changed = text
      .replace(/ {2}total_auth_requests: .*\n/, '')
      .replace(/ {6}hourly: .*\n/, '')
      .replace('total_rest_requests: { type: integer', 'total_rest_requests: { type: float')
      .replace(/ {2}countif\(.*\) as total_auth_requests,\n/, '');
    writeFileSync(file, changed);
    const lineOf = (of: string, what: string) => of.split('\n').findIndex((line) => line.includes(what)) + 1;

    const { exitCode, output, errors } = await diffIn(folder);
    expect({ exitCode, errors }).toEqual({ exitCode: 1, errors: '' });
    expect(output).toContain(
      `  breaking   ${file}:${lineOf(changed, 'columns:')} column total_auth_requests removed (was in HEAD:queries/usage.api-counts.sql:${lineOf(text, 'total_auth_requests:')})\n             rows lack it, and operations that select it are invalid\n`,
    );
    expect(output).toContain(
      `  dangerous  ${file}:${lineOf(changed, 'total_rest')} column total_rest_requests: type integer → float\n`,
    );
    expect(output).toContain('bytes are not compared: duckdb does not report them');
    expect(summaryOf({ output })).toBe(
      '2 breaking, 2 dangerous changes of 1 endpoint; 2 endpoints are as at HEAD',
    );

    const json = await diffIn(folder, ['HEAD', '--json']);
    const document = JSON.parse(json.output);
    expect(document).toMatchObject({ ref: 'HEAD', breaking: 2, dangerous: 2, safe: 0, unchanged: 2 });
    expect(document.commit).toBe(git(folder, 'rev-parse', 'HEAD').trim());
    expect(document.endpoints[0].changes).toContainEqual(
      expect.objectContaining({
        kind: 'enum-value-removed',
        level: 'breaking',
        rest: 'breaking',
        graphql: 'breaking',
        file,
        line: lineOf(changed, 'values:'),
        schema: [expect.objectContaining({ type: 'ENUM_VALUE_REMOVED', path: 'UsageInterval.HOURLY' })],
      }),
    );

    const github = await diffIn(folder, ['HEAD', '--github']);
    expect(github.output).toContain(
      `::warning file=${file},line=${lineOf(changed, 'total_rest')},title=querygate diff%3A dangerous::usage.api-counts: column total_rest_requests`,
    );
    expect(github.output).toContain(`::error file=${file},line=`);
  });

  test('SQL that is not valid any more is breaking, at its file and line, and the exit code is 2', async () => {
    const folder = makeRepository(base);
    const file = join(folder, 'queries/a.sql');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/\bselect\b/i, 'selct'));
    const { exitCode, output, errors } = await diffIn(folder, ['HEAD', '--fail-on', 'never']);
    expect(exitCode).toBe(2);
    expect(output).toMatch(
      /\n {2}breaking {3}\S+a\.sql:\d+ is not valid: expected a query: .* found "selct"/,
    );
    expect(output.match(/selct/g)).toHaveLength(1);
    expect(errors).toContain('which querygate check shows too');
  });

  test.each([
    ['loses a column', ['SELECT n, project', 'SELECT project'], 'no column is named n'],
    ['has a column of another type', ['SELECT n', "SELECT 'x' AS n"], 'columns.n'],
    ['loses its filter by the tenant', ['project = @project', '@project IS NOT NULL'], 'tenant'],
    ['reads a table that is gone', ['FROM logs', 'FROM logz'], 'no table is named logz'],
  ])('names each endpoint that a part breaks which %s', async (_, [from = '', to = ''], reason) => {
    const header =
      'parameters:\n  project: { type: string, required: true, tenant: true, description: a project, example: a }\n';
    const part = (sql: string) =>
      `/*---\nserve: off\nparameters:\n  project: { type: string, description: a project }\n---*/\n${sql}\n`;
    const sql = 'SELECT n, project FROM logs WHERE project = @project';
    const reader = (at: number) => queryText({ id: uuidOf(at), header, sql: 'SELECT n FROM query.base' });
    const folder = makeRepository({
      'queries/a.sql': reader(1),
      'queries/b.sql': reader(2),
      'queries/other.sql': queryText({ id: uuidOf(3) }),
      'queries/base.sql': part(sql),
      'queries/tables/logs.json': '[{"name":"n","type":"INT64"},{"name":"project","type":"STRING"}]',
    });
    const invalid = { kind: 'query-invalid', level: 'breaking', message: expect.stringContaining(reason) };
    const at = { file: expect.stringMatching(/\.sql$/), line: expect.any(Number) };
    write(folder, { 'queries/base.sql': part(sql.replace(from, to)) });
    const broken = await diffIn(folder, ['HEAD', '--json']);
    expect(broken.exitCode).toBe(2);
    const { endpoints, unchanged } = JSON.parse(broken.output);
    expect([endpoints.map(({ name }: { name: string }) => name), unchanged]).toEqual([['a', 'b'], 1]);
    for (const { changes } of endpoints)
      expect(changes.filter(({ kind }: { kind: string }) => kind === 'query-invalid')).toEqual([
        expect.objectContaining({ ...invalid, ...at }),
      ]);

    commit(folder);
    const asBefore = await diffIn(folder);
    expect(asBefore.exitCode).toBe(2);
    expect(asBefore.output).toMatch(/note: a is not valid, and was not at HEAD: \S+\.sql:\d+ /);
    write(folder, { 'queries/base.sql': part(sql) });
    const mended = await diffIn(folder);
    expect(mended.exitCode).toBe(0);
    expect(mended.output).toContain('note: a is valid now; at HEAD it was not: ');
  });

  test('on BigQuery: a query that only the new version of a part breaks is breaking', async () => {
    const folder = makeRepository({
      'queries/a.sql': queryText({ sql: 'SELECT n FROM query.base' }),
      'queries/base.sql': '/*---\nserve: off\n---*/\nSELECT n, m FROM t',
    });
    write(folder, { 'queries/base.sql': '/*---\nserve: off\n---*/\nSELECT m FROM t' });
    const fake = await startFakeBigquery();
    fake.respondWith((response, received, at) => {
      const isOld = String(received.body.query).includes('SELECT n, m');
      const reject = errorReply(400, 'invalidQuery', 'Unrecognized name: n at [2:8]');
      const accept = reply(completeBody([], { totalBytesProcessed: '1000' }));
      (isOld ? accept : reject)(response, received, at);
    });
    const { exitCode, output } = await diffIn(folder, ['HEAD'], {
      ENGINE: 'bigquery',
      BIGQUERY_PROJECT: 'our-project',
      BIGQUERY_DATASET: 'logs',
      BIGQUERY_API_ENDPOINT: fake.endpoint,
    });
    expect(output).toMatch(/a\n {2}breaking {3}\S+\.sql:\d+ is not valid: .*Unrecognized name: n\n/);
    expect(output.match(/Unrecognized/g)).toHaveLength(1);
    expect(exitCode).toBe(2);
    await fake.close();
  });

  test('exits with 0 if nothing is breaking; --fail-on chooses the level', async () => {
    const folder = makeRepository(base);
    expect(await diffIn(folder)).toEqual({
      exitCode: 0,
      output: 'no changes: 1 endpoint is as at HEAD\n',
      errors: '',
    });
    write(folder, { 'queries/a.sql': queryText({ sql: 'SELECT 2 AS n' }) });
    expect((await diffIn(folder)).exitCode).toBe(0);
    expect((await diffIn(folder, ['HEAD', '--fail-on', 'dangerous'])).exitCode).toBe(1);
    write(folder, { 'queries/a.sql': queryText({ sql: 'SELECT 1 AS m' }).replace('n: {', 'm: {') });
    expect((await diffIn(folder)).exitCode).toBe(1);
    expect((await diffIn(folder, ['HEAD', '--fail-on', 'never'])).exitCode).toBe(0);
    expect((await diffIn(folder, ['HEAD', '--fail-on', 'all'])).exitCode).toBe(2);
  });

  test('the fields of a record follow the tables, whose files are compared too', async () => {
    const field = (name: string) => ({ name, type: 'STRING' });
    const table = (...names: string[]) =>
      JSON.stringify([{ name: 'details', type: 'RECORD', fields: names.map(field) }]);
    const sql = 'SELECT 1 AS n, details FROM events';
    const query = queryText({ sql }).replace(
      '\n---*/',
      '\n  details: { type: record, description: its details }\n---*/',
    );
    const folder = makeRepository({
      'queries/a.sql': query,
      'queries/tables/events.json': table('city', 'country'),
    });
    expect(summaryOf(await diffIn(folder))).toBe('no changes: 1 endpoint is as at HEAD');
    write(folder, { 'queries/tables/events.json': table('city') });
    const { exitCode, output } = await diffIn(folder);
    expect(output).toMatch(
      /breaking .*a\.sql:\d+ field details\.country removed \(was in HEAD:queries\/a\.sql:\d+\)/,
    );
    expect(exitCode).toBe(1);
  });

  test('exits with 2 if a version cannot be read, and says why', async () => {
    const folder = makeRepository(base);
    const failure = async (args: readonly string[], env = {}) => {
      const { exitCode, output, errors } = await diffIn(folder, args, env);
      expect({ exitCode, output }).toEqual({ exitCode: 2, output: '' });
      return errors;
    };
    expect(await failure(['HEAD~1000'])).toContain('git knows no commit, branch or tag "HEAD~1000"');
    expect(await failure(['no-such-branch'])).toContain(
      'git knows no commit, branch or tag "no-such-branch"',
    );
    expect(await failure(['--', '--output=x'])).toContain('is not a name of a commit');
    expect(await failure(['main..HEAD'])).toContain('is a range');
    expect(await failure(['HEAD:queries'])).toContain('git knows no commit');
    expect(await failure([''])).toContain('is not a name of a commit');
    expect(await failure(['HEAD'], { PATH: folder })).toContain('git is not installed');
    expect(await failure(['HEAD', '--max-bytes-ratio', '2'])).toContain(
      'duckdb reports no bytes, as BigQuery does',
    );
    expect(await failure([])).toContain("missing required argument 'ref'");
    write(folder, { 'queries/a.sql': queryText().replace('max_rows', 'max_row') });
    const broken = await failure(['HEAD']);
    expect(broken).toContain('which querygate check shows too');
    expect(broken).toContain('max_row: 100\n');

    const outside = makeFolder();
    write(outside, base);
    expect((await diffIn(outside)).errors).toContain('not a git repository');
  });

  test('compares with where a branch was left: main...', async () => {
    const folder = makeRepository(base);
    git(folder, 'checkout', '-q', '-b', 'topic');
    write(folder, { 'queries/b.sql': queryText({ id: uuidOf(2) }) });
    commit(folder);
    git(folder, 'checkout', '-q', 'main');
    write(folder, { 'queries/c.sql': queryText({ id: uuidOf(3) }) });
    commit(folder);
    git(folder, 'checkout', '-q', 'topic');
    expect(summaryOf(await diffIn(folder, ['main']))).toBe(
      '1 breaking, 1 safe changes of 2 endpoints; 1 endpoint is as at main',
    );
    expect(summaryOf(await diffIn(folder, ['main...']))).toBe(
      '1 safe change of 1 endpoint; 1 endpoint is as at main...',
    );
  });

  test('compares with a commit without the folder: every endpoint is new', async () => {
    const folder = makeRepository({ 'README.md': 'x' });
    write(folder, base);
    const { exitCode, output } = await diffIn(folder);
    expect(exitCode).toBe(0);
    expect(output).toContain('did not exist at HEAD: every endpoint is new');
    expect(output).toContain('safe       ');
  });

  test('follows links as a folder does, such as those of a ConfigMap', async () => {
    const folder = makeRepository({
      'queries/..one/a.sql': queryText(),
      'elsewhere/b.sql': queryText({ id: uuidOf(2) }),
    });
    const queries = join(folder, 'queries');
    symlinkSync('..one', join(queries, '..data'));
    symlinkSync('..data/a.sql', join(queries, 'a.sql'));
    symlinkSync('../elsewhere/b.sql', join(queries, 'b.sql'));
    symlinkSync('../elsewhere', join(queries, 'folder.sql'));
    commit(folder);
    expect(summaryOf(await diffIn(folder))).toBe('no changes: 2 endpoints are as at HEAD');
    // The link leads to another folder now.
    write(folder, { 'queries/..two/a.sql': queryText({ sql: 'SELECT 2 AS n' }) });
    rmSync(join(queries, '..data'));
    symlinkSync('..two', join(queries, '..data'));
    const { output } = await diffIn(folder);
    expect(output).toContain('SQL changed');
    // The folder itself is a link, which led elsewhere.
    rmSync(join(folder, 'elsewhere'), { recursive: true });
    rmSync(queries, { recursive: true });
    write(folder, { 'moved/a.sql': queryText() });
    symlinkSync('moved', queries);
    expect((await diffIn(folder)).output).toContain(
      'b\n  breaking   HEAD:queries/b.sql:1 endpoint removed\n',
    );
  });

  test('reports files at the commit that today’s rules refuse, and compares the others', async () => {
    const folder = makeRepository({
      ...base,
      'queries/bad.sql': 'SELECT 1',
      'queries/gone.sql': 'SELECT 1',
      'queries/Upper case\n.sql': 'SELECT 1',
      'queries/große.sql': 'SELECT 1',
      'queries/huge.sql': `${queryText({ id: uuidOf(4) })}--${'x'.repeat(2 * 1024 * 1024)}`,
      'queries/tables/t.json': 'no JSON',
    });
    symlinkSync('/etc/hostname', join(folder, 'queries/out.sql'));
    writeFileSync(
      join(folder, 'queries/latin.sql'),
      Buffer.from(queryText({ id: uuidOf(5) }).replace('a number', 'a num\u00e9ro'), 'latin1'),
    );
    commit(folder);
    for (const name of ['gone.sql', 'Upper case\n.sql', 'große.sql', 'out.sql'])
      rmSync(join(folder, 'queries', name));
    write(folder, {
      'queries/latin.sql': queryText({ id: uuidOf(5) }).replace('a number', 'a num\u00e9ro'),
      'queries/bad.sql': queryText({ id: uuidOf(2) }),
      'queries/huge.sql': queryText({ id: uuidOf(4) }),
      'queries/tables/t.json': '[{"name":"a","type":"STRING"}]',
    });
    const { exitCode, output } = await diffIn(folder);
    expect(exitCode).toBe(1);
    expect(output).toContain(
      'bad is not compared: today’s rules refuse its former file: line 1: must start with a YAML header',
    );
    expect(output).toContain(
      'latin is not compared: today’s rules refuse its former file: line 7: must be UTF-8: iconv -f latin1 -t utf-8',
    );
    expect(output).toContain('gone is removed; it is not compared');
    expect(output).toMatch(/huge is not compared: .* had \d+ bytes; at most 1048576 are read/);
    expect(output).toContain('out is removed');
    expect(output).toContain('große is removed');
    expect(output).toContain('the former schema ');
    expect(summaryOf({ output })).toBe('4 breaking changes of 4 endpoints; 1 endpoint is as at HEAD');
  });

  test('works with Windows line ends, in a worktree, in a hook, and with the folder at the top', async () => {
    const folder = makeRepository({ 'a.sql': queryText() });
    writeFileSync(join(folder, 'a.sql'), queryText().replaceAll('\n', '\r\n'));
    const run = (queries: string, env: Record<string, string> = {}) =>
      querygate(['diff', 'HEAD'], { QUERIES_DIR: queries, ...env });
    expect((await run(folder)).output).toBe('no changes: 1 endpoint is as at HEAD\n');
    const tree = join(makeFolder(), 'tree');
    git(folder, 'worktree', 'add', '-q', tree);
    expect((await run(tree)).output).toBe('no changes: 1 endpoint is as at HEAD\n');
    const hook = { GIT_DIR: '.git', GIT_INDEX_FILE: '.git/index', GIT_PREFIX: '' };
    expect((await run(tree, hook)).output).toBe('no changes: 1 endpoint is as at HEAD\n');
    // A repository apart from its work tree, which only the variables name.
    const bare = join(makeFolder(), 'bare.git');
    git(folder, 'clone', '-q', '--bare', folder, bare);
    const apart = makeFolder();
    write(apart, { 'a.sql': queryText() });
    const variables = { GIT_DIR: bare, GIT_WORK_TREE: apart };
    expect((await run(apart, variables)).output).toBe('no changes: 1 endpoint is as at HEAD\n');
    expect((await run(apart)).errors).toContain('not a git repository');
  });

  test('says that a clone lacks old commits', async () => {
    const folder = makeRepository(base);
    const clone = join(makeFolder(), 'clone');
    commit(folder);
    git(folder, 'clone', '-q', '--depth', '1', `file://${resolve(folder)}`, clone);
    const { exitCode, errors } = await diffIn(clone, ['HEAD~1']);
    expect(exitCode).toBe(2);
    expect(errors).toContain('this clone has only the newest commits');
  });

  test('on BigQuery: compares the bytes of both versions by dry runs, only where they may differ', async () => {
    const parameter =
      'parameters:\n  day: { type: string, default: 2026-01-01, example: 2026-02-02, description: a day }\n';
    const withSql = (sql: string) => queryText({ header: parameter, sql });
    const folder = makeRepository({
      'queries/a.sql': withSql('SELECT 1 AS x, @day AS day').replace('2026-02-02', '2026-03-03'),
      'queries/b.sql': queryText({ id: uuidOf(2) }),
    });
    write(folder, { 'queries/a.sql': withSql('SELECT 2 AS x, @day AS day') });
    const fake = await startFakeBigquery();
    const bytesOf = (sql: string) => (sql.includes('SELECT 2') ? '5000' : '1000');
    fake.respondWith((response, received, at) =>
      reply(completeBody([], { totalBytesProcessed: bytesOf(String(received.body.query)) }))(
        response,
        received,
        at,
      ),
    );
    const env = {
      ENGINE: 'bigquery',
      BIGQUERY_PROJECT: 'our-project',
      BIGQUERY_DATASET: 'logs',
      BIGQUERY_API_ENDPOINT: fake.endpoint,
    };

    const { exitCode, output, errors } = await diffIn(folder, ['HEAD'], env);
    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
    expect(output).toContain('a.sql:11 reads 1,000 → 5,000 bytes (5×) with its examples\n');
    expect(fake.received).toHaveLength(2);
    for (const { body } of fake.received) {
      expect(body.dryRun).toBe(true);
      expect(JSON.stringify(body)).toContain('2026-02-02');
    }
    const limited = await diffIn(folder, ['HEAD', '--max-bytes-ratio', '4.9'], env);
    expect(limited.exitCode).toBe(1);
    expect(limited.output).toContain('(5×) with its examples; at most 4.9× is allowed');
    expect((await diffIn(folder, ['HEAD', '--max-bytes-ratio', '5'], env)).exitCode).toBe(0);
    const billed = { ...env, BIGQUERY_MAXIMUM_BYTES_BILLED: '2000' };
    expect((await diffIn(folder, ['HEAD'], billed)).output).toContain(
      'at most 2,000 are allowed\n             requests get 422',
    );

    fake.respondWith(errorReply(404, 'notFound', 'Not found: Table p:d.gone'));
    const failed = await diffIn(folder, ['HEAD'], env);
    expect(failed.exitCode).toBe(0);
    expect(failed.output).toMatch(
      /note: the bytes of a are not compared: its former version .*Not found: Table p:d\.gone/,
    );
    await fake.close();
  });

  test('on BigQuery: says what a month costs before and after, and fails above a limit', async () => {
    const withSql = (sql: string, caching = '300s') => queryText({ sql, caching });
    const folder = makeRepository({ 'queries/a.sql': withSql('SELECT 1 AS n FROM t') });
    const fake = await startFakeBigquery();
    fake.respondWith((response, received, at) => {
      const bytes = String(received.body.query).includes('SELECT 2') ? 2 ** 31 : 2 ** 30;
      const body = received.method === 'GET' ? {} : completeBody([], { totalBytesProcessed: String(bytes) });
      reply(body)(response, received, at);
    });
    const env = {
      ENGINE: 'bigquery',
      BIGQUERY_PROJECT: 'our-project',
      BIGQUERY_DATASET: 'logs',
      BIGQUERY_API_ENDPOINT: fake.endpoint,
    };
    const costs = async (...args: string[]) => {
      const { exitCode, output } = await diffIn(folder, ['HEAD', ...args], env);
      return [exitCode, output.split('\n').find((line) => line.includes('USD')) ?? ''];
    };
    write(folder, { 'queries/a.sql': withSql('SELECT 2 AS n FROM t') });
    expect(await costs()).toEqual([
      0,
      expect.stringMatching(
        /a\.sql:9 costs 18,554,258,718,720 bytes and 105\.47 USD a month while warm \(2,147,483,648 bytes a run with its examples, 288 runs a day\); before: 9,277,129,359,360 bytes and 52\.73 USD a month/,
      ),
    ]);
    expect(await costs('--maximum-usd-per-month', '105', '--tenants', '9')).toEqual([
      1,
      expect.stringContaining('would cost 105.47 USD a month while warm; at most 105.00 USD are allowed'),
    ]);
    const json = await diffIn(folder, ['HEAD', '--json', '--github', '--maximum-usd-per-month', '105'], env);
    expect(json.exitCode).toBe(1);
    expect(JSON.stringify(JSON.parse(json.output))).toContain('"kind":"cost-over-maximum"');
    expect(json.errors).toMatch(/::error file=.*would cost 105\.47 USD/);
    write(folder, { 'queries/a.sql': withSql('SELECT 1 AS n FROM t', '600s') });
    expect(await costs('--maximum-usd-per-month', '1')).toEqual([
      0,
      expect.stringContaining('and 26.37 USD'),
    ]);
    write(folder, {
      'queries/a.sql': withSql('SELECT 1 AS n FROM t'),
      'queries/b.sql': withSql('SELECT 2 AS n FROM t').replace(/^id: .*$/m, `id: ${uuidOf(2)}`),
    });
    expect(await costs('--maximum-usd-per-month', '1')).toEqual([1, expect.stringContaining('105.47 USD')]);
    const { errors } = await diffIn(folder, ['HEAD', '--maximum-usd-per-month', '1']);
    expect(errors).toContain('duckdb reports no bytes');
    await fake.close();
  });
});
