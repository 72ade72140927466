import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway-process.ts';
import { atNight, nightly } from '../support/nightly.ts';

test.skipIf(!existsSync('/dev/full'))(
  'a log that cannot be written stops neither requests nor the exit',
  async () => {
    const gateway = await startGateway({ DATA_DIR: 'test' }, openSync('/dev/full', 'w'));
    for (let round = 0; round < 3; round += 1) {
      expect((await fetch(`${gateway.origin}/healthz`)).status).toBe(200);
      // Longer than a line waits to be written.
      await sleep(200);
    }
    expect(await gateway.end()).toBe(0);
  },
);

/** Writes so many lines, flushes after some of them, says so on standard output and ends with its standard input. */
const writer = `
  import { openLog } from './src/cli/start/open-log.ts';
  const { log } = openLog({ logLevel: 'info' });
  for (let n = 0; n < Number(process.env.LINES); n += 1) {
    log.info({ n }, 'é'.repeat(100 + (n % 50)));
    if (n % 7 === 0) log.flush();
    if (n % 100 === 0) await new Promise(setImmediate);
  }
  process.stdout.write('written');
  process.stdin.resume();
`;

/** A process whose log is a socket, or a pipe in front of one: all that the system buffers is full before it is read. */
function startWriter(kind: 'socket' | 'pipe', lines: number) {
  const command = kind === 'pipe' ? '{ "$0" "$@" 2>&1 >&3 | cat >&2; } 3>&1' : 'exec "$0" "$@"';
  return spawn('sh', ['-c', command, process.execPath, '--input-type=module', '-e', writer], {
    env: { ...process.env, LINES: String(lines) },
  });
}

test.each(['socket', ...atNight('pipe' as const)] as const)(
  'lines to a %s that is read slowly stay whole and in order, also when they are flushed',
  async (kind) => {
    const lines = 6_000;
    const child = startWriter(kind, lines);
    const chunks: Buffer[] = [];
    while (!Buffer.concat(chunks.slice(-2)).includes(`"n":${lines - 1},`)) {
      const chunk: Buffer | null = child.stderr.read(3_000) ?? child.stderr.read();
      if (chunk !== null) chunks.push(chunk);
      await sleep(2);
    }
    child.stdin.end();
    for await (const chunk of child.stderr) chunks.push(chunk);
    const read = Buffer.concat(chunks).toString().trimEnd().split('\n');
    expect(read.map((line) => JSON.parse(line).n)).toEqual(Array.from({ length: lines }, (_, n) => n));
  },
  60_000,
);

nightly.each(['pipe', 'socket'] as const)(
  'a %s that is not read does not stop the process; lines that are dropped are counted',
  async (kind) => {
    const lines = 30_000;
    const child = startWriter(kind, lines);
    await once(child.stdout, 'data');
    let text = '';
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      if (text.endsWith('"log lines were dropped"}\n')) child.stdin.end();
    });
    await once(child, 'close');
    const read = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const numbers = read.flatMap(({ n }) => (n === undefined ? [] : [n]));
    const dropped = read.reduce((sum, line) => sum + (line.dropped ?? 0), 0);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
    expect(dropped).toBeGreaterThan(0);
    expect(numbers.length + dropped).toBe(lines);
  },
  60_000,
);
