import { AArrowDown, AArrowUp, ClipboardPaste, Copy, Plus, Search, Settings2, X } from 'lucide';
import { useState } from 'preact/hooks';
import { useServer } from '../../frame/index.ts';
import { Button, Dialog, Menu, TextField, toast } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import {
  addressForAgents,
  copiesOnSelect,
  fontSize,
  isSearching,
  setAddressForAgents,
  setCopiesOnSelect,
  setFontSize,
} from './settings.ts';
import type { Shell } from './shell.ts';
import { copySelection, paste } from './shell-view.tsx';

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
        items={[
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
          { label: t.terminal.address, onSelect: () => setAddressing(true) },
        ]}
      />
      <Button kind="quiet" icon={X} label={t.terminal.closeShell} onClick={onClose} />
      {isAddressing && (
        <Address
          onClose={() => {
            setAddressing(false);
            onDone();
          }}
        />
      )}
    </div>
  );
}

/** Where machines find the server: behind a tunnel or a proxy it is another place than the browser's. */
export function Address({ onClose }: { readonly onClose: () => void }) {
  const server = useServer();
  const [text, setText] = useState(addressForAgents(server).replace(/\/auto_gen$/, ''));
  const [error, setError] = useState<string>();
  const save = () => {
    if (!setAddressForAgents(server, text)) return setError(t.terminal.addressWrong);
    toast(t.terminal.addressKept);
    onClose();
  };
  return (
    <Dialog
      title={t.terminal.address}
      onClose={onClose}
      actions={
        <>
          <span class="grow" />
          <Button onClick={onClose}>{t.parts.cancel}</Button>
          <Button kind="primary" onClick={save}>
            {t.terminal.save}
          </Button>
        </>
      }
    >
      <TextField
        label={t.terminal.addressLabel}
        hint={t.terminal.addressHint}
        error={error}
        value={text}
        mono
        onText={setText}
      />
    </Dialog>
  );
}
