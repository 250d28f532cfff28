import { Plus } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { Link, to, useMachines, useServer } from '../../../frame/index.ts';
import { home } from '../../../frame/meta.ts';
import {
  Button,
  Command,
  Dialog,
  ErrorNote,
  Form,
  format,
  Select,
  TextField,
} from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import {
  isAdding,
  isOpenWay,
  LENGTHS,
  type Made,
  mayAdd,
  type Obstacle,
  useArrivals,
  useWishes,
} from '../enrolment.ts';

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

/** Dialog that the buttons open; once on the page. */
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
      {made ? <Line made={made} onClose={onClose} /> : <WishForm onMade={setMade} />}
    </Dialog>
  );
}

function WishForm({ onMade }: { readonly onMade: (made: Made) => void }) {
  const { wishes, change, isOne, make } = useWishes(onMade);
  const s = t.fleet.add;
  return (
    <Form onSubmit={make.run}>
      <p class="muted">{s.text}</p>
      <TextField
        label={s.name}
        hint={isOne ? s.nameHint : s.ownNames}
        autofocus
        disabled={!isOne}
        value={isOne ? wishes.name : ''}
        onText={(name) => change({ name })}
      />
      <TextField
        label={t.fleet.tags}
        hint={s.tagHint}
        value={wishes.tags}
        onText={(tags) => change({ tags })}
      />
      <TextField
        label={s.uses}
        type="number"
        min={1}
        max={10_000}
        required
        value={wishes.uses}
        onText={(uses) => change({ uses })}
      />
      <Select
        label={s.holds}
        value={wishes.holds}
        options={LENGTHS.map((length) => ({
          value: String(length),
          label: format.duration(length * 1_000),
        }))}
        onChange={(holds) => change({ holds })}
      />
      {make.error !== undefined && <ErrorNote error={make.error} />}
      <div class="row">
        <span class="grow" />
        <Button kind="primary" type="submit" busy={make.isBusy}>
          {s.make}
        </Button>
      </div>
    </Form>
  );
}

function Line({ made, onClose }: { readonly made: Made; readonly onClose: () => void }) {
  const { nameOf } = useMachines();
  const { used, uuid } = useArrivals(made.id);
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
            {t.fleet.add.came(used)} <Link to={to('agent', uuid)}>{nameOf(uuid)}</Link>
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

/** Reason why the line may not work on other machines, and the command that helps. */
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
