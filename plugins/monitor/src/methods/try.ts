import {
  type Checked,
  type CheckSpec,
  judgeOutcome,
  type Network,
  type Outcome,
  run,
} from '@svc/checks';
import { type Secrets, TestLimits, type Values } from '@svc/plugin-notify/api';
import {
  type Clock,
  described,
  type Methods,
  optional,
  type Principal,
  RpcError,
  Type,
} from '@svc/plugin-sdk';
import type { Owners } from '@svc/plugin-token/api';
import type { Changes } from '../changes.ts';
import { checkedOf, isChecked } from '../engine/checked.ts';
import { mayDo } from '../permissions.ts';
import { MonitorName, NewMonitor, TryAnswer } from '../schemas.ts';
import { checkSpecOf } from '../spec.ts';
import type { Monitor } from '../types.ts';
import { certificateAnswer, on } from './monitors.ts';
import type { CheckPace } from './pace.ts';

/** Bytes of a variable that an answer shows. */
const MOST_SHOWN = 4_000;

export interface TryParts {
  readonly clock: Clock;
  readonly changes: Changes;
  readonly owners: Owners;
  readonly secrets: Secrets | undefined;
  readonly networkFor: (owner: string | null) => Network;
  readonly user_agent: string;
  readonly pace: CheckPace;
  /** Has monitors checked now, by whichever servers check them. */
  readonly due: (ids: readonly number[]) => void;
}

/** `monitor_try` and `monitor_check_now`. */
export function addTryMethods(methods: Methods, parts: TryParts): void {
  addTry(methods, parts);
  addCheckNow(methods, parts);
}

function addTry(methods: Methods, parts: TryParts): void {
  const limits = new TestLimits(parts.clock);
  methods.add('monitor_try', {
    summary: 'Checks once what a monitor would check, stored or not, and tells what was measured.',
    description:
      'It runs on the server that is asked; nothing is stored. What a stored monitor measures shows to its owner and to the Super Token only.',
    addition: true,
    secret: true,
    params: {
      name: described(optional(MonitorName), 'A stored monitor.'),
      monitor: described(
        optional(NewMonitor),
        'A monitor as `monitor_create` takes it, in the place of `name`.',
      ),
    },
    result: TryAnswer,
    audit: ({ name, monitor }) => name ?? monitor?.name,
    prepare: ({ name, monitor }) => ({
      name: name ?? monitor?.name ?? '',
      monitor: monitor ?? undefined,
      isOne: (name ?? undefined) === undefined ? !!monitor : !monitor,
    }),
    access: { needs: ({ name }) => mayDo('write', name) },
    check({ isOne }) {
      if (!isOne) throw RpcError.invalid('give either name or monitor');
    },
    async handle({ name, monitor }, { caller, signal }) {
      const { changes, owners, secrets } = parts;
      const checked = monitor
        ? await unsaved(changes, monitor, caller)
        : runnable(checkedOf(await changes.monitor(name), secrets));
      const { owner } = checked.monitor;
      const isOwn = monitor !== undefined || caller.super || owners.of(caller) === owner;
      const outcome = await limits.run(owners.of(caller), () => tried(parts, checked, signal));
      return answerOf(checked, outcome, isOwn);
    },
  });
}

async function unsaved(
  changes: Changes,
  given: Parameters<Changes['check']>[0],
  caller: Principal,
): Promise<Checked<Monitor>> {
  const { monitor, secret } = await changes.check(given, caller);
  const checked = runnable(checkedOf(monitor, undefined));
  return { ...checked, spec: specOf(checked, secret) };
}

function specOf({ monitor: { kind, spec } }: Checked<Monitor>, secret: Values): CheckSpec {
  if (!isChecked(kind)) throw RpcError.invalid(`monitors of the kind ${kind} are not checked`);
  return checkSpecOf(kind, spec, secret);
}

function runnable(checked: ReturnType<typeof checkedOf>): Checked<Monitor> {
  if ('problem' in checked) throw RpcError.invalid(checked.problem);
  return checked;
}

function tried(
  { clock, networkFor, user_agent }: TryParts,
  { monitor: { owner, timeout_s }, spec }: Checked<Monitor>,
  signal: AbortSignal,
): Promise<Outcome> {
  const network = networkFor(owner);
  return run(spec, { network, timeout_ms: timeout_s * 1_000, signal, clock, user_agent });
}

function answerOf({ monitor, condition }: Checked<Monitor>, outcome: Outcome, isOwn: boolean) {
  const { ok, ms, code, detail } = judgeOutcome(outcome, condition, monitor.upside_down);
  const { sample = null, certificate } = outcome;
  return {
    ...{ ok: ok === true, ms, code, detail },
    values: isOwn ? shownValues(outcome.values) : {},
    sample: isOwn ? sample : null,
    certificate: certificate ? certificateAnswer(certificate) : null,
  };
}

const shownValues = (values: Outcome['values']): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([, value]) => value !== undefined && JSON.stringify(value).length <= MOST_SHOWN,
    ),
  );

function addCheckNow(methods: Methods, { changes, clock, due, owners, pace }: TryParts): void {
  const limits = new TestLimits(clock);
  methods.add('monitor_check_now', {
    summary: 'Has a monitor checked within a second or two, by the servers that check it.',
    description:
      'Once in `[monitor] min_interval_s` seconds for a monitor; a `domain` no sooner than an hour after its last check.',
    addition: true,
    params: { name: MonitorName },
    result: Type.Object({ success: Type.Boolean() }),
    audit: ({ name }) => name,
    access: on('write'),
    async handle({ name }, { caller }) {
      const monitor = await changes.monitor(name);
      const { id, kind, enable } = monitor;
      if (!isChecked(kind)) throw RpcError.invalid(`monitors of the kind ${kind} are not checked`);
      if (!enable) throw RpcError.invalid('the monitor is switched off: switch it on first');
      await limits.run(owners.of(caller), () => pace.demand(monitor));
      due([id]);
      return { success: true };
    },
  });
}
