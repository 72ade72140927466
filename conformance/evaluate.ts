import { asQuery } from './cases.ts';
import { openEvaluator } from './reference/evaluator.ts';
import { showAnswer } from './values.ts';

/**
 * Prints what GoogleSQL's reference evaluator answers, one query an argument; without arguments, one a line of stdin.
 * What does not start with SELECT or WITH is taken as an expression.
 */
const evaluator = await openEvaluator();
for (const text of await questions()) {
  console.log(showAnswer(await evaluator.evaluate(asQuery(text))));
}
await evaluator.close();

async function questions(): Promise<string[]> {
  const args = process.argv.slice(2);
  if (args.length > 0) return args;
  const lines = (await Array.fromAsync(process.stdin)).join('').split('\n');
  return lines.filter((line) => line.trim() !== '');
}
