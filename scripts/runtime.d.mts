/** Path of the Node of this version in `.runtime/`, fetched when it is not there. @throws Error with a sentence */
export declare function fetchNode(version: string, why: string): string;
