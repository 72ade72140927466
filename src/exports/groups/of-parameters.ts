/** Parameters of saved queries: what they take, what is said of them, and how their texts are read. @module */
export { isOutdated, type RawParameters } from '../../catalog/binding/bind.ts';
export { tenantsOfBound } from '../../catalog/binding/bind-tenant.ts';
export {
  judged,
  maxSqlLength,
  seenBySql,
  sqlParameter,
  unusedBySql,
} from '../../catalog/binding/caller-sql.ts';
export { extractTenant, type TenantExtraction } from '../../catalog/binding/patterns/tenant-pattern.ts';
export { checkValue, nearValue } from '../../catalog/binding/check-value.ts';
export { describeParameter, fitsSchemas, typedValue } from '../../catalog/binding/describe-parameter.ts';
export { listLengthProblem } from '../../catalog/binding/list-values.ts';
export { listNameOf, mergeLists } from '../../catalog/binding/merge-lists.ts';
export { rebind } from '../../catalog/binding/rebind.ts';
export { mayBeRounded, roundedProblem, textsOfValues } from '../../catalog/binding/rounded-numbers.ts';
export { type JsonObject, parameterSchema } from '../../catalog/binding/parameter-schema.ts';
export { maxValueLength } from '../../catalog/binding/value-limits.ts';
export type { Parameter } from '../../catalog/model/saved-query.ts';
export { meantWords } from '../../row-arguments/reading/other-words.ts';
export { pageWords } from '../../http/rest/row-page.ts';
export { requestsWhole, rowWords } from '../../http/rest/row-parameters.ts';
export {
  parameterWarning,
  refuseUndeclared,
  withParameterWarning,
} from '../../http/rest/undeclared-parameters.ts';
