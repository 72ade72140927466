type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * An element with attributes and children. Text becomes text, never markup: it comes from rows, and from the authors of
 * queries.
 *
 * @param attributes `true` is an attribute without a value; `false` and undefined are left out
 */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) made.setAttribute(key, value === true ? '' : String(value));
  }
  made.append(...children);
  return made;
}

export function button(text: string, onClick: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, text);
  made.addEventListener('click', onClick);
  return made;
}

/** A section with a heading, which names it for screen readers. */
export function section(id: string, heading: string, ...children: readonly (Node | string)[]): HTMLElement {
  const title = element('h2', { id: `${id}-heading` }, heading);
  return element('section', { id, 'aria-labelledby': title.id }, title, ...children);
}

/** An element of the page itself. */
export function find<Found extends HTMLElement>(id: string): Found {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no element ${id}`);
  return found as Found;
}
