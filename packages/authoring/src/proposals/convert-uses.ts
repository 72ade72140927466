import type { Syntax } from '@querygate/bigquery-sql/syntax';
import { describeType, isScalar } from '@querygate/bigquery-sql/types';
import type { DescribedParameter } from './describe-parameters.ts';
import { applyEdits, type Edit } from './edits.ts';
import type { ParameterUse } from './parameter-uses.ts';

/** The SQL with each parameter that is a STRING converted to the type that its place takes. */
export function convertUses(
  sql: string,
  uses: readonly ParameterUse[],
  parameters: readonly DescribedParameter[],
): ReturnType<typeof applyEdits> {
  const edits = uses.flatMap((use): readonly Edit[] => {
    const { node, nullTest, conversion } = use;
    const parameter = parameters.find(({ name }) => name === use.name);
    if (nullTest) return nullTestEdit(use.name, nullTest, parameter);
    if (conversion === undefined || parameter?.bind !== undefined || parameter?.repeated) return [];
    const after = conversionText(use, parameter?.required === false, parameter?.type === 'timestamp');
    return after === undefined ? [] : [{ start: node.start, end: node.end, after }];
  });
  return applyEdits(sql, edits);
}

/** An absent parameter is NULL only if it is bound as another type than STRING: else it is '', and a list is empty. */
function nullTestEdit(
  name: string,
  { start, end, negated }: Syntax.Is,
  parameter: DescribedParameter | undefined,
): readonly Edit[] {
  if (parameter?.repeated) return [{ start, end, after: `array_length(@${name}) ${negated ? '>' : '='} 0` }];
  if (parameter?.bind !== undefined) return [];
  return [{ start, end, after: `@${name} ${negated ? '!=' : '='} ''` }];
}

/**
 * The text that converts a parameter, a STRING, to the type that a place takes; undefined if no text can.
 *
 * @param isMoment whether the text has a time and a zone
 */
function conversionText(
  { name, type, conversion }: ParameterUse,
  isOptional: boolean,
  isMoment: boolean,
): string | undefined {
  const text = isOptional ? `nullif(@${name}, '')` : `@${name}`;
  if (conversion === 'list') {
    const list = `split(@${name}, ',')`;
    if (type.kind === 'unknown' || isScalar(type, 'STRING')) return list;
    return `array(select cast(item as ${describeType(type).toLowerCase()}) from unnest(${list}) as item)`;
  }
  if (conversion === 'nullable') return `nullif(@${name}, '')`;
  if (type.kind !== 'scalar') return undefined;
  switch (type.name) {
    case 'TIMESTAMP':
      return `timestamp(${text})`;
    case 'DATE':
      return isMoment ? `date(timestamp(${text}))` : `cast(${text} as date)`;
    case 'DATETIME':
      return isMoment ? `datetime(timestamp(${text}))` : `cast(${text} as datetime)`;
    case 'INT64':
    case 'FLOAT64':
    case 'NUMERIC':
    case 'BIGNUMERIC':
    case 'BOOL':
    case 'TIME':
      return `cast(${text} as ${type.name.toLowerCase()})`;
    default:
      return undefined;
  }
}
