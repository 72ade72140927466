import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readFolder } from '../../src/catalog/folder/read-folder.ts';
import { runQuerygate } from '../support/gateway-process.ts';
import { hasProgram } from '../support/has-program.ts';
import { nightly } from '../support/nightly.ts';

interface Item {
  readonly key: string;
  readonly path: string;
}

interface Kustomization {
  readonly resources: readonly string[];
  readonly configMapGenerator: readonly { readonly name: string; readonly files: readonly string[] }[];
  readonly patches: readonly { readonly patch: string }[];
}

const script = 'deploy/kubernetes/kustomization.sh';

describe('saved queries in a ConfigMap', () => {
  const root = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  const folder = join(root, 'queries');
  const mount = join(root, 'mount');
  let files: ReadonlyMap<string, string>;
  let items: readonly Item[];

  beforeAll(() => {
    cpSync('queries', folder, { recursive: true });
    cpSync('deploy', join(root, 'deploy'), { recursive: true });
    const second = readFileSync(join(folder, 'logs.all.sql'), 'utf8').replace(
      /^id: .*$/m,
      'id: 00000000-0000-4000-8000-000000000002',
    );
    writeFileSync(join(folder, 'logs.all@2.sql'), second.replace(/^aliases:\n(?: .*\n)*/m, ''));
    writeFileSync(join(folder, '.hidden'), '');
    const text = execFileSync('sh', [script, 'queries'], { cwd: root, encoding: 'utf8' });
    writeFileSync(join(root, 'kustomization.yaml'), text);
    const { configMapGenerator, patches } = parse(text) as Kustomization;
    files = new Map(configMapGenerator[0]?.files.map((file) => file.split('=') as [string, string]) ?? []);
    const { spec } = parse(patches[0]?.patch ?? '');
    ({ items } = spec.template.spec.volumes[0].configMap);
  });
  afterAll(() => rmSync(root, { recursive: true }));

  test('have keys that Kubernetes accepts, and paths inside of the volume', () => {
    expect(files.size).toBe(items.length);
    expect(new Set(items.map(({ path }) => path)).size).toBe(items.length);
    for (const { key, path } of items) {
      // IsConfigMapKey and validateLocalNonReservedPath of Kubernetes.
      expect(key).toMatch(/^(?!\.\.)[-._a-zA-Z0-9]{1,253}$/);
      expect(path).not.toMatch(/^\/|(?:^|\/)\.\.(?:\/|$)|^\.\./);
      expect(files.get(key)).toBe(`queries/${path}`);
    }
    expect(items).toContainEqual({ key: 'logs.all_a2.sql', path: 'logs.all@2.sql' });
    expect(items).toContainEqual({ key: 'tables_sedge__logs.json', path: 'tables/edge_logs.json' });
  });

  nightly('are the same files in the volume, and valid there', async () => {
    mountConfigMap(mount, '..one', items, (key) => readFileSync(join(root, files.get(key) ?? '')));
    expect(readFolder(mount)).toEqual(readFolder(folder));
    const { exitCode, output, errors } = await runQuerygate(['check', '--queries-dir', mount]);
    expect({ exitCode, errors }, output).toEqual({ exitCode: 0, errors: '' });
    expect(output).toContain('logs.all means version 1; versions: 1, 2');
  });

  test('are refused with a name that no key can have', () => {
    writeFileSync(join(folder, 'a b.sql'), '');
    const { status, stderr } = spawnSync('sh', [script, 'queries'], { cwd: root, encoding: 'utf8' });
    rmSync(join(folder, 'a b.sql'));
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^\d*:?a b\.sql\n/)]);
  });

  test('are refused without a file', () => {
    const empty = mkdtempSync(join(root, 'empty-'));
    const { status, stdout, stderr } = spawnSync('sh', [script, empty], { cwd: root, encoding: 'utf8' });
    expect([status, stdout, stderr]).toEqual([1, '', `${empty} has no files\n`]);
  });

  test.skipIf(!hasProgram('kubectl', '--help'))('make a deployment that kubectl understands', () => {
    const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', root], { encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    expect(stdout).toContain('path: logs.all@2.sql');
  });
});

/** Writes a volume as the kubelet does: links to links to the files of one folder, which is exchanged as a whole. */
function mountConfigMap(
  mount: string,
  version: string,
  items: readonly Item[],
  read: (key: string) => Buffer,
) {
  for (const { key, path } of items) {
    mkdirSync(dirname(join(mount, version, path)), { recursive: true });
    writeFileSync(join(mount, version, path), read(key));
  }
  symlinkSync(version, join(mount, '..data_tmp'));
  renameSync(join(mount, '..data_tmp'), join(mount, '..data'));
  for (const name of new Set(items.map(({ path }) => path.split('/')[0] ?? ''))) {
    symlinkSync(join('..data', name), join(mount, name));
  }
}
