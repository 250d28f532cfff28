import { signal } from '@preact/signals';
import { Plus } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { Link, type Server, to, useMachines, usePoll, useServer } from '../../../frame/index.ts';
import { home } from '../../../frame/meta.ts';
import {
  Button,
  Command,
  Dialog,
  ErrorNote,
  format,
  Select,
  TextField,
  useWork,
} from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';

const HOUR_S = 3_600;
/** Seconds that a code may hold, as choices. */
const LENGTHS = [HOUR_S, 24 * HOUR_S, 7 * 24 * HOUR_S];

interface Made {
  readonly id: number;
  readonly expires_at: number;
  /** The machines' tokens end then; null: never, undefined: an older server. */
  readonly machines_until?: number | null;
  readonly line: string;
  readonly wget_line: string;
  /** Fingerprint of the key that signs what machines are given; undefined: an older server. */
  readonly key?: string;
  /** What keeps machines from the address in the line; undefined: an older server. */
  readonly obstacle?: Obstacle | null;
}

interface Obstacle {
  readonly kind: 'loopback' | 'listener' | 'host';
  readonly listens: string;
  readonly address: string;
  readonly name: string;
}

/** May this token bring a machine into the fleet? */
export const mayAdd = (server: Server) =>
  server.has('enrol') && server.may('enrol_create', {}) !== false;

/** The dialog is open. It belongs to the page: the button that opened it goes with the first machine, or with the step that it was. */
const isAdding = signal(false);

/** The button that brings a machine into the fleet; nothing for those who may not. */
export function AddMachine({ primary }: { readonly primary?: boolean }) {
  const server = useServer();
  if (!mayAdd(server)) return null;
  const open = () => {
    isAdding.value = true;
  };
  return (
    <Button icon={Plus} kind={primary ? 'primary' : 'plain'} onClick={open}>
      {t.fleet.add.open}
    </Button>
  );
}

/** What the buttons open; once on the page. */
export function AddingMachine() {
  const close = () => {
    isAdding.value = false;
  };
  useEffect(() => close, []);
  return isAdding.value ? <AddDialog onClose={close} /> : null;
}

function AddDialog({ onClose }: { readonly onClose: () => void }) {
  const [made, setMade] = useState<Made>();
  return (
    <Dialog title={t.fleet.add.open} onClose={onClose} wide>
      {made ? <Line made={made} onClose={onClose} /> : <Wishes onMade={setMade} />}
    </Dialog>
  );
}

function Wishes({ onMade }: { readonly onMade: (made: Made) => void }) {
  const server = useServer();
  const [name, setName] = useState('');
  const [tags, setTags] = useState('');
  const [uses, setUses] = useState('1');
  const [seconds, setSeconds] = useState(String(HOUR_S));
  const isOne = uses.trim() === '1';
  const { run, error, isBusy } = useWork(
    async () => {
      const params = {
        ...(isOne && name.trim() !== '' && { name: name.trim() }),
        tags: tags.split(/[,，]/).flatMap((tag) => tag.trim() || []),
        seconds: Number(seconds),
        uses: Number(uses),
        url: server.origin,
      };
      onMade((await server.call('enrol_create', params)) as Made);
    },
    () => {},
  );
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <p class="muted">{t.fleet.add.text}</p>
      <TextField
        label={t.fleet.add.name}
        hint={isOne ? t.fleet.add.nameHint : t.fleet.add.ownNames}
        autofocus
        disabled={!isOne}
        value={isOne ? name : ''}
        onText={setName}
      />
      <TextField label={t.fleet.tags} hint={t.fleet.add.tagHint} value={tags} onText={setTags} />
      <TextField
        label={t.fleet.add.uses}
        type="number"
        min={1}
        max={10_000}
        required
        value={uses}
        onText={setUses}
      />
      <Select
        label={t.fleet.add.holds}
        value={seconds}
        options={LENGTHS.map((length) => ({
          value: String(length),
          label: format.duration(length * 1_000),
        }))}
        onChange={setSeconds}
      />
      {error !== undefined && <ErrorNote error={error} />}
      <div class="row">
        <span class="grow" />
        <Button kind="primary" type="submit" busy={isBusy}>
          {t.fleet.add.make}
        </Button>
      </div>
    </form>
  );
}

function Line({ made, onClose }: { readonly made: Made; readonly onClose: () => void }) {
  const server = useServer();
  const machines = useMachines();
  const codes = usePoll(`enrol ${made.id}`, () => server.call('enrol_list'), { every_ms: 2_000 });
  const code = codes.data?.find(({ id }) => id === made.id);
  const used = code?.used ?? 0;
  const uuid = code?.last_agent;
  useEffect(() => {
    if (used > 0) void machines.refresh();
  }, [used]);
  return (
    <div class="stack">
      <p>{t.fleet.add.run}</p>
      <Command text={made.line} />
      <details>
        <summary>{t.fleet.add.withWget}</summary>
        <Command text={made.wget_line} />
      </details>
      {isOpenWay(made.line) && <p class="note warn">{t.fleet.add.openWay}</p>}
      {made.key !== undefined && (
        <div>
          <p>{t.fleet.add.key}</p>
          <code class="fingerprint">{made.key}</code>
        </div>
      )}
      {made.obstacle && !uuid && <InTheWay of={made.obstacle} />}
      <p class="muted">{t.fleet.add.until(format.dateTime(made.expires_at))}</p>
      {typeof made.machines_until === 'number' && (
        <p class="note warn">{t.fleet.add.machinesUntil(format.dateTime(made.machines_until))}</p>
      )}
      <p role="status">
        {uuid ? (
          <>
            {t.fleet.add.came(used)} <Link to={to('agent', uuid)}>{machines.nameOf(uuid)}</Link>
          </>
        ) : (
          t.fleet.add.waiting
        )}
      </p>
      <div class="row">
        <span class="grow" />
        <Button onClick={onClose}>{t.parts.close}</Button>
      </div>
    </div>
  );
}

/** Plain HTTP, but within one machine: somebody between can put another installer in place of the server's. */
const isOpenWay = (line: string) => /\shttp:\/\/(?!127\.|localhost[:/]|\[::1\])/.test(line);

/** Why the line may not work on other machines, and what to type about it. */
function InTheWay({ of: { kind, listens, address, name } }: { readonly of: Obstacle }) {
  const s = t.fleet.add.obstacles;
  const open = listens.replace(/^.*:/, '0.0.0.0:');
  if (kind === 'host')
    return (
      <div class="note warn">
        <div class="stack grow">
          <p>{s.host(name)}</p>
          <Command text={`allowed_hosts = ["localhost", "${name}"]`} />
        </div>
      </div>
    );
  const page = new URL(home, address).href;
  return (
    <div class={kind === 'loopback' ? 'note warn' : 'note'}>
      <div class="stack grow">
        <p>{kind === 'loopback' ? s.loopback(name) : s.listener(listens, name)}</p>
        <Command text={`npm start -- --listen ${open}`} />
        <p class="muted small">{s.service(open)}</p>
        {kind === 'loopback' && <p>{s.afterwards(page)}</p>}
      </div>
    </div>
  );
}
