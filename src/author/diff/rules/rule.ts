import type { Level } from '../levels.ts';

/** A kind of change with its verdict. */
export interface Rule {
  /** What has changed. */
  readonly change: string;
  readonly rest: Level;
  readonly graphql: Level;
  /** What callers see. */
  readonly effect: string;
  /** Set if a comparison of GraphQL schemas, which cannot know the gateway, gives a level that is too high. */
  readonly isStricterInSchema?: true;
}

/** By the name of the kind. */
export type Rules = Readonly<Record<string, Rule>>;

export const rule = (rest: Level, graphql: Level, change: string, effect: string): Rule => ({
  change,
  rest,
  graphql,
  effect,
});
