import { analyzed } from '../../../../test/support/engine-host.ts';
import { describe, expect, test, vi } from 'vitest';
import { parseCatalog } from 'querygate/catalog';
import type { Catalog } from 'querygate';
import { change } from '../../src/diff/change.ts';
import { compareCatalogs } from '../../src/diff/compare-catalogs.ts';
import { type Kind, rules } from '../../src/diff/verdicts.ts';
import { verdictsOf as allVerdictsOf, asFiles, compareFolders } from '../support/compare-folders.ts';

const kindsFound = new Set<string>();

function verdictsOf(diff: Parameters<typeof allVerdictsOf>[0]): readonly string[] {
  for (const { changes } of diff.endpoints) for (const { kind } of changes) kindsFound.add(kind);
  return allVerdictsOf(diff);
}

const id = '11111111-2222-4333-8444-555555555555';
const otherId = '11111111-2222-4333-8444-666666666666';

const query = `/*---
id: ${id}
aliases: [a.second]
description: a query of the tests
max_rows: 100
caching: 900s
cache_warming: 300s
stale_if_error: 1000s
labels: [team]
parameters:
  project: { type: string, required: true, tenant: true, description: the tenant, example: p }
  text: { type: string, description: a text }
  count: { type: integer, description: a count, default: 5 }
  rate: { type: float, description: a rate }
  like: { type: pattern, description: a pattern }
  since: { type: timestamp, description: a time }
  interval:
    type: enum
    enum: Interval
    description: a time
    default: 1day
    unknown: refuse
    values:
      1hr: { name: ONE_HOUR, also: [60min], description: an hour }
      1day: { name: ONE_DAY, description: a day }
columns:
  n: { type: integer, required: true, unit: ms, description: a number }
  f: { type: float, description: a float }
  s: { type: string, description: a text }
  t: { type: timestamp, description: a time }
  tags: { type: string, repeated: true, description: texts }
prometheus:
  labels: [s]
  metrics:
    things: { column: n }
---*/
WITH lines AS (SELECT status AS n, rate AS f, name AS s, seen AS t, [name] AS tags FROM events WHERE project = @project)
SELECT * FROM lines -- all
WHERE @text != @count AND @rate != @like AND @since != @interval
`;

const sandbox = 'query_sandboxing: enabled\nlabels: [team]';

const table = JSON.stringify([
  { name: 'project', type: 'STRING' },
  { name: 'status', type: 'INT64' },
  { name: 'rate', type: 'FLOAT64' },
  { name: 'name', type: 'STRING' },
  { name: 'seen', type: 'TIMESTAMP' },
  { name: 'unused', type: 'STRING' },
]);

const files = { 'a.first.sql': query, 'tables/events.json': table };

type Edit = readonly [from: string, to: string];

const federation =
  'federation: { extends: Project, key: { ref: project }, field: usage, references: { thing: { entity: Thing, key: { id: n } } } }';

const marks = 'filter: true, order: true, ';

/** Callers filter and order by these columns. */
const inRowArguments = (...columns: readonly string[]): readonly Edit[] =>
  columns.map((column) => [`  ${column}: { type`, `  ${column}: { ${marks}type`]);

const allRowArguments: Edit = ['labels: [team]', 'row_arguments: all\nlabels: [team]'];
const ordered: Edit = ['@interval\n', '@interval\nORDER BY n\n'];
const pages: Edit = ['labels: [team]', 'page: { by: [n] }\nlabels: [team]'];
const push: Edit = ['labels: [team]', 'push: true\nlabels: [team]'];

const undo = ([from, to]: Edit): Edit => [to, from];

const inGraph: readonly Edit[] = [['labels: [team]', `labels: [team]\n${federation}`]];

function edited(text: string, edits: readonly Edit[]): string {
  return edits.reduce((result, [from, to]) => {
    if (!result.includes(from)) throw new Error(`the query has no ${from}`);
    return result.replace(from, () => to);
  }, text);
}

/** Each row: what the header or the SQL was edited from and to, and the verdicts for REST and GraphQL. */
const prepared: readonly (readonly [
  name: string,
  edits: readonly Edit[],
  verdicts: readonly string[],
  first?: readonly Edit[],
])[] = [
  [
    'a column dropped',
    [['  f: { type: float, description: a float }\n', '']],
    ['column-removed breaking/breaking'],
  ],
  [
    'a column added',
    [['prometheus:', '  z: { type: string, description: new }\nprometheus:']],
    ['column-added safe/safe'],
  ],
  [
    'a column added before others',
    [['columns:\n', 'columns:\n  z: { type: string, description: new }\n']],
    ['column-order dangerous/safe', 'column-added safe/safe'],
  ],
  [
    'columns in another order',
    [
      ['  f: { type: float, description: a float }\n', ''],
      ['columns:\n', 'columns:\n  f: { type: float, description: a float }\n'],
    ],
    ['column-order dangerous/safe'],
  ],
  [
    'a column renamed',
    [
      ['  s: {', '  z: {'],
      ['[s]', '[z]'],
    ],
    ['column-removed breaking/breaking', 'metric-changed dangerous/safe', 'column-added safe/safe'],
  ],
  ['a type widened', [['n: { type: integer', 'n: { type: float']], ['column-widened dangerous/dangerous']],
  [
    'a type narrowed',
    [['f: { type: float, description: a float', 'f: { type: integer, description: a float']],
    ['column-narrowed dangerous/safe'],
  ],
  ['a text with a form', [['s: { type: string', 's: { type: date']], ['column-text dangerous/dangerous']],
  [
    'a timestamp as text',
    [
      [
        't: { type: timestamp, description: a time }\n  tags',
        't: { type: string, description: a time }\n  tags',
      ],
    ],
    ['column-wire breaking/dangerous'],
  ],
  [
    'a timestamp as a datetime',
    [
      [
        't: { type: timestamp, description: a time }\n  tags',
        't: { type: datetime, description: a time }\n  tags',
      ],
    ],
    ['column-type breaking/breaking'],
  ],
  ['a number as text', [['n: { type: integer', 'n: { type: numeric']], ['column-type breaking/breaking']],
  ['one value instead of a list', [['repeated: true, ', '']], ['column-type breaking/breaking']],
  [
    'a column that may be NULL',
    [['integer, required: true', 'integer']],
    ['column-nullable breaking/breaking'],
  ],
  [
    'a column that is never NULL',
    [['s: { type: string', 's: { type: string, required: true']],
    ['column-required safe/safe'],
  ],
  ['another unit', [['unit: ms', 'unit: s']], ['column-unit dangerous/dangerous']],
  [
    'a unit that was not stated',
    [['float, description: a float', 'float, unit: ms, description: a float']],
    ['description safe/safe'],
  ],

  ['row arguments', [allRowArguments], ['row-arguments-added safe/safe']],
  [
    'no row arguments any more',
    [undo(allRowArguments)],
    ['row-arguments-removed breaking/breaking'],
    [allRowArguments],
  ],
  [
    'a column for row arguments',
    inRowArguments('s'),
    ['filter-added safe/safe', 'order-added safe/safe', 'aggregate-added safe/safe'],
    inRowArguments('n'),
  ],
  [
    'a column that is no longer for row arguments',
    inRowArguments('s').map(undo),
    [
      'filter-removed breaking/breaking',
      'order-removed breaking/breaking',
      'aggregate-removed breaking/breaking',
    ],
    inRowArguments('n', 's'),
  ],
  [
    'a column that is only ordered by',
    [['s: { filter: true, ', 's: { ']],
    ['filter-removed breaking/breaking'],
    inRowArguments('s'),
  ],
  [
    'a column added for row arguments',
    [['prometheus:', '  z: { type: string, filter: true, description: new }\nprometheus:']],
    ['column-added safe/safe'],
    inRowArguments('s'),
  ],
  [
    'a column removed that was for row arguments',
    [['  f: { filter: true, order: true, type: float, description: a float }\n', '']],
    ['column-removed breaking/breaking'],
    inRowArguments('f', 's'),
  ],
  [
    'a filter of a wider type',
    [['type: integer, required: true, unit', 'type: float, required: true, unit']],
    ['filter-type-widened safe/breaking', 'column-widened dangerous/dangerous'],
    inRowArguments('n'),
  ],
  [
    'a filter of a type that refuses former values',
    [['type: float, description: a float', 'type: integer, description: a float']],
    ['filter-type-changed breaking/breaking', 'column-narrowed dangerous/safe'],
    inRowArguments('f'),
  ],
  [
    'a filter of texts, of which there are no sums',
    [['type: numeric, description: a text }\n  t', 'type: string, description: a text }\n  t']],
    [
      'aggregate-removed breaking/breaking',
      'filter-type-text dangerous/breaking',
      'column-text dangerous/dangerous',
    ],
    [['labels: [s]', 'labels: []'], ['  s: { type: string', '  s: { type: numeric'], ...inRowArguments('s')],
  ],
  ['row arguments over all rows', [push], ['push-added safe/safe'], inRowArguments('n')],
  [
    'row arguments over the rows of a result',
    [undo(push)],
    ['push-removed dangerous/dangerous'],
    [...inRowArguments('n'), push],
  ],
  [
    'a parameter that takes the name of a condition',
    [
      ['columns:', '  n: { type: string, description: more }\ncolumns:'],
      ['@text !=', '@n != @text AND @text !='],
    ],
    ['row-argument-hidden breaking/safe', 'sql-changed dangerous/dangerous', 'parameter-added safe/safe'],
    inRowArguments('n'),
  ],
  [
    'parameters that take the names of words of row arguments',
    [
      [
        'columns:',
        `  limit: { type: string, description: more }
  order: { type: string, description: more }
  or: { type: string, description: more }
  f: { type: string, description: more }
columns:`,
      ],
      ['@text !=', '@limit || @order || @or || @f != @text AND @text !='],
    ],
    [
      'row-argument-hidden breaking/safe',
      'row-argument-hidden breaking/safe',
      'sql-changed dangerous/dangerous',
      ...['parameter-added safe/safe', 'parameter-added safe/safe'],
      ...['parameter-added safe/safe', 'parameter-added safe/safe'],
    ],
    [['  n: { type', '  n: { filter: true, type']],
  ],
  ['pages', [pages], ['pages-added safe/safe'], [ordered]],
  ['no pages any more', [undo(pages)], ['pages-removed dangerous/breaking'], [ordered, pages]],

  [
    'an optional parameter',
    [
      ['columns:', '  more: { type: string, description: more }\ncolumns:'],
      ['@text !=', '@more != @text AND @text !='],
    ],
    ['sql-changed dangerous/dangerous', 'parameter-added safe/safe'],
  ],
  [
    'a required parameter',
    [
      ['columns:', '  more: { type: string, required: true, description: more }\ncolumns:'],
      ['@text !=', '@more != @text AND @text !='],
    ],
    ['parameter-added-required breaking/breaking', 'sql-changed dangerous/dangerous'],
  ],
  [
    'a parameter removed',
    [
      ['  text: { type: string, description: a text }\n', ''],
      ['@text !=', "'' !="],
    ],
    ['parameter-removed dangerous/breaking', 'sql-changed dangerous/dangerous'],
  ],
  [
    'a parameter that became required',
    [['text: { type: string', 'text: { type: string, required: true']],
    ['parameter-required breaking/breaking'],
  ],
  [
    'a parameter that became optional',
    [['string, required: true, tenant', 'string, tenant']],
    ['parameter-optional safe/safe'],
  ],
  ['a default changed', [['default: 5', 'default: 6']], ['parameter-default dangerous/dangerous']],
  [
    'a default of an enum changed',
    [['default: 1day', 'default: 1hr']],
    ['parameter-default dangerous/dangerous'],
  ],
  ['a default removed', [[', default: 5', '']], ['parameter-default dangerous/dangerous']],
  [
    'a default added',
    [['float, description: a rate', 'float, default: 1, description: a rate']],
    ['parameter-default dangerous/dangerous'],
  ],
  [
    'a parameter widened',
    [['count: { type: integer', 'count: { type: float']],
    ['parameter-type-widened safe/breaking'],
  ],
  [
    'a parameter narrowed',
    [['rate: { type: float', 'rate: { type: integer']],
    ['parameter-type-changed breaking/breaking'],
  ],
  [
    'a pattern instead of a text',
    [['text: { type: string', 'text: { type: pattern']],
    ['parameter-type-changed breaking/breaking'],
  ],
  [
    'a text instead of a pattern',
    [['like: { type: pattern', 'like: { type: string']],
    ['parameter-pattern-literal dangerous/dangerous'],
  ],
  [
    'a list instead of one value',
    [['text: { type: string', 'text: { type: string, repeated: true']],
    ['parameter-list safe/breaking'],
  ],
  [
    'one value instead of a parameter list',
    [['text: { type: string, repeated: true', 'text: { type: string']],
    ['parameter-single breaking/breaking'],
    [['text: { type: string', 'text: { type: string, repeated: true']],
  ],
  ['a bound', [['default: 5', 'default: 5, max: 9']], ['parameter-tightened breaking/breaking']],
  [
    'bounds that allow less',
    [['min: 1, max: 10', 'min: 2, max: 9']],
    ['parameter-tightened breaking/breaking', 'parameter-tightened breaking/breaking'],
    [['default: 5', 'default: 5, min: 1, max: 10']],
  ],
  [
    'bounds that allow more',
    [['min: 1, max: 10', 'max: 100']],
    ['parameter-loosened safe/safe', 'parameter-loosened safe/safe'],
    [['default: 5', 'default: 5, min: 1, max: 10']],
  ],
  [
    'a relative bound that allows more',
    [['min: -7d', 'min: -4w']],
    ['parameter-loosened safe/safe'],
    [['since: { type: timestamp', 'since: { type: timestamp, min: -7d']],
  ],
  [
    'a shorter text',
    [['max_length: 9', 'max_length: 8']],
    ['parameter-tightened breaking/breaking'],
    [['text: { type: string', 'text: { type: string, max_length: 9']],
  ],
  [
    'another pattern of a text',
    [["'^a'", "'^b'"]],
    ['parameter-tightened breaking/breaking'],
    [['text: { type: string', "text: { type: string, pattern: '^a'"]],
  ],
  [
    'more values of a list',
    [['max_items: 5', 'max_items: 6']],
    ['parameter-loosened safe/safe'],
    [['text: { type: string', 'text: { type: string, repeated: true, max_items: 5']],
  ],
  [
    'fewer values of a list than by default',
    [['repeated: true', 'repeated: true, max_items: 5']],
    ['parameter-tightened breaking/breaking'],
    [['text: { type: string', 'text: { type: string, repeated: true']],
  ],
  [
    'an exact decimal instead of a float',
    [['bind: FLOAT64', 'bind: NUMERIC']],
    ['parameter-tightened breaking/breaking', 'parameter-bind dangerous/dangerous'],
    [['rate: { type: float', 'rate: { type: float, bind: FLOAT64']],
  ],
  [
    'an exact decimal of more digits',
    [['bind: NUMERIC', 'bind: BIGNUMERIC']],
    ['parameter-bind dangerous/dangerous'],
    [['rate: { type: float', 'rate: { type: float, bind: NUMERIC']],
  ],
  [
    'another type in the SQL',
    [['count: { type: integer', 'count: { type: integer, bind: INT64']],
    ['parameter-bind dangerous/dangerous'],
  ],
  [
    'a date that may have a time',
    [['since: { type: date,', 'since: { type: timestamp,']],
    ['parameter-type-text dangerous/breaking'],
    [['since: { type: timestamp', 'since: { type: date']],
  ],
  [
    'an integer as text',
    [['count: { type: integer', 'count: { type: string']],
    ['parameter-type-text dangerous/breaking'],
  ],
  [
    'a long default that differs at its end',
    [['x!', 'y!']],
    ['parameter-default dangerous/dangerous'],
    [['text: { type: string', `text: { type: string, default: ${'x'.repeat(100)}!`]],
  ],
  [
    'a relative default in another unit',
    [['default: -7d', 'default: -1w']],
    [],
    [['since: { type: timestamp', 'since: { type: timestamp, default: -7d']],
  ],
  [
    'limits in another spelling',
    [
      ['min: -7d, max: 24h', 'min: -1w, max: 1d'],
      ['min: 5', "min: '05'"],
    ],
    [],
    [
      ['since: { type: timestamp', 'since: { type: timestamp, min: -7d, max: 24h'],
      ['count: { type: integer', 'count: { type: integer, min: 5'],
    ],
  ],
  [
    'a relative default that becomes a fixed one',
    [['default: 0d', "default: '1970-01-01T00:00:00Z'"]],
    ['parameter-default dangerous/dangerous'],
    [['since: { type: timestamp', 'since: { type: timestamp, default: 0d']],
  ],
  [
    'the longest text that any may be',
    [['text: { type: string', 'text: { type: string, max_length: 4096']],
    [],
  ],
  ['a default in another spelling', [["default: '05'", 'default: 5']], [], [['default: 5', "default: '05'"]]],
  [
    'a relative maximum that becomes a fixed one, which the time passes',
    [['max: 0d', 'max: 9999-01-01']],
    ['parameter-tightened breaking/breaking'],
    [['since: { type: timestamp', 'since: { type: timestamp, max: 0d']],
  ],
  [
    'a fixed minimum that becomes a relative one, which passes it',
    [['min: 0001-01-01', 'min: -7d']],
    ['parameter-tightened breaking/breaking'],
    [['since: { type: timestamp', 'since: { type: timestamp, min: 0001-01-01']],
  ],
  [
    'a default relative to the time',
    [['default: -1d', 'default: -7d']],
    ['parameter-default dangerous/dangerous'],
    [['since: { type: timestamp', 'since: { type: timestamp, default: -1d']],
  ],
  [
    'an enum with spellings as text',
    [
      ['type: enum\n    enum: Interval', 'type: string'],
      ['    unknown: refuse\n', ''],
      [/ {4}values:\n(?: {6}.*\n)+/.exec(query)?.[0] ?? '', ''],
    ],
    ['parameter-type-changed breaking/breaking'],
  ],

  [
    'an enum value removed',
    [['      1hr: { name: ONE_HOUR, also: [60min], description: an hour }\n', '']],
    ['enum-value-removed breaking/breaking'],
  ],
  [
    'an enum value added',
    [['columns:', '      7day: { name: SEVEN_DAYS, description: a week }\ncolumns:']],
    ['enum-value-added safe/safe'],
  ],
  [
    'an enum value added where others meant the default',
    [['columns:', '      7day: { name: SEVEN_DAYS, description: a week }\ncolumns:']],
    ['enum-text-changed dangerous/safe', 'enum-value-added safe/safe'],
    [['unknown: refuse', 'unknown: default']],
  ],
  [
    'an enum value removed where others mean the default',
    [['      1hr: { name: ONE_HOUR, also: [60min], description: an hour }\n', '']],
    ['enum-value-merged dangerous/breaking'],
    [['unknown: refuse', 'unknown: default']],
  ],
  ['an enum value with another name', [['ONE_HOUR', 'HOUR']], ['enum-name-changed safe/breaking']],
  [
    'two names exchanged',
    [
      ['ONE_HOUR', 'X'],
      ['ONE_DAY', 'ONE_HOUR'],
      ['name: X', 'name: ONE_DAY'],
    ],
    ['enum-name-moved safe/dangerous', 'enum-name-moved safe/dangerous'],
  ],
  ['an enum with another name', [['enum: Interval', 'enum: Window']], ['enum-type-renamed safe/breaking']],
  [
    'an enum value with another text',
    [['1hr: {', '1h: {']],
    ['enum-text-removed breaking/safe', 'enum-text-added safe/safe'],
  ],
  [
    'an enum value with another text that keeps the old one',
    [['1hr: { name: ONE_HOUR, also: [60min]', '1h: { name: ONE_HOUR, also: [60min, 1hr]']],
    ['enum-text-added safe/safe'],
  ],
  ['a spelling added', [['also: [60min]', 'also: [60min, 1h]']], ['enum-text-added safe/safe']],
  ['a spelling removed', [[', also: [60min]', '']], ['enum-text-removed breaking/safe']],
  [
    'a spelling of another value',
    [
      [', also: [60min]', ''],
      ['ONE_DAY', 'ONE_DAY, also: [60min]'],
    ],
    ['enum-text-changed dangerous/safe'],
  ],
  [
    'values that are not listed are refused',
    [['unknown: default', 'unknown: refuse']],
    ['unknown-refused breaking/safe'],
    [['unknown: refuse', 'unknown: default']],
  ],
  [
    'values that are not listed mean the default',
    [['unknown: refuse', 'unknown: default']],
    ['unknown-accepted safe/safe'],
  ],

  ['the tenant removed', [[', tenant: true', '']], ['tenant-removed breaking/breaking']],
  [
    'a tenant added',
    [['required: true, description: the tenant', 'required: true, tenant: true, description: the tenant']],
    ['tenant-added dangerous/dangerous'],
    [[', tenant: true', '']],
  ],
  [
    'another tenant',
    [
      [', tenant: true', ''],
      ['text: { type: string', 'text: { type: string, tenant: true'],
    ],
    ['tenant-moved breaking/breaking'],
  ],
  [
    'a pattern of the tenant',
    [["'^{project}$'", "'^/{project}/$'"]],
    ['tenant-pattern dangerous/dangerous'],
    [
      [
        'type: string, required: true, tenant: true',
        "type: pattern, required: true, tenant: true, tenant_pattern: '^{project}$'",
      ],
    ],
  ],
  [
    'tenants that are not checked',
    [['labels:', 'tenant_unchecked: all may read it\nlabels:']],
    ['tenant-unchecked dangerous/dangerous'],
  ],
  [
    'tenants that are checked',
    [['tenant_unchecked: all may read it\n', '']],
    ['tenant-checked safe/safe'],
    [['labels:', 'tenant_unchecked: all may read it\nlabels:']],
  ],

  ['fewer rows', [['max_rows: 100', 'max_rows: 50']], ['max-rows-lowered dangerous/dangerous']],
  ['more rows', [['max_rows: 100', 'max_rows: 500']], ['max-rows-raised safe/safe']],
  ['longer caching', [['caching: 900s', 'caching: 901s']], ['caching-longer dangerous/dangerous']],
  ['shorter caching', [['caching: 900s', 'caching: 899s']], ['caching-shorter safe/safe']],
  [
    'no caching',
    [['caching: 900s\ncache_warming: 300s\nstale_if_error: 1000s\n', 'caching: disabled\n']],
    [
      'live-removed breaking/breaking',
      'stale-shorter dangerous/dangerous',
      'caching-shorter safe/safe',
      'cache-warming safe/safe',
    ],
  ],
  [
    'no caching of what is as old as it may be after errors',
    [['caching: 60s\n', 'caching: disabled\n']],
    ['stale-shorter dangerous/dangerous', 'caching-shorter safe/safe'],
    [['caching: 900s\ncache_warming: 300s\nstale_if_error: 1000s\n', 'caching: 60s\n']],
  ],
  ['stale rows for a shorter time', [['1000s', '10s']], ['stale-shorter dangerous/dangerous']],
  ['stale rows for a longer time', [['1000s', '2000s']], ['stale-longer safe/safe']],
  ['other warming', [['300s', '200s']], ['cache-warming safe/safe']],
  [
    'warming, with which results can be followed',
    [['caching: 900s\n', 'caching: 900s\ncache_warming: 300s\n']],
    ['cache-warming safe/safe', 'live safe/safe'],
    [['cache_warming: 300s\n', '']],
  ],
  ['live results', [['cache_warming: 300s\n', 'cache_warming: 300s\nlive: 5s\n']], ['live safe/safe']],
  ['another key of rows', [['cache_warming: 300s\n', 'cache_warming: 300s\nkey: [n]\n']], ['live safe/safe']],
  [
    'a field of an entity, and a reference to another one',
    [['labels: [team]', `labels: [team]\n${federation}`]],
    ['entity-field-added safe/safe', 'reference-added safe/safe'],
  ],
  [
    'no field of an entity any more',
    [[federation, 'federation: {}']],
    ['entity-field-removed safe/breaking', 'reference-removed safe/breaking'],
    inGraph,
  ],
  [
    'a renamed field of an entity',
    [['field: usage', 'field: use']],
    ['entity-field-removed safe/breaking'],
    inGraph,
  ],
  [
    'another key of an entity',
    [['key: { ref: project }', 'key: { id: project }']],
    ['entity-key-removed safe/breaking', 'entity-key-added safe/safe'],
    inGraph,
  ],
  [
    'another type of a key',
    [['{ ref: project }', '{ ref: { parameter: project, type: String } }']],
    ['entity-key-removed safe/breaking', 'entity-key-added safe/safe'],
    inGraph,
  ],
  [
    'a key of another parameter',
    [['key: { ref: project }', 'key: { ref: text }']],
    ['entity-key-parameter safe/dangerous'],
    inGraph,
  ],
  [
    'a reference by another column',
    [['key: { id: n }', 'key: { id: s }']],
    ['reference-removed safe/breaking', 'reference-added safe/safe'],
    inGraph,
  ],
  [
    'a field that is hidden in the graph',
    [['field: usage', 'field: usage, inaccessible: true']],
    ['federation-directives safe/dangerous'],
    inGraph,
  ],
  [
    'a budget',
    [['labels: [team]', 'budget: { bytes_per_day: 1MB }\nlabels: [team]']],
    ['budget-tightened dangerous/dangerous'],
  ],
  ...(
    [
      ['a lower budget', 'bytes_per_day: 1MB', 'bytes_per_day: 1KB', 'budget-tightened dangerous/dangerous'],
      ['a higher budget', 'bytes_per_day: 1MB', 'bytes_per_day: 1GB', 'budget-loosened safe/safe'],
      ['a slower rate', 'rate: 1GB/h', 'rate: 1GB/d, burst: 1TB', 'budget-tightened dangerous/dangerous'],
      [
        'a further bound',
        'rate: 1GB/h',
        'rate: 1GB/h, bytes_per_day: 9GB',
        'budget-tightened dangerous/dangerous',
      ],
      ['a bound less', 'rate: 1GB/h, bytes_per_day: 9GB', 'rate: 1GB/h', 'budget-loosened safe/safe'],
      [
        'a budget that refuses',
        'rate: 1h/d, tracking: true',
        'rate: 2h/d',
        'budget-tightened dangerous/dangerous',
      ],
      ['a budget that only counts', 'rate: 2h/d', 'rate: 1h/d, tracking: true', 'budget-loosened safe/safe'],
    ] as const
  ).map(([name, from, to, verdict]): (typeof prepared)[number] => [
    name,
    [[`budget: { ${from} }`, `budget: { ${to} }`]],
    [verdict],
    [['labels: [team]', `budget: { ${from} }\nlabels: [team]`]],
  ]),
  [
    'another reservation',
    [['labels: [team]', 'reservation: projects/p/locations/US/reservations/r\nlabels: [team]']],
    ['reservation dangerous/dangerous'],
  ],
  [
    'refreshes of what has changed, and runs of its own for each tenant',
    [['labels: [team]', 'incremental: true\nbatch: off\nlabels: [team]']],
    ['refreshes safe/safe', 'refreshes safe/safe'],
  ],
  [
    'rows that come later',
    [['late: 10m', 'late: 20m']],
    ['refreshes safe/safe'],
    [['labels: [team]', 'incremental: true\nlate: 10m\nlabels: [team]']],
  ],
  ['a label added', [['[team]', '[team, user]']], ['label-added safe/safe']],
  ['a label removed', [['labels: [team]\n', '']], ['label-removed dangerous/dangerous']],
  [
    'another tag',
    [['tags: [billing]', 'tags: [logs]']],
    ['tag-removed dangerous/dangerous', 'tag-added safe/safe'],
    [['labels: [team]', 'tags: [billing]\nlabels: [team]']],
  ],
  [
    'a metric added',
    [['things: { column: n }', 'things: { column: n }\n    more: { column: f }']],
    ['metric-added safe/safe'],
  ],
  ['a metric removed', [['things:', 'others:']], ['metric-removed breaking/safe', 'metric-added safe/safe']],
  [
    'another column of a metric',
    [['column: n', 'column: f']],
    ['metric-changed dangerous/safe', 'description safe/safe'],
  ],
  ['other labels of metrics', [['labels: [s]', 'labels: []']], ['metric-changed dangerous/safe']],

  [
    'deprecated',
    [['labels: [team]', 'deprecated: { since: 2026-11-01 }\nlabels: [team]']],
    ['deprecation safe/safe'],
  ],
  [
    'undeclared parameters are refused',
    [['labels: [team]', 'strict: true\nlabels: [team]']],
    ['strict breaking/safe'],
  ],
  [
    'undeclared parameters are ignored',
    [['strict: true\n', '']],
    ['strict-removed safe/safe'],
    [['labels: [team]', 'strict: true\nlabels: [team]']],
  ],
  ['SQL of callers', [['labels: [team]', sandbox]], ['sandboxing-enabled dangerous/dangerous']],
  [
    'no SQL of callers',
    [[sandbox, 'labels: [team]']],
    ['sandboxing-disabled breaking/breaking'],
    [['labels: [team]', sandbox]],
  ],
  [
    'a common table with another name',
    [
      ['WITH lines', 'WITH others'],
      ['FROM lines', 'FROM others'],
    ],
    ['sandbox-removed breaking/breaking', 'sql-changed dangerous/dangerous', 'sandbox-added safe/safe'],
    [['labels: [team]', sandbox]],
  ],
  [
    'a common table with a further column',
    [['status AS n,', 'status AS n, status AS m,']],
    ['sql-changed dangerous/dangerous', 'sandbox-added safe/safe'],
    [['labels: [team]', sandbox]],
  ],
  [
    'a parameter that the common tables do not use any more',
    [[' AND name != @text)', ')']],
    ['schema-changed safe/breaking', 'sql-changed dangerous/dangerous'],
    [
      ['labels: [team]', sandbox],
      ['WHERE project = @project)', 'WHERE project = @project AND name != @text)'],
    ],
  ],
  ['other SQL', [['FROM lines', 'FROM lines AS r']], ['sql-changed dangerous/dangerous']],
  [
    'other case of keywords and built-in functions',
    [['WITH lines AS (SELECT COUNT (status)', 'with lines as (select count(status)']],
    ['sql-layout safe/safe'],
    [['SELECT status AS n', 'SELECT COUNT (status) AS n']],
  ],
  [
    'other case of a name',
    [['SELECT * FROM lines', 'SELECT * FROM Lines']],
    ['sql-changed dangerous/dangerous'],
  ],
  ['other comments and line ends', [['-- all\n', '\r\n']], ['sql-layout safe/safe']],
  [
    'other descriptions',
    [
      ['a number', 'the number'],
      ['example: p', 'example: q'],
    ],
    ['description safe/safe', 'description safe/safe', 'description safe/safe'],
  ],

  ['another UUID', [[id, otherId]], ['id-changed breaking/dangerous']],
  [
    'another UUID with the old one as an alias',
    [
      [id, otherId],
      ['[a.second]', `[a.second, ${id}]`],
    ],
    ['id-changed-with-alias safe/safe'],
  ],
  ['an alias added', [['[a.second]', '[a.second, a.third]']], ['alias-added safe/safe']],
  ['an alias removed', [['aliases: [a.second]\n', '']], ['alias-removed breaking/dangerous']],
];

describe('a change has the right verdict', () => {
  for (const [name, edits, verdicts, first = []] of prepared)
    test(name, async () => {
      const before = edited(query, first);
      const diff = await compareFolders(
        { ...files, 'a.first.sql': before },
        { ...files, 'a.first.sql': edited(before, edits) },
      );
      expect(verdictsOf(diff)).toEqual(verdicts);
    });

  test('nothing has changed', async () => {
    expect(await compareFolders(files, files)).toMatchObject({ endpoints: [], unchanged: 1, notes: [] });
  });
});

const fieldsOf = (edit: (fields: { name: string; type: string }[]) => object[]) =>
  JSON.stringify(edit(JSON.parse(table)));

describe('a table that the SQL reads', () => {
  test.each([
    [
      'has a new field',
      fieldsOf((all) => [...all, { name: 'more', type: 'STRING' }]),
      ['table-extended safe/safe'],
    ],
    [
      'has another type',
      fieldsOf((all) => all.map((field) => (field.name === 'rate' ? { ...field, type: 'NUMERIC' } : field))),
      ['table-changed dangerous/dangerous'],
    ],
    [
      'has another collation',
      fieldsOf((all) =>
        all.map((field) => (field.name === 'name' ? { ...field, collation: 'und:ci' } : field)),
      ),
      ['table-changed dangerous/dangerous'],
    ],
    [
      'has the same type by another name',
      fieldsOf((all) => all.map((field) => (field.name === 'rate' ? { ...field, type: 'FLOAT' } : field))),
      [],
    ],
  ])('is compared: %s', async (_, text, verdicts) => {
    const withoutStar = {
      ...files,
      'a.first.sql': query.replace('SELECT * FROM', 'SELECT n, f, s, t, tags FROM'),
    };
    expect(
      verdictsOf(await compareFolders(withoutStar, { ...withoutStar, 'tables/events.json': text })),
    ).toEqual(verdicts);
    const without = fieldsOf((all) => all.filter(({ name }) => name !== 'unused'));
    expect(
      verdictsOf(await compareFolders(withoutStar, { ...withoutStar, 'tables/events.json': without })),
    ).toEqual([]);
  });

  test('is read by its path, or by a wildcard', async () => {
    const text = fieldsOf((all) =>
      all.map((field) => (field.name === 'rate' ? { ...field, type: 'STRING' } : field)),
    );
    for (const path of ['`logs.events`', 'logs.events', '`ev*`', '`my-project.logs.eve*`']) {
      const read = { ...files, 'a.first.sql': query.replace('FROM events', `FROM ${path}`) };
      const retyped = await compareFolders(read, { ...read, 'tables/events.json': text });
      expect(verdictsOf(retyped), path).toEqual(['table-changed dangerous/dangerous']);
      const more = await compareFolders(read, { ...read, 'tables/events_2.json': table });
      expect(verdictsOf(more), path).toEqual(path.includes('*') ? ['table-extended safe/safe'] : []);
      const { 'tables/events.json': _, ...without } = read;
      expect(verdictsOf(await compareFolders(read, without)), path).toEqual([
        'table-changed dangerous/dangerous',
      ]);
    }
  });

  const logs = (path: string, method = 'STRING') =>
    JSON.stringify([
      { name: 'k', type: 'INTEGER' },
      {
        name: 'req',
        type: 'RECORD',
        fields: [
          { name: 'path', type: path },
          { name: 'method', type: method },
        ],
      },
      { name: 'items', type: 'RECORD', mode: 'REPEATED', fields: [{ name: 'path', type: path }] },
    ]);
  const reading = (sql: string) => ({
    'a.first.sql': `/*---\nid: ${id}\ndescription: First.\nmax_rows: 10\ncaching: disabled\ncolumns: { x: { type: string, description: X. } }\n---*/\n${sql}\n`,
    'functions/udf.g.sql': 'CREATE FUNCTION udf.g() RETURNS STRING AS ((SELECT MAX(req.path) FROM logs));',
    'tables/logs.json': logs('STRING'),
  });

  test.each([
    'CREATE TEMP TABLE t AS SELECT req.path FROM logs; SELECT CAST(path AS STRING) AS x FROM t',
    'CREATE TEMP FUNCTION f() AS ((SELECT MAX(req.path) FROM logs)); SELECT CAST(f() AS STRING) AS x',
    'DECLARE p STRING DEFAULT (SELECT CAST(MAX(req.path) AS STRING) FROM logs); SELECT p AS x',
    'SELECT CAST(udf.g() AS STRING) AS x',
    'SELECT TO_JSON_STRING(TO_JSON(req)) AS x FROM logs',
    'SELECT TO_JSON_STRING(logs.req) AS x FROM logs',
    'SELECT TO_JSON_STRING(t) AS x FROM logs AS t',
    "SELECT FORMAT('%t', logs) AS x FROM logs",
    'FROM logs |> AS t |> SELECT TO_JSON_STRING(t) AS x',
    'FROM logs |> RENAME req AS r |> SELECT TO_JSON_STRING(r) AS x',
    'FROM logs |> RENAME req AS r |> RENAME r AS s |> RENAME s AS u |> SELECT TO_JSON_STRING(u) AS x',
    'SELECT COUNT(DISTINCT TO_JSON_STRING(req)) AS x FROM logs',
    'SELECT TO_JSON_STRING(i) AS x FROM logs, UNNEST(items) AS i',
    'SELECT TO_JSON_STRING(i) AS x FROM logs, logs.items AS i',
    'SELECT TO_JSON_STRING(items[0]) AS x FROM logs',
  ])('is read within a script, or as a whole: %s', async (sql) => {
    const before = reading(sql);
    const diff = await compareFolders(before, { ...before, 'tables/logs.json': logs('INTEGER') });
    expect(verdictsOf(diff)).toEqual(['table-changed dangerous/dangerous']);
  });

  test.each([
    'SELECT req.path AS x FROM logs',
    'SELECT t.req.path AS x FROM logs AS t',
    'SELECT i.path AS x FROM logs, UNNEST(items) AS i',
    'SELECT items[0].path AS x FROM logs',
    'SELECT COUNT(*) AS x FROM logs',
    'WITH logs AS (SELECT 1 AS req) SELECT TO_JSON(logs) AS x FROM logs',
  ])('is not read by names of other fields: %s', async (sql) => {
    const before = reading(sql);
    const diff = await compareFolders(before, { ...before, 'tables/logs.json': logs('STRING', 'INTEGER') });
    expect(verdictsOf(diff)).toEqual([]);
  });

  test('has no schema any more', async () => {
    const { 'tables/events.json': _, ...others } = files;
    expect(verdictsOf(await compareFolders(files, others))).toEqual(['table-changed dangerous/dangerous']);
  });
});

describe('endpoints', () => {
  const second = query.replace(id, otherId).replace('aliases: [a.second]\n', '');

  test('are added and removed', async () => {
    const both = { ...files, 'b.other.sql': second };
    expect(verdictsOf(await compareFolders(files, both))).toEqual(['endpoint-added safe/safe']);
    expect(verdictsOf(await compareFolders(both, files))).toEqual(['endpoint-removed breaking/breaking']);
  });

  test('are renamed: one change, which an alias makes safe in REST', async () => {
    const { 'a.first.sql': _, ...others } = files;
    const renamed = await compareFolders(files, { ...others, 'a.new.sql': query });
    expect(verdictsOf(renamed)).toEqual(['endpoint-renamed breaking/breaking']);
    expect(renamed.endpoints[0]?.changes[0]?.text).toBe(
      'a.first is a.new now; aliases: [a.first] would keep the path',
    );
    const withAlias = query.replace('[a.second]', '[a.second, a.first]');
    expect(verdictsOf(await compareFolders(files, { ...others, 'a.new.sql': withAlias }))).toEqual([
      'endpoint-renamed-with-alias safe/breaking',
    ]);
  });

  test('have exchanged their names', async () => {
    const before = { ...files, 'b.other.sql': second };
    const after = { ...files, 'a.first.sql': second, 'b.other.sql': query };
    const diff = await compareFolders(before, after);
    expect(verdictsOf(diff).toSorted()).toEqual([
      'address-reused breaking/breaking',
      'address-reused breaking/breaking',
      'endpoint-renamed breaking/breaking',
      'endpoint-renamed breaking/breaking',
    ]);
    expect(diff.endpoints.flatMap(({ changes }) => changes.map(({ text }) => text))).toContain(
      'a.first leads to another endpoint now: a.first, which was b.other',
    );
  });

  test('are versions: a new one is safe, another default is compared with the former one', async () => {
    const version = second
      .replace('  f: { type: float, description: a float }\n', '')
      .replace('max_rows: 100', 'max_rows: 200');
    const both = { ...files, 'a.first@2.sql': version };
    expect(verdictsOf(await compareFolders(files, both))).toEqual(['endpoint-added safe/safe']);
    const asDefault = { ...files, 'a.first@2.sql': version.replace('labels:', 'default: true\nlabels:') };
    const moved = await compareFolders(both, asDefault);
    expect(verdictsOf(moved)).toEqual([
      'default-version dangerous/breaking',
      'column-removed breaking/breaking',
      'max-rows-raised safe/safe',
    ]);
    expect(moved.endpoints[0]).toMatchObject({
      name: 'a.first',
      changes: [{ text: 'a.first means a.first@2 instead of a.first@1' }, {}, {}],
    });
    // The former version is removed: its number leads nowhere, its name means the default as before.
    const { 'a.first.sql': _, ...without } = asDefault;
    const withAlias = { ...without, 'a.first@2.sql': asDefault['a.first@2.sql'] ?? '' };
    const removed = await compareFolders(asDefault, withAlias);
    expect(verdictsOf(removed)).toEqual(['endpoint-removed breaking/breaking']);
    expect(removed.endpoints[0]?.changes[0]?.text).toBe('version 1 removed; a.first means a.first@2');
    const { 'a.first@2.sql': numbered = '', ...withFirst } = both;
    const renumbered = await compareFolders(both, { ...withFirst, 'a.first@3.sql': numbered });
    expect(renumbered.endpoints[0]?.changes[0]?.text).toBe(
      'a.first@2 is a.first@3 now; keep the number of the version',
    );
    // Without a default, the name leads nowhere.
    const lost = { 'a.first@2.sql': version, 'tables/events.json': table };
    const nameless = await compareFolders(withAlias, lost);
    expect(verdictsOf(nameless)).toEqual(['endpoint-renamed breaking/breaking']);
    expect(nameless.endpoints[0]?.changes[0]?.text).toBe(
      'a.first leads nowhere now; default: true would keep a.first',
    );
    // The newer version is withdrawn: the older one has a root field by its name alone.
    const withdrawn = await compareFolders(both, files);
    expect(verdictsOf(withdrawn)).toEqual([
      'only-version safe/breaking',
      'endpoint-removed breaking/breaking',
    ]);
    expect(withdrawn.endpoints[0]?.changes[0]?.text).toBe(
      'a.first@1 is the only version now: the root field aFirstV1 is removed',
    );
    const shadowed = { ...both, 'a.first.sql': query.replace('labels:', 'shadow: a.first@2\nlabels:') };
    expect(verdictsOf(await compareFolders(both, shadowed))).toEqual(['shadow safe/safe']);
  });

  test('take another number, and their name means a new file', async () => {
    const before = { ...files };
    const after = { ...files, 'a.first.sql': second, 'a.first@2.sql': query };
    expect(verdictsOf(await compareFolders(before, after)).toSorted()).toEqual([
      'default-version dangerous/breaking',
      'endpoint-added safe/safe',
      'endpoint-renamed breaking/breaking',
    ]);
  });

  test('are replaced by one that has their name as an alias', async () => {
    const after = {
      'b.other.sql': second.replace('description:', 'aliases: [a.first]\ndescription:'),
      'tables/events.json': table,
    };
    const diff = await compareFolders({ ...files, 'b.other.sql': second }, after);
    expect(verdictsOf(diff)).toEqual([
      'endpoint-removed breaking/breaking',
      'address-reused breaking/breaking',
      'alias-added safe/safe',
    ]);
  });

  test('whose former file has problems are not compared', async () => {
    const broken = query.replace('caching: 900s', 'caching: soon');
    const same = await compareFolders({ ...files, 'a.first.sql': broken }, files);
    expect(same.endpoints).toEqual([]);
    expect(same.notes).toEqual([
      expect.stringMatching(/^a\.first is not compared: .*line 6: caching: must be seconds/),
    ]);
    const { 'a.first.sql': _, ...others } = files;
    const renamed = await compareFolders(
      { ...files, 'a.first.sql': broken },
      { ...others, 'a.new.sql': query },
    );
    expect(renamed.notes).toEqual([expect.stringMatching(/^a\.new is not compared/)]);
    const removed = await compareFolders(
      { ...files, 'a.first.sql': broken, 'b.other.sql': second },
      { ...others, 'b.other.sql': second },
    );
    expect(verdictsOf(removed)).toEqual(['endpoint-removed breaking/breaking']);
    expect(removed.notes).toEqual([expect.stringMatching(/^a\.first is removed; it is not compared/)]);
  });
});

test('fields of records are compared at any depth, and records become typed', async () => {
  const texts = { ...files, 'a.first.sql': query.replace('f: { type: float', 'f: { type: record') };
  const { queries, tables } = parseCatalog('queries', asFiles(texts));
  const field = (name: string, type: string, more: object = {}) => ({
    name,
    type,
    repeated: false,
    required: false,
    ...more,
  });
  const withFields = (fields: readonly object[]) =>
    ({
      tables,
      queries: queries.map((one) => ({
        ...one,
        columns: one.columns.map((column) => (column.name === 'f' ? { ...column, fields } : column)),
      })),
    }) as unknown as Catalog;
  const compare = async (before: Catalog, after: Catalog) =>
    compareCatalogs({ catalog: analyzed(before), broken: [], tableProblems: [] }, analyzed(after));
  const before = withFields([
    field('a', 'integer'),
    field('b', 'record', { fields: [field('c', 'string'), field('d', 'date')] }),
  ]);
  const after = withFields([
    field('a', 'string'),
    field('b', 'record', { fields: [field('d', 'date', { required: true })] }),
  ]);
  const diff = await compare(before, after);
  expect(verdictsOf(diff)).toEqual([
    'column-type breaking/breaking',
    'column-removed breaking/breaking',
    'column-required safe/safe',
  ]);
  expect(diff.endpoints[0]?.changes.map(({ path, text }) => [path.join('.'), text])).toEqual([
    ['columns.f.fields.a.type', 'field f.a: type integer → string'],
    ['columns.f.fields.b.fields.c', 'field f.b.c removed'],
    ['columns.f.fields.b.fields.d.required', 'field f.b.d: never NULL now'],
  ]);
  expect(verdictsOf(await compare({ queries, tables }, after))).toEqual(['column-record safe/breaking']);
  const alone = withFields([field('aB', 'integer')]);
  const beside = withFields([field('a_b', 'string'), field('aB', 'integer')]);
  const named = await compare(alone, beside);
  expect(verdictsOf(named)).toContain('field-renamed safe/breaking');
  expect(named.endpoints[0]?.changes.map(({ text }) => text)).toContain('field f.aB: in GraphQL aB → aB_2');
});

test('a required field that becomes a float may be null: NaN is null in JSON', async () => {
  const [before, after] = (['integer', 'float'] as const).map((type) => {
    const { queries, tables } = parseCatalog('queries', asFiles(files));
    const fields = [{ name: 'a', type, repeated: false, required: true }];
    const columns = [
      { name: 'r', type: 'record', repeated: false, required: true, description: 'r', fields },
    ];
    return analyzed({ tables, queries: queries.map((one) => ({ ...one, columns })) } as unknown as Catalog);
  });
  if (before === undefined || after === undefined) throw new Error('there are two versions');
  const diff = await compareCatalogs({ catalog: before, broken: [], tableProblems: [] }, after);
  expect(verdictsOf(diff)).toEqual([
    'column-nullable breaking/breaking',
    'column-widened dangerous/dangerous',
  ]);
  expect(diff.endpoints[0]?.changes[0]).toMatchObject({
    text: 'field r.a: may be null in JSON now, though never NULL',
    schema: [{ path: 'AFirstRow_r.a', level: 'breaking' }],
  });
});

test('a message names the row arguments that callers lose, and the place is that of the former file', async () => {
  const before = edited(query, [...inRowArguments('n'), ordered, pages]);
  const diff = await compareFolders(
    { ...files, 'a.first.sql': before },
    { ...files, 'a.first.sql': edited(query, [ordered]) },
  );
  expect(diff.endpoints[0]?.changes.map(({ text, isRemoved }) => [text, isRemoved])).toEqual([
    [
      'row arguments removed: where, orderBy, first, offset, aggregates; in REST conditions, order, limit, offset, select',
      true,
    ],
    ['pages removed: the connection; in REST limit, after, before', true],
  ]);
});

test('a difference of the schemas belongs to the change that makes it', async () => {
  const diff = await compareFolders(
    { ...files, 'a.first.sql': edited(query, [...inRowArguments('n', 's'), ordered, pages]) },
    {
      ...files,
      'a.first.sql': edited(query, [
        ...inRowArguments('n'),
        ordered,
        ['integer, required: true', 'integer'],
        ['caching: 900s\ncache_warming: 300s\nstale_if_error: 1000s\n', 'caching: disabled\n'],
      ]),
    },
  );
  const found = diff.endpoints.flatMap(({ changes }) =>
    changes.map(({ kind, schema }) => [
      kind,
      ...schema.filter(({ level }) => level === 'breaking').map(({ path }) => path),
    ]),
  );
  expect(found.filter(([, ...paths]) => paths.length > 0)).toEqual([
    ['column-nullable', 'AFirstRow.n'],
    ['filter-removed', 'AFirstWhere.s'],
    ['order-removed', 'AFirstOrderBy.s'],
    ['aggregate-removed', 'AFirstMinimums.s', 'AFirstMaximums.s'],
    ['pages-removed', 'AFirstConnection', 'AFirstEdge', 'Query.aFirstConnection'],
    ['live-removed', 'Subscription'],
  ]);
});

test('an enum may have a name that types of row arguments have', async () => {
  const before = edited(query, [['enum: Interval', 'enum: AFirstWhere']]);
  const withText = edited(before, [
    ['type: enum\n    enum: AFirstWhere', 'type: string'],
    ['    unknown: refuse\n', ''],
    [/ {4}values:\n(?: {6}.*\n)+/.exec(query)?.[0] ?? '', ''],
  ]);
  const diff = await compareFolders(
    { ...files, 'a.first.sql': before },
    { ...files, 'a.first.sql': withText },
  );
  expect(verdictsOf(diff)).toEqual(['parameter-type-changed breaking/breaking']);
});

test('bytes that runs read are compared for endpoints whose SQL or parameters have changed', async () => {
  const kinds: readonly Kind[] = ['bytes-read', 'bytes-over-ratio', 'bytes-over-maximum'];
  const pairs: string[] = [];
  const diff = await compareFolders(
    files,
    { ...files, 'a.first.sql': query.replace('FROM lines', 'FROM lines AS r') },
    async (measured) => {
      pairs.push(...measured.map(({ after }) => after.name));
      return () => kinds.map((kind) => change(kind, ['sql'], 'reads more'));
    },
  );
  expect(pairs).toEqual(['a.first']);
  expect(verdictsOf(diff)).toEqual([
    'bytes-over-ratio breaking/breaking',
    'bytes-over-maximum breaking/breaking',
    'sql-changed dangerous/dangerous',
    'bytes-read safe/safe',
  ]);
});

test.each([
  ['incremental', files, { ...files, 'a.first.sql': query.replace('labels:', 'incremental: true\nlabels:') }],
  ['batch', files, { ...files, 'a.first.sql': query.replace('labels:', 'batch: off\nlabels:') }],
  ['live', files, { ...files, 'a.first.sql': query.replace('labels:', 'live: 5s\nlabels:') }],
  [
    'tenant_unchecked',
    files,
    { ...files, 'a.first.sql': query.replace('labels:', 'tenant_unchecked: x\nlabels:') },
  ],
  ['table', files, { ...files, 'tables/events.json': table.replace('"FLOAT64"', '"NUMERIC"') }],
])('costs are compared after a change of %s', async (_, before, after) => {
  const measured = vi.fn(async () => () => []);
  expect((await compareFolders(before, after, undefined, measured)).endpoints).toHaveLength(1);
  expect(measured).toHaveBeenCalledWith([expect.objectContaining({ before: expect.anything() })]);
});

test('a change of increments has the names and the values of the header', async () => {
  const textsOf = async (...headers: readonly [string, string]) => {
    const [before, after] = headers.map((header) => query.replace('labels:', `${header}labels:`));
    const diff = await compareFolders(
      { ...files, 'a.first.sql': before ?? '' },
      { ...files, 'a.first.sql': after ?? '' },
    );
    return diff.endpoints.flatMap(({ changes }) => changes.map(({ text }) => text));
  };
  const hour = 'incremental: true\nlate: 10m\nreconcile: 1h\n';
  expect(await textsOf('', hour)).toEqual(['incremental false → true']);
  expect(await textsOf(hour, hour.replace('1h', '2h'))).toEqual(['reconcile 3600s → 7200s']);
});

test('costs are compared for endpoints whose SQL, parameters or caching have changed, and for new ones', async () => {
  const pairs: string[] = [];
  const after = {
    ...files,
    'a.first.sql': query.replace(/^caching: .*$/m, 'caching: 700s'),
    'z.new.sql': query
      .replace(/^id: .*$/m, 'id: 99999999-2222-4333-8444-555555555555')
      .replace(/^aliases: .*\n/m, ''),
  };
  const diff = await compareFolders(files, after, undefined, async (given) => {
    pairs.push(...given.map(({ before, after }) => `${before?.name} ${after.name}`));
    return (pair) => [change(pair.before === undefined ? 'cost-over-maximum' : 'cost', [], 'costs more')];
  });
  expect(pairs).toEqual(['a.first a.first', 'undefined z.new']);
  expect(verdictsOf(diff)).toEqual(
    expect.arrayContaining(['cost safe/safe', 'cost-over-maximum breaking/breaking']),
  );
});

test('an endpoint that is not valid any more is breaking, also if its file is as before; a new one too', async () => {
  const added = query.replace(/^id: .*$/m, `id: ${otherId}`).replace(/^aliases: .*\n/m, '');
  const diff = await compareFolders(
    files,
    { ...files, 'z.new.sql': added },
    undefined,
    undefined,
    async () => () => [change('query-invalid', ['sql'], 'is not valid')],
  );
  expect(verdictsOf(diff)).toEqual([
    'query-invalid breaking/breaking',
    'query-invalid breaking/breaking',
    'endpoint-added safe/safe',
  ]);
});

test('every kind of change was found by a test above', () => {
  const missing = Object.keys(rules).filter((kind) => !kindsFound.has(kind) && kind !== 'schema-changed');
  expect(missing).toEqual([]);
});
