import {
  type ConcreteRequest,
  ConnectionHandler,
  commitLocalUpdate,
  createOperationDescriptor,
  Environment,
  Network,
  Observable,
  RecordSource,
  type RecordSourceProxy,
  Store,
} from 'relay-runtime';
import PageQuery from './generated/relay/relayDocumentsPageQuery.graphql.js';
import { gatewayUrl, headers, report } from './environment.js';

interface PageInfo {
  readonly hasNextPage: boolean;
  readonly endCursor: string | null;
}

const environment = new Environment({
  network: Network.create(({ text: query }, variables) =>
    Observable.from(
      fetch(`${gatewayUrl}/graphql`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      }).then((response) => response.json()),
    ),
  ),
  store: new Store(new RecordSource()),
  getDataID: (node, type) => (type.endsWith('Row') ? undefined : node.id),
});

const [first = 1] = process.argv.slice(2).map(Number);

const connectionOf = (store: RecordSourceProxy) =>
  ConnectionHandler.getConnection(store.getRoot(), 'relayDocuments_logsAllConnection', { project: 'p' });

/** Fetches a page, which the connection of the store takes, as `usePaginationFragment` does. */
async function load(after: string | null): Promise<PageInfo> {
  const operation = createOperationDescriptor(PageQuery as ConcreteRequest, { first, after });
  environment.retain(operation);
  await environment.execute({ operation }).toPromise();
  let pageInfo: PageInfo | undefined;
  commitLocalUpdate(environment, (store) => {
    const record = connectionOf(store)?.getLinkedRecord('pageInfo');
    pageInfo = {
      hasNextPage: record?.getValue('hasNextPage') === true,
      endCursor: (record?.getValue('endCursor') as string | null | undefined) ?? null,
    };
  });
  if (pageInfo === undefined) throw new Error('a page without data');
  return pageInfo;
}

let pages = 0;
for (let after: string | null = null, hasNextPage = true; hasNextPage; pages += 1) {
  ({ hasNextPage, endCursor: after } = await load(after));
}
let ids: unknown[] = [];
commitLocalUpdate(environment, (store) => {
  const edges = connectionOf(store)?.getLinkedRecords('edges') ?? [];
  ids = edges.map((edge) => edge?.getLinkedRecord('node')?.getValue('id'));
});
report({ relay: { pages, ids } });
