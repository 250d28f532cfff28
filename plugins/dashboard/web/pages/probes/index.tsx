import { Plus } from 'lucide';
import { Loaded, setQuery, useServer } from '../../frame/index.ts';
import { DialogButton, ErrorNote, Select } from '../../parts/index.ts';
import {
  AddProbe,
  keyOfProbe,
  mayAddProbe,
  NoProbes,
  type Probe,
  useProbes,
} from '../../parts/probe/index.ts';
import { t } from '../../strings/index.ts';
import { RANGES, type Range, useChoice } from './model.ts';
import { MonitorPlaces } from './monitor-places.tsx';
import { Target } from './target.tsx';
import { TurnAll } from './turn-buttons.tsx';
import './probes.css';

/** Everything that is measured: the answer of the machines first, then those that need attention. The choice stands in the address. */
export default function Probes() {
  const probes = useProbes();
  const onAdded = (key: string) => {
    probes.refresh();
    setQuery({ probe: key, machine: undefined, kind: undefined });
  };
  return (
    <div class="page">
      <Loaded of={probes} what={t.probes.unreadable}>
        {(list) =>
          list.length === 0 ? (
            <>
              <MonitorPlaces />
              <NoProbes onAdded={onAdded} />
            </>
          ) : (
            <Found list={list} onAdded={onAdded} onTurned={probes.refresh} />
          )
        }
      </Loaded>
    </div>
  );
}

interface Props {
  readonly list: readonly Probe[];
  readonly onAdded: (key: string) => void;
}

interface FoundProps extends Props {
  readonly onTurned: () => void;
}

function Found({ list, onAdded, onTurned }: FoundProps) {
  const { range, ms, kind, totals, usual, asked, open, drawn, machine } = useChoice(list);
  return (
    <div class="stack">
      <Head {...{ list, kind, range, onAdded }} />
      <MonitorPlaces />
      <TurnAll list={list} onTurned={onTurned} />
      {totals.error !== undefined && (
        <ErrorNote what={t.probes.unreadable} error={totals.error} onRetry={totals.refresh} />
      )}
      {drawn.map((probe) => (
        <Target
          key={keyOfProbe(probe)}
          probe={probe}
          totals={totals.data}
          usual={usual}
          ms={ms}
          isOpen={probe === open}
          isAsked={probe === asked}
          chosen={probe === asked ? machine : undefined}
        />
      ))}
    </div>
  );
}

interface HeadProps extends Props {
  readonly kind: string;
  readonly range: Range;
}

function Head({ list, kind, range, onAdded }: HeadProps) {
  const server = useServer();
  const kinds = [...new Set(list.map((one) => one.kind))];
  return (
    <div class="page-head">
      <h1 class="grow">{t.frame.pages.probes}</h1>
      {kinds.length > 1 && (
        <Select
          bare
          label={t.probes.kind}
          value={kind}
          options={[
            { value: '', label: t.probes.allKinds },
            ...kinds.map((value) => ({ value: value as string, label: t.probes.kinds[value] })),
          ]}
          onChange={(value) => setQuery({ kind: value })}
        />
      )}
      <Select<Range>
        bare
        label={t.chart.range.label}
        value={range}
        options={(Object.keys(RANGES) as Range[]).map((value) => ({
          value,
          label: t.chart.range.last(t.chart.range.presets[value]),
        }))}
        onChange={(value) => setQuery({ range: value })}
      />
      {mayAddProbe(server) && (
        <DialogButton
          kind="primary"
          icon={Plus}
          dialog={(close) => <AddProbe onAdded={onAdded} onClose={close} />}
        >
          {t.probes.add.open}
        </DialogButton>
      )}
    </div>
  );
}
