import type { Member, Query } from './nodes.ts';

/** The columns of a query's result; those of a set operation have the names of its first input. */
export function resultMembers(query: Query): readonly Member[] {
  switch (query.kind) {
    case 'select':
      return query.columns;
    case 'with':
      return resultMembers(query.body);
    case 'set':
      return query.inputs[0] ? resultMembers(query.inputs[0]) : [];
  }
}
