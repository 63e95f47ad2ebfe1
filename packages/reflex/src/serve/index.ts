export { serveMcpStdio, type StdioConnection, type StdioOptions } from './mcp/stdio.ts'
export { readTokens, type TokenHolder } from './principals.ts'
export { type RunningServer, type ServeOptions, startServer } from './server.ts'
export { readTriggers, type TriggerConfig } from './triggers/config.ts'
