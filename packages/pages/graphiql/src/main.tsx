import './workers.ts';
// With the page's script instead of after it, which GraphiQL waits for.
import 'monaco-graphql/esm/monaco-editor.js';
import 'monaco-graphql/esm/lite.js';
import '@graphiql/react/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-history/style.css';
import 'graphiql/graphiql.css';
import '@graphiql/plugin-explorer/style.css';
import '../../src/site.css';
import './page.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { mendMarkup } from './mend-markup.ts';
import { readPageData } from './page-data.ts';
import { disableTabDrag } from './plain-tabs.ts';
import { removeOldItems } from './storage.ts';

removeOldItems();
disableTabDrag();
for (const link of document.querySelectorAll('header.site nav a'))
  if (link.getAttribute('href')?.endsWith('/graphql')) link.setAttribute('aria-current', 'page');
const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(<App data={readPageData()} />);
  mendMarkup(root);
}
