import { type Signal, signal } from '@preact/signals';
import type { Server } from '../../frame/index.ts';
import { blankTask, type Task } from '../../parts/task-form.tsx';

/** What is being written, one for each server. */
interface Draft {
  readonly task: Signal<Task>;
  readonly chosen: Signal<ReadonlySet<string>>;
  /** s */
  readonly wait: Signal<number>;
}
const drafts = new WeakMap<Server, Draft>();

/** It stays while another page is shown, and a task of the history can be put there. */
export function draftOf(server: Server): Draft {
  const found = drafts.get(server) ?? {
    task: signal(blankTask('execute')),
    chosen: signal<ReadonlySet<string>>(new Set()),
    wait: signal(30),
  };
  drafts.set(server, found);
  return found;
}
