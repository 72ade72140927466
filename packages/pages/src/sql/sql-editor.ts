import { element } from '../element.ts';

/** A place in a text, both from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface SqlEditor {
  readonly element: HTMLElement;
  text(): string;
  /** Writes a text into the field, unless people have written another one. */
  suggest(text: string): void;
  /** Shows what is wrong, at its place in the text; undefined and '' for nothing. */
  mark(place: Place | undefined, message: string): void;
}

/** The place that a message of the gateway names. */
export function placeOf(message: string): Place | undefined {
  const [, line, column] = /\bline (\d+), column (\d+)\b/.exec(message) ?? [];
  return line === undefined ? undefined : { line: Number(line), column: Number(column) };
}

/** @param onRun called for Ctrl+Enter */
export function buildSqlEditor(onRun: () => void): SqlEditor {
  const problem = element('p', { id: 'sql-problem', class: 'problem', role: 'alert' });
  const input = element('textarea', {
    id: 'sql-text',
    rows: 12,
    spellcheck: 'false',
    autocapitalize: 'off',
    autocomplete: 'off',
    'aria-describedby': 'sql-help sql-problem',
  });
  let suggested = '';
  // The same text behind the field: what is wrong is marked in it.
  const behind = element('div', { class: 'behind', 'aria-hidden': 'true' });
  const follow = () => {
    behind.scrollTop = input.scrollTop;
    behind.scrollLeft = input.scrollLeft;
  };
  const clear = () => {
    behind.replaceChildren();
    problem.textContent = '';
    input.removeAttribute('aria-invalid');
  };
  input.addEventListener('input', clear);
  input.addEventListener('scroll', follow);
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    onRun();
  });
  return {
    element: element(
      'div',
      { class: 'field' },
      element('label', { for: input.id }, 'SQL'),
      element('div', { class: 'sql-editor' }, behind, input),
      problem,
      element('p', { id: 'sql-help', class: 'muted' }, 'Ctrl+Enter runs it.'),
    ),
    text: () => input.value,
    suggest(text) {
      if (input.value !== suggested) return;
      suggested = text;
      input.value = text;
      clear();
    },
    mark(place, message) {
      clear();
      if (place === undefined) return;
      problem.textContent = message;
      input.setAttribute('aria-invalid', 'true');
      const text = input.value;
      const from = Math.min(offsetOf(text, place), text.length);
      const length = /^(?:\w+|\s*$|.)/su.exec(text.slice(from))?.[0].length ?? 0;
      // At the end of the text there is no character to mark.
      const marked = length === 0 ? ' ' : text.slice(from, from + length);
      behind.replaceChildren(
        text.slice(0, from),
        element('mark', {}, marked),
        `${text.slice(from + length)}\n`,
      );
      follow();
      input.focus();
      input.setSelectionRange(from, from);
    },
  };
}

function offsetOf(text: string, { line, column }: Place): number {
  const before = text.split('\n').slice(0, line - 1);
  return before.reduce((sum, { length }) => sum + length + 1, column - 1);
}
