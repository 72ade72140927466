import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runSteps } from '../../../src/concurrency/loop-turns.ts';
import { csvCell } from '../../../src/plugins/mcp/rows/cells.ts';
import { rowLines } from '../../../src/plugins/mcp/rows/row-lines.ts';

const asText = (cell: string | undefined) => cell;
const nested = { name: 'a', isNested: true, text: asText };
const ofColumn = (...cells: readonly (string | undefined)[]) =>
  runSteps(
    rowLines(
      [nested],
      cells.map((cell) => [cell]),
    ),
  );

describe('rows with records', () => {
  test('have the names of columns and fields once, and a cell for each field', () => {
    const rows = [
      [
        '1',
        '[{"method":"GET","headers":[{"host":"x"},{"host":null,"size":10}],"tags":["a","b"],"from":{"city":"A, B"}}]',
      ],
      ['2', '[{"headers":[],"method":"POST"}]'],
      [undefined, undefined],
      ['3', '[]'],
    ];
    const writers = [
      { name: 'id', isNested: false, text: asText },
      { name: 'meta data', isNested: true, text: asText },
    ];
    expect(runSteps(rowLines(writers, rows))).toEqual({
      names: 'id,"meta data"{method,headers[{host,size}],tags[],from{city}}',
      lines: ['1,GET,"[[""x"",null],[null,10]]","[""a"",""b""]","A, B"', '2,POST,[],,', ',,,,', '3,,,,'],
    });
  });

  test('keep numbers and texts as they are written', () => {
    const value = '{"long_name":12345678901234567890.10,"other_name":"\\"[{\\\\ü"}';
    expect(ofColumn(value, value, value).lines[1]).toBe('12345678901234567890.10,"""[{\\ü"');
  });

  test('are JSON where values have no common form', () => {
    const cells = ['{"long_name":1}', '[1,2]', '5', '{"long_name":{"b":2}}'];
    expect(ofColumn(...cells)).toEqual({
      names: 'a',
      lines: ['"{""long_name"":1}"', '"[1,2]"', '5', '"{""long_name"":{""b"":2}}"'],
    });
  });

  test('are JSON where each has names of its own, and where they are very deep', () => {
    const own = Array.from({ length: 50 }, (_, at) => `{"name_${at}":1}`);
    expect(ofColumn(...own).lines[1]).toBe('"{""name_1"":1}"');
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(ofColumn(deep).lines).toEqual([deep]);
  });

  test('take no more room than as JSON where the records of a list have names of their own', () => {
    const list = `[${Array.from({ length: 2_000 }, (_, at) => `{"field_${at}":1}`).join(',')}]`;
    expect(ofColumn(list)).toEqual({ names: 'a', lines: [csvCell(list)] });
    const record = (at: number) =>
      `{${list.slice(1, -1).replaceAll('field', `row_${at}`).replaceAll(/[{}]/g, '')}}`;
    const records = Array.from({ length: 10 }, (_, at) => record(at));
    expect(ofColumn(...records)).toEqual({ names: 'a', lines: records.map(csvCell) });
  });

  test('have a cell in a list for a field that most of its records have', () => {
    expect(ofColumn('[{"long_name":1,"other":2},{"long_name":3}]').lines).toEqual(['"[[1,2],[3,null]]"']);
  });

  test('may have names of prototypes', () => {
    const cell = '{"__proto__":{"constructor":1},"toString":2}';
    expect(ofColumn(cell, cell)).toEqual({
      names: 'a{__proto__{constructor},toString}',
      lines: ['1,2', '1,2'],
    });
  });

  test('give back the values, whatever the texts are', () => {
    const record = fc.record({
      x: fc.string({ unit: 'binary' }),
      list: fc.array(fc.record({ y: fc.integer() }), { minLength: 2 }),
    });
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 5 }), (values) => {
        const { names, lines } = ofColumn(...values.map((value) => JSON.stringify(value)));
        expect(names).toMatch(/^a\{(?:x,list\[\{y\}\]|list\[\{y\}\],x)\}$/);
        const isFirst = names.startsWith('a{x');
        for (const [at, { x, list }] of values.entries()) {
          const cells = [csvCell(x), csvCell(JSON.stringify(list.map(({ y }) => [y])))];
          expect(lines[at]).toBe((isFirst ? cells : cells.toReversed()).join(','));
        }
      }),
    );
  });
});
