import { slices } from '../store/slices.ts';
import { type Alert, CLOSED, OPEN, PENDING, type Transitions } from '../types.ts';
import type { AgentState } from './agent-state.ts';
import type { Changes } from './changes.ts';
import { type Live, transitionOf } from './live.ts';

/** Age from which on a pending alert is stored, ms. */
const STORED_AFTER_MS = 10_000;
/** Rows of one statement. */
const BATCH = 200;

interface Ask {
  readonly states: readonly AgentState[];
  readonly transitions: Transitions;
  readonly changes: Changes;
  /** Unix ms. */
  readonly now: number;
}

/** Stores holds that go on: pending ones that are ten seconds old as rows, of the others how far they have come. @throws RpcError 103 */
export async function storeProgress({ states, transitions, changes, now }: Ask): Promise<void> {
  const moved: Live[] = [];
  for (const live of states.flatMap((state) => state.holding())) {
    const isStored = (live.row?.state ?? CLOSED) === live.held.state;
    if (isStored && hasMoved(live)) moved.push(live);
    if (isStored || live.held.state !== PENDING || now - live.held.since < STORED_AFTER_MS)
      continue;
    changes.add(live, transitionOf(live, now), live.held);
  }
  for (const some of slices(moved, BATCH)) {
    const batch = some.map(progressOf);
    await transitions.progress(batch.map(({ stored }) => stored));
    for (const { live, stored } of batch) {
      if (live.row?.version === stored.version) live.row = { ...live.row, ...stored };
    }
  }
}

const hasMoved = ({ row, held }: Live): boolean =>
  row !== undefined &&
  (row.true_ms !== Math.round(held.true_ms) ||
    row.false_ms !== Math.round(held.false_ms) ||
    row.since !== Math.round(held.since));

function progressOf(live: Live) {
  const { held } = live;
  const { id, version, state, value: opening } = live.row as Alert;
  const value = state >= OPEN ? opening : live.value;
  const [true_ms, false_ms] = [Math.round(held.true_ms), Math.round(held.false_ms)];
  return { live, stored: { id, version, since: Math.round(held.since), true_ms, false_ms, value } };
}
