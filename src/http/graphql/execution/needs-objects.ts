import type { ExecutionResult } from 'graphql';

/** Thrown by a leaf that cannot be written as bytes: the operation is executed again without leaves, for errors and nulls. */
export abstract class NeedsObjects extends Error {}

/** A cell does not fit its declared type: an engine never gives one, a foreign cache entry may. */
export class UnexpectedCell extends NeedsObjects {
  override message = 'A cell does not fit its declared type';
}

/** An operation selects more of an object in rows than the columns that identify it. */
export class SelectsMore extends NeedsObjects {
  override message = 'Rows have objects of which more than the key is selected';
}

/** A variable that decides whether fields of rows are selected is null. */
export class NullCondition extends NeedsObjects {
  override message = 'A condition is null';
}

/** Why an operation cannot be executed with leaves; undefined if it can. */
export const causeOf = ({ errors }: ExecutionResult): NeedsObjects | undefined =>
  errors?.map(({ originalError }) => originalError).find((error) => error instanceof NeedsObjects);
