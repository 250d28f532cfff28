import { useServer } from '../../../frame/index.ts';
import { Button, Card, ErrorNote, TextField } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { SaveConfiguration } from '../dialogs/save-configuration.tsx';
import { isText, useRules } from './rules-model.ts';

interface Props {
  readonly text: string;
  /** Days of `retention.keep_days` where the file says nothing; 0: forever. */
  readonly standard: number;
  readonly onSaved: () => void;
}

/** Key that changes on the machine only: a thief of a login must not make the server forget it. */
const FILE_ONLY = 'audit.keep_days';

/** The rules of the file as fields; what a change of them is, is shown before it is saved. */
export function Rules({ text, standard, onSaved }: Props) {
  const { may } = useServer();
  const s = t.server.retention;
  const { rules, textOf, type, isChanged, isLess, review, draft, error, close } = useRules(
    text,
    standard,
  );
  const mayEdit = may('svc-server_edit_config') !== false;
  const actions = mayEdit && (
    <Button disabled={!isChanged} onClick={review}>
      {t.server.configuration.review}
    </Button>
  );
  return (
    <Card title={s.rules} actions={actions}>
      <div class="stack">
        <div class="server-rules">
          {rules.map((rule) => (
            <TextField
              key={rule.name}
              label={s.names[rule.name]}
              hint={s.hints[rule.name]}
              type={isText(rule) ? 'text' : 'number'}
              min={0}
              placeholder={rule.standard}
              disabled={!mayEdit || rule.name === FILE_ONLY}
              value={textOf(rule)}
              onText={(value) => type(rule, value)}
            />
          ))}
        </div>
        {error !== undefined && <ErrorNote what={s.otherForm} error={error} />}
      </div>
      {draft !== undefined && (
        <SaveConfiguration {...{ before: text, after: draft, onSaved }} onClose={close}>
          {isLess && <p class="note warn">{s.lost}</p>}
        </SaveConfiguration>
      )}
    </Card>
  );
}
