import type { Engine } from './engine.ts';

const names = ['dataVersionOf', 'estimateBytes', 'changes'] as const satisfies (keyof Engine)[];

/** What an engine can besides running queries, for one around it: its functions, bound to it, for it may be of a class. */
export const optionalMembers = (engine: Engine): Pick<Engine, (typeof names)[number]> =>
  Object.fromEntries(names.flatMap((name) => (engine[name] ? [[name, engine[name].bind(engine)]] : [])));
