import {
  type ConstValueNode,
  type GraphQLArgumentConfig,
  GraphQLEnumType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLScalarType,
} from 'graphql';
import type { RawParameters } from '../../../catalog/binding/bind.ts';
import { describeParameter, fitsSchemas, typedValue } from '../../../catalog/binding/describe-parameter.ts';
import { textsOfValues } from '../../../catalog/binding/rounded-numbers.ts';
import type { EnumParameter, Parameter, SavedQuery } from '../../../catalog/model/saved-query.ts';
import { getOrAdd } from '../../../get-or-add.ts';
import { camelCase } from '../../../names/graphql-names.ts';
import { scalars } from './shared-types.ts';

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

/** Returns the GraphQL type of a value of a parameter. */
export type ArgumentTypes = (parameter: Parameter) => GraphQLEnumType | GraphQLScalarType;

/** Queries that declare the same enum share one GraphQL type. */
export function openArgumentTypes(): ArgumentTypes {
  const enums = new Map<string, GraphQLEnumType>();
  return (parameter) => {
    if (parameter.type !== 'enum') return scalars[scalarOf[parameter.type]];
    return getOrAdd(enums, parameter.enum, () => enumType(parameter));
  };
}

/** The arguments of a query's field. */
export function parameterArguments(
  { parameters }: SavedQuery,
  typeOf: ArgumentTypes,
): Record<string, GraphQLArgumentConfig> {
  return Object.fromEntries(
    parameters.map((parameter) => {
      const { name, repeated, required } = parameter;
      const value = typeOf(parameter);
      const type = repeated ? new GraphQLList(new GraphQLNonNull(value)) : value;
      return [
        camelCase(name),
        {
          type: required ? new GraphQLNonNull(type) : type,
          description: describeParameter(parameter).join(' '),
          defaultValue: defaultArgument(parameter),
        },
      ];
    }),
  );
}

/** The GraphQL type of a parameter as a document declares its variable. */
export function argumentType(parameter: Parameter): string {
  const name = parameter.type === 'enum' ? parameter.enum : scalarOf[parameter.type];
  const type = parameter.repeated ? `[${name}!]` : name;
  return parameter.required ? `${type}!` : type;
}

/** An enum that suggests no values: graphql-js would compare them with a value that may be as long as a body. */
class PlainEnumType extends GraphQLEnumType {
  override coerceInputValue(value: unknown) {
    return super.coerceInputValue(value, true);
  }
  override coerceInputLiteral(node: ConstValueNode) {
    return super.coerceInputLiteral(node, true);
  }
}

function enumType({ enum: name, description, values }: EnumParameter): GraphQLEnumType {
  return new PlainEnumType({
    name,
    description,
    values: Object.fromEntries(values.map(({ name, value, description }) => [name, { value, description }])),
  });
}

/** undefined for a default that only binding applies: it is relative to the time, or an integer that would be rounded. */
function defaultArgument(parameter: Parameter): unknown {
  const { default: text } = parameter;
  return text !== undefined && fitsSchemas(parameter, text) ? typedValue(parameter, text) : undefined;
}

/**
 * GraphQL arguments as the text parameters that `bind` expects; an explicit null counts as absent, an empty list does not.
 *
 * @throws GatewayError INVALID_PARAMETER for a number that may be rounded
 */
export function rawArguments(query: SavedQuery, args: Readonly<Record<string, unknown>>): RawParameters {
  return new Map(
    query.parameters.flatMap((parameter) => {
      const value = args[camelCase(parameter.name)];
      if (value === undefined || value === null) return [];
      return [[parameter.name, textsOfValues(parameter, value)] as const];
    }),
  );
}
