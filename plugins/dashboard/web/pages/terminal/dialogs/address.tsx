import { useState } from 'preact/hooks';
import { useServer } from '../../../frame/index.ts';
import { FormDialog, TextField, toast } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { addressForAgents, setAddressForAgents } from '../settings.ts';

/** Asks where machines find the server: with a tunnel or a proxy that is another address than the browser's. */
export function AddressDialog({ onClose }: { readonly onClose: () => void }) {
  const server = useServer();
  const [text, setText] = useState(addressForAgents(server).replace(/\/auto_gen$/, ''));
  return (
    <FormDialog
      title={t.terminal.address}
      action={t.terminal.save}
      onClose={onClose}
      onSubmit={async () => {
        if (!setAddressForAgents(server, text)) throw new Error(t.terminal.addressWrong);
        toast(t.terminal.addressKept);
      }}
      atField={(error) => (error instanceof Error ? error.message : undefined)}
    >
      {(mistake) => (
        <TextField
          label={t.terminal.addressLabel}
          hint={t.terminal.addressHint}
          error={mistake}
          value={text}
          mono
          onText={setText}
        />
      )}
    </FormDialog>
  );
}
