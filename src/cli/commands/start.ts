import { Option } from 'commander';
import { settingNames } from '../../config/settings.ts';
import type { CliCommand } from '../command.ts';
import { defaultConfigFile } from '../settings/config-file.ts';

interface StartFlags {
  readonly demo?: boolean;
  readonly showSource?: boolean;
}

export const start: CliCommand<StartFlags> = {
  usage: 'start',
  description: 'run the gateway',
  settings: settingNames,
  options: [
    new Option('--demo', 'serve the queries and the data of the demo'),
    new Option('--show-source', 'how dev shows problems').hideHelp(),
  ],
  help: `\nAn option has precedence over the variable of the environment, this over the key in ${defaultConfigFile}:\n--data-dir, DATA_DIR and data_dir are the same setting.`,
  hasBadStart: true,
  async run({ flags: { demo = false, showSource = false }, isBare, settings }) {
    const { chooseQueries } = await import('../choose-queries.ts');
    const chosen = await chooseQueries(settings(), { demo, isBare });
    await (await import('../start/start.ts')).start(chosen, { showsSource: showSource });
  },
};
