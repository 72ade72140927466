import type { SavedQuery } from './saved-query.ts';

/** A question an engine may run: every declared parameter as text, checked, with defaults and fallbacks applied. */
export interface Bound {
  readonly query: SavedQuery;
  /** One entry for every declared parameter; '' where an optional one is absent. */
  readonly parameters: Readonly<Record<string, string>>;
}
