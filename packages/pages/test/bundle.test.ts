import { spawnSync } from 'node:child_process';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { pageFiles } from '../page-files.ts';
import { bundle } from '../bundle.ts';

/** What a script prints as a module. */
const run = (code: string, flags: readonly string[] = []) =>
  spawnSync(process.execPath, [...flags, '--input-type=module', '-'], { input: code, encoding: 'utf8' });

describe('modules as one file', () => {
  test('have the names that they import, and none of each other', () => {
    const modules = new Map([
      [
        'main.js',
        "import { Box, double } from './math/numbers.js';\nimport {\n  name,\n} from './name.js';\nconst own = double(4);\nconsole.log(name, own, new Box().own);\n",
      ],
      [
        'math/numbers.js',
        "import { name } from '../name.js';\nconst own = name.length;\nexport const double = (n) => n * 2;\nexport class Box {\n  own = own;\n}\n",
      ],
      [
        'name.js',
        "const own = 'n';\nexport async function later() {}\nexport const name = `n\nimport os\n`;\n",
      ],
      ['unused.js', 'throw new Error();'],
    ]);
    const code = bundle(modules, 'main.js');
    expect(code.match(/^\/\/ .*/gm)).toEqual(['// name.js', '// math/numbers.js', '// main.js']);
    expect(run(code)).toMatchObject({ stdout: 'n\nimport os\n 8 12\n', stderr: '' });
  });

  test.each([
    ["import { a } from './gone.js';", 'there is no module gone.js'],
    ["import { a } from './main.js';", 'main.js imports itself'],
    ["import { a as b } from './other.js';", 'cannot be bundled: import'],
    ["import a from './other.js';", 'cannot be bundled: import'],
    ["import './other.js';", 'cannot be bundled: import'],
    ["import { a } from 'library';", 'cannot be bundled: import'],
    ["export * from './other.js';", 'cannot be bundled: export'],
    ['export default 1;', 'cannot be bundled: export'],
    ['export let a = 1;', 'cannot be bundled: export'],
  ])('are refused with %s', (statement, message) => {
    const modules = new Map([
      ['main.js', `${statement}\n`],
      ['other.js', 'export const a = 1;\n'],
    ]);
    expect(() => bundle(modules, 'main.js')).toThrow(message);
  });

  test('of the pages are all in the script that browsers get, without types', () => {
    const script = pageFiles().find(({ name }) => name === 'pages.js')?.body ?? '';
    const contained = [...script.matchAll(/^\/\/ (\S+\.ts)$/gm)].map(([, path]) => path);
    expect(contained.sort()).toEqual(globSync('**/*.ts', { cwd: 'packages/pages/src' }).sort());
    expect(run(script, ['--check'])).toMatchObject({ status: 0, stderr: '' });
  });

  test('are committed as npm run pages writes them', () => {
    const folder = 'packages/pages/built/pages';
    const committed = readdirSync(folder).map((name) => [name, readFileSync(`${folder}/${name}`, 'utf8')]);
    const built = pageFiles().map(({ name, body }) => [name, body]);
    expect(Object.fromEntries(committed)).toEqual(Object.fromEntries(built));
  });
});
