import { Option } from 'commander';
import type { TestOptions } from '../../author/test/test-queries.ts';
import type { CliCommand } from '../command.ts';

export const test: CliCommand<TestOptions> = {
  usage: 'test [name...]',
  description: 'run the tests of saved queries, by name or all',
  settings: ['ENGINE', 'QUERIES_DIR'],
  options: [
    new Option('--watch', 'run them again when a file of the queries folder changes'),
    new Option('--update', 'write the rows of failed tests into their files as the expected ones'),
    new Option('--junit <file>', "write the outcomes as JUnit's XML, too"),
  ],
  async run({ args, flags, config }) {
    const { testQueries } = await import('../../author/test/test-queries.ts');
    return testQueries(config(), args, flags);
  },
};
