export declare function memorySettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv | undefined;
export declare const YOUNG_GENERATION: string;
