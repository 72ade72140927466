import type { Bound } from '../catalog/bind.ts';

/** One text for one question: equal for two callers exactly when the same SQL runs with the same values. */
export function questionKey({ query, parameters }: Bound): string {
  return JSON.stringify([query.id, ...query.parameters.map(({ name }) => parameters[name])]);
}
