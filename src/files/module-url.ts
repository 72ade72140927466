/**
 * The URL of a module that runs as a program of its own. As a published package the modules are JavaScript.
 *
 * @param path relative to the module whose `import.meta.url` is given, without an extension
 */
export function moduleUrl(path: string, base: string): URL {
  return new URL(`${path}${base.endsWith('.ts') ? '.ts' : '.js'}`, base);
}
