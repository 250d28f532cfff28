import type { ComponentChildren } from 'preact';
import type { Resource } from '../../../frame/resources.ts';
import { Amount, format } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import type { Monitor } from '../model.ts';
import { uptimeFigure } from '../uptime-figure.ts';
import { certificateEnd, SOON_DAYS } from './certificates.tsx';
import { downText, type Span, spanDays, type Uptime } from './uptime.tsx';

/** Spans that are shown, days. */
const SPANS = [1, 30];

interface Props {
  readonly monitor: Monitor;
  readonly uptime: Resource<Uptime>;
}

/** The answer first: the last check, the uptime, the certificate, as figures. */
export function Figures({ monitor, uptime }: Props) {
  const spans = uptime.data?.spans ?? [];
  return (
    <dl class="card monitors-figures">
      <Last monitor={monitor} />
      {SPANS.map((days) => (
        <UptimeFigure key={days} days={days} span={spans.find((span) => spanDays(span) === days)} />
      ))}
      <CertificateFigure monitor={monitor} />
    </dl>
  );
}

interface FigureProps {
  readonly label: string;
  readonly note?: string;
  readonly title?: string;
  readonly mood?: 'warn' | 'bad' | undefined;
  readonly children: ComponentChildren;
}

const Figure = ({ label, note, title, mood, children }: FigureProps) => (
  <div title={title}>
    <dt>{label}</dt>
    <dd class={`monitors-figure ${mood === undefined ? '' : `monitors-${mood}`}`}>{children}</dd>
    {note !== undefined && <dd class="muted small">{note}</dd>}
  </div>
);

function Last({ monitor }: Pick<Props, 'monitor'>) {
  const { kind, states, verdict } = monitor;
  const [one] = states;
  if (kind === 'heartbeat') return <Calls monitor={monitor} />;
  if (kind === 'group' || states.length > 1) {
    const { up, down, unknown } = verdict;
    return (
      <Figure label={kind === 'group' ? t.monitors.membersUp : t.monitors.placesUp}>
        {format.number(up)}
        <span class="unit"> / {format.number(up + down + unknown)}</span>
      </Figure>
    );
  }
  if (!one) return null;
  const { ms, code, last_at } = one;
  const said = code !== null && code > 0 ? [t.monitors.status(code)] : [];
  const note = [...said, format.ago(Date.now() - last_at)].join(' · ');
  return (
    <Figure label={t.monitors.lastCheck} note={note} title={format.dateTime(last_at)}>
      <Amount of={ms === null ? undefined : format.milliseconds(ms)} />
    </Figure>
  );
}

function Calls({ monitor: { states, next_at, verdict } }: Pick<Props, 'monitor'>) {
  const [one] = states;
  const isCalled = one !== undefined && one.state !== 'unknown';
  const late = next_at === null ? 0 : Date.now() - next_at;
  return (
    <>
      <Figure
        label={t.monitors.heartbeat.last}
        {...(isCalled && {
          note: format.ago(Date.now() - one.last_at),
          title: format.dateTime(one.last_at),
        })}
      >
        {isCalled ? format.when(one.last_at) : '–'}
      </Figure>
      {next_at !== null && (
        <Figure
          label={t.monitors.heartbeat.next}
          note={
            late > 0
              ? t.monitors.heartbeat.late(format.duration(late))
              : t.monitors.heartbeat.left(format.duration(-late))
          }
          title={format.dateTime(next_at)}
          mood={late > 0 && verdict.state === 'down' ? 'bad' : undefined}
        >
          {format.when(next_at)}
        </Figure>
      )}
    </>
  );
}

interface UptimeProps {
  readonly days: number;
  readonly span: Span | undefined;
}

const UptimeFigure = ({ days, span }: UptimeProps) => (
  <Figure
    label={t.monitors.uptimeOf(t.monitors.spans(days))}
    note={
      span === undefined || span.uptime === null
        ? t.monitors.tooLittle
        : t.monitors.downFor(downText(span))
    }
  >
    <Amount of={span && uptimeFigure(span.uptime)} />
  </Figure>
);

function CertificateFigure({ monitor: { certificates } }: Pick<Props, 'monitor'>) {
  const ends = certificates.flatMap((one) => certificateEnd(one) ?? []);
  const first = ends.toSorted((a, b) => a.days - b.days)[0];
  if (!first) return null;
  const { days, not_after } = first;
  const isValid = certificates.every(({ valid }) => valid);
  return (
    <Figure
      label={t.monitors.certificate}
      note={t.monitors.until(format.day(not_after))}
      mood={!isValid || days < 0 ? 'bad' : days < SOON_DAYS ? 'warn' : undefined}
    >
      {days < 0 ? (
        t.monitors.expired
      ) : isValid ? (
        <Amount of={{ value: format.number(days), unit: t.units.day }} />
      ) : (
        t.monitors.notValid
      )}
    </Figure>
  );
}
