import { asQuery } from './cases.ts';
import { openEvaluator } from './reference/evaluator.ts';
import { showAnswer } from './values.ts';

/**
 * Prints the answers of GoogleSQL's reference evaluator to the queries in the arguments, or in the lines of stdin.
 * A text that does not start with SELECT or WITH is an expression.
 */
const evaluator = await openEvaluator();
for (const text of await readInputs()) {
  console.log(showAnswer(await evaluator.evaluate(asQuery(text))));
}
await evaluator.close();

async function readInputs(): Promise<string[]> {
  const args = process.argv.slice(2);
  if (args.length > 0) return args;
  const lines = (await Array.fromAsync(process.stdin)).join('').split('\n');
  return lines.filter((line) => line.trim() !== '');
}
