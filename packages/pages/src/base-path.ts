/** The path below which the gateway is, as in `/warehouse`, by that of its scripts; empty for the root. */
export const basePath =
  /^(?<base>.*)\/assets\/pages\//.exec(new URL(import.meta.url).pathname)?.groups?.base ?? '';
