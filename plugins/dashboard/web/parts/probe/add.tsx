import { useState } from 'preact/hooks';
import { type Server, useMachines, useServer } from '../../frame/index.ts';
import { t } from '../../strings/index.ts';
import { HowToAllow } from '../allow.tsx';
import { FormDialog } from '../ask.tsx';
import { Select, TextField } from '../field.tsx';
import { number } from '../format.ts';
import { MachinePicker, taskNote } from '../machine-picker.tsx';
import { toast } from '../toast.tsx';
import { KINDS, type Kind, keyOfProbe } from './probes.ts';

interface Props {
  /** The machine that is chosen at first; undefined: all. */
  readonly uuid?: string | undefined;
  readonly onClose: () => void;
  /** Called with the key of the probe. */
  readonly onAdded: (key: string) => void;
}

const DAY_S = 86_400;
/** Seconds between two measurements → when the job runs. */
const OFTEN = {
  10: '*/10 * * * * *',
  30: '*/30 * * * * *',
  60: '0 * * * * *',
  300: '0 */5 * * * *',
  900: '0 */15 * * * *',
} as const;
type Often = keyof typeof OFTEN;
const EXAMPLES = {
  ping: 'example.net',
  tcp_ping: 'example.net:443',
  http_ping: 'https://example.net/',
};
const MOST_NAME = 128;

const mayProbe = ({ covers }: Server, kind: Kind, uuid: string): boolean =>
  covers('crontab', 'write', uuid) && covers('task', 'create', uuid, kind);

/** Tells whether this token may add a probe to at least one machine. */
export const mayAddProbe = ({ has, holds }: Server): boolean =>
  has('crontab') && has('task') && holds('crontab', 'write') && holds('task', 'create');

function isTarget(kind: Kind, text: string): boolean {
  if (kind === 'http_ping') return URL.canParse(text) && /^https?:\/\/\S+$/i.test(text);
  if (kind === 'tcp_ping') return /^\S+:\d{1,5}$/.test(text) && !text.includes('//');
  return /^[^\s/]+$/.test(text);
}

/** A job needs a name without slashes. */
const nameFor = (kind: Kind, target: string): string =>
  `${t.probes.kinds[kind]} ${target.replace(/^https?:\/\//i, '').replace(/(?<!\/)\/+$/, '')}`
    .replace(/[/\\]/g, ' ')
    .slice(0, MOST_NAME);

interface Wish {
  readonly kind: Kind;
  readonly target: string;
  readonly often: Often;
  /** Absent: made of kind and target. */
  readonly name?: string;
}

const isWrong = ({ kind, target }: Wish): boolean =>
  target.trim() !== '' && !isTarget(kind, target.trim());

/** A form that makes the job of a probe: what, from where, how often. */
export function AddProbe({ uuid, onClose, onAdded }: Props) {
  const server = useServer();
  const { list = [] } = useMachines();
  const [wish, setWish] = useState<Wish>({ kind: 'ping', target: '', often: 60 });
  const change = (changed: Partial<Wish>) => setWish({ ...wish, ...changed });
  const { kind, often } = wish;
  const [picked, setPicked] = useState<ReadonlySet<string>>();
  const machines = list.filter((one) => mayProbe(server, kind, one.uuid));
  const all = machines.filter(({ tasks_allowed }) => tasks_allowed !== false);
  const chosen = picked ?? new Set(uuid === undefined ? all.map((one) => one.uuid) : [uuid]);
  const wanted = wish.target.trim();
  const name = wish.name ?? (wanted === '' ? '' : nameFor(kind, wanted));
  const measured = Math.round((chosen.size * DAY_S) / often);
  return (
    <FormDialog
      title={t.probes.add.open}
      action={t.probes.add.action(chosen.size)}
      wide
      disabled={wanted === '' || isWrong(wish) || chosen.size === 0 || name === ''}
      onClose={onClose}
      onSubmit={async () => {
        await server.call('crontab_create', {
          name,
          cron_expression: OFTEN[often],
          cron_type: { agent: [[...chosen], { task: { [kind]: wanted } as { ping: string } }] },
        });
        toast(t.probes.add.added(wanted));
        onAdded(keyOfProbe({ kind, target: wanted }));
      }}
    >
      <div class="probe-form">
        <ProbeFields wish={wish} name={name} measured={measured} onChange={change} />
        <div class="stack">
          {machines.length > 0 && all.length === 0 && (
            <div class="note warn">
              <div class="grow">
                <p>{t.probes.add.noneReady}</p>
                <HowToAllow kind={kind} />
              </div>
            </div>
          )}
          <MachinePicker
            machines={machines}
            chosen={chosen}
            onChange={setPicked}
            noteOf={taskNote}
          />
        </div>
      </div>
    </FormDialog>
  );
}

interface FieldsProps {
  readonly wish: Wish;
  readonly name: string;
  /** Measurements a day. */
  readonly measured: number;
  readonly onChange: (changed: Partial<Wish>) => void;
}

function ProbeFields({ wish, name, measured, onChange }: FieldsProps) {
  const { kind, target, often } = wish;
  return (
    <div class="stack">
      <Select<Kind>
        label={t.probes.add.kind}
        value={kind}
        hint={t.probes.add.kindHints[kind]}
        options={KINDS.map((value) => ({ value, label: t.probes.add.kinds[value] }))}
        onChange={(value) => onChange({ kind: value })}
      />
      <TextField
        label={t.probes.add.target[kind]}
        value={target}
        placeholder={EXAMPLES[kind]}
        error={isWrong(wish) ? t.probes.add.wrong[kind] : undefined}
        mono
        autofocus
        autocomplete="off"
        spellcheck={false}
        onText={(text) => onChange({ target: text })}
      />
      <Select
        label={t.probes.add.often}
        value={String(often)}
        hint={t.probes.add.load(number(measured))}
        options={Object.keys(OFTEN).map((value) => ({
          value,
          label: t.probes.add.every(Number(value)),
        }))}
        onChange={(value) => onChange({ often: Number(value) as Often })}
      />
      <TextField
        label={t.probes.add.name}
        value={name}
        hint={t.probes.add.nameHint}
        autocomplete="off"
        onText={(text) => onChange({ name: text })}
      />
    </div>
  );
}
