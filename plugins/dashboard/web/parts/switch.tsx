import { useEffect, useState } from 'preact/hooks';
import { attempt } from './toast.tsx';

interface Props {
  /** The thing that is switched, as the server tells of it. */
  readonly of: { readonly enable: boolean };
  readonly label: string;
  readonly title?: (isOn: boolean) => string;
  readonly disabled: boolean;
  readonly onSet: (enable: boolean) => Promise<unknown>;
}

/** Switch that shows what is wanted until the server has said so. */
export function Switch({ of, label, title, disabled, onSet }: Props) {
  const [wanted, setWanted] = useState<boolean>();
  const isOn = wanted ?? of.enable;
  useEffect(() => setWanted(undefined), [of]);
  const toggle = () =>
    attempt(async () => {
      setWanted(!isOn);
      try {
        await onSet(!isOn);
      } catch (error) {
        setWanted(undefined);
        throw error;
      }
    });
  return (
    <button
      type="button"
      role="switch"
      class="switch"
      aria-checked={isOn}
      aria-label={label}
      title={title?.(isOn)}
      disabled={disabled}
      onClick={() => void toggle()}
    />
  );
}
