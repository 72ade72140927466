/** The types that functions take, and the names of types. */
export { macros } from './macros/macros.ts';
export { scalarNamed } from './rules/resolve-type.ts';
