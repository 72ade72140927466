import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, watch } from 'node:fs';
import { exitCode } from '../http/server/graceful-shutdown.ts';
import { mainFile } from './package-files.ts';
import { defaultConfigFile } from './settings/config-file.ts';

interface DevOptions {
  /** The arguments of `start`. */
  readonly args: readonly string[];
  readonly queriesDir: string;
  readonly configFile: string | undefined;
}

/** An editor writes a file in several steps. */
const settleMs = 100;

/** `querygate dev`: runs `start` in a process of its own, and restarts it when a saved query or the settings change. */
export function dev({ args, queriesDir, configFile = defaultConfigFile }: DevOptions): Promise<never> {
  let child: ChildProcess | undefined;
  let isEnding = false;
  const run = () => {
    child = spawn(process.execPath, [mainFile, 'start', ...args], { stdio: 'inherit' });
    child.once('exit', (code) => {
      child = undefined;
      if (isEnding) process.exit(code ?? exitCode.forced);
      if (isChanged) restart();
      else process.stderr.write('The gateway has ended; it starts again when a file changes.\n');
    });
  };
  let isChanged = false;
  const restart = () => {
    isChanged = false;
    process.stderr.write('Restarting: a file has changed.\n');
    run();
  };
  const onChange = debounce(() => {
    if (child === undefined) return restart();
    isChanged = true;
    child.kill('SIGTERM');
  });
  watch(queriesDir, { recursive: true }, onChange);
  if (existsSync(configFile)) watch(configFile, onChange);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      isEnding = true;
      if (child === undefined) process.exit(exitCode.ok);
      // A terminal sends SIGINT to the child too, where a second one would cut off its requests.
      if (signal === 'SIGTERM') child.kill(signal);
    });
  }
  run();
  // It ends by its signals only.
  return new Promise(() => {});
}

function debounce(work: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, settleMs);
  };
}
