import { readFileSync } from 'node:fs';
import { isSame } from '../../packages/bigquery-sql/conformance/compare.ts';
import { openCachedEvaluator } from '../../packages/bigquery-sql/conformance/reference/cached-evaluator.ts';
import { lost, runCommand } from '../../packages/bigquery-sql/conformance/run-command.ts';
import {
  classify,
  withoutNullArrays,
  withoutOrder,
} from '../../packages/bigquery-sql/conformance/suite-outcome.ts';
import { type Answer, showAnswer } from '../../packages/bigquery-sql/conformance/values.ts';
import { linkedSql, partFile, readerFile } from './folder.ts';

/**
 * `npx node test/composed/suite.ts statements.json`: each statement of a JSON array of `{ sql }` as a part that another part
 * reads, which a query reads, compared with the same pasted by hand, and with GoogleSQL's reference evaluator. Exit code 1
 * if rows differ.
 */
const [file = ''] = process.argv.slice(2);
const statements = (JSON.parse(readFileSync(file, 'utf8')) as readonly { readonly sql: string }[]).map(
  ({ sql }) => withoutEnd(sql),
);
const linked = statements.map((sql) =>
  linkedSql(
    new Map([
      ['inner.sql', partFile(sql, {})],
      ['middle.sql', partFile('SELECT * FROM query.inner AS i', {})],
      ['reader.sql', readerFile('SELECT * FROM query.middle AS m', {})],
    ]),
  ),
);
const isLinked = (_: string, at: number) => 'sql' in (linked[at] ?? {});
const own = statements.filter(isLinked);
const composed = await runCommand(
  linked.flatMap((one) => ('sql' in one ? [one.sql] : [])),
  '10',
);
const pasted = await runCommand(own.map(pastedText), '10');
const evaluator = openCachedEvaluator();
const counts = new Map<string, number>();
const add = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);
for (const one of linked)
  if ('refused' in one)
    add(`refused as a part: ${one.refused.replaceAll(/\S*\.sql(:\d+)*/g, '…').slice(0, 90)}`);
let different = 0;
for (const [at, sql] of own.entries()) {
  const [mine, byHand] = [composed[at] ?? lost, pasted[at] ?? lost];
  if (!isSameRows(mine, byHand)) {
    different += 1;
    console.log(`--- DIFFERENT\n${sql}\ncomposed: ${showAnswer(mine)}\npasted:   ${showAnswer(byHand)}\n`);
  }
  const text = pastedText(sql);
  const reference = await evaluator.evaluate(text);
  const outcome = classify(mine, reference, text, () => false);
  add(`composed and judge: ${outcome}`);
  if (outcome === 'WRONG')
    console.log(`--- WRONG\n${sql}\ncomposed: ${showAnswer(mine)}\njudge: ${showAnswer(reference)}\n`);
}
await evaluator.close();
for (const [what, count] of [...counts].sort()) console.log(`${String(count).padStart(5)} ${what}`);
console.log(`${own.length} of ${statements.length} statements as parts, ${different} unlike pasted by hand`);
process.exitCode = different === 0 ? 0 : 1;

/** Functions stand before the query. */
function pastedText(sql: string): string {
  const end = /^(?:\s*CREATE\s+TEMP[^;]*;)*/i.exec(sql)?.[0].length ?? 0;
  return `${sql.slice(0, end)}SELECT * FROM (SELECT * FROM (${sql.slice(end)}\n) AS i) AS m`;
}

function withoutEnd(sql: string): string {
  return sql.replace(/;\s*(--.*\s*)*$/, '');
}

/** Rows without an order, and arrays without one, may be in any. */
function isSameRows(a: Answer, b: Answer): boolean {
  if ('error' in a || 'error' in b) return 'error' in a && 'error' in b;
  const [one, other] = [a, b].map((answer) => withoutOrder(withoutNullArrays(answer))) as [Answer, Answer];
  return isSame(one, other, false);
}
