import { StartError } from '../errors.ts';
import { arrow } from './arrow.ts';
import { csv, csvBom } from './csv.ts';
import { guardedRenderer } from './guarded-renderer.ts';
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

/** A plug-in, which may add forms. */
interface WithRenderers {
  readonly name: string;
  readonly renderers?: readonly Renderer[] | undefined;
}

/** The forms in which rows are sent. */
export class Renderers {
  /** The most preferred first. */
  readonly all: readonly Renderer[];
  readonly #byName = new Map<string, Renderer>();

  /**
   * @param plugins with further ones
   * @throws StartError if two have one name
   */
  constructor(plugins: readonly WithRenderers[] = []) {
    const places = new Map<Renderer, string>();
    for (const [at, { name, renderers = [] }] of plugins.entries())
      for (const one of renderers) places.set(guardedRenderer(one, name), `plugins[${at}] (${name}): `);
    this.all = [json, csv, csvBom, ndjson, parquet, arrow, prometheus, ...places.keys()];
    for (const renderer of this.all)
      for (const name of renderer.names) {
        if (this.#byName.has(name)) {
          const message = `${places.get(renderer) ?? ''}the name ${name} is taken; give the renderer another one`;
          throw new StartError('The options of the gateway have problems', [{ message }]);
        }
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
