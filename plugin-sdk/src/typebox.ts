/**
 * The schema library behind one door. Its 700 modules cost 0.3 s and 28 MB when they are loaded one by one, so the build
 * packs this module and what it needs into one file; nothing else may import the library's code.
 * @module
 */
import Type from 'typebox';

export { Compile } from 'typebox/compile';
export { Check, Default, Errors, Pointer } from 'typebox/value';
export { Type };
