import { t } from '../strings/index.ts';
import { Command } from './copy.tsx';
import { plain } from './plain.ts';

/** An agent's answer to a kind of task that its file does not allow (clients.md §2.8). */
export const NOT_ALLOWED = 'Permission Denied: Task not allowed';

/** Command by which the people of a machine let it run tasks of this kind. No page can do it for them. */
export function HowToAllow({ kind }: { readonly kind: string }) {
  const s = t.tasks.allow;
  return (
    <div class="stack">
      <p>{s.lead}</p>
      <div>
        <strong>{s.first}</strong>
        <Command text={`npx svc-server allow-tasks ${kind}`} />
        <p class="muted small">{s.firstHint}</p>
      </div>
      <div>
        <strong>{s.added}</strong>
        <Command text={`sh /opt/svc-agent/install.sh --allow ${kind}`} />
        <p class="muted small">{s.addedHint}</p>
      </div>
      <p class="muted small">{s.byHand(kind)}</p>
    </div>
  );
}

interface TaskErrorProps {
  /** Text of the agent or the server. */
  readonly text: string;
  readonly kind: string;
  /** Tells whether it stands alone: then there is room for what helps. */
  readonly isAlone: boolean;
}

/** Reason why a task failed; of a kind that the machine does not allow: which, and what allows it. */
export function TaskError({ text, kind, isAlone }: TaskErrorProps) {
  if (text !== NOT_ALLOWED) return <p class="tasks-error">{plain(text) || t.tasks.noReason}</p>;
  return (
    <>
      <p class="tasks-error">{`${text} (${kind})`}</p>
      <details open={isAlone}>
        <summary>{t.tasks.allow.how}</summary>
        <HowToAllow kind={kind} />
      </details>
    </>
  );
}
