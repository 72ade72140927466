import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isSize } from './dataset.ts';

export const parts = ['import', 'queries', 'growth', 'word-by-word', 'light', 'in-place'] as const;
export type Part = (typeof parts)[number];

export interface Options {
  readonly sizes: readonly string[];
  readonly dir: string;
  readonly parts: readonly Part[];
  readonly runs: number;
  readonly clean: boolean;
}

export const usage = `npx node bench/local/main.ts [options]

  --rows 1M,10M     rows of each hot stream, one set for each size: 200k, 1M, 10M, 100M
  --only <part>     ${parts.join(', ')}; may be repeated
  --runs 15         how often each query is run
  --dir <folder>    folder of the sets, which are kept between runs; default: querygate-bench below the system's temporary folder
  --clean           removes the sets of that folder and exits

DUCKDB_MEMORY_LIMIT (here 4GB) and the cores that the process may use (taskset) apply to the product and to what it is compared with.
docs/benchmarks.md describes what is measured, and how.`;

/** @returns undefined for --help @throws Error whose message states the valid values */
export function readOptions(args: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rows: { type: 'string', default: '1M,10M' },
      only: { type: 'string', multiple: true, default: [...parts] },
      runs: { type: 'string', default: '15' },
      dir: { type: 'string', default: join(tmpdir(), 'querygate-bench') },
      clean: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const sizes = values.rows.split(',').map((size) => size.trim());
  const wrong = sizes.find((size) => !isSize(size));
  if (wrong !== undefined) throw new Error(`--rows: got ${wrong}; must be sizes as in 200k,1M,10M`);
  const unknown = values.only.find((part) => !isPart(part));
  if (unknown !== undefined) throw new Error(`--only: got ${unknown}; must be one of ${parts.join(', ')}`);
  if (!/^[1-9]\d{0,3}$/.test(values.runs))
    throw new Error(`--runs: got ${values.runs}; must be a number from 1`);
  return {
    sizes,
    dir: values.dir,
    parts: values.only.filter(isPart),
    runs: Number(values.runs),
    clean: values.clean,
  };
}

const isPart = (text: string): text is Part => (parts as readonly string[]).includes(text);
