import { expect, test } from 'vitest';
import { compile } from '../src/compile.ts';
import { calledMacros } from '../src/macros/called-macros.ts';
import { capturedParameters, macroDefinitions, macros } from '../src/macros/macros.ts';
import { callAt, tokensOf } from '../src/planning-cost/macro-text.ts';
import { printQuery } from '../src/tree/print.ts';

const all = [...macros.values()].flat();

test('a macro names the signature that it calls: DuckDB cannot choose one for columns of an outer query', () => {
  const unnamed = all.flatMap(({ callee, body }) => {
    const tokens = tokensOf(body);
    return tokens.flatMap((_, at) => {
      const call = callAt(tokens, at, macros);
      return call && call.signatures.length !== 1 ? [`${callee} calls ${call.callee}`] : [];
    });
  });
  expect(unnamed).toEqual([]);
});

test('no macro gives names to fields in an argument that it computes first: DuckDB loses them', () => {
  const named = all.filter(({ body }) => /\[ ?(\{ ?'|struct_pack ?\()[^\]]*\] ?, lambda/.test(body));
  expect(named.map(({ callee }) => callee)).toEqual([]);
});

test('a macro is defined after those that it calls', () => {
  const definitions = macroDefinitions().split(';\n');
  const at = new Map(
    definitions.map((text, index) => [
      /^CREATE MACRO IF NOT EXISTS (bq\.(?:"[^"]+"|\w+))/.exec(text)?.[1],
      index,
    ]),
  );
  for (const { callee, body } of all) {
    for (const [called] of body.matchAll(/\bbq\.(?:\w+|"[^"]+")/g))
      expect(at.get(called), `${callee} calls ${called}`).toBeLessThan(at.get(callee) ?? 0);
  }
});

test('only the signatures that a query calls are defined, with what they call', () => {
  const definitionsOf = (expression: string) => {
    const source = { file: '', line: 1 };
    const { query } = compile({ sql: `SELECT ${expression}`, source }, []);
    const text = macroDefinitions(calledMacros(query), new Set(), true);
    return text.split(';\n').map((one) => /^CREATE MACRO IF NOT EXISTS (bq\.(?:"[^"]+"|\w+))/.exec(one)?.[1]);
  };
  expect(definitionsOf("TIMESTAMP(DATE '2026-01-01')")).toEqual(['bq."timestamp(d date)"']);
  const inZone = definitionsOf("TIMESTAMP(DATE '2026-01-01', 'Asia/Tokyo')");
  expect(inZone).toContain('bq.offset_of_civil');
  expect(inZone.filter((callee) => callee?.startsWith('bq."'))).toEqual([
    'bq."timestamp(d timestamp, zone varchar)"',
    'bq."timestamp(d date, zone varchar)"',
  ]);
});

test('a variable of a value that is computed once is one of one macro', () => {
  const variables = all.flatMap(({ body }) => [...new Set(body.match(/\bonce_\w+/g))]);
  expect(variables.length).toBeGreaterThan(100);
  expect(new Set(variables).size).toBe(variables.length);
});

test('what a lambda reads beside its own parameters is known, also through other macros', () => {
  const captured = (callee: string) => {
    const args = all.find((macro) => macro.callee === callee)?.parameters ?? [];
    return args.filter((_, at) => capturedParameters.includes(callee, args, at)).map(({ name }) => name);
  };
  expect(captured('bq."timestamp(d timestamp, zone varchar)"')).toEqual(['zone']);
  expect(captured('bq."timestamp_trunc_day(t timestamptz, zone varchar)"')).toEqual(['zone']);
  expect(captured('bq."instr(s varchar, part varchar, start bigint, n bigint)"')).toEqual([
    'part',
    'start',
    'n',
  ]);
  expect(captured('bq.bounded_array_to_string_with_nulls')).toEqual(['delimiter', 'null_text']);
  expect(captured('bq."datetime(d timestamptz)"')).toEqual([]);
});

test('a literal path of JSON is a pointer in the query; only others are computed', () => {
  const text = (path: string) =>
    printQuery(compile({ sql: `SELECT JSON_VALUE('{}', ${path})`, source: { file: '', line: 1 } }, []).query);
  expect(text(`'$.a."b/c"[01]'`)).toContain(`'/a/b~1c/1'`);
  expect(text(`'$.a."b/c"[01]'`)).not.toContain('json_pointer');
  expect(text('@path')).toMatch(/bq\.json_pointer\([^']*\$path/);
  expect(text(`'a'`)).toContain(`bq.json_pointer('a', FALSE)`);
});
