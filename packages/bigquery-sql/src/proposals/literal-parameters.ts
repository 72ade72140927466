import type * as Syntax from '../syntax/nodes.ts';
import { skip, walk } from '../syntax/walk.ts';
import { dateOfSuffix, momentCall, momentText, momentUse, suffixTables } from './literal-moments.ts';
import { columnName } from './parameter-uses.ts';

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
  const names = new Names(statement);
  const source = { sql, suffixes: suffixTables(statement), aliases: tableNames(statement) };
  const proposals: LiteralProposal[] = [];
  walk(statement, (node, around) => {
    const choice = choiceAt(node, around, source);
    if (choice === undefined) return isOneLiteral(node) ? skip : undefined;
    const { kind, value, base, description, instead = plain, bounds } = choice;
    const { start, end } = node;
    const name = names.nameOf(base, [value].flat().join('\n'));
    const text = sql.slice(start, end);
    const place = { start, end, text, kind, name, instead: instead(`@${name}`) };
    proposals.push({ ...place, default: value, description, ...(bounds && { bounds }) });
    return skip;
  });
  return proposals;
}

/** What a caller may choose in the place of a literal. */
interface Choice extends Pick<LiteralProposal, 'kind' | 'description' | 'bounds'> {
  readonly value: LiteralProposal['default'];
  /** The name of the parameter, which gets a number if another value has it. */
  readonly base: string;
  /** What is written in the place of the literal; the parameter alone if it is absent. */
  readonly instead?: (parameter: string) => string;
}

interface Source {
  readonly sql: string;
  readonly suffixes: readonly string[];
  readonly aliases: ReadonlySet<string>;
}

type Around = readonly Syntax.Node[];

function choiceAt(node: Syntax.Node, around: Around, source: Source): Choice | undefined {
  switch (node.kind) {
    case 'TypedLiteral':
      return typedMoment(node, around);
    case 'FunctionCall':
      return calledMoment(node, around);
    case 'ExpressionList':
      return idList(node, around, source);
    case 'IntervalLiteral':
      return windowLength(node, around, source);
    case 'StringLiteral':
      return comparedText(node, node.value, around, source);
    case 'IntegerLiteral':
      return comparedText(node, node.text, around, source);
    default:
      return undefined;
  }
}

/** Whether the literals in a node are no values of their own. */
const isOneLiteral = (node: Syntax.Node): boolean =>
  node.kind === 'TypedLiteral' || (node.kind === 'IntervalLiteral' && node.value.kind === 'IntegerLiteral');

const momentChoice = (node: Syntax.Node, around: Around, value: string): Choice => ({
  kind: 'date',
  value,
  ...momentUse(node, around, value),
});

/** `DATE '2026-01-31'`. */
function typedMoment(node: Syntax.TypedLiteral, around: Around): Choice | undefined {
  const value = momentText(node.value.value);
  const instead = isComparedWithAny(node, around) ? plain : conversions[node.type];
  if (value === undefined || instead === undefined) return undefined;
  return { ...momentChoice(node, around, value), instead };
}

/** `DATE('2026-01-31')`. */
function calledMoment(node: Syntax.FunctionCall, around: Around): Choice | undefined {
  const value = momentCall(node);
  if (value === undefined || !isComparedWithAny(node, around)) return undefined;
  return momentChoice(node, around, value);
}

/** The list of `id IN ('a', 'b')`. */
function idList(node: Syntax.ExpressionList, around: Around, { aliases }: Source): Choice | undefined {
  const value = listedIds(node, around);
  if (value === undefined) return undefined;
  const [first] = node.items;
  const single = first === undefined ? 'id' : idName(first, [...around, node], aliases);
  const instead = (parameter: string) => `UNNEST(${parameter})`;
  return { kind: 'id', value, base: pluralOf(single), description: undefined, instead };
}

/** The number of `INTERVAL 7 DAY`. The steps of a series, and constant parts of a longer expression, are rarely a choice. */
function windowLength(node: Syntax.IntervalLiteral, around: Around, { sql }: Source): Choice | undefined {
  if (node.value.kind !== 'IntegerLiteral' || !isWindow(around)) return undefined;
  const part = node.from.name.toLowerCase();
  const { text: value, start, end } = node.value;
  const instead = (parameter: string) =>
    `${sql.slice(node.start, start)}${parameter}${sql.slice(end, node.end)}`;
  return { kind: 'interval', value, base: `${part}s`, description: `The number of ${part}s.`, instead };
}

/** A date, the suffix of a table, a month or an id, by the column with which it is compared. */
function comparedText(
  node: Syntax.Node,
  value: string,
  around: Around,
  { sql, suffixes, aliases }: Source,
): Choice | undefined {
  const moment = momentText(value);
  const isMoment = isComparedWithAny(node, around) || momentCall(around.at(-1)) !== undefined;
  if (moment !== undefined && isMoment) return momentChoice(node, around, moment);
  const compared = comparedColumn(node, around);
  if (compared === undefined) return undefined;
  const day = dateOfSuffix(value, compared, suffixes);
  if (day !== undefined) {
    const name = /\bselect\b/.test(sql) ? 'format_date' : 'FORMAT_DATE';
    const instead = (parameter: string) => `${name}('${day.format}', ${parameter})`;
    return { ...momentChoice(node, around, day.date), instead, ...(day.bounds && { bounds: day.bounds }) };
  }
  if (/^\d{6}$/.test(value) && /(?:^|_)month$/i.test(compared))
    return { kind: 'date', value, base: compared.toLowerCase(), description: undefined };
  if (uuid.test(value) || (idColumn.test(compared) && value !== '' && isCondition(around)))
    return { kind: 'id', value, base: idName(node, around, aliases), description: undefined };
  return undefined;
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
function idName(node: Syntax.Node, around: Around, tables: ReadonlySet<string>): string {
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

/** What a literal is compared with, or `undefined`. */
function comparedWith(node: Syntax.Node, around: Around): readonly Syntax.Expression[] {
  const parent = around.at(-1);
  const owner = around.at(-2);
  if (parent?.kind === 'Comparison') return [parent.left, parent.right].filter((other) => other !== node);
  if (parent?.kind === 'Between' && parent.operand !== node) return [parent.operand];
  return parent?.kind === 'ExpressionList' && owner?.kind === 'In' ? [owner.operand] : [];
}

/** The name of the column with which a literal is compared. */
const comparedColumn = (node: Syntax.Node, around: Around): string | undefined =>
  comparedWith(node, around)
    .map(columnName)
    .find((name) => name !== undefined);

const isComparedWithAny = (node: Syntax.Node, around: Around): boolean =>
  comparedWith(node, around).some((other) => other.kind === 'Path' || other.kind === 'FunctionCall');

/** The values of `id IN ('a', 'b')`, if it is a condition of the query and a caller could choose others. */
function listedIds({ items }: Syntax.ExpressionList, around: Around): readonly string[] | undefined {
  const parent = around.at(-1);
  if (parent?.kind !== 'In' || parent.negated || !isRequired(parent, around.slice(0, -1))) return undefined;
  const column = columnName(parent.operand);
  if (column === undefined || !idColumn.test(column)) return undefined;
  const values = items.flatMap((item) =>
    item.kind === 'StringLiteral' ? [item.value] : item.kind === 'IntegerLiteral' ? [item.text] : [],
  );
  return values.length === items.length && !values.includes('') ? values : undefined;
}

const pluralOf = (name: string): string =>
  name.endsWith('s') ? name : name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`;

/** Whether a literal is compared by a condition that must hold in every row that a query returns. */
function isCondition(around: Around): boolean {
  const parent = around.at(-1);
  return parent?.kind === 'Comparison' && parent.operator === '=' && isRequired(parent, around.slice(0, -1));
}

/** Whether a condition is in WHERE, HAVING or QUALIFY, below AND only. */
function isRequired(condition: Syntax.Node, around: Around): boolean {
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
function isWindow(around: Around): boolean {
  const parent = around.at(-1);
  if (parent?.kind === 'Binary') return true;
  if (parent?.kind !== 'FunctionCall') return false;
  return /_(?:sub|add)$/i.test(parent.name.parts.at(-1)?.name ?? '');
}
