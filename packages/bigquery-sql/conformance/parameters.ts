import type { ParameterType } from '../src/types.ts';

/** A STRING, or a value of another type as canonical text; a list is an ARRAY. NULL is not a STRING. */
export type ParameterValue =
  | string
  | { readonly type: ParameterType; readonly value: string | readonly string[] | null };

/** Values for `@name`. */
export type Parameters = Readonly<Record<string, ParameterValue>>;
