import { Loaded } from '../../../../frame/index.ts';
import { Dialog, format } from '../../../../parts/index.ts';
import { t } from '../../../../strings/index.ts';
import { useVerification } from '../model.ts';

/** Tells whether the chains of the record hold: every row is counted over again. */
export function Verification({ onClose }: { readonly onClose: () => void }) {
  const s = t.server.audit;
  const found = useVerification();
  return (
    <Dialog title={s.verify} onClose={onClose}>
      <Loaded of={found} what={s.uncheckable}>
        {({ ok, chains }) => (
          <div class="stack">
            <p class={ok ? '' : 'bad'}>{ok ? s.holds : s.broken}</p>
            <ul class="stack">
              {chains.map(({ chain, rows, problems }) => (
                <li key={chain}>
                  <code>{chain.slice(0, 8)}</code> {s.rows(format.number(rows))}
                  {problems.slice(0, 5).map(({ seq, problem }) => (
                    <div key={seq} class="bad">
                      {s.problem(format.number(seq), problem)}
                    </div>
                  ))}
                </li>
              ))}
            </ul>
          </div>
        )}
      </Loaded>
    </Dialog>
  );
}
