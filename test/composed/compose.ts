import type { Parameters, ParameterValue } from '../../packages/bigquery-sql/conformance/parameters.ts';
import { compile } from '../../packages/bigquery-sql/src/compile.ts';
import { schemaTables } from '../../packages/bigquery-sql/src/rules/from/table-relations.ts';
import {
  type Node,
  parseDefinitions,
  parseQuery,
  skip,
  type Syntax,
  walk,
} from '../../packages/bigquery-sql/src/syntax.ts';
import type { TableSchema } from '../../packages/bigquery-sql/src/table-schema.ts';
import { describeType, type Type, type TypedParameter } from '../../packages/bigquery-sql/src/types.ts';
import type { Random } from '../../packages/bigquery-sql/test/support/random.ts';
import { columnsProblem } from '../../src/catalog/parts/view-columns.ts';
import { type Folder, partFile, readerFile } from './folder.ts';
import { computations } from './functions.ts';

/** A query whose parts are files, with as many of each sort. */
export interface Composed {
  readonly folder: Folder;
  readonly counts: Readonly<Record<'parts' | 'views' | 'functions' | 'bound', number>>;
}

/** A text of SQL with the parameters that its file must declare. */
interface Written {
  readonly text: string;
  readonly uses: ReadonlySet<string>;
  /** Those of them that a part takes by this name. */
  readonly passes: ReadonlySet<string>;
}

/** Text in place of a node. */
interface Edit extends Written {
  readonly node: Node;
}

/**
 * Makes files of the parts of a query, at random: of common tables and of queries in FROM, as views or as queries whose
 * parameters pass on, are renamed or are bound to literals; of tables; and of expressions, as functions.
 */
export function compose(
  sql: string,
  parameters: Parameters,
  tables: readonly TableSchema[],
  random: Random,
): Composed {
  return new Composer(sql, parameters, tables, random).compose();
}

class Composer {
  readonly #files = new Map<string, string>();
  readonly #counts = { parts: 0, views: 0, functions: 0, bound: 0 };
  readonly #sql: string;
  readonly #parameters: Parameters;
  readonly #tables: readonly TableSchema[];
  readonly #random: Random;
  /** Common tables that are parts, with how they are read: by their names. */
  readonly #common = new Map<string, Written>();
  /** Those that are not, which no part can read. */
  readonly #staying: string[] = [];
  readonly #calls: readonly Edit[];
  readonly #root: Syntax.Query;

  constructor(sql: string, parameters: Parameters, tables: readonly TableSchema[], random: Random) {
    this.#sql = sql;
    this.#parameters = parameters;
    this.#tables = tables;
    this.#random = random;
    this.#root = parseQuery(sql).query;
    this.#calls = this.#functionCalls();
  }

  compose(): Composed {
    const { text, uses } = this.#write(this.#root, this.#root);
    const used = Object.entries(this.#parameters).filter(([name]) => uses.has(name));
    this.#files.set('reader.sql', readerFile(text, Object.fromEntries(used)));
    return { folder: this.#files, counts: this.#counts };
  }

  /** Functions of some expressions, and their calls. */
  #functionCalls(): readonly Edit[] {
    const types = new Map<string, Type>();
    const options = { sql: this.#sql, source: { file: 'query', line: 1 } };
    compile({ ...options, parameters: typesOf(this.#parameters) }, schemaTables(this.#tables), {
      onExpression: ({ start, end }, type) => types.set(`${start} ${end}`, type),
    });
    const typeAt = ({ start, end }: Node) => types.get(`${start} ${end}`);
    const chosen = computations(this.#root, typeAt).filter(() => this.#random.percent(50));
    const definitions: string[] = [];
    const calls = chosen.map(({ node, columns }, at): Edit => {
      const edits = columns.map((column, n) => ({ node: column, text: `a${n}` }));
      const declaredArguments = columns.map((column, n) => {
        const type = this.#random.percent(50) ? 'ANY TYPE' : describeType(typeAt(column) as Type);
        return `a${n} ${type}`;
      });
      const name = `lib.f${at}`;
      definitions.push(
        `CREATE FUNCTION ${name}(${declaredArguments.join(', ')}) AS (${this.#textOf(node, edits)});`,
      );
      const values = columns.map(({ start, end }) => this.#sql.slice(start, end));
      return { node, text: `${name}(${values.join(', ')})`, uses: none, passes: none };
    });
    if (definitions.length > 0) this.#files.set('functions/lib.sql', definitions.join('\n'));
    this.#counts.functions = definitions.length;
    return calls;
  }

  /** The text of a node with other texts in place of some nodes within it. */
  #textOf({ start, end }: Node, edits: readonly Pick<Edit, 'node' | 'text'>[]): string {
    const inside = edits.filter(({ node }) => node.start >= start && node.end <= end);
    const ordered = inside.toSorted((a, b) => a.node.start - b.node.start);
    let at = start;
    const pieces = ordered.map(({ node, text }) => {
      const piece = this.#sql.slice(at, node.start) + text;
      at = node.end;
      return piece;
    });
    return pieces.join('') + this.#sql.slice(at, end);
  }

  /** A node of a query, with parts in place of what has become one, and the parameters that it uses. */
  #write(node: Node, query: Syntax.Query): Written {
    const removed = this.#commonTables(query);
    const edits = this.#fromEdits(query);
    const all = [...removed, ...edits, ...this.#calls].filter((edit) => isWithin(edit.node, node));
    const gone = all.filter(
      (edit) => !all.some((other) => other !== edit && isWithin(edit.node, other.node)),
    );
    const uses = new Set(gone.flatMap((edit) => [...edit.uses]));
    const passes = new Set(gone.flatMap((edit) => [...edit.passes]));
    walk(node, (inner) => {
      if (inner.kind !== 'NamedParameter' || gone.some((edit) => isWithin(inner, edit.node))) return;
      uses.add(inner.name.name);
    });
    return { text: this.#textOf(node, gone), uses, passes };
  }

  /** The WITH clause without the tables that have become parts, which those that read one that stays cannot. */
  #commonTables(query: Syntax.Query): readonly Edit[] {
    const { with: clause } = query;
    if (clause === undefined || clause.recursive) return [];
    const texts: string[] = [];
    const uses = new Set<string>();
    const passes = new Set<string>();
    for (const { name, query: inner, start } of clause.tables) {
      const written = this.#write(inner, inner);
      if (this.#isFree(inner) && this.#random.percent(80)) {
        this.#common.set(name.name, this.#part(written));
        continue;
      }
      this.#staying.push(name.name);
      texts.push(`${this.#sql.slice(start, inner.start)}${written.text})`);
      for (const used of written.uses) uses.add(used);
      for (const passed of written.passes) passes.add(passed);
    }
    const text = texts.length === 0 ? '' : `WITH ${texts.join(', ')}`;
    return [{ node: clause, text, uses, passes }];
  }

  /** Whether a query reads no common table that is not a part. */
  #isFree(query: Syntax.Query, around: readonly Node[] = []): boolean {
    const inside = around.flatMap((node) => (node.kind === 'Query' ? (node.with?.tables ?? []) : []));
    const own = [...this.#staying, ...inside.map(({ name }) => name.name)].filter(
      (name) => !this.#common.has(name),
    );
    let isFree = true;
    walk(query, (node) => {
      if (node.kind === 'Table' && own.includes(node.path.parts[0].name)) isFree = false;
    });
    return isFree;
  }

  /** What is read in FROM, at any depth: the queries there see nothing of the rows around them. */
  #fromEdits(query: Syntax.Query): readonly Edit[] {
    const edits: Edit[] = [];
    const inWith = (node: Node) => query.with !== undefined && isWithin(node, query.with);
    walk(query, (node, around) => {
      if (inWith(node)) return skip;
      if (node.kind === 'Table') edits.push(...this.#tableEdit(node));
      const isRead = around.every(({ kind }) => readKinds.has(kind));
      if (node.kind !== 'DerivedTable' || !isRead) return undefined;
      if (!this.#isFree(node.query, around) || !this.#random.percent(60)) return undefined;
      const part = this.#part(this.#write(node.query, node.query));
      const alias =
        node.alias === undefined ? '' : ` AS ${this.#sql.slice(node.alias.start, node.alias.end)}`;
      edits.push({ ...part, node, text: `${part.text}${alias}` });
      return skip;
    });
    return edits;
  }

  #tableEdit({ path, alias }: Syntax.Table): readonly Edit[] {
    const [{ name }, ...rest] = path.parts;
    const common = rest.length === 0 ? this.#common.get(name) : undefined;
    const withAlias = (text: string) => (alias === undefined ? `${text} AS ${name}` : text);
    if (common !== undefined) return [{ node: path, ...common, text: withAlias(common.text) }];
    const isTable = rest.length === 0 && this.#tables.some((table) => table.name === name);
    if (!isTable || !this.#random.percent(25)) return [];
    const file = this.#random.percent(50) ? `${name}.sql` : `views/${name}.sql`;
    const isView = file.startsWith('views/');
    if (!this.#files.has(file)) this.#counts[isView ? 'views' : 'parts'] += 1;
    const sql = `SELECT * FROM ${name}`;
    this.#files.set(file, isView ? `CREATE VIEW lib.${name} AS ${sql}` : partFile(sql, {}));
    return [{ node: path, text: withAlias(`${isView ? 'lib' : 'query'}.${name}`), uses: none, passes: none }];
  }

  /** Makes a file of a query, and gives how it is read and what its reader must declare. */
  #part({ text, uses, passes }: Written): Written {
    const name = `p${this.#files.size}`;
    const view = `CREATE VIEW lib.${name} AS ${text}`;
    if (uses.size === 0 && this.#random.percent(40) && hasOwnNames(view)) {
      this.#counts.views += 1;
      this.#files.set(`views/${name}.sql`, view);
      return { text: `lib.${name}`, uses, passes };
    }
    this.#counts.parts += 1;
    const own: Record<string, ParameterValue> = {};
    const bound: string[] = [];
    const declared = new Set<string>();
    const passed = new Set<string>();
    let sql = text;
    for (const parameter of uses) {
      const value = this.#parameters[parameter] ?? '';
      const literal = this.#random.percent(30) ? literalOf(value) : undefined;
      const isRenamed = !passes.has(parameter) && this.#random.percent(40);
      const ownName = isRenamed ? `${name}_${parameter}` : parameter;
      if (isRenamed) sql = sql.replaceAll(new RegExp(`@${parameter}\\b`, 'g'), `@${ownName}`);
      own[ownName] = value;
      if (literal !== undefined || isRenamed) bound.push(`${ownName} => ${literal ?? `@${parameter}`}`);
      if (literal === undefined) declared.add(parameter);
      if (literal === undefined && !isRenamed) passed.add(parameter);
    }
    this.#counts.bound += bound.length;
    this.#files.set(`${name}.sql`, partFile(sql, own));
    return {
      text: `query.${name}${bound.length === 0 ? '' : `(${bound.join(', ')})`}`,
      uses: declared,
      passes: passed,
    };
  }
}

const none: ReadonlySet<string> = new Set();

/** False for a view whose columns BigQuery would refuse, though another query may have them. */
const hasOwnNames = (view: string): boolean =>
  parseDefinitions(view).every((definition) => columnsProblem(definition) === undefined);

/** Around a query in FROM that is not part of an expression. */
const readKinds: ReadonlySet<Node['kind']> = new Set<Node['kind']>([
  ...([
    'Query',
    'Select',
    'SetOperation',
    'DerivedTable',
    'Join',
    'Pivot',
    'Unpivot',
    'TableSample',
  ] as const),
]);

const isWithin = (inner: Node, outer: Node): boolean => inner.start >= outer.start && inner.end <= outer.end;

const typesOf = (parameters: Parameters): readonly TypedParameter[] =>
  Object.entries(parameters).map(([name, given]) =>
    typeof given === 'string'
      ? { name, bind: 'STRING' }
      : { name, bind: given.type, repeated: Array.isArray(given.value) },
  );

/** A literal in the text, which becomes a parameter of a part; undefined without one. */
function literalOf(given: ParameterValue): string | undefined {
  const { type, value } = typeof given === 'string' ? { type: 'STRING' as const, value: given } : given;
  if (value === null) return 'NULL';
  if (typeof value !== 'string') return undefined;
  switch (type) {
    case 'STRING':
      return JSON.stringify(value);
    case 'INT64':
      return /^-?\d{1,18}$/.test(value) ? value : undefined;
    case 'FLOAT64':
      return /^-?\d+(\.\d+)?$/.test(value) ? value : undefined;
    case 'BOOL':
      return value;
    default:
      return `${type} '${value}'`;
  }
}
