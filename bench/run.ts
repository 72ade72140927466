import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** A benchmark: one file `bench/<area>/<name>.bench.ts` whose default export runs it. */
export interface Bench {
  /** The two sides of the comparison. */
  readonly title: string;
  /** Runs the benchmark. @returns lines with the figures of both sides, their ratio and its goal */
  run(): AsyncIterable<string>;
}

// `npx node bench/run.ts` runs all, `npx node bench/run.ts --only http --only decode` those whose path has one of the words. Each speed is
// compared with a counterpart in the same run: figures of different machines cannot be compared.
const { values } = parseArgs({ options: { only: { type: 'string', multiple: true, default: [''] } } });
for (const file of globSync('bench/**/*.bench.ts').sort()) {
  if (!values.only.some((word) => file.includes(word))) continue;
  const { default: bench } = (await import(resolve(file))) as { default: Bench };
  process.stdout.write(`\n${bench.title}\n`);
  for await (const line of bench.run()) process.stdout.write(`  ${line}\n`);
}
