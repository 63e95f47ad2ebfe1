export { readTokens, type TokenHolder } from './principals.ts'
export { type RunningServer, type ServeOptions, startServer } from './server.ts'
