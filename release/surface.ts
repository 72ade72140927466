import { copyFileSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import {
  commandForms,
  errorForms,
  exportForms,
  type Forms,
  headerForms,
  keyFileForms,
  settingForms,
  testFileForms,
} from './surface/code-names.ts';
import { type Change, type Name, type Surface, surfaceProblems } from './surface/compare.ts';
import { gatewayForms } from './surface/gateway-names.ts';
import { type Kind, stabilityOf } from './surface/stability.ts';

/** Everything that callers use, as the code has it. */
export const surfaceFile = 'release/surface.json';

/** The same as the last release has it. */
export const releasedSurfaceFile = 'release/surface-released.json';

/** Features of the SQL of saved queries that are more than BigQuery's functions, which docs/dialect.md lists. */
const sqlForms: Forms = {
  'CREATE TEMP FUNCTION … LANGUAGE js': 'in a sandbox',
  'CREATE TEMP FUNCTION': 'SQL',
  'DECLARE, SET': 'constants',
};

/** The names of the code, each with its word. */
export async function currentSurface(): Promise<Surface> {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
  const forms: Readonly<Record<Kind, Forms>> = {
    settings: settingForms(),
    headerKeys: headerForms(),
    testKeys: testFileForms(),
    keyFileKeys: keyFileForms(),
    errorCodes: errorForms(),
    commands: commandForms(),
    exports: exportForms(),
    ...(await gatewayForms()),
    sql: sqlForms,
  };
  const names = Object.entries(forms).map(([kind, all]) => [
    kind,
    Object.fromEntries(
      Object.entries(all)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, form]): [string, Name] => [name, { stability: stabilityOf(kind as Kind, name), form }]),
    ),
  ]);
  return { version, names: Object.fromEntries(names) };
}

/** A line for each name, so that a difference shows which names it is about. */
export function surfaceText({ version, names }: Surface): string {
  const kinds = Object.entries(names).map(([kind, all]) => {
    const lines = Object.entries(all).map(
      ([name, { stability, form }]) =>
        `      ${JSON.stringify(name)}: ${JSON.stringify({ stability, form })}`,
    );
    return `    ${JSON.stringify(kind)}: {\n${lines.join(',\n')}\n    }`;
  });
  return `{\n  "version": ${JSON.stringify(version)},\n  "names": {\n${kinds.join(',\n')}\n  }\n}\n`;
}

/** Changes without a version. */
const pendingChanges = (): readonly Change[] =>
  globSync('.changeset/*.md').flatMap((file) => {
    const [, bump, text = ''] =
      /^---\n[^\n]*: (major|minor|patch)\n---\n([\s\S]*)$/.exec(readFileSync(file, 'utf8')) ?? [];
    return bump === undefined ? [] : [{ bump: bump as Change['bump'], text }];
  });

/** The stable names of the last release that are gone or differ, without a pending change that names them. */
export const problemsSinceRelease = (now: Surface): readonly string[] =>
  surfaceProblems(JSON.parse(readFileSync(releasedSurfaceFile, 'utf8')), now, pendingChanges());

/**
 * `node release/surface.ts` writes the list; `node release/surface.ts release`, as part of `npm run release`, makes it that of
 * a release.
 */
if (import.meta.main) {
  writeFileSync(surfaceFile, surfaceText(await currentSurface()));
  if (process.argv[2] === 'release') copyFileSync(surfaceFile, releasedSurfaceFile);
}
