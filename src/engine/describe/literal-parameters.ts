import type * as Syntax from '../dialect/syntax/nodes.ts';
import { skip, walk } from '../dialect/syntax/walk.ts';
import { dateOfSuffix, isoMoment, momentText, suffixTables } from './literal-moments.ts';

/** A literal that could be a parameter. */
export interface LiteralProposal {
  /** The offset of the literal in the SQL. */
  readonly start: number;
  readonly end: number;
  /** As it is written. */
  readonly text: string;
  readonly kind: 'date' | 'id' | 'interval';
  /** The name of the parameter; equal literals of the same use have one name. */
  readonly name: string;
  /** What could be written instead. */
  readonly instead: string;
  /** The value of the literal, or the values of a list, as a caller would send them. */
  readonly default: string | readonly string[];
  /** The least and the greatest value, beyond which there are no tables. */
  readonly bounds?: { readonly min: string; readonly max: string };
  /** What the parameter means, if its use says so. */
  readonly description: string | undefined;
}

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
/** Names of columns whose values a caller chooses: they identify or name something. A plain `key` is one of a map. */
const idColumn =
  /(?:^|_)(?:id|ids|uuid|guid|ref|slug|name|login|email|project|tenant|account|customer|user|username|org|organization|repo|repository|host|hostname|domain|site|country|region|city|currency|service|language|platform)$|_key$/i;

/** Dates, ids and intervals that a caller may prefer to choose, in the order of the text. */
export function literalProposals(sql: string, statement: Syntax.Statement): readonly LiteralProposal[] {
  const proposals: LiteralProposal[] = [];
  const names = new Names(statement);
  const propose = (
    { start, end }: Syntax.Located,
    kind: LiteralProposal['kind'],
    value: LiteralProposal['default'],
    [base, meaning]: readonly [name: string, meaning?: string],
    instead: (parameter: string) => string = plain,
    bounds?: LiteralProposal['bounds'],
  ) => {
    const name = names.nameOf(base, [value].flat().join('\n'));
    proposals.push({
      start,
      end,
      text: sql.slice(start, end),
      kind,
      name,
      instead: instead(`@${name}`),
      default: value,
      description: meaning,
      ...(bounds && { bounds }),
    });
  };
  const suffixes = suffixTables(statement);
  const aliases = tableNames(statement);
  walk(statement, (node, around) => {
    if (node.kind === 'TypedLiteral') {
      const value = momentText(node.value.value);
      const convert = isComparedWithAny(node, around) ? plain : conversions[node.type];
      if (value !== undefined && convert !== undefined)
        propose(node, 'date', value, momentUse(node, around, value), convert);
      return skip;
    }
    if (node.kind === 'FunctionCall') {
      const value = momentCall(node);
      if (value === undefined || !isComparedWithAny(node, around)) return undefined;
      propose(node, 'date', value, momentUse(node, around, value));
      return skip;
    }
    if (node.kind === 'ExpressionList') {
      const values = listedIds(node, around);
      if (values === undefined) return undefined;
      const [first] = node.items;
      const single = first === undefined ? 'id' : idName(first, [...around, node], aliases);
      propose(node, 'id', values, [pluralOf(single)], (parameter) => `UNNEST(${parameter})`);
      return skip;
    }
    if (node.kind === 'IntervalLiteral' && node.value.kind === 'IntegerLiteral') {
      const part = node.from.name.toLowerCase();
      // The steps of a series, and constant parts of a longer expression, are rarely a choice of the caller.
      if (isWindow(around)) {
        const { start: from, end: to } = node.value;
        const instead = (parameter: string) =>
          `${sql.slice(node.start, from)}${parameter}${sql.slice(to, node.end)}`;
        propose(node, 'interval', node.value.text, [`${part}s`, `The number of ${part}s.`], instead);
      }
      return skip;
    }
    if (node.kind !== 'StringLiteral' && node.kind !== 'IntegerLiteral') return undefined;
    const value = node.kind === 'StringLiteral' ? node.value : node.text;
    const moment = momentText(value);
    if (
      moment !== undefined &&
      (isComparedWithAny(node, around) || momentCall(around.at(-1)) !== undefined)
    ) {
      propose(node, 'date', moment, momentUse(node, around, moment));
      return undefined;
    }
    const compared = comparedColumn(node, around);
    if (compared === undefined) return undefined;
    const day = dateOfSuffix(value, compared, suffixes);
    if (day !== undefined) {
      const name = /\bselect\b/.test(sql) ? 'format_date' : 'FORMAT_DATE';
      const instead = (parameter: string) => `${name}('${day.format}', ${parameter})`;
      propose(node, 'date', day.date, momentUse(node, around, day.date), instead, day.bounds);
    } else if (/^\d{6}$/.test(value) && /(?:^|_)month$/i.test(compared)) {
      propose(node, 'date', value, [compared.toLowerCase()]);
    } else if (uuid.test(value) || (idColumn.test(compared) && value !== '' && isCondition(around))) {
      propose(node, 'id', value, [idName(node, around, aliases)]);
    }
    return undefined;
  });
  return proposals;
}

/** Gives each value of a use one name, and different values different ones. */
class Names {
  readonly #valueOf = new Map<string, string | undefined>();

  constructor(statement: Syntax.Statement) {
    walk(statement, (node) => {
      if (node.kind === 'NamedParameter') this.#valueOf.set(node.name.name.toLowerCase(), undefined);
    });
  }

  nameOf(base: string, value: string): string {
    for (let count = 1; ; count += 1) {
      const name = count === 1 ? base : `${base}_${count}`;
      if (!this.#valueOf.has(name)) this.#valueOf.set(name, value);
      if (this.#valueOf.get(name) === value) return name;
    }
  }
}

/** The names that stand for tables: `o.id` is the column `id`, `order.id` may be a field of the record `order`. */
function tableNames(statement: Syntax.Statement): ReadonlySet<string> {
  const names = new Set<string>();
  walk(statement, (node) => {
    if (node.kind === 'CommonTable') names.add(node.name.name.toLowerCase());
    if (node.kind === 'Table') names.add(node.path.parts.at(-1)?.name.toLowerCase() ?? '');
    if ('alias' in node && node.alias) names.add(node.alias.name.toLowerCase());
  });
  return names;
}

/** `repo` for `repo.name`, `repo_id` for `repo.id`, otherwise the name of the column. */
function idName(node: Syntax.Node, around: readonly Syntax.Node[], tables: ReadonlySet<string>): string {
  const path = comparedWith(node, around).find((other) => other.kind === 'Path');
  const names = path?.kind === 'Path' ? path.parts.map(({ name }) => name.toLowerCase()) : [];
  const [record, field = 'id'] = names.slice(-2).length === 2 ? names.slice(-2) : [undefined, names[0]];
  if (record === undefined || tables.has(record) || !/^(?:id|name|uuid|ref|key|slug)$/.test(field))
    return field;
  return field === 'name' ? record : `${record}_${field}`;
}

const plain = (parameter: string) => parameter;

const conversions: Readonly<Partial<Record<Syntax.LiteralType, (parameter: string) => string>>> = {
  TIMESTAMP: (parameter) => `timestamp(${parameter})`,
  DATETIME: (parameter) => `cast(${parameter} as datetime)`,
  DATE: (parameter) => `cast(${parameter} as date)`,
};

/** `start_date` for a lower bound, `end_time` for an upper bound with a time, otherwise `day`; and what it means. */
function momentUse(
  node: Syntax.Node,
  around: readonly Syntax.Node[],
  value: string,
): readonly [name: string, meaning: string] {
  const isDay = !isoMoment.test(value);
  const bound = boundOf(node, around);
  switch (bound) {
    case 'start':
      return isDay ? ['start_date', 'The first day.'] : ['start_time', 'The earliest time.'];
    case 'last':
      return isDay ? ['end_date', 'The last day.'] : ['end_time', 'The latest time.'];
    case 'end':
      return isDay
        ? ['end_date', 'The day after the last one.']
        : ['end_time', 'The end of the time, which is excluded.'];
    default:
      return isDay ? ['day', 'The day.'] : ['moment', 'The time.'];
  }
}

/** Which bound of a time a literal is, also as the argument of a function; `end` is excluded. */
function boundOf(node: Syntax.Node, around: readonly Syntax.Node[]): 'start' | 'last' | 'end' | undefined {
  let child = node;
  for (const parent of around.toReversed()) {
    if (parent.kind === 'Between') {
      if (child === parent.low) return 'start';
      return child === parent.high ? 'last' : undefined;
    }
    if (parent.kind === 'Comparison') {
      const { operator } = parent;
      if (operator === '=' || operator === '!=') return undefined;
      const isLower = operator.startsWith(child === parent.left ? '<' : '>');
      if (isLower) return 'start';
      return operator.endsWith('=') ? 'last' : 'end';
    }
    if (parent.kind !== 'Cast' && !isConversion(parent)) return undefined;
    child = parent;
  }
  return undefined;
}

/** Whether a function gives the moment that it takes, in another type or as a text. */
const isConversion = (node: Syntax.Node): boolean =>
  node.kind === 'FunctionCall' &&
  /^(?:date|datetime|timestamp|(?:format|parse)_(?:date|datetime|timestamp))$/i.test(
    node.name.parts.at(-1)?.name ?? '',
  );

/** What a literal is compared with, or `undefined`. */
function comparedWith(node: Syntax.Node, around: readonly Syntax.Node[]): readonly Syntax.Expression[] {
  const parent = around.at(-1);
  const owner = around.at(-2);
  if (parent?.kind === 'Comparison') return [parent.left, parent.right].filter((other) => other !== node);
  if (parent?.kind === 'Between' && parent.operand !== node) return [parent.operand];
  return parent?.kind === 'ExpressionList' && owner?.kind === 'In' ? [owner.operand] : [];
}

/** The name of the column with which a literal is compared. */
function comparedColumn(node: Syntax.Node, around: readonly Syntax.Node[]): string | undefined {
  const column = comparedWith(node, around).find((other) => other.kind === 'Path');
  return column?.kind === 'Path' ? column.parts.at(-1)?.name : undefined;
}

const isComparedWithAny = (node: Syntax.Node, around: readonly Syntax.Node[]): boolean =>
  comparedWith(node, around).some((other) => other.kind === 'Path' || other.kind === 'FunctionCall');

/** The moment of `DATE('2026-01-31')`, `TIMESTAMP('…')`, `DATETIME('…')`. */
function momentCall(node: Syntax.Node | undefined): string | undefined {
  if (node?.kind !== 'FunctionCall' || node.args.length !== 1) return undefined;
  const [arg] = node.args;
  const isMoment = /^(?:date|datetime|timestamp)$/i.test(node.name.parts.at(-1)?.name ?? '');
  return isMoment && arg?.kind === 'StringLiteral' ? momentText(arg.value) : undefined;
}

/** The values of `id IN ('a', 'b')`, if it is a condition of the query and a caller could choose others. */
function listedIds(
  { items }: Syntax.ExpressionList,
  around: readonly Syntax.Node[],
): readonly string[] | undefined {
  const parent = around.at(-1);
  if (parent?.kind !== 'In' || parent.negated || !isRequired(parent, around.slice(0, -1))) return undefined;
  const { operand } = parent;
  const column = operand.kind === 'Path' ? operand.parts.at(-1)?.name : undefined;
  if (column === undefined || !idColumn.test(column)) return undefined;
  const values = items.flatMap((item) =>
    item.kind === 'StringLiteral' ? [item.value] : item.kind === 'IntegerLiteral' ? [item.text] : [],
  );
  return values.length === items.length && !values.includes('') ? values : undefined;
}

const pluralOf = (name: string): string =>
  name.endsWith('s') ? name : name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`;

/** Whether a literal is compared by a condition that must hold in every row that a query returns. */
function isCondition(around: readonly Syntax.Node[]): boolean {
  const parent = around.at(-1);
  return parent?.kind === 'Comparison' && parent.operator === '=' && isRequired(parent, around.slice(0, -1));
}

/** Whether a condition is in WHERE, HAVING or QUALIFY, below AND only. */
function isRequired(condition: Syntax.Node, around: readonly Syntax.Node[]): boolean {
  let child = condition;
  for (const node of around.toReversed()) {
    if (node.kind === 'Select')
      return [node.where, node.having, node.qualify].includes(child as Syntax.Expression);
    if (node.kind === 'PipeWhere') return true;
    if (node.kind !== 'Logical' || node.operator !== 'AND') return false;
    child = node;
  }
  return false;
}

/** Whether an interval is the distance of a bound from now: an argument of `…_SUB` or `…_ADD`, or of a plain - or +. */
function isWindow(around: readonly Syntax.Node[]): boolean {
  const parent = around.at(-1);
  if (parent?.kind === 'Binary') return true;
  if (parent?.kind !== 'FunctionCall') return false;
  return /_(?:sub|add)$/i.test(parent.name.parts.at(-1)?.name ?? '');
}
