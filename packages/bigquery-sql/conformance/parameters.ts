import type { BindType } from '../../../src/catalog/model/saved-query.ts';

/** A STRING, or a value of another type as canonical text; a list is an ARRAY. NULL is not a STRING. */
export type ParameterValue =
  | string
  | { readonly type: BindType; readonly value: string | readonly string[] | null };

/** Values for `@name`. */
export type Parameters = Readonly<Record<string, ParameterValue>>;
