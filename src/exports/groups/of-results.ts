/** Results, and the cells of their rows as text. @module */
export { isNullableField } from '../../catalog/model/null-values.ts';
export type { EarlierRows, TableChanges, TimedTable } from '../../engine-contract/engine.ts';
export { DocumentRows, rowTexts } from '../../engine-contract/rows-document.ts';
export { cellTimestamp, timestampText } from '../../files/timestamps.ts';
export { isNested } from '../../formats/shape.ts';
export { ageMs } from '../../results/freshness.ts';
export type { CachedResult, ObtainedResult } from '../../results/get-result.ts';
export type { Row } from '../../results/row-parts.ts';
export { type ResultDocument, sizeOf } from '../../results/result-document.ts';
export type { Derivation, DerivedForm, DerivedQuery } from '../../catalog-analysis/derived/derive-query.ts';
export type { QueryForm } from '../../catalog/model/query-forms.ts';
export { type NarrowQuery, narrowQuery } from '../../catalog-analysis/derived/narrow-query.ts';
