import { Option } from 'commander';
import { importAuthoring } from '../authoring.ts';
import type { CliCommand, CommandGroup } from '../command.ts';

const add: CliCommand<{ readonly force?: boolean }> = {
  usage: 'add <name> [file...]',
  description:
    "write the schema file of a table, from a data file (NDJSON, JSON, CSV, Parquet), or from what bq show --schema --format=prettyjson prints, in a file or on standard input; of a table for each file, if the name ends in *, as in 'events_*'",
  settings: ['QUERIES_DIR'],
  options: [new Option('--force', 'replace the file if it exists')],
  async run({ args: [name = '', ...files], flags, config }) {
    const { addTable } = await importAuthoring('tables');
    const { queriesDir, duckdb } = config();
    await addTable({ queriesDir, duckdb }, name, files, flags);
  },
};

export const tables: CommandGroup = {
  name: 'tables',
  isOfAuthors: true,
  description: 'manage the tables that saved queries read',
  commands: [add],
};
