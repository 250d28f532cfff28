import { AArrowDown, AArrowUp, ClipboardPaste, Copy, Plus, Search, Settings2, X } from 'lucide';
import { useState } from 'preact/hooks';
import { Button, Menu, type MenuItem } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { copySelection, paste } from './clipboard.ts';
import { AddressDialog } from './dialogs/address.tsx';
import {
  copiesOnSelect,
  fontSize,
  isSearching,
  setCopiesOnSelect,
  setFontSize,
} from './settings.ts';
import type { Shell } from './shell.ts';
import type { Screen } from './xterm.ts';

interface Props {
  readonly shell: Shell;
  /** A dialog of the toolbar is closed. */
  readonly onDone: () => void;
  readonly onNew: () => void;
  readonly onClose: () => void;
}

export function Toolbar({ shell, onDone, onNew, onClose }: Props) {
  const screen = shell.screen.value;
  const [isAddressing, setAddressing] = useState(false);
  return (
    <div class="terminal-tools">
      <Button kind="quiet" icon={Plus} label={t.terminal.another} onClick={onNew} />
      <span class="terminal-wide">
        <Button
          kind="quiet"
          icon={AArrowDown}
          label={t.terminal.smaller}
          onClick={() => setFontSize(fontSize.value - 1)}
        />
        <Button
          kind="quiet"
          icon={AArrowUp}
          label={t.terminal.larger}
          onClick={() => setFontSize(fontSize.value + 1)}
        />
      </span>
      <Button
        kind="quiet"
        icon={Search}
        label={t.terminal.searchHint}
        pressed={isSearching.value}
        onClick={() => {
          isSearching.value = !isSearching.value;
        }}
      />
      <Menu
        label={t.terminal.more}
        icon={Settings2}
        items={itemsOf(screen, () => setAddressing(true))}
      />
      <Button kind="quiet" icon={X} label={t.terminal.closeShell} onClick={onClose} />
      {isAddressing && (
        <AddressDialog
          onClose={() => {
            setAddressing(false);
            onDone();
          }}
        />
      )}
    </div>
  );
}

function itemsOf(screen: Screen | undefined, onAddress: () => void): readonly MenuItem[] {
  return [
    {
      label: t.terminal.copy,
      icon: Copy,
      onSelect: () => screen && void copySelection(screen, true),
    },
    {
      label: t.terminal.paste,
      icon: ClipboardPaste,
      onSelect: () => screen && void paste(screen),
    },
    {
      label: t.terminal.larger,
      icon: AArrowUp,
      onSelect: () => setFontSize(fontSize.value + 1),
    },
    {
      label: t.terminal.smaller,
      icon: AArrowDown,
      onSelect: () => setFontSize(fontSize.value - 1),
    },
    {
      label: t.terminal.copyOnSelect,
      checked: copiesOnSelect.value,
      separated: true,
      onSelect: () => setCopiesOnSelect(!copiesOnSelect.value),
    },
    { label: t.terminal.address, onSelect: onAddress },
  ];
}
