import type { Engine } from './engine.ts';

const names = ['dataVersionOf', 'estimateBytes', 'changes'] as const satisfies (keyof Engine)[];

/** The functions of an engine besides `run`, for one around it; they are bound, because an engine may be of a class. */
export const optionalMembers = (engine: Engine): Pick<Engine, (typeof names)[number]> =>
  Object.fromEntries(names.flatMap((name) => (engine[name] ? [[name, engine[name].bind(engine)]] : [])));
