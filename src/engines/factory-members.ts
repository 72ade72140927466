import type { EngineFactory } from '../engine-contract/engine-factory.ts';

/** An engine as a plain object, which can be spread: it may be of a class, whose methods a spread would leave out. */
export function membersOf(factory: EngineFactory): EngineFactory {
  const { name, sql, flags, maximumBytes, check, columnsOf, sqlOf, openFixtures } = factory;
  return {
    name,
    sql,
    ...(flags && { flags }),
    maximumBytes,
    // An engine in JavaScript may open itself at once.
    open: async (host) => factory.open(host),
    ...(check && { check: check.bind(factory) }),
    ...(columnsOf && { columnsOf: columnsOf.bind(factory) }),
    ...(sqlOf && { sqlOf: sqlOf.bind(factory) }),
    ...(openFixtures && { openFixtures: openFixtures.bind(factory) }),
  };
}
