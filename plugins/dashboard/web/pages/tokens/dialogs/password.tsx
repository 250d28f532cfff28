import { useState } from 'preact/hooks';
import { passwordMistake } from '../../../frame/index.ts';
import { FormDialog, TextField, toast } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { type Token, useTokenActions } from '../model.ts';

interface Props {
  readonly token: Token;
  readonly onClose: () => void;
}

/** Another password for the user of a token. */
export function ChangePassword({ token, onClose }: Props) {
  const { changePassword } = useTokenActions(token);
  const [password, setPassword] = useState('');
  const unfit = password.includes(':') ? t.tokens.passwordSign : undefined;
  return (
    <FormDialog
      title={t.tokens.passwordTitle(token.username ?? '')}
      action={t.tokens.changePassword}
      disabled={password === '' || unfit !== undefined}
      onClose={onClose}
      onSubmit={async () => {
        await changePassword(password);
        toast(t.tokens.passwordChanged);
      }}
      atField={passwordMistake}
    >
      {(mistake) => (
        <>
          <p>{t.tokens.passwordText}</p>
          <TextField
            label={t.tokens.newPassword}
            type="password"
            value={password}
            hint={t.tokens.passwordHint}
            error={unfit ?? mistake}
            autocomplete="new-password"
            autofocus
            onText={setPassword}
          />
        </>
      )}
    </FormDialog>
  );
}
