export { equal, type ShareRules, Shares, type Standing } from './shares.ts';
export { inSlices, nextSlice } from './slices.ts';
export { Standings, standingIn } from './standings.ts';
export { Turns, type Wait } from './turns.ts';
