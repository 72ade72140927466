import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly needs?: string | readonly string[];
  readonly uses?: string;
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly steps?: readonly Step[];
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: unknown;
  readonly concurrency?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const read = (file: string) => readFileSync(file, 'utf8');
const files = globSync('.github/workflows/*.yml').sort();
const workflow = (name: string): Workflow => parse(read(`.github/workflows/${name}.yml`));
const jobs = files.flatMap((file) =>
  Object.entries((parse(read(file)) as Workflow).jobs).map(([name, job]) => ({
    name: `${file}: ${name}`,
    job,
  })),
);
const commandsOf = (job: Job | undefined) => (job?.steps ?? []).map(({ run = '' }) => run).join('\n');

const folders = (process.env.PATH ?? '').split(':');
const [actionlint] = [...folders, join(homedir(), 'go', 'bin')]
  .map((folder) => join(folder, 'actionlint'))
  .filter((program) => spawnSync(program, ['-version']).status === 0);
const canBuild = process.env.CI === 'true' && spawnSync('go', ['version']).status === 0;
const skipsActionlint = actionlint === undefined && !canBuild;
if (skipsActionlint)
  process.stderr.write('SKIPPED: workflows by actionlint, which .ci/install-actionlint installs\n');

describe('the workflows', () => {
  test.skipIf(skipsActionlint)('have no fault that actionlint finds', () => {
    const { stdout, status } = spawnSync(actionlint ?? 'actionlint', ['-no-color'], { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });

  test('pin each action by a commit, with its version beside it; one action has one commit', () => {
    const commits = new Map<string, string>();
    for (const file of files) {
      for (const [line, used = ''] of read(file).matchAll(/^.*\buses: (.*)$/gm)) {
        if (used.startsWith('./')) continue;
        expect(used, `${file}: ${line.trim()}`).toMatch(/^[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
        const [name = ''] = used.split('@');
        expect(commits.get(name) ?? used).toBe(used);
        commits.set(name, used);
      }
    }
    expect(commits.size).toBeGreaterThan(5);
  });

  test.each(files)('%s has no rights by itself, and does not run twice at once', (file) => {
    const { permissions, concurrency } = parse(read(file)) as Workflow;
    expect(permissions).toEqual({});
    expect(concurrency).toMatchObject({ group: expect.any(String) });
  });

  test.each(jobs)(
    '$name has a time-out, keeps no credentials, and pastes nothing into commands',
    ({ job }) => {
      if (job.uses === undefined) expect(job['timeout-minutes']).toBeGreaterThan(0);
      for (const step of job.steps ?? []) {
        if (step.uses?.startsWith('actions/checkout@'))
          expect(step.with?.['persist-credentials']).toBe(false);
        // A name of a branch, pasted, would be a command; a variable of the environment is a text.
        expect(step.run ?? '').not.toContain('${{');
      }
      expect(JSON.stringify(job)).not.toMatch(/secrets\.|_TOKEN"?:"?\$\{\{ secrets|inherit/);
    },
  );

  test('give each job the rights that it uses, and no other', () => {
    const writing = jobs
      .map(({ name, job }) => [name, Object.entries(job.permissions ?? {})] as const)
      .map(
        ([name, rights]) => [name, rights.filter(([, right]) => right !== 'read').map(([of]) => of)] as const,
      )
      .filter(([, rights]) => rights.length > 0);
    expect(Object.fromEntries(writing)).toEqual({
      '.github/workflows/release.yml: npm': ['id-token'],
      '.github/workflows/release.yml: platform': ['packages'],
      '.github/workflows/release.yml: image': ['packages', 'id-token', 'attestations'],
      '.github/workflows/release.yml: github': ['contents', 'id-token', 'attestations'],
    });
    // Code of packages runs where nothing can be published.
    for (const { job } of jobs.filter(({ job }) => /npm (?:ci|install)/.test(commandsOf(job))))
      expect(job.permissions).toEqual({ contents: 'read' });
  });

  test('call .ci/run for each change, and .ci/nightly each night', () => {
    expect(commandsOf(workflow('ci').jobs.run)).toMatch(/^\.ci\/run$/m);
    expect(Object.keys(workflow('ci').on)).toEqual(['pull_request', 'push', 'workflow_call']);
    expect(commandsOf(workflow('nightly').jobs.run)).toMatch(/^\.ci\/nightly /m);
    expect(Object.keys(workflow('nightly').on)).toEqual(['schedule', 'workflow_dispatch']);
  });
});

describe('a release', () => {
  const { on, jobs } = workflow('release');
  const needsOf = (name: string): readonly string[] =>
    [jobs[name]?.needs ?? []].flat().flatMap((one) => [one, ...needsOf(one)]);

  test('begins with a tag, and checks first that it is the version', () => {
    expect(on).toEqual({ push: { tags: ['v*'] } });
    expect(commandsOf(jobs.tag)).toContain('node release/check-tag.ts "$GITHUB_REF_NAME"');
    for (const name of Object.keys(jobs)) if (name !== 'tag') expect(needsOf(name), name).toContain('tag');
  });

  test('publishes only what has passed .ci/run, by the identity of the workflow, with provenance', () => {
    expect(jobs.ci?.uses).toBe('./.github/workflows/ci.yml');
    for (const name of ['npm', 'platform', 'image', 'github']) expect(needsOf(name), name).toContain('ci');
    expect(jobs.npm?.environment).toBe('npm');
    expect(read('.github/workflows/release.yml')).toContain('NPM_CONFIG_PROVENANCE: "true"');
    expect(needsOf('github')).toEqual(expect.arrayContaining(['npm', 'platform', 'image']));
  });
});

describe('updates of dependencies', () => {
  const { updates } = parse(read('.github/dependabot.yml')) as {
    readonly updates: readonly (Readonly<Record<string, unknown>> & {
      readonly directory?: string;
      readonly directories?: readonly string[];
      readonly cooldown?: Readonly<Record<string, number>>;
    })[];
  };

  test('wait until a version is a week old', () => {
    for (const { cooldown } of updates) expect(cooldown?.['default-days']).toBeGreaterThanOrEqual(7);
  });

  test('cover each lockfile, the image, and the actions', () => {
    const of = (ecosystem: string) =>
      updates
        .filter((one) => one['package-ecosystem'] === ecosystem)
        .flatMap(({ directory, directories = [] }) => [
          ...(directory === undefined ? [] : [directory]),
          ...directories,
        ]);
    const exclude = ['**/node_modules/**', 'build/**'];
    const folders = globSync('**/package-lock.json', { exclude }).map((file) => join('/', dirname(file)));
    expect(of('npm')).toEqual(expect.arrayContaining(folders));
    expect(of('docker')).toEqual(['/']);
    expect(of('github-actions')).toEqual(['/']);
    expect(of('gomod')).toEqual(globSync('**/go.mod', { exclude }).map((file) => join('/', dirname(file))));
  });
});
