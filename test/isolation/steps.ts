import fc from 'fast-check';
import type { Caller, Callers } from './callers.ts';
import { type Endpoint, endpoints } from './endpoints.ts';
import { change } from './tenant-names.ts';
import type { World } from './world.ts';

/** One thing that happens to the gateways. Numbers are indexes, of as many things as there are. */
export type Step = RestStep | GraphqlStep | McpStep | RedisStep;

/** The text that a caller sends as the tenant. */
type Value =
  | { readonly of: 'caller'; readonly at: number }
  | { readonly of: 'world'; readonly at: number }
  | { readonly of: 'change'; readonly at: number; readonly how: number }
  | { readonly of: 'text'; readonly text: string };

interface Asked {
  readonly endpoint: number;
  readonly value: Value;
  /** Picks the other parameters' values. */
  readonly others: number;
}

interface Common {
  readonly gateway: number;
  readonly caller: number;
  readonly coding: (typeof codings)[number];
  /** What If-None-Match names: nothing, the question's own tag, another one, all that were ever sent, or any. */
  readonly tag: 'none' | 'own' | 'all' | 'any' | number;
}

export interface RestStep extends Common, Asked {
  readonly door: 'REST';
  readonly method: 'GET' | 'HEAD';
  readonly address: 'name' | 'id' | 'upper case' | 'encoded' | 'slash' | 'dots';
  readonly spelling: (typeof spellings)[number];
  /** More in the query string. */
  readonly more: (typeof extras)[number];
  readonly second: Value;
}

export interface GraphqlStep extends Common {
  readonly door: 'GraphQL';
  readonly method: 'POST' | 'GET';
  readonly fields: readonly (Asked & { readonly how: 'literal' | 'variable' | 'default' })[];
  readonly shape: 'plain' | 'fragment' | 'inline fragment' | 'two operations' | 'skipped' | 'batch';
}

export interface McpStep extends Pick<Common, 'gateway' | 'caller'>, Asked {
  readonly door: 'MCP';
  readonly how: 'tool' | 'resource' | 'sql';
  readonly era: 'modern' | 'legacy';
  /** Which part of the rows, of a query that has row arguments or pages. */
  readonly part: 'all' | 'filtered' | 'counted' | 'page' | 'after a cursor';
  /** Whether the tenant is left to the gateway. */
  readonly isLeftOut: boolean;
  /** Picks the SQL. */
  readonly sql: number;
  readonly second: Value;
}

export interface RedisStep {
  readonly door: 'Redis';
  readonly how: 'copy' | 'rotate' | 'swap' | 'cut' | 'junk' | 'delete';
  readonly from: number;
  readonly to: number;
}

const codings = ['', 'gzip', 'zstd', 'br, gzip;q=0.5', 'identity', '*'] as const;

const spellings = ['plain', 'all encoded', 'plus', 'twice'] as const;

const extras = [
  'nothing',
  'repeated',
  'repeated before',
  'repeated the same',
  'brackets',
  'index',
  'upper case',
  'semicolon',
  'space',
  'unknown',
  'fragment',
] as const;

const value: fc.Arbitrary<Value> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ of: fc.constant('caller'), at: fc.nat() }) },
  { weight: 4, arbitrary: fc.record({ of: fc.constant('world'), at: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ of: fc.constant('change'), at: fc.nat(), how: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      of: fc.constant('text'),
      text: fc.oneof(
        fc.constantFrom('', 'y'.repeat(5_000), '\0'),
        fc.string({ unit: 'binary', maxLength: 12 }),
      ),
    }),
  },
) as fc.Arbitrary<Value>;

const asked = { endpoint: fc.nat(), value, others: fc.nat(2) };

const common = {
  gateway: fc.nat(2),
  caller: fc.nat(),
  coding: fc.constantFrom(...codings),
  tag: fc.oneof(
    { weight: 6, arbitrary: fc.constant('none' as const) },
    { weight: 2, arbitrary: fc.constant('own' as const) },
    { weight: 2, arbitrary: fc.nat() },
    { weight: 1, arbitrary: fc.constantFrom('all' as const, 'any' as const) },
  ),
};

const restStep: fc.Arbitrary<RestStep> = fc.record({
  door: fc.constant('REST'),
  ...common,
  ...asked,
  method: fc.oneof(
    { weight: 5, arbitrary: fc.constant('GET') },
    { weight: 1, arbitrary: fc.constant('HEAD') },
  ),
  address: fc.oneof(
    { weight: 6, arbitrary: fc.constant('name') },
    { weight: 2, arbitrary: fc.constant('id') },
    { weight: 1, arbitrary: fc.constantFrom('upper case', 'encoded', 'slash', 'dots') },
  ),
  spelling: fc.constantFrom(...spellings),
  more: fc.oneof(
    { weight: 6, arbitrary: fc.constant('nothing') },
    { weight: 4, arbitrary: fc.constantFrom(...extras) },
  ),
  second: value,
}) as fc.Arbitrary<RestStep>;

const graphqlStep: fc.Arbitrary<GraphqlStep> = fc.record({
  door: fc.constant('GraphQL'),
  ...common,
  method: fc.constantFrom('POST', 'GET'),
  fields: fc.array(fc.record({ ...asked, how: fc.constantFrom('literal', 'variable', 'default') }), {
    minLength: 1,
    maxLength: 4,
  }),
  shape: fc.oneof(
    { weight: 4, arbitrary: fc.constant('plain') },
    {
      weight: 4,
      arbitrary: fc.constantFrom('fragment', 'inline fragment', 'two operations', 'skipped', 'batch'),
    },
  ),
}) as fc.Arbitrary<GraphqlStep>;

const mcpStep: fc.Arbitrary<McpStep> = fc.record({
  door: fc.constant('MCP'),
  gateway: fc.nat(2),
  caller: fc.nat(),
  ...asked,
  how: fc.constantFrom('tool', 'tool', 'resource', 'sql'),
  era: fc.constantFrom('modern', 'legacy'),
  part: fc.constantFrom('all', 'all', 'all', 'filtered', 'counted', 'page', 'after a cursor'),
  isLeftOut: fc.boolean(),
  sql: fc.nat(),
  second: value,
}) as fc.Arbitrary<McpStep>;

const redisStep: fc.Arbitrary<RedisStep> = fc.record({
  door: fc.constant('Redis'),
  how: fc.constantFrom('copy', 'rotate', 'rotate', 'swap', 'cut', 'junk', 'delete'),
  from: fc.nat(),
  to: fc.nat(),
}) as fc.Arbitrary<RedisStep>;

const mixed = fc.record({
  isTogether: fc.boolean(),
  steps: fc.array(
    fc.oneof(
      { weight: 10, arbitrary: restStep },
      { weight: 6, arbitrary: graphqlStep },
      { weight: 6, arbitrary: mcpStep },
      { weight: 1, arbitrary: redisStep },
    ),
    { maxLength: 12 },
  ),
});

/** Callers who want rows of one query at once, each those of a tenant of its own, so that one run is for many of them. */
const burst = fc
  .record({ endpoint: fc.nat(), others: fc.nat(10), gateway: fc.nat(2), caller: fc.nat(), value: fc.nat() })
  .map(({ caller, value: of, ...asked }) => ({
    isTogether: true,
    steps: Array.from(
      { length: 20 },
      (_, at): RestStep => ({
        ...{ door: 'REST', method: 'GET', address: 'name', spelling: 'plain', more: 'nothing' },
        ...{ coding: '', tag: 'none', ...asked, caller: caller + at },
        value: { of: 'caller', at: of + at },
        second: { of: 'caller', at: 0 },
      }),
    ),
  }));

/** Some steps, at once or one after the other. */
export const visits: fc.Arbitrary<{ readonly isTogether: boolean; readonly steps: readonly Step[] }> =
  fc.oneof({ weight: 12, arbitrary: mixed }, { weight: 1, arbitrary: burst });

export function callerOf({ all }: Callers, at: number): Caller {
  return pick(all, at);
}

export function endpointOf(at: number): Endpoint {
  return pick(endpoints, at);
}

/** The text of a value, for this caller. */
export function textOf(choice: Value, { tenants }: World, caller: Caller): string {
  const own = caller.tenants ?? tenants;
  switch (choice.of) {
    case 'caller':
      return pick(own, choice.at);
    case 'world':
      return pick(tenants, choice.at);
    case 'change':
      return change(pick(choice.at % 2 === 0 ? own : tenants, choice.at), choice.how);
    default:
      return choice.text;
  }
}

/** The values of an endpoint's other parameters; all enums have one. */
export function othersOf(endpoint: Endpoint, at: number): readonly (readonly [string, string])[] {
  return Object.entries(endpoint.others).map(([name, values], index) => [
    name,
    pick(values, at + index * at),
  ]);
}

export function pick<T>(from: readonly T[], at: number): T {
  return from[at % from.length] as T;
}
