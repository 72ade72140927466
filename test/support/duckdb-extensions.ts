import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance, version } from '@duckdb/node-api';

const names = ['ducklake', 'httpfs', 'aws', 'postgres-scanner', 'sqlite-scanner', 'quack'];
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'querygate-tests');

/** The folder of DuckDB's extensions, as pip makes it: the first test that needs it downloads 60 MB. */
export const extensionsDir = join(cache, `extensions-${version()}-${names.length}`);

if (!existsSync(extensionsDir)) install();

/** True where tests of extensions are left out: on a laptop that cannot download them, never in CI. */
export const isWithoutExtensions = !existsSync(extensionsDir) && !process.env.CI;

/** DuckDB with extensions, as another program would have it. */
export async function openWithExtensions(...names: readonly string[]) {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '2',
    memory_limit: '1GB',
    autoinstall_known_extensions: 'false',
  });
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  for (const name of names) {
    const [file = ''] = globSync(join(extensionsDir, `**/${name}.duckdb_extension`));
    await connection.run(`LOAD '${file}'`);
  }
  return { instance, connection };
}

function install(): void {
  const wheels = names.map((name) => `duckdb-extension-${name}==${version().slice(1)}`);
  mkdirSync(cache, { recursive: true });
  const target = mkdtempSync(join(cache, 'new-'));
  const { status } = spawnSync('python3', [
    '-m',
    'pip',
    'install',
    '-q',
    '--no-deps',
    '--target',
    target,
    ...wheels,
  ]);
  try {
    if (status === 0) renameSync(target, extensionsDir);
  } catch {
    // Another test has made it meanwhile.
  }
  rmSync(target, { recursive: true, force: true });
}
