import type { ResultColumn } from '../../../catalog/model/header-types.ts';
import type { CachedResult } from '../../../results/get-result.ts';
import { parseRows, type ResultDocument } from '../../../results/result-document.ts';
import type { Context } from '../context.ts';
import { leafExtension } from '../execution/execution-schema.ts';
import { writtenBytes } from '../execution/written.ts';
import type { Builder } from './builder.ts';
import { metadataFields, type SharedTypes } from './metadata-fields.ts';

/** The type `SqlResult`: the rows of a caller's SQL, whose columns no schema knows. */
export function addSqlResultType(builder: Builder, shared: SharedTypes) {
  const column = builder.objectRef<ResultColumn>('SqlColumn').implement({
    description: 'A column of the rows that SQL returns.',
    fields: (t) => ({
      name: t.exposeString('name', { description: 'Its name in the rows.' }),
      type: t.string({
        description: 'Its type, in the words of EndpointColumn.',
        resolve: ({ type }) => type ?? 'string',
      }),
      repeated: t.exposeBoolean('repeated', { description: 'True if it is an array of the type.' }),
    }),
  });
  return builder.objectRef<CachedResult>('SqlResult').implement({
    description: 'The result of SQL over the common tables of an endpoint.',
    fields: (t) => ({
      columns: t.field({
        type: [column],
        description: 'The columns, in the order of the SELECT.',
        resolve: ({ document }) => [...(document.metadata.columns ?? [])],
      }),
      rows: t.field({
        type: ['JSON'],
        description: 'The rows as REST has them: one object each, without the columns that are NULL.',
        resolve: async ({ document }, _args, context) => {
          await context.chargeObjects(document.encodings.identity.byteLength);
          return [...parseRows(document)];
        },
        extensions: leafExtension<CachedResult, Context>(({ document }, _args, context) =>
          context.chargeLeaf(writtenBytes(rowsOf(document))),
        ),
      }),
      ...metadataFields(t, shared),
    }),
  });
}

/** The list in a document, which is `{"result":[…]}`. */
const rowsOf = ({ encodings: { identity } }: ResultDocument): Buffer =>
  identity.subarray('{"result":'.length, -'}'.length);
