/** Results, and the cells of their rows as text. @module */
export { isNullableField } from '../../catalog/model/null-values.ts';
export { rowTexts } from '../../engine-contract/rows-document.ts';
export { cellTimestamp } from '../../files/timestamps.ts';
export { isNested } from '../../formats/shape.ts';
export { ageMs } from '../../results/freshness.ts';
export type { CachedResult, ObtainedResult } from '../../results/get-result.ts';
export type { Row } from '../../results/row-parts.ts';
export { type ResultDocument, sizeOf } from '../../results/result-document.ts';
export type { Derivation, DerivedQuery } from '../../catalog-analysis/derived/derive-query.ts';
export type { QueryForm } from '../../catalog/model/query-forms.ts';
