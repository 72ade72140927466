import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format } from 'node:util';
import type { CommandEnd, CommandLine } from './command-host.ts';

/** Thrown where a process of its own would end. */
class Exit extends Error {}

const [, , program = ''] = process.argv;
const { runProgram } = await import(pathToFileURL(resolve(program)).href);
const { stdout, stderr } = process;
// Each command adds a listener.
stdout.setMaxListeners(0);

process.exit = (code) => {
  process.exitCode = code ?? process.exitCode;
  throw new Exit();
};

process.on('message', async ({ args, env }: CommandLine) => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...args);
  process.exitCode = undefined;
  const texts = { output: '', errors: '' };
  stdout.write = collectInto((text) => (texts.output += text));
  stderr.write = collectInto((text) => (texts.errors += text));
  try {
    await runProgram(args);
    // What waits for the end of this turn may still print something.
    await new Promise((resolve) => setImmediate(resolve));
  } catch (error) {
    if (!(error instanceof Exit)) {
      process.exitCode = 1;
      texts.errors += `${format('%s', error)}\n`;
    }
  }
  const end: CommandEnd = { exitCode: Number(process.exitCode ?? 0), ...texts };
  process.send?.(end);
});

function collectInto(add: (text: string) => void): typeof stdout.write {
  return (chunk: Uint8Array | string, ...more: unknown[]) => {
    add(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
    const written = more.at(-1);
    if (typeof written === 'function') written();
    return true;
  };
}
