import { Option } from 'commander';
import type { CliCommand } from '../command.ts';
import { defaultConfigFile } from '../settings/config-file.ts';

interface DevFlags {
  readonly demo?: boolean;
  readonly config?: string;
}

export const dev: CliCommand<DevFlags> = {
  usage: 'dev',
  description:
    'run the gateway, show problems of saved queries here, and restart it when the settings change',
  settings: [],
  options: [new Option('--demo', 'serve the queries and the data of the demo')],
  hasBadStart: true,
  async run({ flags, words, settings }) {
    const { demo = false, config = process.env.QUERYGATE_CONFIG || defaultConfigFile } = flags;
    const { chooseQueries } = await import('../choose-queries.ts');
    const loadSettings = async () => (await chooseQueries(settings(), { demo, isBare: false })).values;
    const { runDev } = await import('../../author/dev.ts');
    await runDev({ args: words, settings: await loadSettings(), loadSettings, configFile: config });
  },
};
