import {
  GraphQLBoolean,
  type GraphQLFieldConfigMap,
  GraphQLFloat,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLString,
} from 'graphql';
import { GraphQLJSON } from 'graphql-scalars';
import type { CachedResult } from '../../../results/get-result.ts';
import type { Context } from '../context.ts';
import { newBuilder } from './builder.ts';
import { addSharedTypes, metadataFields } from './metadata-fields.ts';
import { date, dateTime, localDateTime, safeInt } from './scalars.ts';
import { addSqlResultType } from './sql-result-type.ts';

const resultMetadata = 'ResultMetadata';

/** The types that those of saved queries refer to: one object for all schemas, in which a query's types are kept. */
const builtTypes = buildTypes();

function buildTypes() {
  const builder = newBuilder();
  builder.addScalarType('Date', date);
  builder.addScalarType('DateTime', dateTime);
  builder.addScalarType('JSON', GraphQLJSON);
  builder.addScalarType('LocalDateTime', localDateTime);
  builder.addScalarType('SafeInt', safeInt);
  const shared = addSharedTypes(builder);
  addSqlResultType(builder, shared);
  builder.objectRef<CachedResult>(resultMetadata).implement({ fields: (t) => metadataFields(t, shared) });
  return builder.toSchema({ sortSchema: false }).getTypeMap();
}

function scalar(name: string): GraphQLScalarType {
  const type = builtTypes[name];
  if (type instanceof GraphQLScalarType) return type;
  throw new TypeError(`no scalar ${name}`);
}

function object(name: string): GraphQLObjectType<CachedResult, Context> {
  const type = builtTypes[name];
  if (type instanceof GraphQLObjectType) return type;
  throw new TypeError(`no object type ${name}`);
}

/** The scalars of arguments and columns. */
export const scalars = {
  Boolean: GraphQLBoolean,
  Float: GraphQLFloat,
  String: GraphQLString,
  Date: scalar('Date'),
  DateTime: scalar('DateTime'),
  JSON: scalar('JSON'),
  LocalDateTime: scalar('LocalDateTime'),
  SafeInt: scalar('SafeInt'),
};

/** The rows of a caller's SQL. */
export const sqlResult = object('SqlResult');

/** The fields that every result has beside its rows. */
export const resultFields: GraphQLFieldConfigMap<CachedResult, Context> =
  object(resultMetadata).toConfig().fields;
