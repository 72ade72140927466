import { Option } from 'commander';
import { importAuthoring } from '../authoring.ts';
import type { CliCommand } from '../command.ts';

export const test: CliCommand = {
  usage: 'test [name...]',
  description: 'run the tests of saved queries, and checks, by name or all',
  settings: ['ENGINE', 'DATA_DIR', 'QUERIES_DIR'],
  options: [
    new Option('--watch', 'run them again when a file of the queries folder changes'),
    new Option('--update', 'write the rows of failed tests into their files as the expected ones'),
    new Option('--junit <file>', "write the outcomes as JUnit's XML, too"),
  ],
  isOfAuthors: true,
  async run({ args, flags, config }) {
    const { testQueries } = await importAuthoring('test');
    const { openWorkspace } = await import('../../author/open-workspace.ts');
    return testQueries(await openWorkspace(config()), args, flags);
  },
};
