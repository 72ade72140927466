import { didYouMean } from '@querygate/text';
import {
  type GraphQLError,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';

/** More names than this are not compared, and not for more errors: an invalid document must stay cheap. */
const maxCompared = 2_000;
const maxSuggestions = 3;

/** The messages of graphql-js about unknown names, each with the names that there are. */
const unknownNames: readonly (readonly [RegExp, (schema: GraphQLSchema, of: string) => readonly string[]])[] =
  [
    [
      /Cannot query field "(?<name>\w+)" on type "(?<of>\w+)"\.$/,
      (schema, of) => Object.keys(fieldsOf(schema.getType(of))),
    ],
    [
      /Unknown argument "(?<name>\w+)" on field "(?<of>\w+\.\w+)"\.$/,
      (schema, of) => {
        const [type = '', field = ''] = of.split('.');
        return (fieldsOf(schema.getType(type))[field]?.args ?? []).map(({ name }) => name);
      },
    ],
    [/Value "(?<name>[\w-]+)" does not exist in "(?<of>\w+)" enum\.$/, valuesOf],
    [/Enum "(?<of>\w+)" cannot represent non-enum value: "(?<name>[\w-]+)"\.$/, valuesOf],
    [
      /value of type "(?<of>\w+)!?" not to include unknown field "(?<name>\w+)"/,
      (schema, of) => {
        const type = schema.getType(of);
        return isInputObjectType(type) ? Object.keys(type.getFields()) : [];
      },
    ],
    [/Unknown type "(?<name>\w+)"(?<of>)\.$/, (schema) => Object.keys(schema.getTypeMap())],
  ];

export const isOfUnknownName = (message: string): boolean =>
  unknownNames.some(([pattern]) => pattern.test(message));

/**
 * Adds to messages about unknown names what is probably meant. The comparison is our own: that of graphql-js takes as long as
 * a name is, for each name of the schema.
 *
 * @param schema what the caller may see
 */
export function addNearestNames(errors: readonly GraphQLError[], schema: GraphQLSchema): void {
  let left = maxSuggestions;
  for (const error of errors) {
    if (left === 0) return;
    for (const [pattern, namesIn] of unknownNames) {
      const { name, of } = pattern.exec(error.message)?.groups ?? {};
      if (name === undefined || of === undefined) continue;
      left -= 1;
      const names = namesIn(schema, of);
      const hint = names.length > maxCompared ? '' : didYouMean(name, names);
      if (hint !== '') error.message = `${error.message.replace(/\.$/, '')}${hint}`;
    }
  }
}

const fieldsOf = (type: GraphQLNamedType | undefined) =>
  isObjectType(type) || isInterfaceType(type) ? type.getFields() : {};

function valuesOf(schema: GraphQLSchema, of: string): readonly string[] {
  const type = schema.getType(of);
  return isEnumType(type) ? type.getValues().map(({ name }) => name) : [];
}
