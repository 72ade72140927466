import { inputValue } from './inputs.ts';
import {
  choose,
  elementOf,
  isArray,
  type Maker,
  orderedTypes,
  pick,
  type Scope,
  splitFields,
} from './maker.ts';
import type { ExpressionTemplate, Gap } from './templates.ts';
import { choice, list, sorted, sql, type Tree } from './tree.ts';

/** A random expression of a type. */
export function makeExpression(maker: Maker, type: string, scope: Scope, depth: number): Tree {
  const { random } = maker;
  const deeper = depth > 0 ? 1 : 0;
  const columns = scope.columns.filter((column) => column.type === type);
  const made = choose<Tree>(random, [
    [columns.length > 0 ? 6 : 0, () => columnOf(maker, type, scope)],
    [2, () => literalOf(maker, type)],
    [scope.calls ? 4 : 0, () => scope.calls?.(type, depth)],
    [4 * deeper, () => fromTemplate(maker, type, scope, depth)],
    [2 * deeper, () => conditional(maker, type, scope, depth - 1)],
    [1 * deeper, () => converted(maker, type, scope, depth - 1)],
    [type === 'BOOL' ? 6 * deeper : 0, () => condition(maker, scope, depth - 1)],
    [isArray(type) ? 3 * deeper : 0, () => arrayExpression(maker, type, scope, depth - 1)],
    [scope.allowsSubqueries ? 0.8 * deeper : 0, () => scalarSubquery(maker, type, scope, depth - 1)],
  ]);
  return made ?? constructed(maker, type, scope, depth);
}

function columnOf({ random }: Maker, type: string, scope: Scope, inputs?: string): Tree | undefined {
  const columns = scope.columns.filter(
    (column) => column.type === type && (inputs === undefined || column.inputs === inputs),
  );
  return columns.length === 0 ? undefined : sorted(type)`${pick(random, columns).name}`;
}

/** A literal, or a parameter; undefined if there are no inputs of the type. */
export function literalOf({ random, inputs, fresh }: Maker, type: string): Tree | undefined {
  const classes = [...inputs.values()].filter((one) => one.type === type && !special.has(one.name));
  if (classes.length === 0) return undefined;
  return inputValue(pick(random, classes), random, fresh('p'));
}

/** Classes whose inputs mean something to some functions only. */
const special = new Set(['zone', 'code_points', 'pattern', 'json_text', 'ip', 'url']);

/** Classes that any expression of the type may replace. */
const general = new Set([
  'int64',
  'float64',
  'numeric',
  'bool',
  'string',
  'bytes',
  'date',
  'datetime',
  'time',
  'timestamp',
  'int64s',
  'strings',
]);

export function fromTemplate(
  maker: Maker,
  type: string,
  scope: Scope,
  depth: number,
  isExact = true,
): Tree | undefined {
  const { random, templates } = maker;
  const fitting = (templates.get(type) ?? []).filter(({ exact }) => exact === isExact);
  if (fitting.length === 0) return undefined;
  const template = pick(random, [...pick(random, [...bySubject(fitting).values()])]);
  const parts = template.parts.map((part) =>
    typeof part === 'string' ? part : fillGap(maker, template, part, scope, depth - 1),
  );
  return sorted(type)`(${parts})`;
}

/** Functions with many cases are not more frequent than others. */
const bySubject = (templates: readonly ExpressionTemplate[]) =>
  Map.groupBy(templates, ({ subject }) => subject);

function fillGap(maker: Maker, { subject }: ExpressionTemplate, gap: Gap, scope: Scope, depth: number): Tree {
  const { random, inputs, fresh } = maker;
  const { inputs: name, choices, type } = gap;
  const known = name === undefined ? undefined : inputs.get(name);
  if (known && general.has(known.name)) return maker.expression(known.type, scope, depth);
  if (known) {
    const column = random.percent(50) ? columnOf(maker, known.type, scope, known.name) : undefined;
    if (column) return column;
    return mayBeAny.has(known.name) && random.percent(30)
      ? maker.expression(known.type, scope, depth)
      : inputValue(known, random, fresh('p'));
  }
  const isAny = type !== undefined && !growing.test(subject) && random.percent(15);
  if (!isAny) return pick(random, choices);
  const any = maker.expression(type, scope, depth);
  // The evaluator compares a column of a table byte by byte, whatever collation the other side has.
  return /^collate$/i.test(subject) && type === 'STRING'
    ? choice(
        type,
        [any],
        ([text = '']) => text,
        ([text = '']) => sql`CONCAT(${text}, '')`,
      )
    : any;
}

const mayBeAny = new Set(['finite', 'needle', 'json']);

/** A large argument gives a large result. */
const growing = /^(repeat|[lr]pad|generate_\w+|format)$/i;

function conditional(maker: Maker, type: string, scope: Scope, depth: number): Tree | undefined {
  const value = () => maker.expression(type, scope, depth);
  const test = () => maker.expression('BOOL', scope, depth);
  const other = pick(maker.random, orderedTypes);
  const compared = () => maker.expression(other, scope, depth);
  return choose<Tree>(maker.random, [
    [2, () => sorted(type)`IF(${test()}, ${value()}, ${value()})`],
    [
      2,
      () =>
        sorted(type)`CASE WHEN ${test()} THEN ${value()} WHEN ${test()} THEN ${value()} ELSE ${value()} END`,
    ],
    [1, () => sorted(type)`CASE ${compared()} WHEN ${compared()} THEN ${value()} ELSE ${value()} END`],
    [1, () => sorted(type)`COALESCE(${value()}, ${value()}, ${value()})`],
    [1, () => sorted(type)`IFNULL(${value()}, ${value()})`],
    [orderedTypes.includes(type) ? 2 : 0, () => sorted(type)`NULLIF(${value()}, ${value()})`],
    [1, () => sorted(type)`STRUCT(${value()} AS p, ${compared()} AS q).p`],
    [
      isArray(type) ? 0 : 1,
      () => sorted(type)`[${value()}, ${value()}][SAFE_OFFSET(${pick(maker.random, ['0', '1', '2'])})]`,
    ],
    [
      isArray(type) ? 0 : 0.5,
      () => sorted(type)`(${maker.expression(`ARRAY<${type}>`, scope, depth)})[SAFE_OFFSET(0)]`,
    ],
    [0.5, () => sorted(type)`WITH(v AS ${value()}, IF(v IS NULL, ${value()}, v))`],
  ]);
}

/** Which types are converted into a type; the others are by way of STRING. */
const sources: Readonly<Record<string, readonly string[]>> = {
  INT64: ['BOOL', 'NUMERIC', 'STRING'],
  FLOAT64: ['INT64', 'NUMERIC', 'STRING'],
  NUMERIC: ['INT64', 'STRING', 'BIGNUMERIC'],
  BIGNUMERIC: ['INT64', 'NUMERIC', 'NUMERIC', 'STRING'],
  BOOL: ['INT64', 'STRING'],
  STRING: [
    'INT64',
    'FLOAT64',
    'NUMERIC',
    'BOOL',
    'DATE',
    'DATETIME',
    'TIME',
    'TIMESTAMP',
    'INTERVAL',
    'BYTES',
  ],
  BYTES: ['STRING'],
  DATE: ['TIMESTAMP', 'DATETIME', 'STRING'],
  DATETIME: ['TIMESTAMP', 'DATE', 'STRING'],
  TIME: ['TIMESTAMP', 'DATETIME', 'STRING'],
  TIMESTAMP: ['DATE', 'DATETIME', 'STRING'],
  JSON: [],
  INTERVAL: [],
};

function converted(maker: Maker, type: string, scope: Scope, depth: number): Tree | undefined {
  const from = sources[type] ?? [];
  if (from.length === 0) return undefined;
  const source = pick(maker.random, from);
  const isSafe = maker.random.percent(source === 'STRING' ? 90 : 20);
  return sorted(type)`${isSafe ? 'SAFE_CAST' : 'CAST'}(${maker.expression(source, scope, depth)} AS ${type})`;
}

const comparisons = ['=', '!=', '<', '<=', '>', '>=', 'IS DISTINCT FROM', 'IS NOT DISTINCT FROM'];

/** A condition that is no single call. */
function condition(maker: Maker, scope: Scope, depth: number): Tree | undefined {
  const { random } = maker;
  const type = pick(random, orderedTypes);
  const value = () => maker.expression(type, scope, depth);
  const test = () => maker.expression('BOOL', scope, depth);
  const not = pick(random, ['', '', 'NOT ']);
  const made = choose<Tree>(random, [
    [4, () => sql`(${value()} ${pick(random, comparisons)} ${value()})`],
    [2, () => sql`(${test()} ${pick(random, ['AND', 'OR'])} ${test()})`],
    [1, () => sql`(NOT ${test()})`],
    [1, () => sql`(${value()} IS ${not}NULL)`],
    [1, () => sql`(${value()} ${not}BETWEEN ${value()} AND ${value()})`],
    [1, () => sql`(${value()} ${not}IN (${list([value(), value(), value()])}))`],
    [1, () => sql`(${value()} ${not}IN UNNEST(${maker.expression(`ARRAY<${type}>`, scope, depth)}))`],
    [scope.allowsSubqueries ? 1.5 : 0, () => existence(maker, scope, depth)],
    [scope.allowsSubqueries ? 1.5 : 0, () => membership(maker, scope, depth, type)],
  ]);
  return made && sorted('BOOL')`${made}`;
}

function existence(maker: Maker, scope: Scope, depth: number): Tree {
  const not = maker.random.percent(30) ? 'NOT ' : '';
  return sql`(${not}EXISTS(${maker.query({ depth, outer: scope }).tree}))`;
}

function membership(maker: Maker, scope: Scope, depth: number, type: string): Tree {
  const not = maker.random.percent(30) ? 'NOT ' : '';
  const { tree } = maker.query({ depth, outer: scope, types: [type] });
  return sql`(${maker.expression(type, scope, depth)} ${not}IN (${tree}))`;
}

const scalarSubquery = (maker: Maker, type: string, scope: Scope, depth: number): Tree =>
  sorted(type)`(${maker.query({ depth, outer: scope, types: [type], rows: 'one row' }).tree})`;

function arrayExpression(maker: Maker, type: string, scope: Scope, depth: number): Tree | undefined {
  const element = elementOf(type);
  const isNested = isArray(element);
  const value = () => maker.expression(element, scope, depth);
  return choose<Tree>(maker.random, [
    [isNested ? 0 : 2, () => sorted(type)`[${list([value(), value(), value()])}]`],
    [
      1,
      () =>
        sorted(
          type,
        )`ARRAY_CONCAT(${maker.expression(type, scope, depth)}, ${maker.expression(type, scope, depth)})`,
    ],
    [
      scope.allowsSubqueries && orderedTypes.includes(element) ? 3 : 0,
      () =>
        sorted(type)`ARRAY(${maker.query({ depth, outer: scope, types: [element], rows: 'sorted' }).tree})`,
    ],
  ]);
}

/** For types without inputs. */
function constructed(maker: Maker, type: string, scope: Scope, depth: number): Tree {
  const part = () => Math.max(depth - 1, 0);
  if (isArray(type) && !isArray(elementOf(type)))
    return sorted(type)`[${maker.expression(elementOf(type), scope, part())}]`;
  if (type.startsWith('STRUCT<')) {
    const fields = splitFields(type).map(
      ({ name, type }) => sql`${maker.expression(type, scope, part())} AS ${name}`,
    );
    return sorted(type)`STRUCT(${list(fields, ', ', fields.length)})`;
  }
  if (type === 'BIGNUMERIC')
    return sorted(type)`CAST(${maker.expression('NUMERIC', scope, part())} AS BIGNUMERIC)`;
  if (type === 'INTERVAL') {
    const unit = pick(maker.random, ['DAY', 'MONTH', 'HOUR', 'SECOND', 'YEAR']);
    return sorted(type)`INTERVAL ${pick(maker.random, ['0', '1', '-5', '40', '1000'])} ${unit}`;
  }
  return sorted(type)`CAST(NULL AS ${type})`;
}
