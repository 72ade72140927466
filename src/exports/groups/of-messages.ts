/** Requests and replies of HTTP: headers, codings, bodies, and errors as callers see them. @module */
export { labelsHeader } from '../../call/gate.ts';
export { BodyMemory } from '../../http/message/body/body-memory.ts';
export { requireBodyType } from '../../http/message/body/body-type.ts';
export { matchesEtag, variesBy } from '../../http/message/cache-headers.ts';
export { bestCoding, CodedBody } from '../../http/message/content-coding.ts';
export { httpLimits } from '../../http/message/http-limits.ts';
export { partsOf } from '../../http/message/list-header.ts';
export { decodeText, parseQueryString } from '../../http/message/prepared-request.ts';
export { errorHeaders, jsonType, problemText } from '../../http/message/reply.ts';
