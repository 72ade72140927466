import { describe, expect, test } from 'vitest';
import { chooseMediaType } from '../../../src/http/graphql/media-type.ts';
import { checkMediaTypes } from '../../../src/http/graphql/read-operation.ts';
import { matchesEtag } from '../../../src/http/message/cache-headers.ts';
import { bestCoding } from '../../../src/http/message/content-coding.ts';
import { Renderers } from '../../../src/formats/renderers.ts';
import { chooseRenderer } from '../../../src/http/rendering/requested-format.ts';
import { medianOf } from '../../support/median.ts';
import { processorMs } from '../../support/processor-time.ts';
import { draftQuery } from '../../support/queries.ts';

const renderers = new Renderers();

const bound = {
  query: draftQuery({ columns: { a: 'integer' }, sql: 'select 1 as a' }),
  parameters: {},
} as unknown as Parameters<typeof chooseRenderer>[3];

const readers: Readonly<Record<string, (list: string) => unknown>> = {
  'Accept of REST': (list) => chooseRenderer(renderers, undefined, `${list}*/*`, bound),
  'Accept of GraphQL': (list) => chooseMediaType(list),
  'headers of GraphQL': (list) =>
    checkMediaTypes({
      method: 'POST',
      headers: { accept: `*/*,${list}`, 'content-type': `application/json;${list}` },
    } as unknown as Parameters<typeof checkMediaTypes>[0]),
  'Accept-Encoding': (list) => bestCoding(['zstd', 'gzip'], list),
  'If-None-Match': (list) => matchesEtag('W/"a"', list),
};

const lists: Readonly<Record<string, string>> = {
  commas: ','.repeat(16_000),
  elements: 'a/b,'.repeat(4_000),
  semicolons: ';'.repeat(16_000),
  parameters: `text/csv${';q'.repeat(8_000)},`,
  'parameters of elements': `${`text/csv${';q=1'.repeat(50)},`.repeat(75)}`,
  spaces: `a${' '.repeat(16_000)}b,`,
};

describe.each(Object.entries(readers))('16 KB of %s take little time to read', (_, read) => {
  test.each(Object.entries(lists))('as %s', async (_, list) => {
    const attempt = (at: number) => {
      try {
        read(`x${at},${list}`);
      } catch {
        // It is not acceptable.
      }
    };
    const ms = await medianOf((repetition) =>
      processorMs(() => {
        for (let at = 1; at <= 50; at += 1) attempt(50 * repetition + at);
      }),
    );
    expect(ms).toBeLessThan(150);
  });
});
