import { Clock, HardDrive, type IconNode, PackageOpen, ShieldAlert, Unplug } from 'lucide';
import { format } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import type { Vital } from './model.ts';

export interface Problem {
  readonly kind: 'offline' | 'disk' | 'clock' | 'refused' | 'old';
  readonly mood: 'warn' | 'bad';
  readonly icon: IconNode;
  /** A sentence without the name. */
  readonly text: string;
}

const DISK_FULL = 0.9;
/** A refusal of longer ago is no news, ms. */
const REFUSED_MS = 3_600_000;

/** What asks for a look, the worst first. */
export function problemsOf(vital: Vital, serverVersion: string): Problem[] {
  return [
    offline(vital),
    disk(vital),
    clock(vital),
    refused(vital),
    old(vital, serverVersion),
  ].filter((problem) => problem !== undefined);
}

function offline({ isOnline, seenAt }: Vital): Problem | undefined {
  if (isOnline) return undefined;
  return {
    kind: 'offline',
    mood: 'bad',
    icon: Unplug,
    text:
      seenAt === undefined
        ? t.fleet.never
        : t.fleet.offlineSince(format.when(seenAt), format.duration(Date.now() - seenAt)),
  };
}

function disk({ disk: part, row }: Vital): Problem | undefined {
  if (part === undefined || part < DISK_FULL) return undefined;
  return {
    kind: 'disk',
    mood: part >= 0.95 ? 'bad' : 'warn',
    icon: HardDrive,
    text: t.fleet.diskFull(
      format.text(format.percent(Math.floor(part * 100))),
      format.text(format.bytes(row?.available_space ?? 0)),
    ),
  };
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
  return { kind: 'refused', mood: 'bad', icon: ShieldAlert, text: t.fleet.refused(last.reason) };
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
  };
}
