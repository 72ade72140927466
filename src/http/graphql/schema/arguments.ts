import type { RawParameters } from '../../../catalog/binding/bind.ts';
import { camelCase } from '../../../catalog/names.ts';
import type { EnumParameter, Parameter, SavedQuery } from '../../../catalog/saved-query.ts';
import type { Builder } from './builder.ts';

const scalarOf = {
  string: 'String',
  pattern: 'String',
  timestamp: 'DateTime',
  integer: 'SafeInt',
  float: 'Float',
  boolean: 'Boolean',
} as const;

type EnumRef = ReturnType<Builder['enumType']>;

/** Gives the GraphQL type of a parameter. */
export type ArgumentTypes = (parameter: Parameter) => EnumRef | (typeof scalarOf)[keyof typeof scalarOf];

/** Queries that name the same enum share its type. */
export function buildArgumentTypes(builder: Builder): ArgumentTypes {
  const enums = new Map<string, EnumRef>();
  return (parameter) => {
    if (parameter.type !== 'enum') return scalarOf[parameter.type];
    const type = enums.get(parameter.enum) ?? addEnum(builder, parameter);
    enums.set(parameter.enum, type);
    return type;
  };
}

function addEnum(builder: Builder, { enum: name, description, values }: EnumParameter): EnumRef {
  return builder.enumType(name, {
    description,
    values: Object.fromEntries(values.map(({ name, value, description }) => [name, { value, description }])),
  });
}

/** A default stands in the header as text; GraphQL wants the value. */
export function defaultArgument({ type, default: text }: Parameter): unknown {
  if (text === undefined) return undefined;
  if (type === 'boolean') return text.toLowerCase() === 'true';
  return type === 'integer' || type === 'float' ? Number(text) : text;
}

/** Arguments as the raw text parameters that both doors bind; an explicit null is an absent parameter. */
export function rawArguments(query: SavedQuery, args: Readonly<Record<string, unknown>>): RawParameters {
  return new Map(
    query.parameters.flatMap(({ name }) => {
      const value = args[camelCase(name)];
      return value === undefined || value === null ? [] : [[name, [String(value)]] as const];
    }),
  );
}
