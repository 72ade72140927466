import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const folder = 'packages/pages/graphiql';
const built = '../built/graphiql';

// Each night, CI builds them again.
test('the files of GraphiQL are committed as npm run graphiql wrote them from its sources', () => {
  const lines = readFileSync(join(folder, 'digests.txt'), 'utf8').trim().split('\n');
  const digests = lines.map((line) => {
    const [, digest = '', path = ''] = /^(\w{64}) {2}(.+)$/.exec(line) ?? [];
    return { digest, path };
  });
  for (const { digest, path } of digests)
    expect(hash('sha256', readFileSync(join(folder, path))), `${path} has changed`).toBe(digest);
  const paths = digests.map(({ path }) => path);
  const files = readdirSync(join(folder, built)).map((name) => `${built}/${name}`);
  expect(paths).toEqual(expect.arrayContaining(['build.ts', 'package-lock.json', 'src/main.tsx', ...files]));
});
