import { globSync } from 'node:fs';
import { resolve } from 'node:path';

/** A benchmark: one file `bench/<area>/<name>.bench.ts` whose default export runs it. */
export interface Bench {
  /** The two sides of the comparison. */
  readonly title: string;
  /** Runs the benchmark. @returns lines with the figures of both sides and their ratio */
  run(): Promise<readonly string[]>;
}

// `npm run bench` runs all, `npm run bench decode` those whose path has the word. Each speed is compared with a
// counterpart in the same run: figures of different machines cannot be compared.
const [pathFilter = ''] = process.argv.slice(2);
for (const file of globSync('bench/**/*.bench.ts').sort()) {
  if (!file.includes(pathFilter)) continue;
  const { default: bench } = (await import(resolve(file))) as { default: Bench };
  process.stdout.write(`\n${bench.title}\n`);
  for (const line of await bench.run()) process.stdout.write(`  ${line}\n`);
}
