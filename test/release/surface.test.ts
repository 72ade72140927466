import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  currentSurface,
  problemsSinceRelease,
  releasedSurfaceFile,
  surfaceFile,
  surfaceText,
} from '../../release/surface.ts';
import { type Change, type Name, type Surface, surfaceProblems } from '../../release/surface/compare.ts';

let now: Surface;
beforeAll(async () => {
  now = await currentSurface();
});

/** Kind and name of each name that two lists do not have in common. */
const differing = (a: Surface, b: Surface) => {
  const linesOf = ({ names }: Surface) =>
    Object.entries(names).flatMap(([kind, all]) =>
      Object.entries(all).map(([name, one]) => `${kind}: ${name}: ${one.stability} ${one.form}`),
    );
  const others = new Set(linesOf(b));
  return linesOf(a).filter((line) => !others.has(line));
};

describe('the names that callers use', () => {
  test('are those of release/surface.json, which node release/surface.ts writes', () => {
    const text = readFileSync(surfaceFile, 'utf8');
    const written: Surface = JSON.parse(text);
    expect({ new: differing(now, written), gone: differing(written, now) }).toEqual({ new: [], gone: [] });
    expect(text).toBe(surfaceText(now));
  });

  test('are those of the last release, if they are stable, or a change says otherwise', () => {
    expect(problemsSinceRelease(now)).toEqual([]);
    expect(JSON.parse(readFileSync(releasedSurfaceFile, 'utf8')).names.settings.PORT.stability).toBe(
      'stable',
    );
  });

  test('are experimental where docs/stability.md says so, and only there', () => {
    const page = readFileSync('docs/stability.md', 'utf8');
    const rows = [...page.matchAll(/^\|(?: [^|]+)? \| (?<kind>\w+) \| (?<names>.*) \|$/gm)];
    const stated = rows.flatMap(({ groups: { kind = '', names = '' } = {} }) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => ({ kind, name })),
    );
    // A name that ends in … is the beginning of several.
    const means = (name: string, one: string) =>
      name.endsWith('…') ? one.startsWith(name.slice(0, -1)) : one === name;
    const listed = Object.entries(now.names)
      .filter(([kind]) => kind !== 'exports')
      .flatMap(([kind, all]) =>
        Object.entries(all).map(([name, { stability }]) => ({ kind, name, stability })),
      );
    for (const { kind, name, stability } of listed) {
      const isStated = stated.some((one) => one.kind === kind && means(one.name, name));
      expect(stability, `${kind}: ${name}`).toBe(isStated ? 'experimental' : 'stable');
    }
    for (const { kind, name } of stated)
      expect(
        listed.some((one) => one.kind === kind && means(name, one.name)),
        `${kind}: ${name}`,
      ).toBe(true);
  });
});

describe('a stable name', () => {
  const stable = (form = ''): Name => ({ stability: 'stable', form });
  const surface = (settings: Readonly<Record<string, Name>>, version = '0.2.0') =>
    ({ version, names: { settings } }) as unknown as Surface;
  const last = surface({ PORT: stable('4000') }, '0.1.0');
  const change = (bump: Change['bump'], text: string): Change => ({ bump, text });

  test('that stays, and a new one, need nothing', () => {
    expect(surfaceProblems(last, surface({ PORT: stable('4000'), HOST: stable() }), [])).toEqual([]);
  });

  test.each([
    ['without a change', [], '0.2.0', 'minor'],
    ['with a change that does not name it', [change('minor', 'PORT is gone.')], '0.2.0', 'minor'],
    ['with a small change', [change('patch', '`PORT` is gone.')], '0.2.0', 'minor'],
    ['after 1.0, with a change that is not major', [change('minor', '`PORT` is gone.')], '1.2.0', 'major'],
  ])('that is gone %s is a problem', (_, changes, version, bump) => {
    expect(surfaceProblems(last, surface({}, version), changes)).toEqual([
      `settings: PORT is gone: keep it, or name \`PORT\` in a file of .changeset of the kind ${bump}`,
    ]);
  });

  test('may go if a change names it', () => {
    expect(surfaceProblems(last, surface({}), [change('minor', '`PORT` is gone.')])).toEqual([]);
    expect(surfaceProblems(last, surface({}, '1.0.0'), [change('major', '`PORT` is gone.')])).toEqual([]);
  });

  test('that becomes experimental is as if it were gone', () => {
    const next = surface({ PORT: { stability: 'experimental', form: '4000' } });
    expect(surfaceProblems(last, next, [change('patch', '`PORT`')])).toEqual([
      expect.stringContaining('PORT is experimental now'),
    ]);
  });

  test('that means something else is named by a change of any kind', () => {
    const next = surface({ PORT: stable('5000') });
    expect(surfaceProblems(last, next, [])).toEqual([
      'settings: PORT was 4000, and is 5000: keep it, or name `PORT` in a file of .changeset',
    ]);
    expect(surfaceProblems(last, next, [change('patch', '`PORT` is 5000.')])).toEqual([]);
  });

  test('is named by its last part, too', () => {
    const before = { version: '0.1.0', names: { exports: { 'querygate/keys: jwt': stable() } } };
    const after = { version: '0.2.0', names: {} };
    const problems = (text: string) =>
      surfaceProblems(before as unknown as Surface, after as unknown as Surface, [change('minor', text)]);
    expect(problems('`jwt` is gone.')).toEqual([]);
    expect(problems('`querygate/keys: jwt` is gone.')).toEqual([]);
    expect(problems('`jw` is gone.')).toHaveLength(1);
  });

  test('that is experimental may go at any time', () => {
    const before = surface({ FEDERATION: { stability: 'experimental', form: '' } }, '0.1.0');
    expect(surfaceProblems(before, surface({}), [])).toEqual([]);
  });
});
