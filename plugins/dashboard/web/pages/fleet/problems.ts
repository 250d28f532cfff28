import {
  BellOff,
  CalendarX2,
  Clock,
  Container,
  HardDrive,
  type IconNode,
  MemoryStick,
  PackageOpen,
  ShieldAlert,
  Siren,
  Thermometer,
  Unplug,
  UserCheck,
} from 'lucide';
import type { AlertWords } from '../../frame/index.ts';
import { type Alert, ackedText, hiddenText, inOrder, isSilenced } from '../../parts/alert/index.ts';
import { expiryNote } from '../../parts/expiry.ts';
import { format } from '../../parts/index.ts';
import { spaceMood } from '../../parts/space.ts';
import { t } from '../../strings/index.ts';
import type { Vital } from './model.ts';
import type { Note } from './notes.ts';

export interface Problem {
  readonly kind:
    | `alert ${number}`
    | 'offline'
    | 'disk'
    | 'memory'
    | 'heat'
    | 'containers'
    | 'clock'
    | 'refused'
    | 'expiry'
    | 'old';
  /** `calm`: somebody has it, or it is ending. */
  readonly mood: 'calm' | 'warn' | 'bad';
  readonly icon: IconNode;
  /** A sentence without the name. */
  readonly text: string;
  /** The same in a few words, where there is little room; default: the sentence. */
  readonly short?: string;
  /** Says how the machine is, and asks for nothing: the alerts decide what does. */
  readonly isQuiet?: boolean;
}

/** Tells whether something of this asks for attention. */
export const needsLook = (problems: readonly Problem[]): boolean =>
  problems.some(({ isQuiet }) => isQuiet !== true);

/** Part of the memory from which it is full. */
const MEMORY_FULL = 0.95;
const MEMORY_GONE = 0.98;
/** A refusal of longer ago is no news, ms. */
const REFUSED_MS = 3_600_000;

/** What is known of a machine besides its figures. */
export interface Known {
  readonly note: Note | undefined;
  readonly serverVersion: string;
  /** Its open alerts; undefined: the server has none, or not for this token, and this page judges by itself. */
  readonly alerts: readonly Alert[] | undefined;
  readonly words: AlertWords;
}

/** The worst first. */
const MOODS: readonly Problem['mood'][] = ['bad', 'warn', 'calm'];
export const rankOf = ({ mood }: Problem): number => MOODS.indexOf(mood);

/** Problems of a machine, the worst first. Where there are alerts, they say what rules look at, so that both places agree. */
export function problemsOf(vital: Vital, known: Known): Problem[] {
  const { note, serverVersion, alerts } = known;
  const found = alerts ? byAlerts(vital, known, alerts) : byFigures(vital, note, serverVersion);
  return found.filter((problem) => problem !== undefined).sort((a, b) => rankOf(a) - rankOf(b));
}

function byAlerts(vital: Vital, { note, serverVersion, words }: Known, alerts: readonly Alert[]) {
  const away = offline(vital);
  const told = inOrder(alerts).filter(
    (alert) => alert.severity !== 'info' && (alert.hidden_by === null || isSilenced(alert)),
  );
  return [
    away && { ...away, isQuiet: true },
    ...told.map((alert) => ofAlert(alert, words)),
    heat(vital, note),
    containers(vital, note),
    expiry(note),
    old(vital, serverVersion),
  ];
}

/** Problem that an alert tells of. */
export function ofAlert(alert: Alert, { titleOf, measuredOf }: AlertWords): Problem {
  const { id, part, severity, state, acked_by } = alert;
  const rule = titleOf(alert.rule);
  const value = measuredOf(alert);
  const what = part === '' ? rule : `${rule} (${part})`;
  const text = value === '' ? what : t.fleet.alert(what, value);
  const hidden = hiddenText(alert);
  const isEnding = state === 'clearing';
  // The text ends with the silence, the ending or the acknowledgement.
  const more =
    hidden ?? (isEnding ? t.alert.ending : acked_by === null ? undefined : ackedText(acked_by));
  const isCalm = hidden !== undefined || isEnding;
  return {
    kind: `alert ${id}`,
    mood: isCalm ? 'calm' : severity === 'critical' ? 'bad' : 'warn',
    icon: hidden !== undefined ? BellOff : acked_by === null ? Siren : UserCheck,
    text: more === undefined ? text : `${text} · ${more}`,
    short: more === undefined ? rule : `${rule} · ${more}`,
    ...(hidden !== undefined && { isQuiet: true }),
  };
}

function byFigures(vital: Vital, note: Note | undefined, serverVersion: string) {
  return [
    offline(vital),
    refused(vital),
    disk(vital),
    memory(vital),
    heat(vital, note),
    containers(vital, note),
    expiry(note),
    clock(vital),
    old(vital, serverVersion),
  ];
}

function offline({ isOnline, seenAt }: Vital): Problem | undefined {
  if (isOnline) return undefined;
  const common = { kind: 'offline', mood: 'bad', icon: Unplug } as const;
  if (seenAt === undefined) return { ...common, text: t.fleet.never };
  const silent = Date.now() - seenAt;
  return {
    ...common,
    text: t.fleet.offlineSince(format.when(seenAt), format.duration(silent)),
    short: t.fleet.offlineFor(format.duration(silent)),
  };
}

function disk({ disk: part, row }: Vital): Problem | undefined {
  const mood = spaceMood(row?.total_space, row?.available_space);
  if (part === undefined || mood === undefined) return undefined;
  const full = format.text(format.percent(Math.floor(part * 100)));
  return {
    kind: 'disk',
    mood,
    icon: HardDrive,
    text: t.fleet.diskFull(full, format.text(format.bytes(row?.available_space ?? 0))),
    short: t.fleet.diskFullShort(full),
  };
}

function memory({ memory: part, isOnline }: Vital): Problem | undefined {
  if (!isOnline || part === undefined || part < MEMORY_FULL) return undefined;
  return {
    kind: 'memory',
    mood: part >= MEMORY_GONE ? 'bad' : 'warn',
    icon: MemoryStick,
    text: t.fleet.memoryFull(format.text(format.percent(Math.floor(part * 100)))),
  };
}

function heat({ isOnline }: Vital, { hottest }: Note = {}): Problem | undefined {
  if (!isOnline || !hottest) return undefined;
  const [now, limit] = [hottest.celsius, hottest.limit].map((one) => `${format.number(one)} °C`);
  return {
    kind: 'heat',
    mood: hottest.celsius >= hottest.limit ? 'bad' : 'warn',
    icon: Thermometer,
    text: t.fleet.hot(hottest.name, now ?? '', limit ?? ''),
    short: t.fleet.hotShort(now ?? ''),
  };
}

function containers({ isOnline }: Vital, { sick = [] }: Note = {}): Problem | undefined {
  const [first] = sick;
  if (!isOnline || first === undefined) return undefined;
  return {
    kind: 'containers',
    mood: 'warn',
    icon: Container,
    text: t.fleet.sick(sick.slice(0, 3).join(', '), sick.length),
    short: t.fleet.sickShort(sick.length),
  };
}

function expiry(note: Note = {}): Problem | undefined {
  const found = expiryNote(note.end);
  return found && { kind: 'expiry', icon: CalendarX2, ...found };
}

function clock({ clockOff_ms: off }: Vital): Problem | undefined {
  if (off === undefined) return undefined;
  const text = format.duration(Math.abs(off));
  return {
    kind: 'clock',
    mood: 'warn',
    icon: Clock,
    text: off > 0 ? t.fleet.clockAhead(text) : t.fleet.clockBehind(text),
  };
}

function refused({ machine }: Vital): Problem | undefined {
  const last = machine?.last_refusal;
  if (!last || Date.now() - last.time > REFUSED_MS || last.time < (machine.last_seen ?? 0))
    return undefined;
  return {
    kind: 'refused',
    mood: 'bad',
    icon: ShieldAlert,
    text: t.fleet.refused(last.reason),
    short: t.fleet.refusedShort,
  };
}

function old({ machine }: Vital, serverVersion: string): Problem | undefined {
  const [mine, other] = [machine?.version ?? '', serverVersion].map((text) =>
    /^v?(\d+)\.(\d+)/.exec(text)?.slice(1).map(Number),
  );
  if (!mine || !other) return undefined;
  const [major = 0, minor = 0] = mine;
  const [wantedMajor = 0, wantedMinor = 0] = other;
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return undefined;
  return {
    kind: 'old',
    mood: 'warn',
    icon: PackageOpen,
    text: t.fleet.old(machine?.version ?? '', serverVersion),
    short: t.fleet.oldShort(machine?.version ?? ''),
  };
}
