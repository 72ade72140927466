import { type DuckDBConnection, type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import { globText } from '@querygate/bigquery-sql/command';
import { describeWideDecimal, wideDecimalSql } from '@querygate/bigquery-sql/duckdb';
import type { Field } from '@querygate/bigquery-sql/table-schema';
import { describeOddTimes, hasOddTimes } from '../store/files/odd-times.ts';
import type { Bounds } from '../store/files/placed-file.ts';
import { readRows } from '../store/statements.ts';

/** A column of a file, or a part of one: a value, a list or a record, as DuckDB reads them. A map is a list of records. */
export type Part =
  | { readonly kind: 'leaf'; readonly leaf: Leaf }
  | { readonly kind: 'list'; readonly element: Part }
  | {
      readonly kind: 'record';
      readonly members: readonly Member[];
      /** True if it is known by itself that no record is NULL. */
      readonly hasNoNulls?: boolean;
    };

export interface Member {
  readonly name: string;
  readonly part: Part;
}

/** The statistics of the values of a column, over all row groups. */
export interface Leaf {
  /** True if each row has at most one value, whatever lists are around it. */
  readonly isSingle: boolean;
  readonly hasNoNulls: boolean;
  /** True if there is no value. */
  readonly isEmpty: boolean;
  /** True if all times are within a day, or between the years 1 and 9999; undefined if that is not known. */
  readonly isInRange: boolean | undefined;
  /** True for a TIME of the file, whatever the field is. */
  readonly isTime?: boolean;
  readonly micros: Bounds | undefined;
  readonly integers: Bounds | undefined;
  readonly texts: Bounds | undefined;
  /** True if the file has no type for it. */
  readonly isUntyped?: boolean;
  /** A type of which DuckDB reads other values than the file has. */
  readonly misreadType?: string | undefined;
}

export const leavesOf = (part: Part): readonly Leaf[] => {
  if (part.kind === 'leaf') return [part.leaf];
  return part.kind === 'list'
    ? leavesOf(part.element)
    : part.members.flatMap((member) => leavesOf(member.part));
};

/** The leaves of columns with their paths, as fields have them. */
export const leavesByPath = (members: readonly Member[], path = ''): readonly (readonly [string, Leaf])[] =>
  members.flatMap(({ name, part }) => {
    const own = part.kind === 'list' ? part.element : part;
    const at = `${path}${name}`;
    return own.kind === 'record'
      ? leavesByPath(own.members, `${at}.`)
      : leavesOf(own).map((leaf) => [at, leaf] as const);
  });

/**
 * The columns of a Parquet file in their order, which is also that of DuckDB: names may occur twice.
 *
 * @throws Error if it cannot be read
 */
export async function readParquetColumns(
  connection: DuckDBConnection,
  path: string,
): Promise<readonly Member[]> {
  const rows = await readRows(
    connection,
    `SELECT name, type, coalesce(num_children, 0)::INTEGER, repetition_type = 'REPEATED', converted_type IN ('LIST', 'MAP'),
      ${wideDecimalSql}, logical_type = 'NullType()', coalesce(starts_with(logical_type, 'TimeType') OR starts_with(converted_type, 'TIME_'), false)
    FROM parquet_schema(${globText(path)})`,
  );
  const isOdd =
    rows.some(([, , , , , , , isTime]) => isTime === true) && (await hasOddTimes(connection, path));
  // DuckDB writes them as text, and ends the process with one of another day.
  const statistics = isOdd ? undefined : await readStatistics(connection, path);
  let at = 0;
  let leaves = 0;
  const next = (isInList = false): Member => {
    const [name, type, count, isRepeated, isOuter, misreadType, isNull, isTime] = rows[at++] ?? [];
    const wrap = (part: Part): Member => ({
      name: String(name),
      part: isRepeated === true ? { kind: 'list', element: part } : part,
    });
    if (type !== null) {
      const ofTime = isTime === true && { isTime, isInRange: !isOdd };
      const leaf = { ...(statistics ? (statistics.get(leaves++) ?? noRows) : unknownLeaf), ...ofTime };
      const isUntyped = isNull === true;
      // DuckDB counts a NULL record of a list twice, and writes no bounds of NaN, of HUGEINT and of long texts.
      const isEmpty = isUntyped || (leaf.isEmpty && !(isInList && mayLackBounds.has(type)));
      const ofDecimal = misreadType == null ? undefined : String(misreadType);
      return wrap({ kind: 'leaf', leaf: { ...leaf, isEmpty, isUntyped, misreadType: ofDecimal } });
    }
    const members = Array.from({ length: Number(count) }, () => next(isInList || isRepeated === true));
    const [first] = members;
    const isLevel = members.length === 1 && (isRepeated === true || isOuter === true);
    return wrap(isLevel && first ? first.part : { kind: 'record', members });
  };
  const { part } = next();
  return part.kind === 'record' ? part.members : [];
}

const mayLackBounds: ReadonlySet<unknown> = new Set(['FLOAT', 'DOUBLE', 'BYTE_ARRAY', 'INT96']);

/** Of a file without row groups. */
const noRows: Leaf = {
  ...{ isSingle: true, hasNoNulls: true, isEmpty: true, isInRange: true },
  ...{ micros: undefined, integers: undefined, texts: undefined },
};

/** Of values of which there are no statistics. */
export const unknownLeaf: Leaf = {
  ...noRows,
  isSingle: false,
  hasNoNulls: false,
  isEmpty: false,
  isInRange: undefined,
};

/**
 * Statistics by the number of the leaf. The bounds of a leaf are known only if every row group has them. A text that was cut is
 * no bound, and one with a backslash may be another text, as DuckDB writes other bytes so. Parts of a microsecond may have been
 * rounded. INT96 has no order in Parquet, so its bounds are those of bytes.
 */
async function readStatistics(
  connection: DuckDBConnection,
  path: string,
): Promise<ReadonlyMap<number, Leaf>> {
  const bounds = (least: string, greatest: string, isKnown: string) =>
    `CASE WHEN bool_and(isEmpty OR coalesce(${isKnown}, false)) THEN [CAST(min(${least}) AS VARCHAR), CAST(max(${greatest}) AS VARCHAR)] END`;
  const cast = (type: string) => [`try_cast(least AS ${type})`, `try_cast(greatest AS ${type})`] as const;
  const moments = cast('TIMESTAMPTZ');
  const [from, to] = moments.map((value) => `CASE WHEN isfinite(${value}) THEN epoch_us(${value}) END`);
  // Not BETWEEN: a single bound out of the range is enough.
  const isInRange = `(${moments[0]} >= make_timestamptz(${minMicros}) AND ${moments[1]} <= make_timestamptz(${maxMicros}))`;
  const [low, high] = cast('HUGEINT');
  const isText = `isExact AND least <= greatest AND NOT contains(least || greatest, chr(92))`;
  const result = await readRows(
    connection,
    `WITH groups AS (SELECT column_id AS leaf,
      num_values AS n, row_group_num_rows AS rows, stats_null_count AS nulls,
      CASE WHEN type <> 'INT96' THEN stats_min_value END AS least, CASE WHEN type <> 'INT96' THEN stats_max_value END AS greatest,
      coalesce(nulls = n, false) AND coalesce(least, greatest) IS NULL AS isEmpty,
      coalesce(min_is_exact, true) AND coalesce(max_is_exact, true) AS isExact
    FROM parquet_metadata(${globText(path)}))
    SELECT leaf, bool_and(n = rows), bool_and(coalesce(nulls = 0, false)), bool_and(isEmpty),
      ${bounds(`${from} - 1`, `${to} + 1`, `${from} <= ${to}`)},
      ${bounds(low, high, `${low} <= ${high}`)},
      ${bounds('least', 'greatest', isText)},
      CASE WHEN bool_or(NOT ${isInRange}) THEN false WHEN bool_and(isEmpty OR coalesce(${isInRange}, false)) THEN true END
    FROM groups GROUP BY leaf`,
  );
  return new Map(
    result.map(([leaf, isSingle, hasNoNulls, isEmpty, micros, integers, texts, inRange]) => [
      Number(leaf),
      {
        isSingle: isSingle === true,
        hasNoNulls: hasNoNulls === true,
        isEmpty: isEmpty === true,
        isInRange: typeof inRange === 'boolean' ? inRange : undefined,
        micros: boundsOf(micros),
        integers: boundsOf(integers),
        texts: boundsOf(texts),
      },
    ]),
  );
}

/** The years 1 and 9999, which are BigQuery's first and last. */
const [minMicros, maxMicros] = [-62_135_596_800_000_000n, 253_402_300_799_999_999n];

function boundsOf(value: unknown): Bounds | undefined {
  if (!Array.isArray(value)) return undefined;
  const [least, greatest] = value;
  return typeof least === 'string' && typeof greatest === 'string' ? [least, greatest] : undefined;
}

/** @throws Error if a field has values of a type that DuckDB does not read as the file has them, or cannot write as text */
export function requireExact(fields: readonly Field[], members: readonly Member[], path = ''): void {
  for (const field of fields) {
    const member = members.find(({ name }) => name.toLowerCase() === field.name.toLowerCase());
    if (member === undefined) continue;
    const at = `${path}${field.name}`;
    const part = member.part.kind === 'list' ? member.part.element : member.part;
    const isOfField = part === member.part || field.mode === 'REPEATED';
    if (field.fields && part.kind === 'record' && isOfField)
      requireExact(field.fields, part.members, `${at}.`);
    else {
      const type = leavesOf(part).find(({ misreadType }) => misreadType)?.misreadType;
      if (type !== undefined) throw new Error(describeWideDecimal(at, type));
      if (field.type !== 'TIME' && leavesOf(part).some((leaf) => leaf.isTime && !leaf.isInRange))
        throw new Error(`${at}: ${describeOddTimes}`);
    }
  }
}

/** The paths of the columns that have no value, in lower case and as DuckDB names them. */
export function pathsWithoutValues(
  type: DuckDBType,
  part: Part | undefined,
  path: string,
): readonly string[] {
  if (part?.kind === 'leaf') return part.leaf.isEmpty ? [path.toLowerCase()] : [];
  if (part?.kind === 'list' && type.typeId === DuckDBTypeId.LIST)
    return pathsWithoutValues(type.valueType, part.element, path);
  if (part?.kind !== 'record' || type.typeId !== DuckDBTypeId.STRUCT) return [];
  return type.entryTypes.flatMap((entry, at) =>
    pathsWithoutValues(entry, part.members[at]?.part, `${path}.${type.entryNames[at]}`),
  );
}
