import type { Entity } from '../../../catalog/model/entities.ts';
import type { CollectedField } from '../document/collect-fields.ts';

/** How many results of saved queries an operation selects of each such entity. */
export const countQueries = ({ fields }: Entity, selected: readonly CollectedField[]): number =>
  selected.filter(({ name }) => fields.some(({ field }) => field === name)).length;
