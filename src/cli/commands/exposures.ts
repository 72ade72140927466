import { Option } from 'commander';
import { importAuthoring } from '../authoring.ts';
import type { CliCommand } from '../command.ts';

export const exposures: CliCommand = {
  usage: 'exposures [manifest]',
  description:
    'print the saved queries that read a dbt project as its exposures; the manifest is target/manifest.json without another one',
  settings: ['QUERIES_DIR'],
  options: [
    new Option('--owner <name>', 'who answers for them: a name, or an address of mail').default('Querygate'),
    new Option('--url <url>', 'the address of the gateway, with which their URLs begin'),
  ],
  isOfAuthors: true,
  async run({ args: [manifest = 'target/manifest.json'], flags, config }) {
    const { printExposures } = await importAuthoring('exposures');
    printExposures(config().queriesDir, manifest, flags);
  },
};
