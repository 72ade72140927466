import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { isNightly } from '../support/nightly.ts';

/**
 * Follows docs/tutorial.md in a copy of docs/tutorial: runs its commands, makes its edits, and compares the page with one
 * that has the real output and files. `npx vitest run test/process/tutorial.test.ts -u` writes them into the page. On the
 * page, times and UUIDs are examples, a line `…` stands for the rest of an output, and the gateway listens on its usual port.
 */
const page = 'docs/tutorial.md';

const scratch = mkdtempSync(join(tmpdir(), 'querygate-tutorial-'));
const folder = join(scratch, 'tutorial');
const gateways: ChildProcess[] = [];
afterAll(() => {
  for (const { pid } of gateways) if (pid !== undefined) process.kill(-pid, 'SIGTERM');
  rmSync(scratch, { recursive: true });
});

/** `npx querygate` runs the command of this checkout. */
function writeNpx(): string {
  const bin = join(scratch, 'bin');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'npx'),
    `#!/bin/sh\nshift\nexec ${JSON.stringify(process.execPath)} ${JSON.stringify(resolve('src/main.ts'))} "$@"\n`,
  );
  chmodSync(join(bin, 'npx'), 0o755);
  return bin;
}

cpSync('docs/tutorial', folder, { recursive: true });
const env = {
  PATH: `${writeNpx()}${delimiter}${process.env.PATH}`,
  PORT: '0',
  STORE_FILE: ':memory:',
  // As on a terminal.
  LOG_FORMAT: 'pretty',
};

const usualOrigin = 'http://127.0.0.1:4000';
let origin = usualOrigin;

const run = async (command: string): Promise<string> => {
  const actual = command.replaceAll(usualOrigin, origin);
  if (/\bquerygate start\b/.test(command)) return startGateway(actual);
  const { status, stdout, stderr } = spawnSync('sh', ['-c', `{ ${actual}\n} 2>&1`], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  expect(status, `${command}\n${stdout}${stderr}`).toBe(0);
  return stdout;
};

/** @returns what it prints until it is ready */
async function startGateway(command: string): Promise<string> {
  const child = spawn('sh', ['-c', `${command} 2>/dev/null`], { cwd: folder, env, detached: true });
  gateways.push(child);
  let output = '';
  for await (const chunk of child.stdout) {
    output += chunk;
    if (/GraphQL:\n.*\n\n$/.test(output)) break;
  }
  origin = /http:\/\/[\d.:]+/.exec(output)?.[0] ?? origin;
  return output;
}

const sampleUuids = [
  '8a7e2c54-0d39-4b1f-9c66-51f0a2d7e3b8',
  '1f6b9d02-73ce-4e85-a4d0-9be83c25f7a1',
  'c3d05e8f-2a91-4f76-8b3e-607d14a9c2e5',
];
const uuids: string[] = [];

/** Text of a run as the page shows it. */
const shown = (text: string): string =>
  text
    .replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, (uuid) => {
      if (!uuids.includes(uuid)) uuids.push(uuid);
      return sampleUuids[uuids.indexOf(uuid)] ?? uuid;
    })
    .replaceAll(origin, usualOrigin)
    .replace(/\b\d+ ms\b/g, '20 ms')
    .replace(/\(\d+\.\d s\)/g, '(0.2 s)')
    .replace(/^\n+/, '')
    .trimEnd();

/** ```` ```sql path ````, or `path#header` for the header of a saved query alone. */
const fencedBlock =
  /^(?<head>```(?<language>\w+)(?: (?<file>[^\s#]+)(?<part>#header)?)?\n)(?<block>[\s\S]*?)^```$/gm;

function shownFile(file: string, part: string | undefined): string {
  const text = shown(readFileSync(join(folder, file), 'utf8'));
  const end = part === undefined ? text.length : text.indexOf('---*/') + '---*/'.length;
  return `${text.slice(0, end)}\n`;
}

interface ShownCommand {
  readonly command: string;
  /** How many lines of its output the page shows, if a line `…` stands for the others. */
  readonly lines: number | undefined;
}

/** The commands of a block, with the lines after a `\\`. */
const commandsOf = (block: string): readonly ShownCommand[] =>
  [...block.matchAll(/^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)/gm)].map(([, command = '', output = '']) => {
    const lines = output.split('\n').indexOf('…');
    return { command, lines: lines < 0 ? undefined : lines };
  });

async function runBlock(block: string): Promise<string> {
  const texts: string[] = [];
  for (const { command, lines } of commandsOf(block)) {
    const output = shown(await run(command));
    const shortened = lines === undefined ? output : [...output.split('\n').slice(0, lines), '…'].join('\n');
    texts.push(shortened === '' ? `$ ${command}\n` : `$ ${command}\n${shortened}\n`);
  }
  return texts.join('');
}

/** Takes the lines with `-` out of a file, and puts those with `+` in their place. */
function edit(file: string, block: string): void {
  let text = readFileSync(join(folder, file), 'utf8');
  for (const [change] of block.matchAll(/(?:^-.*\n)+(?:^\+.*\n)*/gm)) {
    const linesOf = (sign: string) =>
      change
        .split('\n')
        .filter((line) => line.startsWith(sign))
        .map((line) => `${line.slice(1)}\n`)
        .join('');
    expect(text, `${file} has the lines that the page edits`).toContain(linesOf('-'));
    text = text.replace(linesOf('-'), () => linesOf('+'));
  }
  writeFileSync(join(folder, file), text);
}

test.skipIf(process.platform === 'win32' || !isNightly)(
  'the tutorial shows what its commands print and write',
  async () => {
    const text = readFileSync(page, 'utf8');
    const parts: string[] = [];
    let at = 0;
    for (const { 0: fence, groups = {}, index } of text.matchAll(fencedBlock)) {
      const { head = '', language, file, part, block = '' } = groups;
      let body = block;
      if (language === 'console') body = await runBlock(block);
      else if (language === 'diff' && file !== undefined) edit(file, block);
      else if (file !== undefined) body = shownFile(file, part);
      parts.push(text.slice(at, index), head, body, '```');
      at = index + fence.length;
    }
    await expect(parts.join('') + text.slice(at)).toMatchFileSnapshot(resolve(page));
  },
  600_000,
);

test('each query has a test that passes after at most five commands', () => {
  const [, ...sections] = readFileSync(page, 'utf8').split(/^## (?=\d\. )/m);
  expect(sections).toHaveLength(3);
  for (const section of sections) {
    const [part = ''] = section.split(/^## /m);
    const blocks = [...part.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
    const commands = blocks.flatMap(commandsOf);
    expect(commands.length).toBeLessThanOrEqual(5);
    expect(commands.at(-1)?.command).toMatch(/^npx querygate test/);
    expect(blocks.at(-1)).toMatch(/^\d passed \(0\.2 s\)$/m);
  }
});
