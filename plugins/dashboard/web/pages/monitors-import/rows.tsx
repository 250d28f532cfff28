import type { Methods } from '@svc/client';
import { Card, sentenceOf } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';

/** What the server says of a file. */
export type Report = Methods['monitor_import_plan']['result'];

/** What was not made, or differently, first: it asks for a look. */
const FIRST = ['not_made', 'differently'];
const rankOf = (outcome: string): number => {
  const at = FIRST.indexOf(outcome);
  return at < 0 ? FIRST.length : at;
};
const inOrder = (rows: Report['rows']) =>
  rows.toSorted((a, b) => rankOf(a.outcome) - rankOf(b.outcome));

/** What became of each thing of the file; notes are as long as they are. */
export function Rows({ rows }: { readonly rows: Report['rows'] }) {
  const words = t.monitorsImport;
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={words.table}>
      <table class="import-table">
        <thead>
          <tr>
            {[words.outcome, words.name, words.kind, words.notes].map((label) => (
              <th key={label}>{label}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {inOrder(rows).map(({ item, name, as, was, kind, outcome, notes }) => (
            <tr key={item}>
              <td class={outcome === 'not_made' ? 'import-not' : ''}>{words.outcomes[outcome]}</td>
              <td>{as ?? name}</td>
              <td>{[...new Set([was, kind])].filter((one) => one !== '').join(' → ')}</td>
              <td class="muted">{notes.map(sentenceOf).join('; ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Conditions as they were, and as they are. */
export function Rewritings({ of }: { readonly of: Report['rewritings'] }) {
  const words = t.monitorsImport;
  if (of.length === 0) return null;
  return (
    <Card title={words.rewritings} flush>
      <div class="table-scroll" tabIndex={0} role="region" aria-label={words.rewritings}>
        <table class="import-table">
          <thead>
            <tr>
              <th>{words.before}</th>
              <th>{words.after}</th>
            </tr>
          </thead>
          <tbody>
            {of.map(({ from, to }) => (
              <tr key={from}>
                <td>
                  <code>{from}</code>
                </td>
                <td>
                  <code>{to}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}
