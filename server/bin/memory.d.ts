export declare function memorySettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv | undefined;
