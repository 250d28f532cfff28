// A real browser on a root bucket: module script, font, range request of a video, JSON-RPC over WebSocket on the same `/`.
// proof only: 5
import { existsSync } from 'node:fs';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { squareFont } from './browser-font.ts';
import { suite } from './runner/suite.ts';

const WAIT_MS = 30_000;
const programs = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const program = process.env['SVC_CHROMIUM'] ?? programs.find((path) => existsSync(path));
const driver = await loadDriver();
const missing = [driver ? undefined : 'playwright-core', program ? undefined : 'chromium'].filter(
  (name) => name !== undefined,
);

/** The package is a development dependency of the root; a partial install may lack it. */
async function loadDriver(): Promise<any> {
  const name: string = 'playwright-core';
  try {
    const { chromium } = await import(name);
    return chromium;
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

const index = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>site</title>
<link rel="stylesheet" href="css/site.css">
<script type="module" src="js/app.mjs?v=1"></script></head>
<body><p id="letter">A</p><video id="clip" src="media/clip.webm" muted></video></body></html>`;

const css = `@font-face { font-family: Square; src: url("../fonts/square.ttf"); }
#letter { font: 100px Square, monospace; display: inline-block; }`;

/** Fills \`window.seen\`; every member is a promise that the test waits for. */
const app = `import { word } from './part.mjs';
const video = document.getElementById('clip');
const call = (method) => new Promise((resolve, reject) => {
  const socket = new WebSocket(location.origin.replace('http', 'ws') + '/');
  socket.onerror = () => reject(new Error('WebSocket'));
  socket.onopen = () => socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }));
  socket.onmessage = ({ data }) => resolve(JSON.parse(data).result);
});
const part = async () => {
  const response = await fetch('media/clip.webm', { headers: { range: 'bytes=100-199' } });
  return [response.status, (await response.arrayBuffer()).byteLength];
};
const loaded = () => new Promise((resolve, reject) => {
  video.onerror = () => reject(new Error('video: ' + video.error.message));
  const done = () => resolve([video.videoWidth, video.videoHeight]);
  if (video.readyState >= 2) done(); else video.onloadeddata = done;
});
const font = async () => {
  const faces = await document.fonts.load('100px Square', 'A');
  await document.fonts.ready;
  return [faces.length, document.getElementById('letter').getBoundingClientRect().width];
};
window.seen = Promise.all([word, call('svc-server_hello'), part(), loaded(), font()]);
`;

/** Records half a second of a moving picture in the browser itself. */
const record = `(async () => {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [64, 48];
  const pen = canvas.getContext('2d');
  const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: 'video/webm;codecs=vp8' });
  const chunks = [];
  recorder.ondataavailable = ({ data }) => chunks.push(data);
  const stopped = new Promise((resolve) => { recorder.onstop = resolve; });
  let frames = 0;
  const draw = () => {
    pen.fillStyle = 'hsl(' + frames * 40 + ' 90% 50%)';
    pen.fillRect(0, 0, 64, 48);
    if (++frames === 15) recorder.stop(); else setTimeout(draw, 40);
  };
  recorder.start();
  draw();
  await stopped;
  const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
})()`;

const test = suite('browser');
if (missing.length > 0) process.stdout.write(`  skipped: ${missing.join(' and ')} not installed\n`);

(missing.length > 0 ? test.skip : test)(
  'a small site from a root bucket works while its WebSocket speaks JSON-RPC on the same /',
  async () => {
    const plugins = ['token', 'server-info', 'static-bucket', 'static-bucket-file'];
    const server: TestApp = await bootForTest(plugins);
    // The container's user is root and has no user namespaces: chromium's own sandbox cannot start.
    const args = ['--no-sandbox', '--disable-gpu'];
    const browser = await driver.launch({ executablePath: program, headless: true, args });
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(WAIT_MS);
      await publish(server, await page.evaluate(record));
      const answers = new Map<string, any>();
      const problems: string[] = [];
      page.on('response', (response: any) => {
        // The script asks for a part of the same file, before or after the player does.
        const kind = response.request().resourceType();
        if (!answers.has(kind)) answers.set(kind, response);
      });
      page.on('pageerror', (error: Error) => problems.push(error.message));
      page.on('requestfailed', (request: any) => problems.push(`failed: ${request.url()}`));
      await page.goto(`${server.url}/`);
      await page.waitForFunction('window.seen !== undefined');
      const [word, hello, part, video, font] = await page.evaluate('window.seen');
      assert.is(word, 'from a module');
      assert.is(hello, 'svc Server Is Running!');
      assert.equal(part, [206, 100]);
      assert.equal(video, [64, 48]);
      assert.equal(font, [1, 100], 'the letter is as wide as the font says');
      const clip = answers.get('media');
      assert.is(clip.status(), 206, 'the browser asks for a range and gets it');
      assert.match((await clip.allHeaders())['content-range'], /^bytes 0-\d+\/\d+$/);
      assert.equal(problems, []);

      await page.reload();
      await page.waitForFunction('window.seen !== undefined');
      assert.equal((await page.evaluate('window.seen')).slice(0, 2), [word, hello]);
    } finally {
      await browser.close();
      await server.stop();
    }
  },
);

/** Uploads the site and makes it the root. */
async function publish(server: TestApp, video: string): Promise<void> {
  const token = server.superToken;
  await server.call('static-bucket_create', [token, 'site', 'site', true, false]);
  const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');
  const files: [path: string, base64: string][] = [
    ['index.html', base64(index)],
    ['css/site.css', base64(css)],
    ['js/app.mjs', base64(app)],
    ['js/part.mjs', base64("export const word = 'from a module';")],
    ['fonts/square.ttf', base64(squareFont())],
    ['media/clip.webm', video],
    ['favicon.ico', ''],
  ];
  for (const [path, content] of files)
    await server.call('static-bucket-file_upload', [token, 'site', path, null, content]);
}

test.run();
