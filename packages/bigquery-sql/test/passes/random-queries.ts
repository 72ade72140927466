/** Picks one of `n` alternatives, counted from 0; the first is the simplest. */
export type Choose = (n: number) => number;

/** A choice for each number, then always the simplest: fewer and smaller numbers give simpler queries. */
export function chooseBy(tape: readonly number[]): Choose {
  let at = 0;
  return (n) => {
    const number = tape[at] ?? 0;
    at += 1;
    return number % n;
  };
}

/** Types as far as the queries below need to know them. */
type Type =
  | 'int'
  | 'text'
  | 'time'
  | 'bool'
  | 'float'
  | { readonly array: Type }
  | { readonly struct: Readonly<Record<string, Type>> };

interface Column {
  readonly name: string;
  readonly type: Type;
}

/** What a name of a FROM item offers: its columns, or the one value that it is. */
interface Item {
  readonly alias: string;
  readonly columns: readonly Column[];
  /** The type of the item itself, if it is an element of an array. */
  readonly element?: Type;
}

interface Query {
  readonly sql: string;
  readonly columns: readonly Column[];
}

interface Scope {
  /** Items of the query itself and of those around it. */
  readonly items: readonly Item[];
  readonly commonTables: readonly Item[];
}

const request: Type = { struct: { path: 'text', status: 'int' } };
const metadata: Type = { struct: { level: 'text', request: { array: request } } };
const source: Type = { struct: { host: 'text', ports: { array: 'int' } } };
const detail: Type = { struct: { kind: 'text', source: { array: source } } };

/** The tables of the harness. */
const tables: readonly Item[] = [
  {
    alias: 'events',
    columns: [
      { name: 'id', type: 'int' },
      { name: 'happened', type: 'time' },
      { name: 'detail', type: detail },
    ],
  },
  {
    alias: 'logs',
    columns: [
      { name: 'id', type: 'int' },
      { name: 'timestamp', type: 'time' },
      { name: 'project', type: 'text' },
      { name: 'metadata', type: { array: metadata } },
      { name: 'tags', type: { array: 'text' } },
    ],
  },
  {
    alias: 'projects',
    columns: [
      { name: 'project', type: 'text' },
      { name: 'tier', type: 'text' },
    ],
  },
];

/** A query over the tables of the harness, whose rows have one order. */
export function randomQuery(choose: Choose): string {
  const generator = new Generator(choose);
  return generator.statement();
}

const scalarTypes = ['int', 'text', 'time', 'bool'] as const;

class Generator {
  readonly #choose: Choose;
  #names = 0;

  constructor(choose: Choose) {
    this.#choose = choose;
  }

  #pick<T>(items: readonly [T, ...T[]] | readonly T[]): T {
    return items[this.#choose(items.length)] as T;
  }

  /** True once in `n` times. */
  #chance(n: number): boolean {
    return this.#choose(n) === n - 1;
  }

  /** A name of its own, or one that shadows another. */
  #alias(): string {
    this.#names += 1;
    return this.#pick([`a${this.#names}`, `A${this.#names}`, `a${this.#names}`, `id${this.#names}`]);
  }

  #columnName(taken: readonly string[]): string {
    this.#names += 1;
    const name = this.#pick([
      `c${this.#names}`,
      'id',
      'ID',
      'timestamp',
      'project',
      'detail',
      'key',
      'value',
      'offset1',
    ]);
    return taken.some((other) => other.toLowerCase() === name.toLowerCase()) ? `c${this.#names}` : name;
  }

  statement(): string {
    const { sql } = this.#query(3, { items: [], commonTables: [] }, undefined, true);
    return sql;
  }

  /**
   * @param types of the columns; undefined for any
   * @param isOrdered whether the rows must have one order
   */
  #query(depth: number, scope: Scope, types?: readonly Type[], isOrdered = false): Query {
    const form = depth > 0 ? this.#choose(8) : 0;
    if (form === 6) return this.#with(depth, scope, types, isOrdered);
    if (form === 7) return this.#set(depth, scope, types, isOrdered);
    return this.#select(depth, scope, types, isOrdered);
  }

  #with(depth: number, scope: Scope, types: readonly Type[] | undefined, isOrdered: boolean): Query {
    let inner = scope;
    const texts: string[] = [];
    const isRecursive = this.#chance(6);
    const count = 1 + this.#choose(2);
    for (let left = count; left > 0; left -= 1) {
      const alias = this.#alias();
      const query =
        isRecursive && left === count
          ? this.#recursive(alias)
          : this.#query(depth - 1, { items: scope.items, commonTables: inner.commonTables });
      texts.push(`${alias} AS (${query.sql})`);
      inner = { ...inner, commonTables: [{ alias, columns: query.columns }, ...inner.commonTables] };
    }
    const body = this.#select(depth - 1, inner, types, isOrdered);
    return { ...body, sql: `WITH ${isRecursive ? 'RECURSIVE ' : ''}${texts.join(', ')} ${body.sql}` };
  }

  #recursive(alias: string): Query {
    const columns: readonly Column[] = [
      { name: 'n', type: 'int' },
      { name: 'd', type: detail },
      { name: 't', type: 'text' },
    ];
    const join = this.#pick(['', ' JOIN events e ON e.id = n + 1']);
    const record = join === '' ? 'd' : 'e.detail';
    const sql = `SELECT id AS n, detail AS d, detail.kind AS t FROM events WHERE id < 3 UNION ALL SELECT n + 1, ${record}, CONCAT(t, 'x') FROM ${alias}${join} WHERE n < 5`;
    return { sql, columns };
  }

  #set(depth: number, scope: Scope, types: readonly Type[] | undefined, isOrdered: boolean): Query {
    const wanted = types?.every(isScalar) ? types : types ? undefined : this.#types(true);
    if (!wanted) return this.#select(depth, scope, types, isOrdered);
    const operator = this.#pick(['UNION ALL', 'UNION DISTINCT', 'INTERSECT DISTINCT', 'EXCEPT DISTINCT']);
    const left = this.#query(depth - 1, scope, wanted);
    const right = this.#query(depth - 1, scope, wanted);
    const order = isOrdered ? ` ORDER BY ${wanted.map((_, at) => at + 1).join(', ')}` : '';
    const limit = isOrdered ? this.#limit() : '';
    return { sql: `(${left.sql}) ${operator} (${right.sql})${order}${limit}`, columns: left.columns };
  }

  #types(onlyScalars: boolean): readonly Type[] {
    return Array.from({ length: 1 + this.#choose(3) }, () =>
      onlyScalars || !this.#chance(4)
        ? this.#pick(scalarTypes)
        : this.#pick<Type>([detail, { array: metadata }, { array: 'text' }, { array: source }, metadata]),
    );
  }

  #select(depth: number, outer: Scope, types: readonly Type[] | undefined, isOrdered: boolean): Query {
    const from = this.#from(depth, outer);
    const scope = { items: [...from.items, ...outer.items], commonTables: outer.commonTables };
    const where = this.#choose(3) === 0 ? '' : ` WHERE ${this.#conditions(depth, scope)}`;
    if (this.#chance(4) && (types === undefined || types.every(isScalar)))
      return this.#grouped(depth, from.sql + where, scope, types, isOrdered);
    return this.#plain(depth, { from: from.sql + where, scope, own: from.items }, types, isOrdered);
  }

  #plain(
    depth: number,
    { from, scope, own }: { from: string; scope: Scope; own: readonly Item[] },
    types: readonly Type[] | undefined,
    isOrdered: boolean,
  ): Query {
    const star = types === undefined ? this.#star(own) : undefined;
    const wanted = types ?? this.#types(false);
    const listed: Column[] = [];
    const texts: string[] = [];
    if (star) {
      texts.push(star.sql);
      listed.push(...star.columns);
    }
    for (const type of star && !this.#chance(2) ? [] : wanted) {
      const name = this.#columnName(listed.map((column) => column.name));
      const value =
        isScalar(type) && this.#chance(6)
          ? this.#window(type, depth, scope)
          : this.#value(type, depth, scope);
      texts.push(`${value} AS ${name}`);
      listed.push({ name, type });
    }
    const isDistinct = this.#chance(8) && listed.every(({ type }) => isScalar(type));
    const qualify = this.#chance(10)
      ? ` QUALIFY ${this.#window('int', 0, scope)} ${this.#nameTest(listed)}`
      : '';
    const select = `SELECT ${isDistinct ? 'DISTINCT ' : ''}${texts.join(', ')}${from}${qualify}`;
    const needsOrder = isOrdered || this.#chance(3);
    return { sql: select + (needsOrder ? this.#orderAndLimit(listed) : ''), columns: listed };
  }

  #star(own: readonly Item[]): Query | undefined {
    const [only] = own.filter(({ element }) => !element);
    if (!only || !this.#chance(3)) return undefined;
    const names = only.columns.map(({ name }) => name.toLowerCase());
    if (new Set(names).size < names.length) return undefined;
    const form = this.#choose(3);
    const replaced = only.columns.find(({ type }) => isScalar(type));
    if (form === 1 && only.columns.length > 1) {
      const left = this.#pick(only.columns);
      const columns = only.columns.filter((column) => column !== left);
      return { sql: `${only.alias}.* EXCEPT (${left.name})`, columns };
    }
    if (form === 2 && replaced) {
      const value = this.#value(replaced.type, 0, { items: [only], commonTables: [] });
      return { sql: `${only.alias}.* REPLACE (${value} AS ${replaced.name})`, columns: only.columns };
    }
    return { sql: `${only.alias}.*`, columns: only.columns };
  }

  /** A total order: rows that are equal in all keys are equal. */
  #orderAndLimit(columns: readonly Column[]): string {
    const first = this.#choose(columns.length);
    const order = [...columns.keys()].sort((a, b) => Number(b === first) - Number(a === first));
    const names = columns.map(({ name }) => name.toLowerCase());
    const keys = order.map((at) => {
      const { name, type } = columns[at] as Column;
      const isNamed = names.indexOf(name.toLowerCase()) === at && this.#chance(2);
      if (!isScalar(type)) return `TO_JSON_STRING(${name})`;
      if (isNamed && this.#chance(3) && type === 'int') return `${name} + 0`;
      if (isNamed && this.#chance(3) && type === 'text') return `CONCAT(${name}, 'x')`;
      return `${isNamed ? name : at + 1}${this.#pick([' DESC', '', ' ASC NULLS LAST', ' DESC NULLS FIRST'])}`;
    });
    return ` ORDER BY ${keys.join(', ')}${this.#limit()}`;
  }

  #limit(): string {
    return this.#pick(['', ' LIMIT 2', ' LIMIT 1', ' LIMIT 2 OFFSET 1', ' LIMIT 0', ' LIMIT 100']);
  }

  #grouped(
    depth: number,
    from: string,
    scope: Scope,
    types: readonly Type[] | undefined,
    isOrdered: boolean,
  ): Query {
    const keys = Array.from({ length: this.#choose(3) }, () => this.#pick(scalarTypes));
    const wanted = types ?? [...keys, ...this.#types(true)];
    const columns: Column[] = [];
    const texts: string[] = [];
    const groupBy: string[] = [];
    const named: Column[] = [];
    for (const [at, type] of wanted.entries()) {
      const name = this.#columnName(columns.map((column) => column.name));
      const isKey = at < keys.length || this.#chance(3);
      const isComputed = isKey && this.#chance(4);
      const key = isKey ? (isComputed ? this.#value(type, 1, scope) : this.#column(type, scope)) : undefined;
      if (key !== undefined) {
        groupBy.push(isComputed ? String(at + 1) : this.#pick([String(at + 1), key]));
        named.push({ name, type });
      }
      texts.push(`${key ?? this.#ofGroup(type, depth, scope)} AS ${name}`);
      columns.push({ name, type });
    }
    const sets = this.#pick(['', '', 'ROLLUP ', 'CUBE ']);
    const list = sets === '' ? groupBy.join(', ') : `${sets}(${groupBy.slice(0, 4).join(', ')})`;
    const group = groupBy.length === 0 ? '' : ` GROUP BY ${list}`;
    const having = this.#chance(4)
      ? ` HAVING ${this.#aggregate('int', depth, scope)} ${this.#nameTest(named)}`
      : '';
    const order = isOrdered || this.#chance(3) ? this.#orderAndLimit(columns) : '';
    return { sql: `SELECT ${texts.join(', ')}${from}${group}${having}${order}`, columns };
  }

  /** The rest of a condition, by a column of the select list. */
  #nameTest(columns: readonly Column[]): string {
    const names = columns.filter(({ type }) => isScalar(type));
    if (names.length === 0) return '> 0';
    const { name } = this.#pick(names);
    return `> 0 AND ${name} IS ${this.#pick(['NOT NULL', 'NULL'])}`;
  }

  /** A value of a group: an aggregate, or one of no row. */
  #ofGroup(type: Type, depth: number, scope: Scope): string {
    const aggregate = this.#aggregate(type, depth, scope);
    return this.#pick([
      () => aggregate,
      () => (type === 'int' ? '(SELECT COUNT(*) FROM projects)' : aggregate),
      () => (type === 'int' ? `COUNT(*) + ${this.#literal('int')}` : aggregate),
    ])();
  }

  #aggregate(type: Type, depth: number, scope: Scope): string {
    const value = this.#value(type, Math.min(depth, 1), scope);
    if (type === 'int') {
      return this.#pick([
        () => 'COUNT(*)',
        () => `SUM(${value})`,
        () => `COUNT(DISTINCT ${value})`,
        () => `COUNTIF(${this.#value('bool', 0, scope)})`,
        () => `APPROX_QUANTILES(${value}, 4)[OFFSET(${this.#choose(5)})]`,
        () => `MAX(${value})`,
      ])();
    }
    if (type === 'bool') return `LOGICAL_OR(${value})`;
    return `${this.#pick(['MIN', 'MAX'])}(${value})`;
  }

  #window(type: Type, depth: number, scope: Scope): string {
    const by = this.#column(this.#pick(scalarTypes), scope);
    const partition = by === undefined ? '' : `PARTITION BY ${by}`;
    if (type !== 'int') return `MAX(${this.#value(type, 0, scope)}) OVER (${partition})`;
    if (this.#chance(2))
      return `RANK() OVER (${partition} ORDER BY ${this.#value('int', Math.min(depth, 1), scope)})`;
    return `COUNT(*) OVER (${partition})`;
  }

  #from(depth: number, outer: Scope): { sql: string; items: readonly Item[] } {
    let left = this.#item(depth, outer);
    const count = this.#choose(4);
    for (let at = 0; at < count; at += 1) {
      if (this.#chance(2)) {
        const joined = this.#unnest(left, outer);
        if (joined) left = joined;
        continue;
      }
      left = this.#join(left, this.#item(depth, outer), outer);
    }
    return { sql: ` FROM ${left.sql}`, items: left.items };
  }

  #join(
    left: { sql: string; items: readonly Item[] },
    right: { sql: string; items: readonly Item[] },
    outer: Scope,
  ) {
    const kind = this.#pick(['JOIN', 'LEFT JOIN', 'CROSS JOIN', 'RIGHT JOIN', 'FULL JOIN', ',']);
    const items = [...left.items, ...right.items];
    const scope = { items, commonTables: outer.commonTables };
    if (kind === ',') return { sql: `${left.sql} CROSS JOIN ${right.sql}`, items };
    if (kind === 'CROSS JOIN') return { sql: `${left.sql} CROSS JOIN ${right.sql}`, items };
    return { sql: `${left.sql} ${kind} ${right.sql} ON ${this.#joinCondition(left, right, scope)}`, items };
  }

  #joinCondition(left: { items: readonly Item[] }, right: { items: readonly Item[] }, scope: Scope): string {
    const type = this.#pick(['int', 'text', 'time'] as const);
    const one = this.#column(type, { ...scope, items: left.items });
    const other = this.#column(type, { ...scope, items: right.items });
    if (one === undefined || other === undefined) return this.#pick(['TRUE', '1 = 1', 'FALSE']);
    const extra = this.#chance(4) ? ` AND ${this.#value('bool', 0, scope)}` : '';
    return `${one} = ${other}${extra}`;
  }

  #item(depth: number, outer: Scope): { sql: string; items: readonly Item[] } {
    const alias = this.#alias();
    const form = this.#choose(depth > 0 ? 7 : 4);
    const common =
      outer.commonTables.length > 0 && this.#chance(2) ? this.#pick(outer.commonTables) : undefined;
    if (common) return { sql: `${common.alias} AS ${alias}`, items: [{ ...common, alias }] };
    if (form === 3) {
      const text = this.#pick(['[1, 2, 3]', 'GENERATE_ARRAY(1, 4)', '[3, NULL, 2]']);
      return { sql: `UNNEST(${text}) AS ${alias}`, items: [{ alias, columns: [], element: 'int' }] };
    }
    if (form >= 4) {
      const query = this.#query(depth - 1, { items: [], commonTables: outer.commonTables });
      return { sql: `(${query.sql}) AS ${alias}`, items: [{ alias, columns: query.columns }] };
    }
    const table = this.#pick(tables);
    return { sql: `${table.alias} AS ${alias}`, items: [{ ...table, alias }] };
  }

  #unnest(left: { sql: string; items: readonly Item[] }, outer: Scope) {
    const scope = { items: left.items, commonTables: outer.commonTables };
    const arrays = valuesOf(scope.items).filter(({ type }) => typeof type === 'object' && 'array' in type);
    if (arrays.length === 0) return undefined;
    const array = this.#pick(arrays);
    const element = (array.type as { array: Type }).array;
    const alias = this.#alias();
    const offset = this.#chance(3) ? `${alias}_at` : undefined;
    const kind = this.#pick(['CROSS JOIN', 'LEFT JOIN', 'JOIN', 'CROSS JOIN']);
    const condition = {
      'CROSS JOIN': '',
      'LEFT JOIN': ` ON ${this.#pick(['TRUE', 'TRUE', `${alias} IS NOT NULL`])}`,
      JOIN: ` ON ${this.#pick(['TRUE', `${alias} IS NOT NULL`])}`,
    }[kind];
    const sql = `${left.sql} ${kind} UNNEST(${array.sql}) AS ${alias}${offset ? ` WITH OFFSET AS ${offset}` : ''}${condition}`;
    const item: Item = { alias, columns: [], element };
    const added: Item[] = [item];
    if (offset) added.push({ alias: offset, columns: [], element: 'int' });
    return { sql, items: [...left.items, ...added] };
  }

  #conditions(depth: number, scope: Scope): string {
    const count = 1 + this.#choose(2);
    return Array.from({ length: count }, () => this.#value('bool', depth, scope)).join(
      this.#pick([' AND ', ' OR ']),
    );
  }

  /** A column or field of a type; undefined if no column has it. */
  #column(type: Type, scope: Scope): string | undefined {
    const values = valuesOf(scope.items).filter((value) => isSame(value.type, type));
    return values.length === 0 ? undefined : this.#pick(values).sql;
  }

  #value(type: Type, depth: number, scope: Scope): string {
    if (!isScalar(type)) return this.#nested(type, depth, scope);
    const isSimple = depth <= 0 || !this.#chance(3);
    const column = this.#column(type, scope);
    if (isSimple && column !== undefined && type !== 'bool') return column;
    if (isSimple && type !== 'bool') return this.#literal(type);
    return this.#computed(type, depth - 1, scope);
  }

  #nested(type: Exclude<Type, string>, depth: number, scope: Scope): string {
    const column = this.#column(type, scope);
    if (column === undefined) return constantOf(type);
    if (depth > 0 && this.#chance(4)) return `IF(${this.#value('bool', 0, scope)}, ${column}, NULL)`;
    return column;
  }

  #literal(type: 'int' | 'text' | 'time' | 'bool' | 'float'): string {
    switch (type) {
      case 'int':
        return String(this.#choose(4));
      case 'text':
        return this.#pick(["'a'", "'x'", "'PRO'", "''", '@kind']);
      case 'time':
        return "TIMESTAMP '2024-03-10 12:00:01+00'";
      case 'float':
        return '1.5';
      case 'bool':
        return this.#pick(['TRUE', 'FALSE']);
    }
  }

  #computed(type: 'int' | 'text' | 'time' | 'bool' | 'float', depth: number, scope: Scope): string {
    const value = (of: Type) => this.#value(of, depth, scope);
    switch (type) {
      case 'int':
        return this.#pick([
          () => `${value('int')} + ${value('int')}`,
          () => `CASE @kind WHEN 'a' THEN ${value('int')} ELSE ${value('int')} END`,
          () => `COALESCE(${value('int')}, ${value('int')})`,
          () => `ARRAY_LENGTH(${this.#column({ array: 'text' }, scope) ?? '[1]'})`,
          () => `(SELECT COUNT(*) FROM ${this.#correlated(depth, scope)})`,
          () => `(SELECT COUNT(*) FROM ${this.#elements(scope)})`,
          () => `IF(${value('bool')}, ${value('int')}, NULL)`,
          () => `LENGTH(${value('text')})`,
        ])();
      case 'text':
        return this.#pick([
          () => `CONCAT(${value('text')}, ${value('text')})`,
          () => `UPPER(${value('text')})`,
          () => `NULLIF(${value('text')}, ${value('text')})`,
          () => `CASE WHEN ${value('bool')} THEN ${value('text')} END`,
          () => `(SELECT MAX(${this.#pick(['tier', 'project'])}) FROM ${this.#correlated(depth, scope)})`,
          () => `TO_JSON_STRING(${this.#nestedColumn(scope) ?? "'x'"})`,
          () => `COALESCE(@kind, ${value('text')})`,
        ])();
      case 'time':
        return this.#pick([
          () => `TIMESTAMP_TRUNC(${value('time')}, HOUR)`,
          () => `TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL ${1 + this.#choose(3)} HOUR)`,
          () => `COALESCE(${value('time')}, CURRENT_TIMESTAMP())`,
        ])();
      case 'float':
        return `${value('int')} / 2`;
      case 'bool':
        return this.#condition(depth, scope);
    }
  }

  #nestedColumn(scope: Scope): string | undefined {
    const nested = valuesOf(scope.items).filter(({ type }) => !isScalar(type));
    return nested.length === 0 ? undefined : this.#pick(nested).sql;
  }

  #correlated(depth: number, scope: Scope): string {
    const alias = this.#alias();
    return `projects ${alias} WHERE ${this.#value('bool', Math.min(depth, 0), {
      ...scope,
      items: [{ alias, columns: tables[2]?.columns ?? [] }, ...scope.items],
    })}`;
  }

  #condition(depth: number, scope: Scope): string {
    const value = (of: Type) => this.#value(of, depth, scope);
    const type = this.#pick(['int', 'text', 'time'] as const);
    const operator = this.#pick(['=', '<>', '<', '>=']);
    return this.#pick([
      () => `${value(type)} ${operator} ${value(type)}`,
      () => `${value(type)} IS ${this.#pick(['', 'NOT '])}NULL`,
      () => `${this.#nestedColumn(scope) ?? 'NULL'} IS ${this.#pick(['', 'NOT '])}NULL`,
      () => `(${value('bool')} OR @kind = ${this.#literal('text')})`,
      () => `NOT ${depth > 0 ? value('bool') : 'FALSE'}`,
      () => `${value('int')} IN (1, 2, ${value('int')})`,
      () => 'RAND() >= 0',
      () => `EXISTS (SELECT 1 FROM ${this.#correlated(depth, scope)})`,
      () => `${value(type)} ${this.#pick(['', 'NOT '])}IN (${this.#subquery(type, depth, scope)})`,
      () => `EXISTS (SELECT 1 FROM ${this.#elements(scope)})`,
    ])();
  }

  #elements(scope: Scope): string {
    const arrays = valuesOf(scope.items).filter(({ type }) => typeof type === 'object' && 'array' in type);
    if (arrays.length === 0) return 'UNNEST([1])';
    const alias = this.#alias();
    const array = this.#pick(arrays);
    const item: Item = { alias, columns: [], element: (array.type as { array: Type }).array };
    return `UNNEST(${array.sql}) AS ${alias} WHERE ${this.#value('bool', 0, { ...scope, items: [item, ...scope.items] })}`;
  }

  #subquery(type: Type, depth: number, scope: Scope): string {
    const { sql } = this.#query(Math.min(depth, 1) - 1, { ...scope, items: [] }, [type]);
    return sql;
  }
}

const isScalar = (type: Type): type is 'int' | 'text' | 'time' | 'bool' | 'float' => typeof type === 'string';

const isSame = (a: Type, b: Type): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The columns of the items, and the fields of the records among them. */
function valuesOf(items: readonly Item[]): readonly { readonly sql: string; readonly type: Type }[] {
  return items.flatMap(({ alias, columns, element }) => {
    const own = columns.filter(
      ({ name }) => columns.filter((other) => other.name.toLowerCase() === name.toLowerCase()).length === 1,
    );
    return [
      ...own.map(({ name, type }) => ({ sql: `${alias}.${name}`, type })),
      ...(element === undefined ? [] : [{ sql: alias, type: element }]),
    ].flatMap((value) => [value, ...fieldsOf(value)]);
  });
}

function fieldsOf({ sql, type }: { sql: string; type: Type }): readonly { sql: string; type: Type }[] {
  if (typeof type !== 'object' || !('struct' in type)) return [];
  return Object.entries(type.struct).map(([name, field]) => ({ sql: `${sql}.${name}`, type: field }));
}

function constantOf(type: Type): string {
  if (type === 'int') return '1';
  if (isScalar(type)) return "'p'";
  if ('array' in type) return `[${constantOf(type.array)}]`;
  const fields = Object.entries(type.struct).map(([name, field]) => `${constantOf(field)} AS ${name}`);
  return `STRUCT(${fields.join(', ')})`;
}
