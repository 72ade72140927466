import { Option } from 'commander';
import { importAuthoring } from '../authoring.ts';
import type { CliCommand } from '../command.ts';

export const diff: CliCommand = {
  usage: 'diff <ref>',
  description: 'compare the saved queries with those of a git commit, and say what changes for callers',
  settings: ['ENGINE', 'QUERIES_DIR'],
  options: [
    new Option('--fail-on <level>', 'with which changes it fails')
      .choices(['breaking', 'dangerous', 'never'])
      .default('breaking'),
    new Option('--max-bytes-ratio <number>', 'how many times as many bytes a query may read on BigQuery'),
    new Option(
      '--maximum-usd-per-month <number>',
      'the most that a changed query may cost a month on BigQuery',
    ),
    new Option('--tenants <number>', 'for how many tenants what queries cost is forecast'),
    new Option('--json', 'print JSON'),
    new Option('--github', 'print changes that are not safe as annotations of GitHub Actions, too'),
  ],
  hasBadStart: true,
  isOfAuthors: true,
  async run({ args: [ref = ''], flags, config }) {
    const { diffQueries } = await importAuthoring('diff');
    const { openWorkspace } = await import('../../author/open-workspace.ts');
    return diffQueries(await openWorkspace(config()), ref, flags);
  },
};
