import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pathProblem } from '../../src/files/path-problem.ts';
import { atNight } from '../support/nightly.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paths-'));
  mkdirSync(join(folder, 'orders'));
  writeFileSync(join(folder, 'keys.yaml'), '');
  symlinkSync('loop', join(folder, 'loop'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const problemOf = (read: (path: string) => unknown, name: string, kind: 'file' | 'folder') => {
  const path = join(folder, name);
  try {
    read(path);
    return undefined;
  } catch (error) {
    return pathProblem(path, error, kind);
  }
};

describe('why a path cannot be used', () => {
  test.each([
    ['order', '(ENOENT): there is no folder <>/order; did you mean orders?'],
    ['key.yaml', '(ENOENT): there is no folder <>/key.yaml'],
    ['ordres/a/b', '(ENOENT): there is no folder <>/ordres; did you mean orders?'],
    ['keys.yaml', '(ENOTDIR): it is a file, and must be a folder'],
    ['keys.yaml/a', '(ENOTDIR): a part of the path is a file'],
    ['loop', '(ELOOP): its symbolic links form a loop'],
  ])('a folder: %s', (name, problem) => {
    expect(problemOf(readdirSync, name, 'folder')).toBe(problem.replace('<>', folder));
  });

  test.each([
    ['key.yaml', '(ENOENT): there is no file <>/key.yaml; did you mean keys.yaml?'],
    ['ordres/keys.yaml', '(ENOENT): there is no folder <>/ordres; did you mean orders?'],
    ['orders', '(EISDIR): it is a folder, and must be a file'],
  ])('a file: %s', (name, problem) => {
    expect(problemOf(readFileSync, name, 'file')).toBe(problem.replace('<>', folder));
  });
});

/** Runs as a user without rights: to root, the system refuses nothing. */
function asOther(call: string): string {
  const program = `
    import { requireDataDir } from ${JSON.stringify(resolve('src/engines/duckdb/open-data.ts'))};
    import { pathProblem } from ${JSON.stringify(resolve('src/files/path-problem.ts'))};
    if (process.getuid() === 0) { process.setgroups([]); process.setgid(65534); process.setuid(65534); }
    const messageOf = (work) => { try { work(); return 'no error'; } catch (error) { return error.message; } };
    process.stdout.write(${call});`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  return stdout + stderr;
}

describe('without the right to read', () => {
  test.each(['csv', ...atNight('ndjson', 'parquet')])(
    'a data file has the same reason and cure: %s',
    (format) => {
      chmodSync(folder, 0o755);
      const path = join(folder, `orders.${format}`);
      writeFileSync(path, '', { mode: 0o600 });
      const describeReason = `(await import(${JSON.stringify(resolve('packages/duckdb-import/src/read/describe-problem.ts'))})).describeReason`;
      const file = JSON.stringify({ path, name: `orders.${format}` });
      chmodSync(path, process.getuid?.() === 0 ? 0o600 : 0);
      expect(
        asOther(
          `await (await import('node:fs/promises')).readFile(${file}.path).catch(async (error) => ${describeReason}(error, ${file}))`,
        ),
      ).toMatch(
        /^cannot be read \(EACCES\): user \d+, which runs this process, has not .*owns it, with mode \d+: change owner or mode \(chown, chmod\)$/,
      );
    },
  );

  let data: string;
  beforeAll(() => {
    chmodSync(folder, 0o755);
    data = join(folder, 'data');
    mkdirSync(join(data, 'below'), { recursive: true });
  });

  test.each([
    ['a folder without rights', 'data', 0o000],
    ['one that can be listed only', 'data', 0o444],
    ['one that can be entered only', 'data', 0o111],
    ['one below such a folder', 'data/below', 0o000],
  ])('the data is refused with its path, the reason and the cure: %s', (_title, name, mode) => {
    chmodSync(data, mode);
    const path = JSON.stringify(join(folder, name));
    const message = asOther(`messageOf(() => requireDataDir({ dataDir: ${path} }))`);
    chmodSync(data, 0o755);
    expect(message).toContain(`dataDir: got ${path}, which cannot be read (EACCES): user `);
    expect(message).toMatch(
      /, which runs this process, has not the right to read it, and to enter the folders above it/,
    );
    expect(message).toMatch(/change owner or mode \(chown, chmod\)$/);
    expect(message.includes('owns it, with mode')).toBe(name === 'data');
  });
});
