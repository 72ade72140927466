import { type GraphQLObjectType, getArgumentValues } from 'graphql';
import type { SavedQuery } from '../../../catalog/model/saved-query.ts';
import { GatewayError } from '../../../errors.ts';
import { allRows } from '../../../row-arguments/row-arguments.ts';
import { type RowOutcome, type RowTask, rowTask } from '../../../row-arguments/row-task.ts';
import {
  type CollectedField,
  collectFields,
  type SelectionScope,
  selectionsBelow,
} from '../document/collect-fields.ts';
import { type AggregateTexts, aggregateOutput } from '../schema/rows/aggregate-type.ts';
import { readRowArguments } from '../schema/rows/row-inputs.ts';
import { type BinaryText, toBinaryText } from './rows/binary-text.ts';
import { UnexpectedCell } from './rows/cell-writers.ts';

/** The values of variables, as graphql-js has coerced them. */
export type VariableValues = Parameters<typeof getArgumentValues>[2];

/**
 * The row tasks of the fields of one selection, in order; undefined for all rows.
 *
 * @throws GatewayError INVALID_PARAMETER; GraphQLError for arguments that do not fit
 */
export type ReadRowTasks = (variables: VariableValues) => readonly (RowTask | undefined)[];

/** The outcomes of those tasks. */
export type RowOutcomes = readonly (RowOutcome | undefined)[];

/** What has a field of rows. */
interface RowsField {
  readonly query: SavedQuery;
  readonly resultType: GraphQLObjectType;
}

/** Collects the fields of a selection that have arguments about rows. */
export class RowTasks {
  readonly #reads: ((variables: VariableValues) => RowTask | undefined)[] = [];

  /** @returns the place of its task, and of the outcome */
  add({ query, resultType }: RowsField, { name, nodes }: CollectedField): number {
    const definition = resultType.getFields()[name];
    const [node] = nodes;
    if (definition === undefined || node === undefined) throw new TypeError('no such field');
    const aggregates = name === 'aggregates' ? aggregateOutput(query).aggregates : undefined;
    this.#reads.push((variables) => {
      const given = readRowArguments(query, getArgumentValues(definition, node, variables));
      if (given === allRows && aggregates === undefined) return undefined;
      // The rows are copied from cells that were made before.
      return rowTask(query.columns, given, aggregates, false);
    });
    return this.#reads.length - 1;
  }

  readonly read: ReadRowTasks = (variables) => this.#reads.map((read) => read(variables));
}

/** Gives the text of the field `aggregates`. @throws UnexpectedCell for a value that the executor refuses */
export function aggregatesWriter(
  query: SavedQuery,
  field: CollectedField,
  scope: SelectionScope,
): (outcome: RowOutcome | undefined) => BinaryText {
  const output = aggregateOutput(query);
  const members = collectFields(selectionsBelow(field), scope).map((member) => {
    const start = `${JSON.stringify(member.responseKey)}:`;
    const group = output.groups.get(member.name);
    if (group !== undefined) {
      const below = collectFields(selectionsBelow(member), scope).map(({ responseKey, name }) => {
        const value = group.values.get(name) ?? (() => group.typeName);
        return (texts: AggregateTexts) => `${JSON.stringify(responseKey)}:${JSON.stringify(value(texts))}`;
      });
      return (texts: AggregateTexts) => `${start}{${below.map((write) => write(texts)).join(',')}}`;
    }
    if (member.name === 'count') return ([count = '0']: AggregateTexts) => `${start}${count}`;
    return () => start + JSON.stringify(output.type.name);
  });
  return (outcome) => {
    const texts = outcome?.aggregates ?? [];
    try {
      return toBinaryText(`{${members.map((write) => write(texts)).join(',')}}`);
    } catch (error) {
      // The executor says which value it is.
      if (error instanceof GatewayError) throw new UnexpectedCell();
      throw error;
    }
  };
}
