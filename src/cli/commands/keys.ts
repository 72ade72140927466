import { Option } from 'commander';
import { type CliCommand, type CommandGroup, repeated } from '../command.ts';
import type { CreateOptions, RollOptions } from '../keys/manage-keys.ts';

const settings = ['API_KEYS_FILE', 'QUERIES_DIR'] as const;

const load = () => import('../keys/manage-keys.ts');

const create: CliCommand<CreateOptions> = {
  usage: 'create',
  description: 'add a key, and print it',
  settings,
  options: [
    new Option('--name <text>', 'whose key it is'),
    repeated('--tenant <name>', 'a tenant whose rows it may read; may be repeated'),
    repeated('--endpoint <name or UUID>', 'an endpoint that it may query; may be repeated'),
    repeated('--permission <name>', 'fresh, catalog, metrics or sql; may be repeated'),
    new Option('--expires <time>', 'when it expires: 90d, 2027-01-31T00:00:00Z, or never'),
    repeated('--allow <address or range>', 'from where it may be used; may be repeated'),
    new Option('--requests-per-minute <number>', 'its rate'),
    new Option('--concurrent-queries <number>', 'how many of its queries run at once'),
  ],
  async run({ flags, settings }) {
    await (await load()).createCommand(settings(), flags);
  },
};

const list: CliCommand = {
  usage: 'list',
  description: 'print all keys of the file, without their text',
  settings,
  async run({ settings }) {
    (await load()).listCommand(settings());
  },
};

const revoke: CliCommand = {
  usage: 'revoke <id>',
  description: 'make a key invalid from now on',
  settings,
  async run({ args: [id = ''], settings }) {
    await (await load()).revokeCommand(settings(), id);
  },
};

const roll: CliCommand<RollOptions> = {
  usage: 'roll <id>',
  description: 'add a key with the same permissions and limits, and let the old one expire',
  settings,
  options: [
    new Option('--overlap <time>', 'how long the old key remains valid').default('24h'),
    new Option('--expires <time>', 'when the new key expires: 90d, or 2027-01-31T00:00:00Z'),
  ],
  async run({ args: [id = ''], flags, settings }) {
    await (await load()).rollCommand(settings(), id, flags);
  },
};

export const keys: CommandGroup = {
  name: 'keys',
  description: 'manage the key file that API_KEYS_FILE names',
  commands: [create, list, revoke, roll],
};
