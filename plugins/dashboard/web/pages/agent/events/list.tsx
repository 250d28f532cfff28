import { CircleX, type IconNode, LogIn, LogOut, Network, RotateCw } from 'lucide';
import { format, Icon } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import type { Event } from './model.ts';

const icons: Record<Event['kind'], IconNode> = {
  came: LogIn,
  went: LogOut,
  refused: CircleX,
  address_changed: Network,
  server_restarted: RotateCw,
};

function words({ kind, reason, address, old_address, version }: Event): string {
  const e = t.agent.events;
  if (kind === 'refused') return e.refused(reason ?? '');
  if (kind === 'address_changed') return e.moved(old_address ?? '–', address ?? '–');
  if (kind === 'server_restarted') return e.restarted(version ?? '');
  return kind === 'came' ? e.came : e.went;
}

/** Events, the newest first. */
export function EventList({ events }: { readonly events: readonly Event[] }) {
  if (events.length === 0) return <p class="muted">{t.agent.events.none}</p>;
  return (
    <ul class="agent-events">
      {events.map((event) => (
        <li key={`${event.time} ${event.kind} ${event.code ?? ''}`}>
          <Icon of={icons[event.kind]} />
          <span class="grow">{words(event)}</span>
          <time class="muted small" title={format.dateTime(event.time)}>
            {format.when(event.time)}
          </time>
        </li>
      ))}
    </ul>
  );
}
