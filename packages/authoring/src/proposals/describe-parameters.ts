import { type Type, type ParameterType, parameterTypes } from '@querygate/bigquery-sql/types';
import type { LiteralProposal } from './literal-proposal.ts';
import type { ParameterUse } from './parameter-uses.ts';

/** A parameter's type, as callers send it: a text of that type, one of some values, or a regular expression. */
export type ProposedType =
  | 'string'
  | 'pattern'
  | 'enum'
  | 'date'
  | 'datetime'
  | 'timestamp'
  | 'integer'
  | 'float'
  | 'boolean';

/** As which a list is bound, if not as texts. */
const elementTypes: Readonly<Partial<Record<ProposedType, ParameterType>>> = {
  date: 'DATE',
  datetime: 'DATETIME',
  timestamp: 'TIMESTAMP',
  integer: 'INT64',
  float: 'FLOAT64',
  boolean: 'BOOL',
};

/** A parameter, as its uses show it. */
export interface DescribedParameter {
  readonly name: string;
  readonly type: ProposedType;
  /** True if the SQL does not foresee that it is absent. */
  readonly required: boolean;
  /** The values of an enum. */
  readonly values: readonly string[];
  /** Its type in the SQL, if it is not STRING: no use of it needs a conversion. */
  readonly bind?: ParameterType | undefined;
  /** True for a list, which is bound as an ARRAY. */
  readonly repeated: boolean;
  /** True if several values, separated by commas, are meant: it is a STRING too. */
  readonly isList: boolean;
  /** The literal that it takes the place of, as a caller would send it. */
  readonly default?: LiteralProposal['default'] | undefined;
  /** The least and the greatest value. */
  readonly bounds?: LiteralProposal['bounds'];
  /** Its meaning, if its use shows it. */
  readonly description?: string | undefined;
  /** As the header of a part declares it that takes its value. */
  readonly declared?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The parameters of SQL, each as all of its uses show it, in the order of the first uses.
 *
 * @param taken the literals that parameters take the place of
 * @param tenant the name of the tenant
 */
export function describeParameters(
  uses: readonly ParameterUse[],
  taken: readonly LiteralProposal[],
  tenant: string | undefined,
): readonly DescribedParameter[] {
  const byName = Map.groupBy(uses, ({ name }) => name);
  const literals = new Map(taken.map((proposal) => [proposal.name, proposal]));
  return [...byName].map(([name, all]): DescribedParameter => {
    const own = withoutGuesses(all);
    const values = [...new Set(own.flatMap(({ values: texts = [] }) => texts))].filter((text) => text !== '');
    const hasListUse = own.some(({ conversion }) => conversion === 'list');
    const repeated = hasListUse && own.every(({ conversion, nullTest }) => conversion === 'list' || nullTest);
    const isList = hasListUse && !repeated;
    const types = own.map(headerType).filter((type) => type !== undefined);
    const plain = isList ? 'string' : (types.find((type) => type !== 'string') ?? 'string');
    return {
      name,
      type: plain === 'string' && values.length > 0 && !isList && name !== tenant ? 'enum' : plain,
      required: !own.some(({ isOptional }) => isOptional),
      values,
      bind: repeated ? elementTypes[plain] : typedBind(own),
      repeated,
      isList,
      default: literals.get(name)?.default,
      bounds: literals.get(name)?.bounds,
      description: literals.get(name)?.description,
    };
  });
}

/** The uses that show a type; `4 * @n` shows none if another use does. */
function withoutGuesses(uses: readonly ParameterUse[]): readonly ParameterUse[] {
  const sure = uses.filter(({ isGuess, nullTest }) => !isGuess && nullTest === undefined);
  return sure.length === 0 ? uses : uses.filter(({ isGuess }) => !isGuess);
}

/** The type as which a parameter needs no conversion: that of all its uses, if a STRING would need one. */
function typedBind(uses: readonly ParameterUse[]): ParameterType | undefined {
  const [first, ...others] = uses.filter(({ nullTest }) => nullTest === undefined);
  const bind = bindOf(first?.type);
  const isTyped = ({ conversion, isCast, type }: ParameterUse) =>
    (conversion === 'cast' || isCast === true) && bindOf(type) === bind;
  if (first === undefined || bind === undefined || ![first, ...others].every(isTyped)) return undefined;
  return uses.some(({ conversion }) => conversion === 'cast') ? bind : undefined;
}

const bindOf = (type: Type | undefined): ParameterType | undefined =>
  parameterTypes.find((name) => name !== 'STRING' && type?.kind === 'scalar' && type.name === name);

/** The header's type for each scalar type; other types are sent as a string. */
const headerTypes: Readonly<Record<string, ProposedType>> = {
  INT64: 'integer',
  FLOAT64: 'float',
  NUMERIC: 'float',
  BIGNUMERIC: 'float',
  BOOL: 'boolean',
  DATE: 'date',
  DATETIME: 'datetime',
  TIMESTAMP: 'timestamp',
};

function headerType({ type, isPattern }: ParameterUse): ProposedType | undefined {
  if (isPattern) return 'pattern';
  return type.kind === 'scalar' ? (headerTypes[type.name] ?? 'string') : undefined;
}
