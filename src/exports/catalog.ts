/** The model of a saved query, for tools that write and judge saved queries. @module */

export { bind } from '../catalog/binding/bind.ts';
export { bindForTenants } from '../catalog/binding/bind-tenant.ts';
export { compareValues } from '../catalog/binding/check-bounds.ts';
export { canonicalText } from '../catalog/binding/check-value.ts';
export { exampleValue } from '../catalog/binding/example-parameters.ts';
export { textsOf } from '../catalog/binding/list-values.ts';
export { isRelative, resolveBound } from '../catalog/binding/times.ts';
export { defaultMaxItems } from '../catalog/binding/value-limits.ts';
export { checkAddresses } from '../catalog/check/check-addresses.ts';
export { checkCatalog } from '../catalog/check/check-catalog.ts';
export { parseCatalog, parseQueryFile } from '../catalog/folder/load-catalog.ts';
export { loadChecks, parseCheckFile } from '../catalog/folder/load-checks.ts';
export {
  type DeclaredField,
  isAbsentType,
  loadTables,
  parseFields,
  parseTableFile,
  tablesOf,
} from '../catalog/folder/load-tables.ts';
export {
  checksFolder,
  contentOf,
  hasFolders,
  innerFolders,
  readFiles,
  readFolder,
  tablesFolder,
} from '../catalog/folder/read-folder.ts';
export { readParts } from '../catalog/folder/read-parts.ts';
export { parameterUses } from '../catalog/header/sql/check-parameter-use.ts';
export { headerless } from '../catalog/header/link.ts';
export { parseSavedQuery } from '../catalog/header/parse-saved-query.ts';
export { readHeader, sqlPart } from '../catalog/header/split-file.ts';
export { fillIn, isFilledIn, unfinishedTexts } from '../catalog/header/unfinished.ts';
export { keyText } from '../catalog/model/entities.ts';
export { lookUpQuery } from '../catalog/model/find-query.ts';
export { columnTypes, followSeconds } from '../catalog/model/saved-query.ts';
export { namePattern, nameRule, parseVersionName, pinnedName } from '../catalog/model/version-name.ts';
export { publicNames, seriesOf } from '../catalog/model/versions.ts';
export { parseAssertions } from '../catalog/parts/assertions.ts';
export { buildAnalyze, type Dialect } from '../catalog-analysis/analyze-catalog.ts';
export { analyzeQuery, compiler } from '../catalog-analysis/analyze-query.ts';
export { assertionProblems } from '../catalog-analysis/assertion-problems.ts';
export { checkReturned } from '../catalog-analysis/check-columns.ts';
export { loadAnalyzed } from '../catalog-analysis/load-analyzed.ts';
export { queryProblems } from '../catalog-analysis/query-problems.ts';
export { problemsOfSql, unreadProblems } from '../catalog-analysis/sql-problems.ts';
export { LoopTurns } from '../concurrency/loop-turns.ts';
export { statusOf } from '../errors.ts';
export { formatInstant } from '../files/durations.ts';
export { readYaml } from '../files/read-yaml.ts';
export { describeIssue, problem, schemaProblems } from '../files/schema-problems.ts';
export { parseTimestamp } from '../files/timestamps.ts';
export { watchPath } from '../files/watch-path.ts';
export { buildSchema } from '../http/graphql/schema/schema.ts';
export {
  camelCase,
  connectionFieldOf,
  graphqlNames,
  pascalCase,
  reservedFields,
  sqlFieldOf,
} from '../names/graphql-names.ts';
export { headerSchemaFile } from '../package-files.ts';
export { atHeaderLines } from '../problems/header-lines.ts';
export { placeOfProblem, printable, problemsText } from '../problems/print-problems.ts';
export { githubAnnotation } from '../problems/report-problems.ts';
export { isSummable } from '../row-arguments/aggregate-rows.ts';
