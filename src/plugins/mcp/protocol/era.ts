import { quoteShort } from '@querygate/text';
import type { RequestHead } from '../../../http/message/head.ts';
import { isMembers, type JsonMembers, type Message } from './message.ts';
import { ProtocolError } from './protocol-error.ts';

/** The revision in which each request says all of itself. */
export const modernVersion = '2026-07-28';

/** Those before it, which begin with `initialize`; the preferred one first. */
const legacyVersions = ['2025-11-25', '2025-06-18'] as const;

/** Which of the two a request is of. The answers to one are the same in all revisions of its era. */
export type Era = 'modern' | 'legacy';

const versionKey = 'io.modelcontextprotocol/protocolVersion';
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';
const versionHeader = 'mcp-protocol-version';

/**
 * Finds the era of a request by what it says itself: no earlier request counts, and nothing is kept between two of them.
 *
 * @param headers undefined if the transport has none
 * @throws ProtocolError if its revision is another one, or if its headers say something else than its body
 */
export function eraOf(message: Message, headers: RequestHead['headers'] | undefined): Era {
  const meta = message.params._meta ?? {};
  if (!isMembers(meta)) throw wrongMeta('must be an object');
  const ofHeader = headers?.[versionHeader]?.trim();
  const ofBody = meta[versionKey];
  if (ofBody === undefined && ofHeader !== modernVersion) {
    if (ofHeader !== undefined && !isLegacy(ofHeader)) throw unsupported(ofHeader);
    return 'legacy';
  }
  // Only requests have a body that the headers repeat.
  if (message.id === undefined) return 'modern';
  if (typeof ofBody !== 'string') throw wrongMeta(`has no ${versionKey}, as in "${modernVersion}"`);
  if (headers !== undefined) requireEqualHeaders(message, ofBody, headers);
  if (ofBody !== modernVersion) throw unsupported(ofBody);
  if (!isMembers(meta[capabilitiesKey])) throw wrongMeta(`has no ${capabilitiesKey}, which may be {}`);
  return 'modern';
}

/** Revisions without a header of their own are answered as the ones after them. */
const isLegacy = (version: string) => allLegacyVersions.has(version);

const allLegacyVersions: ReadonlySet<string> = new Set([...legacyVersions, '2025-03-26']);

/** Of which method the header repeats which member. */
export const namedMembers: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** Something on the way may have decided by the headers: they must not differ from what is answered. */
function requireEqualHeaders(
  { method = '', params }: Message,
  version: string,
  headers: RequestHead['headers'],
): void {
  requireEqual('MCP-Protocol-Version', headers[versionHeader]?.trim(), version);
  requireEqual('Mcp-Method', headers['mcp-method']?.trim(), method);
  const member = namedMembers[method];
  if (member === undefined || typeof params[member] !== 'string') return;
  requireEqual('Mcp-Name', decoded(headers['mcp-name']?.trim()), params[member]);
}

function requireEqual(name: string, value: string | undefined, expected: string): void {
  if (value === expected) return;
  const what = value === undefined ? 'is missing or malformed' : `is ${quoteShort(value, 100)}`;
  throw new ProtocolError(
    'headerMismatch',
    `Header mismatch: ${name} ${what}; the body has ${quoteShort(expected, 100)}`,
    {
      status: 400,
    },
  );
}

/** Decodes a value that a header cannot have as it is, and that therefore comes in base64: `=?base64?…?=`. */
function decoded(value: string | undefined): string | undefined {
  const [, text] = /^=\?base64\?(.*)\?=$/.exec(value ?? '') ?? [];
  if (text === undefined) return value;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes.toString() : undefined;
}

const unsupported = (requested: string) =>
  new ProtocolError(
    'unsupportedVersion',
    `Unsupported protocol version ${quoteShort(requested, 100)}; this server speaks ${[modernVersion, ...legacyVersions].join(', ')}`,
    { status: 400, data: { supported: [modernVersion], requested } },
  );

const wrongMeta = (what: string) =>
  new ProtocolError('invalidParams', `params._meta ${what}`, { status: 400 });

/** The revision in which the session of a client goes on that begins with `initialize`. */
export const negotiated = ({ protocolVersion }: JsonMembers): string =>
  legacyVersions.find((one) => one === protocolVersion) ?? legacyVersions[0];
