import { type Answer, Refusal, XML_TYPE } from '../answers.ts';
import { xmlBody } from '../bodies.ts';
import { APACHE, DAV, WIN32_NAMES } from '../live-properties.ts';
import { BEGIN, END, propstat, responseElement } from '../multistatus.ts';
import { emptyProperty, propertyName } from '../property-names.ts';
import type { DavRequest } from '../request.ts';
import type { PropertyChange } from '../store-properties.ts';
import { davChildren, type Element, elementsOf, isDav, textIn } from '../xml/parse.ts';
import { elementText } from '../xml/write.ts';

/** Longest stored element in bytes of UTF-8. A longer one is answered with 507. */
const MAX_VALUE_BYTES = 8_192;
const PROTECTED = '<D:error><D:cannot-modify-protected-property/></D:error>';
/** Properties whose empty value is answered with 409 instead of 403 (static-http.md §B7). */
const TEXTS = ['displayname', 'getcontentlanguage', 'getlastmodified'];

interface Instruction {
  readonly name: string;
  readonly element: Element;
  readonly isSet: boolean;
}

/** Changes properties, all or none (RFC 4918 §9.2). */
export async function proppatch(request: DavRequest): Promise<Answer> {
  const root = await xmlBody(request);
  if (!root || !isDav(root, 'propertyupdate')) throw new Refusal(400);
  const instructions = instructionsOf(root);
  if (instructions.length === 0) throw new Refusal(400);
  const found = await request.mustExist();
  await request.checkConditions(found);
  await request.checkLocks({ path: request.key });
  const statuses = instructions.map(statusOf);
  const refused = statuses.some((status) => status !== 200);
  const stored = refused || (await keep(request, instructions));
  const outcome = statuses.map((status) => {
    if (!stored) return 507;
    return refused && status === 200 ? 424 : status;
  });
  const inner = [...new Set(outcome)].map((status) => {
    const names = instructions.filter((_, at) => outcome[at] === status).map(({ name }) => name);
    const elements = [...new Set(names)].map(emptyProperty);
    return propstat(status, elements, status === 403 ? PROTECTED : '');
  });
  const href = request.href(request.path, found.isDirectory());
  const body = BEGIN + responseElement(href, inner.join('')) + END;
  return { status: 207, headers: XML_TYPE, body };
}

/** The changes, in the order of the document. */
const instructionsOf = (root: Element): Instruction[] =>
  elementsOf(root)
    .filter((child) => isDav(child, 'set') || isDav(child, 'remove'))
    .flatMap((child) => {
      const isSet = child.local === 'set';
      const properties = davChildren(child, 'prop').flatMap(elementsOf);
      return properties.map((element) => ({ name: propertyName(element), element, isSet }));
    });

function statusOf({ name, element, isSet }: Instruction): number {
  if (element.uri === DAV) return isSet && isBadText(element) ? 409 : 403;
  if (element.uri === APACHE) return 403;
  if (!isSet || WIN32_NAMES.has(name)) return 200;
  return Buffer.byteLength(elementText(element)) > MAX_VALUE_BYTES ? 507 : 200;
}

const isBadText = (element: Element): boolean =>
  TEXTS.includes(element.local) && (elementsOf(element).length > 0 || textIn(element) === '');

/** Stores the changes. @returns false when a limit would be exceeded */
async function keep(request: DavRequest, instructions: readonly Instruction[]): Promise<boolean> {
  const changes = instructions
    .filter(({ name }) => !WIN32_NAMES.has(name))
    .map(({ name, element, isSet }): PropertyChange => {
      return { name, value: isSet ? elementText(element) : undefined };
    });
  if (changes.length === 0) return true;
  return request.parts.properties.change(request.bucket.id, request.key, changes);
}
