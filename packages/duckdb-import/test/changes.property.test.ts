import { appendFileSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lines, openImportFolder } from './import-folder.ts';
import { times } from '../../../test/support/nightly.ts';

const names = ['logs/a.ndjson', 'logs/b.ndjson', 'logs/c.ndjson'] as const;
const name = fc.constantFrom(...names);
const step = fc.oneof(
  fc.record({ do: fc.constant('append' as const), name, count: fc.integer({ min: 1, max: 30 }) }),
  fc.record({ do: fc.constant('append a part' as const), name }),
  fc.record({ do: fc.constant('write' as const), name, count: fc.integer({ min: 0, max: 30 }) }),
  fc.record({ do: fc.constant('rename' as const), name, to: name }),
  fc.record({ do: fc.constant('delete' as const), name }),
  fc.record({ do: fc.constant('sync' as const) }),
  fc.record({ do: fc.constant('restart' as const) }),
);

/** The ids that the store must have: of complete lines, and of a last line that lacks only its newline. */
function idsIn(texts: Iterable<string>): number[] {
  return [...texts]
    .flatMap((text) => text.split('\n'))
    .flatMap((line) => (line.endsWith('}') ? [Number(/\d+/.exec(line)?.[0])] : []))
    .sort((one, other) => one - other);
}

test('the store follows the folder through any sequence of changes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const folder = await openImportFolder({ batchLimits: { rows: 10, bytes: 1 << 20 } });
      const model = new Map<string, string>();
      let id = 0;
      const more = (count: number) => lines(...Array.from({ length: count }, () => ++id));
      folder.write('logs/.keep', '');
      for (const each of steps) {
        switch (each.do) {
          case 'append':
          case 'append a part': {
            const open = (model.get(each.name) ?? '').split('\n').at(-1) ?? '';
            const end = open === '' || open.endsWith('}') ? '' : '}';
            const text =
              each.do === 'append'
                ? `${end}${open === '' ? '' : '\n'}${more(each.count)}`
                : open === ''
                  ? `{"id":${++id}`
                  : end;
            appendFileSync(folder.path(each.name), text);
            model.set(each.name, (model.get(each.name) ?? '') + text);
            break;
          }
          case 'write':
            rmSync(folder.path(each.name), { force: true });
            model.set(each.name, more(each.count));
            writeFileSync(folder.path(each.name), model.get(each.name) ?? '');
            break;
          case 'rename': {
            const text = model.get(each.name);
            if (text === undefined || each.name === each.to || !existsSync(folder.path(each.name))) break;
            renameSync(folder.path(each.name), folder.path(each.to));
            model.delete(each.name);
            model.set(each.to, text);
            break;
          }
          case 'delete':
            rmSync(folder.path(each.name), { force: true });
            model.delete(each.name);
            break;
          case 'restart':
            await folder.reopen();
            break;
          case 'sync':
            await folder.sync();
        }
      }
      // A file is missing only when the second sync does not find it either.
      for (let left = 2; left > 0; left -= 1) await folder.sync();
      const ids = await folder.ids();
      await folder.close();
      expect(ids).toEqual(idsIn(model.values()));
    }),
    { numRuns: times(10) },
  );
}, 120_000);
