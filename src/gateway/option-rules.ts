import {
  checkOptions,
  hasFunctions,
  isObject,
  kindOf,
  type OptionRules,
  optionRule,
} from '../config/option-rules.ts';
import type { EngineFactory } from '../engine-contract/engine-factory.ts';
import { formOfMaker } from '../keys/key-source.ts';
import { checkPlugins } from './plugin-checks/check-plugins.ts';
import type { CacheOptions, GatewayOptions } from './options.ts';

const isKeySource = (value: unknown) => typeof value === 'function' || hasFunctions(value, 'open');

const keySource =
  "a source of keys, as in keyFile('keys.yaml'), a function of the request, or a list of these";

/** The first entry of a list that is not a source, or a function that only makes one. */
function keysProblem(value: unknown): string | undefined {
  const form = formOfMaker(value);
  if (form !== undefined)
    return `is the function that makes a source, and must be what it makes, as in ${form}`;
  if (isKeySource(value)) return undefined;
  if (!Array.isArray(value)) return `${kindOf(value)}; must be ${keySource}`;
  for (const [at, entry] of value.entries()) {
    const problem = Array.isArray(entry) ? 'is a list; must be a source itself' : keysProblem(entry);
    if (problem !== undefined) return `entry ${at + 1} ${problem}`;
  }
  return undefined;
}

const rules: OptionRules<GatewayOptions> = {
  queries: {
    is: (value) => optionRule.text.is(value) || hasFunctions(value, 'read'),
    must: 'the path of a folder, or an object with a function read',
    isRequired: true,
  },
  engine: {
    is: (value) => hasFunctions(value, 'open') && isObject(value) && typeof value.name === 'string',
    must: "an engine, as in duckdb({ dataDir: 'data' })",
    problemOf: (value) =>
      ['bigquery', 'native'].includes((value as EngineFactory).sql)
        ? undefined
        : "its sql must be 'bigquery' or 'native'",
    isRequired: true,
  },
  keys: {
    is: (value) => Array.isArray(value) || isKeySource(value),
    must: keySource,
    problemOf: keysProblem,
    isRequired: true,
  },
  cache: optionRule.object,
  plugins: { is: Array.isArray, must: 'a list of plug-ins, as in [metrics()]' },
  reload: optionRule.boolean,
  hideEndpoints: {
    is: (value) => ['tenants', 'all', 'off'].includes(value as string),
    must: "'tenants', 'all' or 'off'",
  },
  introspection: optionRule.boolean,
  trustedDocuments: optionRule.text,
  trustedProxies: optionRule.texts,
  corsOrigins: optionRule.origins,
  basePath: { is: (value) => typeof value === 'string', must: 'a path, as in /warehouse' },
  engineConcurrency: optionRule.number,
  engineQueueLength: optionRule.number,
  engineTimeoutMs: optionRule.number,
  log: optionRule.log,
  writeLine: optionRule.function,
  tracer: { is: (value) => hasFunctions(value, 'startRequest', 'close'), must: 'a tracer' },
  now: optionRule.function,
  after: optionRule.function,
  onProgress: optionRule.function,
  onFiles: optionRule.function,
  onUnusable: optionRule.function,
};

const cacheRules: OptionRules<CacheOptions> = {
  memoryBytes: optionRule.number,
  shared: {
    is: (value) => hasFunctions(value, 'openCache', 'openRates'),
    must: 'what gateways share, as in redis({ url })',
  },
};

/**
 * The options by themselves: they may be getters of a class, which a spread leaves out.
 *
 * @throws StartError with every option of a wrong name or kind
 */
export function checkedGatewayOptions(options: GatewayOptions): GatewayOptions {
  checkOptions<GatewayOptions>('the gateway', options, rules);
  const { cache, plugins } = options;
  if (plugins !== undefined) checkPlugins(plugins);
  if (cache !== undefined) checkOptions<CacheOptions>('the gateway', cache, cacheRules, 'cache.');
  const names = Object.keys(rules) as (keyof GatewayOptions)[];
  const given = names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]]));
  return Object.fromEntries(given) as GatewayOptions;
}
