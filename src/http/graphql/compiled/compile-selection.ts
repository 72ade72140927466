import { hash } from 'node:crypto';
import type { GraphQLObjectType } from 'graphql';
import type { EntityReference } from '../../../catalog/model/federation.ts';
import type { Column, SavedQuery } from '../../../catalog/model/saved-query.ts';
import type { CachedResult } from '../../../results/get-result.ts';
import {
  type CollectedField,
  collectFields,
  type SelectionScope,
  selectionsBelow,
} from '../document/collect-fields.ts';
import { type RowSize, rowSizeOf } from '../document/row-size.ts';
import { metadataValues, valuesOfObtaining } from '../schema/metadata-fields.ts';
import { aggregatesWriter, type ReadRowTasks, type RowOutcomes, RowTasks } from './row-tasks.ts';
import { type BinaryText, toBinaryText } from './rows/binary-text.ts';
import type { Cells, ColumnGroup } from './rows/cell-blocks.ts';
import { compileReference } from './rows/reference-writer.ts';
import { compileRecord } from './rows/record-writer.ts';
import {
  type ColumnPlace,
  compileRows,
  type RowList,
  type RowMember,
  type RowsWriter,
} from './rows/rows-writer.ts';

/** Writes the value of one root field from its result. */
export interface SelectionWriter {
  /** Of which columns the cells must have been made. */
  readonly groups: readonly ColumnGroup[];
  /** What it selects in records, a column each, whose cells must have been made too. */
  readonly selected: readonly SelectedColumn[];
  /** Appends the JSON text to the pieces of a response. @param outcomes of its `rowTasks` @throws UnexpectedCell */
  write(result: CachedResult, cells: Cells, pieces: Piece[], outcomes: RowOutcomes): void;
  /**
   * Its row tasks by the values of variables. Their outcomes are needed to write it.
   */
  readonly rowTasks: ReadRowTasks;
  /** The fields that return the rows, each under its own response key. */
  readonly rowLists: readonly RowListField[];
  /** Whether the text depends on how the result was obtained, not only on the document. */
  readonly readsCacheStatus: boolean;
}

/** A column of records of which an operation selects some fields. */
interface SelectedColumn {
  readonly group: ColumnGroup;
  /** Equal for equal selections in the same record; short. */
  readonly selection: string;
}

export type Piece = BinaryText | RowList;

/** A field that returns the rows. */
interface RowListField extends CollectedField {
  readonly size: RowSize;
  /** The place of its row task; undefined for all rows. */
  readonly taskAt: number | undefined;
}

/** What a saved query's field returns, as far as writing it needs to know. */
export interface QueryOutput {
  readonly query: SavedQuery;
  readonly resultType: GraphQLObjectType;
  readonly rowType: GraphQLObjectType;
  readonly costType: GraphQLObjectType;
  /** By the name of the field in the row type. */
  readonly columns: ReadonlyMap<string, ColumnPlace>;
  /** The columns that have selections, in the same way. */
  readonly records: ReadonlyMap<string, RecordColumn>;
  /** The entities that rows refer to, in the same way. */
  readonly references: ReadonlyMap<string, EntityReference>;
}

/** A column that is a record with known fields, or a list of such records. */
export interface RecordColumn {
  readonly column: Column;
  readonly type: GraphQLObjectType;
}

type WriteMember = (result: CachedResult, cells: Cells, pieces: Piece[], outcomes: RowOutcomes) => void;

/** Compiles what an operation selects below one root field; the fields are those of `schema/result-type.ts`. */
export function compileSelection(
  output: QueryOutput,
  root: CollectedField,
  scope: SelectionScope,
): SelectionWriter {
  const fields = collectFields(selectionsBelow(root), scope);
  const groups = new Set<ColumnGroup>();
  const selected: SelectedColumn[] = [];
  const rowLists: RowListField[] = [];
  const tasks = new RowTasks();
  const members = fields.map((field, at) => {
    const start = `${at > 0 ? ',' : '{'}${JSON.stringify(field.responseKey)}:`;
    if (field.name === 'aggregates') {
      const taskAt = tasks.add(output, field);
      const text = aggregatesWriter(output.query, field, scope);
      const write: WriteMember = (_result, _cells, pieces, outcomes) => pieces.push(text(outcomes[taskAt]));
      return { start, write };
    }
    if (field.name !== 'rows') return { start, write: memberWriter(output, field, scope) };
    const cells = collectFields(selectionsBelow(field), scope);
    const columns = cells.map((cell) => {
      const record = selectedColumn(output, cell, scope);
      if (record !== undefined) selected.push(record);
      return { cell, record };
    });
    const rows = compileRows(
      columns.map(({ cell, record }) =>
        record === undefined
          ? rowMember(output, cell)
          : { responseKey: cell.responseKey, place: { group: record.group, at: 0 } },
      ),
    );
    for (const group of rows.groups) {
      if (!columns.some(({ record }) => record?.group === group)) groups.add(group);
    }
    const taskAt = hasArguments(field) ? tasks.add(output, field) : undefined;
    rowLists.push({ ...field, size: rowSizeOf(cells, scope), taskAt });
    return { start, write: rowsWriter(rows, taskAt) };
  });
  return {
    groups: [...groups],
    selected,
    rowTasks: tasks.read,
    write(result, cells, pieces, outcomes) {
      for (const { start, write } of members) {
        pieces.push(start);
        write(result, cells, pieces, outcomes);
      }
      pieces.push(members.length === 0 ? '{}' : '}');
    },
    rowLists,
    readsCacheStatus: fields.some(({ name }) => valuesOfObtaining.has(name)),
  };
}

/** @returns undefined if the field has no selection: it is no record with known fields, and no entity */
function selectedColumn(
  { records, references }: QueryOutput,
  field: CollectedField,
  scope: SelectionScope,
): SelectedColumn | undefined {
  const { name } = field;
  const record = records.get(name);
  const reference = references.get(name);
  if (record !== undefined) {
    const { write, key } = compileRecord(record.column, record.type, field, scope);
    return { group: [{ name, column: record.column.name, write }], selection: shortKey(key) };
  }
  if (reference === undefined) return undefined;
  const { write, key } = compileReference(reference, field, scope);
  return { group: [{ name, column: '', write }], selection: shortKey(key) };
}

const shortKey = (key: string): string => (key.length > maxKeyLength ? hash('sha256', key, 'base64') : key);

/** Of keys that are kept as they are. */
const maxKeyLength = 200;

function rowMember(
  { rowType, columns }: QueryOutput,
  { responseKey, name }: Pick<CollectedField, 'responseKey' | 'name'>,
): RowMember {
  const place = columns.get(name);
  return place === undefined
    ? { responseKey, constant: JSON.stringify(rowType.name) }
    : { responseKey, place };
}

/** @param taskAt the place of its row task; undefined for all rows */
const rowsWriter =
  ({ list }: RowsWriter, taskAt: number | undefined): WriteMember =>
  ({ document }, cells, pieces, outcomes) =>
    pieces.push(
      list(cells, document.metadata.rowCount, taskAt === undefined ? undefined : outcomes[taskAt]?.rows),
    );

const hasArguments = ({ nodes }: CollectedField): boolean => (nodes[0]?.arguments ?? []).length > 0;

/** The value of a field beside the rows: of `schema/metadata-fields.ts`, or the name of the type. */
function memberWriter(
  { resultType, costType }: QueryOutput,
  field: CollectedField,
  scope: SelectionScope,
): WriteMember {
  const { name } = field;
  if (!isMetadata(name)) {
    const typename = JSON.stringify(resultType.name);
    return (_result, _cells, pieces) => pieces.push(typename);
  }
  const read = metadataValues[name];
  const below = collectFields(selectionsBelow(field), scope);
  return (result, _cells, pieces) => {
    const value = read(result);
    pieces.push(
      typeof value === 'object' ? objectText(costType, value, below) : JSON.stringify(value ?? null),
    );
  };
}

const isMetadata = (name: string): name is keyof typeof metadataValues => Object.hasOwn(metadataValues, name);

/** @param fields which members, as the response has them */
function objectText(
  { name: typename }: GraphQLObjectType,
  value: object,
  fields: readonly CollectedField[],
): BinaryText {
  const members = fields.map(({ responseKey, name }) => {
    const member = name === '__typename' ? typename : value[name as keyof typeof value];
    return `${JSON.stringify(responseKey)}:${JSON.stringify(member ?? null)}`;
  });
  return toBinaryText(`{${members.join(',')}}`);
}
