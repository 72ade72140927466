/** Answers that last: results as they are renewed, who gets them, and the streams of events that they are written to. @module */
export type { LaterCaller } from '../../http/access/later-caller.ts';
export type { FollowedCall, FollowedField, FollowedRequest, ResultWriter } from '../../http/following.ts';
export { completeEvent, type EventStream, streamHeaders } from '../../http/accepted-stream.ts';
export { openRepeat } from '../../concurrency/repeat.ts';
export { Frame } from '../../http/message/stream/frame.ts';
export { type Sink, StreamBody, type StreamSummary } from '../../http/message/stream/stream-body.ts';
export type { Follow, Follower } from '../../results/followers.ts';
