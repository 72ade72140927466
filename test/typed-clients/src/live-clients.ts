import { ApolloClient, ApolloLink, gql, InMemoryCache, Observable } from '@apollo/client';
import { Client, fetchExchange, subscriptionExchange } from '@urql/core';
import { EventSource } from 'eventsource';
import { createParser } from 'eventsource-parser';
import { print } from 'graphql';
import { type Client as SseClient, createClient } from 'graphql-sse';
import { gatewayUrl, headers, report } from './environment.js';
import type { GraphqlSubscriptions, GraphqlTypes } from './generated/querygate.js';

type Result = GraphqlSubscriptions['diceRoll']['result'];
interface Data {
  readonly diceRoll: Result | null;
}

const url = `${gatewayUrl}/graphql`;
const text = 'subscription { diceRoll { rows { number } } }';
const sse = createClient({ url, headers });

/** What came of the first events of a stream. */
const eventCount = 3;

class Changes {
  readonly #values: unknown[] = [];
  readonly whole = Promise.withResolvers<{ events: number; areDifferent: boolean }>();

  add(rows: GraphqlTypes['DiceRollRow'][] | undefined): void {
    this.#values.push(rows?.[0]?.number);
    if (this.#values.length < eventCount) return;
    const areDifferent = new Set(this.#values).size === eventCount;
    this.whole.resolve({ events: this.#values.length, areDifferent });
  }

  fail(error: unknown): void {
    this.whole.reject(error);
  }
}

/** @param begin follows the result. @returns ends it */
async function follow(begin: (changes: Changes) => () => void) {
  const changes = new Changes();
  const end = begin(changes);
  try {
    return await changes.whole.promise;
  } finally {
    end();
  }
}

const graphqlSse = () =>
  follow((changes) =>
    sse.subscribe<Data>(
      { query: text },
      {
        next: ({ data }) => changes.add(data?.diceRoll?.rows),
        error: (error) => changes.fail(error),
        complete: () => {},
      },
    ),
  );

const urql = (exchanges: ConstructorParameters<typeof Client>[0]['exchanges']) =>
  follow((changes) => {
    const client = new Client({
      url,
      preferGetMethod: false,
      exchanges,
      fetchOptions: { headers },
      fetchSubscriptions: true,
    });
    const { unsubscribe } = client.subscription<Data>(text, {}).subscribe(({ data, error }) => {
      if (error !== undefined) changes.fail(error);
      else changes.add(data?.diceRoll?.rows);
    });
    return unsubscribe;
  });

/** As the documentation of graphql-sse has it. */
const urqlOverSse = subscriptionExchange({
  forwardSubscription: ({ query = '', variables }) => ({
    subscribe: (sink) => ({ unsubscribe: sse.subscribe({ query, variables }, sink as never) }),
  }),
});

const apolloLink = (client: SseClient) =>
  new ApolloLink(
    ({ query, variables }) =>
      new Observable((sink) => client.subscribe({ query: print(query), variables }, sink as never)),
  );

const apollo = () =>
  follow((changes) => {
    const client = new ApolloClient({ cache: new InMemoryCache(), link: apolloLink(sse) });
    const following = client.subscribe<Data>({ query: gql(text), fetchPolicy: 'no-cache' }).subscribe({
      next: ({ data, error }) =>
        error === undefined ? changes.add(data?.diceRoll?.rows) : changes.fail(error),
      error: (error) => changes.fail(error),
    });
    return () => {
      following.unsubscribe();
      client.stop();
    };
  });

const restUrl = `${gatewayUrl}/api/endpoints/query/dice.roll`;

const eventSource = (address: string, rowsOf: (data: string) => GraphqlTypes['DiceRollRow'][] | undefined) =>
  follow((changes) => {
    const source = new EventSource(address, {
      fetch: (input, init) => fetch(input, { ...init, headers: { ...init?.headers, ...headers } }),
    });
    source.addEventListener('next', ({ data }) => changes.add(rowsOf(data)));
    source.addEventListener('error', (error) => changes.fail(error));
    return () => source.close();
  });

const eventSourceParser = () =>
  follow((changes) => {
    const controller = new AbortController();
    const parser = createParser({
      onEvent: ({ event, data }) => event === 'next' && changes.add(JSON.parse(data).result),
    });
    const read = async () => {
      const { signal } = controller;
      const { body } = await fetch(restUrl, { headers: { ...headers, accept: 'text/event-stream' }, signal });
      if (body === null) throw new Error('no body');
      for await (const part of body.pipeThrough(new TextDecoderStream())) parser.feed(part);
    };
    read().catch((error) => changes.fail(error));
    return () => controller.abort();
  });

async function query() {
  const results: { data?: Data | null }[] = [];
  for await (const result of sse.iterate<Data>({ query: '{ diceRoll { rows { number } } }' }))
    results.push(result as never);
  return { rows: results[0]?.data?.diceRoll?.rows.length, isCompleted: results.length === 1 };
}

async function wrong() {
  for await (const { errors } of sse.iterate({ query: 'subscription { diceRoll { nothing } }' }))
    return errors?.[0]?.message;
}

const graphqlUrl = `${url}?${new URLSearchParams({ query: text })}`;
const running = {
  graphqlSse: graphqlSse(),
  graphqlSseQuery: query(),
  graphqlSseWrong: wrong(),
  urql: urql([fetchExchange]),
  urqlWithGraphqlSse: urql([urqlOverSse]),
  apollo: apollo(),
  eventSource: eventSource(restUrl, (data) => JSON.parse(data).result),
  eventSourceOfGraphql: eventSource(graphqlUrl, (data) => JSON.parse(data).data.diceRoll.rows),
  eventSourceParser: eventSourceParser(),
};
const outcomes = Object.entries(running).map(async ([name, outcome]) => [name, await outcome]);
report(Object.fromEntries(await Promise.all(outcomes)));
