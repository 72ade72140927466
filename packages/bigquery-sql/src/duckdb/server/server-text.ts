import { calleesIn } from '../../macros/macros.ts';
import { type Bindings, bindingOf } from '../bindings.ts';
import { missingOnServer, withServerCallees } from './server-macros.ts';
import { literalOf } from './server-literal.ts';

/** SQL for a session on a server of DuckDB, which has the macros under other names, and binds no parameters. */
export interface ServerText {
  /** For PREPARE. */
  readonly sql: string;
  /** The names of the macros that it calls. */
  readonly macros: readonly string[];
  /** The names of functions in it that no server has; with one of them it cannot run. */
  readonly missing: readonly string[];
  /** The values for EXECUTE. */
  values(bindings: Bindings): string;
}

/** Compiled SQL in the form of a session. */
export function serverText(sql: string): ServerText {
  const outsideTexts = sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"/g, '');
  const names = [...new Set(outsideTexts.match(/\$\w+/g))].map((name) => name.slice(1));
  return {
    sql: withServerCallees(sql),
    macros: calleesIn(sql),
    missing: missingOnServer(sql),
    values: (bindings) =>
      names.map((name) => `${name} := ${literalOf(bindingOf(bindings, name))}`).join(', '),
  };
}
