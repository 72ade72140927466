import type { Engine } from '../../engine/engine.ts';
import type { EngineHost } from '../../engine/engine-factory.ts';
import { openRemote } from '../../engine/remote/open-remote.ts';
import { moduleUrl } from '../../files/module-url.ts';
import type { DuckdbSettings } from './duckdb-options.ts';

/** As `openDuckdb`, in a process of its own. */
export function openIsolated(host: EngineHost, settings: DuckdbSettings): Promise<Engine> {
  return openRemote(host, {
    program: moduleUrl('./engine-program', import.meta.url),
    settings,
    // Every query occupies a thread of libuv's pool, also one that has been left behind because it did not stop.
    env: { UV_THREADPOOL_SIZE: String(2 * host.limits.concurrency + 4) },
    memoryBytes: 3e9,
  });
}
