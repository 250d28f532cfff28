/**
 * Returns memory that V8 keeps of a flood to the system when the flood is over.
 *
 * Saves 20 MB after load. It costs 16 to 24 µs of a call, instead of 9 to 14 without it, at 3,150 calls a second, and 0.7 % of
 * an idle core (`npm run bench -- fleet`, Node 24).
 *
 * - Buffers that were in use at the last collection of garbage wait for the next one, which comes when as much again was
 *   allocated: with little work, after minutes.
 * - V8 gives young objects up to 128 MB of room under load, however light, and takes nothing back while anything happens.
 */
import { constants, PerformanceObserver, performance } from 'node:perf_hooks';
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * A look is calm when the event loop worked for less than this part of the time since the look before, and no message came
 * that is so large: anyone who sends those would wait for the collection, and then for code that has to be compiled again.
 */
const CALM = 0.5;
const LARGE = 8 * 2 ** 20;
const LOOK_MS = 3_000;
/** Number of calm looks in a row after which a collection comes, where more than `SURPLUS` bytes may come back by it. */
const LOOKS = 3;
const SURPLUS = 16 * 2 ** 20;
/**
 * Bytes of young objects in a second, below which they get `SMALL` of room, and so few live at a collection that other threads
 * cost more to wake than they do. The work is measured, not its time: a machine whose processors others use, too, takes no
 * more memory for it. A thousand agents take 9 MB, five thousand 43.
 */
const QUIET = 20 * 2 ** 20;
/**
 * Bytes in a second below which functions are called so seldom that V8's best compiler finds them after hours only: the middle one makes them
 * cheaper until then. A hundred agents take 1 MB.
 */
const TRICKLE = 2 ** 20;
/** Room for young objects, bytes; it takes twice as much memory. A server that is not calm gets as much as V8 gives. */
const SMALL = 2 * 2 ** 20;
/** Room for young objects of a busy server, bytes: with less, what waits for the database of five thousand agents would grow old. */
const USUAL = 16 * 2 ** 20;
/** Old objects are looked through when they grew by this part in calm. V8 lets them grow by 16 MB, however few live. */
const GROWTH = 0.1;
/** Time after which a loop that works hard gets more room before the next look. */
const FLOOD_MS = 1_000;
/** Tells whether V8 knows the flag (since Node 24): it reports one that it does not know on standard error. */
const CAN_SAVE = Number.parseInt(process.versions.v8, 10) >= 13;
/** V8's own: collections that code lives on without being called. */
const OLD_AGE = 6;
/**
 * A collection of all that can be had holds the event loop for 50 ms with a small heap, and for most of a second where other
 * programs take the processors: it comes at most once in this time.
 */
const REST_MS = 60_000;

/**
 * Keeps garbage small: V8 collects sooner, and what much work leaves over is collected when it is over. To be called when
 * the server has started: V8 takes no code that was compiled under other flags, be it Node's own, and compiling that again
 * is a sixth of a start.
 */
export function limitGarbage() {
  // By itself V8 lets garbage grow to several times of what lives; with less than this it marks all the time while long
  // answers leave.
  setFlagsFromString('--heap-growing-percent=60');
  // V8 would make objects of kinds that live long at once in the old generation. Here that is where calls that wait for the
  // database end up, and what they hold then outlives them: three times as much had to be collected.
  setFlagsFromString('--no-allocation-site-pretenuring');
  collectInCalm();
}

function collectInCalm() {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  // What runs in contexts to come finds no such function.
  setFlagsFromString('--no-expose-gc');
  const buffers = () => process.memoryUsage().arrayBuffers;
  const sinceLook = loadMeter();
  let seen = [];
  let kept = buffers();
  let calm = 0;
  let load = 0;
  // V8 gives more room at the end of a collection of young objects: each is followed by a look at it, and no clock by one.
  const youngSinceLook = youngMeter(() => makeRoom());
  // Bytes a second, in the last looks. Room that was given is not taken back while anything happens: one look alone gives none.
  let young = [0];
  const isQuiet = () => load < CALM && Math.min(...young) < QUIET;
  const usualRoom = () => (isQuiet() ? SMALL : USUAL);
  // Between two looks the room may double twice, and only a collection of old objects takes some back. What is larger still is
  // left over from much work, which may come again.
  const hasDoubled = () => isQuiet() && roomNow() > SMALL && roomNow() <= 2 * SMALL;
  let held = newRange();
  let rested = -REST_MS;
  // What the start has left over goes, however little it is.
  let surplus = 0;
  let least = oldSize();
  // Bytes at which V8 was asked to look through them; 0: it goes by its own limit.
  let asked = 0;
  const ask = (size) => {
    if (asked !== size) setFlagsFromString(`--incremental-marking-soft-trigger=${size && 1}`);
    asked = size;
  };
  const endAsking = () => {
    ask(0);
    least = oldSize();
  };
  const examine = async () => {
    const old = oldSize();
    least = Math.min(least, old);
    // V8 marks while the program works then. With a lower limit of its own it would begin in the middle of each large message.
    if (asked > 0) endAsking();
    else if (load < CALM && (old > least * (1 + GROWTH) || hasDoubled())) ask(old);
    load = sinceLook();
    young = [...young, youngSinceLook() / (LOOK_MS / 1000)].slice(-LOOKS);
    const isBusy = load >= CALM || held.most - held.least > LARGE;
    held = newRange();
    seen = [...seen, buffers()].slice(-LOOKS);
    kept = Math.min(kept, ...seen);
    calm = isBusy ? 0 : calm + 1;
    if (calm < LOOKS || performance.now() - rested < REST_MS) return;
    // Buffers of a calm server come and go; room for young objects stays as large as its busiest time had it.
    const room = Math.max(0, youngSpace().physical_space_size - 2 * usualRoom());
    if (Math.min(...seen) - kept + room < surplus) return;
    // The first one takes nothing from those that floods need, and takes the code of functions that only a start calls.
    if (surplus > 0) rested = performance.now();
    else setFlagsFromString('--bytecode-old-age=1');
    surplus = SURPLUS;
    await collect({ type: 'major', execution: 'async', flavor: 'last-resort' });
    setFlagsFromString(`--bytecode-old-age=${OLD_AGE}`);
    kept = buffers();
  };
  let flags;
  const lately = loadMeter();
  let asked_ms = performance.now();
  const makeRoom = () => {
    const now = buffers();
    held = { least: Math.min(held.least, now), most: Math.max(held.most, now) };
    if (oldSize() < asked) endAsking();
    if (performance.now() - asked_ms >= FLOOD_MS) {
      asked_ms = performance.now();
      // A second of a fleet's reports may be busier than most.
      if (lately() >= CALM) load = 1;
    }
    const before = roomNow();
    const isCalm = load < CALM;
    const room = isCalm ? usualRoom() : 2 * before;
    // V8 takes whole factors: the smallest room, 1 MB, becomes the one for little work in one step.
    const growth = `--semi-space-growth-factor=${Math.max(Math.floor(room / before), 1)}`;
    const helpers = isQuiet() ? '--no-parallel-scavenge' : '--parallel-scavenge';
    // Its compilations leave 5 MB of holes in the heap of C++. What is called often is optimised without it, too.
    const middle = isCalm && Math.max(...young) > TRICKLE ? '--no-maglev' : '--maglev';
    // V8 moves old objects together sooner: with 1,000 agents 17.3 MB hold 16.7, where it was 19.6 for 17.
    const saver = isCalm ? '--memory-saver-mode' : '--no-memory-saver-mode';
    const next = `${growth} ${helpers} ${middle} ${CAN_SAVE ? saver : ''}`;
    if (next !== flags) setFlagsFromString(next);
    flags = next;
  };
  setInterval(() => {
    makeRoom();
    void examine();
  }, LOOK_MS).unref();
}

/** Tells the part of the time that the event loop has worked since it was asked last. */
function loadMeter() {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}

/**
 * Tells the bytes that young objects took since it was asked last: each collection of them comes when their room is full.
 * `collected` is called after some of them.
 */
function youngMeter(collected) {
  let collections = 0;
  new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries())
      if (detail.kind === constants.NODE_PERFORMANCE_GC_MINOR) collections++;
    collected();
  }).observe({ entryTypes: ['gc'] });
  return () => {
    const bytes = collections * roomNow();
    collections = 0;
    return bytes;
  };
}

/** Range of the bytes in buffers. */
const newRange = () => ({ least: Infinity, most: 0 });

const oldSize = () => getHeapStatistics().used_heap_size - youngSpace().space_used_size;

/** Room of young objects, bytes. */
function roomNow() {
  const { space_used_size: used, space_available_size: free } = youngSpace();
  return used + free;
}

const youngSpace = () =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
