import { readFileSync, writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createGateway, type EngineFactory } from 'querygate';
import { expect, test } from 'vitest';

test('the engine of docs/engines.md answers requests', async () => {
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync('docs/engines.md', 'utf8')) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'querygate-engine-'));
  const file = join(folder, 'engine.ts');
  writeFileSync(file, example.replace("'querygate'", `'${resolve('src/index.ts')}'`));
  const { arrayEngine }: { arrayEngine: (rows: readonly object[]) => EngineFactory } = await import(file);
  const header =
    'id: 3f1f6a52-6f0e-4a53-9d8f-0f7f0b6d2c11\ndescription: D.\nmax_rows: 10\ncaching: disabled\nparameters:\n  city: { type: string, required: true, description: C. }\ncolumns:\n  name: { type: string, description: N. }\n  age: { type: integer, description: A. }';
  writeFileSync(join(folder, 'people.sql'), `/*---\n${header}\n---*/\ncity = @city\n`);
  const gateway = await createGateway({
    queries: folder,
    engine: arrayEngine([
      { name: 'Ada', age: 36, city: 'London' },
      { name: 'Emmy', age: 53, city: 'Erlangen' },
    ]),
    keys: () => ({ id: 'test', name: 'test' }),
  });
  const response = await gateway.fetch(
    new Request('http://gateway.test/api/endpoints/query/people?city=London'),
  );
  expect(await response.json()).toEqual({ result: [{ name: 'Ada', age: 36 }] });
  await gateway.close();
  rmSync(folder, { recursive: true });
});
