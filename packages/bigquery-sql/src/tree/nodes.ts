import type { Type } from '../types.ts';

/**
 * The typed tree of a query. Its shape is that of DuckDB's SQL, its types are BigQuery's: rules build it from the
 * syntax tree, each pass takes one and gives one, and the printer writes it as DuckDB text.
 *
 * Nodes are never changed. Every alias of a FROM item and every name of a common table is used once in the whole
 * query, so that a pass may move an expression without regard to scopes.
 */
export type Node = Expression | Query | From;

/** A value, with its type. */
export type Expression =
  | Literal
  | Parameter
  | Column
  | Local
  | Call
  | Aggregate
  | Operation
  | Cast
  | Case
  | Field
  | Struct
  | RecordValue
  | List
  | Element
  | Lambda
  | Subquery
  | Position;

/** A node that returns rows. */
export type Query = Select | SetOperation | With;

/** An item of a FROM clause. */
export type From = Table | Reference | Derived | Unnest | Join | Sample;

/** The properties of every expression. Helpers that have no BigQuery type (a map, a lambda) are of unknown type. */
interface Typed<Kind extends string> {
  readonly kind: Kind;
  readonly type: Type;
}

/**
 * A constant. Integers are bigint; all other values are the text that DuckDB casts to the type: `1.5`,
 * `2024-01-31 00:00:00+00`; BYTES are hexadecimal digits. A NULL has its type, or the type `null` if it is bare.
 */
export interface Literal extends Typed<'literal'> {
  readonly value: null | boolean | bigint | string;
  /** True if the author wrote an expression of constant value, not a literal: it keeps its type. */
  readonly hasFixedType?: true;
}

/** A value that is bound for each run as `$name`. */
export interface Parameter extends Typed<'parameter'> {
  readonly name: string;
}

/** A column of a FROM item. */
export interface Column extends Typed<'column'> {
  /** The alias of the FROM item. */
  readonly from: string;
  readonly name: string;
  /** True if it is never NULL. */
  readonly required?: boolean;
  /** Of a bare name that may be another column, because columns are not known: the items of its query that may have it. */
  readonly candidates?: readonly string[];
}

/** The parameter of a lambda, within its body. The printer chooses the name that DuckDB sees. */
export interface Local extends Typed<'local'> {
  readonly id: number;
}

/** A call of a scalar function. */
export interface Call extends Typed<'call'> {
  /** DuckDB's function, or one of the dialect's macros: `bq.name` or `bq."name(a bigint)"`. */
  readonly function: string;
  readonly args: readonly Expression[];
}

/** An aggregate or window function. */
export interface Aggregate extends Typed<'aggregate'> {
  readonly function: string;
  /** No argument in `count(*)`. */
  readonly args: readonly Expression[];
  readonly distinct?: boolean;
  readonly orderBy?: readonly SortKey[];
  readonly filter?: Expression;
  readonly ignoreNulls?: boolean;
  readonly over?: Window;
  /** True if it is an argument of a function, whose body may have it in a subquery: it is of the query of the call. */
  readonly isArgument?: true;
}

export interface SortKey {
  readonly value: Expression;
  readonly descending: boolean;
  readonly nulls: 'FIRST' | 'LAST';
}

/** The definition of a window, with the parts of named ones that it extends. */
export interface Window {
  readonly partitionBy: readonly Expression[];
  readonly orderBy: readonly SortKey[];
  readonly frame?: Frame;
}

export interface Frame {
  readonly unit: 'ROWS' | 'RANGE';
  readonly begin: Bound;
  readonly end: Bound;
}

/** A bound of a frame; without an amount it is UNBOUNDED. */
export type Bound =
  | { readonly side: 'CURRENT ROW' }
  | { readonly side: 'PRECEDING' | 'FOLLOWING'; readonly amount?: Expression };

/** Operators of DuckDB, whose meaning differs from BigQuery's: rules choose them with care. */
export type Operator =
  | PrefixOperator
  | PostfixOperator
  | InfixOperator
  | 'BETWEEN'
  | 'NOT BETWEEN'
  | 'IN'
  | 'NOT IN';

export type PrefixOperator = 'NOT' | '-';
export type PostfixOperator =
  | 'IS NULL'
  | 'IS NOT NULL'
  | 'IS TRUE'
  | 'IS NOT TRUE'
  | 'IS FALSE'
  | 'IS NOT FALSE';
export type InfixOperator =
  | 'AND'
  | 'OR'
  | '='
  | '<>'
  | '<'
  | '<='
  | '>'
  | '>='
  | 'IS DISTINCT FROM'
  | 'IS NOT DISTINCT FROM'
  | '||'
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '&'
  | '|';

/** AND, OR and `||` take any number of operands; IN takes the value and then the members of its list. */
export interface Operation extends Typed<'operation'> {
  readonly operator: Operator;
  readonly operands: readonly Expression[];
}

/** A cast by DuckDB's rules. */
export interface Cast extends Typed<'cast'> {
  readonly value: Expression;
  /** DuckDB's type, if it is not the one that holds values of the BigQuery type. */
  readonly to?: string;
}

export interface Case extends Typed<'case'> {
  readonly branches: readonly { readonly when: Expression; readonly result: Expression }[];
  readonly otherwise?: Expression;
}

/** A field of a struct. */
export interface Field extends Typed<'field'> {
  readonly of: Expression;
  /** DuckDB's name of the field; see `fieldName` for anonymous ones. */
  readonly name: string;
}

export interface Struct extends Typed<'struct'> {
  readonly fields: readonly Member[];
}

/** A named value: a field of a struct, or a column of a select list. */
export interface Member {
  readonly name: string;
  readonly value: Expression;
}

/**
 * A record whose fields are values of their own: NULL if it is not present, and then all its fields are NULL. A
 * repeated one is an array of one record: empty if it is not present, NULL if `present` is NULL.
 */
export interface RecordValue extends Typed<'record'> {
  readonly present: Expression;
  readonly fields: readonly Member[];
  readonly repeated: boolean;
}

export interface List extends Typed<'list'> {
  readonly items: readonly Expression[];
}

/** An element of a list, counted from 1; NULL beyond its ends. */
export interface Element extends Typed<'element'> {
  readonly of: Expression;
  readonly index: number;
}

export interface Lambda extends Typed<'lambda'> {
  readonly parameters: readonly number[];
  readonly body: Expression;
}

/** `(query)`, `ARRAY(query)`, `EXISTS (query)`, `value IN (query)`. */
export interface Subquery extends Typed<'subquery'> {
  readonly form: 'scalar' | 'array' | 'exists' | 'in' | 'not in';
  readonly query: Query;
  /** The value of IN and NOT IN. */
  readonly value?: Expression;
  /** True for the sort key of the last row that a LIMIT returns. */
  readonly isThreshold?: true;
  /** True for the value of a script's variable. */
  readonly isVariable?: true;
}

/** A column of the select list by its position, counted from 1, in GROUP BY and ORDER BY. */
export interface Position extends Typed<'position'> {
  readonly index: number;
}

export interface Select {
  readonly kind: 'select';
  readonly columns: readonly Member[];
  readonly distinct: boolean;
  readonly from?: From;
  /** Conditions that must all hold. */
  readonly where: readonly Expression[];
  readonly groupBy?: Grouping;
  readonly having: readonly Expression[];
  readonly qualify: readonly Expression[];
  readonly orderBy: readonly SortKey[];
  readonly limit?: Expression;
  readonly offset?: Expression;
}

/** The keys of GROUP BY, and the sets of them by index; without sets there is one set of all keys. */
export interface Grouping {
  readonly keys: readonly Expression[];
  readonly sets?: readonly (readonly number[])[];
}

/** The columns have the names of the first input; all inputs have the same number and types of columns. */
export interface SetOperation {
  readonly kind: 'set';
  readonly operator: 'UNION ALL' | 'UNION' | 'INTERSECT' | 'EXCEPT';
  readonly inputs: readonly Query[];
}

export interface With {
  readonly kind: 'with';
  readonly tables: readonly CommonTable[];
  readonly body: Query;
}

export interface CommonTable {
  readonly name: string;
  /** Its name in the text. */
  readonly writtenName?: string;
  readonly query: Query;
  /** True if it refers to itself; its query is then a union of two inputs. */
  readonly recursive: boolean;
  /** False keeps DuckDB from computing it once for all its readers, with all its columns. */
  readonly materialized?: boolean;
}

/** A table of the database, with its columns as they are stored. */
export interface Table {
  readonly kind: 'table';
  readonly alias: string;
  /** The name by which queries know it. */
  readonly name: string;
  /** The relation in DuckDB, as SQL. */
  readonly relation: string;
  /** True if a plan may read some files instead of the relation. */
  readonly isInFiles?: boolean;
  /** The time whose rows are read, instead of those of now. */
  readonly systemTime?: SystemTime;
  /** The columns and fields, by their paths, of which BigQuery compares texts otherwise than byte for byte. */
  readonly collated?: readonly (readonly string[])[];
  /** Where the query names it: an offset into its text. */
  readonly start: number;
}

/** `FOR SYSTEM_TIME AS OF value`: a TIMESTAMP that does not depend on rows. */
export interface SystemTime {
  readonly value: Expression;
  /** The names of the parameters in it, as the query has them. */
  readonly parameters: readonly string[];
  /** Where the query has it: an offset into its text. */
  readonly start: number;
}

/** A common table, read in FROM. */
export interface Reference {
  readonly kind: 'reference';
  readonly alias: string;
  readonly name: string;
}

/** A subquery in FROM. */
export interface Derived {
  readonly kind: 'derived';
  readonly alias: string;
  readonly query: Query;
  /** True if it may use the columns of the items to its left. */
  readonly lateral?: true;
  /** Of a wildcard table: what its tables have with types of which one cannot be read as the other. */
  readonly unreadable?: readonly UnreadableField[];
}

/** A column or a field that no query may read. */
export interface UnreadableField {
  /** The column's name in the tree, and the names of fields. */
  readonly path: readonly string[];
  /** Why. */
  readonly message: string;
  /** Where the query names the table: an offset into its text. */
  readonly start: number;
}

/** The elements of an array, which may use the columns of the items to its left, as the column `value`. */
export interface Unnest {
  readonly kind: 'unnest';
  readonly alias: string;
  readonly array: Expression;
  /** True if it has a column `offset`, counted from 0. */
  readonly offset: boolean;
}

export interface Join {
  readonly kind: 'join';
  readonly join: 'CROSS' | 'INNER' | 'LEFT' | 'RIGHT' | 'FULL';
  readonly left: From;
  readonly right: From;
  /** Absent in a cross join only. */
  readonly on?: Expression;
}

/** `of TABLESAMPLE SYSTEM (percent PERCENT)`. */
export interface Sample {
  readonly kind: 'sample';
  readonly of: From;
  readonly percent: number;
}
