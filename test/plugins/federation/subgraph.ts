import { queryText } from '../../support/queries.ts';

const project = '{ type: string, required: true, tenant: true, description: A project. }';

/** Saved queries that are fields of entities: rows say to whom they belong. */
export const subgraphFiles: Readonly<Record<string, string>> = {
  'usage.daily.sql': queryText({
    name: 'daily',
    caching: [
      'caching: 3600s',
      'tags: [billing]',
      'row_arguments: all',
      'tenant_unchecked: the rows are made of the parameter',
      `federation:
  extends: Project
  key: { ref: project }
  field: usage
  override: legacy
  references:
    owner: { entity: User, key: { id: user_id } }
    project: { entity: Project, key: { ref: project_ref } }`,
    ],
    parameters: {
      project,
      days: '{ type: integer, default: 3, min: 1, max: 50, bind: INT64, description: How many days. }',
    },
    columns: {
      project_ref: '{ type: string, required: true, description: A project. }',
      user_id: 'integer',
      day: '{ type: integer, required: true, description: A day. }',
    },
    sql: `select @project as project_ref, if(mod(day, 2) = 0, null, day) as user_id, day
from unnest(generate_array(1, @days)) as day order by day`,
  }),
  'usage.totals.sql': queryText({
    name: 'totals',
    maxRows: 4,
    caching: [
      'caching: 3600s',
      'row_arguments: all',
      'tenant_unchecked: the rows are made of the parameter',
      `federation:
  extends: Project
  key: { ref: { parameter: projects, column: project_ref } }
  field: totals
  shareable: true`,
    ],
    parameters: {
      projects: '{ type: string, repeated: true, required: true, tenant: true, description: Projects. }',
    },
    columns: {
      project_ref: '{ type: string, required: true, description: A project. }',
      total: '{ type: integer, required: true, description: A number. }',
    },
    sql: `select p as project_ref, length(p) + n as total from unnest(@projects) as p, unnest([1, 2]) as n
order by p, n`,
  }),
  'stats.members.sql': queryText({
    name: 'members',
    caching: [
      'caching: 3600s',
      `federation:
  extends: Member
  key:
    - { id: member }
    - { org: { parameter: organization, type: String }, number: { parameter: number, type: Int } }
  inaccessible: true`,
    ],
    parameters: {
      member: '{ type: string, description: A member. }',
      organization: '{ type: string, description: An organization. }',
      number: '{ type: integer, bind: INT64, description: A number. }',
    },
    columns: { text: '{ type: string, required: true, description: The parameters. }' },
    sql: "select concat(@member, '/', @organization, '/', ifnull(cast(@number as string), '')) as text",
  }),
  'hits.paths.sql': queryText({
    name: 'paths',
    caching: [
      'caching: 3600s',
      'tenant_unchecked: the rows are made of the parameter',
      `federation:
  extends: Page
  key: { site: { parameter: site, type: String }, path: { parameter: paths, column: path, type: String } }`,
    ],
    parameters: {
      site: "{ type: pattern, required: true, tenant: true, tenant_pattern: '^{site}$', description: A pattern. }",
      paths: '{ type: string, repeated: true, required: true, description: Paths. }',
    },
    columns: {
      host: '{ type: string, required: true, description: A host. }',
      path: '{ type: string, required: true, description: A path. }',
    },
    sql: `select host, path from unnest(['abc', 'a.c']) as host, unnest(@paths) as path
where regexp_contains(host, @site) order by host`,
  }),
  'hits.matching.sql': queryText({
    name: 'hits',
    caching: [
      'caching: 3600s',
      'tenant_unchecked: the rows are made of the parameter',
      'federation: { extends: Project, key: { ref: project }, field: hits }',
    ],
    parameters: {
      project:
        "{ type: pattern, required: true, tenant: true, tenant_pattern: '^{project}$', description: A pattern. }",
    },
    columns: { host: '{ type: string, required: true, description: A host. }' },
    sql: "select host from unnest(['abc', 'a.c', 'xabc']) as host where regexp_contains(host, @project) order by host",
  }),
};
