import { useState } from 'preact/hooks';
import { type Server, useServer } from '../../frame/index.ts';
import { Button, Card, ErrorNote, useWork } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { Chooser, type Chosen } from './chooser.tsx';
import { type Report, Rewritings, Rows } from './rows.tsx';
import './import.css';

type Step = 'plan' | 'apply' | 'switch_on' | 'undo';

/** One page: a file, what would become of it, then three buttons: make, switch on, undo. */
export default function MonitorsImport() {
  const server = useServer();
  const [file, setFile] = useState<Chosen>();
  const [shown, setShown] = useState<{ readonly step: Step; readonly report: Report }>();
  const source = shown?.report.source ?? '';
  const work = useWork(async (step: Step, given: Chosen | undefined = file) => {
    const report = await answered(server, step, { source, file: given });
    if (report) setShown({ step, report });
  });
  const onChosen = (chosen: Chosen) => {
    setFile(chosen);
    setShown(undefined);
    void work.run('plan', chosen);
  };
  return (
    <div class="page stack">
      <h1 class="sr">{t.frame.pages['monitors-import']}</h1>
      <Chooser isBusy={work.isBusy} onChosen={onChosen} />
      {work.error !== undefined && <ErrorNote what={t.monitorsImport.failed} error={work.error} />}
      {shown && (
        <>
          <Actions {...shown} isBusy={work.isBusy} onStep={(step) => void work.run(step)} />
          <Card title={t.monitorsImport.table} flush>
            <Rows rows={shown.report.rows} />
          </Card>
          <Rewritings of={shown.report.rewritings} />
        </>
      )}
    </div>
  );
}

interface Given {
  readonly source: string;
  readonly file: Chosen | undefined;
}

async function answered(
  { call }: Server,
  step: Step,
  { source, file }: Given,
): Promise<Report | undefined> {
  if (step === 'switch_on') return call('monitor_import_switch_on', { source });
  if (step === 'undo') return call('monitor_import_undo', { source });
  if (!file) return undefined;
  return step === 'plan'
    ? call('monitor_import_plan', { file })
    : call('monitor_import_apply', { file });
}

interface ActionsProps {
  readonly step: Step;
  readonly report: Report;
  readonly isBusy: boolean;
  readonly onStep: (step: Step) => void;
}

function Actions({ step, report: { rows }, isBusy, onStep }: ActionsProps) {
  const has = (...outcomes: string[]) => rows.some(({ outcome }) => outcomes.includes(outcome));
  const isNew = has('made', 'differently');
  const isMade =
    step !== 'undo' && (has('there', 'switched_on', 'kept') || (step === 'apply' && isNew));
  const words = t.monitorsImport;
  const sentence =
    step === 'plan' ? words.planned : step === 'apply' && isNew ? words.done : undefined;
  return (
    <div class="row">
      <p class="grow">{sentence ?? (has('switched_on', 'deleted') ? '' : words.nothing)}</p>
      {step === 'plan' && isNew && (
        <Button kind="primary" busy={isBusy} onClick={() => onStep('apply')}>
          {words.make}
        </Button>
      )}
      {isMade && (
        <>
          <Button busy={isBusy} onClick={() => onStep('switch_on')}>
            {words.switchOn}
          </Button>
          <Button kind="danger" busy={isBusy} onClick={() => onStep('undo')}>
            {words.undo}
          </Button>
        </>
      )}
    </div>
  );
}
