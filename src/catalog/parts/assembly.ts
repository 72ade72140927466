import { parameterPlaces, type Syntax, tokenize } from '@querygate/bigquery-sql/syntax';
import { sameName } from '@querygate/bigquery-sql/types';
import { foldName } from '@querygate/text';
import type { Definition } from '../model/saved-query.ts';
import { argumentsEnd, boundArguments, literalText } from './bound-arguments.ts';
import { ownFunctions, type Reads } from './closure.ts';
import type { FreshNames } from './fresh-names.ts';
import { type Edit, edited, generated, type Segment, sortEdits } from './linked-text.ts';
import type { Unit } from './part-file.ts';
import { viewColumns } from './view-columns.ts';
import { writtenDefinition } from './written-definition.ts';

/** The texts that take the place of parameters of a part, by their names in lower case. */
type Bound = ReadonlyMap<string, string>;

const unbound: Bound = new Map();

/** The common tables of one query, by the part and its arguments. */
interface Tables {
  readonly names: Map<string, string>;
  readonly definitions: (readonly Segment[])[];
}

/** The text of a query with the parts that it reads: functions before it, and tables in its WITH clause. */
export class Assembly {
  readonly #readsOf: (unit: Unit) => Reads;
  readonly #fresh: FreshNames;
  readonly #maxLength: number;
  readonly #functions = new Map<Unit, string>();
  /** The functions that parts define before their queries: for each name, the one in the whole text. */
  readonly #own = new Map<Unit, ReadonlyMap<string, string>>();
  readonly #definitions: (readonly Segment[])[] = [];
  readonly #stored: Definition[] = [];
  readonly #materialized: string[] = [];
  #length = 0;

  constructor(readsOf: (unit: Unit) => Reads, fresh: FreshNames, maxLength: number) {
    this.#readsOf = readsOf;
    this.#fresh = fresh;
    this.#maxLength = maxLength;
  }

  /** @throws TooLong */
  link(reader: Unit): {
    readonly segments: readonly Segment[];
    readonly tables: readonly string[];
    readonly materialized: readonly string[];
    readonly definitions: readonly Definition[];
  } {
    const { tree } = reader;
    const hosts = new Map<Syntax.Query, Tables>();
    const tablesOf = (host: Syntax.Query | undefined): Tables => {
      const key = host ?? mainQuery(tree);
      const known = hosts.get(key) ?? { names: new Map(), definitions: [] };
      hosts.set(key, known);
      return known;
    };
    const edits = this.#edits(reader, unbound, tablesOf, new Map());
    const leading = this.#definitions.flat();
    const withs = [...hosts].flatMap(([host, { definitions }]) => withEdit(reader, host, definitions));
    const before: Edit[] =
      leading.length === 0 ? [] : [{ ...insertAt(functionsStart(reader)), segments: leading }];
    const all = tree.kind === 'CreateView' ? tree.query : { start: 0, end: reader.text.length };
    const hidden = hosts.get(mainQuery(tree))?.names.values() ?? [];
    return {
      segments: edited(reader, all, sortEdits([...before, ...withs, ...edits])),
      tables: [...hidden],
      materialized: this.#materialized,
      definitions: this.#stored,
    };
  }

  /** A query that calls a function with NULLs; undefined if it takes values of any type. @throws TooLong */
  callOf(unit: Unit): readonly Segment[] | undefined {
    if (unit.tree.kind !== 'CreateFunction') return undefined;
    const { parameters, start, aggregate } = unit.tree;
    const args = parameters.map(({ type }) =>
      type === 'ANY TYPE' ? undefined : `CAST(NULL AS ${unit.text.slice(type.start, type.end)})`,
    );
    if (args.includes(undefined)) return undefined;
    const name = this.#function(unit);
    return [
      ...this.#definitions.flat(),
      generated(
        unit,
        start,
        `SELECT ${name}(${args.join(', ')}) AS result${aggregate ? ' FROM UNNEST([1])' : ''}`,
      ),
    ];
  }

  /** The changes to the text of a unit: names of parts are those of their common tables and functions. */
  #edits(
    unit: Unit,
    bound: Bound,
    tablesOf: (host: Syntax.Query | undefined) => Tables,
    own: ReadonlyMap<string, string>,
  ): readonly Edit[] {
    const { tables, functions } = this.#readsOf(unit);
    const text = (start: number, end: number, written: string): Edit => ({
      ...{ start, end },
      segments: [generated(unit, start, written)],
    });
    const ofTables = tables.map(({ node, path, isArgument, host, unit: part }) => {
      const name = this.#table(part, this.#bind(unit, part, node, bound), tablesOf(host));
      const alias = node.alias || isArgument ? '' : ` AS ${quote(path.parts.at(-1)?.name ?? '')}`;
      const end = node.kind === 'Table' ? path.end : argumentsEnd(unit.text, node);
      return text(path.start, end, name + alias);
    });
    const ofFunctions = functions.map(({ node: { name }, unit: part }) =>
      text(name.start, name.end, this.#function(part)),
    );
    const ofOwn = unit.names.calls.flatMap(({ name }) => {
      const renamed = name.parts.length === 1 ? own.get(foldName(name.parts[0].name)) : undefined;
      return renamed === undefined ? [] : [text(name.start, name.end, renamed)];
    });
    const inArguments = new Set(
      tables.flatMap(({ node }) =>
        node.kind === 'Table' ? [] : boundArguments(node).map(({ value }) => value as Syntax.Node),
      ),
    );
    const places = bound.size === 0 ? [] : parameterPlaces(unit.tree);
    const ofParameters = places.flatMap(({ node, written }) => {
      const value = inArguments.has(node) ? undefined : bound.get(foldName(node.name.name));
      if (value === undefined) return [];
      const { bind = 'STRING' } = unit.parameters.find(({ name }) => sameName(name, node.name.name)) ?? {};
      return [text(node.start, node.end, value.startsWith('@') ? value : written(value, bind))];
    });
    return [...ofTables, ...ofFunctions, ...ofOwn, ...ofParameters];
  }

  /** The values of a part's parameters where it is read; those that pass on by their names have none. */
  #bind(reader: Unit, part: Unit, node: Syntax.Table | Syntax.TableFunction, around: Bound): Bound {
    const args = new Map(boundArguments(node).map(({ name, value }) => [foldName(name), value]));
    return new Map(
      part.parameters.flatMap((parameter): [string, string][] => {
        const name = foldName(parameter.name);
        const value = args.get(name);
        if (value !== undefined && value.kind !== 'NamedParameter')
          return [[name, literalText(reader.text, value, parameter) ?? '']];
        const passed = value?.name.name ?? name;
        const own = reader.parameters.find((one) => sameName(one.name, passed));
        const text = around.get(foldName(passed)) ?? (own && `@${own.name}`);
        // A parameter that passes on by its name stays as it is.
        return text === undefined || text === `@${parameter.name}` ? [] : [[name, text]];
      }),
    );
  }

  /** The common table of a part with its arguments. */
  #table(part: Unit, bound: Bound, tables: Tables): string {
    const key = JSON.stringify([part.file, part.name, ...[...bound].sort()]);
    const known = tables.names.get(key);
    if (known !== undefined) return known;
    const query = mainQuery(part.tree);
    const shared = this.#own.get(part);
    const own =
      shared ?? new Map([...ownFunctions(part).keys()].map((name) => [name, this.#fresh.next(name)]));
    const edits = sortEdits(this.#edits(part, bound, () => tables, own));
    if (shared === undefined) this.#defineOwn(part, edits, own);
    // With parameters in them, they are others with other arguments.
    if (part.names.parameters.every(({ start }) => start >= query.start)) this.#own.set(part, own);
    const name = this.#fresh.next(part.name);
    const body = this.#body(part, query, edits);
    const segments = [
      generated(part, query.start, `${name} AS (\n`),
      ...body,
      generated(part, query.end, '\n)'),
    ];
    this.#add(tables.definitions, segments);
    if (part.kind === 'view') this.#note(part, segments, `${name} AS (SELECT * FROM ${storedName(part)})`);
    tables.names.set(key, name);
    if (part.isMaterialized) this.#materialized.push(name);
    return name;
  }

  /** The query of a part; that of a view with a list of columns has their names. */
  #body(part: Unit, query: Syntax.Query, edits: readonly Edit[]): readonly Segment[] {
    const columns = viewColumns(part.tree);
    if (columns === undefined || typeof columns === 'string') return edited(part, query, edits);
    const inner = columns.inner.map((name) => name ?? this.#fresh.next('column'));
    const aliases = [...columns.unnamed].map(
      ([at, end]): Edit => ({
        ...insertAt(end),
        segments: [generated(part, end, ` AS ${inner[at]}`)],
      }),
    );
    const list = inner.map((name, at) => `${quote(name)} AS ${quote(columns.names[at] ?? name)}`).join(', ');
    return [
      generated(part, query.start, `SELECT ${list} FROM (\n`),
      ...edited(part, query, sortEdits([...edits, ...aliases])),
      generated(part, query.end, '\n)'),
    ];
  }

  /** The functions that a part defines before its query, under other names. */
  #defineOwn(unit: Unit, edits: readonly Edit[], names: ReadonlyMap<string, string>): void {
    if (unit.tree.kind !== 'Statement') return;
    for (const definition of unit.tree.functions) {
      const name = names.get(foldName(definition.name.parts[0].name)) ?? '';
      this.#define(unit, definition, name, edits);
    }
  }

  /** The temporary function for one of the library. */
  #function(unit: Unit): string {
    const known = this.#functions.get(unit);
    if (known !== undefined) return known;
    const name = this.#fresh.next(unit.name);
    const edits = sortEdits(this.#edits(unit, unbound, noTables, new Map()));
    if (unit.tree.kind === 'CreateFunction') {
      const segments = this.#define(unit, unit.tree, name, edits);
      const stored = storedFunction(unit, unit.tree, name);
      if (stored !== undefined) this.#note(unit, segments, stored);
    }
    this.#functions.set(unit, name);
    return name;
  }

  #define(
    unit: Unit,
    { start, end, name, aggregate }: Syntax.CreateFunction,
    fresh: string,
    edits: readonly Edit[],
  ) {
    const segments = [
      generated(unit, start, `CREATE TEMP ${aggregate ? 'AGGREGATE ' : ''}FUNCTION ${fresh}`),
      ...edited(unit, { start: name.end, end }, edits),
      generated(unit, end, ';\n'),
    ];
    this.#add(this.#definitions, segments);
    return segments;
  }

  /** Notes what may be in the place of a definition. */
  #note(unit: Unit, segments: readonly Segment[], stored: string): void {
    const written = writtenDefinition(unit);
    if (written === undefined) return;
    const text = segments.map((segment) => segment.text).join('');
    const [lines, own] = [text, stored].map((one) => one.split('\n').length) as [number, number];
    this.#stored.push({ text, stored: stored + '\n'.repeat(Math.max(0, lines - own)), written });
  }

  #add(definitions: (readonly Segment[])[], segments: readonly Segment[]): void {
    definitions.push(segments);
    for (const { text } of segments) this.#length += text.length;
    if (this.#length > this.#maxLength) throw new TooLong();
  }
}

const storedName = ({ name }: Unit): string => quote(name);

/** A temporary function that calls one of its name; undefined if it is temporary itself. */
function storedFunction(
  unit: Unit,
  { start, name, parameters, aggregate }: Syntax.CreateFunction,
  fresh: string,
): string | undefined {
  if (name.parts.length === 1 || /\btemp(?:orary)?\b/i.test(unit.text.slice(start, name.start)))
    return undefined;
  const declared = parameters.map((one) => unit.text.slice(one.start, one.end)).join(', ');
  const args = parameters.map((one) => quote(one.name.name)).join(', ');
  return `CREATE TEMP ${aggregate ? 'AGGREGATE ' : ''}FUNCTION ${fresh}(${declared}) AS (${storedName(unit)}(${args}));`;
}

/** Why a text is not put together: BigQuery would not take it. */
export class TooLong extends Error {}

const noTables = (): Tables => {
  throw new TypeError('a function reads no table');
};

const insertAt = (at: number) => ({ start: at, end: at });

/** A name, also one of several parts, as SQL takes it. */
export const quote = (name: string): string => `\`${name.replace(/[\\`]/g, '\\$&')}\``;

function mainQuery(tree: Unit['tree']): Syntax.Query {
  if (tree.kind === 'CreateFunction') throw new TypeError('a function is not a query');
  return tree.query;
}

/** Variables are declared before everything else. */
function functionsStart({ tree, text }: Unit): number {
  if (tree.kind === 'CreateView') return tree.query.start;
  const declared =
    tree.kind === 'Statement' ? tree.script.findLast(({ kind }) => kind === 'Declare') : undefined;
  if (declared === undefined) return tree.start;
  const semicolon = tokenize(text.slice(declared.end)).find(({ key }) => key === ';');
  return declared.end + (semicolon?.end ?? 0);
}

/** Puts common tables before all others of a query. */
function withEdit(
  reader: Unit,
  host: Syntax.Query,
  definitions: readonly (readonly Segment[])[],
): readonly Edit[] {
  if (definitions.length === 0) return [];
  const [first] = host.with?.tables ?? [];
  const { start } = first ?? host;
  const between = generated(reader, start, ',\n');
  const segments = definitions.flatMap((definition, at) =>
    at === 0 ? definition : [between, ...definition],
  );
  return [
    first === undefined
      ? {
          ...insertAt(start),
          segments: [generated(reader, start, 'WITH '), ...segments, generated(reader, start, '\n')],
        }
      : { ...insertAt(start), segments: [...segments, between] },
  ];
}
