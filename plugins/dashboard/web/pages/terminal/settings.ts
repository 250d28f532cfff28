import { signal } from '@preact/signals';
import type { Server } from '../../frame/index.ts';

const FONT = 'svc-terminal-font';
const COPY = 'svc-terminal-copy';
export const FONT_SIZES = { least: 9, usual: 13, most: 28 } as const;

/** px; stays on the device. */
export const fontSize = signal(clamped(Number(localStorage.getItem(FONT)) || FONT_SIZES.usual));
/** Selecting copies. */
export const copiesOnSelect = signal(localStorage.getItem(COPY) !== 'no');

/** The bar that searches is open. */
export const isSearching = signal(false);

function clamped(size: number): number {
  return Math.min(FONT_SIZES.most, Math.max(FONT_SIZES.least, size));
}

export function setFontSize(size: number): void {
  fontSize.value = clamped(size);
  localStorage.setItem(FONT, `${fontSize.value}`);
}

export function setCopiesOnSelect(copies: boolean): void {
  copiesOnSelect.value = copies;
  localStorage.setItem(COPY, copies ? 'yes' : 'no');
}

const addressKey = ({ origin }: Server) => `svc-terminal-address ${origin}`;

/** Address at which machines find the server: that of this browser, unless another one was written. */
export function addressForAgents(server: Server): string {
  const own = `${server.origin.replace(/^http/, 'ws')}/auto_gen`;
  return localStorage.getItem(addressKey(server)) ?? own;
}

/** `text`: `wss://mon.example.net`, or nothing for the usual one. @returns false: it is no address */
export function setAddressForAgents(server: Server, text: string): boolean {
  if (text.trim() === '') {
    localStorage.removeItem(addressKey(server));
    return true;
  }
  try {
    const { protocol, host } = new URL(text.trim().replace(/^http/, 'ws'));
    if (!/^wss?:$/.test(protocol) || host === '') return false;
    localStorage.setItem(addressKey(server), `${protocol}//${host}/auto_gen`);
    return true;
  } catch {
    return false;
  }
}
