import type { RawParameters } from '../../../catalog/binding/bind.ts';
import { fitsSchemas } from '../../../catalog/describe-parameter.ts';
import { camelCase } from '../../../catalog/names.ts';
import type { EnumParameter, Parameter, SavedQuery } from '../../../catalog/saved-query.ts';
import type { Builder } from './builder.ts';

const scalarOf = {
  string: 'String',
  pattern: 'String',
  date: 'Date',
  datetime: 'LocalDateTime',
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
  const type = parameter.repeated ? `[${name}!]` : name;
  return parameter.required ? `${type}!` : type;
}

function addEnum(builder: Builder, { enum: name, description, values }: EnumParameter): EnumRef {
  return builder.enumType(name, {
    description,
    values: Object.fromEntries(values.map(({ name, value, description }) => [name, { value, description }])),
  });
}

/**
 * A parameter's default as a typed value: the query's header has it as text. undefined for one that only binding applies:
 * it is relative to the time, or an integer that would be rounded.
 */
export function defaultArgument(parameter: Parameter): unknown {
  const { default: text } = parameter;
  if (text === undefined || !fitsSchemas(parameter, text)) return undefined;
  return typeof text === 'string' ? typedText(parameter, text) : text.map((one) => typedText(parameter, one));
}

function typedText({ type }: Parameter, text: string): unknown {
  if (type === 'boolean') return text.toLowerCase() === 'true';
  return type === 'integer' || type === 'float' ? Number(text) : text;
}

/**
 * GraphQL arguments as the text parameters that `bind` expects; an explicit null counts as absent, an empty list does not.
 */
export function rawArguments(query: SavedQuery, args: Readonly<Record<string, unknown>>): RawParameters {
  return new Map(
    query.parameters.flatMap(({ name }) => {
      const value = args[camelCase(name)];
      if (value === undefined || value === null) return [];
      return [[name, Array.isArray(value) ? value.map(String) : [String(value)]] as const];
    }),
  );
}
