import { Check, CircleDashed, X } from 'lucide';
import { useState } from 'preact/hooks';
import {
  type Machine,
  navigate,
  setValue,
  to,
  useMachines,
  useServer,
} from '../../../frame/index.ts';
import { Ask, Button, Card, ErrorNote, Icon } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { AddMachine } from '../dialogs/add.tsx';
import { type AnyStep, useFirstSteps, useLimitsPlace, useSteps } from './model.ts';

interface Props {
  readonly machines: readonly Machine[];
}

/** Next steps of the owner of a fresh server. Gone when they are done or dismissed. */
export function FirstSteps({ machines }: Props) {
  const { isShown, dismiss } = useFirstSteps(machines);
  return isShown ? <Steps machines={machines} onDismiss={dismiss} /> : null;
}

function Steps({ machines, onDismiss }: Props & { readonly onDismiss: () => void }) {
  const { origin } = useServer();
  const steps = useSteps(machines);
  if (!steps || steps.every(({ isDone }) => isDone)) return null;
  const s = t.fleet.steps;
  return (
    <Card
      class="fleet-steps"
      title={s.title}
      actions={<Button kind="quiet" icon={X} label={s.dismiss} onClick={onDismiss} />}
    >
      <ol key={origin}>
        {steps.map((step) => (
          <li key={step.id} class={step.isDone ? 'done' : ''}>
            <Icon of={step.isDone ? Check : CircleDashed} />
            <div class="grow">
              <strong>{step.title ?? s.names[step.id]}</strong>
              <p class="muted">{step.isDone ? s.done : step.why}</p>
            </div>
            {!step.isDone && <Action step={step} />}
          </li>
        ))}
      </ol>
    </Card>
  );
}

function Action({ step }: { readonly step: AnyStep }) {
  if (step.id === 'add') return <AddMachine />;
  if (step.id === 'name') return step.machine ? <NameIt machine={step.machine} /> : null;
  if (step.id === 'keep') return <Keep {...step} />;
  if (step.id === 'watch')
    return (
      <Button onClick={() => navigate(to('monitors', { new: '' }))}>{t.fleet.steps.watchIt}</Button>
    );
  if (step.id === 'tell')
    return (
      <Button onClick={() => navigate(to('alerts', 'channels', { new: '' }))}>
        {t.fleet.steps.addChannel}
      </Button>
    );
  return (
    <Button onClick={() => navigate(to('server', 'status', { new: '1' }))}>
      {t.fleet.steps.makePage}
    </Button>
  );
}

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
  const { run, error, isBusy } = useLimitsPlace(hasGlobal);
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
