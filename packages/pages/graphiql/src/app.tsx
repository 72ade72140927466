import { explorerPlugin } from '@graphiql/plugin-explorer';
import type { Fetcher } from '@graphiql/toolkit';
import { GraphiQL, HISTORY_PLUGIN } from 'graphiql';
import { type ReactNode, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { callerOf, initialKey, parseHeaders, rememberKey, requestHeaders } from './credentials.ts';
import { updateExamples } from './examples.ts';
import { buildFetcher } from './fetcher.ts';
import { KeyBar } from './key-bar.tsx';
import type { PageData } from './page-data.ts';
import { areaOf, openStorage } from './storage.ts';

const plugins = [HISTORY_PLUGIN, explorerPlugin({ showAttribution: false })];

/** A key is sent when nothing has been typed for this long: each wrong one counts. */
const typingPauseMs = 600;

/** What the last request for the schema gave; until then, nothing. */
interface Outcome {
  readonly fetcher: Fetcher;
  readonly message: string;
  readonly isLoaded: boolean;
}

/** GraphiQL with a field for the key. The schema is requested whenever the caller of the tab that is shown changes. */
export function App({ data }: { readonly data: PageData }): ReactNode {
  const [typed, setTyped] = useState(() => initialKey(data));
  const [key, setKey] = useState(typed);
  const [tabHeaders, setTabHeaders] = useState<Readonly<Record<string, string>>>({});
  const [latest, setOutcome] = useState<Outcome>();
  // The key in the page is another one after each start of the gateway, but the user of this machine keeps the same tabs.
  const areaOfKey = (text: string) => (text === '' || text === data.apiKey ? '' : areaOf(text));
  // The area of storage of the last key that was accepted.
  const [area, setArea] = useState(() => areaOfKey(key));
  const shownArea = useRef(area);
  const current = useRef<Fetcher>(undefined);
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined);
  const afterPause = useCallback((act: () => void) => {
    clearTimeout(pause.current);
    pause.current = setTimeout(act, typingPauseMs);
  }, []);

  const caller = callerOf(requestHeaders(tabHeaders, key));
  // biome-ignore lint/correctness/useExhaustiveDependencies: another caller has another schema, which GraphiQL requests for a new fetcher
  const fetcher = useMemo(() => {
    const own: Fetcher = buildFetcher(key, (message, isLoaded) => {
      // The caller has changed since the request was sent.
      if (current.current !== own) return false;
      setOutcome({ fetcher: own, message, isLoaded });
      if (!isLoaded) return false;
      rememberKey(key === data.apiKey ? '' : key);
      const isReopened = areaOfKey(key) !== shownArea.current;
      shownArea.current = areaOfKey(key);
      setArea(shownArea.current);
      return isReopened;
    });
    return own;
  }, [key, caller, data.apiKey]);
  useLayoutEffect(() => {
    current.current = fetcher;
  }, [fetcher]);
  const outcome = latest?.fetcher === fetcher ? latest : undefined;

  const storage = useMemo(() => {
    const opened = openStorage(area);
    try {
      updateExamples(opened, data.examples);
    } catch (error) {
      // If it is full, it has the tabs of before. If its content cannot be read, GraphiQL opens the examples itself.
      if (!(error instanceof DOMException)) opened.clear();
    }
    // On a phone, an open pane would cover the editor.
    if (matchMedia('(max-width: 700px)').matches) opened.removeItem('graphiql:visiblePlugin');
    return opened;
  }, [area, data.examples]);

  const commit = (text: string) => {
    clearTimeout(pause.current);
    if (text.trim() === '') rememberKey('');
    setKey(text.trim());
  };
  const linked = useLinkedOperation();
  return (
    <>
      <KeyBar
        value={typed}
        onInput={(text) => {
          setTyped(text);
          afterPause(() => commit(text));
        }}
        onCommit={() => commit(typed)}
        message={outcome?.message ?? 'Loading the schema…'}
        isProblem={outcome?.isLoaded === false}
      />
      <main>
        <h1 className="unseen">GraphiQL</h1>
        <GraphiQL
          key={area}
          fetcher={fetcher}
          storage={storage}
          plugins={plugins}
          shouldPersistHeaders={false}
          schemaDescription
          inputValueDeprecation
          defaultEditorToolsVisibility={false}
          onEditHeaders={(text) => {
            const headers = parseHeaders(text);
            if (headers !== undefined) afterPause(() => setTabHeaders(headers));
          }}
          {...(data.examples.length > 0 && {
            defaultTabs: data.examples.map((query) => ({ query })),
          })}
          {...linked}
        >
          <GraphiQL.Logo>
            <span />
          </GraphiQL.Logo>
        </GraphiQL>
      </main>
    </>
  );
}

/** The operation in the URL of the page, once: a reload shows the tabs as they were left. */
function useLinkedOperation(): { initialQuery?: string; initialVariables?: string } {
  return useMemo(() => {
    const { searchParams, pathname } = new URL(location.href);
    const [query, variables] = [searchParams.get('query'), searchParams.get('variables')];
    if (query !== null) history.replaceState({}, '', pathname);
    return {
      ...(query !== null && { initialQuery: query }),
      ...(query !== null && variables !== null && { initialVariables: variables }),
    };
  }, []);
}
