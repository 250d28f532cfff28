import { Loaded } from '../../../frame/index.ts';
import { t } from '../../../strings/index.ts';
import { ConfigurationNotes } from '../configuration/notes.tsx';
import { useConfigurationFile, useStorage } from '../model.ts';
import { Limits } from './limits.tsx';
import { useLimits, useStandardDays } from './model.ts';
import { Rules } from './rules.tsx';

/** Things that the server keeps, how much of it there is, and for how long: limits of single tables, and the rules of the file. */
export function Retention() {
  const file = useConfigurationFile();
  const storage = useStorage();
  const limits = useLimits();
  const standard = useStandardDays();
  return (
    <Loaded of={file} what={t.server.configuration.unreadable}>
      {(text) => (
        <div class="stack">
          <ConfigurationNotes />
          <Loaded of={limits} what={t.server.retention.unreadable}>
            {(stored) => (
              <Limits
                key={JSON.stringify(stored)}
                of={{ stored, text, standard }}
                sizes={storage.data?.tables}
                onSaved={limits.refresh}
              />
            )}
          </Loaded>
          <Rules key={text} text={text} standard={standard} onSaved={file.refresh} />
        </div>
      )}
    </Loaded>
  );
}
