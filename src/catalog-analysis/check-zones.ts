import { zoneParameters, zoneProblem } from '@querygate/bigquery-sql/analysis';
import type { Compiled } from '@querygate/bigquery-sql/tree';
import { foldName } from '@querygate/text';
import type { Parameter, SavedQuery } from '../catalog/model/saved-query.ts';
import type { Problem } from '../errors.ts';

/**
 * The defaults, examples and enum values that are not time zones, of parameters that the SQL reads as time zones only: one that it
 * compares too may have a value with another meaning.
 */
export function zoneProblemsOf(
  { parameters, source: { file, line } }: SavedQuery,
  { query }: Compiled,
): readonly Problem[] {
  const zones = zoneParameters(query);
  return parameters
    .filter(({ name }) => zones.has(foldName(name)))
    .flatMap((parameter) =>
      textsOf(parameter).flatMap(([property, text]) => {
        const problem = zoneProblem(text);
        if (problem === undefined) return [];
        return [{ file, line, message: `parameters.${parameter.name}: ${property}: ${problem}` }];
      }),
    );
}

function textsOf(parameter: Parameter): readonly (readonly [property: string, text: string])[] {
  const { default: usual, example } = parameter;
  const given = [['default', usual] as const, ['example', example] as const];
  return [
    ...given.flatMap(([property, text]) =>
      typeof text === 'string' && text !== '' ? [[property, text] as const] : [],
    ),
    ...(parameter.type === 'enum' ? parameter.values.map(({ value }) => ['values', value] as const) : []),
  ];
}
