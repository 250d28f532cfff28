import { CalendarClock, Pencil, Plus, Trash2 } from 'lucide';
import { Loaded, type Resource, useServer } from '../../../frame/index.ts';
import { mayAll } from '../../../parts/alert/index.ts';
import { grouped } from '../../../parts/grouped.ts';
import { Card, ConfirmButton, DialogButton, Empty } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { MatcherText } from '../silences/matcher.tsx';
import { Calendar } from './calendar.tsx';
import { NextFive, WindowDialog } from './dialog.tsx';
import { useWindowRemoval, type Window } from './model.ts';

/** Windows of maintenance, each with its next times. */
export function Windows({ windows }: { readonly windows: Resource<Window[]> }) {
  const server = useServer();
  const mayWrite = mayAll(server, 'silence');
  return (
    <Card
      title={t.alerts.windows}
      actions={
        mayWrite && (
          <DialogButton
            kind="plain"
            icon={Plus}
            dialog={(close) => (
              <WindowDialog window={undefined} onClose={close} onDone={windows.refresh} />
            )}
          >
            {t.alerts.newWindow}
          </DialogButton>
        )
      }
    >
      <Loaded of={windows} what={t.alerts.unreadable}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon={CalendarClock} title={t.alerts.noWindows}>
              {t.alerts.windowsHint}
            </Empty>
          ) : (
            <div class="alerts-window-times">
              <ul class="alerts-lines">
                {list.map((window) => (
                  <Row
                    key={window.id}
                    window={window}
                    mayWrite={mayWrite}
                    onDone={windows.refresh}
                  />
                ))}
              </ul>
              <Calendars windows={list} />
            </div>
          )
        }
      </Loaded>
    </Card>
  );
}

/** One calendar for all windows of a zone. */
function Calendars({ windows }: { readonly windows: readonly Window[] }) {
  const zones = grouped(
    windows.filter(({ enable }) => enable),
    ({ zone }) => zone,
  );
  return (
    <div class="stack">
      {[...zones].map(([zone, own]) => (
        <div key={zone}>
          <p class="muted small">{t.alerts.calendar(zone)}</p>
          <Calendar zone={zone} active={own.flatMap(({ next }) => next)} />
        </div>
      ))}
    </div>
  );
}

interface RowProps {
  readonly window: Window;
  readonly mayWrite: boolean;
  readonly onDone: () => void;
}

function Row({ window, mayWrite, onDone }: RowProps) {
  const { name, scope, zone, effect, active, enable, next } = window;
  const remove = useWindowRemoval(name, onDone);
  return (
    <li class="alerts-window">
      <div class="row">
        <div class="grow">
          <strong>{name}</strong> {active && <span class="tag warn">{t.alerts.isActive}</span>}
          {!enable && <span class="tag">{t.alerts.isOff}</span>}
          <div class="muted small">
            <MatcherText scope={scope} /> · {t.alerts.effects[effect]} · {zone}
          </div>
        </div>
        {mayWrite && (
          <>
            <DialogButton
              icon={Pencil}
              label={t.alerts.windowTitle(name)}
              dialog={(close) => <WindowDialog window={window} onClose={close} onDone={onDone} />}
            />
            <ConfirmButton
              icon={Trash2}
              label={t.alerts.windowRemove(name)}
              title={t.alerts.windowRemove(name)}
              action={t.alerts.remove}
              onConfirm={remove}
            >
              <p>{t.alerts.windowRemoveText}</p>
            </ConfirmButton>
          </>
        )}
      </div>
      <NextFive zone={zone} spans={next} />
    </li>
  );
}
