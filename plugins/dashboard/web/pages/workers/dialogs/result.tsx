import { Dialog, format, prettyJson } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import type { Result } from '../model.ts';
import { Outcome, Text } from '../outcome.tsx';

interface Props {
  readonly name: string;
  readonly result: Result;
  readonly onClose: () => void;
  readonly onLine: (line: number) => void;
}

/** One run: its parameters and what it gave. */
export const ResultDialog = ({ name, result, onClose, onLine }: Props) => (
  <Dialog wide title={t.workers.runOf(format.dateTime(result.start_time ?? 0))} onClose={onClose}>
    {result.param !== null && result.param !== undefined && (
      <>
        <h3>{t.workers.params}</h3>
        <Text text={prettyJson(result.param)} />
      </>
    )}
    <Outcome
      name={name}
      result={result}
      onLine={(line) => {
        onClose();
        onLine(line);
      }}
    />
  </Dialog>
);
