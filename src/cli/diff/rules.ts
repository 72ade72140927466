/**
 * What a change means to callers who do not change:
 *
 * - breaking: requests fail, or answers cannot be read as before;
 * - dangerous: requests succeed, but rows may be others, or other callers may read them;
 * - safe: no caller needs to know.
 */
export const levels = ['breaking', 'dangerous', 'safe'] as const;

export type Level = (typeof levels)[number];

interface Rule {
  /** What has changed. */
  readonly change: string;
  readonly rest: Level;
  readonly graphql: Level;
  /** What callers see. */
  readonly effect: string;
  /** Set if a comparison of GraphQL schemas, which cannot know the gateway, gives a level that is too high. */
  readonly isStricterInSchema?: true;
}

const rule = (rest: Level, graphql: Level, change: string, effect: string): Rule => ({
  change,
  rest,
  graphql,
  effect,
});

/** Every kind of change with its verdict. `docs/diff.md` has the same table. */
export const rules = {
  'endpoint-added': rule('safe', 'safe', 'an endpoint is new', 'a new path and a new root field'),
  'endpoint-removed': rule(
    'breaking',
    'breaking',
    'an endpoint is removed',
    'its path gives 404, and its root field is invalid',
  ),
  'endpoint-renamed': rule(
    'breaking',
    'breaking',
    'an endpoint has another name',
    'the old name gives 404 or another endpoint, and the root field and its types have other names',
  ),
  'endpoint-renamed-with-alias': rule(
    'safe',
    'breaking',
    'an endpoint has another name, and the old one as an alias',
    'the old path works; an alias adds no root field to GraphQL',
  ),
  'id-changed': rule(
    'breaking',
    'dangerous',
    'an endpoint has another UUID',
    'the path with the old UUID gives 404, and so do keys that name it; the root field stays',
  ),
  'id-changed-with-alias': rule(
    'safe',
    'safe',
    'an endpoint has another UUID, and the old one as an alias',
    'nothing',
  ),
  'default-version': rule(
    'dangerous',
    'breaking',
    'a name means another version',
    'its callers get the rows of the other version, whose differences are listed too; the field has another type',
  ),
  'only-version': rule(
    'safe',
    'breaking',
    'the other versions of a name are removed',
    'REST still finds the version by its number, but the root field with the number is removed',
  ),
  deprecation: rule('safe', 'safe', '`deprecated` is added, changed or removed', 'other headers and schemas'),
  shadow: rule('safe', 'safe', '`shadow` is added, changed or removed', 'nothing but cost'),
  'alias-added': rule('safe', 'safe', 'an alias is new', 'a further path'),
  'alias-removed': rule(
    'breaking',
    'dangerous',
    'an alias is removed',
    'its path gives 404, and keys that name it lose the endpoint; the root field stays',
  ),
  'address-reused': rule(
    'breaking',
    'breaking',
    'a name, UUID or alias leads to another endpoint',
    'requests to it get rows of another query',
  ),

  'parameter-added': {
    ...rule('safe', 'safe', 'an optional parameter is new', 'nothing, as long as it is left out'),
    isStricterInSchema: true,
  },
  'parameter-added-required': rule(
    'breaking',
    'breaking',
    'a required parameter is new',
    'requests without it get 400',
  ),
  'parameter-removed': rule(
    'dangerous',
    'breaking',
    'a parameter is removed',
    'REST ignores parameters that are not declared, so that the rows are no longer restricted by it; the argument is invalid in GraphQL',
  ),
  'parameter-required': rule(
    'breaking',
    'breaking',
    'a parameter became required',
    'requests without it get 400',
  ),
  'parameter-optional': {
    ...rule('safe', 'safe', 'a parameter became optional', 'nothing: each request has it'),
    isStricterInSchema: true,
  },
  'parameter-type-widened': rule(
    'safe',
    'breaking',
    'a type that accepts every former value: `integer` to `float`, an `enum` to `string`',
    'REST accepts the same texts; variables and literals of GraphQL have the old type',
  ),
  'parameter-type-text': rule(
    'dangerous',
    'breaking',
    'a type that accepts every former value, but gives it to the SQL in another spelling: `date` to `timestamp`, others to `string`',
    'REST accepts the same texts, but rows may differ; variables and literals of GraphQL have the old type',
  ),
  'parameter-type-changed': rule(
    'breaking',
    'breaking',
    'a type that refuses former values',
    'requests with other values get 400',
  ),
  'parameter-list': rule(
    'safe',
    'breaking',
    'a parameter became a list',
    'REST accepts one value as before; variables of GraphQL have the old type',
  ),
  'parameter-single': rule(
    'breaking',
    'breaking',
    'a list became one value',
    'requests with several values get 400',
  ),
  'parameter-tightened': rule(
    'breaking',
    'breaking',
    '`min`, `max`, `max_length` or `max_items` allow less, `pattern` is added or changed, or `bind` is a type of fewer digits',
    'requests with values outside get 400',
  ),
  'parameter-loosened': rule(
    'safe',
    'safe',
    '`min`, `max`, `max_length` or `max_items` allow more, or `pattern` is removed',
    'nothing',
  ),
  'parameter-bind': rule(
    'dangerous',
    'dangerous',
    'a parameter has another type in the SQL',
    'the same values are accepted, but rows may differ',
  ),
  'parameter-pattern-literal': rule(
    'dangerous',
    'dangerous',
    'a `pattern` became a `string`',
    'characters with a meaning in regular expressions mean themselves',
  ),
  'parameter-default': rule(
    'dangerous',
    'dangerous',
    'a default is added, changed or removed',
    'requests without the parameter get other rows',
  ),

  'enum-value-added': {
    ...rule('safe', 'safe', 'an enum value is new', 'nothing: the enum is only a type of arguments'),
    isStricterInSchema: true,
  },
  'enum-value-removed': rule('breaking', 'breaking', 'an enum value is removed', 'requests with it get 400'),
  'enum-value-merged': rule(
    'dangerous',
    'breaking',
    'an enum value is removed, and its text means another value or the default',
    'REST answers with rows of the other value; the value is invalid in GraphQL',
  ),
  'enum-name-changed': rule(
    'safe',
    'breaking',
    'an enum value has another name in GraphQL',
    'operations with the old name are invalid',
  ),
  'enum-name-moved': rule(
    'safe',
    'dangerous',
    'a name in GraphQL is that of another enum value',
    'operations with it get other rows',
  ),
  'enum-type-renamed': rule(
    'safe',
    'breaking',
    'the enum has another name in GraphQL',
    'operations that declare variables of the old type are invalid',
  ),
  'enum-text-added': rule('safe', 'safe', 'a further spelling of an enum value', 'nothing'),
  'enum-text-removed': rule(
    'breaking',
    'safe',
    'a spelling of an enum value is removed',
    'REST requests with it get 400',
  ),
  'enum-text-changed': rule(
    'dangerous',
    'safe',
    'a text means another enum value than before',
    'REST requests with it get other rows',
  ),
  'unknown-refused': rule(
    'breaking',
    'safe',
    '`unknown: default` became `refuse`',
    'REST requests with values that are not listed get 400; GraphQL refused them before',
  ),
  'unknown-accepted': rule(
    'safe',
    'safe',
    '`unknown: refuse` became `default`',
    'REST requests with values that are not listed get rows of the default',
  ),

  'tenant-added': rule(
    'dangerous',
    'dangerous',
    'a parameter became the tenant',
    'keys that are bound to tenants may query the endpoint',
  ),
  'tenant-removed': rule(
    'breaking',
    'breaking',
    'the tenant is removed',
    'keys that are bound to tenants get 403',
  ),
  'tenant-moved': rule(
    'breaking',
    'breaking',
    'another parameter is the tenant',
    'keys that are bound to tenants must send another parameter',
  ),
  'tenant-pattern': rule(
    'dangerous',
    'dangerous',
    '`tenant_pattern` is changed',
    'keys that are bound to tenants may get other rows',
  ),
  'tenant-unchecked': rule(
    'dangerous',
    'dangerous',
    '`tenant_unchecked` is added',
    'it is no longer checked that only rows of one tenant are returned',
  ),
  'tenant-checked': rule('safe', 'safe', '`tenant_unchecked` is removed', 'nothing'),

  'column-added': rule('safe', 'safe', 'a column is new', 'a further member of each row, a further field'),
  'column-removed': rule(
    'breaking',
    'breaking',
    'a column, or a field of a record, is removed',
    'rows lack it, and operations that select it are invalid',
  ),
  'column-order': rule(
    'dangerous',
    'safe',
    'columns have another order, or a new one is not the last',
    'CSV, Arrow and Parquet have another order of columns',
  ),
  'column-widened': rule(
    'dangerous',
    'dangerous',
    '`integer` became `float`',
    'numbers may have a fraction; Arrow and Parquet have another type',
  ),
  'column-narrowed': rule(
    'dangerous',
    'safe',
    '`float` became `integer`',
    'Arrow and Parquet have another type; JSON has numbers as before',
  ),
  'column-text': rule(
    'dangerous',
    'dangerous',
    '`string` became `numeric`, `datetime`, `date` or `time`, or the reverse',
    'a text, but perhaps written in another way',
  ),
  'column-wire': rule(
    'breaking',
    'dangerous',
    '`timestamp` became `string`, or the reverse',
    'text instead of microseconds in REST, or the reverse; GraphQL has text, perhaps written in another way',
  ),
  'column-type': rule(
    'breaking',
    'breaking',
    'any other change of a column’s type, also between one value and a list',
    'values of another type or with another meaning',
  ),
  'column-record': rule(
    'safe',
    'breaking',
    'a record has fields with types in GraphQL, or is any JSON again',
    'REST is as before; operations must select fields, or must not',
  ),
  'field-renamed': rule(
    'safe',
    'breaking',
    'a field of a record has another name in GraphQL, for one beside it would have the same',
    'REST is as before; operations with the former name are invalid, or get the other field',
  ),
  'column-nullable': rule(
    'breaking',
    'breaking',
    'a column is no longer `required`',
    'rows may lack it, and the field may be null',
  ),
  'column-required': rule('safe', 'safe', 'a column became `required`', 'nothing'),
  'column-unit': rule(
    'dangerous',
    'dangerous',
    'a column has another unit',
    'the same types, but the numbers mean something else',
  ),

  'max-rows-lowered': rule(
    'dangerous',
    'dangerous',
    '`max_rows` is lower',
    'results are cut earlier, which `truncated` says',
  ),
  'max-rows-raised': rule('safe', 'safe', '`max_rows` is higher', 'results may have more rows'),
  'caching-longer': rule(
    'dangerous',
    'dangerous',
    '`caching` is longer, or enabled',
    'rows may be older than before',
  ),
  'caching-shorter': rule(
    'safe',
    'safe',
    '`caching` is shorter, or disabled',
    'newer rows; the query runs more often',
  ),
  'stale-shorter': rule(
    'dangerous',
    'dangerous',
    '`stale_if_error` is shorter',
    'more requests fail while the engine fails',
  ),
  'stale-longer': rule(
    'safe',
    'safe',
    '`stale_if_error` is longer',
    'older rows instead of errors while the engine fails',
  ),
  'cache-warming': rule('safe', 'safe', '`cache_warming` or `warm` is changed', 'nothing but time and cost'),
  'label-added': rule('safe', 'safe', 'a label is new', 'requests may set it'),
  'label-removed': rule(
    'dangerous',
    'dangerous',
    'a label is removed',
    'requests that set it succeed, but the bill lacks it',
  ),

  'sandboxing-enabled': rule(
    'dangerous',
    'dangerous',
    '`query_sandboxing` is enabled',
    'callers may read every row and column of the common tables',
  ),
  'sandboxing-disabled': rule(
    'breaking',
    'breaking',
    '`query_sandboxing` is disabled',
    'requests with SQL get 400, and the field for them is invalid',
  ),
  'sandbox-removed': rule(
    'breaking',
    'breaking',
    'a common table that callers may read, or a column of it, is removed or has another type',
    'SQL of callers that reads it gets 400',
  ),
  'sandbox-added': rule(
    'safe',
    'safe',
    'a common table that callers may read, or a column of it, is new',
    'nothing',
  ),

  'metric-added': rule('safe', 'safe', 'a metric is new in `prometheus`', 'a further series'),
  'metric-removed': rule(
    'breaking',
    'safe',
    'a metric, or the whole of `prometheus`, is removed',
    'Prometheus gets no samples, or 406',
  ),
  'metric-changed': rule(
    'dangerous',
    'safe',
    'a metric has another column or other labels',
    'Prometheus stores other series; queries and alerts may find none',
  ),

  'sql-changed': rule(
    'dangerous',
    'dangerous',
    'the SQL is changed',
    'rows may differ: `querygate test` shows whether they do',
  ),
  'sql-layout': rule('safe', 'safe', 'comments or blanks of the SQL are changed', 'nothing'),
  'table-changed': rule(
    'dangerous',
    'dangerous',
    'a table, or a field that the SQL names, is removed or has another type',
    'rows may differ',
  ),
  'table-extended': rule(
    'safe',
    'safe',
    'a table that the SQL reads has a new field, or a wildcard finds a new table',
    'nothing',
  ),
  'bytes-read': rule('safe', 'safe', 'a run reads more or fewer bytes', 'other cost'),
  'bytes-over-ratio': rule(
    'breaking',
    'breaking',
    'a run reads more bytes than `--max-bytes-ratio` allows',
    'nothing but cost: the option decides',
  ),
  'bytes-over-maximum': rule(
    'breaking',
    'breaking',
    'a run reads more bytes than `BIGQUERY_MAXIMUM_BYTES_BILLED`, and did not before',
    'requests get 422 `QUERY_TOO_EXPENSIVE`',
  ),

  description: rule(
    'safe',
    'safe',
    'descriptions, examples or stated units are changed',
    'other documentation',
  ),
  'schema-changed': rule(
    'safe',
    'safe',
    'anything else that a comparison of the GraphQL schemas finds',
    'in GraphQL as severe as GraphQL Inspector says',
  ),
} as const satisfies Readonly<Record<string, Rule>>;

export type Kind = keyof typeof rules;

export const ruleOf = (kind: Kind): Rule => rules[kind];

/** The more severe of two levels. */
export const worse = (a: Level, b: Level): Level => (levels.indexOf(a) <= levels.indexOf(b) ? a : b);
