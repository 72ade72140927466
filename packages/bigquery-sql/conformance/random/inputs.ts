import { type ParameterType, parameterTypes } from '../../src/types.ts';
import type { Random } from '../../test/support/random.ts';
import { asQuery, loadInputs } from '../cases.ts';
import type { LocalEngine } from '../local/engine.ts';
import type { Value as Cell } from '../values.ts';
import type { NamedParameter, Value } from './tree.ts';

/** The inputs of `cases/inputs.sql` of one name, with the values that they have. */
export interface InputClass {
  readonly name: string;
  /** In BigQuery's syntax. */
  readonly type: string;
  readonly inputs: readonly Input[];
}

interface Input {
  readonly literal: string;
  readonly cell: Cell;
}

export type Inputs = ReadonlyMap<string, InputClass>;

/** The inputs that are values, by name. Words, such as date parts, are left out. */
export async function evaluateInputs(local: LocalEngine): Promise<Inputs> {
  const classes = new Map<string, InputClass>();
  for (const [name, literals] of loadInputs()) {
    if (name.endsWith('(words)')) continue;
    const inputs: Input[] = [];
    let type = '';
    for (const literal of literals) {
      const answer = await local.evaluate(asQuery(literal));
      if ('error' in answer) throw new Error(`${literal}: ${answer.error}`);
      type = answer.types?.[0] ?? '';
      inputs.push({ literal, cell: answer.rows[0]?.[0] ?? null });
    }
    classes.set(name, { name, type, inputs });
  }
  return classes;
}

/** A literal of a class that may be a parameter instead, under a name of its own. */
export function inputValue({ type, inputs }: InputClass, random: Random, name: string): Value {
  const { literal, cell } = inputs[random.below(inputs.length)] as Input;
  const parameter = random.percent(50) ? parameterOf(name, type, cell) : undefined;
  return { kind: 'value', literal, sort: type, ...(parameter && { parameter }) };
}

/** Undefined if the service binds no such values. */
function parameterOf(name: string, type: string, cell: Cell): NamedParameter | undefined {
  const element = /^ARRAY<(\w+)>$/.exec(type)?.[1];
  const bind = parameterTypes.find((known): known is ParameterType => known === (element ?? type));
  if (bind === undefined) return undefined;
  if (element === undefined) {
    // The empty text is a value, so that a STRING is never NULL.
    if (cell === null) return bind === 'STRING' ? undefined : { name, value: { type: bind, value: null } };
    return 'text' in cell ? { name, value: { type: bind, value: boundText(cell.text, bind) } } : undefined;
  }
  if (cell === null || cell.type !== 'ARRAY') return undefined;
  const texts = cell.items.map((item) =>
    item !== null && 'text' in item ? boundText(item.text, bind) : undefined,
  );
  const complete = texts.filter((text) => text !== undefined);
  return complete.length === texts.length ? { name, value: { type: bind, value: complete } } : undefined;
}

const boundText = (text: string, type: ParameterType) => (type === 'TIMESTAMP' ? `${text}Z` : text);
