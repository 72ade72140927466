/** Requests and replies of HTTP: headers, codings, bodies, and errors as callers see them. @module */
export { labelsHeader } from '../../call/gate.ts';
export { statusOf } from '../../errors.ts';
export { buildRejectKeys } from '../../http/access/reject-keys-in-urls.ts';
export { BodyMemory } from '../../http/message/body/body-memory.ts';
export { variesBy } from '../../http/message/cache-headers.ts';
export { bestCoding, chooseCoding } from '../../http/message/content-coding.ts';
export { partsOf } from '../../http/message/list-header.ts';
export { decodeText, parseQueryString } from '../../http/message/prepared-request.ts';
export { errorHeaders, jsonType, toGatewayError } from '../../http/message/reply.ts';
export { logOfError } from '../../http/message/request-trace.ts';
export { bytesOf, type Encodings, encode } from '../../results/encodings.ts';
export { joinParts } from '../../results/result-document.ts';
