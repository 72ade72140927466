import { isDeepStrictEqual } from 'node:util';
import type { GraphqlStep } from './steps.ts';

/** The entity tags of all answers so far, and the rows that each stood for. */
export class TagsSeen {
  readonly #rows = new Map<string, unknown>();
  readonly #byQuestion = new Map<string, string>();

  add(tag: string, question: string, rows: unknown): void {
    this.#rows.set(tag, rows);
    this.#byQuestion.set(question, tag);
  }

  /** True if the tag came with exactly these rows before. */
  isOf(tag: string, rows: unknown): boolean {
    return this.#rows.has(tag) ? isDeepStrictEqual(this.#rows.get(tag), rows) : true;
  }

  /** The header for a step's choice. */
  header(choice: GraphqlStep['tag'], question: string): { 'if-none-match'?: string } {
    if (choice === 'any') return { 'if-none-match': '*' };
    const all = [...this.#rows.keys()];
    if (choice === 'none' || all.length === 0) return {};
    if (choice === 'all') return { 'if-none-match': all.slice(-100).join(', ') };
    const tag = choice === 'own' ? this.#byQuestion.get(question) : all[choice % all.length];
    return tag === undefined ? {} : { 'if-none-match': tag };
  }
}
