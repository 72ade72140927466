import { StartError } from '../errors.ts';
import { arrow } from './arrow.ts';
import { csv, csvBom } from './csv.ts';
import { ndjson } from './ndjson.ts';
import { parquet } from './parquet.ts';
import { prometheus } from './prometheus.ts';
import type { Renderer } from './renderer.ts';

/** As the gateway keeps results. */
export const json: Renderer = {
  names: ['json'],
  contentType: 'application/json; charset=utf-8',
  mediaTypes: ['application/json'],
  fileExtension: undefined,
};

/** Extensions of files that a caller may expect, and that are not available. */
const otherExtensions: ReadonlySet<string> = new Set(
  'avro feather htm html msgpack ods orc pdf sqlite tsv txt xls xlsx xml yaml yml'.split(' '),
);

/** The forms in which rows are sent. */
export class Renderers {
  /** The most preferred first. */
  readonly all: readonly Renderer[];
  readonly #byName = new Map<string, Renderer>();

  /** @param ofPlugins further ones @throws StartError if two have one name */
  constructor(ofPlugins: readonly Renderer[] = []) {
    this.all = [json, csv, csvBom, ndjson, parquet, arrow, prometheus, ...ofPlugins];
    for (const renderer of this.all)
      for (const name of renderer.names) {
        if (this.#byName.has(name))
          throw new StartError('A renderer of a plug-in', [
            { message: `the name ${name} is taken: give it another one` },
          ]);
        this.#byName.set(name, renderer);
      }
  }

  /** The names that may be written as `?format=` or as an extension. */
  get names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  named(name: string): Renderer | undefined {
    return this.#byName.get(name);
  }

  /** True for the extension of a file, in any case; false for a text that is rather a part of a name. */
  isExtension(text: string): boolean {
    const lower = text.toLowerCase();
    return this.#byName.has(lower) || otherExtensions.has(lower);
  }
}
