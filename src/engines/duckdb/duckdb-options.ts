import { join } from 'node:path';
import { storeFileOf } from '@querygate/duckdb-import/store-file';
import { duckdbDefaults } from '../../config/duckdb-defaults.ts';
import { checkOptions, optionRule } from '../../config/option-rules.ts';
import { canStartChildren } from '../../process/start-child.ts';

/** The options of `duckdb`. */
export interface DuckdbOptions {
  /** The folder of data files; without it, the engine makes demo rows. */
  readonly dataDir?: string | undefined;
  /** The database of imported rows: a file, or `:memory:`. Without it, a hidden file in the data folder. */
  readonly storeFile?: string | undefined;
  /** The folder of the SQL that makes demo rows; without it, that of the shipped queries. */
  readonly demoDir?: string | undefined;
  /** A folder in which Parquet files of demo rows are kept for the next start; without it, each start makes them. */
  readonly demoCacheDir?: string | undefined;
  /** The interval at which the data folder is scanned: 5 seconds without it. */
  readonly refreshSeconds?: number | undefined;
  /** Older rows are deleted; all are kept without it. */
  readonly retentionDays?: number | undefined;
  /** The most memory that DuckDB uses, as in `512MB`: `1GB` without it. */
  readonly memoryLimit?: string | undefined;
  /** The folder of the files of DuckDB's extensions, which are loaded from nowhere else; none are loaded without it. */
  readonly extensionsDir?: string | undefined;
  /** How many threads run queries: as many as there are processors for this process without it. */
  readonly threads?: number | undefined;
  /**
   * True if DuckDB runs in a process of its own, and SQL of callers in further ones, in which a query that crashes or
   * does not end harms nothing else: true without it, except on Bun and Deno.
   */
  readonly isolate?: boolean | undefined;
  /** The limits for one text of SQL of a caller, which runs in a process of its own. */
  readonly sandbox?: Partial<SandboxLimits> | undefined;
}

/** The limits for one text of SQL of a caller. */
export interface SandboxLimits {
  /** Beyond what the process has without a text: 256 MB by default. */
  readonly memoryBytes: number;
  /** The rows that it reads, as Parquet, and as much again for what it spills: 256 MB by default. */
  readonly diskBytes: number;
  /** 10 seconds by default. */
  readonly processorMs: number;
}

/** Options with all defaults. */
export interface DuckdbSettings extends DuckdbOptions {
  readonly storeFile: string;
  readonly demoDir: string;
  readonly refreshSeconds: number;
  readonly memoryLimit: string;
  readonly threads: number;
  readonly isolate: boolean;
  readonly sandbox: SandboxLimits;
}

/** Of this package, wherever the process was started. */
const shippedDemo = join(import.meta.dirname, '../../../queries/demo');

export const withDefaults = (options: DuckdbOptions): DuckdbSettings => ({
  ...options,
  storeFile: options.storeFile ?? storeFileOf(options.dataDir),
  demoDir: options.demoDir ?? shippedDemo,
  refreshSeconds: options.refreshSeconds ?? duckdbDefaults.refreshSeconds,
  memoryLimit: options.memoryLimit ?? duckdbDefaults.memoryLimit,
  threads: options.threads ?? duckdbDefaults.threads,
  isolate: options.isolate ?? canStartChildren,
  sandbox: { ...duckdbDefaults.sandbox, ...options.sandbox },
});

/** @throws StartError with every option of a wrong name or kind */
export function checkDuckdbOptions(options: DuckdbOptions): void {
  const { text, number } = optionRule;
  checkOptions<DuckdbOptions>('duckdb', options, {
    dataDir: { is: text.is, must: 'the path of a folder' },
    storeFile: { is: text.is, must: 'the path of a file, or :memory:' },
    demoDir: { is: text.is, must: 'the path of a folder' },
    demoCacheDir: { is: text.is, must: 'the path of a folder' },
    refreshSeconds: number,
    retentionDays: number,
    memoryLimit: { is: text.is, must: 'a size, as in 512MB' },
    extensionsDir: { is: text.is, must: 'the path of a folder' },
    threads: number,
    isolate: optionRule.boolean,
    sandbox: optionRule.object,
  });
  const limits = { memoryBytes: number, diskBytes: number, processorMs: number };
  checkOptions<SandboxLimits>('duckdb', options.sandbox ?? {}, limits, 'sandbox.');
}
