import { test } from 'vitest';

/**
 * Whether tests that are slow by nature run whole, as each night (`.ci/nightly`): otherwise they run with the cases that differ
 * most.
 */
export const isNightly = process.env.NIGHTLY === 'on';

/** How often a random test runs, with other values each time: at night ten times as often as by day. */
export const times = (byDay: number): number => (isNightly ? 10 * byDay : byDay);

/** A test for the nights: what it shows differs little from what others show by day. */
export const nightly = test.runIf(isNightly);

/** Cases for the nights only. */
export const atNight = <Case>(...cases: readonly Case[]): readonly Case[] => (isNightly ? cases : []);
