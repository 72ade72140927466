import { globSync } from 'node:fs';
import { resolve } from 'node:path';

/** A benchmark: one file `bench/<area>/<name>.bench.ts` whose default export runs it. */
export interface Bench {
  /** What is compared with what. */
  readonly title: string;
  /** Does the work, and gives lines that tell both sides and their ratio. */
  run(): Promise<readonly string[]>;
}

// `npm run bench` runs all, `npm run bench decode` those whose path has the word. Speed is judged beside what it is
// compared with, in the same run: figures of different machines say nothing about each other.
const [wanted = ''] = process.argv.slice(2);
for (const file of globSync('bench/**/*.bench.ts').sort()) {
  if (!file.includes(wanted)) continue;
  const { default: bench } = (await import(resolve(file))) as { default: Bench };
  process.stdout.write(`\n${bench.title}\n`);
  for (const line of await bench.run()) process.stdout.write(`  ${line}\n`);
}
