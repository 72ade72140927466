import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readFolder } from '../../../src/catalog/folder/read-folder.ts';
import { watchFolder } from '../../../src/catalog/folder/watch-folder.ts';
import { medianOf } from '../../support/median.ts';
import { makeQueryFolder } from '../../support/query-folder.ts';

/** Well under one percent of a core, which is what an idle gateway may take as a whole. */
const maxShare = 0.006;

test('a watched folder of 500 files costs well under one percent of a core', async () => {
  const queries = makeQueryFolder({});
  for (let at = 0; at < 500; at += 1) queries.write(`q${at}.sql`, 'SELECT 1');
  const cpuShare = async () => {
    const before = process.cpuUsage();
    await sleep(4_000);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 4_000_000;
  };
  const idle = await medianOf(cpuShare, 3);
  const watch = watchFolder({
    folder: queries.folder,
    known: readFolder(queries.folder),
    onChange: async () => {},
    onFolderProblem: () => {},
    onError: (error) => {
      throw error;
    },
  });
  // Files are looked at more often while they have just been written.
  await sleep(2_500);
  const share = (await medianOf(cpuShare, 3)) - idle;
  await watch.close();
  queries.close();
  expect(share).toBeLessThan(maxShare);
});
