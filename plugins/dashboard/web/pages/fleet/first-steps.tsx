import { Check, CircleDashed, X } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import {
  go,
  type Machine,
  type Server,
  setValue,
  to,
  useMachines,
  usePoll,
  useServer,
} from '../../frame/index.ts';
import { Ask, Button, Card, ErrorNote, Icon, useWork } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { AddMachine, mayAdd } from './dialogs/add.tsx';

/** A server with more machines is no fresh one. */
const MOST_MACHINES = 4;
const EVERY_MS = 60_000;
/** Limits that hold for all machines stand in this namespace (kv.md §5.4). */
const GLOBAL = 'global';
const LIMITS = 'database_limit_*';
const keyOf = ({ origin }: Server) => `svc-first-steps ${origin}`;
/** On the device of who decided to keep the standard; limits that are set stand on the server. */
const standardKeyOf = ({ origin }: Server) => `svc-first-steps keep ${origin}`;

interface Step {
  readonly id: 'add' | 'name' | 'keep' | 'status';
  /** In place of the usual one. */
  readonly title?: string | undefined;
  readonly why: string;
  readonly isDone: boolean;
  readonly action: ComponentChildren;
}

/** What the owner of a fresh server does next. Gone when it is done, or nobody wants it. */
export function FirstSteps({ machines }: { readonly machines: readonly Machine[] }) {
  const server = useServer();
  const [isDismissed, setDismissed] = useState(localStorage.getItem(keyOf(server)) !== null);
  if (isDismissed || machines.length > MOST_MACHINES) return null;
  const dismiss = () => {
    localStorage.setItem(keyOf(server), 'dismissed');
    setDismissed(true);
  };
  return <Steps machines={machines} onDismiss={dismiss} />;
}

interface Props {
  readonly machines: readonly Machine[];
  readonly onDismiss: () => void;
}

function Steps({ machines, onDismiss }: Props) {
  const server = useServer();
  const found = useFound();
  const steps = useSteps(machines, found.data);
  if (found.data === undefined || steps.every(({ isDone }) => isDone)) return null;
  const s = t.fleet.steps;
  return (
    <Card
      class="fleet-steps"
      title={s.title}
      actions={<Button kind="quiet" icon={X} label={s.dismiss} onClick={onDismiss} />}
    >
      <ol key={server.origin}>
        {steps.map(({ id, title, why, isDone, action }) => (
          <li key={id} class={isDone ? 'done' : ''}>
            <Icon of={isDone ? Check : CircleDashed} />
            <div class="grow">
              <strong>{title ?? s.names[id]}</strong>
              <p class="muted">{isDone ? s.done : why}</p>
            </div>
            {!isDone && action}
          </li>
        ))}
      </ol>
    </Card>
  );
}

interface Found {
  /** Undefined: no page for this token to make, or no namespace. */
  readonly hasPage: boolean | undefined;
  readonly hasGlobal: boolean | undefined;
  /** Somebody has set a limit that holds for all machines. */
  readonly hasLimits: boolean;
  /** How long this server keeps its history, in a sentence. */
  readonly kept: string | undefined;
}

/** A new server keeps so much where its file says nothing; one that an earlier version made keeps all, and warns of it. */
const STANDARD_DAYS = 14;

async function keptBy({ call }: Server): Promise<string> {
  const [text, { warnings }, { valueIn }] = await Promise.all([
    call('svc-server_read_config'),
    call('svc-server_config_warnings'),
    import('../../parts/toml.ts'),
  ]);
  const keepsAll = warnings.some(({ key }) => key === 'retention.keep_days');
  const days = valueIn(text, 'retention', 'keep_days');
  const isStandard = days === undefined && !keepsAll;
  const budget =
    valueIn(text, 'retention', 'budget') ?? (isStandard ? t.fleet.steps.standardBudget : undefined);
  return t.fleet.steps.kept(
    Number(days ?? (keepsAll ? 0 : STANDARD_DAYS)),
    budget === 'none' ? undefined : budget?.toString(),
  );
}

/** What the server has already, of what this token may make. */
function useFound() {
  const server = useServer();
  const { call, has, holds, may } = server;
  const mayCreate = has('kv') && may('kv_create', { namespace: GLOBAL });
  const mayLimit = has('retention') && may('svc-server_read_config');
  const isKnown = mayCreate !== undefined && mayLimit !== undefined;
  const asksGlobal = mayCreate === true && mayLimit === true;
  const asksPage = has('status-page') && holds('status_page', 'write');
  return usePoll<Found | undefined>(
    `first steps ${isKnown} ${asksGlobal} ${asksPage}`,
    async () => {
      if (!isKnown) return undefined;
      const [pages, namespaces, kept] = await Promise.all([
        asksPage ? call('status-page_list') : undefined,
        asksGlobal ? call('kv_list_all_namespace') : undefined,
        asksGlobal ? keptBy(server) : undefined,
      ]);
      const hasGlobal = namespaces?.includes(GLOBAL);
      const namespace_key = [{ namespace: GLOBAL, key: LIMITS }];
      const limits = hasGlobal ? await call('kv_get_multi_value', { namespace_key }) : [];
      return {
        hasPage: pages && pages.length > 0,
        hasGlobal,
        hasLimits: limits.some(({ value }) => value !== null),
        kept,
      };
    },
    { every_ms: EVERY_MS },
  );
}

function useSteps(machines: readonly Machine[], found: Found | undefined): readonly Step[] {
  const server = useServer();
  const unnamed = machines.find(({ given_name }) => given_name === null);
  const [first] = machines;
  const steps: Step[] = [];
  const { why } = t.fleet.steps;
  if (mayAdd(server))
    steps.push({ id: 'add', why: why.add, isDone: machines.length > 1, action: <AddMachine /> });
  if (first && server.has('kv') && mayName(server, first))
    steps.push({
      id: 'name',
      why: why.name,
      title: unnamed && machines.length > 1 ? t.fleet.steps.nameIt(unnamed.name) : undefined,
      isDone: machines.some(({ given_name }) => given_name !== null),
      action: unnamed && <NameIt machine={unnamed} />,
    });
  const [keepsStandard, setKeepsStandard] = useState(
    localStorage.getItem(standardKeyOf(server)) !== null,
  );
  const keepStandard = () => {
    localStorage.setItem(standardKeyOf(server), 'kept');
    setKeepsStandard(true);
  };
  if (found?.hasGlobal !== undefined)
    steps.push({
      id: 'keep',
      why: found.kept ?? '',
      isDone: found.hasLimits || keepsStandard,
      action: <Keep hasGlobal={found.hasGlobal} onStandard={keepStandard} />,
    });
  if (found?.hasPage !== undefined)
    steps.push({ id: 'status', why: why.status, isDone: found.hasPage, action: <MakePage /> });
  return steps;
}

const mayName = ({ may }: Server, { uuid }: Machine): boolean =>
  may('kv_set_value', { namespace: uuid, key: 'metadata_name', value: '' }) === true;

function NameIt({ machine }: { readonly machine: Machine }) {
  const server = useServer();
  const { refresh } = useMachines();
  const [isAsking, setAsking] = useState(false);
  const s = t.fleet.steps;
  return (
    <>
      <Button onClick={() => setAsking(true)}>{s.nameIt(machine.name)}</Button>
      {isAsking && (
        <Ask
          title={s.nameIt(machine.name)}
          label={t.fleet.name}
          action={t.fleet.save}
          initial={machine.host_name ?? ''}
          onClose={() => setAsking(false)}
          onDone={async (name) => {
            await setValue(server, machine.uuid, 'metadata_name', name.trim());
            await refresh();
          }}
        />
      )}
    </>
  );
}

interface KeepProps {
  readonly hasGlobal: boolean;
  readonly onStandard: () => void;
}

/** One click makes the place where the limits stand, if it is not there, and leads to them; another one decides for the standard. */
function Keep({ hasGlobal, onStandard }: KeepProps) {
  const { call } = useServer();
  const { run, error, isBusy } = useWork(
    async () => {
      if (!hasGlobal) await call('kv_create', { namespace: GLOBAL });
    },
    () => go(to('server', 'retention')),
  );
  return (
    <div class="stack">
      <div class="row wrap">
        <Button busy={isBusy} onClick={() => void run()}>
          {t.fleet.steps.keepIt}
        </Button>
        <Button kind="quiet" onClick={onStandard}>
          {t.fleet.steps.keepStandard}
        </Button>
      </div>
      {error !== undefined && <ErrorNote error={error} />}
    </div>
  );
}

const MakePage = () => (
  <Button onClick={() => go(to('server', 'status', { new: '1' }))}>{t.fleet.steps.makePage}</Button>
);
