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

/** Returns the GraphQL type of a parameter. */
export type ArgumentTypes = (parameter: Parameter) => EnumRef | (typeof scalarOf)[keyof typeof scalarOf];

/** Queries that declare the same enum share one GraphQL type. */
export function buildArgumentTypes(builder: Builder): ArgumentTypes {
  const enums = new Map<string, EnumRef>();
  return (parameter) => {
    if (parameter.type !== 'enum') return scalarOf[parameter.type];
    const type = enums.get(parameter.enum) ?? addEnum(builder, parameter);
    enums.set(parameter.enum, type);
    return type;
  };
}

/** The GraphQL type of a parameter as a document declares its variable. */
export function argumentType(parameter: Parameter): string {
  const name = parameter.type === 'enum' ? parameter.enum : scalarOf[parameter.type];
  return parameter.required ? `${name}!` : name;
}

function addEnum(builder: Builder, { enum: name, description, values }: EnumParameter): EnumRef {
  return builder.enumType(name, {
    description,
    values: Object.fromEntries(values.map(({ name, value, description }) => [name, { value, description }])),
  });
}

/** A parameter's default as a typed value: the query's header has it as text. */
export function defaultArgument({ type, default: text }: Parameter): unknown {
  if (text === undefined) return undefined;
  if (type === 'boolean') return text.toLowerCase() === 'true';
  return type === 'integer' || type === 'float' ? Number(text) : text;
}

/** GraphQL arguments as the text parameters that `bind` expects; an explicit null counts as absent. */
export function rawArguments(query: SavedQuery, args: Readonly<Record<string, unknown>>): RawParameters {
  return new Map(
    query.parameters.flatMap(({ name }) => {
      const value = args[camelCase(name)];
      return value === undefined || value === null ? [] : [[name, [String(value)]] as const];
    }),
  );
}
