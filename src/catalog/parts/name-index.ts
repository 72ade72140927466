import { foldName } from '@querygate/text';
import { getOrAdd } from '../../get-or-add.ts';
import type { Unit } from './part-file.ts';

/** Definitions by their names: `dataset.name`, with or without a project before it, or a name alone. */
export class NameIndex {
  /** By the last two parts of a name, then by the project, which is empty for a name without one. */
  readonly #units = new Map<string, Map<string, Unit>>();

  /** @returns another one with that name, if there is one: then nothing is added */
  add(path: readonly string[], unit: Unit): Unit | undefined {
    const [other] = this.find(path);
    if (other === undefined) getOrAdd(this.#units, keyOf(path), () => new Map()).set(projectOf(path), unit);
    return other;
  }

  /** Those that a path names: several, if it leaves the project open. */
  find(path: readonly string[]): readonly Unit[] {
    const units = this.#units.get(keyOf(path));
    const project = projectOf(path);
    if (units === undefined) return [];
    if (project === '') return [...units.values().take(2)];
    const found = units.get(project) ?? units.get('');
    return found === undefined ? [] : [found];
  }

  names(): readonly string[] {
    return [...this.#units.values()].flatMap((units) => [...units.values()]).map(({ name }) => name);
  }

  get size(): number {
    return this.#units.size;
  }
}

const keyOf = (path: readonly string[]): string => foldName(path.slice(-2).join('.'));

const projectOf = (path: readonly string[]): string => foldName(path.at(-3) ?? '');
