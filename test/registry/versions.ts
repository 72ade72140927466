import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Registry } from './registry.ts';

/** A copy of the repository in which versions are made, as a maintainer and the workflow of the release make them. */
export class Checkout {
  readonly folder: string;
  readonly #registry: Registry;

  /** The committed state, with the packages that are installed here. */
  constructor(folder: string, registry: Registry) {
    this.folder = folder;
    this.#registry = registry;
    execFileSync('git', ['clone', '--quiet', resolve('.'), folder]);
    // Hard links take no room, where both folders are on one file system; links within lead to the packages of the copy.
    const [from, to] = [resolve('node_modules'), join(folder, 'node_modules')];
    if (spawnSync('cp', ['-alT', from, to]).status !== 0) execFileSync('cp', ['-aT', from, to]);
    this.git('config', 'user.name', 'Release');
    this.git('config', 'user.email', 'release@example.com');
  }

  /** The Node of the lockfile comes first, as in the scripts of npm. */
  get #path(): string {
    return `${join(this.folder, 'node_modules', '.bin')}:${process.env.PATH}`;
  }

  /** What `npm run release` makes of the changes, committed and tagged. @returns the version */
  release(): string {
    // With the registry of this machine, the lockfile would name it.
    execFileSync('npm', ['run', '--silent', 'release'], {
      cwd: this.folder,
      env: { ...process.env, PATH: this.#path },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const { version } = JSON.parse(readFileSync(join(this.folder, 'package.json'), 'utf8')) as {
      version: string;
    };
    this.git('add', '--all');
    this.git('commit', '--quiet', '--message', `release: ${version}`);
    this.git('tag', '--annotate', `v${version}`, '--message', `Querygate ${version}`);
    return version;
  }

  /** What the workflow does with a tag: checks it, packs the packages once, and publishes them. @returns what it prints */
  publish(tag: string): string {
    return [
      this.run('node', 'release/check-tag.ts', tag),
      this.run('node', 'release/pack.ts', 'build'),
      this.run('node', 'release/publish.ts', 'build'),
    ].join('');
  }

  /** Adds a change, and commits it. */
  change(name: string, text: string): void {
    writeFileSync(join(this.folder, '.changeset', `${name}.md`), `---\n"querygate": minor\n---\n\n${text}\n`);
    this.git('add', '--all');
    this.git('commit', '--quiet', '--message', name);
  }

  /** Replaces a text in a file, which has it once. */
  edit(file: string, before: string, after: string): void {
    const path = join(this.folder, file);
    const text = readFileSync(path, 'utf8');
    if (text.split(before).length !== 2) throw new Error(`${file} does not have ${before} once`);
    rmSync(path);
    writeFileSync(path, text.replace(before, after));
  }

  git(...args: readonly string[]): void {
    execFileSync('git', args, { cwd: this.folder });
  }

  /** @throws with what a command prints, if it fails */
  run(command: string, ...args: readonly string[]): string {
    const { status, stdout, stderr } = this.try(command, ...args);
    if (status !== 0) throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`);
    return stdout;
  }

  try(command: string, ...args: readonly string[]) {
    const env = { ...this.#registry.env, PATH: this.#path };
    return spawnSync(command, args, { cwd: this.folder, env, encoding: 'utf8' });
  }
}
