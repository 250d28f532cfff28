/** Line that people paste into the shell of a machine. Both parts hold no character that a shell takes apart. */
export interface Line {
  /** `https://fleet.example.net:2211/svc/enrol`, with the brand's word. */
  readonly base: string;
  readonly pin: string | undefined;
  readonly code: string;
  /** Fingerprint of the key that signs what the machine gets. */
  readonly key: string;
}

export const curlLine = ({ base, pin, code, key }: Line): string =>
  `curl -fsS${pin ? `k --pinnedpubkey '${pin}'` : ''} ${base}/install | sh -s -- ${code} --key ${key}`;

export const wgetLine = ({ base, pin, code, key }: Line): string =>
  `wget -qO- ${pin ? `--no-check-certificate --pinnedpubkey='${pin}' ` : ''}${base}/install | sh -s -- ${code} --key ${key}`;
