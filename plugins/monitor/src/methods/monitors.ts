import type { Outcome } from '@svc/checks';
import { DryRun, described, type Methods, needs, type Principal, Type } from '@svc/plugin-sdk';
import type { Changes } from '../changes.ts';
import { nextCallOf } from '../heartbeat/index.ts';
import { FORMS } from '../kinds.ts';
import { mayDo } from '../permissions.ts';
import {
  CertificateAnswer,
  KindAnswer,
  LastAnswer,
  MonitorAnswer,
  MonitorChange,
  MonitorName,
  NewMonitor,
  OrNull,
  PlaceAnswer,
  Time,
} from '../schemas.ts';
import type { AnswerStore } from '../store/answers.ts';
import type { CertificateStore } from '../store/certificates.ts';
import type { StateStore } from '../store/states.ts';
import type { Monitor, State } from '../types.ts';
import { placeWord } from '../words.ts';
import { type AnswerParts, monitorAnswer } from './answers.ts';

export interface MonitorMethodParts extends AnswerParts {
  readonly changes: Changes;
  readonly states: StateStore;
  readonly certificates: CertificateStore;
  readonly answers: AnswerStore;
  /** Name of a place: `server`, or the UUID of an agent. */
  readonly placeName: (place_id: number) => string;
}

export const on = (word: Parameters<typeof mayDo>[0]) =>
  needs(({ name }: { readonly name: string }) => mayDo(word, name));

/** `monitor_kinds`, `_create`, `_update`, `_set_enable`, `_delete` and `_get`. */
export function addMonitorMethods(methods: Methods, parts: MonitorMethodParts): void {
  addCreate(methods, parts);
  addUpdate(methods, parts);
  addSwitch(methods, parts);
  addGet(methods, parts);
  methods.add('monitor_kinds', {
    summary: 'The kinds of monitors, with the fields of their forms.',
    addition: true,
    params: {},
    result: Type.Array(KindAnswer),
    access: 'authenticated',
    handle: () => FORMS.map(({ fields, ...form }) => ({ ...form, fields: [...fields] })),
  });
}

const answered = (parts: MonitorMethodParts, monitor: Monitor, caller: Principal) =>
  monitorAnswer(parts, monitor, caller);

function addCreate(methods: Methods, parts: MonitorMethodParts): void {
  methods.add('monitor_create', {
    summary: 'Makes a monitor.',
    description:
      'The caller owns it: it runs while its token may write it, and reaches private addresses only where it is the Super Token, or where `[monitor] allow_private` names them.',
    addition: true,
    secret: true,
    params: {
      monitor: described(NewMonitor, 'Name, kind and fields (`monitor_kinds`).'),
      dry_run: DryRun,
    },
    result: MonitorAnswer,
    audit: ({ monitor, dry_run }) => (dry_run ? undefined : monitor.name),
    access: { needs: ({ monitor }) => mayDo('write', monitor.name) },
    async handle({ monitor, dry_run }, { caller }) {
      const made = await parts.changes.create(monitor, caller, dry_run === true);
      return answered(parts, made, caller);
    },
  });
}

function addUpdate(methods: Methods, parts: MonitorMethodParts): void {
  methods.add('monitor_update', {
    summary: 'Changes a monitor; the caller owns it from then on.',
    description:
      'Members that are absent stay as they are; null takes the default. `spec` comes as a whole; the kind never changes. Who changes `spec`, `secret`, `places`, `condition` or `upside_down` owns the monitor. Secret fields that are absent stay, unless the host changes or another owner than the Super Token comes: then they are emptied and named in `emptied`. A secret field that is null is emptied. With another name the right is asked for both.',
    addition: true,
    secret: true,
    params: {
      name: MonitorName,
      change: described(MonitorChange, 'The members that change.'),
      dry_run: DryRun,
    },
    result: Type.Interface([MonitorAnswer], {
      emptied: Type.Array(Type.String(), {
        description: 'Secret fields that were emptied because others could read them.',
      }),
    }),
    audit: ({ name, dry_run }) => (dry_run ? undefined : name),
    access: {
      needs: ({ name, change }) => {
        const names = [...new Set([name, change.name ?? name])];
        const own = mayDo('write', name);
        return { ...own, scopes: names.map((monitor) => ({ monitor })) };
      },
    },
    async handle({ name, change, dry_run }, { caller }) {
      const { changes } = parts;
      const { monitor, emptied } = await changes.update(name, change, caller, dry_run === true);
      return { ...(await answered(parts, monitor, caller)), emptied: [...emptied] };
    },
  });
}

function addSwitch(methods: Methods, parts: MonitorMethodParts): void {
  methods.add('monitor_set_enable', {
    summary: 'Switches a monitor on or off; its owner stays.',
    addition: true,
    secret: true,
    params: {
      name: MonitorName,
      enable: Type.Boolean({ description: 'False: nothing is checked.' }),
    },
    result: MonitorAnswer,
    audit: ({ name }) => name,
    access: on('write'),
    handle: async ({ name, enable }, { caller }) =>
      answered(parts, await parts.changes.setEnable(name, enable), caller),
  });
  methods.add('monitor_delete', {
    summary: 'Deletes a monitor with its results, outages and certificates.',
    addition: true,
    params: { name: MonitorName },
    result: Type.Object({ success: Type.Boolean() }),
    audit: ({ name }) => name,
    access: on('delete'),
    async handle({ name }) {
      await parts.changes.remove(name);
      return { success: true };
    },
  });
}

function addGet(methods: Methods, parts: MonitorMethodParts): void {
  const { certificates, changes, placeName, placing, states } = parts;
  const stateAnswer = (row: State, problem: string | undefined) => {
    const { place_id, state, since, last_at, ms, code, detail } = row;
    return {
      ...{ place: placeName(place_id), state: placeWord(state), since, last_at, ms, code, detail },
      problem: problem ?? null,
    };
  };
  methods.add('monitor_get', {
    summary:
      'A monitor without its secrets, what each place says, and the certificates that it saw.',
    addition: true,
    secret: true,
    params: { name: MonitorName },
    result: Type.Interface([MonitorAnswer], {
      states: Type.Array(PlaceAnswer),
      certificates: Type.Array(CertificateAnswer),
      last_answer: OrNull(LastAnswer),
      next_at: OrNull(Time('Unix ms at which the next call of a heartbeat is expected.')),
    }),
    description:
      '`last_answer` is what the target sent last that was not good; it shows with `monitor` `answer`, else it is null.',
    access: on('read'),
    async handle({ name }, { caller }) {
      const monitor = await changes.monitor(name);
      const rows = await states.ofMonitors([monitor.id]);
      const seen = await certificates.ofMonitor(monitor.id);
      return {
        ...(await answered(parts, monitor, caller)),
        states: placing.states(monitor, rows).map(([row, problem]) => stateAnswer(row, problem)),
        certificates: seen.map(({ place_id, at, inspection }) => ({
          ...{ place: placeName(place_id), at },
          ...certificateAnswer(inspection),
        })),
        last_answer: await lastAnswer(parts, monitor, caller),
        next_at: nextCallOf(monitor, rows[0]),
      };
    },
  });
}

async function lastAnswer(
  { answers, auth, placeName }: MonitorMethodParts,
  { id, name }: Monitor,
  caller: Principal,
) {
  const last = await answers.last(id);
  if (!last || !(await auth.allows(caller, mayDo('answer', name)))) return null;
  return { at: last.at, place: placeName(last.place_id), text: last.text };
}

/** Returns what a place saw of certificates. */
export const certificateAnswer = (inspection: NonNullable<Outcome['certificate']>) => ({
  ...inspection,
  names: [...inspection.names],
  chain: inspection.chain.map((one) => ({ ...one })),
  missing: [...inspection.missing],
});
