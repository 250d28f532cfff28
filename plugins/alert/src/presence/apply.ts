import { CLOSED, type Transition, type Transitions } from '../types.ts';
import type { Judgement } from './judge.ts';

/** Stores what was judged. An opening meets the closed row of an earlier episode, and is made upon it. @throws RpcError 103 */
export async function store(transitions: Transitions, judged: readonly Judgement[]): Promise<void> {
  const changes = judged.flatMap((one) => (one && 'change' in one ? one.change : []));
  const progress = judged.flatMap((one) => (one && 'progress' in one ? one.progress : []));
  if (changes.length > 0) {
    const results = await transitions.apply(changes);
    const again = changes.flatMap((change, at): Transition[] => {
      const result = results[at];
      if (!result || result.made || change.from || result.alert.state !== CLOSED) return [];
      return result.alert.id > 0 ? [{ ...change, from: result.alert }] : [];
    });
    if (again.length > 0) await transitions.apply(again);
  }
  if (progress.length > 0) await transitions.progress(progress);
}
