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

const importCommand: CliCommand<{ readonly force?: boolean }> = {
  usage: 'import <source> <file>',
  description:
    'write the tables and models of a project as files of the queries folder; the source is dbt, the file the target/manifest.json of dbt compile',
  settings: ['ENGINE', 'QUERIES_DIR'],
  options: [new Option('--force', 'replace files that were written or changed by hand')],
  async run({ args: [source, file = ''], flags, config }) {
    if (source !== 'dbt') {
      const { commandError } = await import('../../author/arguments.ts');
      throw commandError(`got the source ${JSON.stringify(source)}; must be dbt`);
    }
    const { importManifest } = await importAuthoring('import-dbt');
    const { openWorkspace } = await import('../../author/open-workspace.ts');
    importManifest(await openWorkspace(config()), file, flags);
  },
};

interface ConvertFlags {
  readonly to?: string;
  readonly removeSources?: boolean;
}

const convert: CliCommand<ConvertFlags> = {
  usage: 'convert <table>',
  description:
    "make Parquet files, one for each day and sorted by tenant and time, of a table's files in DATA_DIR; if interrupted, the same command goes on",
  settings: ['QUERIES_DIR', 'DATA_DIR', 'DUCKDB_MEMORY_LIMIT'],
  options: [
    new Option('--to <folder>', 'where <table>/<day>.parquet are made'),
    new Option(
      '--remove-sources',
      'remove sources with all values in new files, times in microseconds, FLOAT in 64 bits; stop writers first',
    ),
  ],
  async run({ args: [name = ''], flags: { to, removeSources = false }, config }) {
    const { convertFiles } = await import('../../engines/duckdb/convert-files.ts');
    await convertFiles(config(), name, to, removeSources);
  },
};

export const tables: CommandGroup = {
  name: 'tables',
  isOfAuthors: true,
  description: 'manage the tables that saved queries read',
  commands: [add, importCommand, convert],
};
