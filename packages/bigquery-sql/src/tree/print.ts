import { duckdbType, isScalar, quote, scalar, type Type } from '../types.ts';
import { aliasesOf } from './aliases-of.ts';
import { aggregate, compareWith, integerLiteral } from './build.ts';
import { someExpression } from './map.ts';
import type {
  Aggregate,
  Bound,
  Case,
  CommonTable,
  Expression,
  From,
  Grouping,
  Join,
  Lambda,
  Literal,
  Member,
  Node,
  Operation,
  Operator,
  Parameter,
  Query,
  RecordValue,
  Select,
  SortKey,
  Subquery,
  Window,
} from './nodes.ts';
import { quoteText } from './quote-text.ts';
import { isVolatile } from './volatile.ts';

/** The query as DuckDB text. Equal trees give equal texts. */
export const printQuery = (query: Query): string => new Printer(query).query(query);

/** An expression as DuckDB text. */
export const printExpression = (expression: Expression): string =>
  new Printer(expression).expression(expression);

/** A longer chain is written as two halves: DuckDB's time to plan one grows with the cube of its length. */
const longChain = 16;

function joined(operator: Operator, texts: readonly string[]): string {
  if (texts.length <= longChain) return texts.join(` ${operator} `);
  const half = Math.ceil(texts.length / 2);
  return `(${joined(operator, texts.slice(0, half))}) ${operator} (${joined(operator, texts.slice(half))})`;
}

/** A longer text is written once: repeated ones inside each other would grow exponentially. */
const longText = 300;

class Printer {
  /** The names of the parameters of the lambdas around, the same in each lambda of one depth: DuckDB compares them. */
  #locals: ReadonlyMap<number, string> = new Map();
  #depth = 0;
  /** The aliases of the FROM items of the innermost select. */
  #aliases: ReadonlySet<string> = new Set();
  /** True if an aggregate of the innermost select reads the expression. */
  #isAggregated = false;
  readonly #isVolatile: boolean;

  constructor(root: Node) {
    this.#isVolatile = isVolatile(root);
  }

  query(node: Query): string {
    switch (node.kind) {
      case 'select':
        return this.#select(node);
      case 'set':
        return node.inputs.map((input) => `(${this.query(input)})`).join(` ${node.operator} `);
      case 'with':
        return this.#with(node.tables, node.body);
    }
  }

  expression(node: Expression): string {
    switch (node.kind) {
      case 'literal':
        return literalText(node);
      case 'parameter':
        return parameterText(node);
      case 'column':
        return `${quote(node.from)}.${quote(node.name)}`;
      case 'local':
        return this.#locals.get(node.id) ?? `_${node.id}`;
      case 'call':
        return `${node.function}(${this.#list(node.args)})`;
      case 'aggregate':
        return this.#aggregate(node);
      case 'operation':
        return `(${this.#operation(node)})`;
      case 'cast':
        return `CAST(${this.expression(node.value)} AS ${node.to ?? duckdbType(node.type)})`;
      case 'case':
        return this.#case(node.branches, node.otherwise);
      case 'field':
        return `${this.#primary(node.of)}.${quote(node.name)}`;
      case 'struct':
        return this.#struct(node.fields);
      case 'record':
        return this.#record(node);
      case 'list':
        return `[${this.#list(node.items)}]`;
      case 'element':
        return `${this.#primary(node.of)}[${node.index}]`;
      case 'lambda':
        return this.#lambda(node);
      case 'subquery':
        return this.#subquery(node);
      case 'position':
        return String(node.index);
    }
  }

  #lambda({ parameters, body }: Lambda): string {
    const around = this.#locals;
    const names = parameters.map(() => `_${++this.#depth}`);
    this.#locals = new Map([...around, ...parameters.map((id, at) => [id, names[at] ?? ''] as const)]);
    const text = `lambda ${names.join(', ')}: ${this.expression(body)}`;
    this.#locals = around;
    this.#depth -= names.length;
    return text;
  }

  readonly #list = (items: readonly Expression[]): string =>
    items.map((item) => this.expression(item)).join(', ');

  /** An operand of `.` and `[ ]`. */
  #primary(node: Expression): string {
    const text = this.expression(node);
    const isPrimary = node.kind === 'column' || node.kind === 'field' || node.kind === 'element';
    return isPrimary || (node.kind === 'call' && !node.function.includes('"')) ? text : `(${text})`;
  }

  #operation({ operator, operands }: Operation): string {
    const texts = operands.map((operand) => this.expression(operand));
    const [first = '', second = '', third = ''] = texts;
    switch (operator) {
      case 'NOT':
        return `NOT ${first}`;
      case 'IS NULL':
      case 'IS NOT NULL':
        return `${first} ${operator}`;
      case 'IS TRUE':
        return `coalesce(${first}, FALSE)`;
      case 'IS NOT TRUE':
        return `NOT coalesce(${first}, FALSE)`;
      case 'IS FALSE':
        return `NOT coalesce(${first}, TRUE)`;
      case 'IS NOT FALSE':
        return `coalesce(${first}, TRUE)`;
      case 'IS DISTINCT FROM':
      case 'IS NOT DISTINCT FROM': {
        const text = texts.join(` ${operator} `);
        return this.#isAggregated || operands.every(readsRow) ? text : hidden(text);
      }
      case 'BETWEEN':
      case 'NOT BETWEEN':
        return `${first} ${operator} ${second} AND ${third}`;
      case 'IN':
      case 'NOT IN':
        return `${first} ${operator} (${texts.slice(1).join(', ')})`;
      case '-':
        return texts.length === 1 ? `-${first}` : texts.join(' - ');
      case '+':
      case '||':
        return joined(operator, texts);
      default:
        return texts.join(` ${operator} `);
    }
  }

  #case(branches: Case['branches'], otherwise: Expression | undefined): string {
    const whens = branches.map(
      ({ when, result }) => `WHEN ${this.expression(when)} THEN ${this.expression(result)}`,
    );
    return `CASE ${whens.join(' ')}${otherwise ? ` ELSE ${this.expression(otherwise)}` : ''} END`;
  }

  #struct(fields: readonly Member[]): string {
    const members = fields.map(({ name, value }) => `${quote(name)} := ${this.expression(value)}`);
    return `struct_pack(${members.join(', ')})`;
  }

  #record({ present, fields, repeated }: RecordValue): string {
    const [test, struct] = [this.expression(present), this.#struct(fields)];
    if (!repeated) return `CASE WHEN ${test} THEN ${struct} END`;
    return `CASE WHEN ${test} THEN [${struct}] WHEN NOT ${test} THEN [] END`;
  }

  #aggregate(node: Aggregate): string {
    const outer = this.#isAggregated;
    this.#isAggregated = true;
    const text = this.#aggregateText(node);
    this.#isAggregated = outer;
    return text;
  }

  #aggregateText(node: Aggregate): string {
    const args = this.#list(node.args) || (node.function === 'count' ? '*' : '');
    const orderBy = node.orderBy && node.orderBy.length > 0 ? ` ${this.#orderBy(node.orderBy)}` : '';
    const nulls = node.ignoreNulls ? ' IGNORE NULLS' : '';
    const called = `${node.function}(${node.distinct ? 'DISTINCT ' : ''}${args}${orderBy}${nulls})`;
    const filter = node.filter ? ` FILTER (WHERE ${this.expression(node.filter)})` : '';
    return `${called}${filter}${node.over ? ` OVER (${this.#window(node.over, node.function)})` : ''}`;
  }

  /**
   * DuckDB computes a window without ORDER BY by a second run of the rows below it, which have other random values then. A
   * repeated key of PARTITION BY leaves another window without one of its own. The first of no rows is a row of NULL, if
   * `row_number` has one key of ORDER BY only.
   *
   * @see conformance/duckdb/other-random-values.md
   * @see conformance/duckdb/repeated-partition-keys.md
   * @see conformance/duckdb/first-of-no-rows.md
   */
  #window({ partitionBy, orderBy, frame }: Window, of: string): string {
    const noOrder = this.#isVolatile ? 'ORDER BY NULL' : '';
    const keys = new Set(partitionBy.map((key) => this.expression(key)));
    const order = orderBy.length === 0 ? noOrder : this.#orderBy(orderBy);
    const isOneKey = of === 'row_number' && keys.size === 0 && orderBy.length < 2 && order !== '';
    const parts = [
      keys.size === 0 ? '' : `PARTITION BY ${[...keys].join(', ')}`,
      isOneKey ? `${order}, 0` : order,
      frame ? `${frame.unit} BETWEEN ${this.#bound(frame.begin)} AND ${this.#bound(frame.end)}` : '',
    ];
    return parts.filter((part) => part !== '').join(' ');
  }

  #bound(bound: Bound): string {
    if (bound.side === 'CURRENT ROW') return bound.side;
    return `${bound.amount ? this.expression(bound.amount) : 'UNBOUNDED'} ${bound.side}`;
  }

  /** DuckDB refuses to order by a text as it is written, which passes may have computed. */
  #sortValue(value: Expression): string {
    const text = this.expression(value);
    return value.kind === 'literal' && text.startsWith("'") ? `CAST(${text} AS VARCHAR)` : text;
  }

  #orderBy(keys: readonly SortKey[]): string {
    const items = keys.map(
      ({ value, descending, nulls }) =>
        `${this.#sortValue(value)} ${descending ? 'DESC' : 'ASC'} NULLS ${nulls}`,
    );
    return `ORDER BY ${items.join(', ')}`;
  }

  #subquery({ form, query, value }: Subquery): string {
    const text = this.query(query);
    switch (form) {
      case 'scalar':
        return `(${text})`;
      case 'array':
        return `ARRAY(${text})`;
      case 'exists':
        return `EXISTS (${text})`;
      case 'in':
      case 'not in':
        return `(${value ? this.#inValue(value) : ''} ${form.toUpperCase()} (${text}))`;
    }
  }

  /**
   * The value of IN. DuckDB fails to plan `x IN (SELECT … FROM common_table)` if x is a column of an outer query
   * ("Failed to bind column reference"), but not if x is a query.
   */
  #inValue(value: Expression): string {
    const isOuter = someExpression(value, (node) => node.kind === 'column' && !this.#aliases.has(node.from));
    return isOuter ? `(SELECT ${this.expression(value)})` : this.expression(value);
  }

  #with(tables: readonly CommonTable[], body: Query): string {
    if (tables.length === 0) return this.query(body);
    const keyword = tables.some(({ recursive }) => recursive) ? 'WITH RECURSIVE' : 'WITH';
    const texts = tables.map(({ name, query, materialized }) => {
      const hint = materialized === undefined ? '' : materialized ? 'MATERIALIZED ' : 'NOT MATERIALIZED ';
      return `${quote(name)} AS ${hint}(${this.query(query)})`;
    });
    return `${keyword} ${texts.join(', ')} ${this.query(body)}`;
  }

  #select(node: Select): string {
    const [aliases, isAggregated] = [this.#aliases, this.#isAggregated];
    this.#aliases = new Set(node.from ? aliasesOf(node.from) : []);
    this.#isAggregated = false;
    const text = this.#selectText(node);
    this.#aliases = aliases;
    this.#isAggregated = isAggregated;
    return text;
  }

  #selectText(node: Select): string {
    const columns = node.columns.map(({ name, value }) => `${this.expression(value)} AS ${quote(name)}`);
    const parts = [
      `SELECT ${node.distinct ? 'DISTINCT ' : ''}${columns.join(', ')}`,
      node.from ? `FROM ${this.#from(node.from)}` : '',
      this.#conditions('WHERE', node.where),
      node.groupBy ? `GROUP BY ${this.#grouping(node.groupBy)}` : '',
      this.#conditions('HAVING', [...node.having, ...(node.groupBy ? ofRows(node.groupBy) : [])]),
      this.#conditions('QUALIFY', node.qualify),
      node.orderBy.length === 0 ? '' : this.#orderBy(node.orderBy),
      node.limit ? `LIMIT ${this.expression(node.limit)}` : '',
      node.offset ? `OFFSET ${this.expression(node.offset)}` : '',
    ];
    return parts.filter((part) => part !== '').join(' ');
  }

  #conditions(keyword: string, conditions: readonly Expression[]): string {
    return conditions.length === 0
      ? ''
      : `${keyword} ${conditions.map((condition) => this.expression(condition)).join(' AND ')}`;
  }

  #grouping({ keys, sets }: Grouping): string {
    const texts = keys.map((key) => this.expression(key));
    if (!sets) return texts.join(', ');
    return `GROUPING SETS (${sets.map((set) => `(${set.map((at) => texts[at]).join(', ')})`).join(', ')})`;
  }

  #from(node: From): string {
    switch (node.kind) {
      case 'table':
        return `${node.systemTime ? unread(node.relation) : node.relation} AS ${quote(node.alias)}`;
      case 'reference':
        return `${quote(node.name)} AS ${quote(node.alias)}`;
      case 'derived':
        return `(${this.query(node.query)}) AS ${quote(node.alias)}`;
      case 'unnest': {
        const array = this.expression(node.array);
        if (!node.offset) return `(SELECT unnest(${array}) AS "value") AS ${quote(node.alias)}`;
        const isLong = array.length > longText;
        const items = isLong ? '"items"' : array;
        const from = isLong ? ` FROM (SELECT ${array} AS "items")` : '';
        const columns = `unnest(${items}) AS "value", unnest(range(len(${items}))) AS "offset"`;
        return `(SELECT ${columns}${from}) AS ${quote(node.alias)}`;
      }
      case 'join':
        return this.#join(node);
      case 'sample':
        return `${this.#from(node.of)} TABLESAMPLE SYSTEM (${node.percent} PERCENT)`;
    }
  }

  #join({ join, left, right, on }: Join): string {
    const isLateral = right.kind === 'unnest' || (right.kind === 'derived' && right.lateral === true);
    const inner = right.kind === 'join' ? `(${this.#from(right)})` : this.#from(right);
    const condition = on ? ` ON ${this.expression(on)}` : '';
    return `${this.#from(left)} ${join} JOIN ${isLateral ? 'LATERAL ' : ''}${inner}${condition}`;
  }
}

/** A relation that fails when it is read, so that its rows of now are never those of another time. */
const unread = (relation: string) => `(SELECT * FROM ${relation} WHERE error('no snapshot has been chosen'))`;

function literalText({ type, value }: Literal): string {
  if (value === null) return typedNull(type);
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (typeof value === 'bigint') return `CAST(${value} AS ${duckdbType(type)})`;
  if (isScalar(type, 'BYTES')) return `from_hex(${quoteText(value)})`;
  return isScalar(type, 'STRING') ? quoteText(value) : `CAST(${quoteText(value)} AS ${duckdbType(type)})`;
}

/** BigQuery has a total of no rows only without other sets; DuckDB has it for every empty set. */
const ofRows = ({ sets = [] }: Grouping): readonly Expression[] =>
  sets.length > 1 && sets.some((set) => set.length === 0)
    ? [compareWith('>', aggregate('count', [], scalar('INT64')), integerLiteral(0))]
    : [];

/** True if a value is not the same for all rows. */
const readsRow = (node: Expression): boolean =>
  someExpression(node, ({ kind }) => kind === 'column' || kind === 'local' || kind === 'subquery');

/**
 * A comparison with a constant that is never NULL, which DuckDB then does not make a filter of a table's scan: beside others in OR,
 * such a filter loses rows with NULL. IS TRUE and the like would be such comparisons, too.
 *
 * @see conformance/duckdb/lost-nulls.md
 */
const hidden = (comparison: string): string => `coalesce(${comparison}, FALSE)`;

/**
 * DuckDB plans a statement that reads no table when it is prepared, before it has values, and loses the values where it
 * copies a part of that plan: they become NULL. It plans with the values if a parameter occurs twice.
 *
 * @see conformance/duckdb/lost-values.md
 */
function parameterText({ name, type }: Parameter): string {
  const value = `CAST($${name} AS ${duckdbType(type)})`;
  return `coalesce(${value}, ${value})`;
}

function typedNull(type: Type): string {
  const target = duckdbType(type);
  return target === undefined ? 'NULL' : `CAST(NULL AS ${target})`;
}
