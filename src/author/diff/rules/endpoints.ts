import { type Rules, rule } from './rule.ts';

/** Changes of endpoints and their addresses. */
export const endpointRules = {
  'endpoint-added': rule('safe', 'safe', 'an endpoint is new', 'a new path and a new root field'),
  'endpoint-removed': rule(
    'breaking',
    'breaking',
    'an endpoint is removed',
    'its path gives 404, and its root field is invalid',
  ),
  'endpoint-renamed': rule(
    'breaking',
    'breaking',
    'an endpoint has another name',
    'the old name gives 404 or another endpoint, and the root field and its types have other names',
  ),
  'endpoint-renamed-with-alias': rule(
    'safe',
    'breaking',
    'an endpoint has another name, and the old one as an alias',
    'the old path works; an alias adds no root field to GraphQL',
  ),
  'id-changed': rule(
    'breaking',
    'dangerous',
    'an endpoint has another UUID',
    'the path with the old UUID gives 404, and so do keys that name it; the root field stays',
  ),
  'id-changed-with-alias': rule(
    'safe',
    'safe',
    'an endpoint has another UUID, and the old one as an alias',
    'nothing',
  ),
  'default-version': rule(
    'dangerous',
    'breaking',
    'a name means another version',
    'its callers get the rows of the other version, whose differences are listed too; the field has another type',
  ),
  'only-version': rule(
    'safe',
    'breaking',
    'the other versions of a name are removed',
    'REST still finds the version by its number, but the root field with the number is removed',
  ),
  deprecation: rule('safe', 'safe', '`deprecated` is added, changed or removed', 'other headers and schemas'),
  shadow: rule('safe', 'safe', '`shadow` is added, changed or removed', 'nothing but cost'),
  'alias-added': rule('safe', 'safe', 'an alias is new', 'a further path'),
  'alias-removed': rule(
    'breaking',
    'dangerous',
    'an alias is removed',
    'its path gives 404, and keys that name it lose the endpoint; the root field stays',
  ),
  'address-reused': rule(
    'breaking',
    'breaking',
    'a name, UUID or alias leads to another endpoint',
    'requests to it get rows of another query',
  ),
} as const satisfies Rules;
