import { parseJson, type Revive } from '@querygate/text';

/** An integer beyond 2^53 as parsed rows have it: `JSON.rawJSON`, which JSON.stringify writes with all its digits. */
export interface LargeInteger {
  readonly rawJSON: string;
}

/**
 * Parses rows, or the value of a cell. Numbers are those of JavaScript but for integers beyond 2^53, which are `LargeInteger`:
 * as timestamps before 1684 and after 2255 have them, and values in JSON may.
 */
export const parseRowJson = (text: string): unknown =>
  // The parser with a callback takes several times as long.
  parseJson(text, mayBeLarge.test(text) ? largeInteger : undefined);

/** True also for the least 0.08 % of integers with 16 digits that are no larger, and for parts of texts. */
const mayBeLarge = /(?:^|[:,[])-?(?:9\d{15}|\d{17,})(?=[,\]}]|$)/;

const largeInteger: Revive = (value, source = '') =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
    ? JSON.rawJSON(source)
    : value;

export const isLargeInteger = (value: unknown): value is LargeInteger =>
  typeof value === 'object' && value !== null && JSON.isRawJSON(value);
