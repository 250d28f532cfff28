import { Check, Ellipsis, ListChecks, Pencil, RotateCw, SquareTerminal, Trash2, X } from 'lucide';
import { useState } from 'preact/hooks';
import { type Machine, navigate, to, useMachines, useServer } from '../../frame/index.ts';
import { expiryNote, expiryOf } from '../../parts/expiry.ts';
import {
  attempt,
  Button,
  CopyButton,
  Form,
  format,
  Menu,
  type MenuItem,
} from '../../parts/index.ts';
import { SILENT_MS } from '../../parts/listening.ts';
import { mayOpen, mayRun } from '../../parts/task-rights.ts';
import { t } from '../../strings/index.ts';
import { Remove } from './dialogs/remove.tsx';
import { Restart } from './dialogs/restart.tsx';
import type { Static } from './facts/model.ts';
import { type Reports, useListening } from './reports.ts';
import { type Stored, useMetadata } from './settings/model.ts';
import { priceText } from './settings/price.ts';

interface Props {
  readonly uuid: string;
  readonly name: string;
  readonly reports: Reports;
  readonly facts: Static | undefined;
  readonly stored: Stored;
}

/** Name and state of the machine, and what can be done with it. */
export function Header({ uuid, name, reports, facts, stored }: Props) {
  const machine = useMachines().of(uuid);
  const uptime = Number(reports.samples.value.at(-1)?.values['uptime'] ?? 0);
  const system = facts?.system;
  const os = system && `${system.system_os_long_version || system.system_name} · ${system.arch}`;
  const price = priceText(stored);
  const end = expiryOf(stored['metadata_expire_time']);
  const near = expiryNote(end);
  return (
    <header class="agent-head">
      <div class="page-head">
        <Name uuid={uuid} name={name} />
        <State machine={machine} reports={reports} />
        <span class="grow" />
        <Actions uuid={uuid} name={name} />
      </div>
      <ul class="agent-line muted">
        {os && <li>{os}</li>}
        {machine?.address && <li class="mono">{machine.address}</li>}
        {uptime > 0 && (
          <li title={format.exact(uptime, 's')}>{t.agent.up(format.duration(uptime * 1000))}</li>
        )}
        {machine?.version && <li>{t.agent.version(machine.version)}</li>}
        {price !== undefined && <li>{price}</li>}
        {end !== undefined && (
          <li class={near ? `tag ${near.mood}` : ''}>
            {near?.text ?? t.parts.expires(format.day(end))}
          </li>
        )}
        <li class="mono agent-uuid">
          {uuid}
          <CopyButton text={uuid} label={t.agent.copyUuid} />
        </li>
        {machine?.tags?.map((tag) => (
          <li key={tag} class="tag">
            {tag}
          </li>
        ))}
      </ul>
    </header>
  );
}

const LATE_MS = 6_000;
const CLOCK_OFF_MS = 60_000;

interface StateProps {
  readonly machine: Machine | undefined;
  readonly reports: Reports;
}

function State({ machine, reports }: StateProps) {
  const now = useListening(1_000);
  const arrivedAt = reports.arrivedAt.value;
  const reported = reports.samples.value.at(-1)?.time;
  if (machine?.last_refusal && machine.last_refusal.time > (machine.last_seen ?? 0))
    return <span class="tag bad">{t.agent.state.refused(machine.last_refusal.reason)}</span>;
  const seen = Math.max(arrivedAt ?? 0, machine?.last_seen ?? 0, arrivedAt ? 0 : (reported ?? 0));
  if (seen === 0)
    return reports.state === 'live' ? <span class="tag">{t.agent.state.never}</span> : null;
  const silent = now - seen;
  if (silent > SILENT_MS)
    return (
      <span class="tag bad">
        {t.agent.state.offline(format.when(seen), format.duration(silent))}
      </span>
    );
  if (silent > LATE_MS)
    return <span class="tag warn">{t.agent.state.late(format.duration(silent))}</span>;
  const off = arrivedAt && reported ? arrivedAt - reported : 0;
  if (Math.abs(off) > CLOCK_OFF_MS)
    return (
      <span class="tag warn">
        {(off > 0 ? t.agent.state.behind : t.agent.state.ahead)(format.duration(Math.abs(off)))}
      </span>
    );
  return <span class="muted">{t.agent.state.online}</span>;
}

/** The name; a press makes it a field. */
function Name({ uuid, name }: { readonly uuid: string; readonly name: string }) {
  const { save, mayWrite } = useMetadata(uuid);
  const machine = useMachines().of(uuid);
  const current = machine?.given_name ?? machine?.host_name ?? '';
  const [text, setText] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  if (text === undefined)
    return (
      <>
        <h1 class="ellipsis" title={name}>
          {name}
        </h1>
        {mayWrite('metadata_name') && (
          <Button
            kind="quiet"
            icon={Pencil}
            label={t.agent.rename}
            onClick={() => setText(current)}
          />
        )}
      </>
    );
  const submit = async () => {
    setBusy(true);
    await attempt(async () => {
      await save('metadata_name', text.trim() === '' ? undefined : text.trim());
      setText(undefined);
    });
    setBusy(false);
  };
  return (
    <Form class="row agent-name" onSubmit={submit}>
      <input
        class="input"
        aria-label={t.agent.name}
        value={text}
        maxLength={120}
        autofocus
        ref={(element) => element?.focus()}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Escape' && setText(undefined)}
      />
      <Button type="submit" icon={Check} label={t.agent.save} busy={isBusy} />
      <Button kind="quiet" icon={X} label={t.parts.cancel} onClick={() => setText(undefined)} />
    </Form>
  );
}

function Actions({ uuid, name }: { readonly uuid: string; readonly name: string }) {
  const server = useServer();
  const [open, setOpen] = useState<'restart' | 'remove'>();
  const items: MenuItem[] = [];
  if (mayRun(server, uuid, 'edit_config') && mayRun(server, uuid, 'read_config'))
    items.push({
      label: t.agent.restart.action,
      icon: RotateCw,
      onSelect: () => setOpen('restart'),
    });
  if (server.may('agent-uuid_delete', { agent_uuid: uuid }) !== false)
    items.push({
      label: t.agent.remove.action,
      icon: Trash2,
      danger: true,
      separated: items.length > 0,
      onSelect: () => setOpen('remove'),
    });
  return (
    <div class="row">
      {mayOpen(server, uuid) && (
        <Button icon={SquareTerminal} onClick={() => navigate(to('terminal', uuid))}>
          {t.frame.pages.terminal}
        </Button>
      )}
      {server.has('task') && server.covers('task', 'create', uuid) && (
        <Button icon={ListChecks} onClick={() => navigate(to('tasks', { machine: uuid }))}>
          {t.agent.run}
        </Button>
      )}
      {items.length > 0 && <Menu label={t.agent.more} icon={Ellipsis} items={items} />}
      {open === 'restart' && <Restart uuid={uuid} name={name} onClose={() => setOpen(undefined)} />}
      {open === 'remove' && <Remove uuid={uuid} name={name} onClose={() => setOpen(undefined)} />}
    </div>
  );
}
