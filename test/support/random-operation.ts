import fc from 'fast-check';
import type { Catalog, RecordField, SavedQuery } from '../../src/catalog/model/saved-query.ts';
import { camelCase, connectionFieldOf, graphqlNames } from '../../src/names/graphql-names.ts';
import { entityName } from './random-catalog.ts';

export interface Operation {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

const maybe = (text: fc.Arbitrary<string>) => fc.oneof({ weight: 2, arbitrary: fc.constant('') }, text);

const alias = maybe(fc.constantFrom('a: ', 'b: ', 'rows: ', 'count: ', '__x: ', `${'long'.repeat(40)}: `));

const directive = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  fc.constantFrom(
    ' @include(if: true)',
    ' @skip(if: true)',
    ' @skip(if: false)',
    ' @include(if: $yes)',
    ' @skip(if: $yes)',
    ' @include(if: $no) @skip(if: $yes)',
  ),
);

/** Fields of one type, some of them in inline or named fragments. */
function selection(
  fields: readonly fc.Arbitrary<string>[],
  type: string,
  fragments: readonly string[] = [],
): fc.Arbitrary<string> {
  const field = fc.oneof(...fields);
  const spread =
    fragments.length === 0
      ? []
      : [fc.tuple(fc.constantFrom(...fragments), directive).map(([name, when]) => `...${name}${when}`)];
  const part = fc.oneof(
    { weight: 5, arbitrary: field },
    fc
      .tuple(fc.constantFrom(`... on ${type}`, '...'), directive, field, field)
      .map(([head, when, one, other]) => `${head}${when} { ${one} ${other} }`),
    ...spread,
  );
  return fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => `{ ${parts.join(' ')} }`);
}

const leaf = (name: string) => fc.tuple(alias, directive).map(([as, when]) => `${as}${name}${when}`);

const pascal = (name: string) => `${camelCase(name).slice(0, 1).toUpperCase()}${camelCase(name).slice(1)}`;

function rowSelection(
  { name, columns, federation }: SavedQuery,
  fragments: readonly string[] = [],
  extending: readonly SavedQuery[] = [],
): fc.Arbitrary<string> {
  const type = `${pascal(name)}Row`;
  const fields = columns.map((column) => fieldOf(column, camelCase(column.name), type));
  const references = (federation?.references ?? []).map(({ field }) =>
    nested(
      field,
      fc.oneof(
        { weight: 4, arbitrary: selection(['id', '__typename'].map(leaf), entityName) },
        // More than the columns of a row say.
        entitySelection(extending, () => selection(['rowCount', '__typename'].map(leaf), '')),
      ),
    ),
  );
  return selection([...fields, ...references, leaf('__typename')], type, fragments);
}

const nested = (field: string, inner: fc.Arbitrary<string>) =>
  fc.tuple(alias, directive, inner).map(([as, when, below]) => `${as}${field}${when} ${below}`);

const entityArguments = maybe(
  fc.constantFrom('(atLeast: 7)', '(interval: ONE_HOUR)', '(interval: $other)', '(interval: null)'),
);

/** Fields of the entity: of its keys, and the queries that extend it. */
function entitySelection(
  extending: readonly SavedQuery[],
  ofResult: (query: SavedQuery) => fc.Arbitrary<string>,
): fc.Arbitrary<string> {
  const queries = extending.map((query) =>
    fc
      .tuple(alias, entityArguments, directive, ofResult(query))
      .map(([as, given, when, below]) => `${as}${camelCase(query.name)}${given}${when} ${below}`),
  );
  return selection([...queries, leaf('id'), leaf('__typename')], entityName);
}

const representation = fc.constantFrom<unknown>(
  ...['1', 'x', 'é', 'fail', 'busy', '', 7].map((id) => ({ __typename: entityName, id })),
  { __typename: entityName, code: 5 },
  { __typename: entityName, id: 'x', code: 5 },
  { __typename: 'Other', id: 'x' },
  { id: 'x' },
  null,
);

const literalOf = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? `{ ${Object.entries(value)
        .map(([name, member]) => `${name}: ${JSON.stringify(member)}`)
        .join(', ')} }`
    : JSON.stringify(value);

const representations = fc.oneof(
  fc
    .array(
      representation.filter((one) => one !== null),
      { maxLength: 4 },
    )
    .map((some) => `[${some.map(literalOf).join(', ')}]`),
  fc.constant('$things'),
);

/** Fields of a type, without other aliases, which make most selections invalid. */
const plainSelection = (fields: readonly string[], ...more: readonly fc.Arbitrary<string>[]) =>
  fc
    .tuple(fc.subarray([...fields], { minLength: 1 }), ...more)
    .map((parts) => `{ ${parts.flat().join(' ')} }`);

/** Some columns of rows, each once, and the objects to which they refer. */
function someColumns(
  { columns, federation }: SavedQuery,
  extending: readonly SavedQuery[],
): fc.Arbitrary<string> {
  const names = columns.filter(({ fields }) => fields === undefined).map(({ name }) => camelCase(name));
  const objects = (federation?.references ?? []).map(({ field }) => {
    const inner = extending.map(({ name }) => `${camelCase(name)} { rowCount }`);
    const below = fc.oneof(
      fc.constant('{ id }'),
      fc.constantFrom(...['__typename', 'id', ...inner]).map((one) => `{ ${one} }`),
    );
    return maybe(fc.tuple(directive, below).map(([when, text]) => `${field}${when} ${text}`));
  });
  return plainSelection([...names, '__typename'], ...objects);
}

/** Entities by their representations, and one by its key. */
function entityRoots(extending: readonly SavedQuery[]): readonly fc.Arbitrary<string>[] {
  if (extending.length === 0) return [];
  const fields = extending.map((query) =>
    fc
      .tuple(entityArguments, directive, someColumns(query, extending))
      .map(([given, when, rows]) => `${camelCase(query.name)}${given}${when} { rowCount rows ${rows} }`),
  );
  const below = fc.oneof(
    { weight: 3, arbitrary: plainSelection(['id', '__typename'], ...fields.map(maybe)) },
    entitySelection(extending, (query) => resultSelection(query, [], [], extending)),
  );
  const ofUnion = fc
    .tuple(fc.constantFrom('', 'e1: ', 'e2: '), representations, directive, directive, below)
    .map(
      ([as, given, when, inner, text]) =>
        `${as}_entities(representations: ${given})${when} { __typename ... on ${entityName}${inner} ${text} }`,
    );
  const found = fc
    .tuple(fc.constantFrom('"x"', '"1"', '"fail"', '""'), below)
    .map(([id, text]) => `_find${entityName}ById(id: ${id}) ${text}`);
  return [ofUnion, ofUnion, found];
}

const pageArguments = maybe(
  fc.constantFrom(
    '(first: 2)',
    '(first: 0)',
    '(last: 3)',
    '(first: 20)',
    '(last: 2, atLeast: 7)',
    '(first: 1, last: 1)',
    '(first: $count)',
    '(after: "x")',
    '(p: "fail", first: 1)',
    '(first: 5, p: $text)',
  ),
);

/** A page of a query, with its edges. */
function connection(query: SavedQuery, extending: readonly SavedQuery[]): fc.Arbitrary<string> {
  const type = pascal(query.name);
  const nodes = fc.oneof(
    { weight: 3, arbitrary: someColumns(query, extending) },
    rowSelection(query, [], extending),
  );
  const node = fc.tuple(alias, directive, nodes).map(([as, when, below]) => `${as}node${when} ${below}`);
  const edges = fc.oneof(
    { weight: 3, arbitrary: plainSelection(['cursor', '__typename'], node) },
    selection([node, leaf('cursor'), leaf('__typename')], `${type}Edge`),
  );
  const info = ['hasNextPage', 'hasPreviousPage', 'startCursor', 'endCursor', '__typename'];
  const below = fc
    .tuple(
      directive,
      edges,
      plainSelection(info),
      fc.subarray(['rowCount', 'computedAt', 'stale', '__typename']),
    )
    .map(
      ([when, ofEdges, ofInfo, more]) => `{ edges${when} ${ofEdges} pageInfo ${ofInfo} ${more.join(' ')} }`,
    );
  return fc
    .tuple(fc.constantFrom('', 'c1: '), pageArguments, directive, below)
    .map(
      ([as, given, when, text]) => `${as}${connectionFieldOf(camelCase(query.name))}${given}${when} ${text}`,
    );
}

function fieldOf({ fields }: RecordField, name: string, parent: string): fc.Arbitrary<string> {
  if (fields === undefined) return leaf(name);
  const type = `${parent}_${name}`;
  const names = graphqlNames(fields);
  const inner = fields.map((field, at) => fieldOf(field, names[at] ?? '', type));
  return fc
    .tuple(alias, directive, selection([...inner, leaf('__typename')], type))
    .map(([as, when, below]) => `${as}${name}${when} ${below}`);
}

function resultSelection(
  query: SavedQuery,
  fragments: readonly string[],
  rowFragments: readonly string[],
  extending: readonly SavedQuery[] = [],
): fc.Arbitrary<string> {
  const cost = selection(['bytesProcessed', 'slotMs', 'cacheHit', 'jobId', '__typename'].map(leaf), 'Cost');
  const { filter = [], order = [] } = query.rowArguments ?? {};
  const asked = (field: string, given: fc.Arbitrary<string>, inner: fc.Arbitrary<string>) =>
    fc
      .tuple(alias, given, directive, inner)
      .map(([as, text, when, below]) => `${as}${field}${text}${when} ${below}`);
  const aggregateFields = ['count', '__typename'].map(leaf);
  for (const one of ['min', 'max'] as const) {
    const leaves = [...new Set([...filter, ...order])].map(({ name }) => leaf(camelCase(name)));
    aggregateFields.push(
      nested(one, selection([...leaves, leaf('__typename')], `${pascal(query.name)}${pascal(one)}imums`)),
    );
  }
  const askedFields =
    query.rowArguments === undefined
      ? []
      : [
          asked('rows', rowArguments(query), rowSelection(query, rowFragments, extending)),
          asked(
            'aggregates',
            maybe(
              filter.length === 0 ? fc.constant('') : whereText(query).map((where) => `(where: ${where})`),
            ),
            selection(aggregateFields, `${pascal(query.name)}Aggregates`),
          ),
        ];
  const fields = [
    ...askedFields,
    nested('rows', rowSelection(query, rowFragments, extending)),
    nested('rows', rowSelection(query, rowFragments, extending)),
    nested('cost', cost),
    ...['rowCount', 'truncated', 'computedAt', 'stale', 'cacheStatus', '__typename'].map(leaf),
  ];
  return selection(fields, `${pascal(query.name)}Result`, fragments);
}

const argumentsText = maybe(
  fc.constantFrom(
    '(p: "x")',
    '(p: $text)',
    '(p: null)',
    '(p: "é \\u00e9 \\" \\\\ \\u{1F44D} 👍 #")',
    '(p: """ block "quoted"\n  text """)',
    '(atLeast: 9007199254740991)',
    '(atLeast: $least)',
    '(interval: $other)',
    '(interval: ONE_HOUR)',
    '(interval: $interval, atLeast: $number)',
    '(p: "fail")',
    '(p: "busy")',
    '(p: "bug")',
    '(atLeast: 7, p: $text)',
  ),
);

const whereText = ({ rowArguments }: SavedQuery): fc.Arbitrary<string> => {
  const { filter = [] } = rowArguments ?? {};
  const comparison = fc.constantFrom(...filter).chain(({ name, type }) => {
    const values =
      type === 'string' ? ['"x"', '$text', '"é"'] : type === 'integer' ? ['1', '$number', '-9'] : ['null'];
    return fc
      .tuple(fc.constantFrom('eq', 'ne', 'gte', 'lt'), fc.constantFrom(...values), fc.boolean())
      .map(([operator, value, isNull]) =>
        value === 'null'
          ? `{ ${camelCase(name)}: { isNull: ${isNull} } }`
          : `{ ${camelCase(name)}: { ${operator}: ${value} } }`,
      );
  });
  return fc.oneof(
    { weight: 3, arbitrary: comparison },
    comparison.map((one) => `{ not: ${one} }`),
    fc.tuple(comparison, comparison).map(([a, b]) => `{ or: [${a}, ${b}] }`),
  );
};

/** Of the field `rows` of a query with marked columns. Some are refused. */
function rowArguments(query: SavedQuery): fc.Arbitrary<string> {
  const { filter = [], order = [] } = query.rowArguments ?? {};
  const parts = [
    ...(filter.length === 0 ? [] : [whereText(query).map((where) => `where: ${where}`)]),
    ...(order.length === 0
      ? []
      : [
          fc
            .tuple(fc.constantFrom(...order), fc.constantFrom('ASC', 'DESC', 'DESC_NULLS_FIRST'))
            .map(([{ name }, word]) => `orderBy: [{ ${camelCase(name)}: ${word} }]`),
        ]),
    fc.constantFrom('first: 2', 'first: 0', 'first: null', 'first: -1', 'offset: 1', 'first: 3, offset: 1'),
  ];
  return maybe(
    fc
      .subarray(parts, { minLength: 1 })
      .chain((some) => fc.tuple(...some))
      .map((some) => `(${some.join(', ')})`),
  );
}

/**
 * A document over a catalog: aliases, fragments, directives, variables, several root fields, of which a subscription has one.
 * Not all are valid.
 */
export function randomOperation(
  { queries }: Catalog,
  type: 'query' | 'subscription' = 'query',
): fc.Arbitrary<Operation> {
  const isQuery = type === 'query';
  const [first] = queries;
  if (first === undefined) throw new Error('a catalog without queries');
  const extending = queries.filter(({ federation }) => federation?.extension !== undefined);
  const fragment = resultSelection(first, [], ['R'], extending).map(
    (body) => `fragment F on ${pascal(first.name)}Result ${body}`,
  );
  const rowFragment = rowSelection(first, [], extending).map(
    (body) => `fragment R on ${pascal(first.name)}Row ${body}`,
  );
  const root = fc
    .constantFrom(...queries)
    .chain((query) =>
      fc
        .tuple(
          maybe(fc.constantFrom('r1: ', 'r2: ')),
          argumentsText,
          isQuery ? directive : fc.constant(''),
          resultSelection(query, query === first ? ['F'] : [], query === first ? ['R'] : [], extending),
        )
        .map(([as, given, when, below]) => `${as}${camelCase(query.name)}${given}${when} ${below}`),
    );
  const pages = queries
    .filter((query) => query.pages !== undefined)
    .map((query) => ({ weight: 4, arbitrary: connection(query, extending) }));
  const linked = [...pages, ...entityRoots(extending).map((arbitrary) => ({ weight: 2, arbitrary }))];
  const other = isQuery ? [leaf('__typename'), ...linked] : [leaf('__typename')];
  const roots = fc.array(fc.oneof({ weight: 8, arbitrary: root }, ...other), {
    minLength: 1,
    maxLength: isQuery ? 3 : 1,
  });
  const variables = fc.record(
    {
      yes: isQuery ? fc.option(fc.boolean()) : fc.boolean(),
      no: fc.boolean(),
      text: fc.option(fc.constantFrom('x', 'é', 'fail')),
      number: fc.option(fc.integer({ min: -5, max: 5 })),
      interval: fc.constantFrom('ONE_DAY', 'ONE_HOUR', 'NOPE'),
      other: fc.constantFrom('ONE_HOUR', null),
      least: fc.constantFrom(0, 9007199254740991, 9007199254740992, 1.5, '7'),
      count: fc.constantFrom(0, 1, 200, null),
      things: fc.array(representation, { maxLength: 4 }),
    },
    { requiredKeys: [] },
  );
  return fc.tuple(roots, fragment, rowFragment, variables).map(([fields, resultText, rowText, values]) => {
    const body = fields.join(' ');
    const withResult = body.includes('...F') ? `${body}\n${resultText}` : body;
    const all = withResult.includes('...R') ? `${withResult}\n${rowText}` : withResult;
    const declared = [
      ['yes', 'Boolean = true'],
      ['no', 'Boolean! = false'],
      ['text', 'String'],
      ['number', 'SafeInt'],
      ['interval', 'Interval'],
      ['other', 'Interval = ONE_DAY'],
      ['least', 'SafeInt! = 12'],
      ['count', 'Int'],
      ['things', '[_Any!]!'],
    ].filter(([name]) => all.includes(`$${name}`));
    const head = declared.map(([name, type]) => `$${name}: ${type}`).join(', ');
    const query = `${type} Q${head === '' ? '' : `(${head})`} { ${body} }${all.slice(body.length)}`;
    return { query, variables: values };
  });
}
