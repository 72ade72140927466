import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

/** The year of an evaluator: 1.13.0 of npm, and 2025.12.1 of Maven. */
export type Edition = '2022' | '2025';

/** A process that serves an evaluator's protocol. */
export interface EvaluatorProcess {
  readonly address: string;
  readonly child: ChildProcess;
}

/** Starts an evaluator on a free port. */
export async function startProcess(edition: Edition): Promise<EvaluatorProcess> {
  const started = edition === '2022' ? await startBinary() : await startLibrary();
  // The evaluator must not outlive this process, however it ends.
  process.once('exit', () => started.child.kill('SIGKILL'));
  return started;
}

/** The folder of the npm package. */
export const packageFolder = (): string => dirname(require.resolve(npmPackage));

const require = createRequire(import.meta.url);
const npmPackage = '@fivetrandevelopers/zetasql';

/** True if the evaluator of 2022 is installed, whose protocol that of 2025 has too. */
export const hasBinary = (): boolean => existsSync(join(import.meta.dirname, '../node_modules', npmPackage));

const version = '2025.12.1';
const artifact = 'zetasql-jni-channel-linux';

/** Maven's package of the evaluator of 2025, where `.ci/install-evaluator` has put it. */
const libraryFile = join(
  homedir(),
  '.m2/repository/com/google/zetasql',
  artifact,
  version,
  `${artifact}-${version}.jar`,
);

/** True if the evaluator of 2025 is installed. */
export const hasLibrary = (): boolean => existsSync(libraryFile);

async function startBinary(): Promise<EvaluatorProcess> {
  const port = await freePort();
  const binary = process.arch.startsWith('arm') ? 'remote_server_arm' : 'remote_server';
  const suffix = process.platform === 'darwin' ? '' : '.so';
  const child = spawn(join(packageFolder(), 'zetasql', binary + suffix), ['localhost', String(port)], {
    stdio: 'ignore',
  });
  return { address: `localhost:${port}`, child };
}

async function startLibrary(): Promise<EvaluatorProcess> {
  const source = join(import.meta.dirname, 'java/JniChannelProvider.java');
  const child = spawn('java', ['-Xmx256m', '-cp', libraryFile, source], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const port = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once('line', resolve);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the evaluator of 2025 ended with ${code}`)));
  });
  return { address: `127.0.0.1:${port}`, child };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, 'localhost', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
