import { memoize } from '../../memoize.ts';

/** Further fields of a line of the log; undefined ones are left out. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** The same, as the log can write them. A frozen object is checked once. @throws TypeError if they have no JSON */
export const checkedFields = (given: LogFields): LogFields =>
  Object.isFrozen(given) ? checkedOnce(given) : checkFields(given);

/** A copy: a line of the log must not fail when it is written. */
function checkFields(given: LogFields): LogFields {
  const fields = { ...given };
  JSON.stringify(fields);
  return fields;
}

const checkedOnce = memoize(checkFields);
