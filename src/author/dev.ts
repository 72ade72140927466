import { type ChildProcess, spawn } from 'node:child_process';
import { basename, dirname, resolve } from 'node:path';
import { demoData, type SettingValues } from '../config/settings.ts';
import { exitCode } from '../exit-code.ts';
import { watchPath } from '../files/watch-path.ts';
import { mainFile } from '../package-files.ts';
import { signalDelayMs } from './signal-delay.ts';

interface DevOptions {
  /** The arguments of `start`. */
  readonly args: readonly string[];
  readonly settings: SettingValues;
  /** The settings as they are now. @throws StartError if they are wrong */
  readonly loadSettings: () => Promise<SettingValues>;
  /** The file of settings, which need not exist. */
  readonly configFile: string;
}

/** An editor writes a file in several steps. */
const settleMs = 100;

/**
 * `querygate dev`: runs `start` in a process of its own, which takes up changed saved queries itself; restarts it when the
 * settings change, and when a saved query changes while it is not running.
 */
export async function runDev({ args, settings, loadSettings, configFile }: DevOptions): Promise<never> {
  let child: ChildProcess | undefined;
  let isEnding = false;
  let isChanged = false;
  const run = async () => {
    // If the settings are wrong, the process says so.
    const now = await loadSettings().catch(() => settings);
    // Authors of queries see what agents get.
    const added = { ...(now.MCP ? {} : { MCP: 'on' }), ...(now.DATA_DIR ? {} : { DATA_DIR: demoData }) };
    const env = { ...process.env, ...added };
    child = spawn(process.execPath, [mainFile, 'start', '--show-source', ...args], {
      // It ends when the channel does, however this process has ended.
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      env,
    });
    child.once('exit', (code) => {
      child = undefined;
      if (isEnding) process.exit(code ?? exitCode.forced);
      if (isChanged) restart();
      else process.stderr.write('The gateway has ended; it starts again when a file changes.\n');
    });
  };
  const restart = () => {
    isChanged = false;
    process.stderr.write('Restarting: a file has changed.\n');
    void run();
  };
  const onSettings = debounce(() => {
    if (child === undefined) return restart();
    isChanged = true;
    child.kill('SIGTERM');
  });
  const onQueries = debounce(() => {
    if (child === undefined) restart();
  });
  const warn = (message: string) => process.stderr.write(`${message}\n`);
  watchPath(settings.QUERIES_DIR ?? 'queries', { recursive: true, onChange: onQueries, warn });
  // The folder, because editors replace the file by another one.
  watchPath(dirname(resolve(configFile)), {
    ...{ recursive: false, warn },
    onChange: (name) => {
      if (name === null || name === basename(configFile)) onSettings();
    },
  });
  // Read now: after a terminal is closed, its streams do not say that they are one.
  const hasTerminal = process.stdin.isTTY || process.stderr.isTTY;
  let interruptedAt = Number.NEGATIVE_INFINITY;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      isEnding = true;
      if (child === undefined) process.exit(exitCode.ok);
      if (signal === 'SIGINT') {
        // A program that has started this one, as npm, passes on the signal that the terminal has sent to both.
        if (performance.now() - interruptedAt < signalDelayMs) return;
        // A terminal sends SIGINT to the child too, where a second one would cut off its requests.
        if (process.stdin.isTTY && child.connected) {
          interruptedAt = performance.now();
          return child.disconnect();
        }
      }
      // Without a terminal, SIGHUP would have it read its files again.
      child.kill(signal === 'SIGHUP' && !hasTerminal ? 'SIGTERM' : signal);
    });
  }
  await run();
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
