import { unknownSchema } from './output-schema.ts';
import { readOnly, type Tool } from './tool.ts';

/** With more tools than these, a key gets three that find and run the others: a list of all would fill a context. */
export const maxListedTools = 30;

/** In the place of a tool for each query. */
export const searchNames = {
  find: 'find_queries',
  describe: 'describe_query',
  run: 'run_query',
} as const;

const names = new Set<string>(Object.values(searchNames));

export const isSearchName = (name: string): boolean => names.has(name);

const name = { type: 'string', description: 'As find_queries gives it' };

export const searchTools = (count: number): readonly Tool[] => [
  {
    name: searchNames.find,
    title: 'Find queries',
    description: `Finds saved queries by words of their names, descriptions, parameters and columns. There are ${count}.`,
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string', description: 'Words, as in "invoices month"' } },
    },
    outputSchema: {
      type: 'object',
      properties: {
        queries: {
          type: 'array',
          items: {
            type: 'object',
            properties: { name: { type: 'string' }, description: { type: 'string' } },
          },
        },
        found: { type: 'integer' },
      },
    },
    annotations: readOnly,
  },
  {
    name: searchNames.describe,
    title: 'Describe a query',
    description: 'The parameters and columns of a saved query. Call it before the query is run.',
    inputSchema: { type: 'object', properties: { name }, required: ['name'] },
    outputSchema: unknownSchema,
    annotations: readOnly,
  },
  {
    name: searchNames.run,
    title: 'Run a query',
    description: 'Runs a saved query and returns its rows.',
    inputSchema: {
      type: 'object',
      properties: {
        name,
        parameters: { type: 'object', description: 'As describe_query gives them in inputSchema' },
      },
      required: ['name'],
    },
    outputSchema: unknownSchema,
    annotations: readOnly,
  },
];
