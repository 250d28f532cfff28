import { signal } from '@preact/signals';
import { units } from './chart/units.ts';
import { bitRate, byteRate, bytes, type Figure, traffic } from './format.ts';

type NetworkUnit = 'bits' | 'bytes';

const KEY = 'svc-network-unit';
/** Unit in which people want their network: bits, as lines are sold, or bytes. */
export const networkUnit = signal<NetworkUnit>(
  localStorage.getItem(KEY) === 'bytes' ? 'bytes' : 'bits',
);
export function chooseNetworkUnit(unit: NetworkUnit): void {
  networkUnit.value = unit;
  localStorage.setItem(KEY, unit);
}
const isBits = () => networkUnit.value === 'bits';

/** Bytes a second of a network: Mbit/s, or MiB/s where people chose bytes. */
export const networkRate = (bytesPerSecond: number): Figure =>
  isBits() ? bitRate(bytesPerSecond) : byteRate(bytesPerSecond);
/**
 * Bytes that a network has moved, in steps of 1000 where rates are bits and of 1024 where they are bytes: one system on a
 * page.
 */
export const networkAmount = (count: number): Figure => (isBits() ? traffic(count) : bytes(count));

/** The same for charts. */
export const networkRateUnit = () => (isBits() ? units.bitRate : units.byteRate);
export const networkAmountUnit = () => (isBits() ? units.traffic : units.bytes);
