import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadCatalog } from '../src/catalog/folder/load-catalog.ts';
import { headerSchema } from '../src/catalog/header/header-schema.ts';
import { columnTypes } from '../src/catalog/model/saved-query.ts';
import { readConfig } from '../src/config.ts';
import { settingNames } from '../src/config/settings.ts';
import { statusOf } from '../src/errors.ts';
import { parseKeys } from '../src/keys/file/parse-keys.ts';
import { orders } from './support/import-orders.ts';
import { camelCase } from '../src/names/graphql-names.ts';

const read = (file: string) => readFileSync(file, 'utf8');

const pages = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...globSync(['docs/*.md', 'docs/decisions/*.md']).sort(),
];

/** Written by `npm run conformance`. */
const generated = 'docs/dialect.md';

/** The cells of the rows of a page's tables whose first cell is a name in backquotes. */
const namedRows = (file: string) => rowsIn(read(file));

function rowsIn(markdown: string): readonly (readonly string[])[] {
  const rows = markdown.split('\n').filter((line) => line.startsWith('| '));
  return rows
    .map((line) => line.slice(2, -2).split(' | '))
    .filter(([first = '']) => /^`[^`]+`$/.test(first))
    .map(([first = '', ...rest]) => [first.slice(1, -1), ...rest]);
}

/** The anchors that GitHub gives to the headings of a page. */
function anchorsOf(markdown: string): readonly string[] {
  const headings = withoutCode(markdown).matchAll(/^#+ (?<heading>.*)$/gm);
  return [...headings].map(({ groups }) =>
    (groups?.heading ?? '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

const withoutCode = (markdown: string) => markdown.replace(/^( *)```[\s\S]*?^\1```/gm, '');

describe('documentation', () => {
  test('the README is one screen of what and why, and links to the index', () => {
    const readme = read('README.md');
    expect(readme.split('\n').length - 1).toBeLessThanOrEqual(150);
    for (const page of ['docs/README.md', ...pages.slice(1, 4)]) expect(readme).toContain(`](${page})`);
  });

  test('the index links to every page', () => {
    const index = read('docs/README.md');
    const listed = globSync('docs/*.md').map((page) => basename(page));
    for (const page of listed) if (page !== 'README.md') expect(index).toContain(`](${page})`);
  });

  test('docs has at most 45,000 words', () => {
    const words = pages
      .filter((page) => page.startsWith('docs/'))
      .map((page) => read(page).trim().split(/\s+/).length);
    expect(words.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(45_000);
  });

  test('the README names the test commands, and CI calls both', () => {
    expect(read('README.md')).toMatch(/^npm ci && npm run check +#/m);
    expect(read('.ci/run')).toMatch(/^step install npm ci\n[\s\S]*^step check npm run check /m);
  });

  /** They say so, or are about a checkout. */
  const ofCheckouts = ['commands', 'operations', 'compiler', 'dialect', 'architecture', 'exports', 'catalog'];
  const forUsers = pages.filter(
    (page) =>
      /^docs\/[\w-]+\.md$/.test(page) && !ofCheckouts.includes(page.slice('docs/'.length, -'.md'.length)),
  );
  test.each(forUsers)('%s has no command that works in a checkout only', (page) => {
    expect(read(page)).not.toMatch(/\bnpm (?:start|run)\b|node src\/main\.ts/);
  });

  test.each(pages)('%s names npm scripts that exist', (page) => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> };
    for (const [, script = ''] of read(page).matchAll(/npm run (?:-s )?([a-z][a-z:-]*)/g)) {
      expect(Object.keys(scripts), page).toContain(script);
    }
  });

  test.each([...pages, 'packages/bigquery-sql/conformance/README.md'])(
    '%s links to files and headings that exist',
    (page) => {
      for (const [, link = ''] of withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^[a-z]+:/.test(link)) continue;
        const [path = '', anchor] = link.split('#');
        const target = path === '' ? page : normalize(join(dirname(page), path));
        expect(existsSync(target), `${page} → ${link}`).toBe(true);
        if (anchor !== undefined) expect(anchorsOf(read(target)), `${page} → ${link}`).toContain(anchor);
      }
    },
  );

  test.each(globSync('docs/*.md').filter((page) => page !== generated))(
    '%s begins with a sentence on what it is for',
    (page) => {
      expect(read(page)).toMatch(/^# .*\n\n(?:After this page you |How |What |Find )/);
    },
  );

  test('decision records say what was decided and why, are numbered without gaps, and are listed by topic', () => {
    const records = globSync('docs/decisions/0*.md').sort();
    const list = read('docs/decisions/README.md');
    const superseded = [...list.matchAll(/^- \d+\. .*(?:\n .*)?: by\s+\[[^\]]+\]\(/gm)];
    const numbers = superseded.flatMap(([line]) => [...line.matchAll(/(\d+)\. /g)].map(([, n]) => Number(n)));
    for (const record of records) {
      const text = read(record);
      const [, number = ''] = /^# (\d+)\. ./.exec(text) ?? [];
      numbers.push(Number(number));
      expect(basename(record)).toMatch(new RegExp(`^${number.padStart(4, '0')}-[a-z0-9-]+\\.md$`));
      expect(text).toMatch(/^# .*\n\nAccepted, \d{4}-\d\d-\d\d\.\n\nDecided:\s[\s\S]*\n\nWhy:\s/);
      expect(list).toContain(`](${basename(record)})`);
    }
    expect(numbers.sort((a, b) => a - b)).toEqual(numbers.map((_, at) => at + 1));
    expect(records.length).toBeGreaterThan(0);
  });
});

// Words that a stranger would not understand here. The list is short; the rule is "Language" in CONTRIBUTING.md.
describe('language', () => {
  const words = [
    ...[
      'told',
      'tells?',
      'stands',
      'is none',
      'are none',
      'none of ours',
      'whoever',
      'wanted',
      'asked',
      'asks',
    ],
    ...[
      'crowd',
      'crew',
      'doors?',
      'holder',
      'landed',
      'visits?',
      'nobody',
      'somebody',
      'anew',
      'at hand',
      'comes to',
    ],
  ];
  const pattern = new RegExp(`\\b(${words.join('|')})\\b`, 'i');

  /** Lines that use one of the words as ordinary English, or name the words themselves. */
  const allowed: readonly string[] = ['that asks for a private contact and contains no details.'];

  const strangeLines = (file: string, wordsOf = (line: string) => line) =>
    read(file)
      .split('\n')
      .filter((line) => pattern.test(wordsOf(line)) && !allowed.includes(line.trim()));

  test.each(pages)('%s is in ordinary technical English', (page) => {
    expect(strangeLines(page)).toEqual([]);
  });

  test('the identifiers, comments and messages of src are in ordinary technical English', () => {
    const separateWords = (line: string) => line.replace(/([a-z])([A-Z])/g, '$1 $2');
    const files = globSync('{src,packages/*/src}/**/*.{ts,sql}').sort();
    const found = files.flatMap((file) =>
      strangeLines(file, separateWords).map((line) => `${file}: ${line.trim()}`),
    );
    expect(found).toEqual([]);
  });

  test('comments of src begin with their subject, and not with What or Whether', () => {
    const found = globSync('{src,packages/*/src}/**/*.ts')
      .sort()
      .flatMap((file) =>
        [...read(file).matchAll(/^\s*(?:\/\*\*|\/\/|\*) (?:What|Whether)\b.*/gm)].map(
          ([line]) => `${file}: ${line.trim()}`,
        ),
      );
    expect(found).toEqual([]);
  });

  test('every allowed line occurs', () => {
    const text = [...pages, ...globSync('{src,packages/*/src}/**/*.{ts,sql}')].map(read).join('\n');
    for (const line of allowed) expect(text).toContain(line);
  });
});

describe('tables and examples in the documentation', () => {
  test('every shipped query is named with its GraphQL field', () => {
    for (const { name } of loadCatalog('queries').queries) {
      expect(read('README.md')).toContain(`| \`${name}\` | \`${camelCase(name)}\` |`);
    }
  });

  test('the example of a key file is valid', () => {
    const [, yaml = ''] = /```yaml\n(keys:[\s\S]*?)```/.exec(read('docs/keys-and-tenants.md')) ?? [];
    const { keys, problems, isWhole } = parseKeys('keys-and-tenants.md', yaml);
    expect(problems).toEqual([]);
    expect(isWhole).toBe(true);
    expect(keys).toMatchObject([{ tenants: ['abc'], permissions: ['fresh', 'catalog'] }]);
  });

  test('the example of a tenant_pattern is the shipped one', () => {
    const page = read('docs/keys-and-tenants.md');
    const patterns = [...page.matchAll(/^ +tenant_pattern: '(.*)'$/gm)].map(([, pattern]) => pattern ?? '');
    expect(patterns).toHaveLength(1);
    expect(loadCatalog('queries').queries.map(({ tenant }) => tenant?.pattern)).toContain(patterns[0]);
  });

  test('saved-queries.md has every key of the header, and every type of a column', () => {
    const section = (heading: string) =>
      rowsIn(read('docs/saved-queries.md').split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '');
    expect(section('Header').map(([key]) => key)).toEqual(Object.keys(headerSchema.shape));
    const columns = section('Columns').map(([name = '']) => name);
    expect(columns.slice(-columnTypes.length)).toEqual(columnTypes);
  });

  test('errors.md has every code with its status, and no other', () => {
    const rows = namedRows('docs/errors.md').map(([code, status]) => [code, Number(status)]);
    expect(rows.sort()).toEqual(Object.entries(statusOf).sort());
  });

  test('configuration.md has every variable, in the order of the code', () => {
    expect(namedRows('docs/configuration.md').map(([name]) => name)).toEqual(settingNames);
  });

  test('configuration.md has at most 50 settings, which a page of 66 lines shows', () => {
    expect(settingNames.length).toBeLessThanOrEqual(50);
    expect(read('docs/configuration.md').trimEnd().split('\n').length).toBeLessThanOrEqual(66);
  });

  test('configuration.md has the defaults of the code', () => {
    const stated = new Map(
      namedRows('docs/configuration.md').map(([name = '', value = '']) => [name, value]),
    );
    for (const [name, value] of stated) {
      const [, literal] = /^`([^`]+)`$/.exec(value) ?? [];
      if (literal !== undefined) expect(readConfig({ [name]: literal }), name).toEqual(readConfig({}));
    }
    for (const name of ['PAGES', 'GRAPHQL_INTROSPECTION']) {
      expect(stated.get(name)).toBe('`on`; `off` with `NODE_ENV=production`');
      expect(readConfig({ [name]: 'on' })).toEqual(readConfig({}));
      const production = { NODE_ENV: 'production' };
      expect(readConfig({ [name]: 'off', ...production })).toEqual(readConfig(production));
    }
    expect(stated.get('DATA_DIR')).toBe('`:demo:`; none with `NODE_ENV=production`');
    expect(readConfig({ DATA_DIR: ':demo:' })).toEqual(readConfig({}));
    expect(readConfig({ NODE_ENV: 'production' }).demo).toBe(false);
    expect(stated.get('SHUTDOWN_DELAY_SECONDS')).toBe('`0`; `5` with `NODE_ENV=production`');
    expect(readConfig({}).shutdownDelaySeconds).toBe(0);
    expect(readConfig({ NODE_ENV: 'production' }).shutdownDelaySeconds).toBe(5);
    expect(stated.get('STORE_FILE')).toBe('`.querygate/store.duckdb` in a local `DATA_DIR`');
    expect(readConfig({ DATA_DIR: '/data' }).duckdb.storeFile).toBe('/data/.querygate/store.duckdb');
    for (const DATA_DIR of ['s3://bucket/logs', 'gs://bucket/logs', 'ducklake:lake.ducklake'])
      expect(readConfig({ DATA_DIR }).duckdb.storeFile).toBe(':memory:');
  });

  const limitsFiles = [
    'http/message/http-limits',
    'plugins/federation/federation-limits',
    'plugins/live/live-limits',
  ].map((file) => resolve(`src/${file}.ts`));

  test('monitoring.md, commands.md and federation.md say what to install of the optional packages', () => {
    const { peerDependencies } = JSON.parse(read('package.json'));
    const named = ['monitoring', 'commands', 'federation']
      .map((page) => read(`docs/${page}.md`))
      .flatMap((text) => [...text.matchAll(/ `?(@[\w/-]+@\^?[\d.]+)/g)].map(([, name]) => name));
    // Packages of this repository have the version of the gateway.
    const right = Object.entries(peerDependencies)
      .filter(([name]) => !name.startsWith('@querygate/'))
      .map(([name, version]) => `${name}@${version}`);
    expect([...new Set(named)].sort()).toEqual(right.sort());
  });

  test('operations.md has every limit with its value, and no other', async () => {
    const modules: readonly Readonly<Record<string, object>>[] = await Promise.all(
      limitsFiles.map((file) => import(file)),
    );
    const limits = modules.flatMap((module) => Object.values(module)).flatMap(Object.entries);
    const rows = read('docs/operations.md').matchAll(
      /^\| [^|]* \| `(?<key>\w+)` \| (?<amount>[\d,]+)(?: (?<unit>\S+))? \|$/gm,
    );
    const stated = [...rows].map(({ groups: { key = '', amount = '', unit = '' } = {} }) => [
      key,
      Number(amount.replaceAll(',', '')) * (units[unit] ?? Number.NaN),
    ]);
    expect(stated).toEqual(limits);
  });

  const units: Readonly<Record<string, number>> = {
    '': 1,
    characters: 1,
    KiB: 1024,
    MB: 1_000_000,
    ms: 1,
    s: 1000,
  };

  test('architecture.md has the rooms in the order that the code keeps', () => {
    const [, line = ''] = /^ +(errors ← .*)$/m.exec(read('docs/architecture.md')) ?? [];
    const documented = line.split(' ← ');
    const ranked = [...new Set((orders.src ?? []).map((room) => room.replace(/\.ts$/, '')))];
    expect(documented).toEqual(ranked.filter((room) => documented.includes(room)));
    const folders = readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isDirectory());
    for (const { name } of folders) expect(documented).toContain(name);
  });

  test('architecture.md has the order inside the big rooms that the code keeps', () => {
    const inRooms = /^ {4}(\S+): +(.* ← .*)$/gm;
    const documented = [...read('docs/architecture.md').matchAll(inRooms)];
    expect(documented.map(([, room]) => room)).toContain('bigquery-sql');
    for (const [, room = '', order = ''] of documented) {
      const ranks = Object.entries(orders).find(([folder]) =>
        folder.replace(/\/src$/, '').endsWith(`/${room}`),
      );
      expect(order.split(' ← '), room).toEqual(ranks?.[1]);
    }
  });

  test('architecture.md names files and folders that exist', () => {
    const [, section = ''] = /^## Rooms\n([\s\S]*?)^## /m.exec(read('docs/architecture.md')) ?? [];
    const paths = [...section.matchAll(/`([\w./-]+(?:\/|\.ts))`/g)].map(([, path = '']) => path);
    expect(paths.length).toBeGreaterThan(20);
    const files = globSync('{src,packages/*/src,packages/*/conformance/*}/**', {
      exclude: ['**/node_modules/**'],
    });
    const known = (path: string) =>
      files.some((file) => `${file}/`.endsWith(`/${path}${path.endsWith('/') ? '' : '/'}`));
    expect(paths.filter((path) => !existsSync(path) && !known(path))).toEqual([]);
  });

  test('compiler.md names files of the compiler that exist', () => {
    const folder = 'packages/bigquery-sql';
    const paths = [...read('docs/compiler.md').matchAll(/`((?:[\w-]+\/)*[\w.-]+(?:\/|\.ts|\.sql))`/g)];
    const known = globSync(`${folder}/{src,conformance,test}/**`, { exclude: ['**/node_modules/**'] });
    const exists = (path: string) =>
      known.some((file) => `${file}/`.endsWith(`/${path.replace(/\/$/, '')}/`));
    const named = paths.map(([, path = '']) => path).filter((path) => !path.startsWith('packages/'));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !exists(path))).toEqual([]);
  });

  test('compiler.md has the macro of its example', () => {
    const page = read('docs/compiler.md');
    const strings = read('packages/bigquery-sql/src/macros/sql/strings.sql');
    const [macro = ''] = /^create macro bq\.left\(s.*$/m.exec(page) ?? [];
    expect(strings.split('\n')).toContain(macro);
  });

  test('decision 40 names files and folders that exist', () => {
    const rows = read('docs/decisions/0040-what-is-written-here.md').matchAll(/^\| (?<parts>`[^|]*) \|/gm);
    const parts = [...rows].flatMap(({ groups }) => (groups?.parts ?? '').split(', '));
    const paths = parts.map((part) => part.slice(1, -1));
    expect(paths.length).toBeGreaterThan(10);
    const known = [...globSync('src/**'), ...globSync('packages/text/src/*')].map((file) => `/${file}/`);
    const exists = (path: string) => known.some((file) => file.endsWith(`/${path.replace(/\/$/, '')}/`));
    expect(paths.filter((path) => !exists(path))).toEqual([]);
  });

  test.each(['CONTRIBUTING.md', 'README.md', ...globSync('docs/*.md')])(
    '%s names files of src that exist',
    (page) => {
      const paths = [...read(page).matchAll(/`(src\/[\w./-]+(?:\/|\.\w+))`/g)].map(([, path = '']) => path);
      // Code generators write it in a project of the reader.
      const own = paths.filter((path) => !path.startsWith('src/gql/'));
      expect(own.filter((path) => !existsSync(path))).toEqual([]);
    },
  );
});
