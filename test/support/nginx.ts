import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';

const program = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  .map((folder) => join(folder, 'nginx'))
  .find((file) => existsSync(file));

/** True where tests behind nginx are left out: on a laptop without it, never in CI. */
export const isWithoutNginx = program === undefined && !process.env.CI;

export interface Nginx {
  readonly origin: string;
  close(): Promise<void>;
}

/** Starts nginx on a free port. @param locations what its one server has */
export async function startNginx(locations: string): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-nginx-'));
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join(' ');
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${join(folder, 'pid')}; error_log stderr;
events {}
http { access_log off; ${temporary} server { listen 127.0.0.1:${port}; ${locations} } }
`,
  );
  const child = spawn(program ?? 'nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (text) => {
    said += text;
  });
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(said);
    await reach(port);
  });
  return {
    origin: `http://127.0.0.1:${port}`,
    async close() {
      await end(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const reach = (port: number) =>
  new Promise<void>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });

const end = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    if (child.exitCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
