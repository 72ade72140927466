import type { Parameter } from '../endpoint.ts';

/** The texts of each parameter. A parameter without a value is not in it. */
export type ParameterValues = ReadonlyMap<string, readonly string[]>;

/** The values in an address. Empty values count as absent, and what is not declared is ignored. */
export function valuesOf(search: string, parameters: readonly Parameter[]): ParameterValues {
  const query = new URLSearchParams(search);
  return new Map(
    parameters.flatMap(({ name }) => {
      const values = query.getAll(name).filter((value) => value !== '');
      return values.length === 0 ? [] : [[name, values] as const];
    }),
  );
}

/** The query string of values, with its `?`; '' without values. */
export function searchOf(values: ParameterValues): string {
  const pairs = [...values].flatMap(([name, texts]) => texts.map((value) => [name, value]));
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

/** Whether everything that is required has a value. */
export const isComplete = (values: ParameterValues, parameters: readonly Parameter[]): boolean =>
  parameters.every(({ name, required }) => !required || values.has(name));
