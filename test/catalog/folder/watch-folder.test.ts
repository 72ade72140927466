import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CatalogFiles, readFolder } from '../../../src/catalog/folder/read-folder.ts';
import { type FolderWatch, watchFolder } from '../../../src/catalog/folder/watch-folder.ts';
import { eventually } from '../../support/eventually.ts';
import { makeQueryFolder, type QueryFolder } from '../../support/query-folder.ts';

let queries: QueryFolder;
let watch: FolderWatch;
let changes: CatalogFiles[];
let problems: (string | undefined)[];

const follow = () => {
  changes = [];
  problems = [];
  watch = watchFolder({
    folder: queries.folder,
    known: readFolder(queries.folder),
    onChange: async (files) => void changes.push(files),
    onFolderProblem: (problem) => void problems.push(problem),
    onError: (error) => {
      throw error;
    },
  });
};
const latest = () => Object.fromEntries(changes.at(-1) ?? []);

beforeEach(() => {
  queries = makeQueryFolder({ 'a.sql': 'one', 'b.sql': 'two', 'tables/t.json': '[]' });
  follow();
});
afterEach(async () => {
  await watch.close();
  queries.close();
});

describe('a change', () => {
  test('of a file, a new file, a removed one and a renamed one', async () => {
    queries.write('a.sql', 'changed');
    queries.write('c.sql', 'three');
    renameSync(queries.path('b.sql'), queries.path('d.sql'));
    queries.write('tables/t.json', '[1]');
    const writtenAt = performance.now();
    await eventually(() =>
      expect(latest()).toEqual({
        'a.sql': { text: 'changed' },
        'c.sql': { text: 'three' },
        'd.sql': { text: 'two' },
        'tables/t.json': { text: '[1]' },
      }),
    );
    expect(changes).toHaveLength(1);
    expect(performance.now() - writtenAt).toBeGreaterThan(200);
  });

  test('of a definition in a folder of its own, which is made meanwhile', async () => {
    mkdirSync(queries.path('views/sales'), { recursive: true });
    writeFileSync(queries.path('views/sales/v.sql'), 'one');
    mkdirSync(queries.path('views/.hidden'));
    writeFileSync(queries.path('views/.hidden/v.sql'), 'hidden');
    mkdirSync(queries.path('tables/sales'));
    writeFileSync(queries.path('tables/sales/t.json'), '[]');
    const found = (text: string) => ({
      'a.sql': { text: 'one' },
      'b.sql': { text: 'two' },
      'tables/t.json': { text: '[]' },
      'views/sales/v.sql': { text },
    });
    await eventually(() => expect(latest()).toEqual(found('one')));
    writeFileSync(queries.path('views/sales/v.sql'), 'changed');
    await eventually(() => expect(latest()).toEqual(found('changed')));
    rmSync(queries.path('views'), { recursive: true });
    await eventually(() => expect(Object.keys(latest())).toEqual(['a.sql', 'b.sql', 'tables/t.json']));
  });

  test('that is written in steps counts once, as a whole', async () => {
    const text = 'SELECT a long query of several lines';
    truncateSync(queries.path('a.sql'));
    for (const character of text) {
      await sleep(10);
      appendFileSync(queries.path('a.sql'), character);
    }
    await eventually(() => expect(latest()).toMatchObject({ 'a.sql': { text } }));
    expect(changes).toHaveLength(1);
  });

  test('as an editor saves: a backup, a test file, a swap file, a new file of the same name', async () => {
    queries.write('.a.sql.swp', 'swap');
    queries.write('4913', '');
    queries.remove('4913');
    renameSync(queries.path('a.sql'), queries.path('a.sql~'));
    await sleep(50);
    queries.write('a.sql', 'changed');
    symlinkSync('user@host.1234', queries.path('.#a.sql'));
    await eventually(() => expect(latest()).toMatchObject({ 'a.sql': { text: 'changed' } }));
    expect(changes).toHaveLength(1);
    expect(Object.keys(latest())).toEqual(['a.sql', 'b.sql', 'tables/t.json']);
  });

  test('that is undone, or changes only the time of the file, is not reported', async () => {
    queries.write('a.sql', 'changed');
    await sleep(100);
    queries.write('a.sql', 'one');
    await sleep(1_000);
    expect(changes).toEqual([]);
  });

  test('of a file does not wait for another one that goes on changing', async () => {
    const writer = setInterval(() => appendFileSync(queries.path('b.sql'), 'x'), 50);
    queries.write('a.sql', 'changed');
    await eventually(() => expect(latest()).toMatchObject({ 'a.sql': { text: 'changed' } }));
    clearInterval(writer);
    expect(latest()).toMatchObject({ 'b.sql': { text: 'two' } });
  });

  test('of the same length within the same moment is found', async () => {
    queries.write('a.sql', 'two');
    await eventually(() => expect(latest()).toMatchObject({ 'a.sql': { text: 'two' } }));
    queries.write('a.sql', '222');
    await eventually(() => expect(latest()).toMatchObject({ 'a.sql': { text: '222' } }));
  });

  test('is called again after it has failed, when the folder is looked at by hand', async () => {
    await watch.close();
    let calls = 0;
    const errors: unknown[] = [];
    watch = watchFolder({
      folder: queries.folder,
      known: readFolder(queries.folder),
      onChange: async () => {
        calls += 1;
        if (calls === 1) throw new Error('not now');
      },
      onFolderProblem: () => {},
      onError: (error) => void errors.push(error),
    });
    queries.write('a.sql', 'changed');
    await eventually(() => expect(errors).toHaveLength(1));
    watch.look();
    await eventually(() => expect(calls).toBe(2));
  });
});

test('links of a Kubernetes ConfigMap, whose folder is exchanged', async () => {
  await watch.close();
  const version = (name: string, text: string) => {
    mkdirSync(join(queries.path(name), 'tables'), { recursive: true });
    writeFileSync(join(queries.path(name), 'a.sql'), text);
    writeFileSync(join(queries.path(name), 'tables/t.json'), `["${text}"]`);
  };
  version('..2026_01', 'one');
  symlinkSync('..2026_01', queries.path('..data'));
  rmSync(queries.path('a.sql'));
  rmSync(queries.path('b.sql'));
  symlinkSync('..data/a.sql', queries.path('a.sql'));
  rmSync(queries.path('tables'), { recursive: true });
  symlinkSync('..data/tables', queries.path('tables'));
  follow();
  version('..2026_02', 'changed');
  symlinkSync('..2026_02', queries.path('..data_tmp'));
  renameSync(queries.path('..data_tmp'), queries.path('..data'));
  rmSync(queries.path('..2026_01'), { recursive: true });
  const { tookMs } = await eventually(() =>
    expect(latest()).toEqual({ 'a.sql': { text: 'changed' }, 'tables/t.json': { text: '["changed"]' } }),
  );
  expect(changes).toHaveLength(1);
  expect(tookMs).toBeLessThan(5_000);
});

describe('files that are not regular files', () => {
  test('folders are ignored; pipes, devices and large files are problems, and nothing waits for them', async () => {
    mkdirSync(queries.path('folder.sql'));
    execFileSync('mkfifo', [queries.path('pipe.sql')]);
    writeFileSync(queries.path('large.sql'), Buffer.alloc(100_000_000, 'x'));
    symlinkSync('/dev/zero', queries.path('device.sql'));
    await eventually(() =>
      expect(latest()).toMatchObject({
        'pipe.sql': { problem: 'is not a regular file' },
        'device.sql': { problem: 'is not a regular file' },
        'large.sql': { problem: 'has 100000000 bytes; at most 1048576 are read' },
      }),
    );
    expect(Object.keys(latest())).not.toContain('folder.sql');
  });

  test.skipIf(process.getuid?.() === 0)('an unreadable file is a problem until it can be read', async () => {
    chmodSync(queries.path('a.sql'), 0o000);
    await eventually(() =>
      expect(latest()).toMatchObject({
        'a.sql': {
          problem: expect.stringMatching(/^cannot be read \(EACCES\): user \d+.* change owner or mode/),
        },
      }),
    );
    chmodSync(queries.path('a.sql'), 0o600);
    await eventually(() => expect(latest()).toMatchObject({ 'a.sql': { text: 'one' } }));
  });
});

test('a folder that is gone or empty changes nothing; when it is there again, it is followed', async () => {
  renameSync(queries.folder, `${queries.folder}-away`);
  await eventually(() => expect(problems).toEqual(['cannot be read (ENOENT)']));
  mkdirSync(queries.folder);
  await eventually(() => expect(problems.at(-1)).toBe('contains no *.sql file'));
  await sleep(700);
  expect(changes).toEqual([]);
  queries.write('a.sql', 'changed');
  await eventually(() => expect(problems.at(-1)).toBeUndefined());
  await eventually(() => expect(latest()).toEqual({ 'a.sql': { text: 'changed' } }));
  rmSync(`${queries.folder}-away`, { recursive: true });
});
