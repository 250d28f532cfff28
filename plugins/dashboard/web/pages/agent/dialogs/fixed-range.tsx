import { useState } from 'preact/hooks';
import { Button, Dialog, Form, format, TextField } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { showTime } from '../charts/span.ts';

interface Props {
  readonly from: number;
  readonly to: number;
  readonly keptFrom: number | undefined;
  readonly onClose: () => void;
}

/** Choice of a beginning and an end, by this device's clock. */
export function FixedRange({ from, to, keptFrom, onClose }: Props) {
  const [begin, setBegin] = useState(format.localInput(from));
  const [end, setEnd] = useState(format.localInput(to));
  const [first, last] = [Date.parse(begin), Date.parse(end)];
  const isGood = last - first >= 60_000;
  const submit = () => {
    if (!isGood) return;
    showTime(first, last);
    onClose();
  };
  return (
    <Dialog title={t.agent.range.fixedTitle} onClose={onClose}>
      <Form onSubmit={submit}>
        <TextField
          label={t.agent.range.from}
          type="datetime-local"
          value={begin}
          onText={setBegin}
          {...(keptFrom !== undefined && { hint: t.agent.range.kept(format.dateTime(keptFrom)) })}
        />
        <TextField
          label={t.agent.range.to}
          type="datetime-local"
          value={end}
          onText={setEnd}
          error={isGood ? undefined : t.agent.range.backwards}
        />
        <div class="row">
          <span class="grow" />
          <Button type="submit" kind="primary" disabled={!isGood}>
            {t.agent.range.show}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
