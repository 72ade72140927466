import { Option } from 'commander';
import type { NewOptions } from '../../author/new/new-query.ts';
import { type CliCommand, repeated } from '../command.ts';

export const newCommand: CliCommand<NewOptions> = {
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
  async run({ args: [name = '', file], flags, config }) {
    const { newQuery } = await import('../../author/new/new-query.ts');
    return newQuery(config(), name, file, flags);
  },
};
