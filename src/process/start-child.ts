import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Channel, openChannel } from './channel.ts';
import type { Frame } from './frames.ts';

/** Other programs that run JavaScript start processes in ways of their own. */
export const canStartChildren = !('bun' in process.versions || 'deno' in process.versions);

/** How a process ended: both are null if it could not be started. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process of Node that runs a program of this package, and exchanges frames with this one, which it never outlives. */
export interface Child {
  readonly pid: number | undefined;
  readonly channel: Channel;
  readonly ended: Promise<Ending>;
  /** Ends it at once, whatever it does. */
  kill(): void;
  /** Where the system has no such signal, nothing happens. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** With true, this process goes on as long as that one does; at first it does not. */
  keepAlive(isOn: boolean): void;
}

export interface ChildOptions {
  /** A module that calls `connectToParent`; its URL is that of `moduleUrl`. */
  readonly program: URL;
  /** Variables of its environment, beside those that every process needs: it gets none of the secrets of this one. */
  readonly env?: Readonly<Record<string, string>>;
  /** Options of Node. */
  readonly flags?: readonly string[];
  /** The most address space, in bytes, where the system has such a limit: what needs more fails, or ends the process. */
  readonly addressSpaceBytes?: number | undefined;
  /** The longest payload that is taken from it: it is killed if it sends more. */
  readonly maxPayloadBytes?: number;
  /** If it throws, the process is killed. */
  onFrame(frame: Frame): void;
  /** A line that it has written to standard output or standard error. */
  onOutput(line: string): void;
}

/** @throws Error if the system has no file descriptors or no memory for it; other failures end it */
export function startChild({
  program,
  env = {},
  flags = [],
  addressSpaceBytes,
  maxPayloadBytes,
  onFrame,
  onOutput,
}: ChildOptions): Child {
  const args = [...flags, fileURLToPath(program)];
  const options = { env: { ...inheritedVariables(), ...env }, windowsHide: true };
  const { execPath } = process;
  const child = existsSync(shell)
    ? spawn(shell, ['-c', script, 'sh', kilobytes(addressSpaceBytes), execPath, ...args], {
        ...options,
        stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
      })
    : spawn(execPath, args, { ...options, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  // It also comes when the process cannot be killed, and later than a failure to start it.
  child.on('error', () => {});
  // Contrary to its type, Node makes none when there are no file descriptors left.
  if (child.stdio === undefined) throw new Error('no process can be started: too many files are open');
  const kill = () => void child.kill('SIGKILL');
  const socket = child.stdio[3] as Socket;
  const channel = openChannel(socket, {
    onFrame,
    maxPayloadBytes,
    onEnd(error) {
      if (error !== undefined) onOutput(`(what it sent cannot be read: ${error})`.slice(0, maxLineLength));
      kill();
    },
  });
  for (const stream of [child.stdout, child.stderr]) onLines(stream, onOutput);
  child.unref();
  for (const stream of child.stdio) (stream as Socket | null)?.unref();
  return {
    pid: child.pid,
    channel,
    ended: endOf(child, channel),
    kill,
    signal: (name) => void (process.platform !== 'win32' && child.kill(name)),
    keepAlive(isOn) {
      for (const one of [child, socket]) isOn ? one.ref() : one.unref();
    },
  };
}

const shell = '/bin/sh';

/**
 * Runs Node within a limit, and beside it a shell that waits for the end of this process and then kills that of Node, which
 * may be too busy to notice; one that notices has a second to remove what it has written. A line, which is sent when Node has ended, ends the shell: another process might have its number
 * later. Where there is no shell, the process ends when it finds its connection closed; on Windows, libuv's job object
 * ends it, and in a container the end of the first process. If the machine has no memory left, Linux ends the child first: its score is half
 * way from that of this process to the highest one.
 */
const script = `[ "$1" = unlimited ] || ulimit -v "$1" 2>/dev/null
shift
(trap '' INT TERM HUP; read -r _ || { sleep 1; kill -9 $$; }) <&4 >/dev/null 2>&1 3>&- &
exec 4<&-
{ read -r score </proc/self/oom_score_adj && echo $(((score + 1001) / 2)) >/proc/self/oom_score_adj; } 2>/dev/null
exec "$@"`;

const kilobytes = (bytes: number | undefined) =>
  bytes === undefined ? 'unlimited' : String(Math.floor(bytes / 1024));

function endOf(child: ChildProcess, channel: Channel): Promise<Ending> {
  const { promise, resolve } = Promise.withResolvers<Ending>();
  const end = (ending: Ending) => {
    const lifeLine = child.stdio[4] as Socket | undefined;
    // Its shell may be gone, too.
    lifeLine?.on('error', () => {}).end('\n');
    channel.close();
    resolve(ending);
  };
  child.once('exit', (code, signal) => end({ code, signal }));
  child.once('error', () => end({ code: null, signal: null }));
  return promise;
}

/** The variables that programs need to run at all, on any system. */
const variables =
  /^(?:PATH|HOME|TMPDIR|TEMP|TMP|TZ|LANG|LC_\w+|LD_LIBRARY_PATH|DYLD_\w+|SYSTEMROOT|WINDIR|COMSPEC|NODE_OPTIONS|NODE_COMPILE_CACHE|NODE_DISABLE_COMPILE_CACHE)$/i;

const inheritedVariables = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => variables.test(name)));

/** The longest line that is kept. */
const maxLineLength = 500;

function onLines(stream: Readable | null, onLine: (line: string) => void): void {
  let rest = '';
  stream?.setEncoding('utf8');
  stream?.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop()?.slice(0, maxLineLength) ?? '';
    for (const line of lines) if (line.trim() !== '') onLine(line.slice(0, maxLineLength));
  });
  stream?.on('end', () => rest.trim() !== '' && onLine(rest));
}
