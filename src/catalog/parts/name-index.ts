import type { Unit } from './part-file.ts';

/** Definitions by their names: `dataset.name`, with or without a project before it, or a name alone. */
export class NameIndex {
  readonly #units = new Map<string, Unit[]>();

  /** @returns another one with that name, if there is one: then nothing is added */
  add(path: readonly string[], unit: Unit): Unit | undefined {
    const [other] = this.find(path);
    if (other === undefined) this.#units.set(keyOf(path), [...this.#withKey(path), unit]);
    return other;
  }

  /** Those that a path names: several, if it leaves the project open. */
  find(path: readonly string[]): readonly Unit[] {
    const project = projectOf(path);
    return this.#withKey(path).filter(({ name }) => {
      const own = projectOf(name.split('.'));
      return project === undefined || own === undefined || project === own;
    });
  }

  names(): readonly string[] {
    return [...this.#units.values()].flat().map(({ name }) => name);
  }

  get size(): number {
    return this.#units.size;
  }

  #withKey = (path: readonly string[]): readonly Unit[] => this.#units.get(keyOf(path)) ?? [];
}

const keyOf = (path: readonly string[]): string => path.slice(-2).join('.').toLowerCase();

const projectOf = (path: readonly string[]): string | undefined => path.at(-3)?.toLowerCase();
