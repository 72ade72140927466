import { button, element } from '../element.ts';
import type { Snippet } from './snippets.ts';

export interface Tab {
  readonly id: string;
  readonly title: string;
  /** Its texts, made when the tab is shown. */
  readonly snippets: () => readonly Snippet[];
}

export interface Tabs {
  readonly element: HTMLElement;
  /** Makes the shown one again. */
  refresh(): void;
  /** @param id undefined, or of no tab: the shown one stays */
  show(id: string | undefined): void;
}

/**
 * Texts to copy, one kind at a time. Arrow keys choose the tab, as in the pattern of the ARIA Authoring Practices.
 *
 * @param chosen the id of the first shown tab
 * @param label what they are
 */
export function buildTabs(
  tabs: readonly Tab[],
  chosen: string | undefined,
  onChoose: (id: string) => void,
  label = 'Languages',
): Tabs {
  const panel = element('div', { role: 'tabpanel', id: 'snippet-panel', tabindex: 0 });
  const status = element('p', { role: 'status', class: 'muted' });
  const placeOf = (chosenId: string | undefined) => tabs.findIndex(({ id }) => id === chosenId);
  let current = Math.max(placeOf(chosen), 0);
  const heads = tabs.map(({ id, title }, at) =>
    button(title, () => choose(at), { role: 'tab', id: `tab-${id}`, 'aria-controls': panel.id }),
  );
  const list = element('div', { role: 'tablist', 'aria-label': label, class: 'tabs' }, ...heads);
  list.addEventListener('keydown', (event) => {
    const places: Readonly<Record<string, number>> = {
      ArrowRight: (current + 1) % tabs.length,
      ArrowLeft: (current + tabs.length - 1) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
    };
    const next = places[event.key];
    if (next === undefined) return;
    event.preventDefault();
    choose(next);
    heads[next]?.focus();
  });
  function choose(at: number): void {
    current = at;
    refresh();
    onChoose(tabs[at]?.id ?? '');
  }
  function refresh(): void {
    status.textContent = '';
    for (const [at, head] of heads.entries()) {
      head.setAttribute('aria-selected', String(at === current));
      head.tabIndex = at === current ? 0 : -1;
    }
    panel.setAttribute('aria-labelledby', heads[current]?.id ?? '');
    panel.replaceChildren(...(tabs[current]?.snippets() ?? []).map((snippet) => copyable(snippet, status)));
  }
  function show(chosenId: string | undefined): void {
    const at = placeOf(chosenId);
    if (at >= 0) current = at;
    refresh();
  }
  refresh();
  return { element: element('div', {}, list, panel, status), refresh, show };
}

/** A text with a button that copies it. */
export function copyable({ title, text }: Snippet, status: HTMLElement): HTMLElement {
  const code = element(
    'pre',
    { tabindex: 0, role: 'region', 'aria-label': title },
    element('code', {}, text),
  );
  const copy = button(`Copy ${title}`, async () => {
    status.textContent = (await copyText(text, code)) ? `Copied ${title}.` : 'Select the text and copy it.';
  });
  return element('div', { class: 'snippet' }, element('div', { class: 'row' }, copy), code);
}

/** Browsers give access to the clipboard over https and on this machine only; elsewhere the older way is left. */
async function copyText(text: string, shown: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection()?.selectAllChildren(shown);
    return document.execCommand('copy');
  }
}
