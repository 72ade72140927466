import { skip, type Syntax, walk } from '@querygate/bigquery-sql/syntax';
import {
  type Around,
  comparedColumn,
  comparedWith,
  idName,
  isCondition,
  listedValues,
  pluralOf,
  tableNames,
} from './comparisons.ts';
import { dateOfSuffix, momentCall, momentText, momentUse, suffixTables } from './literal-moments.ts';
import { type Choice, isUsual, type LiteralProposal } from './literal-proposal.ts';
import { takenKey } from './name-columns.ts';
import { otherChoice } from './other-literals.ts';
import { snakeCase } from './snake-case.ts';

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
/** Names of columns whose values a caller chooses: they identify or name something. A plain `key` is one of a map. */
const idColumn =
  /(?:^|_)(?:id|ids|uuid|guid|ref|slug|name|login|email|project|tenant|account|customer|user|username|org|organization|repo|repository|host|hostname|domain|site|country|region|city|currency|service|language|platform)$|_key$/;
const isIdColumn = (name: string): boolean => idColumn.test(snakeCase(name));

/**
 * Literals that a caller may prefer to choose, in the order of the text: dates, ids and intervals, and any other
 * literal that decides which rows are returned.
 */
export function literalProposals(sql: string, statement: Syntax.Statement): readonly LiteralProposal[] {
  const names = new Names(statement);
  const source = { sql, suffixes: suffixTables(statement), aliases: tableNames(statement) };
  const found: { readonly node: Syntax.Node; readonly choice: Choice }[] = [];
  walk(statement, (node, around) => {
    // A part takes literals and parameters only, as they are.
    if (node.kind === 'TableFunction') return skip;
    const choice = choiceAt(node, around, source) ?? otherChoice(node, around, source.aliases);
    if (choice === undefined) return isOneLiteral(node) ? skip : undefined;
    found.push({ node, choice });
    return skip;
  });
  // The usual ones have the first choice of names.
  const ordered = found.toSorted((a, b) => Number(isUsual(b.choice)) - Number(isUsual(a.choice)));
  const named = ordered.map(({ node, choice }) => {
    const { kind, value, base, description, instead = plain, bounds } = choice;
    const { start, end } = node;
    const name = names.nameOf(base, [value].flat().join('\n'));
    const place = { start, end, text: sql.slice(start, end), kind, name, instead: instead(`@${name}`) };
    return { ...place, default: value, description, ...(bounds && { bounds }) };
  });
  return named.toSorted((a, b) => a.start - b.start);
}

interface Source {
  readonly sql: string;
  readonly suffixes: readonly string[];
  readonly aliases: ReadonlySet<string>;
}

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

/** True if the literals inside a node are not values by themselves. */
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
  const { column, values: value } = listedValues(node, around) ?? {};
  if (column === undefined || value === undefined || !isIdColumn(column)) return undefined;
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
  const description = `The number of ${part}s.`;
  return { kind: 'interval', value, base: `${part}s`, description, instead, bounds: { min: '1' } };
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
  if (/^\d{6}$/.test(value) && /(?:^|_)month$/.test(snakeCase(compared)))
    return { kind: 'date', value, base: snakeCase(compared), description: undefined };
  if (uuid.test(value) || (isIdColumn(compared) && value !== '' && isCondition(around)))
    return { kind: 'id', value, base: idName(node, around, aliases), description: undefined };
  return undefined;
}

/** Gives each value of a use one name, and different values different ones. */
class Names {
  /** A name and its value, or a name in use, by what two parameters must not have in common. */
  readonly #taken = new Map<string, string>();

  constructor(statement: Syntax.Statement) {
    walk(statement, (node) => {
      if (node.kind === 'NamedParameter') this.#taken.set(takenKey(node.name.name), '');
    });
  }

  nameOf(base: string, value: string): string {
    for (let count = 1; ; count += 1) {
      const name = count === 1 ? base : `${base}_${count}`;
      const key = takenKey(name);
      const own = `${name}\n${value}`;
      if (!this.#taken.has(key)) this.#taken.set(key, own);
      if (this.#taken.get(key) === own) return name;
    }
  }
}

const plain = (parameter: string) => parameter;

const conversions: Readonly<Partial<Record<Syntax.LiteralType, (parameter: string) => string>>> = {
  TIMESTAMP: (parameter) => `timestamp(${parameter})`,
  DATETIME: (parameter) => `cast(${parameter} as datetime)`,
  DATE: (parameter) => `cast(${parameter} as date)`,
};

const isComparedWithAny = (node: Syntax.Node, around: Around): boolean =>
  comparedWith(node, around).some((other) => other.kind === 'Path' || other.kind === 'FunctionCall');

/** True if an interval is the distance of a bound from now: an argument of `…_SUB` or `…_ADD`, or of a plain - or +. */
function isWindow(around: Around): boolean {
  const parent = around.at(-1);
  if (parent?.kind === 'Binary') return true;
  if (parent?.kind !== 'FunctionCall') return false;
  return /_(?:sub|add)$/i.test(parent.name.parts.at(-1)?.name ?? '');
}
