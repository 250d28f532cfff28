import { SquareTerminal } from 'lucide';
import { useState } from 'preact/hooks';
import { useMachines, useServer } from '../../frame/index.ts';
import { HowToAllow } from '../../parts/allow.tsx';
import { Empty, ErrorNote, Search, Skeleton } from '../../parts/index.ts';
import { mayOpen } from '../../parts/task-rights.ts';
import { t } from '../../strings/index.ts';

interface Props {
  readonly onOpen: (uuid: string) => void;
}

/** Machines on which a shell can be opened: those that take tasks now, or may. */
export function Machines({ onOpen }: Props) {
  const { list, error, nameOf, refresh } = useMachines();
  const server = useServer();
  const [text, setText] = useState('');
  if (!list && error !== undefined)
    return <ErrorNote error={error} onRetry={() => void refresh()} />;
  if (!list) return <Skeleton rows={4} height={40} />;
  const ready = list.filter(
    ({ uuid, connected_for_tasks }) => connected_for_tasks !== false && mayOpen(server, uuid),
  );
  if (ready.length === 0)
    return (
      <Empty icon={SquareTerminal} title={t.terminal.none}>
        <p>{t.terminal.noneHint}</p>
        {list.length > 0 && <HowToAllow kind="web_shell" />}
      </Empty>
    );
  const wanted = text.trim().toLowerCase();
  const shown = ready.filter(({ uuid, name, tags }) =>
    [uuid, name, ...(tags ?? [])].some((one) => one.toLowerCase().includes(wanted)),
  );
  return (
    <div class="stack">
      {ready.length > 8 && <Search label={t.terminal.find} value={text} onText={setText} />}
      <ul class="terminal-machines">
        {shown.slice(0, 200).map(({ uuid, tags }) => (
          <li key={uuid}>
            <button type="button" class="button" onClick={() => onOpen(uuid)}>
              <span class="grow ellipsis">{nameOf(uuid)}</span>
              {tags?.slice(0, 3).map((tag) => (
                <span key={tag} class="tag">
                  {tag}
                </span>
              ))}
            </button>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p class="muted">{t.terminal.notFound}</p>}
    </div>
  );
}
