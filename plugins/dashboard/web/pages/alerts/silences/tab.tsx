import { BellOff, Plus, TimerOff } from 'lucide';
import { useState } from 'preact/hooks';
import { Loaded, type Resource, useServer, useTokenName } from '../../../frame/index.ts';
import {
  Card,
  Checkbox,
  ConfirmButton,
  DialogButton,
  Empty,
  format,
} from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { TimesNote } from '../times-note.tsx';
import { Windows } from '../windows/list.tsx';
import { useWindows } from '../windows/model.ts';
import { SilenceDialog } from './dialogs/silence.tsx';
import { MatcherText } from './matcher.tsx';
import { type Silence, useSilences, useSilencing } from './model.ts';

/** What is not told: silences that people have set, and windows of maintenance. */
export function SilencesTab() {
  const [isPast, setPast] = useState(false);
  const silences = useSilences(isPast);
  const windows = useWindows();
  return (
    <div class="stack">
      <Silences silences={silences} isPast={isPast} onPast={setPast} />
      <Windows windows={windows} />
    </div>
  );
}

interface Props {
  readonly silences: Resource<Silence[]>;
  readonly isPast: boolean;
  readonly onPast: (isPast: boolean) => void;
}

function Silences({ silences, isPast, onPast }: Props) {
  const { holds } = useServer();
  return (
    <Card
      title={t.alerts.silences}
      actions={
        <>
          <Checkbox label={t.alerts.past} checked={isPast} onChange={onPast} />
          {holds('alert', 'silence') && (
            <DialogButton
              kind="plain"
              icon={Plus}
              dialog={(close) => <SilenceDialog onClose={close} onDone={silences.refresh} />}
            >
              {t.alerts.newSilence}
            </DialogButton>
          )}
        </>
      }
    >
      <Loaded of={silences} what={t.alerts.unreadable}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon={BellOff} title={t.alerts.noSilences}>
              {t.alerts.silencesHint}
            </Empty>
          ) : (
            <>
              <ul class="alerts-lines">
                {list.map((silence) => (
                  <Row key={silence.id} silence={silence} onDone={silences.refresh} />
                ))}
              </ul>
              <TimesNote />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

function Row({ silence, onDone }: { readonly silence: Silence; readonly onDone: () => void }) {
  const server = useServer();
  const tokenName = useTokenName();
  const { end } = useSilencing(onDone);
  const { id, scope, reason, created_by, starts_at, ends_at, ended_by, hides } = silence;
  const now = Date.now();
  const isOver = ended_by !== null || ends_at <= now;
  const when =
    starts_at > now
      ? t.alerts.fromTo(format.when(starts_at), format.when(ends_at))
      : isOver
        ? t.alerts.endedAt(format.when(ends_at))
        : t.alerts.endsIn(format.when(ends_at), format.duration(ends_at - now));
  const mayEnd = (scope.agents ?? ['']).every((uuid) => server.covers('alert', 'silence', uuid));
  const who =
    created_by === null
      ? t.frame.superToken
      : tokenName({ token_key: created_by, username: null, token_limit: [] });
  return (
    <li>
      <div class="grow">
        <strong>{reason}</strong>
        <div class="muted small">
          <MatcherText scope={scope} /> · {when} · {who}
        </div>
      </div>
      {!isOver && starts_at <= now && <span class="small">{t.alerts.hidesNow(hides)}</span>}
      {!isOver && mayEnd && (
        <ConfirmButton
          icon={TimerOff}
          label={t.alerts.endSilence}
          title={t.alerts.endSilence}
          action={t.alerts.endSilence}
          onConfirm={() => end(id)}
        >
          <p>{reason}</p>
        </ConfirmButton>
      )}
    </li>
  );
}
