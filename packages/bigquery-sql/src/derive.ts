/** Statements made from others, as texts: their rows contain those of the others. */
export { editText, NotDerivable, type TextEdit } from './derive/edit-text.ts';
