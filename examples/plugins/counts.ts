import { GraphQLInt } from 'graphql';
import { publicNames } from 'querygate/catalog';
import { EndpointRequest, type GatewayPlugin, type graph } from 'querygate/plugins';

export const counts = (): GatewayPlugin => ({
  name: 'counts',
  extendSchema(catalog, { argumentsOf, parametersOf }) {
    const fields = publicNames(catalog).map(({ field, query }) => [
      `_${field}Count`,
      {
        type: GraphQLInt,
        description: `The number of rows of ${query.name}.`,
        args: argumentsOf(query),
        async resolve(_root: unknown, args: object, { getResult }: graph.ResolverContext) {
          const { document } = await getResult(new EndpointRequest(query, parametersOf(query, { ...args })));
          return document.metadata.rowCount;
        },
      },
    ]);
    return { rootFields: Object.fromEntries(fields), rowFields: () => undefined };
  },
});
