import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createGateway, type EngineFactory } from 'querygate';
import { describe, expect, test } from 'vitest';
import { collectOutput } from '../support/child-output.ts';
import { ready } from '../support/gateway-process.ts';
import { nightly } from '../support/nightly.ts';

const page = readFileSync('docs/engines.md', 'utf8');
const folder = resolve('examples/array-engine');

const [, command = '', path = '', answer = ''] =
  /```sh\nAPI_KEY=my-key npx querygate (.*)\ncurl .*4000(\S+)'\n```\n\n```json\n(.*)\n```/.exec(page) ?? [];
const env = { PATH: process.env.PATH, API_KEY: 'my-key', PORT: '0' };
const querygate = (args: readonly string[], more: Record<string, string> = {}, cwd = folder) =>
  spawnSync(process.execPath, [resolve('src/main.ts'), ...args], {
    cwd,
    encoding: 'utf8',
    env: { ...env, ...more },
  });

describe('the example of docs/engines.md', () => {
  test('is started by the command, and answers as the page says', async () => {
    const child = spawn(process.execPath, [resolve('src/main.ts'), ...command.split(' ')], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(child, 'exit');
    const { until } = collectOutput(child);
    await until(ready);
    const [, origin = ''] = await until(/(http:\/\/[^\s"]+)\/graphql/);
    const response = await fetch(`${origin}${path}`, { headers: { 'x-api-key': 'my-key' } });
    expect(await response.text()).toBe(answer);
    child.kill('SIGTERM');
    await ended;
    expect(child.exitCode).toBe(0);
  });

  test('is embedded', async () => {
    const { default: engine }: { default: EngineFactory } = await import(join(folder, 'engine.ts'));
    const gateway = await createGateway({
      queries: join(folder, 'queries'),
      engine,
      keys: () => ({ id: 'test', name: 'test' }),
    });
    expect(await (await gateway.fetch(new Request(`http://gateway.test${path}`))).text()).toBe(answer);
    await gateway.close();
  });

  nightly('passes the suite', () => {
    const args = ['--test', '--test-reporter=tap', 'array-engine.test.ts'];
    const { status, stdout } = spawnSync(process.execPath, args, {
      cwd: folder,
      encoding: 'utf8',
      // Not as a test file of this process.
      env: { PATH: env.PATH },
    });
    expect({ status, stdout: status === 0 ? '' : stdout }).toEqual({ status: 0, stdout: '' });
    expect(stdout).toMatch(/# pass 28\n/);
    expect(stdout.match(/# SKIP$/gm)).toHaveLength(3);
    expect(stdout).toContain('INVALID_PARAMETER with its name (omitted: wrongValue)');
  });

  nightly('is the setting ENGINE too; check says that it sees only the files', () => {
    const { status, stderr, stdout } = querygate(['check'], { ENGINE: './engine.ts' });
    expect(status).toBe(0);
    expect(stderr + stdout).toMatch(/array/);
  });
});

nightly('a module that is not an engine stops the start, with a message', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'querygate-engine-'));
  cpSync(join(folder, 'queries'), join(scratch, 'queries'), { recursive: true });
  writeFileSync(join(scratch, 'wrong.ts'), 'export const engine = 1;');
  writeFileSync(join(scratch, 'no-code.js'), 'this is no code');
  const wrong = querygate(['start', '--engine', './wrong.ts'], {}, scratch);
  expect(wrong.stderr).toBe(
    'The engine cannot be loaded:\n  ENGINE: ./wrong.ts cannot be used: its default export is missing, and must be an object with name, sql, open\n',
  );
  const none = querygate(['check'], { ENGINE: './no-code.js' }, scratch);
  expect(none.stderr).toContain("ENGINE: ./no-code.js cannot be imported: Unexpected identifier 'is'");
  expect([wrong.status, none.status]).toEqual([2, 1]);
  rmSync(scratch, { recursive: true });
});
