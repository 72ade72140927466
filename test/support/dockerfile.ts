import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** A stage after its steps were played: its files are below a folder, as they would be below `/` of an image. */
export interface Stage {
  readonly root: string;
  readonly base: string;
  workdir: string;
  user: string;
  readonly env: Record<string, string>;
  entrypoint: readonly string[];
  command: readonly string[];
  healthcheck: readonly string[];
}

interface PlayOptions {
  /** The folder of the Dockerfile, and of what it copies. */
  readonly context: string;
  /** An empty folder for the stages. */
  readonly into: string;
  /** The programs that the base image of a stage has, by its name; other programs are not found. */
  readonly programs: Readonly<Record<string, readonly string[]>>;
}

/** Plays the steps of a Dockerfile without Docker, each stage in a folder of its own. @returns the last stage */
export function playDockerfile({ context, into, programs }: PlayOptions): Stage {
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const [instruction, rest] of instructionsOf(readFileSync(join(context, 'Dockerfile'), 'utf8'))) {
    if (instruction === 'FROM') {
      const [, base = '', name = `stage-${stages.size}`] = /^(\S+)(?: AS (\S+))?$/.exec(rest) ?? [];
      stage = openStage(join(into, name), base, programs[base]);
      stages.set(name, stage);
      continue;
    }
    if (stage === undefined) throw new Error(`${instruction} before FROM`);
    playStep(stage, instruction, rest, context, stages);
  }
  if (stage === undefined) throw new Error('the Dockerfile has no stage');
  return stage;
}

const bin = 'usr/local/bin';

function openStage(root: string, base: string, programs: readonly string[] | undefined): Stage {
  if (programs === undefined) throw new Error(`unknown base image ${base}`);
  mkdirSync(join(root, bin), { recursive: true });
  for (const program of programs) {
    const path = program === 'node' ? process.execPath : which(program);
    symlinkSync(path, join(root, bin, program));
  }
  return { root, base, workdir: '/', user: '', env: {}, entrypoint: [], command: [], healthcheck: [] };
}

const which = (program: string) =>
  execFileSync('sh', ['-c', 'command -v "$0"', program], { encoding: 'utf8' }).trim();

function playStep(
  stage: Stage,
  instruction: string,
  rest: string,
  context: string,
  stages: ReadonlyMap<string, Stage>,
): void {
  switch (instruction) {
    case 'WORKDIR':
      stage.workdir = rest;
      mkdirSync(join(stage.root, rest), { recursive: true });
      return;
    case 'COPY':
      copy(stage, rest.split(' '), context, stages);
      return;
    case 'RUN':
      run(stage, rest);
      return;
    case 'ENV':
      for (const [, name = '', value = ''] of rest.matchAll(/(\w+)=(\S+)/g)) stage.env[name] = value;
      return;
    case 'USER':
      stage.user = rest;
      return;
    case 'ENTRYPOINT':
      stage.entrypoint = JSON.parse(rest);
      return;
    case 'CMD':
      stage.command = JSON.parse(rest);
      return;
    case 'HEALTHCHECK':
      stage.healthcheck = JSON.parse(rest.slice(rest.indexOf('CMD ') + 4));
      return;
    case 'EXPOSE':
    case 'STOPSIGNAL':
      return;
    default:
      throw new Error(`${instruction} is not supported here`);
  }
}

/** Instructions with their arguments; a line that ends in a backslash is continued. */
const instructionsOf = (text: string) =>
  text
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, instruction = '', rest = ''] = /^([A-Z]+) +(.*)$/.exec(line) ?? [];
      return [instruction, rest.trim()] as const;
    });

function copy(
  stage: Stage,
  words: readonly string[],
  context: string,
  stages: ReadonlyMap<string, Stage>,
): void {
  const from = /^--from=(.*)$/.exec(words[0] ?? '')?.[1];
  const paths = from === undefined ? words : words.slice(1);
  const target = paths.at(-1) ?? '';
  const base = from === undefined ? context : (stages.get(from)?.root ?? '');
  const to = join(stage.root, target.startsWith('/') ? target : join(stage.workdir, target));
  for (const path of paths.slice(0, -1)) {
    const source = join(base, path);
    const isInto = target.endsWith('/') || paths.length > 2;
    const place = isInto && !statSync(source).isDirectory() ? join(to, basename(path)) : to;
    mkdirSync(dirname(place), { recursive: true });
    cpSync(source, place, { recursive: true, verbatimSymlinks: true });
  }
}

function run(stage: Stage, command: string): void {
  const path = join(stage.root, bin);
  const { status, stdout, stderr } = spawnSync(which('sh'), ['-ec', command], {
    cwd: join(stage.root, stage.workdir),
    // npm needs a home for its cache, and the registry as the machine is configured.
    env: { ...npmSettings(), ...stage.env, PATH: path, HOME: process.env.HOME },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`RUN ${command}\n${stdout}${stderr}`);
}

const npmSettings = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => /^(npm_config_|https?_proxy|no_proxy)/i.test(name)),
  );

/** Removes the files of all stages. */
export const removeStages = (folder: string) => rmSync(folder, { recursive: true, force: true });
