import { basePath } from './base-path.ts';
import { element, find } from './element.ts';
import { endpointsOf, type OpenapiDocument } from './endpoint.ts';
import { type Gateway, GatewayError, openGateway } from './gateway.ts';
import { askForKey, forgetKey, knownKey, rememberKey } from './key.ts';
import { showList } from './list-page.ts';
import { showQuery } from './query-page.ts';
import { problemText } from './words.ts';

const main = find('main');
const queryPath = `${basePath}/queries/`;

/** The gateway's words are for programs, which send the key in a header. */
const wrongKey = 'This key is not valid. It may be mistyped, expired or revoked.';

find('skip').addEventListener('click', (event) => {
  // The fragment of the address holds how the result is shown.
  event.preventDefault();
  main.focus();
});

let usedKey = knownKey();
void show(usedKey, undefined);

// A page that the browser kept while another one was shown has rows that are no longer for everybody at this screen.
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted && knownKey() !== usedKey) location.reload();
});

async function show(key: string | undefined, problem: string | undefined): Promise<void> {
  usedKey = key;
  if (key === undefined) {
    await show(await askForKey(main, problem), undefined);
    focusMain();
    return;
  }
  const name = location.pathname.startsWith(queryPath) ? nameOf(location.pathname) : undefined;
  main.replaceChildren(
    element('h1', {}, name ?? 'Saved queries'),
    element('p', { role: 'status' }, 'Loading…'),
  );
  const gateway = openGateway(key);
  try {
    const document = await gateway.openapi();
    rememberKey(key);
    showPage(gateway, document);
  } catch (error) {
    if (error instanceof GatewayError && error.status === 401) {
      forgetKey();
      return show(undefined, wrongKey);
    }
    showFailure(error, () => void show(key, undefined).then(focusMain));
  }
}

function showPage(gateway: Gateway, document: OpenapiDocument): void {
  const endpoints = endpointsOf(document);
  if (!location.pathname.startsWith(queryPath)) {
    showList(main, endpoints);
    return;
  }
  const name = nameOf(location.pathname);
  const endpoint = endpoints.find((one) => one.name === name);
  if (endpoint === undefined) {
    showNotFound();
    return;
  }
  const onWrongKey = () => {
    forgetKey();
    void show(undefined, wrongKey);
  };
  showQuery({ main, gateway, endpoint, key: document['x-key'] ?? { permissions: [] }, onWrongKey });
}

/** What had the focus is gone: screen readers go on with what has come in its place. */
function focusMain(): void {
  if (document.activeElement === document.body) main.focus();
}

function showNotFound(): void {
  document.title = 'Not found – Querygate';
  main.replaceChildren(
    element('h1', {}, 'Not found'),
    element('p', {}, 'There is no such endpoint, or your key may not query it.'),
    element('p', {}, element('a', { href: `${basePath}/` }, 'All endpoints of your key')),
  );
}

function nameOf(pathname: string): string | undefined {
  try {
    return decodeURIComponent(pathname.slice(queryPath.length));
  } catch {
    return undefined;
  }
}

function showFailure(error: unknown, tryAgain: () => void): void {
  const again = element('button', { type: 'button' }, 'Try again');
  again.addEventListener('click', tryAgain);
  main.replaceChildren(
    element('h1', {}, 'The endpoints cannot be shown'),
    element('p', { class: 'problem', role: 'alert' }, problemText(error)),
    again,
  );
}
