import { Radar, Search, Server } from 'lucide';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/index.ts';
import { useListedMonitors } from '../parts/monitor/listed.ts';
import { t } from '../strings/index.ts';
import { type Command, commands, isPaletteOpen } from './commands.ts';
import { useMachines } from './machines.ts';
import { navigate, to } from './router.tsx';

/** Lines that are shown at once. */
const MOST = 50;

/** Finds lines: every word must begin a word of the line, in any order; lines that begin with the text come first. */
export function matches(all: readonly Command[], text: string): Command[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return all.slice(0, MOST);
  const words = wanted.split(/\s+/);
  const scored: [score: number, command: Command][] = [];
  for (const command of all) {
    const line = `${command.label} ${command.words ?? ''}`.toLowerCase();
    if (!words.every((word) => line.includes(word))) continue;
    scored.push([line.startsWith(wanted) ? 0 : line.includes(` ${wanted}`) ? 1 : 2, command]);
  }
  return scored
    .sort(([a], [b]) => a - b)
    .slice(0, MOST)
    .map(([, command]) => command);
}

/** `⌘K`, `Ctrl K`: jumps to what is named, and runs what is asked for. */
export function Palette() {
  return isPaletteOpen.value ? <OpenPalette /> : null;
}

function OpenPalette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  // Before the next key: Escape must find it open.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const found = matches([...commands(), ...useMachineCommands(), ...useMonitorCommands()], text);
  const close = () => {
    isPaletteOpen.value = false;
  };
  const run = (command: Command | undefined) => {
    if (!command) return;
    close();
    command.run();
  };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) {
      event.preventDefault();
      setAt((at + step + found.length) % found.length);
    } else if (event.key === 'Enter' && !event.isComposing) {
      event.preventDefault();
      run(found[at]);
    }
  };
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label={t.frame.searchShort}
      onCancel={close}
      onMouseDown={(event) => event.target === dialog.current && close()}
    >
      <PaletteInput
        text={text}
        active={found.length > 0 ? `command-${at}` : undefined}
        onText={(typed) => {
          setText(typed);
          setAt(0);
        }}
        onKey={onKey}
      />
      <div id="palette-list" class="palette-list" role="listbox" aria-label={t.frame.searchShort}>
        {found.map((command, index) => (
          <PaletteLine
            key={command.id}
            command={command}
            index={index}
            isCurrent={index === at}
            group={found[index - 1]?.group === command.group ? undefined : command.group}
            onRun={() => run(command)}
            onEnter={() => setAt(index)}
          />
        ))}
      </div>
      {found.length === 0 && <p class="muted palette-none">{t.frame.nothingFound}</p>}
    </dialog>
  );
}

function useMachineCommands(): readonly Command[] {
  const { list = [] } = useMachines();
  return list.map(({ uuid, name, host_name, tags, address }) => ({
    id: uuid,
    label: name,
    group: t.frame.machines,
    icon: Server,
    words: [uuid, host_name, address, ...(tags ?? [])].join(' '),
    run: () => navigate(to('agent', uuid)),
  }));
}

function useMonitorCommands(): readonly Command[] {
  return useListedMonitors().map(({ name, target, group, tags }) => ({
    id: `monitor ${name}`,
    label: name,
    group: t.frame.pages.monitors,
    icon: Radar,
    words: [target, group ?? '', ...tags].join(' '),
    run: () => navigate(to('monitors', name)),
  }));
}

interface InputProps {
  readonly text: string;
  /** Id of the line that Enter runs. */
  readonly active: string | undefined;
  readonly onText: (text: string) => void;
  readonly onKey: (event: KeyboardEvent) => void;
}

function PaletteInput({ text, active, onText, onKey }: InputProps) {
  return (
    <div class="palette-input">
      <Icon of={Search} />
      <input
        autofocus
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={active}
        aria-label={t.frame.search}
        placeholder={t.frame.search}
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
        onKeyDown={onKey}
      />
    </div>
  );
}

interface LineProps {
  readonly command: Command;
  readonly index: number;
  readonly isCurrent: boolean;
  readonly group: string | undefined;
  readonly onRun: () => void;
  readonly onEnter: () => void;
}

function PaletteLine({ command, index, isCurrent, group, onRun, onEnter }: LineProps) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isCurrent) ref.current?.scrollIntoView({ block: 'nearest' });
  }, [isCurrent]);
  return (
    // The keys are the combobox's, which names this line as its active one.
    <div
      ref={ref}
      id={`command-${index}`}
      role="option"
      aria-selected={isCurrent}
      onClick={onRun}
      onMouseMove={() => !isCurrent && onEnter()}
    >
      {command.icon && <Icon of={command.icon} />}
      <span class="grow ellipsis">{command.label}</span>
      {group !== undefined && <span class="muted small">{group}</span>}
    </div>
  );
}
