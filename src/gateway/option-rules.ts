import {
  checkOptions,
  hasFunctions,
  isObject,
  type OptionRules,
  optionRule,
} from '../config/option-rules.ts';
import { checkPlugins } from './check-plugins.ts';
import type { CacheOptions, GatewayOptions } from './options.ts';

const isKeySource = (value: unknown) => typeof value === 'function' || hasFunctions(value, 'open');

const rules: OptionRules<GatewayOptions> = {
  queries: {
    is: (value) => optionRule.text.is(value) || hasFunctions(value, 'read'),
    must: 'the path of a folder, or an object with a function read',
    isRequired: true,
  },
  engine: {
    is: (value) => hasFunctions(value, 'open') && isObject(value) && typeof value.name === 'string',
    must: "an engine, as in duckdb({ dataDir: 'data' })",
    isRequired: true,
  },
  keys: {
    is: (value) => (Array.isArray(value) ? value.every(isKeySource) : isKeySource(value)),
    must: "a source of keys, as in keyFile('keys.yaml'), a function of the request, or a list of these",
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

/** @throws StartError with every option of a wrong name or kind */
export function checkGatewayOptions(options: unknown): void {
  checkOptions<GatewayOptions>('the gateway', options, rules);
  const { cache, plugins } = options as GatewayOptions;
  if (plugins !== undefined) checkPlugins(plugins);
  if (cache !== undefined) checkOptions<CacheOptions>('the gateway', cache, cacheRules, 'cache.');
}
