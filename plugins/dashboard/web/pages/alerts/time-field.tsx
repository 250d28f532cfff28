import { Field } from '../../parts/index.ts';

/** Time of the day as `HH:MM`; empty while it is incomplete. */
export const TimeField = (props: {
  readonly label: string;
  readonly time: string;
  readonly onTime: (time: string) => void;
}) => (
  <Field label={props.label}>
    {(ids) => (
      <input
        {...ids}
        class="input"
        type="time"
        required
        value={props.time}
        onInput={({ currentTarget: { value } }) => props.onTime(value)}
      />
    )}
  </Field>
);
