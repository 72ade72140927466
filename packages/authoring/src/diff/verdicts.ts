import type { Level } from './levels.ts';

/** The verdict on a kind of change. */
interface Rule {
  readonly rest: Level;
  readonly graphql: Level;
  /** The effect that callers see. */
  readonly effect: string;
  /** Set if a comparison of GraphQL schemas, which cannot know the gateway, gives a level that is too high. */
  readonly isStricterInSchema?: true;
}

/** @param effects by the name of the kind */
function verdict<K extends string>(
  rest: Level,
  graphql: Level,
  effects: Readonly<Record<K, string>>,
  more: Pick<Rule, 'isStricterInSchema'> = {},
): Readonly<Record<K, Rule>> {
  const all = Object.entries<string>(effects).map(([kind, effect]) => [
    kind,
    { rest, graphql, effect, ...more },
  ]);
  return Object.fromEntries(all);
}

/** Every kind of change with its verdict, for REST and for GraphQL. `docs/diff.md` has the same, and what each kind is. */
export const rules = {
  ...verdict('breaking', 'breaking', {
    'endpoint-removed': 'its path gives 404, and its root field is invalid',
    'query-invalid': 'no gateway starts with it',
    'endpoint-renamed': 'the old name gives 404 or another endpoint; root field and types have other names',
    'address-reused': 'requests to it get rows of another query',
    'parameter-added-required': 'requests without it get 400',
    'parameter-required': 'requests without it get 400',
    'parameter-type-changed': 'requests with other values get 400',
    'parameter-single': 'requests with several values get 400',
    'parameter-tightened': 'requests with values outside get 400',
    'enum-value-removed': 'requests with it get 400',
    'filter-removed': 'requests with it get 400',
    'order-removed': 'requests with it get 400',
    'aggregate-removed': 'requests with it get 400',
    'filter-type-changed': 'requests with other values get 400',
    'row-arguments-removed': 'REST answers with all rows; in GraphQL they are invalid',
    'tenant-removed': 'keys bound to tenants get 404',
    'tenant-moved': 'keys bound to tenants must send another parameter',
    'column-removed': 'rows lack it, and operations that select it are invalid',
    'column-type': 'values of another type or with another meaning',
    'column-nullable': 'rows may lack it, and the field may be null',
    'live-removed': 'clients that follow the result get 406; subscriptions are invalid',
    'sandboxing-disabled': 'requests with SQL get 400, and the field for them is invalid',
    'sandbox-removed': 'SQL of callers that reads it gets 400',
    'bytes-over-ratio': 'nothing but cost: the option decides',
    'cost-over-maximum': 'nothing but cost: the option decides',
    'bytes-over-maximum': 'requests get 422 `QUERY_TOO_EXPENSIVE`',
  }),
  ...verdict('breaking', 'dangerous', {
    'id-changed': 'the old UUID gives 404, and so do keys that name it; the root field stays',
    'alias-removed': 'its path gives 404, and keys that name it lose the endpoint; the root field stays',
    'column-wire':
      'text instead of microseconds in REST, or the reverse; in GraphQL perhaps another spelling',
  }),
  ...verdict('breaking', 'safe', {
    'enum-text-removed': 'REST requests with it get 400',
    'unknown-refused': 'REST requests with other values get 400',
    strict: 'REST requests with undeclared parameters get 400',
    'row-argument-hidden': 'REST requests with it set the parameter',
    'metric-removed': 'Prometheus gets no samples, or 406',
  }),
  ...verdict('dangerous', 'breaking', {
    'default-version':
      'its callers get rows of the other version, whose differences are listed too; the field has another type',
    'parameter-removed': 'REST ignores it, so rows may differ; in GraphQL it is invalid',
    'parameter-type-text':
      'REST accepts the same texts, but rows may differ; variables and literals of GraphQL have the old type',
    'filter-type-text':
      'REST accepts the same texts, but rows may differ; variables and literals of GraphQL have the old type',
    'pages-removed': 'REST answers without pages; in GraphQL their field is invalid',
    'enum-value-merged': 'REST answers with rows of the other value; in GraphQL it is invalid',
  }),
  ...verdict('dangerous', 'dangerous', {
    'parameter-bind': 'rows may differ',
    'parameter-pattern-literal': 'characters with a meaning in patterns mean themselves',
    'parameter-default': 'requests without the parameter get other rows',
    'tenant-added': 'keys bound to tenants may query the endpoint',
    'tenant-pattern': 'keys bound to tenants may get other rows',
    'tenant-unchecked': 'nothing proves any more that rows are of one tenant',
    'column-widened': 'numbers may have a fraction; Arrow and Parquet have another type',
    'column-text': 'perhaps another spelling',
    'column-unit': 'the numbers mean something else',
    'max-rows-lowered': 'results are cut earlier, which `truncated` says',
    'caching-longer': 'rows may be older than before',
    'stale-shorter': 'more requests fail while the engine fails',
    'budget-tightened': 'more requests may get 429 `BUDGET_EXCEEDED`',
    reservation: 'other slots run it, at another cost',
    'push-removed': 'row arguments see only rows up to `max_rows`',
    'label-removed': 'the bill lacks it',
    'tag-removed': '`/mcp/<tag>` lacks the tool',
    'sandboxing-enabled': 'callers may read every row and column of the common tables',
    'sql-changed': 'rows may differ: `querygate test` shows whether they do',
    'table-changed': 'rows may differ',
  }),
  ...verdict('dangerous', 'safe', {
    'enum-text-changed': 'REST requests with it get other rows',
    'column-order': 'CSV, Arrow and Parquet have another order of columns',
    'column-narrowed': 'Arrow and Parquet have another type',
    'metric-changed': 'other series; queries and alerts may find none',
  }),
  ...verdict('safe', 'breaking', {
    'endpoint-renamed-with-alias': 'the old path works, the old root field does not',
    'only-version': 'REST still finds it by number; the root field with the number is removed',
    'parameter-type-widened': 'variables and literals of GraphQL have the old type',
    'filter-type-widened': 'variables and literals of GraphQL have the old type',
    'parameter-list': 'variables of GraphQL have the old type',
    'entity-field-removed': 'the graph composes without it or not at all; operations with it are invalid',
    'entity-key-removed': 'subgraphs that know the entity by the key cannot reach its fields',
    'reference-removed': 'operations that reach the entity through rows are invalid',
    'enum-name-changed': 'operations with the old name are invalid',
    'enum-type-renamed': 'variables of GraphQL have the old type',
    'column-record': 'operations must select fields, or must not',
    'field-renamed': 'operations with the former name are invalid, or get the other field',
  }),
  ...verdict('safe', 'dangerous', {
    'enum-name-moved': 'operations with it get other rows',
    'entity-key-parameter': 'the same entities get other rows',
    'federation-directives': 'the graph may hide the field, or ask another subgraph for it',
  }),
  ...verdict('safe', 'safe', {
    'endpoint-added': 'a new path and a new root field',
    'id-changed-with-alias': 'nothing',
    deprecation: 'other headers and schemas',
    shadow: 'nothing but cost',
    'alias-added': 'a further path',
    'parameter-loosened': 'nothing',
    'enum-text-added': 'nothing',
    'unknown-accepted': 'REST requests with other values get rows of the default',
    'strict-removed': 'REST ignores undeclared parameters',
    'tenant-checked': 'nothing',
    'column-required': 'nothing',
    'max-rows-raised': 'perhaps more rows',
    'caching-shorter': 'newer rows; the query runs more often',
    'stale-longer': 'older rows instead of errors while the engine fails',
    'cache-warming': 'nothing but time and cost',
    live: 'clients may follow the result, or events come earlier, later or as other patches',
    'budget-loosened': 'fewer requests are refused',
    refreshes: 'other cost; late rows come sooner or later',
    'label-added': 'requests may set it',
    'tag-added': '`/mcp/<tag>` has the tool, too',
    'sandbox-added': 'nothing',
    'push-added': 'row arguments see more rows',
    'pages-added': 'a further field; nothing, as long as REST requests leave them out',
    'metric-added': 'a further series',
    'sql-layout': 'nothing',
    'table-extended': 'nothing',
    'entity-field-added': 'a further field of the entity',
    'entity-key-added': 'subgraphs may know the entity by it',
    'reference-added': 'a further field of rows',
    'bytes-read': 'other cost',
    cost: 'other cost',
    description: 'other documentation',
    'schema-changed': 'in GraphQL as severe as GraphQL Inspector says',
  }),
  ...verdict(
    'safe',
    'safe',
    {
      'parameter-added': 'nothing, as long as it is left out',
      'column-added': 'a further member of each row, a further field',
      'row-arguments-added': 'nothing, as long as they are left out',
      'filter-added': 'nothing, as long as it is left out',
      'order-added': 'nothing, as long as it is left out',
      'aggregate-added': 'a further field',
      'parameter-optional': 'nothing: each request has it',
      'enum-value-added': 'nothing: the enum is only a type of arguments',
    },
    { isStricterInSchema: true },
  ),
};

export type Kind = keyof typeof rules;

export const ruleOf = (kind: Kind): Rule => rules[kind];
