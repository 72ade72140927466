import { importAuthoring } from '../authoring.ts';
import type { CliCommand } from '../command.ts';

export const lsp: CliCommand = {
  usage: 'lsp',
  description: 'serve an editor by the Language Server Protocol, on standard input and output',
  settings: ['ENGINE', 'QUERIES_DIR'],
  isOfAuthors: true,
  async run({ config }) {
    const { engine, queriesDir } = config();
    const [{ serveEditor }, { loadEngine }] = await Promise.all([
      importAuthoring('lsp'),
      import('../../author/configured-engine.ts'),
    ]);
    // DuckDB itself is not needed for its dialect.
    const dialect = engine === 'duckdb' ? ({ sql: 'bigquery' } as const) : await loadEngine(config());
    if (process.stdin.isTTY) process.stderr.write('An editor starts this command; Ctrl+C ends it.\n');
    serveEditor({ input: process.stdin, output: process.stdout, queriesDir, dialect });
  },
};
