import { Option } from 'commander';
import { importAuthoring } from '../authoring.ts';
import { type CliCommand, repeated } from '../command.ts';

export const newCommand: CliCommand = {
  usage: 'new <name> [file]',
  description: 'write a saved query from SQL in a file or on standard input',
  settings: ['ENGINE', 'QUERIES_DIR'],
  options: [
    new Option('--force', 'replace the file if it exists; its id and descriptions stay'),
    repeated(
      '--parameter <name>',
      'make a proposed literal this parameter, with the literal as its default; may be repeated; or all',
    ),
  ],
  isOfAuthors: true,
  async run({ args: [name = '', file], flags, config }) {
    const { newQuery } = await importAuthoring('new');
    const { openWorkspace } = await import('../../author/open-workspace.ts');
    return newQuery(await openWorkspace(config()), name, file, flags);
  },
};
