/**
 * Whether tests that are slow by nature run whole, as each night (`.ci/nightly`): otherwise they run with the cases that differ
 * most.
 */
export const isNightly = process.env.NIGHTLY === 'on';

/** Cases for the nights only. */
export const atNight = <Case>(...cases: readonly Case[]): readonly Case[] => (isNightly ? cases : []);
