import { button, element, find } from './element.ts';
import { whatThisIs } from './words.ts';

const storageName = 'querygate:key';

/** The key is kept until the tab is closed. A browser may refuse to store anything. */
const storage = {
  get(): string | null {
    try {
      return sessionStorage.getItem(storageName);
    } catch {
      return null;
    }
  },
  set(key: string | undefined): void {
    try {
      if (key === undefined) sessionStorage.removeItem(storageName);
      else sessionStorage.setItem(storageName, key);
    } catch {
      // The key is then typed for each page.
    }
  },
};

/** Made by the gateway for development on this machine. */
const madeKey = () => document.querySelector<HTMLMetaElement>('meta[name="querygate-key"]')?.content;

/** Typed earlier in this tab, or made by the gateway. An empty text is stored if the made one is not to be used. */
export function knownKey(): string | undefined {
  return (storage.get() ?? madeKey()) || undefined;
}

/** Shows in the page's header that there is a key, and lets people remove it. */
export function rememberKey(key: string): void {
  // A gateway makes another one at its next start.
  if (key !== madeKey()) storage.set(key);
  const forget = find('forget-key');
  forget.hidden = false;
  forget.onclick = () => {
    storage.set(madeKey() === undefined ? undefined : '');
    location.reload();
  };
}

export function forgetKey(): void {
  storage.set(undefined);
  find('forget-key').hidden = true;
}

/**
 * Shows a form for the key in the place of the page.
 *
 * @param problem what was wrong with the one before
 */
export function askForKey(main: HTMLElement, problem: string | undefined): Promise<string> {
  return new Promise((resolve) => {
    const input = element('input', {
      id: 'key',
      type: 'password',
      autocomplete: 'off',
      autocapitalize: 'off',
      spellcheck: 'false',
      required: true,
      'aria-describedby': 'key-help key-problem',
      'aria-invalid': problem !== undefined && 'true',
    });
    const form = element(
      'form',
      { class: 'key' },
      element('label', { for: 'key' }, 'API key or token'),
      element(
        'div',
        { class: 'row' },
        input,
        button('Continue', () => {}, { type: 'submit', class: 'primary' }),
      ),
      element('p', { id: 'key-problem', class: 'problem', role: 'alert' }, problem ?? ''),
      element(
        'p',
        { id: 'key-help', class: 'muted' },
        'It is kept in this tab until you close it, and sent in a header only: it is never part of an address.',
      ),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const key = input.value.trim();
      if (key !== '') resolve(key);
    });
    main.replaceChildren(
      element('h1', {}, 'Querygate'),
      element('p', { class: 'summary' }, whatThisIs),
      form,
    );
    input.focus();
  });
}
