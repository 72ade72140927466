import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseKeys } from '../../src/keys/file/parse-keys.ts';
import { digestOf, idOfKey } from '../../src/keys/key-text.ts';
import { openCommandHost } from '../support/command-host.ts';
import { eventually } from '../support/eventually.ts';
import { runCommand, runQuerygate, startGateway } from '../support/gateway-process.ts';
import { nightly } from '../support/nightly.ts';

describe('querygate keys', () => {
  const querygate = openCommandHost();
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
    file = join(folder, 'keys.yaml');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const keys = (args: readonly string[], at = file) => querygate(['keys', ...args], { API_KEYS_FILE: at });
  const create = async (...args: string[]) => {
    const { exitCode, output, errors } = await keys(['create', '--name', 'one', ...args]);
    expect(errors).toContain('It cannot be shown again');
    expect(exitCode).toBe(0);
    return output.trimEnd();
  };

  test('a key works only within its scope; a revoked one is rejected within 2 s, without a restart', async () => {
    await create();
    const gateway = await startGateway({ API_KEYS_FILE: file, DATA_DIR: 'test' });
    const status = async (name: string, project: string, key: string) => {
      const search = new URLSearchParams({ project, interval: 'daily' });
      const url = `${gateway.origin}/api/endpoints/query/${name}?${search}`;
      return (await fetch(url, { headers: { 'x-api-key': key } })).status;
    };
    /** The time until a request has this status, in milliseconds. */
    const until = async (expected: number, send: () => Promise<number>) =>
      (await eventually(async () => expect(await send()).toBe(expected))).tookMs;
    try {
      expect(gateway.banner).not.toContain('qg_');
      const key = await create('--tenant', 'abc', '--endpoint', 'usage.api-counts', '--expires', '90d');
      expect(await until(200, () => status('usage.api-counts', 'abc', key))).toBeLessThan(2_000);
      expect(await status('usage.api-counts', '.*', key)).toBe(403);
      expect(await status('logs.all', 'abc', key)).toBe(404);

      const rolled = await keys(['roll', idOfKey(key) ?? '', '--overlap', '1h']);
      const next = rolled.output.trimEnd();
      expect(await until(200, () => status('usage.api-counts', 'abc', next))).toBeLessThan(2_000);
      expect(await status('logs.all', 'abc', next)).toBe(404);
      expect(await status('usage.api-counts', 'abc', key)).toBe(200);

      expect((await keys(['revoke', idOfKey(key) ?? ''])).exitCode).toBe(0);
      expect(await until(401, () => status('usage.api-counts', 'abc', key))).toBeLessThan(2_000);
      expect(await status('usage.api-counts', 'abc', next)).toBe(200);
    } finally {
      expect(await gateway.end()).toBe(0);
    }
    for (const line of readFileSync(file, 'utf8').matchAll(/sha256: (\w+)/g)) {
      expect(gateway.log()).not.toContain(line[1]);
    }
    expect(gateway.log()).not.toMatch(/qg_/);
  });

  test('create stores the hash and prints only the key on standard output', async () => {
    const key = await create(
      ...['--tenant', '0123', '--tenant', 'a|b', '--endpoint', 'logs.all', '--expires', '2099-01-31'],
      ...['--permission', 'fresh', '--requests-per-minute', '600', '--concurrent-queries', '4'],
    );
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain(key.slice(12));
    expect(parseKeys(file, text).keys).toEqual([
      {
        id: idOfKey(key),
        name: 'one',
        sha256: digestOf(key).toString('hex'),
        endpoints: ['logs.all'],
        tenants: ['0123', 'a|b'],
        expires: new Date('2099-01-31'),
        rate: { requests_per_minute: 600, concurrent_queries: 4 },
        permissions: ['fresh'],
        stated: ['endpoints', 'tenants', 'expires', 'requests_per_minute', 'concurrent_queries'],
      },
    ]);
    expect(text).toMatch(/\ncount: 1\n$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await keys(['list'])).output).toBe(
      `id\tname\tstate\texpires\tendpoints\ttenants\trate\tpermissions\tlast used\tallow\tbudget\n${idOfKey(key)}\tone\tvalid\t2099-01-31T00:00:00Z\tlogs.all\t0123,a|b\t600/min, 4 at once\tfresh\tunknown\tall\tany\n`,
    );
  });

  test('create binds to addresses, and makes keys that expire or never do', async () => {
    const run = (...args: string[]) =>
      querygate(['keys', 'create', '--name', 'one', ...args], { API_KEYS_FILE: file });
    await run('--allow', '10.0.0.0/8', '--allow', '2001:db8::1');
    await run('--expires', '1d');
    await run('--expires', 'never');
    const made = parseKeys(file, readFileSync(file, 'utf8')).keys;
    const days = made.map(
      ({ expires }) => expires && Math.round((expires.getTime() - Date.now()) / 86_400_000),
    );
    expect(days).toEqual([undefined, 1, undefined]);
    expect(made[0]?.allow).toEqual(['10.0.0.0/8', '2001:db8::1']);
    const rolled = (await keys(['roll', made[0]?.id ?? ''])).output.trim();
    expect(parseKeys(file, readFileSync(file, 'utf8')).keys[1]).toMatchObject({
      id: idOfKey(rolled),
      allow: ['10.0.0.0/8', '2001:db8::1'],
    });
  });

  test('list shows when a key was last used', async () => {
    const [used, unused] = [await create(), await create()];
    const at = '2026-03-10T12:00:00Z';
    writeFileSync(`${file}.last-used.json`, JSON.stringify({ [idOfKey(used) ?? '']: at }));
    const rows = (await keys(['list'])).output.split('\n').map((line) => line.split('\t'));
    expect(rows.map((row) => row[8])).toEqual(['last used', at, 'never', undefined]);
    writeFileSync(`${file}.last-used.json`, '{');
    expect((await keys(['list'])).output).toContain('\tunknown\t');
    expect(idOfKey(unused)).toBe(rows[2]?.[0]);
  });

  test('a command adds the end to a file that has none, and moves it to the end', async () => {
    const key = await create('--tenant', 'abc');
    const text = readFileSync(file, 'utf8').replace('count: 1\n', '');
    writeFileSync(file, text);
    const { errors } = await keys(['revoke', idOfKey(key) ?? '']);
    expect(errors).toContain('check that the file was not cut, and has all its 1 keys');
    expect(readFileSync(file, 'utf8')).toMatch(/tenants: \[ abc \]\n.*revoked: \S+\ncount: 1\n$/s);
    writeFileSync(file, `count: 1\n${text}`);
    await create();
    expect(readFileSync(file, 'utf8')).toMatch(/^keys:\n.*\ncount: 2\n$/s);
  });

  test('comments, formatting and the file mode are preserved', async () => {
    const first = await create();
    const text = `# Ask Ann before you change anything.\n\n${readFileSync(file, 'utf8').replace('name: one', 'name: one # the first')}`;
    writeFileSync(file, text);
    chmodSync(file, 0o640);
    await create('--tenant', 'abc');
    const rolled = await keys(['roll', idOfKey(first) ?? '']);
    await keys(['revoke', idOfKey(rolled.output.trim()) ?? '']);
    const after = readFileSync(file, 'utf8');
    expect(after).toContain('# Ask Ann before you change anything.\n');
    expect(after).toContain('name: one # the first\n');
    expect(after.match(/- id: \w+/g)).toHaveLength(3);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(readdirSync(folder)).toEqual(['keys.yaml']);
  });

  test('a JSON file stays JSON', async () => {
    const json = join(folder, 'keys.json');
    const made = await keys(['create', '--name', 'one', '--tenant', 'abc'], json);
    await keys(['create', '--name', 'two'], json);
    await keys(['revoke', idOfKey(made.output.trim()) ?? ''], json);
    expect(JSON.parse(readFileSync(json, 'utf8')).keys).toMatchObject([
      { name: 'one', tenants: ['abc'], revoked: expect.any(String) },
      { name: 'two' },
    ]);
  });

  nightly('eight concurrent commands make eight keys', async () => {
    const processes = Array.from({ length: 8 }, () =>
      runQuerygate(['keys', 'create', '--name', 'one'], { API_KEYS_FILE: file }),
    );
    const made = (await Promise.all(processes)).map(({ output }) => output.trimEnd());
    const { keys: kept } = parseKeys(file, readFileSync(file, 'utf8'));
    expect(kept.map(({ id }) => id).sort()).toEqual(made.map((key) => idOfKey(key)).sort());
  });

  test('roll: the new key has the same scope, and the old one expires after the overlap at the latest', async () => {
    const key = await create('--tenant', 'abc', '--permission', 'catalog', '--expires', '2d');
    const next = (
      await keys(['roll', idOfKey(key) ?? '', '--overlap', '1h', '--expires', '90d'])
    ).output.trim();
    const [old, rolled] = parseKeys(file, readFileSync(file, 'utf8')).keys;
    const hours = (instant: Date | undefined) =>
      Math.round(((instant?.getTime() ?? 0) - Date.now()) / 3_600_000);
    expect([old?.id, hours(old?.expires)]).toEqual([idOfKey(key), 1]);
    expect(rolled).toMatchObject({
      id: idOfKey(next),
      name: 'one',
      tenants: ['abc'],
      permissions: ['catalog'],
    });
    expect(hours(rolled?.expires)).toBe(90 * 24);

    const again = await keys(['roll', idOfKey(key) ?? '', '--overlap', '30d']);
    expect(again.errors).toContain(
      `${idOfKey(key)} is valid until ${old?.expires?.toISOString().slice(0, 19)}Z`,
    );
    await keys(['revoke', idOfKey(key) ?? '']);
    const rejected = await keys(['roll', idOfKey(key) ?? '']);
    expect(rejected).toMatchObject({ exitCode: 1, output: '' });
    expect(rejected.errors).toContain('is no longer valid');
  });

  test.each([
    ['no name', ['create'], '--name: is missing'],
    [
      'an unknown endpoint',
      ['create', '--name', 'a', '--endpoint', 'logs.al'],
      '--endpoint: got "logs.al"; must be one of ',
    ],
    [
      'a misspelt endpoint',
      ['create', '--name', 'a', '--endpoint', 'logs.al'],
      'or a UUID of one; did you mean logs.all?',
    ],
    [
      'an invalid expiry',
      ['create', '--name', 'a', '--expires', 'soon'],
      '--expires: got "soon"; must be as in 90d',
    ],
    [
      'an expiry in the past',
      ['create', '--name', 'a', '--expires', '2020-01-01'],
      '--expires: 2020-01-01T00:00:00Z is in the past',
    ],
    [
      'an unknown permission',
      ['create', '--name', 'a', '--permission', 'all'],
      '--permission: must be one of fresh, catalog, metrics',
    ],
    ['an empty tenant', ['create', '--name', 'a', '--tenant', ''], '--tenant: must not be empty'],
    [
      'an invalid rate',
      ['create', '--name', 'a', '--requests-per-minute', '0'],
      '--requests-per-minute: got "0"; must be',
    ],
    ['an unknown option', ['create', '--nam', 'a'], "unknown option '--nam'\n(Did you mean --name?)\n"],
    ['an option of another command', ['list', '--name', 'a'], "unknown option '--name'\n"],
    ['an option without its value', ['create', '--name'], "option '--name <text>' argument missing\n"],
    [
      'an option as value',
      ['create', '--name', '--tenant', 'a'],
      "option '--name <text>' argument missing: got the option --tenant\n",
    ],
    [
      'all as a tenant',
      ['create', '--name', 'a', '--tenant', 'all'],
      '--tenant: got "all"; leave it out for all tenants\n',
    ],
    [
      'all as an endpoint',
      ['create', '--name', 'a', '--endpoint', 'all'],
      '--endpoint: got "all"; leave it out for all endpoints\n',
    ],
    [
      'two tenants in one',
      ['create', '--name', 'a', '--tenant', 'a,b'],
      '--tenant: got "a,b"; takes one value, repeat it for several: --tenant a --tenant b\n',
    ],
    [
      'several permissions at once',
      ['create', '--name', 'a', '--permission', 'metrics,fresh'],
      '--permission: got "metrics,fresh"; takes one value, repeat it for several: --permission metrics --permission fresh\n',
    ],
    [
      'two endpoints in one',
      ['create', '--name', 'a', '--endpoint', 'logs.all,usage.api-counts'],
      '; takes one value, repeat it for several: --endpoint logs.all --endpoint usage.api-counts\n',
    ],
    ['an unexpected argument', ['create', 'a', '--name', 'a'], "too many arguments for 'create'"],
    ['an unknown id', ['revoke', 'abcdefgh'], 'no key has the id "abcdefgh"'],
    ['no id', ['revoke'], "missing required argument 'id'"],
    [
      'an invalid overlap',
      ['roll', 'abcdefgh', '--overlap', 'long'],
      '--overlap: got "long"; must be a duration, as in 7d',
    ],
    ['an unknown command', ['rotate'], "unknown command 'rotate'"],
    ['no file', ['list'], 'keys.yaml cannot be read (ENOENT)'],
  ])('with %s it reports what would be right, exits with 1 and changes nothing', async (_, args, message) => {
    const { exitCode, output, errors } = await keys(args);
    expect({ exitCode, output }).toEqual({ exitCode: 1, output: '' });
    expect(errors).toContain(message);
    expect(errors).not.toContain('    at ');
    expect(existsSync(file)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('--help anywhere prints the usage and changes nothing', async () => {
    const help = [['--help'], ['help'], ['create', '--help'], ['roll', 'abcdefgh', '--overlap', '--help']];
    for (const { exitCode, output, errors } of await Promise.all(help.map((args) => keys(args)))) {
      expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
      expect(output).toMatch(/^Usage: querygate keys /);
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  test('an invalid file is not changed: the user must not believe that a key was revoked', async () => {
    const key = await create();
    const broken = readFileSync(file, 'utf8').replace('count: 1', '    owner: me\ncount: 1');
    writeFileSync(file, broken);
    const { exitCode, errors } = await keys(['revoke', idOfKey(key) ?? '']);
    expect(exitCode).toBe(1);
    expect(errors).toMatch(/keys\.yaml:5 keys\.0: unknown: owner/);
    expect(readFileSync(file, 'utf8')).toBe(broken);
    const start = await runCommand('src/main.ts', { API_KEYS_FILE: file, DATA_DIR: 'test', PORT: '0' });
    expect(start.exitCode).toBe(2);
    expect(start.errors).toContain('keys.yaml:5 keys.0: unknown: owner');
  });

  test('a file that does not fit on the disk stays as it was, and the command says so', async () => {
    await create('--tenant', 'a'.repeat(200), '--tenant', 'b'.repeat(200), '--tenant', 'c'.repeat(200));
    const before = readFileSync(file, 'utf8');
    // A limit of 512 bytes per file: as on a full disk, the system writes a part of the text and rejects the rest.
    const script = 'ulimit -f 1; exec "$0" src/main.ts keys create --name two';
    const { status, stdout, stderr } = spawnSync('sh', ['-c', script, process.execPath], {
      env: { PATH: process.env.PATH, API_KEYS_FILE: file },
      encoding: 'utf8',
    });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toBe(
      `The key file cannot be changed:\n  ${file} cannot be written (EFBIG): the file would exceed the size limit (see ulimit -f); the file is unchanged\n`,
    );
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(readdirSync(folder)).toEqual(['keys.yaml']);
  });

  test('a symbolic link is kept, whether its target exists or not', async () => {
    mkdirSync(join(folder, 'secret'));
    symlinkSync(join('secret', 'current.yaml'), file);
    symlinkSync('real.yaml', join(folder, 'secret', 'current.yaml'));
    await create();
    await create();
    const real = join(folder, 'secret', 'real.yaml');
    expect(parseKeys(real, readFileSync(real, 'utf8')).keys).toHaveLength(2);
    expect([readlinkSync(file), readdirSync(folder).sort()]).toEqual([
      join('secret', 'current.yaml'),
      ['keys.yaml', 'secret'],
    ]);
    expect(readdirSync(join(folder, 'secret')).sort()).toEqual(['current.yaml', 'real.yaml']);
    rmSync(real);
    symlinkSync(file, real);
    expect((await keys(['create', '--name', 'one'])).errors).toContain(
      'cannot be written (ELOOP): its symbolic links form a loop; the file is unchanged',
    );
  });

  test('what a key reads beyond its tenant is said, and who must own a new file', async () => {
    const bound = ['create', '--name', 'one', '--tenant', 'a', '--endpoint', 'logs.all'];
    const first = await keys([...bound, '--permission', 'metrics', '--permission', 'catalog']);
    expect(first.errors).toContain(
      'With the permission metrics it reads the figures of all endpoints and keys, whatever it is bound to.\n' +
        'With the permission catalog it reads the SQL of every endpoint that it may query.\n' +
        `Only user ${process.getuid?.()}, who made ${file}, may read it: if the gateway runs as another user`,
    );
    expect(first.errors).not.toMatch(/all tenants|may query all/);
    const second = await keys(bound);
    expect(second.errors).not.toMatch(/permission|Only user/);
    const third = await keys(['create', '--name', 'free']);
    expect(third.errors).toMatch(/reads the rows of all tenants.*\n.*may query all endpoints/);
  });

  test.skipIf(process.getuid?.() !== 0)(
    'a file of the gateway that root changes stays that of the gateway (only root can give files away)',
    async () => {
      await create();
      chownSync(file, 65534, 65534);
      chmodSync(file, 0o640);
      const { errors } = await keys(['create', '--name', 'two']);
      const { uid, gid, mode } = statSync(file);
      expect([uid, gid, mode & 0o777]).toEqual([65534, 65534, 0o640]);
      expect(errors).not.toContain('chown');
    },
  );

  test('a missing folder is reported', async () => {
    const { exitCode, errors } = await keys(['create', '--name', 'one'], join(folder, 'none', 'keys.yaml'));
    expect(exitCode).toBe(1);
    expect(errors).toContain(`cannot be written (ENOENT): there is no folder ${join(folder, 'none')}`);
  });

  nightly('the commands in the documentation run', () => {
    const [, block = ''] =
      /```sh\nexport API_KEYS_FILE=([\s\S]*?)```/.exec(readFileSync('docs/keys-and-tenants.md', 'utf8')) ??
      [];
    const lines = `export API_KEYS_FILE=${block}`.replace('keys.yaml', file);
    // Not every shell accepts comments in interactive use: zsh does not.
    expect(lines).not.toMatch(/[<>#]/);
    const command = `'${process.execPath}' src/main.ts`;
    const output = execFileSync('sh', ['-ec', lines.replaceAll('npx querygate', command)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    expect(output).toMatch(
      /^id\tname\t.*\n\w{8}\tDashboard of abc\tvalid\t.*\tlogs\.all\tabc\t600\/min, 4 at once\tnone\tunknown\tall\nqg_\w+\n$/,
    );
    const [first, second] = parseKeys(file, readFileSync(file, 'utf8')).keys;
    expect(first?.revoked).toBeInstanceOf(Date);
    expect(second).toMatchObject({ name: 'Dashboard of abc', tenants: ['abc'] });
  });

  test('other invalid settings do not keep a key from being revoked', async () => {
    const id = idOfKey(await create()) ?? '';
    const env = { API_KEYS_FILE: file, PORT: 'abc', ENGINE: 'bigquery', QUERIES_DIR: join(folder, 'none') };
    expect(await querygate(['keys', 'revoke', id], env)).toMatchObject({ exitCode: 0 });
    expect((await querygate(['keys', 'list'], env)).output).toMatch(/^\w+\tone\trevoked\t/m);
  });

  test('without API_KEYS_FILE it reports that and shows an example', async () => {
    const { exitCode, errors } = await querygate(['keys', 'list']);
    expect(exitCode).toBe(1);
    expect(errors).toContain('API_KEYS_FILE: is missing; it names the key file');
    expect((await querygate(['keys'])).errors).toContain('Usage: querygate keys ');
  });
});
