/**
 * The syntax tree: what was written, with nothing resolved. Each node has its place in the text: `start` is the offset of
 * its first character, `end` that after its last, in UTF-16 code units. A node lies within its parent. Parentheses
 * around an expression leave no node; they are within the range of the node around them.
 *
 * A keyword of the language is a union of upper-case words; a name that the author chose is an `Identifier`. An
 * optional part that is absent is `undefined`, an optional list that is absent is empty.
 *
 * The tree is at most `maxTreeDepth` nodes deep, so functions over it may recurse.
 */

/** The place of a node in the text. */
export interface Located {
  readonly start: number;
  readonly end: number;
}

/** The properties of every node. */
interface Construct<Kind extends string> extends Located {
  readonly kind: Kind;
}

// ————— Names —————

/** One name. `name` is without backquotes and escapes, in the author's case. */
export interface Identifier extends Construct<'Identifier'> {
  readonly name: string;
  /** Written in backquotes: never a keyword, a date part or a function without parentheses. */
  readonly quoted: boolean;
}

/**
 * `a.b.c`: a column, a field of it, a date part (`DAY`), a function without parentheses (`CURRENT_DATE`), or the name
 * of a table, a function or a type. As the name of a table or a function, `` `a.b.c` `` and `a-b.c` are split as
 * BigQuery splits them: parts `a`, `b`, `c`, and `a-b`, `c`.
 */
export interface Path extends Construct<'Path'> {
  readonly parts: readonly [Identifier, ...Identifier[]];
}

// ————— Expressions —————

/** A value. */
export type Expression =
  | Path
  | FieldAccess
  | Subscript
  | NullLiteral
  | BooleanLiteral
  | IntegerLiteral
  | FloatLiteral
  | StringLiteral
  | BytesLiteral
  | TypedLiteral
  | RangeLiteral
  | IntervalLiteral
  | NamedParameter
  | PositionalParameter
  | SystemVariable
  | ArrayConstructor
  | StructConstructor
  | Tuple
  | Unary
  | Binary
  | Concatenation
  | Comparison
  | Logical
  | Not
  | Is
  | IsDistinctFrom
  | Between
  | Like
  | QuantifiedLike
  | In
  | Case
  | Cast
  | Extraction
  | FunctionCall
  | WithExpression
  | ScalarSubquery
  | ArraySubquery
  | Exists;

/** `operand.field` where the operand is not a path: `IF(…).field`, `(a).b`, `x[0].y`, `@p.f`. */
export interface FieldAccess extends Construct<'FieldAccess'> {
  readonly operand: Expression;
  readonly field: Identifier;
}

/** `operand[index]`, `operand[SAFE_OFFSET(index)]`. */
export interface Subscript extends Construct<'Subscript'> {
  readonly operand: Expression;
  readonly mode: SubscriptMode;
  readonly index: Expression;
}

/** PLAIN is an index without a function around it. */
export type SubscriptMode =
  | 'PLAIN'
  | 'OFFSET'
  | 'SAFE_OFFSET'
  | 'ORDINAL'
  | 'SAFE_ORDINAL'
  | 'KEY'
  | 'SAFE_KEY';

export type NullLiteral = Construct<'NullLiteral'>;

export interface BooleanLiteral extends Construct<'BooleanLiteral'> {
  readonly value: boolean;
}

/** Never negative: a sign is a `Unary` around it. The value may be beyond INT64 (`-9223372036854775808`). */
export interface IntegerLiteral extends Construct<'IntegerLiteral'> {
  readonly value: bigint;
  /** As written, decimal or hexadecimal. */
  readonly text: string;
}

export interface FloatLiteral extends Construct<'FloatLiteral'> {
  /** As written: `5.`, `.5`, `1e3`. Coerced to NUMERIC, its digits count, not its FLOAT64. */
  readonly text: string;
}

export interface StringLiteral extends Construct<'StringLiteral'> {
  /** Without quotes and escapes. */
  readonly value: string;
}

export interface BytesLiteral extends Construct<'BytesLiteral'> {
  readonly value: Uint8Array;
}

/** `DATE '2024-01-31'`, `NUMERIC '1.5'`. */
export interface TypedLiteral extends Construct<'TypedLiteral'> {
  readonly type: LiteralType;
  readonly value: StringLiteral;
}

/** The types with literals, aliases resolved: DECIMAL is NUMERIC, BIGDECIMAL is BIGNUMERIC. */
export type LiteralType = 'DATE' | 'TIME' | 'DATETIME' | 'TIMESTAMP' | 'NUMERIC' | 'BIGNUMERIC' | 'JSON';

/** `RANGE<DATE> '[2024-01-01, UNBOUNDED)'`. */
export interface RangeLiteral extends Construct<'RangeLiteral'> {
  readonly type: RangeType;
  readonly value: StringLiteral;
}

/** `INTERVAL n DAY`, `INTERVAL '1-2' YEAR TO MONTH`. */
export interface IntervalLiteral extends Construct<'IntervalLiteral'> {
  /** Any expression for one part; for `from TO to`, what BigQuery takes is a string literal. */
  readonly value: Expression;
  readonly from: Identifier;
  readonly to: Identifier | undefined;
}

/** `@name`, `` @`name` ``. */
export interface NamedParameter extends Construct<'NamedParameter'> {
  readonly name: Identifier;
}

/** `?`. */
export interface PositionalParameter extends Construct<'PositionalParameter'> {
  /** Counted from 0 in the order of the text. */
  readonly position: number;
}

/** `@@time_zone`, `@@a.b`. */
export interface SystemVariable extends Construct<'SystemVariable'> {
  readonly name: Path;
}

/** `[1, 2]`, `ARRAY[1, 2]`, `ARRAY<INT64>[1, 2]`. */
export interface ArrayConstructor extends Construct<'ArrayConstructor'> {
  readonly type: ArrayType | undefined;
  readonly elements: readonly Expression[];
}

/** `STRUCT(1 AS a, b)`, `STRUCT<a INT64>(1)`. */
export interface StructConstructor extends Construct<'StructConstructor'> {
  readonly type: StructType | undefined;
  readonly fields: readonly StructArgument[];
}

export interface StructArgument extends Construct<'StructArgument'> {
  readonly value: Expression;
  readonly alias: Identifier | undefined;
}

/** `(a, b)`: a struct of two fields or more, without names. */
export interface Tuple extends Construct<'Tuple'> {
  readonly elements: readonly Expression[];
}

export interface Unary extends Construct<'Unary'> {
  readonly operator: '-' | '+' | '~';
  readonly operand: Expression;
}

/** An arithmetic or bitwise operator; `a - b - c` nests to the left. */
export interface Binary extends Construct<'Binary'> {
  readonly operator: BinaryOperator;
  readonly left: Expression;
  readonly right: Expression;
}

export type BinaryOperator = '*' | '/' | '+' | '-' | '<<' | '>>' | '&' | '^' | '|';

/** `a || b || c`, with two operands or more. */
export interface Concatenation extends Construct<'Concatenation'> {
  readonly operands: readonly Expression[];
}

export interface Comparison extends Construct<'Comparison'> {
  readonly operator: ComparisonOperator;
  readonly left: Expression;
  readonly right: Expression;
}

/** `<>` is written as `!=`. */
export type ComparisonOperator = '=' | '!=' | '<' | '<=' | '>' | '>=';

/** `a AND b AND c` or `a OR b OR c`, with two operands or more. */
export interface Logical extends Construct<'Logical'> {
  readonly operator: 'AND' | 'OR';
  readonly operands: readonly Expression[];
}

export interface Not extends Construct<'Not'> {
  readonly operand: Expression;
}

/** `operand IS [NOT] NULL`. */
export interface Is extends Construct<'Is'> {
  readonly operand: Expression;
  readonly negated: boolean;
  readonly value: 'NULL' | 'TRUE' | 'FALSE' | 'UNKNOWN';
}

/** `left IS [NOT] DISTINCT FROM right`; `negated` is IS NOT. */
export interface IsDistinctFrom extends Construct<'IsDistinctFrom'> {
  readonly left: Expression;
  readonly negated: boolean;
  readonly right: Expression;
}

export interface Between extends Construct<'Between'> {
  readonly operand: Expression;
  readonly negated: boolean;
  readonly low: Expression;
  readonly high: Expression;
}

export interface Like extends Construct<'Like'> {
  readonly operand: Expression;
  readonly negated: boolean;
  readonly pattern: Expression;
}

/** `operand [NOT] LIKE ANY ('a%', 'b%')`; SOME means ANY. */
export interface QuantifiedLike extends Construct<'QuantifiedLike'> {
  readonly operand: Expression;
  readonly negated: boolean;
  readonly quantifier: 'ANY' | 'SOME' | 'ALL';
  readonly patterns: ValueSet;
}

/** `operand [NOT] IN (…)`. */
export interface In extends Construct<'In'> {
  readonly operand: Expression;
  readonly negated: boolean;
  readonly values: ValueSet;
}

/** The values that IN and LIKE ANY compare with: `(1, 2)`, `(SELECT …)`, `UNNEST(array)`. */
export type ValueSet = ExpressionList | Query | UnnestedValues;

/** `(1, 2)`, with one item or more; the range includes the parentheses. */
export interface ExpressionList extends Construct<'ExpressionList'> {
  readonly items: readonly Expression[];
}

/** `UNNEST(array)` after IN or LIKE ANY. In FROM it is an `Unnest`. */
export interface UnnestedValues extends Construct<'UnnestedValues'> {
  readonly array: Expression;
}

/** `CASE WHEN a THEN b … ELSE c END`, or `CASE operand WHEN …`. */
export interface Case extends Construct<'Case'> {
  readonly operand: Expression | undefined;
  readonly branches: readonly CaseBranch[];
  readonly otherwise: Expression | undefined;
}

export interface CaseBranch extends Construct<'CaseBranch'> {
  readonly when: Expression;
  readonly then: Expression;
}

/** `CAST(operand AS type FORMAT format AT TIME ZONE zone)`, `SAFE_CAST(…)`. */
export interface Cast extends Construct<'Cast'> {
  readonly safe: boolean;
  readonly operand: Expression;
  readonly type: Type;
  readonly format: Expression | undefined;
  readonly zone: Expression | undefined;
}

/** `EXTRACT(part FROM operand AT TIME ZONE zone)`. */
export interface Extraction extends Construct<'Extraction'> {
  readonly part: DatePart;
  readonly operand: Expression;
  readonly zone: Expression | undefined;
}

/** `DAY`, `WEEK(MONDAY)` in EXTRACT. As an argument of a function it is a `Path` or a `FunctionCall`. */
export interface DatePart extends Construct<'DatePart'> {
  readonly name: Identifier;
  readonly weekday: Identifier | undefined;
}

/** A function by name, be it scalar, aggregate or window; also IF, COALESCE and other functions that branch. */
export interface FunctionCall extends Construct<'FunctionCall'> {
  /** One part or more: `SAFE.SUBSTR`, `NET.HOST`, `` `project.dataset.name` `` (split at its dots). */
  readonly name: Path;
  readonly distinct: boolean;
  readonly args: readonly Argument[];
  readonly nulls: 'IGNORE' | 'RESPECT' | undefined;
  readonly having: HavingExtreme | undefined;
  readonly orderBy: readonly OrderByItem[];
  readonly limit: Limit | undefined;
  /** `OVER name` or `OVER (…)`. */
  readonly over: Identifier | Window | undefined;
}

export type Argument = Expression | NamedArgument | StarArgument;

/** `name => value`. */
export interface NamedArgument extends Construct<'NamedArgument'> {
  readonly name: Identifier;
  readonly value: Expression;
}

/** The `*` of `COUNT(*)`. */
export type StarArgument = Construct<'StarArgument'>;

/** `HAVING MAX x` among the arguments of an aggregate. */
export interface HavingExtreme extends Construct<'HavingExtreme'> {
  readonly extreme: 'MAX' | 'MIN';
  readonly by: Expression;
}

/** `WITH(a AS 1, b AS a + 1, a + b)`. */
export interface WithExpression extends Construct<'WithExpression'> {
  readonly variables: readonly WithVariable[];
  readonly result: Expression;
}

export interface WithVariable extends Construct<'WithVariable'> {
  readonly name: Identifier;
  readonly value: Expression;
}

/** `(SELECT …)` as a value. */
export interface ScalarSubquery extends Construct<'ScalarSubquery'> {
  readonly query: Query;
}

/** `ARRAY(SELECT …)`. */
export interface ArraySubquery extends Construct<'ArraySubquery'> {
  readonly query: Query;
}

export interface Exists extends Construct<'Exists'> {
  readonly query: Query;
}

// ————— Windows and order —————

/** `OVER (…)`, or a definition in the WINDOW clause. */
export interface Window extends Construct<'Window'> {
  /** The window of the WINDOW clause that this one extends. */
  readonly base: Identifier | undefined;
  readonly partitionBy: readonly Expression[];
  readonly orderBy: readonly OrderByItem[];
  readonly frame: Frame | undefined;
}

/** `ROWS bound`, `RANGE BETWEEN bound AND bound`; without BETWEEN the end is undefined and means CURRENT ROW. */
export interface Frame extends Construct<'Frame'> {
  readonly unit: 'ROWS' | 'RANGE';
  readonly from: FrameBound;
  readonly to: FrameBound | undefined;
}

export interface FrameBound extends Construct<'FrameBound'> {
  readonly direction: 'PRECEDING' | 'FOLLOWING' | 'CURRENT ROW';
  /** How far; UNBOUNDED and CURRENT ROW have none. */
  readonly offset: Expression | undefined;
}

export interface OrderByItem extends Construct<'OrderByItem'> {
  readonly expression: Expression;
  /** `COLLATE 'und:ci'`. */
  readonly collation: StringLiteral | NamedParameter | PositionalParameter | undefined;
  readonly order: SortOrder;
}

/** As written: undefined direction means ASC, undefined nulls means first for ASC and last for DESC. */
export interface SortOrder {
  readonly direction: 'ASC' | 'DESC' | undefined;
  readonly nulls: 'FIRST' | 'LAST' | undefined;
}

/** `LIMIT count OFFSET offset`; an aggregate's LIMIT has no offset. */
export interface Limit extends Construct<'Limit'> {
  readonly count: Expression;
  readonly offset: Expression | undefined;
}

// ————— Types —————

export type Type = NamedType | ArrayType | StructType | RangeType;

/** `INT64`, `STRING(10)`, `NUMERIC(10, 2)`; an alias such as BOOLEAN stays as written. */
export interface NamedType extends Construct<'NamedType'> {
  readonly name: Path;
  readonly parameters: readonly TypeParameter[];
  readonly collation: StringLiteral | undefined;
}

export type TypeParameter = IntegerLiteral | FloatLiteral | StringLiteral | BytesLiteral | BooleanLiteral;

export interface ArrayType extends Construct<'ArrayType'> {
  readonly element: Type;
}

export interface StructType extends Construct<'StructType'> {
  readonly fields: readonly StructTypeField[];
}

export interface StructTypeField extends Construct<'StructTypeField'> {
  readonly name: Identifier | undefined;
  readonly type: Type;
}

export interface RangeType extends Construct<'RangeType'> {
  readonly element: Type;
}

// ————— Queries —————

/**
 * A query: a subquery, a common table, the whole. The parts apply in the order of the fields; `pipes` take the rows
 * after LIMIT. A body that is a `Query` was in parentheses and has clauses after them (`(SELECT …) ORDER BY x`);
 * parentheses without clauses leave no node.
 */
export interface Query extends Construct<'Query'> {
  readonly with: With | undefined;
  readonly body: QueryBody;
  readonly orderBy: readonly OrderByItem[];
  readonly limit: Limit | undefined;
  readonly pipes: readonly PipeOperator[];
}

export type QueryBody = Select | SetOperation | FromQuery | Query;

/** `FROM …` without SELECT, before pipe operators or alone. */
export interface FromQuery extends Construct<'FromQuery'> {
  readonly from: FromItem;
}

export interface With extends Construct<'With'> {
  readonly recursive: boolean;
  readonly tables: readonly CommonTable[];
}

/** `name AS (query)`. */
export interface CommonTable extends Construct<'CommonTable'> {
  readonly name: Identifier;
  readonly query: Query;
}

/** `a UNION ALL b UNION ALL c`: all operators of one node are equal; others need parentheses. */
export interface SetOperation extends Construct<'SetOperation'>, SetOperator {
  /** Two or more. */
  readonly inputs: readonly (Select | Query)[];
}

export interface SetOperator {
  readonly operator: 'UNION' | 'INTERSECT' | 'EXCEPT';
  readonly quantifier: 'ALL' | 'DISTINCT';
  /** How columns are matched; undefined is by position. */
  readonly match: ColumnMatch | undefined;
}

/** `[FULL | LEFT | INNER] UNION ALL {BY NAME [ON (…)] | [STRICT] CORRESPONDING [BY (…)]}`. */
export interface ColumnMatch extends Construct<'ColumnMatch'> {
  readonly spelling: 'CORRESPONDING' | 'BY NAME';
  /**
   * FULL, LEFT and INNER are the prefix (OUTER is left out); STRICT is its own word. Undefined: BY NAME wants equal
   * columns, and CORRESPONDING takes those in common.
   */
  readonly mode: 'FULL' | 'LEFT' | 'INNER' | 'STRICT' | undefined;
  /** The list of BY or ON, empty without it. */
  readonly columns: readonly Identifier[];
}

/** SELECT with its clauses up to QUALIFY and WINDOW. */
export interface Select extends Construct<'Select'> {
  /** `SELECT WITH name …`: BigQuery has DIFFERENTIAL_PRIVACY and AGGREGATION_THRESHOLD. */
  readonly modifier: SelectModifier | undefined;
  readonly distinct: boolean;
  readonly as: SelectAs | undefined;
  readonly items: readonly SelectItem[];
  readonly from: FromItem | undefined;
  readonly where: Expression | undefined;
  readonly groupBy: GroupBy | undefined;
  readonly having: Expression | undefined;
  readonly qualify: Expression | undefined;
  readonly windows: readonly NamedWindow[];
}

export interface SelectModifier extends Construct<'SelectModifier'> {
  readonly name: Identifier;
  readonly options: readonly Option[];
}

/** `SELECT AS STRUCT`, `AS VALUE`, or `AS typename` with the name. */
export interface SelectAs extends Construct<'SelectAs'> {
  readonly mode: 'STRUCT' | 'VALUE' | 'TYPE';
  readonly typeName: Path | undefined;
}

export type SelectItem = SelectExpression | Star | DotStar;

export interface SelectExpression extends Construct<'SelectExpression'> {
  readonly expression: Expression;
  readonly alias: Identifier | undefined;
}

/** `* EXCEPT (a) REPLACE (b AS c)`. */
export type Star = Construct<'Star'> & StarModifiers;

/** `t.*`, `path.to.struct.*`, `(…)[OFFSET(0)].*`, with EXCEPT and REPLACE. */
export interface DotStar extends Construct<'DotStar'>, StarModifiers {
  readonly operand: Expression;
}

export interface StarModifiers {
  readonly except: readonly Identifier[];
  readonly replace: readonly ReplacedColumn[];
}

/** `expression AS name` in REPLACE. */
export interface ReplacedColumn extends Construct<'ReplacedColumn'> {
  readonly expression: Expression;
  readonly name: Identifier;
}

/** `GROUP BY ALL`, or a list. */
export interface GroupBy extends Construct<'GroupBy'> {
  readonly all: boolean;
  readonly items: readonly GroupingItem[];
}

export type GroupingItem = GroupingExpression | GroupingList | Rollup | Cube | GroupingSets;

/** An expression in GROUP BY; only a pipe's AGGREGATE gives it an alias and an order. */
export interface GroupingExpression extends Construct<'GroupingExpression'> {
  readonly expression: Expression;
  readonly alias: Identifier | undefined;
  readonly order: SortOrder;
}

/** One or several expressions grouped together: `(a, b)` in ROLLUP, `()` in GROUPING SETS or in GROUP BY itself. */
export interface GroupingList extends Construct<'GroupingList'> {
  readonly expressions: readonly Expression[];
}

export interface Rollup extends Construct<'Rollup'> {
  readonly items: readonly GroupingList[];
}

export interface Cube extends Construct<'Cube'> {
  readonly items: readonly GroupingList[];
}

export interface GroupingSets extends Construct<'GroupingSets'> {
  readonly sets: readonly (GroupingList | Rollup | Cube)[];
}

/** `name AS (…)` or `name AS other` in the WINDOW clause; in the latter the window has a base and nothing else. */
export interface NamedWindow extends Construct<'NamedWindow'> {
  readonly name: Identifier;
  readonly window: Window;
}

// ————— FROM —————

export type FromItem = Table | Unnest | DerivedTable | TableFunction | Join | Pivot | Unpivot | TableSample;

/** A table, a common table, or an array of a table to its left (`t.items`): only the scope decides which. */
export interface Table extends Construct<'Table'> {
  readonly path: Path;
  readonly alias: Identifier | undefined;
  readonly withOffset: WithOffset | undefined;
  /** `FOR SYSTEM_TIME AS OF expression`. */
  readonly systemTime: Expression | undefined;
}

export interface Unnest extends Construct<'Unnest'> {
  readonly array: Expression;
  readonly alias: Identifier | undefined;
  readonly withOffset: WithOffset | undefined;
}

/** `WITH OFFSET [AS alias]`. */
export interface WithOffset extends Construct<'WithOffset'> {
  readonly alias: Identifier | undefined;
}

/** `(SELECT …) AS alias`. */
export interface DerivedTable extends Construct<'DerivedTable'> {
  readonly query: Query;
  readonly alias: Identifier | undefined;
}

/** `ML.PREDICT(MODEL m, TABLE t)` in FROM. */
export interface TableFunction extends Construct<'TableFunction'> {
  readonly name: Path;
  /** `TABLE name` is a table. */
  readonly args: readonly (Expression | NamedArgument | Table | ModelArgument)[];
  readonly alias: Identifier | undefined;
}

/** `MODEL name`. As a named argument it is refused by the parser. */
export interface ModelArgument extends Construct<'ModelArgument'> {
  readonly path: Path;
}

/** A join nests to the left, unless parentheses or consecutive ON clauses say otherwise. */
export interface Join extends Construct<'Join'> {
  readonly left: FromItem;
  readonly type: JoinType;
  readonly right: FromItem;
  readonly condition: JoinCondition | undefined;
}

export type JoinType = 'INNER' | 'LEFT' | 'RIGHT' | 'FULL' | 'CROSS' | 'COMMA';

export type JoinCondition = On | Using;

export interface On extends Construct<'On'> {
  readonly condition: Expression;
}

export interface Using extends Construct<'Using'> {
  readonly columns: readonly Identifier[];
}

/** `source PIVOT(…) AS alias`. */
export interface Pivot extends Construct<'Pivot'> {
  readonly source: FromItem;
  readonly spec: PivotSpec;
  readonly alias: Identifier | undefined;
}

/** `PIVOT(SUM(x) AS s FOR input IN ('a' AS one, 'b'))`. */
export interface PivotSpec extends Construct<'PivotSpec'> {
  readonly aggregates: readonly PivotAggregate[];
  readonly input: Expression;
  readonly values: readonly PivotValue[];
}

export interface PivotAggregate extends Construct<'PivotAggregate'> {
  readonly expression: Expression;
  readonly alias: Identifier | undefined;
}

export interface PivotValue extends Construct<'PivotValue'> {
  readonly expression: Expression;
  readonly alias: Identifier | undefined;
}

/** `source UNPIVOT(…) AS alias`. */
export interface Unpivot extends Construct<'Unpivot'> {
  readonly source: FromItem;
  readonly spec: UnpivotSpec;
  readonly alias: Identifier | undefined;
}

/** `UNPIVOT INCLUDE NULLS ((a, b) FOR name IN ((a1, b1) AS 'one', (a2, b2)))`. */
export interface UnpivotSpec extends Construct<'UnpivotSpec'> {
  readonly nulls: 'INCLUDE' | 'EXCLUDE' | undefined;
  readonly values: readonly Identifier[];
  readonly name: Identifier;
  readonly groups: readonly UnpivotGroup[];
}

/** The columns of one output row, as many as `UnpivotSpec.values`. */
export interface UnpivotGroup extends Construct<'UnpivotGroup'> {
  readonly columns: readonly Path[];
  readonly label: StringLiteral | IntegerLiteral | undefined;
}

/** `source TABLESAMPLE SYSTEM (10 PERCENT)`. */
export interface TableSample extends Construct<'TableSample'> {
  readonly source: FromItem;
  readonly spec: SampleSpec;
}

export interface SampleSpec extends Construct<'SampleSpec'> {
  readonly method: Identifier;
  readonly size: Expression;
  readonly unit: 'PERCENT' | 'ROWS';
}

// ————— Pipe operators —————

export type PipeOperator =
  | PipeSelect
  | PipeExtend
  | PipeSet
  | PipeDrop
  | PipeRename
  | PipeAs
  | PipeWhere
  | PipeAggregate
  | PipeDistinct
  | PipeOrderBy
  | PipeLimit
  | PipeJoin
  | PipeSetOperation
  | PipeTableSample
  | PipePivot
  | PipeUnpivot
  | PipeCall
  | PipeWindow
  | PipeWith;

export interface PipeSelect extends Construct<'PipeSelect'> {
  readonly distinct: boolean;
  readonly as: SelectAs | undefined;
  readonly items: readonly SelectItem[];
  readonly windows: readonly NamedWindow[];
}

export interface PipeExtend extends Construct<'PipeExtend'> {
  readonly items: readonly SelectItem[];
  readonly windows: readonly NamedWindow[];
}

export interface PipeSet extends Construct<'PipeSet'> {
  readonly assignments: readonly PipeAssignment[];
}

/** `column = expression`. */
export interface PipeAssignment extends Construct<'PipeAssignment'> {
  readonly column: Identifier;
  readonly expression: Expression;
}

export interface PipeDrop extends Construct<'PipeDrop'> {
  readonly columns: readonly Identifier[];
}

export interface PipeRename extends Construct<'PipeRename'> {
  readonly columns: readonly RenamedColumn[];
}

/** `from AS to`. */
export interface RenamedColumn extends Construct<'RenamedColumn'> {
  readonly from: Identifier;
  readonly to: Identifier;
}

export interface PipeAs extends Construct<'PipeAs'> {
  readonly alias: Identifier;
}

export interface PipeWhere extends Construct<'PipeWhere'> {
  readonly condition: Expression;
}

/** `AGGREGATE items GROUP [AND ORDER] BY …`. */
export interface PipeAggregate extends Construct<'PipeAggregate'> {
  readonly items: readonly PipeAggregateItem[];
  readonly groupBy: GroupBy | undefined;
  /** GROUP AND ORDER BY: rows are ordered by all grouping items, ascending where none is written. */
  readonly ordered: boolean;
}

export interface PipeAggregateItem extends Construct<'PipeAggregateItem'> {
  readonly expression: Expression;
  readonly alias: Identifier | undefined;
  readonly order: SortOrder;
}

export type PipeDistinct = Construct<'PipeDistinct'>;

export interface PipeOrderBy extends Construct<'PipeOrderBy'> {
  readonly items: readonly OrderByItem[];
}

export interface PipeLimit extends Construct<'PipeLimit'> {
  readonly limit: Limit;
}

/** `LEFT JOIN right ON …`: the left side is the input. */
export interface PipeJoin extends Construct<'PipeJoin'> {
  readonly type: Exclude<JoinType, 'COMMA'>;
  readonly right: FromItem;
  readonly condition: JoinCondition | undefined;
}

/** `UNION ALL (query), (query)`: the first operand is the input. */
export interface PipeSetOperation extends Construct<'PipeSetOperation'>, SetOperator {
  readonly queries: readonly Query[];
}

export interface PipeTableSample extends Construct<'PipeTableSample'> {
  readonly spec: SampleSpec;
}

export interface PipePivot extends Construct<'PipePivot'> {
  readonly spec: PivotSpec;
  readonly alias: Identifier | undefined;
}

export interface PipeUnpivot extends Construct<'PipeUnpivot'> {
  readonly spec: UnpivotSpec;
  readonly alias: Identifier | undefined;
}

/** `CALL function(…) AS alias`: the input is the function's first argument. */
export interface PipeCall extends Construct<'PipeCall'> {
  readonly call: TableFunction;
}

/** `WINDOW SUM(x) OVER (…) AS s`: adds columns, as EXTEND does. */
export interface PipeWindow extends Construct<'PipeWindow'> {
  readonly items: readonly SelectItem[];
}

/** `WITH name AS (…)`: common tables for the operators after it. */
export interface PipeWith extends Construct<'PipeWith'> {
  readonly with: With;
}

// ————— Statements —————

/** The content of a file: temporary functions, statements of a script that become parts of the query, and one query. */
export interface Statement extends Construct<'Statement'> {
  readonly functions: readonly CreateFunction[];
  readonly script: readonly ScriptStatement[];
  readonly query: Query;
}

/** Statements before the query, in their order. */
export type ScriptStatement = Declare | SetVariable | IfStatement | CreateTempTable;

/** `DECLARE a, b INT64 DEFAULT 1`. Without a type it is that of the value. */
export interface Declare extends Construct<'Declare'> {
  readonly names: readonly Identifier[];
  readonly type: Type | undefined;
  readonly value: Expression | undefined;
}

/** `SET a = 1`. */
export interface SetVariable extends Construct<'SetVariable'> {
  readonly name: Identifier;
  readonly value: Expression;
}

export interface IfStatement extends Construct<'IfStatement'> {
  readonly branches: readonly IfBranch[];
  readonly otherwise: readonly (SetVariable | IfStatement)[];
}

export interface IfBranch extends Construct<'IfBranch'> {
  readonly condition: Expression;
  readonly assignments: readonly (SetVariable | IfStatement)[];
}

/** `CREATE TEMP TABLE name AS query`. */
export interface CreateTempTable extends Construct<'CreateTempTable'> {
  readonly name: Identifier;
  readonly query: Query;
}

/** `CREATE [OR REPLACE] [TEMP] FUNCTION name(parameters) RETURNS type AS (body)`. */
export interface CreateFunction extends Construct<'CreateFunction'> {
  /** True if its body aggregates the rows of a group. */
  readonly aggregate: boolean;
  readonly name: Path;
  readonly parameters: readonly FunctionParameter[];
  readonly returns: Type | undefined;
  /** True if it is declared DETERMINISTIC, false if NOT DETERMINISTIC, undefined if neither. */
  readonly deterministic: boolean | undefined;
  readonly body: Expression | ForeignBody;
  readonly options: readonly Option[];
}

/** `ASSERT condition AS 'text'`. */
export interface Assert extends Construct<'Assert'> {
  readonly condition: Expression;
  /** Where its text ends, with the parentheses around it. */
  readonly conditionEnd: number;
  readonly description: StringLiteral | undefined;
}

/** `CREATE [OR REPLACE] VIEW name [(columns)] [OPTIONS(…)] AS query`. */
export interface CreateView extends Construct<'CreateView'> {
  readonly name: Path;
  /** Other names for the columns of the query, in its order; empty without a list. */
  readonly columns: readonly Identifier[];
  readonly options: readonly Option[];
  readonly query: Query;
}

export interface FunctionParameter extends Construct<'FunctionParameter'> {
  readonly name: Identifier;
  readonly type: Type | 'ANY TYPE';
  /** True for NOT AGGREGATE: a value of the group, and not of each row. */
  readonly ofGroup: boolean;
}

/** `LANGUAGE js AS '…'`: not SQL. */
export interface ForeignBody extends Construct<'ForeignBody'> {
  readonly language: Identifier;
  readonly code: StringLiteral;
}

/** `name = value` in OPTIONS. */
export interface Option extends Construct<'Option'> {
  readonly name: Identifier;
  readonly value: Expression;
}

/** Every kind of node. */
export type Node =
  | Identifier
  | Expression
  | StructArgument
  | ExpressionList
  | UnnestedValues
  | CaseBranch
  | DatePart
  | NamedArgument
  | StarArgument
  | HavingExtreme
  | WithVariable
  | Window
  | Frame
  | FrameBound
  | OrderByItem
  | Limit
  | Type
  | StructTypeField
  | Query
  | FromQuery
  | With
  | CommonTable
  | SetOperation
  | ColumnMatch
  | Select
  | SelectModifier
  | SelectAs
  | SelectItem
  | ReplacedColumn
  | GroupBy
  | GroupingItem
  | NamedWindow
  | FromItem
  | WithOffset
  | ModelArgument
  | JoinCondition
  | PivotSpec
  | PivotAggregate
  | PivotValue
  | UnpivotSpec
  | UnpivotGroup
  | SampleSpec
  | PipeOperator
  | PipeAssignment
  | RenamedColumn
  | PipeAggregateItem
  | Statement
  | CreateFunction
  | Assert
  | CreateView
  | ScriptStatement
  | IfBranch
  | FunctionParameter
  | ForeignBody
  | Option;

export type NodeKind = Node['kind'];

/** The node type of a kind. */
export type NodeOf<Kind extends NodeKind> = Extract<Node, { readonly kind: Kind }>;
