import { signal } from '@preact/signals';
import type { IconNode } from 'lucide';
import { useEffect } from 'preact/hooks';

/** One line of the palette. */
export interface Command {
  readonly id: string;
  readonly label: string;
  /** Group that it is listed in: "Go to", "Machines". */
  readonly group: string;
  readonly icon?: IconNode;
  /** Words that find it, too. */
  readonly words?: string;
  readonly run: () => void;
}

type Source = () => readonly Command[];
const sources = new Set<Source>();

/** Everything that can be done now; asked when the palette is open. */
export const commands = (): Command[] => [...sources].flatMap((source) => source());

/** Adds commands for as long as the component is shown. `source` is called at each opening and key, so keep it quick. */
export function useCommands(source: Source): void {
  useEffect(() => {
    sources.add(source);
    return () => void sources.delete(source);
  });
}

export const isPaletteOpen = signal(false);
