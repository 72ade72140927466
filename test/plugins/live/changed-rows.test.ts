import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { RowPatches } from '../../../src/plugins/live/events/row-patch.ts';
import { runSteps } from '../../../src/concurrency/loop-turns.ts';
import { buildDocument } from '../../../src/results/result-document.ts';
import { countsPath, type LiveGateway, openLiveGateway } from '../../support/live-gateway.ts';
import { queryText } from '../../support/query-folder.ts';
import { readEvents } from '../../support/read-events.ts';
import { runTime } from '../../support/run-time.ts';

type Row = Readonly<Record<string, unknown>>;

/** The reader of the documentation. */
const { applyEvent } = await importReader();

async function importReader(): Promise<{
  readonly applyEvent: (rows: readonly Row[], event: string, data: string) => Row[];
}> {
  const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync('docs/live.md', 'utf8')) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  const file = join(folder, 'reader.ts');
  writeFileSync(file, code);
  try {
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const documentOf = (rows: readonly Row[]) =>
  buildDocument({ rows: rows.map((row) => JSON.stringify(row)), truncated: false }, runTime(0));

async function patchBetween(
  before: readonly Row[],
  after: readonly Row[],
  rowKey?: readonly string[],
): Promise<string> {
  const documents = await Promise.all([before, after].map(documentOf));
  const [from, to] = documents;
  if (from === undefined || to === undefined) throw new Error('no document');
  const patch = runSteps(new RowPatches(rowKey).between(from, to, 'W/"a"', Number.POSITIVE_INFINITY));
  return Buffer.concat((patch ?? []).map((part) => Buffer.from(part))).toString();
}

const value = fc.oneof(
  fc.integer(),
  fc.string({ unit: 'grapheme' }),
  fc.constant(null),
  fc.constant({ '}': ['"', 1] }),
);
const rows = fc.array(fc.record({ key: fc.nat(12), value }, { requiredKeys: [] }), { maxLength: 20 });

describe('a patch between two results', () => {
  test.each([
    ['by the place of the rows', undefined],
    ['by a key', ['key']],
    ['by a key that no row has', ['nothing']],
  ])('%s: the reader of the documentation makes the second of the first', async (_, rowKey) => {
    await fc.assert(
      fc.asyncProperty(rows, rows, async (before, after) => {
        const patch = await patchBetween(before, after, rowKey);
        expect(applyEvent(before, 'patch', patch)).toEqual(JSON.parse(JSON.stringify(after)));
      }),
    );
  });

  const hour = (at: number, n: number): Row => ({
    timestamp: new Date(Date.UTC(2026, 10, 22, at)).toISOString().slice(0, 19),
    total_rest_requests: n,
    total_storage_requests: 31,
    total_auth_requests: 44,
    total_realtime_requests: 23,
  });

  test('of an hourly chart of 168 rows with one other row has at most 400 bytes', async () => {
    const before = Array.from({ length: 168 }, (_, at) => hour(at, 111));
    const after = before.with(167, hour(167, 112));
    expect(Buffer.byteLength(await patchBetween(before, after))).toBeLessThanOrEqual(300);
    // An hour later, the first row is gone and a new one has come.
    const later = [...after.slice(1), hour(168, 1)];
    const patch = await patchBetween(after, later, ['timestamp']);
    expect(Buffer.byteLength(patch)).toBeLessThanOrEqual(300);
    expect(applyEvent(after, 'patch', patch)).toEqual(later);
  });
});

describe('a stream of changed rows', () => {
  let live: LiveGateway;
  afterEach(() => live.close());
  const open = async (header: string) => {
    live = await openLiveGateway({
      queries: { 'counts.sql': queryText({ header: `live: 5s\n${header}`, caching: '60s' }) },
    });
    live.setRows(texts(rowsOf(100)));
    return readEvents(await live.get(countsPath, { accept: 'text/event-stream;delta=rows' }));
  };
  const rowsOf = (count: number, from = 0) =>
    Array.from({ length: count }, (_, at) => ({ n: from + at, text: 'x' }));
  const texts = (some: readonly Row[]) => some.map((row) => JSON.stringify(row));

  test('has the whole result first, then patches, and the whole one again when most of it is new', async () => {
    const events = await open('key: [n]\n');
    const first = await events.next();
    expect(first?.event).toBe('next');
    let known = applyEvent([], 'next', first?.data ?? '');
    const moved = rowsOf(100, 2);
    live.setRows(texts(moved));
    await live.clock.pass(5_250);
    const second = await events.next();
    expect(second?.event).toBe('patch');
    expect(JSON.parse(second?.data ?? '')).toMatchObject({ from: first?.id, removed: [1, 0], changed: [] });
    known = applyEvent(known, 'patch', second?.data ?? '');
    expect(known).toEqual(moved);
    live.setRows(texts(rowsOf(100, 1_000)));
    await live.clock.pass(5_250);
    const third = await events.next();
    expect(third?.event).toBe('next');
    expect(third?.id).not.toBe(second?.id);
    await events.cancel();
  });

  test('begins with the whole result for a client that has an older one', async () => {
    const first = await open('');
    await first.next();
    live.setRows(texts(rowsOf(100).with(5, { n: 5, text: 'y' })));
    await live.clock.pass(5_250);
    expect((await first.next())?.event).toBe('patch');
    const late = readEvents(
      await live.get(countsPath, { accept: 'text/event-stream;delta=rows', 'last-event-id': 'W/"old"' }),
    );
    expect((await late.next())?.event).toBe('next');
    for (const one of [first, late]) await one.cancel();
  });
});
