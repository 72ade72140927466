import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '../../engine-contract/engine.ts';
import type { EngineHost } from '../../engine-contract/engine-factory.ts';
import { StartError } from '../../errors.ts';
import { openRemote } from '../../engine-contract/remote/open-remote.ts';
import { moduleUrl } from '../../files/module-url.ts';
import type { DuckdbSettings } from './duckdb-options.ts';

/** As `openDuckdb`, in a process of its own. */
export async function openIsolated(host: EngineHost, settings: DuckdbSettings): Promise<Engine> {
  if (settings.dataDir !== undefined || settings.storeFile !== ':memory:')
    return open(host, { ...settings, demoCacheDir: undefined });
  // Rows of the demo that were only in the memory of a process would have to be made again when another one is started.
  const folder = await mkdtemp(join(tmpdir(), 'querygate-'));
  // A gateway that ends while it starts, or is ended by force, closes nothing.
  const removeAtExit = () => removeNow(folder);
  process.once('exit', removeAtExit);
  const remove = async () => {
    process.off('exit', removeAtExit);
    await rm(folder, { recursive: true, force: true });
  };
  const { demoCacheDir = join(folder, 'files') } = settings;
  try {
    const engine = await open(host, { ...settings, storeFile: join(folder, 'demo.duckdb'), demoCacheDir });
    return { ...engine, close: () => engine.close().finally(remove) };
  } catch (error) {
    await remove();
    throw error;
  }
}

function removeNow(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // The process of the engine, which ends after this one, may still write into it.
  }
}

function open(host: EngineHost, settings: DuckdbSettings): Promise<Engine> {
  const program = moduleUrl('./engine-program', import.meta.url);
  const memoryBytes = 2 * sizeOf(settings.memoryLimit) + 1e9;
  return openRemote(host, {
    program,
    settings,
    // Every query occupies a thread of libuv's pool, also one that has been left behind because it did not stop.
    env: {
      UV_THREADPOOL_SIZE: String(2 * host.limits.concurrency + 4),
      ...(settings.dataDir !== undefined &&
        /^(?:ducklake|s3|gs):/.test(settings.dataDir) &&
        variablesOfData()),
    },
    // Rows become text that is thrown away: without this, V8 keeps some 30 MB for it.
    flags: ['--max-semi-space-size=4'],
    memoryBytes,
    addressSpaceBytes: memoryBytes + reservedBytes(program, settings.threads),
  });
}

/** The variables by which libraries find Postgres, which they would wait for without end, and buckets. */
const variablesOfData = () => ({
  PGCONNECT_TIMEOUT: '10',
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) =>
      /^(?:PG[A-Z]+|(?:AWS|GOOGLE|GCE|CLOUDSDK)_\w+|STORAGE_EMULATOR_HOST)$/.test(name),
    ),
  ),
});

/** Address space that is not memory: of V8, of threads, and of what removes the types of TypeScript, which is WebAssembly. */
const reservedBytes = (program: URL, threads: number): number =>
  3e9 + threads * 0.2e9 + (isTypeScript(program) ? 10e9 : 0);

/** In a checkout, what has been built still finds the compiler of the dialect as it is written. */
const isTypeScript = ({ pathname }: URL): boolean =>
  [pathname, import.meta.resolve('@querygate/bigquery-sql')].some((path) => path.endsWith('.ts'));

/** The bytes of a size as DuckDB reads it, as in `512MB`, `2G` and `1.5 gigabytes`. @throws StartError */
export function sizeOf(text: string): number {
  const size = /^(\d+(?:\.\d*)?|\.\d+)\s?([kmgt])(?:(ib)|b|(?:ilo|ega|iga|era)bytes?)?$/i.exec(text.trim());
  if (size === null)
    throw new StartError('DuckDB cannot be opened', [
      { message: `memoryLimit: got ${JSON.stringify(text)}; must be a size, as in 512MB` },
    ]);
  const [, amount, unit = '', binary] = size;
  return Number(amount) * (binary ? 1024 : 1000) ** ('kmgt'.indexOf(unit.toLowerCase()) + 1);
}
