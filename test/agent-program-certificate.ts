/** A self-signed certificate, written by hand: Node can sign one but has nothing that composes it. */
import { generateKeyPairSync, sign } from 'node:crypto';

function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const size = body.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);
const time = (text: string) => der(0x17, Buffer.from(text));
const ECDSA_SHA256 = sequence(der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
const COMMON_NAME = der(0x06, Buffer.from('550403', 'hex'));

const pem = (label: string, body: Buffer) =>
  `-----BEGIN ${label}-----\n${body.toString('base64')}\n-----END ${label}-----\n`;

/** Key and certificate in PEM for one common name, valid from 2020 to 2049 or another `YYMMDDhhmmssZ`. */
export function selfSigned(name: string, until = '491231235959Z'): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(name)))));
  const content = sequence(
    der(0x02, Buffer.from([1])),
    ECDSA_SHA256,
    subject,
    sequence(time('200101000000Z'), time(until)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = sign('sha256', content, privateKey);
  const certificate = sequence(content, ECDSA_SHA256, der(0x03, Buffer.from([0]), signature));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: pem('CERTIFICATE', certificate),
  };
}
