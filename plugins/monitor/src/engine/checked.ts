import type { Checked } from '@svc/checks';
import type { Fault } from '@svc/conditions';
import type { SecretPlace, Secrets } from '@svc/plugin-notify/api';
import { checkSpecOf, hostOf } from '../spec.ts';
import { CHECKED, type CheckedKind, type Kind, type Monitor } from '../types.ts';
import { conditionOf } from './condition.ts';

/** Tells whether monitors of a kind are checked at places. */
export const isChecked = (kind: Kind): kind is CheckedKind =>
  CHECKED.some((checked) => checked === kind);

/** Place to which the secrets of a monitor are bound. */
export const secretPlace = ({ id, kind }: Pick<Monitor, 'id' | 'kind'>): SecretPlace => ({
  id,
  kind: `monitor ${kind}`,
});

/** Returns the first fault of a condition in words, with its place. */
export function faultText([fault]: readonly Fault[]): string {
  const { message, from, to } = fault ?? { message: 'it cannot be read', from: 0, to: 0 };
  return `condition, characters ${from} to ${to}: ${message}`;
}

const NO_SECRETS =
  'it has secrets, and the plugin notify, which has their key, does not run: list notify under plugins';

/** Returns the check of a monitor, or why there is none. */
export function checkedOf(
  monitor: Monitor,
  secrets: Secrets | undefined,
): Checked<Monitor> | { readonly problem: string } {
  const { kind } = monitor;
  if (!isChecked(kind)) return { problem: `monitors of the kind ${kind} are not checked` };
  const compiled = conditionOf(kind, monitor.condition);
  if ('faults' in compiled) return { problem: faultText(compiled.faults) };
  const secret = secretOf(monitor, secrets);
  if ('problem' in secret) return secret;
  const spec = checkSpecOf(kind, monitor.spec, secret.values);
  return { monitor, spec, condition: compiled.condition, host: hostOf(monitor) };
}

/** Returns the secrets of a monitor, or why they cannot be opened. */
export function secretOf(
  monitor: Pick<Monitor, 'id' | 'kind' | 'secret'>,
  secrets: Secrets | undefined,
): { readonly values: Readonly<Record<string, unknown>> } | { readonly problem: string } {
  if (Object.keys(monitor.secret).length === 0) return { values: {} };
  if (!secrets) return { problem: NO_SECRETS };
  if (secrets.problem !== undefined) return { problem: secrets.problem };
  try {
    return { values: secrets.unseal(secretPlace(monitor), monitor.secret) };
  } catch {
    return {
      problem: 'its secrets cannot be opened with the key of this server: write them again',
    };
  }
}
