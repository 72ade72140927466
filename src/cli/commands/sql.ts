import { Option } from 'commander';
import type { SqlFlags } from '../../author/sql/options.ts';
import { sqlUsage } from '../../author/sql/usage.ts';
import { type CliCommand, repeated } from '../command.ts';

export const sql: CliCommand<SqlFlags> = {
  usage: 'sql [statement...]',
  description: 'run BigQuery SQL, statements or files of them, on the local data',
  settings: ['DATA_DIR', 'QUERIES_DIR'],
  options: [
    repeated('--file <file>', 'a file of statements; may be repeated'),
    repeated('-p, --parameter <name=value>', 'the value of @name, or name:TYPE=value; may be repeated'),
    new Option('--json', 'print one line of JSON for each statement, for programs'),
    new Option('--explain', "show DuckDB's SQL, and what each pass did, instead of running"),
    new Option('--timeout <duration>', 'the longest time of one statement').default('10s'),
    new Option('--max-rows <number>', 'how many rows are read; default: 100 in tables, all in JSON'),
  ],
  help: sqlUsage,
  hasBadStart: true,
  async run({ args, flags, settings }) {
    const { runSql } = await import('../../author/sql/run-sql.ts');
    return runSql(settings().values, args, flags);
  },
};
