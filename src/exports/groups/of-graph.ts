/** Further types and fields of GraphQL, and the entities that saved queries have fields of and their rows refer to. @module */
export type { ValuesOfList } from '../../call/load-results.ts';
export { type Entity, type EntityField, entitiesOf, keyFieldsOf } from '../../catalog/model/entities.ts';
export type { EntityReference, KeyField, ParameterKeyField } from '../../catalog/model/entity-keys.ts';
export { selectedNames } from '../../http/graphql/document/collect-fields.ts';
export { isNoKey, type KeyValue, keyValue } from '../../http/graphql/rows/key-value.ts';
export type {
  ExtendSchema,
  QueryTypes,
  ResolverContext,
  RowField,
  SchemaExtension,
} from '../../http/graphql/schema-extension.ts';
