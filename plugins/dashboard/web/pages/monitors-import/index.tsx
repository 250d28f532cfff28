import { Radar } from 'lucide';
import { useState } from 'preact/hooks';
import { navigate, type Server, to, useServer } from '../../frame/index.ts';
import { Button, Card, Confirm, ErrorNote, useWork } from '../../parts/index.ts';
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
  const take = async (step: Step, given: Chosen | undefined = file) => {
    const report = await answered(server, step, { source, file: given });
    if (report) setShown({ step, report });
  };
  const work = useWork(take);
  const onChosen = (chosen: Chosen) => {
    setFile(chosen);
    setShown(undefined);
    void work.run('plan', chosen);
  };
  return (
    <div class="page stack">
      <header class="page-head">
        <h1 class="grow">{t.frame.pages['monitors-import']}</h1>
        <Button icon={Radar} onClick={() => navigate(to('monitors'))}>
          {t.frame.pages.monitors}
        </Button>
      </header>
      <Chooser isBusy={work.isBusy} name={file?.name} onChosen={onChosen} />
      {work.error !== undefined && <ErrorNote what={t.monitorsImport.failed} error={work.error} />}
      {shown && (
        <>
          <Actions
            {...shown}
            isBusy={work.isBusy}
            onStep={(step) => void work.run(step)}
            onUndo={() => take('undo')}
          />
          {shown.report.rows.length > 0 && (
            <Card title={t.monitorsImport.table} flush>
              <Rows rows={shown.report.rows} />
            </Card>
          )}
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
  readonly onUndo: () => Promise<void>;
}

const OUTCOMES = [
  'made',
  'differently',
  'switched_on',
  'deleted',
  'there',
  'kept',
  'not_made',
] as const;

/** The answer first: "5 made, 4 made differently, 5 not made". */
function countsOf(rows: Report['rows']): string {
  const counts = OUTCOMES.map((one) => {
    const count = rows.filter(({ outcome }) => outcome === one).length;
    return count === 0 ? '' : t.monitorsImport.counted(count, t.monitorsImport.outcomes[one]);
  });
  return counts.filter((one) => one !== '').join(' · ');
}

function Actions({ step, report: { rows }, isBusy, onStep, onUndo }: ActionsProps) {
  const has = (...outcomes: string[]) => rows.some(({ outcome }) => outcomes.includes(outcome));
  const isNew = has('made', 'differently');
  const isMade =
    step !== 'undo' && (has('there', 'switched_on', 'kept') || (step === 'apply' && isNew));
  const words = t.monitorsImport;
  const sentence =
    step === 'plan' && isNew ? words.planned : step === 'apply' && isNew ? words.done : undefined;
  return (
    <div class="row wrap">
      <div class="grow import-said" role="status">
        <p class="import-answer">{countsOf(rows)}</p>
        <p class="muted">{sentence ?? (has('switched_on', 'deleted') ? '' : words.nothing)}</p>
      </div>
      <div class="row">
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
            <Undo rows={rows} isPlan={step === 'plan'} isBusy={isBusy} onUndo={onUndo} />
          </>
        )}
      </div>
    </div>
  );
}

interface UndoProps extends Pick<ActionsProps, 'isBusy' | 'onUndo'> {
  readonly rows: Report['rows'];
  /** Nothing of what would be made is there. */
  readonly isPlan: boolean;
}

/** Button that asks before what was made is deleted, and says how much it is. */
function Undo({ rows, isPlan, isBusy, onUndo }: UndoProps) {
  const [isAsking, setAsking] = useState(false);
  const words = t.monitorsImport;
  const absent = isPlan ? ['made', 'differently', 'not_made'] : ['not_made'];
  const count = rows.filter(({ outcome }) => !absent.includes(outcome)).length;
  return (
    <>
      <Button kind="danger" busy={isBusy} onClick={() => setAsking(true)}>
        {words.undo}
      </Button>
      {isAsking && (
        <Confirm
          title={words.undoTitle(count)}
          action={words.undoAction(count)}
          onClose={() => setAsking(false)}
          onConfirm={onUndo}
        >
          <p>{words.undoText}</p>
        </Confirm>
      )}
    </>
  );
}
